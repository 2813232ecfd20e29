//! The search for a run that fits an account.

use super::Account;
use super::ending::{Claim, Ended, Place};
use crate::{Event, FailureKind, Loop, Replay, Story, StoryStep, SystemReplay, Temporal, Trace, TraceStep};
use lariat_space::Move;
use lariat_system::reference::{Evaluator, Valuation};
use lariat_system::{Fault, Layout, Position, System, TooLarge};
use std::collections::HashSet;
use std::sync::Arc;

/// So many places are looked at for each entry, and a number besides, before the search gives up.
const PLACES_PER_ENTRY: usize = 4;
const PLACES_BESIDES: usize = 50_000;
/// After the account was told to its end, so many further places are looked at for a better end.
const PATIENCE: usize = 500;
/// The states of another program may leave out what does not matter to it, so that what it takes for a cycle comes back to
/// the same state of ours only after a few rounds.
const MAX_ROUNDS: usize = 64;

/// A run that fits the account.
#[derive(Clone, PartialEq, Debug)]
pub struct Retold {
    /// What happens.
    pub story: Story,
    /// The run as engines report them; `None` if it ends in the middle of an atomic sequence, without a failure.
    pub trace: Option<Trace>,
    /// How it ends; if in a failure, then that has been replayed.
    pub ended: Ended,
}

/// No run fits the account.
#[derive(Clone, PartialEq, Debug)]
pub struct Lost {
    /// How many entries could be told; all of them if the end alone is at fault.
    pub entries: usize,
    /// What happens up to there.
    pub story: Story,
    /// Whether there is an initial state that fits; without one there is no story.
    pub began: bool,
    /// How the run ends there, if all entries could be told.
    pub ended: Option<Ended>,
    /// Why the run is not as claimed, if all entries could be told and the replay knows.
    pub objection: Option<String>,
    /// What can happen there.
    pub offers: Vec<Event>,
    /// The search met its bound: there may be a run that fits.
    pub gave_up: bool,
    /// An event that fits needs more room for processes than there is, and there may be more.
    pub pool_was_full: bool,
}

/// Looks for a run of `system` that fits the account and ends as claimed; of one that goes on for ever `temporal` says whether
/// it is bad, and without that it is enough that its loop closes. If the pool of processes may grow, then that it
/// is full is no failure.
pub fn retell(
    system: &System,
    temporal: Option<&Temporal>,
    account: &dyn Account,
    claim: &Claim,
    pool_may_grow: bool,
) -> Result<Result<Retold, Box<Lost>>, TooLarge> {
    let replay = match temporal {
        Some(temporal) => SystemReplay::of_temporal(system, temporal)?,
        None => SystemReplay::new(system)?,
    };
    let layout = Layout::new(system)?;
    let evaluator = Evaluator::new(system);
    let bound = PLACES_BESIDES + PLACES_PER_ENTRY * account.entry_count();
    let mut search = Search {
        evaluator,
        layout,
        replay,
        account,
        claim,
        pool_may_grow,
        pool_was_full: false,
        is_judged: temporal.is_some(),
        objection: None,
        bound,
        seen: HashSet::new(),
        fallback: None,
        deepest: None,
    };
    for initial in evaluator.initial() {
        if !account.may_begin(&initial) {
            continue;
        }
        if let Some(retold) = search.from(&Arc::new(initial)) {
            return Ok(Ok(retold));
        }
    }
    if let Some(fallback) = search.fallback.filter(|_| !search.pool_was_full) {
        return Ok(Ok(fallback));
    }
    let (pool_was_full, objection) = (search.pool_was_full, search.objection);
    let nowhere = || Lost {
        entries: 0,
        story: Story { initial: Arc::new(Valuation::blank(system)), steps: Vec::new(), cycle: None },
        began: false,
        ended: None,
        offers: Vec::new(),
        objection: None,
        gave_up: false,
        pool_was_full,
    };
    let lost = search.deepest.map(|lost| Lost { pool_was_full, objection, ..lost });
    Ok(Err(Box::new(lost.unwrap_or_else(nowhere))))
}

