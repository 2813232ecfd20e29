//! The search for a run that fits an account.

use super::Account;
use super::ending::{Claim, Ended, Place};
use super::path::{Path, Taken};
use crate::pace::Pace;
use crate::{
    EngineError, Event, FailureKind, Loop, Replay, ReplayError, RunControl, RunError, Shortfall, Story, SystemReplay,
    Temporal, Trace, TraceStep,
};
use lariat_system::reference::Valuation;
use lariat_system::{Fault, Position, System};
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
    /// The search met its bound, or a limit: there may be a run that fits.
    pub gave_up: bool,
    /// The limit that was met.
    pub shortfall: Option<Shortfall>,
}

/// Looks for a run of `system` that fits the account and ends as claimed; of one that goes on for ever `temporal` says whether
/// it is bad, and without that it is enough that its loop closes. If the pool of processes may grow, then that it
/// is full is an error and no failure. The search keeps to the limits of `control`.
pub fn retell(
    system: &System,
    temporal: Option<&Temporal>,
    account: &dyn Account,
    claim: &Claim,
    pool_may_grow: bool,
    control: &RunControl,
) -> Result<Result<Retold, Box<Lost>>, RunError> {
    let replay = match temporal {
        Some(temporal) => SystemReplay::of_temporal(system, temporal),
        None => SystemReplay::new(system),
    };
    let replay = replay.map_err(|error| EngineError { reason: error.to_string() })?.within(control);
    let initials: Vec<Valuation> =
        replay.evaluator().initial().into_iter().filter(|initial| account.may_begin(initial)).collect();
    let mut search = Search {
        replay: &replay,
        account,
        claim,
        pool_may_grow,
        pool_was_full: false,
        is_judged: temporal.is_some(),
        objection: None,
        bound: PLACES_BESIDES + PLACES_PER_ENTRY * account.entry_count(),
        pace: Pace::new(Some(control)),
        shortfall: None,
        open_count: initials.len(),
        seen: HashSet::new(),
        fallback: None,
        deepest: None,
    };
    for initial in initials {
        search.open_count -= 1;
        if let Some(retold) = search.from(&Arc::new(initial)) {
            return Ok(Ok(retold));
        }
    }
    let gave_up = search.bound == 0;
    let Search { pool_was_full, objection, shortfall, fallback, deepest, .. } = search;
    if pool_was_full && shortfall.is_none() {
        return Err(RunError::PoolTooSmall);
    }
    if let Some(fallback) = fallback.filter(|_| shortfall.is_none()) {
        return Ok(Ok(fallback));
    }
    let nowhere = || Lost {
        entries: 0,
        story: Story::new(Arc::new(Valuation::blank(system))),
        began: false,
        ended: None,
        offers: Vec::new(),
        objection: None,
        gave_up,
        shortfall,
    };
    let lost = deepest.map(|lost| Lost { objection, gave_up, shortfall, ..lost });
    Ok(Err(Box::new(lost.unwrap_or_else(nowhere))))
}

struct Search<'a> {
    replay: &'a SystemReplay<'a>,
    account: &'a dyn Account,
    claim: &'a Claim,
    pool_may_grow: bool,
    /// A process could not start for want of room, and there may be more room.
    pool_was_full: bool,
    /// Whether it is known which runs that go on for ever are bad.
    is_judged: bool,
    /// Why a run that fits is not as claimed.
    objection: Option<String>,
    /// How many places may be looked at.
    bound: usize,
    pace: Pace<'a>,
    shortfall: Option<Shortfall>,
    /// How many places there are, initial states among them, with another way to go on. Where there is none, nothing
    /// will be tried a second time.
    open_count: usize,
    /// Places that were come to, as far as one may come to them again: entries told, state, holder.
    seen: HashSet<(usize, Box<[u64]>, Option<Position>)>,
    /// The first run that fits but whose end is none.
    fallback: Option<Retold>,
    deepest: Option<Lost>,
}

