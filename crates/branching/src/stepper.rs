//! The actions of a step, given the states at its ends.

use lariat_automata::Mark;
use lariat_engine::TraceStep;
use lariat_space::{LabelSet, Outcome, State, StateSpace};
use lariat_system::{Fault, LabelId, System};
use std::ops::ControlFlow;

/// Knows how steps are made.
pub trait Stepper {
    /// A step from one state to another, which carries the label if one is given. `None` if there is no such step.
    fn step(&self, from: &State, to: &State, carrying: Option<LabelId>) -> Option<TraceStep>;
    /// The first way to a run-time error from the state, and that error.
    fn fault(&self, from: &State) -> Option<(TraceStep, Fault)>;
}

/// Finds steps by listing all that a state has.
#[derive(Debug)]
pub struct SpaceStepper<'a, S> {
    space: &'a S,
    system: &'a System,
}

impl<'a, S: StateSpace> SpaceStepper<'a, S> {
    /// Steps of `space`, which is that of `system`.
    pub fn new(space: &'a S, system: &'a System) -> Self {
        Self { space, system }
    }

    fn labels(&self, carried: &LabelSet) -> Vec<LabelId> {
        self.system.labels.ids().filter(|label| carried.contains(Mark(label.0))).collect()
    }
}

impl<S: StateSpace> Stepper for SpaceStepper<'_, S> {
    fn step(&self, from: &State, to: &State, carrying: Option<LabelId>) -> Option<TraceStep> {
        let found = self.space.steps(from, &mut self.space.scratch(), |step| match step.target {
            Outcome::State(target)
                if target == to && carrying.is_none_or(|label| step.labels.contains(Mark(label.0))) =>
            {
                let labels = carrying.map(|_| self.labels(step.labels));
                ControlFlow::Break(TraceStep { via: step.via.to_vec(), labels, target: Some(target.to_vec()) })
            }
            _ => ControlFlow::Continue(()),
        });
        found.break_value()
    }

    fn fault(&self, from: &State) -> Option<(TraceStep, Fault)> {
        let found = self.space.steps(from, &mut self.space.scratch(), |step| match step.target {
            Outcome::Fault(fault) => {
                ControlFlow::Break((TraceStep { via: step.via.to_vec(), labels: None, target: None }, fault))
            }
            Outcome::State(_) => ControlFlow::Continue(()),
        });
        found.break_value()
    }
}
