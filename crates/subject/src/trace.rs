//! From the states of a run to its trace.

use crate::{Sighting, StepLimits};
use lariat_engine::{FailureKind, RunControl, Shortfall, Trace, TraceStep};
use lariat_space::{Outcome, State, StateSpace, Step};
use std::ops::ControlFlow;

/// The run through `states` to a failure. Which actions lead from a state to the next was not kept: the steps of the
/// first are listed once more until one leads to the second.
pub fn trace_along<S: StateSpace>(
    space: &S,
    states: Vec<Vec<u64>>,
    sighting: &Sighting,
    control: &RunControl,
) -> Result<Trace, Shortfall> {
    let initial = states.first().expect("a run has an initial state").clone();
    let mut trace = Trace { initial, steps: steps_along(space, states, control)?, loop_start: None, decided: None };
    if let FailureKind::Fault(_) = sighting.kind {
        trace.steps.push(TraceStep { via: sighting.via.clone(), labels: None, target: None });
    }
    Ok(trace)
}

/// The steps from each of the states to the next.
pub fn steps_along<S: StateSpace>(
    space: &S,
    states: Vec<Vec<u64>>,
    control: &RunControl,
) -> Result<Vec<TraceStep>, Shortfall> {
    let mut lister = Lister::new(space, control);
    let mut states = states.into_iter();
    let mut source = states.next().expect("a run has a first state");
    let mut steps = Vec::with_capacity(states.len());
    for target in states {
        let (via, labels) = lister.first(&source, |step| {
            let labels = || step.labels.iter().collect();
            (step.target == Outcome::State(&target)).then(|| (step.via.to_vec(), labels()))
        })?;
        source.clone_from(&target);
        steps.push(TraceStep { via, labels: Some(labels), target: Some(target) });
    }
    Ok(steps)
}

/// Lists the steps of states once more, within the limits for reporting what was found.
#[derive(Debug)]
pub struct Lister<'a, S: StateSpace> {
    space: &'a S,
    scratch: S::Scratch,
    limits: StepLimits<'a>,
}

impl<'a, S: StateSpace> Lister<'a, S> {
    /// Over this space.
    pub fn new(space: &'a S, control: &'a RunControl) -> Self {
        Self { space, scratch: space.scratch(), limits: StepLimits::reporting(control) }
    }

    /// What `choose` makes of the first step from `source` that it takes; there must be one.
    pub fn first<X>(&mut self, source: &State, choose: impl Fn(&Step<'_>) -> Option<X>) -> Result<X, Shortfall> {
        let Self { space, scratch, limits } = self;
        limits.check()?;
        let found = space.steps(
            source,
            scratch,
            limits.limiting(Err, |step| match choose(&step) {
                Some(chosen) => ControlFlow::Break(Ok(chosen)),
                None => ControlFlow::Continue(()),
            }),
        );
        found.break_value().expect("a state has a step to the next one of the run")
    }
}