struct Search<'a> {
    evaluator: Evaluator<'a>,
    layout: Layout,
    replay: SystemReplay<'a>,
    account: &'a dyn Account,
    claim: &'a Claim,
    pool_may_grow: bool,
    pool_was_full: bool,
    /// Whether it is known which runs that go on for ever are bad.
    is_judged: bool,
    /// Why a run that fits is not as claimed.
    objection: Option<String>,
    /// How many places may be looked at.
    bound: usize,
    /// Places that were come to: entries told, state, holder.
    seen: HashSet<(usize, Box<[u64]>, Option<Position>)>,
    /// The first run that fits but whose end is none.
    fallback: Option<Retold>,
    deepest: Option<Lost>,
}

/// A place that the search has come to.
struct Level {
    state: Arc<Valuation>,
    /// Entries told so far; those of a loop are told again and again.
    told: usize,
    /// The process that holds control, if it can go on: then this is inside an atomic sequence.
    holder: Option<Position>,
    stands_still: bool,
    /// What remains to be tried, with the entries that tell of it; the likeliest last.
    rest: Vec<(Event, usize)>,
}

impl Search<'_> {
    fn from(&mut self, initial: &Arc<Valuation>) -> Option<Retold> {
        let mut events: Vec<Event> = Vec::new();
        let mut levels = vec![self.level(initial.clone(), None, 0)];
        if let Some(retold) = self.arrive(&levels, &events) {
            return Some(retold);
        }
        loop {
            let level = levels.last_mut()?;
            let next = level.rest.pop().filter(|_| self.bound > 0);
            let Some((event, entries)) = next else {
                self.note_depth(&levels, &events);
                levels.pop();
                events.pop();
                continue;
            };
            let told = level.told + entries;
            let (state, holder) = match &event.after {
                Some(after) => (after.clone(), self.evaluator.holder_after(&event.firing)),
                None => (event.before.clone(), level.holder),
            };
            let stops = event.after.is_none();
            let place = (told, self.layout.pack(&state).into_boxed_slice(), holder);
            if !stops && !self.seen.insert(place) {
                continue;
            }
            self.bound = self.bound.saturating_sub(1);
            events.push(event);
            let mut level = self.level(state, holder, told);
            if stops {
                level.rest.clear();
            }
            levels.push(level);
            let objected = self.objection.take();
            if let Some(retold) = self.arrive(&levels, &events) {
                return Some(retold);
            }
            if self.objection.is_some() {
                // The loop closes and is not bad, and no number of rounds makes it so.
                levels.last_mut()?.rest.clear();
            }
            self.objection = self.objection.take().or(objected);
        }
    }

    /// The place with everything that can happen there and fits.
    fn level(&mut self, state: Arc<Valuation>, holder: Option<Position>, told: usize) -> Level {
        let (firings, transient) = self.evaluator.firings(&state, holder);
        let holder = holder.filter(|_| transient);
        let stands_still = firings.is_empty();
        let count = self.account.entry_count();
        let entry = self.entry_of(told);
        let mut fitting: Vec<(super::Telling, Event)> = Vec::new();
        for firing in firings {
            let (faults, after) = self.evaluator.fire(&state, &firing);
            let event = Event { firing, before: state.clone(), after: after.map(Arc::new), faults };
            let Some(telling) = self.account.telling(entry, &event) else { continue };
            if self.pool_may_grow && event.faults.iter().any(|fault| matches!(fault, Fault::PoolFull(_))) {
                self.pool_was_full = true;
            } else if event.after.is_some() || told + telling.entries == count {
                // A run that stops has nothing more to tell.
                fitting.push((telling, event));
            }
        }
        if told + 1 == count {
            for (firing, fault) in self.evaluator.guard_faults(&state, holder) {
                let event = Event { firing, before: state.clone(), after: None, faults: vec![fault] };
                if let Some(telling) = self.account.telling(entry, &event).filter(|telling| telling.entries == 1) {
                    fitting.push((telling, event));
                }
            }
        }
        // Stable: what the evaluator lists first is tried first.
        fitting.sort_by_key(|(telling, _)| telling.doubt);
        let rest = fitting.into_iter().rev().map(|(telling, event)| (event, telling.entries)).collect();
        Level { state, told, holder, stands_still, rest }
    }

    /// The entry that comes next when so many have been told.
    fn entry_of(&self, told: usize) -> usize {
        let count = self.account.entry_count();
        match self.account.loop_start() {
            Some(start) if told >= count && start < count => start + (told - start) % (count - start),
            _ => told,
        }
    }

    /// Looks whether the account is told to its end; the run, if it ends as claimed.
    fn arrive(&mut self, levels: &[Level], events: &[Event]) -> Option<Retold> {
        let (count, level) = (self.account.entry_count(), levels.last()?);
        if level.told < count {
            return None;
        }
        if let Some(start) = self.account.loop_start() {
            return self.close(levels, events, start);
        }
        let place =
            Place { last: events.last(), state: &level.state, holder: level.holder, stands_still: level.stands_still };
        let system = self.evaluator.system;
        for (ended, shown_by) in place.ends(&self.evaluator) {
            let claimed = match (self.claim, ended) {
                (Claim::Silent, _) => true,
                (Claim::NoFailure, Ended::Open | Ended::Properly) | (Claim::ProperEnd, Ended::Properly) => true,
                (Claim::Failure(word), Ended::Failure(kind)) => kind.word(system) == word,
                _ => false,
            };
            if !claimed {
                continue;
            }
            let mut events = events.to_vec();
            events.extend(shown_by);
            match ended {
                Ended::Failure(kind) => {
                    let trace = self.trace(levels, &events, Some(kind));
                    // A sequence that goes on need not go on for ever, and an error of a guard may belong to a process
                    // that has no turn: then this is no failure.
                    if let Ok(story) = self.replay.replay(&trace, kind) {
                        return Some(Retold { story, trace: Some(trace), ended });
                    }
                }
                Ended::Open | Ended::Properly | Ended::Cycle => {
                    let trace = level.holder.is_none().then(|| self.trace(levels, &events, None));
                    let retold = Retold { story: story(levels, &events), trace, ended };
                    if *self.claim != Claim::Silent {
                        return Some(retold);
                    }
                    if self.fallback.is_none() {
                        self.fallback = Some(retold);
                        self.bound = self.bound.min(PATIENCE);
                    }
                }
            }
        }
        if *self.claim == Claim::Silent && self.fallback.is_none() {
            let retold = Retold { story: story(levels, events), trace: None, ended: Ended::Open };
            self.fallback = Some(retold);
            self.bound = self.bound.min(PATIENCE);
        }
        None
    }

    /// Looks whether a round of the loop led back to where a round began.
    fn close(&mut self, levels: &[Level], events: &[Event], start: usize) -> Option<Retold> {
        let (count, level) = (self.account.entry_count(), levels.last()?);
        let may_cycle = match self.claim {
            Claim::Silent => true,
            Claim::Failure(word) => word == FailureKind::Cycle.word(self.evaluator.system),
            Claim::NoFailure | Claim::ProperEnd => false,
        };
        if level.holder.is_some() || !may_cycle {
            return None;
        }
        if start == count {
            // Nothing happens, for ever.
            let mut trace = self.trace(levels, events, None);
            let mut story = story(levels, events);
            trace.loop_start = Some(trace.steps.len());
            let target = Some(self.layout.pack(&level.state));
            trace.steps.push(TraceStep { via: Vec::new(), labels: None, target });
            story.steps.push(StoryStep { events: Vec::new() });
            return self.judged(trace, story, level.stands_still);
        }
        let round = count - start;
        if !(level.told - start).is_multiple_of(round) {
            return None;
        }
        let begins = |earlier: &&(usize, &Level)| {
            let told = earlier.1.told;
            told >= start && told < level.told && (told - start).is_multiple_of(round) && earlier.1.holder.is_none()
        };
        let same = |earlier: &&(usize, &Level)| earlier.1.state == level.state;
        let earlier = levels.iter().enumerate().collect::<Vec<_>>();
        let Some(&(number, _)) = earlier.iter().filter(begins).find(same) else {
            if level.told >= start + round * MAX_ROUNDS {
                self.bound = 0;
            }
            return None;
        };
        let mut trace = self.trace(levels, events, None);
        trace.loop_start = Some(levels[..number].iter().filter(|level| level.holder.is_none()).count());
        self.judged(trace, story(levels, events), true)
    }

    /// The run that goes on for ever, if it is as bad as claimed. Where nobody says which runs are bad it is enough that
    /// it goes on for ever.
    fn judged(&mut self, trace: Trace, mut story: Story, closes: bool) -> Option<Retold> {
        if self.is_judged {
            match self.replay.replay(&trace, FailureKind::Cycle) {
                Ok(story) => {
                    let ended = Ended::Failure(FailureKind::Cycle);
                    return Some(Retold { story, trace: Some(trace), ended });
                }
                Err(error) => {
                    self.objection = Some(error.reason);
                    return None;
                }
            }
        }
        let start = trace.loop_start?;
        story.cycle = Some(Loop { start, fairness: Vec::new(), unfair: Vec::new() });
        closes.then_some(Retold { story, trace: Some(trace), ended: Ended::Cycle })
    }

    /// The run as engines report it; `levels` are the places before the events, and after the last.
    fn trace(&self, levels: &[Level], events: &[Event], kind: Option<FailureKind>) -> Trace {
        let initial = self.layout.pack(&levels[0].state);
        let mut trace = Trace { initial, steps: Vec::new(), loop_start: None, decided: None };
        for (number, event) in events.iter().enumerate() {
            let taken = Move::from(&event.firing);
            match trace.steps.last_mut().filter(|_| levels[number].holder.is_some()) {
                Some(step) => step.via.push(taken),
                None => trace.steps.push(TraceStep { via: vec![taken], labels: None, target: None }),
            }
            if let Some(step) = trace.steps.last_mut()
                && let Some(level) = levels.get(number + 1).filter(|level| level.holder.is_none())
            {
                step.target = event.after.as_ref().map(|_| self.layout.pack(&level.state));
            }
        }
        if let (Some(FailureKind::Fault(_)), Some(last)) = (kind, trace.steps.last_mut()) {
            last.target = None;
        }
        trace
    }

    /// Keeps the place if no deeper one was come to.
    fn note_depth(&mut self, levels: &[Level], events: &[Event]) {
        let Some(level) = levels.last() else { return };
        let entries = level.told.min(self.account.entry_count());
        let gave_up = self.bound == 0;
        if let Some(deepest) = &mut self.deepest {
            deepest.gave_up |= gave_up;
            if deepest.entries >= entries {
                return;
            }
        }
        let (firings, _) = self.evaluator.firings(&level.state, level.holder);
        let offers = firings.into_iter().filter(|_| events.last().is_none_or(|event| event.after.is_some()));
        let offers = offers.map(|firing| {
            let (faults, after) = self.evaluator.fire(&level.state, &firing);
            Event { firing, before: level.state.clone(), after: after.map(Arc::new), faults }
        });
        let place =
            Place { last: events.last(), state: &level.state, holder: level.holder, stands_still: level.stands_still };
        let told_all = entries == self.account.entry_count() && self.account.loop_start().is_none();
        let ended = told_all.then(|| place.ends(&self.evaluator).first().map_or(Ended::Open, |&(ended, _)| ended));
        let (story, offers) = (story(levels, events), offers.collect());
        self.deepest =
            Some(Lost { entries, story, began: true, ended, objection: None, offers, gave_up, pool_was_full: false });
    }
}

/// The events by steps; `levels` are the places before them.
fn story(levels: &[Level], events: &[Event]) -> Story {
    let mut steps: Vec<StoryStep> = Vec::new();
    for (event, level) in events.iter().zip(levels) {
        match steps.last_mut().filter(|_| level.holder.is_some()) {
            Some(step) => step.events.push(event.clone()),
            None => steps.push(StoryStep { events: vec![event.clone()] }),
        }
    }
    Story { initial: levels[0].state.clone(), steps, cycle: None }
}
