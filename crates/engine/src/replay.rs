//! Independent re-runs of traces.
//!
//! A trace names the actions and participants of each step, and the packed states between them. [`SystemReplay`] follows
//! it with the reference evaluator alone: each action must be one that can happen at that point, the state reached must
//! be the one claimed, and the failure must be there at the end. What it saw on the way is the [`Story`] that is shown to
//! people: nothing that did not replay is shown. How the actions of one step are followed is in `follow`.

use crate::fairness_steps::Observed;
use crate::replay_limits::ReplayLimits;
use crate::{
    FailureKind, Property, RunControl, Shortfall, Story, StoryStep, Temporal, Trace, TraceStep, Verdict, Witness,
    WitnessStory,
};
use lariat_system::reference::{ControlIndex, Evaluator, Valuation};
use lariat_system::{DeadEnds, Layout, System, TooLarge};
use std::fmt;
use std::sync::Arc;

/// Re-runs traces with code that shares nothing with the engine that found them.
pub trait Replay {
    /// What is seen on the way.
    type Story;
    /// Follows `trace` and makes sure that it ends in `kind`.
    fn replay(&self, trace: &Trace, kind: FailureKind) -> Result<Self::Story, ReplayError>;
    /// Follows runs that show the verdict on a property of branching time.
    fn replay_witnesses(&self, verdict: &Verdict, witnesses: &[Witness]) -> Result<Vec<WitnessStory>, ReplayError> {
        let _ = verdict;
        if witnesses.is_empty() {
            return Ok(Vec::new());
        }
        Err(ReplayError::wrong(0, UNKNOWN_FORMULA))
    }
}

/// A trace does not replay. If one of our engines made it, that is our bug, unless a limit was met.
#[derive(Clone, PartialEq, Debug)]
pub struct ReplayError {
    /// The number of the step, from 0; the number of steps if the end is at fault.
    pub step: usize,
    /// What is wrong.
    pub reason: String,
    /// The limit that was met while the step was followed: then nothing is known to be wrong.
    pub shortfall: Option<Shortfall>,
}

impl ReplayError {
    /// Something is wrong with the step.
    pub fn wrong(step: usize, reason: impl Into<String>) -> Self {
        Self { step, reason: reason.into(), shortfall: None }
    }
    /// A limit was met.
    pub fn short(step: usize, shortfall: Shortfall) -> Self {
        Self { step, reason: "a limit was met while it was replayed".to_owned(), shortfall: Some(shortfall) }
    }
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {}: {}", self.step + 1, self.reason)
    }
}

impl std::error::Error for ReplayError {}

/// Replays traces of a system by its reference evaluator.
#[derive(Debug)]
pub struct SystemReplay<'a> {
    system: &'a System,
    index: ControlIndex,
    pub(crate) layout: Layout,
    temporal: Option<&'a Temporal>,
    branching: Option<&'a Property>,
    control: Option<&'a RunControl>,
}

impl<'a> SystemReplay<'a> {
    /// A replayer for traces of `system`.
    pub fn new(system: &'a System) -> Result<Self, TooLarge> {
        let (index, layout) = (ControlIndex::new(system), Layout::new(system)?);
        Ok(Self { system, index, layout, temporal: None, branching: None, control: None })
    }
    /// A replayer that also knows which runs of `system` that go on for ever are bad.
    pub fn of_temporal(system: &'a System, temporal: &'a Temporal) -> Result<Self, TooLarge> {
        Ok(Self { temporal: Some(temporal), ..Self::new(system)? })
    }
    /// The same within the limits of `control`, which may have been asked to stop before.
    pub fn within(self, control: &'a RunControl) -> Self {
        Self { control: Some(control), ..self }
    }

    /// A replayer that also knows the property of branching time that runs of `system` show.
    pub fn of_branching(system: &'a System, branching: &'a Property) -> Result<Self, TooLarge> {
        Ok(Self { branching: Some(branching), ..Self::new(system)? })
    }

