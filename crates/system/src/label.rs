//! What can be observed, and which infinite runs count.

use crate::{ActionId, Expr, Position, System};
use lariat_base::{Span, define_id};

define_id! {
    /// A label of a system.
    LabelId
}

/// A named observation.
#[derive(Clone, PartialEq, Debug)]
pub struct Label {
    /// Its name.
    pub name: String,
    /// When it holds.
    pub meaning: LabelMeaning,
    /// Where it was written.
    pub span: Span,
}

/// When a label holds. A step carries a step label if one of the actions on its path does; a stutter step carries none.
#[derive(Clone, PartialEq, Debug)]
pub enum LabelMeaning {
    /// Of a state: the expression holds in it. No role is in scope.
    State(Expr),
    /// Of a step: an action on its path lists the label, with a condition that held.
    Step,
    /// Of a step: the process at this position takes part in it.
    By(Position),
    /// Of a step: the process at this position is the acting one of some action of it.
    Acting(Position),
}

/// A demand on infinite runs: what is asked for is given. Runs that miss one are not looked at. `L` names a label.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fairness<L = LabelId> {
    /// How often it must be asked for.
    pub strength: Strength,
    /// When it is asked for.
    pub asked: Occasion<L>,
    /// When it is given.
    pub given: Occasion<L>,
}

/// How often something must be asked for so that it is given infinitely often.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strength {
    /// From some step on at every step: infinitely often it is given, or not asked for.
    Weak,
    /// Infinitely often.
    Strong,
}

/// Something that is so at some steps of a run and not at others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Occasion<L = LabelId> {
    /// At every step.
    Always,
    /// Where the state that is left, or the step, carries the label.
    Labelled(L),
    /// Where some step from the state that is left is one of these.
    Enabled(Who<L>),
    /// Where the step is one of these.
    Taken(Who<L>),
}

/// Which steps: those by a process, or those that carry a label.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Who<L = LabelId> {
    /// The process at a position: enabled if some step from the state contains an action in which it is the acting
    /// process; taken if it takes part anywhere on the step's path.
    Process(Position),
    /// Steps that carry this label, which is one of steps.
    Steps(L),
}

impl<L> Fairness<L> {
    /// The label holds infinitely often.
    pub fn justice(label: L) -> Self {
        Self { strength: Strength::Weak, asked: Occasion::Always, given: Occasion::Labelled(label) }
    }
    /// If the first label holds infinitely often, so does the second.
    pub fn compassion(asked: L, given: L) -> Self {
        let (asked, given) = (Occasion::Labelled(asked), Occasion::Labelled(given));
        Self { strength: Strength::Strong, asked, given }
    }
    /// Infinitely often not enabled, or taken.
    pub fn weak(who: Who<L>) -> Self
    where
        L: Clone,
    {
        Self { strength: Strength::Weak, asked: Occasion::Enabled(who.clone()), given: Occasion::Taken(who) }
    }
    /// If infinitely often enabled, then infinitely often taken.
    pub fn strong(who: Who<L>) -> Self
    where
        L: Clone,
    {
        Self { strength: Strength::Strong, ..Self::weak(who) }
    }
    /// The same with the labels that these names are.
    pub fn with_labels<E>(&self, label: impl Fn(&L) -> Result<LabelId, E>) -> Result<Fairness, E> {
        let who = |who: &Who<L>| {
            Ok(match who {
                Who::Process(position) => Who::Process(*position),
                Who::Steps(name) => Who::Steps(label(name)?),
            })
        };
        let occasion = |occasion: &Occasion<L>| {
            Ok(match occasion {
                Occasion::Always => Occasion::Always,
                Occasion::Labelled(name) => Occasion::Labelled(label(name)?),
                Occasion::Enabled(of) => Occasion::Enabled(who(of)?),
                Occasion::Taken(of) => Occasion::Taken(who(of)?),
            })
        };
        Ok(Fairness { strength: self.strength, asked: occasion(&self.asked)?, given: occasion(&self.given)? })
    }
}

