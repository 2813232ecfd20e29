//! Independent re-runs of traces.
//!
//! A trace names the actions and participants of each step, and the packed states between them. [`SystemReplay`] follows
//! it with the reference evaluator alone: each action must be one that can happen at that point, the state reached must
//! be the one claimed, and the failure must be there at the end. What it saw on the way is the [`Story`] that is shown to
//! people: nothing that did not replay is shown.

use crate::{Branching, FailureKind, Loop, Temporal, Trace, TraceStep, Witness, WitnessStory};
use lariat_space::Move;
use lariat_system::reference::{Evaluator, Firing, Outcome, PathMarks, Valuation};
use lariat_system::{DeadEnds, Fault, LabelId, Layout, Position, System, TooLarge};
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

/// Re-runs traces with code that shares nothing with the engine that found them.
pub trait Replay {
    /// What is seen on the way.
    type Story;
    /// Follows `trace` and makes sure that it ends in `kind`.
    fn replay(&self, trace: &Trace, kind: FailureKind) -> Result<Self::Story, ReplayError>;
    /// Follows runs that show that a formula of branching time holds, or does not hold, in an initial state.
    fn replay_witnesses(&self, holds: bool, witnesses: &[Witness]) -> Result<Vec<WitnessStory>, ReplayError> {
        let _ = holds;
        if witnesses.is_empty() {
            return Ok(Vec::new());
        }
        Err(ReplayError { step: 0, reason: "nothing is known about the formula that the runs show".to_owned() })
    }
}

/// A trace does not replay. If one of our engines made it, that is our bug.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReplayError {
    /// The number of the step, from 0; the number of steps if the end is at fault.
    pub step: usize,
    /// What is wrong.
    pub reason: String,
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {}: {}", self.step + 1, self.reason)
    }
}

impl std::error::Error for ReplayError {}

/// A run in full detail.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Story {
    /// The initial state.
    pub initial: Arc<Valuation>,
    /// The steps.
    pub steps: Vec<StoryStep>,
    /// Of a run that goes on for ever, its loop.
    pub cycle: Option<Loop>,
}

/// One step of a run in full detail.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoryStep {
    /// What happened, action by action; nothing for a stutter step.
    pub events: Vec<Event>,
}

/// One action of a run. What is the state after one action and before the next is kept once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// The action with its participants and choices.
    pub firing: Firing,
    /// The state before.
    pub before: Arc<Valuation>,
    /// The state after; `None` if the action stopped, or was not taken because its guard failed.
    pub after: Option<Arc<Valuation>>,
    /// What went wrong.
    pub faults: Vec<Fault>,
}

/// Replays traces of a system by its reference evaluator.
#[derive(Debug)]
pub struct SystemReplay<'a> {
    evaluator: Evaluator<'a>,
    layout: Layout,
    temporal: Option<&'a Temporal>,
    branching: Option<&'a Branching>,
}

impl<'a> SystemReplay<'a> {
    /// A replayer for traces of `system`.
    pub fn new(system: &'a System) -> Result<Self, TooLarge> {
        Ok(Self { evaluator: Evaluator::new(system), layout: Layout::new(system)?, temporal: None, branching: None })
    }
    /// A replayer that also knows which runs of `system` that go on for ever are bad.
    pub fn of_temporal(system: &'a System, temporal: &'a Temporal) -> Result<Self, TooLarge> {
        Ok(Self { temporal: Some(temporal), ..Self::new(system)? })
    }

    /// A replayer that also knows the formula of branching time that runs of `system` show.
    pub fn of_branching(system: &'a System, branching: &'a Branching) -> Result<Self, TooLarge> {
        Ok(Self { branching: Some(branching), ..Self::new(system)? })
    }

