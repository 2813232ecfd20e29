//! From the states of a run to its trace.

use crate::failures::Sighting;
use lariat_engine::{FailureKind, Trace, TraceStep};
use lariat_space::{Outcome, StateSpace};
use lariat_system::LabelId;
use std::ops::ControlFlow;

/// The run through `states` to a failure. Which actions lead from a state to the next was not kept: the steps of the
/// first are listed once more until one leads to the second.
pub(crate) fn trace_along<S: StateSpace>(space: &S, states: Vec<Vec<u64>>, sighting: &Sighting) -> Trace {
    let initial = states.first().expect("a run has an initial state").clone();
    let mut trace = Trace { initial, steps: steps_along(space, states), loop_start: None, decided: None };
    if let FailureKind::Fault(_) = sighting.kind {
        trace.steps.push(TraceStep { via: sighting.via.clone(), labels: None, target: None });
    }
    trace
}

/// The steps from each of the states to the next.
pub(crate) fn steps_along<S: StateSpace>(space: &S, states: Vec<Vec<u64>>) -> Vec<TraceStep> {
    let mut scratch = space.scratch();
    let mut states = states.into_iter();
    let mut source = states.next().expect("a run has a first state");
    let mut steps = Vec::new();
    for target in states {
        let found = space.steps(&source, &mut scratch, |step| {
            if step.target == Outcome::State(&target) {
                let labels = step.labels.iter().map(|mark| LabelId(mark.0)).collect();
                ControlFlow::Break((step.via.to_vec(), labels))
            } else {
                ControlFlow::Continue(())
            }
        });
        let (via, labels) = found.break_value().expect("a state has a step to the next one of the run");
        steps.push(TraceStep { via, labels: Some(labels), target: Some(target.clone()) });
        source = target;
    }
    steps
}