    /// The initial state with these words.
    pub(crate) fn initial_state(&self, words: &[u64]) -> Option<Arc<Valuation>> {
        let state = self.layout.try_unpack(words)?;
        self.evaluator().is_initial(&state).then(|| Arc::new(state))
    }
    pub(crate) fn packed(&self, state: &Valuation) -> Vec<u64> {
        self.layout.pack(state)
    }
    /// Follows steps, stutter steps among them, that end in no failure.
    pub(crate) fn follow_open(
        &self,
        from: Arc<Valuation>,
        steps: &[TraceStep],
        loop_start: Option<usize>,
    ) -> Result<OpenRun, ReplayError> {
        let mut limits = ReplayLimits::new(self.control);
        let mut open = OpenRun { states: vec![from.clone()], story: Story::new(from), observed: Observed::default() };
        for (number, step) in steps.iter().enumerate() {
            let short = |shortfall| ReplayError::short(number, shortfall);
            let on_loop = loop_start.is_some_and(|start| number >= start);
            let state = open.story.last().clone();
            open.observed.before(self, &state, on_loop, &mut limits).map_err(short)?;
            if step.via.is_empty() {
                self.ensure_repeats(&state, step, number, &mut limits)?;
                open.observed.stutter(self);
                open.story.end_step();
            } else {
                let Some(way) = self.follow(&state, step, None, true, &mut limits).map_err(short)? else {
                    return Err(ReplayError::wrong(number, CANNOT_HAPPEN));
                };
                open.observed.step(self, &way, on_loop);
                way.tell(&mut open.story);
            }
            open.states.push(open.story.last().clone());
        }
        Ok(open)
    }

    /// An error unless the run repeats `state` for ever in this step, because nothing can happen there.
    fn ensure_repeats(
        &self,
        state: &Valuation,
        step: &TraceStep,
        number: usize,
        limits: &mut ReplayLimits<'_>,
    ) -> Result<(), ReplayError> {
        let may_stutter = self.may_stutter(state, limits).map_err(|shortfall| ReplayError::short(number, shortfall))?;
        match step.target.as_ref() == Some(&self.layout.pack(state)) && may_stutter {
            true => Ok(()),
            false => Err(ReplayError::wrong(
                number,
                "the state does not repeat for ever: something can happen, or ended runs do not count",
            )),
        }
    }

    /// Follows steps, which end in no failure, from a state.
    pub fn follow_steps(&self, from: Arc<Valuation>, steps: &[TraceStep]) -> Result<Vec<StoryStep>, ReplayError> {
        let mut story = Story::new(from);
        let mut limits = ReplayLimits::new(self.control);
        for (number, step) in steps.iter().enumerate() {
            let followed = self.follow(story.last(), step, None, false, &mut limits);
            match followed.map_err(|shortfall| ReplayError::short(number, shortfall))? {
                Some(way) => way.tell(&mut story),
                None => return Err(ReplayError::wrong(number, CANNOT_HAPPEN)),
            }
        }
        Ok(story.in_full(self.system))
    }

    pub(crate) fn evaluator(&self) -> Evaluator<'_> {
        Evaluator::with_index(self.system, &self.index)
    }
    pub(crate) fn temporal(&self) -> Option<&'a Temporal> {
        self.temporal
    }
    pub(crate) fn system(&self) -> &'a System {
        self.system
    }

    /// Whether the run repeats `state` for ever because nothing can happen there.
    fn may_stutter(&self, state: &Valuation, limits: &mut ReplayLimits<'_>) -> Result<bool, Shortfall> {
        Ok(self.system.dead_ends == DeadEnds::Stutter && self.possible(state, limits)?.is_dead_end)
    }
}

/// A run that was followed and ends in no failure.
pub(crate) struct OpenRun {
    /// The states that are passed, both ends included.
    pub(crate) states: Vec<Arc<Valuation>>,
    /// What happens.
    pub(crate) story: Story,
    observed: Observed,
}

impl OpenRun {
    /// Makes sure that it goes on for ever, and fairly, from `loop_start` on, if one is given.
    pub(crate) fn close(&mut self, replay: &SystemReplay<'_>, loop_start: Option<usize>) -> Result<(), ReplayError> {
        let Some(start) = loop_start else { return Ok(()) };
        let last = self.story.step_count();
        if start >= last || self.states[start] != self.states[last] {
            return Err(ReplayError::wrong(last, "the loop does not close"));
        }
        let cycle = replay.fair_loop(start, &self.observed).map_err(|reason| ReplayError::wrong(last, reason))?;
        self.story.cycle = Some(cycle);
        Ok(())
    }
}

const UNKNOWN_FORMULA: &str = "nothing is known about the formula that the runs show";
const CANNOT_HAPPEN: &str = "this cannot happen here, or does not lead where the trace says";