    /// The initial state with these words.
    pub(crate) fn initial_state(&self, words: &[u64]) -> Option<Arc<Valuation>> {
        self.evaluator.initial().into_iter().find(|state| self.layout.pack(state) == words).map(Arc::new)
    }
    pub(crate) fn packed(&self, state: &Valuation) -> Vec<u64> {
        self.layout.pack(state)
    }
    /// Follows steps, stutter steps among them, that end in no failure: the states that are passed, both ends included, and
    /// what happens.
    pub(crate) fn follow_open(
        &self,
        from: Arc<Valuation>,
        steps: &[TraceStep],
    ) -> Result<(Vec<Arc<Valuation>>, Vec<StoryStep>), ReplayError> {
        let (mut states, mut told) = (vec![from], Vec::new());
        for (number, step) in steps.iter().enumerate() {
            let state = &states[number];
            let wrong = |reason: &str| ReplayError { step: number, reason: reason.to_owned() };
            if step.via.is_empty() {
                if step.target.as_ref() != Some(&self.layout.pack(state)) || !self.may_stutter(state) {
                    return Err(wrong(
                        "the state does not repeat for ever: something can happen, or ended runs do not count",
                    ));
                }
                told.push(StoryStep { events: Vec::new() });
                states.push(state.clone());
                continue;
            }
            let Some(events) = self.follow(state, step, None) else {
                return Err(wrong("this cannot happen here, or does not lead where the trace says"));
            };
            let after = events.last().and_then(|event| event.after.clone());
            states.push(after.ok_or_else(|| wrong("it leads nowhere"))?);
            told.push(StoryStep { events });
        }
        Ok((states, told))
    }

    /// Follows steps, which end in no failure, from a state.
    pub fn follow_steps(&self, from: Arc<Valuation>, steps: &[TraceStep]) -> Result<Vec<StoryStep>, ReplayError> {
        let mut state = from;
        let mut told = Vec::new();
        for (number, step) in steps.iter().enumerate() {
            let Some(events) = self.follow(&state, step, None) else {
                let reason = "this cannot happen here, or does not lead where the trace says".to_owned();
                return Err(ReplayError { step: number, reason });
            };
            if let Some(after) = events.last().and_then(|event| event.after.as_ref()) {
                state = after.clone();
            }
            told.push(StoryStep { events });
        }
        Ok(told)
    }

    /// Follows the actions of one step; `fault` is the run-time error it must end in, if any. Choices are not part of a
    /// trace, so every valuation of them that fits is tried.
    fn follow(&self, state: &Arc<Valuation>, step: &TraceStep, fault: Option<Fault>) -> Option<Vec<Event>> {
        // Depth-first over the choices, with a stack of our own: a path may be as long as an atomic sequence. How it can
        // go on depends on how many actions were taken and on the state alone: the holder is given by the last move.
        // There may be as many of these as the search had transient states, so they are packed as it packs them.
        // Where labels are told, it depends on those so far as well.
        let mut failed: HashSet<(usize, Box<[u64]>, Vec<LabelId>)> = HashSet::new();
        let packed = |state: &Valuation| self.layout.pack(state).into_boxed_slice();
        let labels = |events: &[Event]| match &step.labels {
            Some(_) => self.marks(events).labels.into_iter().collect(),
            None => Vec::new(),
        };
        let mut alternatives = vec![self.matching(state, None, &step.via, 0, fault)];
        let mut events: Vec<Event> = Vec::new();
        while let Some(level) = alternatives.last_mut() {
            let Some(event) = level.pop() else {
                alternatives.pop();
                let so_far = labels(&events);
                if let Some(after) = events.pop().and_then(|event| event.after) {
                    failed.insert((alternatives.len(), packed(&after), so_far));
                }
                continue;
            };
            events.push(event);
            let event = events.last().expect("just pushed");
            if events.len() == step.via.len() {
                let fits = match (fault, &step.target, &event.after) {
                    (Some(fault @ Fault::EndlessAtomic(action)), None, _) => {
                        let endless = action == event.firing.action && self.is_endless(&events);
                        let event = events.last_mut().expect("just pushed");
                        event.faults.extend(endless.then_some(fault));
                        endless
                    }
                    (Some(fault), None, _) => event.faults.contains(&fault),
                    (None, Some(target), Some(after)) => {
                        &self.layout.pack(after) == target && !self.is_transient(after, &event.firing)
                    }
                    _ => false,
                };
                if fits && step.labels.as_ref().is_none_or(|claimed| *claimed == labels(&events)) {
                    return Some(events);
                }
                events.pop();
            } else if let Some(after) = &event.after
                && let Some(holder) = self.evaluator.holder_after(&event.firing)
                && !failed.contains(&(events.len(), packed(after), labels(&events)))
            {
                let next = self.matching(after, Some(holder), &step.via, events.len(), fault);
                alternatives.push(next);
            } else {
                events.pop();
            }
        }
        None
    }

