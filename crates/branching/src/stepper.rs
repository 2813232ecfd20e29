//! The actions of a step, given the states at its ends.

use lariat_base::Id;
use lariat_engine::TraceStep;
use lariat_space::{LabelSet, Move, Outcome, State, StateSpace, Steps, each};
use lariat_system::reference::{ControlIndex, Evaluator, Firing, PathMarks};
use lariat_system::{Fault, LabelId, Layout, System};
use std::ops::ControlFlow;

/// Knows how steps are made.
pub trait Stepper {
    /// A step from one state to another that is among `steps`. `None` if there is no such step.
    fn step(&self, from: &State, to: &State, steps: &Steps) -> Option<TraceStep>;
    /// The first way to a run-time error from the state, and that error.
    fn fault(&self, from: &State) -> Option<(TraceStep, Fault)>;
}

/// Finds steps by listing all that a state has. Where actions have choices there may be too many: then a step of one action is
/// found by the state it leads to.
#[derive(Debug)]
pub struct SpaceStepper<'a, S> {
    space: &'a S,
    system: &'a System,
    /// The labels that are told of steps: the first so many.
    shown_labels: usize,
    /// What it takes to read states, if some action has choices.
    choosing: Option<(ControlIndex, Layout)>,
}

impl<'a, S: StateSpace> SpaceStepper<'a, S> {
    /// Steps of `space`, which is that of `system`.
    pub fn new(space: &'a S, system: &'a System) -> Self {
        let has_choices = system.actions.iter().any(|action| !action.choices.is_empty());
        let layout = if has_choices { Layout::new(system).ok() } else { None };
        let choosing = layout.map(|layout| (ControlIndex::new(system), layout));
        Self { space, system, shown_labels: system.labels.len(), choosing }
    }
    /// The same for those who know the first so many labels only.
    #[must_use]
    pub fn telling(self, labels: usize) -> Self {
        Self { shown_labels: labels, ..self }
    }

    /// A step of one action.
    fn short_step(&self, from: &State, to: &State, steps: &Steps) -> Option<TraceStep> {
        let (index, layout) = self.choosing.as_ref()?;
        let evaluator = Evaluator::with_index(self.system, index);
        let (before, after) = (layout.try_unpack(from)?, layout.try_unpack(to)?);
        let marks = |firing: &Firing| evaluator.marks_with(&PathMarks::default(), &before, firing);
        let fits = |firing: &Firing| {
            *steps == Steps::All || {
                let carried = marks(firing).labels;
                steps.contain(|label| carried.contains(&label))
            }
        };
        let firing = evaluator.firing_between(&before, &after, fits)?;
        let labels = marks(&firing).labels.into_iter().filter(|label| label.index() < self.shown_labels).collect();
        let choices = Some(firing.scope.choices.clone());
        Some(TraceStep { via: vec![Move::from(&firing)], choices, labels: Some(labels), target: Some(to.to_vec()) })
    }

    fn labels(&self, carried: &LabelSet) -> Vec<LabelId> {
        carried.iter().filter(|label| label.index() < self.shown_labels).collect()
    }
}

impl<S: StateSpace> Stepper for SpaceStepper<'_, S> {
    fn step(&self, from: &State, to: &State, steps: &Steps) -> Option<TraceStep> {
        if let Some(step) = self.short_step(from, to, steps) {
            return Some(step);
        }
        let (mut scratch, tells_choices) = self.space.scratch_for_traces();
        let found = self.space.steps(
            from,
            &mut scratch,
            each(|step| match step.target {
                Outcome::State(target) if target == to && steps.contain(|label| step.labels.contains(label)) => {
                    let choices = tells_choices.then(|| step.choices.to_vec());
                    let labels = Some(self.labels(step.labels));
                    let target = Some(target.to_vec());
                    ControlFlow::Break(TraceStep { via: step.via.to_vec(), choices, labels, target })
                }
                _ => ControlFlow::Continue(()),
            }),
        );
        found.break_value()
    }

    fn fault(&self, from: &State) -> Option<(TraceStep, Fault)> {
        let (mut scratch, tells_choices) = self.space.scratch_for_traces();
        let found = self.space.steps(
            from,
            &mut scratch,
            each(|step| match step.target {
                Outcome::Fault(fault) => {
                    let choices = tells_choices.then(|| step.choices.to_vec());
                    let via = step.via.to_vec();
                    ControlFlow::Break((TraceStep { via, choices, labels: None, target: None }, fault))
                }
                Outcome::State(_) => ControlFlow::Continue(()),
            }),
        );
        found.break_value()
    }
}
