//! From a sighting back to the run that leads to it.

use crate::failures::Sighting;
use crate::parents::Parents;
use lariat_engine::{Evidence, FailureKind, Trace, TraceStep};
use lariat_space::{Outcome, StateSpace};
use lariat_store::{Handle, Origins, Recall};
use std::ops::ControlFlow;

/// The run along the parents to a failure. Which actions lead from a state to the next was not kept: the steps of the
/// first are listed once more until one leads to the second.
pub(crate) fn evidence<S: StateSpace, T: Recall>(
    space: &S,
    store: &T,
    parents: &Parents<'_>,
    sighting: &Sighting,
) -> Evidence {
    let path = parents.path_to(sighting.state);
    let mut scratch = space.scratch();
    let state_of = |handle: Handle| {
        let mut origins = Origins::new(space.words_per_state());
        store.recall(&[handle], &mut origins);
        origins.state(0).to_vec()
    };
    let mut source = state_of(path[0]);
    let mut trace = Trace { initial: source.clone(), steps: Vec::new(), loop_start: None };
    for &handle in &path[1..] {
        let target = state_of(handle);
        let via = space.steps(&source, &mut scratch, |step| {
            if step.target == Outcome::State(&target) {
                ControlFlow::Break(step.via.to_vec())
            } else {
                ControlFlow::Continue(())
            }
        });
        let via = via.break_value().expect("a state has a step to each state that it is the parent of");
        trace.steps.push(TraceStep { via, target: Some(target.clone()) });
        source = target;
    }
    if let FailureKind::Fault(_) = sighting.kind {
        trace.steps.push(TraceStep { via: sighting.via.clone(), target: None });
    }
    Evidence { kind: sighting.kind, trace }
}
