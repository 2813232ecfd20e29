//! Runs, as engines report them.

use lariat_space::Move;
use lariat_system::LabelId;

/// A run: where it begins, and its steps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// The initial state.
    pub initial: Vec<u64>,
    /// The steps, in order.
    pub steps: Vec<TraceStep>,
    /// For a run that goes on for ever: after the last step it goes on at the state before this step.
    pub loop_start: Option<usize>,
    /// After so many steps it is bad whatever follows, if that is known: the rest is some way to go on.
    pub decided: Option<usize>,
}

/// One step of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TraceStep {
    /// The actions, in order; empty for a stutter step. Where the run ends in a run-time error of a guard, the last one
    /// is the action at which control stands.
    pub via: Vec<Move>,
    /// The values of the choices of these actions, one action after the other; `None` if they are not known. Then replay searches for
    /// them, as it does for those of an action that no values are left for.
    pub choices: Option<Vec<i64>>,
    /// The step labels that it carries, ascending; `None` if they do not matter.
    pub labels: Option<Vec<LabelId>>,
    /// The state it leads to; `None` for the last step of a run that ends in a run-time error.
    pub target: Option<Vec<u64>>,
}

impl TraceStep {
    /// A step in which nothing happens, and `state` repeats.
    pub fn stutter(state: Vec<u64>, labels: Option<Vec<LabelId>>) -> Self {
        Self { via: Vec::new(), choices: Some(Vec::new()), labels, target: Some(state) }
    }
}
