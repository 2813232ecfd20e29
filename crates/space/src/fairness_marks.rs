//! Fairness as part of acceptance: what it asks for and gets, as marks of steps.

use crate::{LabelSet, Move};
use lariat_automata::{Acceptance, Mark, MarkSet};
use lariat_base::Id;
use lariat_system::{Fairness, Occasion, Position, Strength, Who};

/// Constraints as marks: each has one if it is weak, where it is given or not asked for; and two if it is strong, where it is
/// asked for and where it is given.
#[derive(Debug)]
pub(crate) struct FairnessMarks {
    constraints: Vec<Fairness>,
    first_mark: u32,
    asks_what_is_enabled: bool,
    /// By position: the marks of a step that the process takes part in.
    of_participant: Vec<MarkSet>,
    /// By label: the marks of a step that carries it.
    of_label: Vec<MarkSet>,
    /// What is asked for by steps themselves, with the mark of steps that do not ask.
    unless: Vec<(Occasion, Mark)>,
}

impl FairnessMarks {
    pub(crate) fn new(constraints: Vec<Fairness>, first_mark: u32) -> Self {
        let is_about_enabled = |occasion: Occasion| matches!(occasion, Occasion::Enabled(_));
        let asks_what_is_enabled = constraints.iter().flat_map(Fairness::occasions).any(is_about_enabled);
        let (of_participant, of_label, unless) = (Vec::new(), Vec::new(), Vec::new());
        let mut marks = Self { constraints, first_mark, asks_what_is_enabled, of_participant, of_label, unless };
        let entries: Vec<(Fairness, Mark)> = marks.entries().map(|(fairness, mark)| (fairness.clone(), mark)).collect();
        for (Fairness { strength, asked, given }, mark) in entries {
            match strength {
                Strength::Weak => {
                    marks.mark_where(given, mark);
                    if matches!(asked, Occasion::Labelled(_) | Occasion::Taken(_)) {
                        marks.unless.push((asked, mark));
                    }
                }
                Strength::Strong => {
                    marks.mark_where(asked, mark);
                    marks.mark_where(given, second(mark));
                }
            }
        }
        marks
    }

    /// Has steps carry the mark where this is so because of the step.
    fn mark_where(&mut self, occasion: Occasion, mark: Mark) {
        match occasion {
            Occasion::Always | Occasion::Enabled(_) => {}
            Occasion::Taken(Who::Process(position)) => insert(&mut self.of_participant, usize::from(position), mark),
            Occasion::Labelled(label) | Occasion::Taken(Who::Steps(label)) => {
                insert(&mut self.of_label, label.index(), mark);
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.constraints.is_empty()
    }
    pub(crate) fn asks_what_is_enabled(&self) -> bool {
        self.asks_what_is_enabled
    }

    /// The constraints, each with its first mark.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&Fairness, Mark)> {
        let mut next = self.first_mark;
        self.constraints.iter().map(move |constraint| {
            let mark = Mark(next);
            next += if constraint.is_strong() { 2 } else { 1 };
            (constraint, mark)
        })
    }

    /// What acceptance asks for each.
    pub(crate) fn conditions(&self) -> impl Iterator<Item = Acceptance> {
        self.entries().map(|(constraint, mark)| match constraint.strength {
            Strength::Weak => Acceptance::Inf(mark),
            Strength::Strong => Acceptance::Or(vec![Acceptance::Fin(mark), Acceptance::Inf(second(mark))]),
        })
    }

    /// Adds the marks that every step has which leaves a state with these labels, where this is enabled.
    pub(crate) fn mark_source(&self, labels: &LabelSet, enabled: &Enabled, marks: &mut MarkSet) {
        let is_so = |occasion: Occasion| match occasion {
            Occasion::Always => true,
            Occasion::Labelled(label) => labels.contains(label),
            Occasion::Enabled(Who::Process(position)) => enabled.actors.contains(position),
            Occasion::Enabled(Who::Steps(label)) => enabled.labels.contains(label),
            Occasion::Taken(_) => false,
        };
        for (&Fairness { strength, asked, given }, mark) in self.entries() {
            match strength {
                // What a step may ask for is looked at with the step.
                Strength::Weak => {
                    let not_asked = matches!(asked, Occasion::Enabled(_)) && !is_so(asked);
                    if not_asked || is_so(given) {
                        marks.insert(mark);
                    }
                }
                Strength::Strong => {
                    if is_so(asked) {
                        marks.insert(mark);
                    }
                    if is_so(given) {
                        marks.insert(second(mark));
                    }
                }
            }
        }
    }

    /// Adds the marks that a step has for what it is; it leaves a state with the labels `of_state`.
    #[inline]
    pub(crate) fn mark_step(&self, of_state: &LabelSet, labels: &LabelSet, via: &[Move], marks: &mut MarkSet) {
        if !self.of_participant.is_empty() {
            for position in via.iter().flat_map(|by| by.participants()) {
                if let Some(taken) = self.of_participant.get(usize::from(position)) {
                    marks.union_with(taken);
                }
            }
        }
        if !self.of_label.is_empty() {
            for label in labels.iter() {
                if let Some(carried) = self.of_label.get(label.index()) {
                    marks.union_with(carried);
                }
            }
        }
        for &(asked, mark) in &self.unless {
            let is_asked = match asked {
                Occasion::Labelled(label) => of_state.contains(label) || labels.contains(label),
                Occasion::Taken(Who::Steps(label)) => labels.contains(label),
                Occasion::Taken(Who::Process(position)) => {
                    via.iter().flat_map(|by| by.participants()).any(|participant| participant == position)
                }
                Occasion::Always | Occasion::Enabled(_) => unreachable!("that does not depend on the step"),
            };
            if !is_asked {
                marks.insert(mark);
            }
        }
    }
}

/// The second mark of a strong constraint.
pub(crate) fn second(mark: Mark) -> Mark {
    Mark(mark.0 + 1)
}

fn insert(sets: &mut Vec<MarkSet>, number: usize, mark: Mark) {
    if sets.len() <= number {
        sets.resize(number + 1, MarkSet::EMPTY);
    }
    sets[number].insert(mark);
}

/// What can be taken from a state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Enabled {
    /// The positions of processes that act on some step.
    actors: Positions,
    /// The labels that some step carries.
    labels: LabelSet,
}

impl Enabled {
    pub(crate) fn clear(&mut self) {
        self.actors = Positions::default();
        self.labels.clear();
    }
    /// A step carries these labels and goes this way.
    pub(crate) fn add(&mut self, labels: &LabelSet, via: &[Move]) {
        self.labels.union_with(labels);
        via.iter().filter_map(|by| by.actor).for_each(|actor| self.actors.insert(actor));
    }
}

/// A set of positions.
#[derive(Clone, Debug, Default)]
struct Positions([u64; 4]);

impl Positions {
    fn insert(&mut self, position: Position) {
        self.0[usize::from(position) / 64] |= 1 << (position % 64);
    }
    fn contains(&self, position: Position) -> bool {
        self.0[usize::from(position) / 64] >> (position % 64) & 1 == 1
    }
}