    /// The firings that can happen in `state` and are the move number `number` of the path, last first.
    fn matching(
        &self,
        state: &Arc<Valuation>,
        holder: Option<Position>,
        via: &[Move],
        number: usize,
        fault: Option<Fault>,
    ) -> Vec<Event> {
        let Some(wanted) = via.get(number) else { return Vec::new() };
        let (firings, transient) = self.evaluator.firings(state, holder);
        if holder.is_some() && !transient {
            return Vec::new();
        }
        let mut events: Vec<Event> = firings
            .into_iter()
            .filter(|firing| Move::from(firing) == *wanted)
            .map(|firing| {
                let (faults, after) = self.evaluator.fire(state, &firing);
                Event { firing, before: state.clone(), after: after.map(Arc::new), faults }
            })
            .collect();
        if number + 1 == via.len()
            && let Some(fault) = fault
        {
            let guards = self.evaluator.guard_faults(state, holder);
            events.extend(
                guards
                    .into_iter()
                    .filter(|(firing, found)| Move::from(firing) == *wanted && *found == fault)
                    .map(|(firing, fault)| Event { firing, before: state.clone(), after: None, faults: vec![fault] }),
            );
        }
        events.reverse();
        events
    }

    /// What can be observed of a step.
    pub(crate) fn marks(&self, events: &[Event]) -> PathMarks {
        events
            .iter()
            .fold(PathMarks::default(), |marks, event| self.evaluator.marks_with(&marks, &event.before, &event.firing))
    }

    pub(crate) fn evaluator(&self) -> &Evaluator<'a> {
        &self.evaluator
    }
    pub(crate) fn temporal(&self) -> Option<&'a Temporal> {
        self.temporal
    }

    /// Whether the run repeats `state` for ever because nothing can happen there.
    fn may_stutter(&self, state: &Valuation) -> bool {
        let is_step = |outcome: &Outcome| matches!(outcome, Outcome::State(_));
        self.evaluator.system.dead_ends == DeadEnds::Stutter
            && !self.evaluator.steps(state).iter().any(|step| is_step(&step.outcome))
    }

    fn is_transient(&self, state: &Valuation, last: &Firing) -> bool {
        self.evaluator.holder_after(last).is_some_and(|holder| self.evaluator.firings(state, Some(holder)).1)
    }

    /// Whether the atomic sequence that goes on after the last event comes back to the state after it.
    ///
    /// In a trace of ours it has just done so. Where other values of the choices led here it may be about to: then
    /// everything that the holder can still reach is looked at.
    fn is_endless(&self, events: &[Event]) -> bool {
        let Some((last, earlier)) = events.split_last() else { return false };
        let Some(goal) = last.after.as_deref().cloned().zip(self.evaluator.holder_after(&last.firing)) else {
            return false;
        };
        let is_goal = |event: &Event| {
            event.after.as_deref() == Some(&goal.0) && self.evaluator.holder_after(&event.firing) == Some(goal.1)
        };
        if earlier.iter().any(is_goal) {
            return true;
        }
        let mut seen = HashSet::new();
        let mut waiting = vec![goal.clone()];
        while let Some((state, holder)) = waiting.pop() {
            let (firings, transient) = self.evaluator.firings(&state, Some(holder));
            for firing in firings.iter().filter(|_| transient) {
                let next = self.evaluator.fire(&state, firing).1.zip(self.evaluator.holder_after(firing));
                match next {
                    Some(next) if next == goal => return true,
                    Some(next) if seen.insert(next.clone()) => waiting.push(next),
                    _ => {}
                }
            }
        }
        false
    }
}