/// The place that the search has come to, with everything that can happen there.
struct Here {
    state: Arc<Valuation>,
    /// The process that holds control, if it can go on: then this is inside an atomic sequence.
    holder: Option<Position>,
    stands_still: bool,
}

/// A place on the way.
struct Level {
    /// Entries told so far; those of a loop are told again and again.
    told: usize,
    /// What remains to be tried, with the entries that tell of it; the likeliest last.
    rest: Vec<(Taken, usize)>,
    /// The state, if something remains.
    words: Box<[u64]>,
    holder: Option<Position>,
}

impl Search<'_> {
    /// Looks for a run from this initial state.
    fn from(&mut self, initial: &Arc<Valuation>) -> Option<Retold> {
        let mut path = Path::new(initial.clone(), &self.replay.layout, self.account.loop_start());
        let found = self.find(initial, &mut path);
        if let (Some(deepest), Some(story)) = (&mut self.deepest, path.marked()) {
            deepest.story = story;
        }
        found
    }

    fn find(&mut self, initial: &Arc<Valuation>, path: &mut Path<'_>) -> Option<Retold> {
        let mut levels: Vec<Level> = Vec::new();
        let mut arriving = Some((initial.clone(), None, 0, false));
        loop {
            if let Some((state, holder, told, stops)) = arriving.take() {
                let (here, first, mut level) = self.look(state, holder, told);
                path.arrive(here.holder, told, &here.state);
                let objected = self.objection.take();
                if let Some(retold) = self.arrive(path, told, &here) {
                    return Some(retold);
                }
                // Where the run stops, or where the loop closes and is not bad, nothing more is to be tried.
                let is_end = stops || self.objection.is_some();
                self.objection = self.objection.take().or(objected);
                if is_end {
                    level.rest.clear();
                }
                let first = first.filter(|_| !is_end && self.bound > 0);
                if first.is_none() {
                    self.note_depth(path, told, &here);
                }
                self.open_count += usize::from(!level.rest.is_empty());
                levels.push(level);
                if let Some((event, entries)) = first {
                    arriving = self.go(path, event, told + entries, here.holder);
                }
                continue;
            }
            let level = levels.last_mut()?;
            let Some((taken, entries)) = level.rest.pop().filter(|_| self.bound > 0) else {
                self.open_count -= usize::from(!level.rest.is_empty());
                levels.pop();
                path.back();
                continue;
            };
            self.open_count -= usize::from(level.rest.is_empty());
            let state = Arc::new(self.replay.layout.unpack(&level.words));
            let (told, holder) = (level.told + entries, level.holder);
            let event = taken.event(&self.replay.evaluator(), state);
            arriving = self.go(path, event, told, holder);
        }
    }

    /// Takes the event, after which so many entries are told. What is to be looked at then: state, holder, entries told, and
    /// whether the run stops there.
    fn go(
        &mut self,
        path: &mut Path<'_>,
        event: Event,
        told: usize,
        holder: Option<Position>,
    ) -> Option<(Arc<Valuation>, Option<Position>, usize, bool)> {
        let stops = event.after.is_none();
        let (state, holder) = match &event.after {
            Some(after) => (after.clone(), self.replay.evaluator().holder_after(&event.firing)),
            None => (event.before.clone(), holder),
        };
        let mut bytes = Path::BYTES_OF_EVENT + size_of::<Level>() as u64;
        // Without an entry told the run may go in a circle.
        let may_return = self.open_count > 0 || told == path.told();
        if !stops && may_return {
            let place = (told, self.replay.layout.pack(&state).into_boxed_slice(), holder);
            bytes += 96 + 8 * place.1.len() as u64;
            if !self.seen.insert(place) {
                return None;
            }
        }
        self.bound = self.bound.saturating_sub(1);
        if let Err(shortfall) = self.pace.tick(bytes) {
            self.give_up(shortfall);
        }
        path.take(self.replay.system(), event);
        Some((state, holder, told, stops))
    }

    fn give_up(&mut self, shortfall: Shortfall) {
        self.shortfall = Some(shortfall);
        self.bound = 0;
    }

    /// The place with everything that can happen there and fits: what is to be tried first, and what then.
    fn look(
        &mut self,
        state: Arc<Valuation>,
        holder: Option<Position>,
        told: usize,
    ) -> (Here, Option<(Event, usize)>, Level) {
        let evaluator = self.replay.evaluator();
        let (firings, transient) = evaluator.firings(&state, holder);
        let holder = holder.filter(|_| transient);
        let stands_still = firings.is_empty();
        let count = self.account.entry_count();
        let entry = self.entry_of(told);
        let mut fitting: Vec<(super::Telling, Event)> = Vec::new();
        for firing in firings {
            let (faults, after) = evaluator.fire(&state, &firing);
            let event = Event { firing, before: state.clone(), after: after.map(Arc::new), faults };
            // It does not fit what is told of a process that starts, but might with more room.
            if self.pool_may_grow && event.faults.iter().any(|fault| matches!(fault, Fault::PoolFull(_))) {
                self.pool_was_full = true;
                continue;
            }
            let Some(telling) = self.account.telling(entry, &event) else { continue };
            if event.after.is_some() || told + telling.entries == count {
                // A run that stops has nothing more to tell.
                fitting.push((telling, event));
            }
        }
        if told + 1 == count {
            for (firing, fault) in evaluator.guard_faults(&state, holder) {
                let event = Event { firing, before: state.clone(), after: None, faults: vec![fault] };
                if let Some(telling) = self.account.telling(entry, &event).filter(|telling| telling.entries == 1) {
                    fitting.push((telling, event));
                }
            }
        }
        // Stable: what the evaluator lists first is tried first.
        fitting.sort_by_key(|(telling, _)| telling.doubt);
        let mut fitting = fitting.into_iter();
        let first = fitting.next().map(|(telling, event)| (event, telling.entries));
        let system = self.replay.system();
        let mut rest: Vec<(Taken, usize)> =
            fitting.map(|(telling, event)| (Taken::new(system, &event), telling.entries)).collect();
        rest.reverse();
        let words = if rest.is_empty() { Box::default() } else { self.replay.layout.pack(&state).into_boxed_slice() };
        (Here { state, holder, stands_still }, first, Level { told, rest, words, holder })
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
    fn arrive(&mut self, path: &Path<'_>, told: usize, here: &Here) -> Option<Retold> {
        if told < self.account.entry_count() {
            return None;
        }
        if let Some(start) = self.account.loop_start() {
            return self.close(path, told, here, start);
        }
        let (evaluator, system) = (self.replay.evaluator(), self.replay.system());
        let last = path.last_event();
        let place = Place { last, state: &here.state, holder: here.holder, stands_still: here.stands_still };
        for (ended, shown_by) in place.ends(&evaluator) {
            let claimed = match (self.claim, ended) {
                (Claim::Silent, _) => true,
                (Claim::NoFailure, Ended::Open | Ended::Properly) | (Claim::ProperEnd, Ended::Properly) => true,
                (Claim::Failure(word), Ended::Failure(kind)) => kind.word(system) == word,
                _ => false,
            };
            if !claimed {
                continue;
            }
            match ended {
                Ended::Failure(kind) => {
                    let trace = path.trace(&evaluator, shown_by.as_ref(), Some(kind));
                    // A sequence that goes on need not go on for ever, and an error of a guard may belong to a process
                    // that has no turn: then this is no failure.
                    match self.replay.replay(&trace, kind) {
                        Ok(story) => return Some(Retold { story, trace: Some(trace), ended }),
                        Err(ReplayError { shortfall: Some(shortfall), .. }) => self.give_up(shortfall),
                        Err(_) => {}
                    }
                }
                Ended::Open | Ended::Properly | Ended::Cycle => {
                    let trace = here.holder.is_none().then(|| path.trace(&evaluator, None, None));
                    let retold = Retold { story: path.story(), trace, ended };
                    if *self.claim != Claim::Silent {
                        return Some(retold);
                    }
                    self.fall_back_on(retold);
                }
            }
        }
        if *self.claim == Claim::Silent {
            self.fall_back_on(Retold { story: path.story(), trace: None, ended: Ended::Open });
        }
        None
    }

    fn fall_back_on(&mut self, retold: Retold) {
        if self.fallback.is_none() {
            self.fallback = Some(retold);
            self.bound = self.bound.min(PATIENCE);
        }
    }

    /// Looks whether a round of the loop led back to where a round began.
    fn close(&mut self, path: &Path<'_>, told: usize, here: &Here, start: usize) -> Option<Retold> {
        let count = self.account.entry_count();
        let evaluator = self.replay.evaluator();
        let may_cycle = match self.claim {
            Claim::Silent => true,
            Claim::Failure(word) => word == FailureKind::Cycle.word(self.replay.system()),
            Claim::NoFailure | Claim::ProperEnd => false,
        };
        if here.holder.is_some() || !may_cycle {
            return None;
        }
        if start == count {
            // Nothing happens, for ever.
            let mut trace = path.trace(&evaluator, None, None);
            let mut story = path.story();
            trace.loop_start = Some(trace.steps.len());
            let target = Some(self.replay.layout.pack(&here.state));
            trace.steps.push(TraceStep { via: Vec::new(), labels: None, target });
            story.end_step();
            return self.judged(trace, story, here.stands_still);
        }
        let round = count - start;
        if !(told - start).is_multiple_of(round) {
            return None;
        }
        let begins = |earlier: usize| earlier < told && (earlier - start).is_multiple_of(round);
        let Some(steps) = path.steps_to_same_state(&here.state, begins) else {
            if told >= start + round * MAX_ROUNDS {
                self.bound = 0;
            }
            return None;
        };
        let mut trace = path.trace(&evaluator, None, None);
        trace.loop_start = Some(steps);
        self.judged(trace, path.story(), true)
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
                Err(ReplayError { shortfall: Some(shortfall), .. }) => self.give_up(shortfall),
                Err(error) => self.objection = Some(error.reason),
            }
            return None;
        }
        let start = trace.loop_start?;
        story.cycle = Some(Loop { start, fairness: Vec::new(), unfair: Vec::new() });
        closes.then_some(Retold { story, trace: Some(trace), ended: Ended::Cycle })
    }

    /// Keeps the place, from which there is no way on, if no deeper one was come to.
    fn note_depth(&mut self, path: &mut Path<'_>, told: usize, here: &Here) {
        let entries = told.min(self.account.entry_count());
        if self.deepest.as_ref().is_some_and(|deepest| deepest.entries >= entries) {
            return;
        }
        let evaluator = self.replay.evaluator();
        let last = path.last_event();
        let (firings, _) = evaluator.firings(&here.state, here.holder);
        let offers = firings.into_iter().filter(|_| last.is_none_or(|event| event.after.is_some()));
        let offers = offers.map(|firing| {
            let (faults, after) = evaluator.fire(&here.state, &firing);
            Event { firing, before: here.state.clone(), after: after.map(Arc::new), faults }
        });
        let place = Place { last, state: &here.state, holder: here.holder, stands_still: here.stands_still };
        let told_all = entries == self.account.entry_count() && self.account.loop_start().is_none();
        let ended = told_all.then(|| place.ends(&evaluator).first().map_or(Ended::Open, |&(ended, _)| ended));
        self.deepest = Some(Lost {
            entries,
            // Told in the end.
            story: Story::new(here.state.clone()),
            began: true,
            ended,
            objection: None,
            offers: offers.collect(),
            gave_up: false,
            shortfall: None,
        });
        path.mark();
    }
}
