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
}

/// A demand on infinite runs. Runs that miss one are not looked at.
#[derive(Clone, PartialEq, Debug)]
pub enum Fairness {
    /// The label holds infinitely often.
    Justice(LabelId),
    /// If the first label holds infinitely often, so does the second.
    Compassion(LabelId, LabelId),
    /// Infinitely often not enabled, or taken.
    Weak(Who),
    /// If infinitely often enabled, then infinitely often taken.
    Strong(Who),
}

/// What is enabled and taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Who {
    /// The process at a position: enabled if some step from the state contains an action in which it is the acting
    /// process; taken if it takes part anywhere on the step's path.
    Process(Position),
    /// One of these actions, by whatever processes.
    Actions(Vec<ActionId>),
}

impl System {
    /// A fairness constraint in words: `weak fairness for process 1`.
    pub fn fairness_name(&self, number: usize) -> String {
        let label = |id: &LabelId| &self.labels[*id].name;
        let (strength, who) = match &self.fairness[number] {
            Fairness::Justice(id) => return format!("justice for `{}`", label(id)),
            Fairness::Compassion(asked, given) => {
                return format!("compassion for `{} => {}`", label(asked), label(given));
            }
            Fairness::Weak(who) => ("weak", who),
            Fairness::Strong(who) => ("strong", who),
        };
        match who {
            Who::Process(position) => format!("{strength} fairness for process {position}"),
            Who::Actions(actions) => {
                let mut names: Vec<&str> = actions.iter().map(|action| self.actions[*action].name.as_str()).collect();
                names.dedup();
                format!("{strength} fairness for `{}`", names.join("`, `"))
            }
        }
    }
}