impl Replay for SystemReplay<'_> {
    type Story = Story;

    fn replay_witnesses(&self, holds: bool, witnesses: &[Witness]) -> Result<Vec<WitnessStory>, ReplayError> {
        let Some(property) = self.branching else {
            let reason = "nothing is known about the formula that the runs show".to_owned();
            return if witnesses.is_empty() { Ok(Vec::new()) } else { Err(ReplayError { step: 0, reason }) };
        };
        self.follow_witnesses(property, holds, witnesses)
    }

    fn replay(&self, trace: &Trace, kind: FailureKind) -> Result<Story, ReplayError> {
        let wrong = |step: usize, reason: &str| Err(ReplayError { step, reason: reason.to_owned() });
        let Some(initial) = self.initial_state(&trace.initial) else {
            return wrong(0, "the run does not begin in an initial state");
        };
        if kind == FailureKind::Branching {
            let (states, steps) = self.follow_open(initial.clone(), &trace.steps)?;
            let cycle = match trace.loop_start {
                Some(start) if start < steps.len() && states[start] == states[steps.len()] => {
                    let attended = self.attend(start, &states, &steps);
                    Some(attended.map_err(|reason| ReplayError { step: steps.len(), reason })?)
                }
                Some(_) => return wrong(steps.len(), "the loop does not close"),
                None => None,
            };
            return Ok(Story { initial, steps, cycle });
        }
        match (kind, trace.loop_start) {
            (FailureKind::Cycle, None) => return wrong(trace.steps.len(), "the run does not go on for ever"),
            (FailureKind::Cycle, Some(start)) if start >= trace.steps.len() => {
                return wrong(trace.steps.len(), "there is nothing in the loop");
            }
            (FailureKind::Fault(_) | FailureKind::InvalidEnd, Some(_)) => {
                return wrong(0, "a failure of this kind does not go on for ever");
            }
            _ => {}
        }
        let mut state = initial.clone();
        let (mut steps, mut states) = (Vec::new(), Vec::new());
        for (number, step) in trace.steps.iter().enumerate() {
            let last = number + 1 == trace.steps.len();
            let fault = match kind {
                FailureKind::Fault(fault) if last => Some(fault),
                FailureKind::Fault(_) | FailureKind::InvalidEnd | FailureKind::Cycle | FailureKind::Branching => None,
            };
            states.push(state.clone());
            if step.via.is_empty() && kind == FailureKind::Cycle {
                if step.target.as_ref() != Some(&self.layout.pack(&state)) || !self.may_stutter(&state) {
                    return wrong(
                        number,
                        "the state does not repeat for ever: something can happen, or ended runs do not count",
                    );
                }
                if step.labels.as_ref().is_some_and(|labels| !labels.is_empty()) {
                    return wrong(number, "nothing happens, and that carries no label");
                }
                steps.push(StoryStep { events: Vec::new() });
                continue;
            }
            let Some(events) = self.follow(&state, step, fault) else {
                return wrong(number, "this cannot happen here, or does not lead where the trace says");
            };
            if let Some(after) = events.last().and_then(|event| event.after.as_ref()) {
                state = after.clone();
            }
            steps.push(StoryStep { events });
        }
        let end = trace.steps.len();
        match kind {
            FailureKind::InvalidEnd if !self.evaluator.firings(&state, None).0.is_empty() => {
                wrong(end, "the run can go on")
            }
            FailureKind::InvalidEnd if !self.evaluator.guard_faults(&state, None).is_empty() => {
                wrong(end, "the run ends in a run-time error")
            }
            FailureKind::InvalidEnd if self.evaluator.is_proper_end(&state) => wrong(end, "the run ends properly"),
            FailureKind::Fault(_) if trace.steps.is_empty() => wrong(end, "nothing happens"),
            FailureKind::Fault(_) | FailureKind::InvalidEnd | FailureKind::Branching => {
                Ok(Story { initial, steps, cycle: None })
            }
            FailureKind::Cycle => {
                let start = trace.loop_start.unwrap_or(end);
                if state != states[start] {
                    return wrong(end, "the loop does not close");
                }
                let cycle = self.judge(start, &states, &steps).map_err(|reason| ReplayError { step: end, reason })?;
                Ok(Story { initial, steps, cycle: Some(cycle) })
            }
        }
    }
}
