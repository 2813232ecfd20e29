//! Fairness in terms of labels, and in terms of sets of states.
//!
//! Whatever a constraint of a system speaks of, processes or actions, enabled or taken, it comes out as one of two kinds:
//! something is so infinitely often (justice), or it is if something else is (compassion). What is so at a step depends on the
//! state that it leaves and on the labels that it carries.

use crate::slip::{Slip, slips};
use lariat_space::{StateSets, Steps};
use lariat_subject::{acting_label, participant_label};
use lariat_system::{Fairness, Label, LabelId, LabelMeaning, Occasion, Strength, System, Who};
use std::borrow::Cow;

/// When something is so at a step of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Condition {
    /// The state that is left carries the label.
    State(LabelId),
    /// The state that is left does not.
    NotState(LabelId),
    /// The step carries the label.
    Step(LabelId),
    /// The step does not.
    NotStep(LabelId),
    /// Some step from the state that is left carries the label.
    Enabled(LabelId),
    /// No step does.
    NotEnabled(LabelId),
    /// At every step.
    Always,
}

impl Condition {
    fn label_mut(&mut self) -> Option<&mut LabelId> {
        match self {
            Self::State(label)
            | Self::NotState(label)
            | Self::Step(label)
            | Self::NotStep(label)
            | Self::Enabled(label)
            | Self::NotEnabled(label) => Some(label),
            Self::Always => None,
        }
    }

    /// The label that it speaks of.
    pub fn label(self) -> Option<LabelId> {
        match self {
            Self::Always => None,
            mut other => other.label_mut().copied(),
        }
    }

    /// When it is not so; `None` if never.
    fn negated(self) -> Option<Self> {
        Some(match self {
            Self::State(label) => Self::NotState(label),
            Self::NotState(label) => Self::State(label),
            Self::Step(label) => Self::NotStep(label),
            Self::NotStep(label) => Self::Step(label),
            Self::Enabled(label) => Self::NotEnabled(label),
            Self::NotEnabled(label) => Self::Enabled(label),
            Self::Always => return None,
        })
    }

    /// The steps at which it is so, on the runs through `reached`.
    fn event<S: StateSets>(self, sets: &S, reached: &S::Set) -> Result<Event<S::Set>, S::Error> {
        let enabling = |label| sets.intersect(&sets.pre(reached, Steps::Carrying(label))?, reached);
        Ok(match self {
            // All that satisfy it: that is a smaller set than those of them that are reached.
            Self::State(label) => (sets.satisfying(label)?, Steps::All),
            Self::NotState(label) => (sets.minus(reached, &sets.satisfying(label)?)?, Steps::All),
            Self::Step(label) if slips(Slip::InputOfState) => (enabling(label)?, Steps::All),
            Self::Step(label) => (reached.clone(), Steps::Carrying(label)),
            Self::NotStep(label) => (reached.clone(), Steps::missing(label)),
            Self::Enabled(label) => (enabling(label)?, Steps::All),
            Self::NotEnabled(label) => (sets.minus(reached, &enabling(label)?)?, Steps::All),
            Self::Always => (reached.clone(), Steps::All),
        })
    }
}

/// The steps from some states that are among some steps.
pub(crate) type Event<Set> = (Set, Steps);

/// If one of `asked` happens infinitely often, so does one of `given`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constraint<C = Condition> {
    /// `None` if one of `given` happens infinitely often in any case.
    pub asked: Option<Vec<C>>,
    /// What answers it.
    pub given: Vec<C>,
}

/// A constraint in terms of sets of states.
pub(crate) type InSets<Set> = Constraint<Event<Set>>;

impl<C> Constraint<C> {
    /// It happens infinitely often.
    pub fn justice(given: C) -> Self {
        Self { asked: None, given: vec![given] }
    }
    /// If the first happens infinitely often, so does the second.
    pub fn compassion(asked: C, given: C) -> Self {
        Self { asked: Some(vec![asked]), given: vec![given] }
    }
    /// The same about other things.
    pub(crate) fn try_map<D, E>(&self, change: impl Fn(&C) -> Result<D, E>) -> Result<Constraint<D>, E> {
        let changed = |all: &[C]| all.iter().map(&change).collect::<Result<Vec<D>, E>>();
        Ok(Constraint { asked: self.asked.as_deref().map(changed).transpose()?, given: changed(&self.given)? })
    }
}

impl Constraint {
    /// Everything that it speaks of.
    pub fn conditions(&self) -> impl Iterator<Item = Condition> {
        self.asked.iter().flatten().chain(&self.given).copied()
    }
    /// The same in terms of sets of states.
    pub(crate) fn in_sets<S: StateSets>(&self, sets: &S, reached: &S::Set) -> Result<InSets<S::Set>, S::Error> {
        self.try_map(|condition| condition.event(sets, reached))
    }
}

/// The fairness of the system. Where it speaks of processes, the system with labels for these, its own being the first.
pub fn constraints_of(system: &System) -> (Cow<'_, System>, Vec<Constraint>) {
    let mut labelled = Cow::Borrowed(system);
    let constraints = system.fairness.iter().map(|constraint| constraint_of(constraint, &mut labelled)).collect();
    (labelled, constraints)
}

fn constraint_of(&Fairness { strength, asked, given }: &Fairness, system: &mut Cow<'_, System>) -> Constraint {
    let asked = condition_of(asked, system);
    let given = condition_of(given, system);
    match (strength, asked) {
        (_, Condition::Always) => Constraint::justice(given),
        // It is given, or not asked for.
        (Strength::Weak, asked) => {
            Constraint { asked: None, given: [given].into_iter().chain(asked.negated()).collect() }
        }
        (Strength::Strong, asked) => Constraint::compassion(asked, given),
    }
}

fn condition_of(occasion: Occasion, system: &mut Cow<'_, System>) -> Condition {
    match occasion {
        Occasion::Always => Condition::Always,
        Occasion::Labelled(label) => match system.labels[label].meaning {
            LabelMeaning::State(_) => Condition::State(label),
            LabelMeaning::Step | LabelMeaning::By(_) | LabelMeaning::Acting(_) => Condition::Step(label),
        },
        Occasion::Enabled(Who::Steps(label)) => Condition::Enabled(label),
        Occasion::Taken(Who::Steps(label)) => Condition::Step(label),
        Occasion::Enabled(Who::Process(position)) => Condition::Enabled(acting_label(system, position)),
        Occasion::Taken(Who::Process(position)) => Condition::Step(participant_label(system, position)),
    }
}

/// What constraints mean, whatever numbers their labels have: equal for constraints that say the same in the same words.
pub fn meaning_of(constraints: &[Constraint], system: &System) -> (Vec<Constraint>, Vec<Label>) {
    let mut constraints = constraints.to_vec();
    let mut used: Vec<LabelId> = Vec::new();
    for constraint in &mut constraints {
        let conditions = constraint.asked.iter_mut().flatten().chain(&mut constraint.given);
        for label in conditions.filter_map(Condition::label_mut) {
            let place = used.iter().position(|known| known == label).unwrap_or_else(|| {
                used.push(*label);
                used.len() - 1
            });
            *label = LabelId(place as u32);
        }
    }
    (constraints, used.into_iter().map(|label| system.labels[label].clone()).collect())
}
