//! From the states of a run to its trace.

use crate::{Sighting, StepLimits};
use lariat_engine::{FailureKind, RunControl, Shortfall, Trace, TraceStep};
use lariat_space::{Move, Outcome, State, StateSpace, Step};
use lariat_system::Fault;
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
    let last = states.last().expect("a run has an initial state").clone();
    let mut lister = Lister::new(space, control);
    let mut trace = Trace { initial, steps: lister.along(states)?, loop_start: None, decided: None };
    if let FailureKind::Fault(fault) = sighting.kind {
        trace.steps.push(lister.fault(&last, fault, &sighting.via)?);
    }
    Ok(trace)
}

/// The steps from each of the states to the next.
pub fn steps_along<S: StateSpace>(
    space: &S,
    states: Vec<Vec<u64>>,
    control: &RunControl,
) -> Result<Vec<TraceStep>, Shortfall> {
    Lister::new(space, control).along(states)
}

/// What a trace says of the step, with the values of its choices if it carries them.
pub fn trace_step(step: &Step<'_>, tells_choices: bool) -> TraceStep {
    let choices = tells_choices.then(|| step.choices.to_vec());
    let (labels, target) = match step.target {
        Outcome::State(target) => (Some(step.labels.iter().collect()), Some(target.to_vec())),
        Outcome::Fault(_) => (None, None),
    };
    TraceStep { via: step.via.to_vec(), choices, labels, target }
}

/// Lists the steps of states once more, within the limits for reporting what was found.
#[derive(Debug)]
pub struct Lister<'a, S: StateSpace> {
    space: &'a S,
    scratch: S::Scratch,
    limits: StepLimits<'a>,
    /// Whether steps carry the values of their choices.
    tells_choices: bool,
}

impl<'a, S: StateSpace> Lister<'a, S> {
    /// Over this space.
    pub fn new(space: &'a S, control: &'a RunControl) -> Self {
        let (scratch, tells_choices) = space.scratch_for_traces();
        Self { space, scratch, limits: StepLimits::reporting(control), tells_choices }
    }

    /// The first step from `source` that `fits`; there must be one.
    pub fn first(&mut self, source: &State, fits: impl Fn(&Step<'_>) -> bool) -> Result<TraceStep, Shortfall> {
        Ok(self.find(source, fits)?.expect("a state has a step to the next one of the run"))
    }

    fn find(&mut self, source: &State, fits: impl Fn(&Step<'_>) -> bool) -> Result<Option<TraceStep>, Shortfall> {
        let Self { space, scratch, limits, tells_choices } = self;
        limits.check()?;
        let found = space.steps(
            source,
            scratch,
            limits.limiting(Err, |step| match fits(&step) {
                true => ControlFlow::Break(Ok(trace_step(&step, *tells_choices))),
                false => ControlFlow::Continue(()),
            }),
        );
        found.break_value().transpose()
    }

    /// The steps from each of the states to the next.
    fn along(&mut self, states: Vec<Vec<u64>>) -> Result<Vec<TraceStep>, Shortfall> {
        let mut steps = Vec::with_capacity(states.len());
        for pair in states.windows(2) {
            steps.push(self.first(&pair[0], |step| step.target == Outcome::State(&pair[1]))?);
        }
        Ok(steps)
    }

    /// The step by these actions that ends in a run-time error. It is listed once more only for the values of choices.
    fn fault(&mut self, source: &State, fault: Fault, via: &[Move]) -> Result<TraceStep, Shortfall> {
        let known = TraceStep { via: via.to_vec(), choices: None, labels: None, target: None };
        if !self.tells_choices {
            return Ok(known);
        }
        let found = self.find(source, |step| step.target == Outcome::Fault(fault) && step.via == via)?;
        Ok(found.unwrap_or(known))
    }
}