impl Replay for SystemReplay<'_> {
    type Story = Story;

    fn replay_witnesses(&self, verdict: &Verdict, witnesses: &[Witness]) -> Result<Vec<WitnessStory>, ReplayError> {
        match (self.branching, verdict) {
            _ if witnesses.is_empty() => Ok(Vec::new()),
            (Some(Property::Branching(property)), Verdict::Holds | Verdict::Fails(_)) => {
                self.follow_witnesses(property, *verdict == Verdict::Holds, witnesses)
            }
            (Some(Property::Distance(distance)), Verdict::Computed(quantity)) => {
                self.follow_distance(distance, *quantity, witnesses)
            }
            _ => Err(ReplayError::wrong(0, UNKNOWN_FORMULA)),
        }
    }

    fn replay(&self, trace: &Trace, kind: FailureKind) -> Result<Story, ReplayError> {
        let wrong = |step: usize, reason: &str| Err(ReplayError::wrong(step, reason));
        let evaluator = self.evaluator();
        let Some(initial) = self.initial_state(&trace.initial) else {
            return wrong(0, "the run does not begin in an initial state");
        };
        if kind == FailureKind::Branching {
            let mut open = self.follow_open(initial, &trace.steps, trace.loop_start)?;
            open.close(self, trace.loop_start)?;
            return Ok(open.story);
        }
        match (kind, trace.loop_start) {
            (FailureKind::Cycle, None) => return wrong(trace.steps.len(), "the run does not go on for ever"),
            (FailureKind::Cycle, Some(start)) if start >= trace.steps.len() => {
                return wrong(trace.steps.len(), "there is nothing in the loop");
            }
            (FailureKind::Fault(_) | FailureKind::InvalidEnd | FailureKind::BadPrefix, Some(_)) => {
                return wrong(0, "a failure of this kind does not go on for ever");
            }
            _ => {}
        }
        let cyclic = matches!(kind, FailureKind::Cycle | FailureKind::BadPrefix);
        let mut limits = ReplayLimits::new(self.control);
        let mut story = Story::new(initial);
        let mut observed = Observed::default();
        for (number, step) in trace.steps.iter().enumerate() {
            let short = |shortfall| ReplayError::short(number, shortfall);
            let last = number + 1 == trace.steps.len();
            let fault = match kind {
                FailureKind::Fault(fault) if last => Some(fault),
                _ => None,
            };
            let on_loop = trace.loop_start.is_some_and(|start| number >= start);
            if cyclic {
                observed.before(self, story.last(), on_loop, &mut limits).map_err(short)?;
            }
            if step.via.is_empty() && cyclic {
                self.ensure_repeats(story.last(), step, number, &mut limits)?;
                if step.labels.as_ref().is_some_and(|labels| !labels.is_empty()) {
                    return wrong(number, "nothing happens, and that carries no label");
                }
                observed.stutter(self);
                story.end_step();
                continue;
            }
            let Some(way) = self.follow(story.last(), step, fault, cyclic, &mut limits).map_err(short)? else {
                return wrong(number, CANNOT_HAPPEN);
            };
            if cyclic {
                observed.step(self, &way, on_loop);
            }
            way.tell(&mut story);
        }
        let end = trace.steps.len();
        let state = story.last();
        match kind {
            FailureKind::InvalidEnd if !evaluator.firings(state, None).0.is_empty() => wrong(end, "the run can go on"),
            FailureKind::InvalidEnd if !evaluator.guard_faults(state, None).is_empty() => {
                wrong(end, "the run ends in a run-time error")
            }
            FailureKind::InvalidEnd if evaluator.is_proper_end(state) => wrong(end, "the run ends properly"),
            FailureKind::Fault(_) if trace.steps.is_empty() => wrong(end, "nothing happens"),
            FailureKind::Fault(_) | FailureKind::InvalidEnd | FailureKind::Branching => Ok(story),
            FailureKind::BadPrefix if self.decided_after(&story).is_none() => {
                wrong(end, "the run is not bad yet: it may go on so that the property holds")
            }
            FailureKind::BadPrefix => Ok(story),
            FailureKind::Cycle => {
                if observed.loop_state.as_ref() != Some(state) {
                    return wrong(end, "the loop does not close");
                }
                let cycle = self.judge(trace.loop_start.unwrap_or(end), observed);
                story.cycle = Some(cycle.map_err(|reason| ReplayError::wrong(end, reason))?);
                Ok(story)
            }
        }
    }
}