impl Fairness {
    /// The label, if this is justice for one.
    pub fn as_justice(&self) -> Option<LabelId> {
        match *self {
            // What is asked for always is asked for infinitely often, so both strengths say the same.
            Self { asked: Occasion::Always, given: Occasion::Labelled(label), strength: _ } => Some(label),
            _ => None,
        }
    }
    /// Whose fairness it is, if it says that who is enabled is taken.
    pub fn as_fairness_for(&self) -> Option<Who> {
        match *self {
            Self { asked: Occasion::Enabled(who), given: Occasion::Taken(same), .. } if who == same => Some(who),
            _ => None,
        }
    }
    /// Whether it is about what is asked for infinitely often, and so is no generalised Büchi condition.
    pub fn is_strong(&self) -> bool {
        self.strength == Strength::Strong
    }
    /// What is asked for and what is given.
    pub fn occasions(&self) -> [Occasion; 2] {
        [self.asked, self.given]
    }
    /// The same, to be changed.
    pub fn occasions_mut(&mut self) -> [&mut Occasion; 2] {
        [&mut self.asked, &mut self.given]
    }
}

impl Occasion {
    /// The label that it names.
    pub fn label(self) -> Option<LabelId> {
        match self {
            Self::Labelled(label) | Self::Enabled(Who::Steps(label)) | Self::Taken(Who::Steps(label)) => Some(label),
            Self::Always | Self::Enabled(Who::Process(_)) | Self::Taken(Who::Process(_)) => None,
        }
    }
    /// The label that it names, to be changed.
    pub fn label_mut(&mut self) -> Option<&mut LabelId> {
        match self {
            Self::Labelled(label) | Self::Enabled(Who::Steps(label)) | Self::Taken(Who::Steps(label)) => Some(label),
            Self::Always | Self::Enabled(Who::Process(_)) | Self::Taken(Who::Process(_)) => None,
        }
    }
    /// The position of the process that it names.
    pub fn position(self) -> Option<Position> {
        match self {
            Self::Enabled(Who::Process(position)) | Self::Taken(Who::Process(position)) => Some(position),
            Self::Always | Self::Labelled(_) | Self::Enabled(Who::Steps(_)) | Self::Taken(Who::Steps(_)) => None,
        }
    }
}

impl Strength {
    /// `weak` or `strong`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Weak => "weak",
            Self::Strong => "strong",
        }
    }
}

impl System {
    /// A new label of this name that steps carry which contain one of these actions.
    pub fn label_actions(&mut self, name: impl Into<String>, actions: &[ActionId]) -> LabelId {
        let label = self.labels.push(Label { name: name.into(), meaning: LabelMeaning::Step, span: Span::NONE });
        for &action in actions {
            self.actions[action].labels.push((label, Expr::TRUE));
        }
        label
    }

    /// The system without labels, and without fairness, which is told by labels: nothing else differs between the properties
    /// of a model. What actions say about labels stays.
    #[must_use]
    pub fn unlabelled(&self) -> System {
        System { labels: Default::default(), fairness: Vec::new(), ..self.clone() }
    }

    /// A fairness constraint in words: `weak fairness for process 1`.
    pub fn fairness_name(&self, number: usize) -> String {
        let constraint = &self.fairness[number];
        let name = |label: LabelId| format!("`{}`", self.labels[label].name);
        let who = |who: Who| match who {
            Who::Process(position) => format!("process {position}"),
            Who::Steps(label) => name(label),
        };
        let occasion = |occasion: Occasion| match occasion {
            Occasion::Always => "always".to_owned(),
            Occasion::Labelled(label) => name(label),
            Occasion::Enabled(of) => format!("{} enabled", who(of)),
            Occasion::Taken(of) => format!("{} taken", who(of)),
        };
        let strength = constraint.strength.word();
        match (constraint.as_justice(), constraint.as_fairness_for()) {
            (Some(label), _) => format!("justice for {}", name(label)),
            (_, Some(of)) => format!("{strength} fairness for {}", who(of)),
            _ => match (constraint.strength, constraint.asked, constraint.given) {
                (Strength::Strong, Occasion::Labelled(asked), Occasion::Labelled(given)) => {
                    format!("compassion for `{} => {}`", self.labels[asked].name, self.labels[given].name)
                }
                (_, asked, given) => {
                    format!("{strength} fairness: {} is answered by {}", occasion(asked), occasion(given))
                }
            },
        }
    }
}
