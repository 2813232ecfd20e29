//! The search for a run that fits a record.

use super::RunRecord;
use super::directed::Directed;
use super::ending::{ClaimedEnd, FoundEnd, Place};
use super::path::{Path, Taken};
use crate::replay_limits::ReplayLimits;
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
/// After the record was matched to its end, this many further places are searched for a better end.
const PATIENCE: usize = 500;
/// The states of another program may leave out what does not matter to it, so that what it takes for a cycle comes back to
/// the same state of ours only after a few rounds.
const MAX_ROUNDS: usize = 64;

/// A run that fits the record.
#[derive(Clone, PartialEq, Debug)]
pub struct FoundRun {
    /// What happens.
    pub story: Story,
    /// The run as engines report them; `None` if it ends in the middle of an atomic sequence, without a failure.
    pub trace: Option<Trace>,
    /// How it ends; if in a failure, then that has been replayed.
    pub ended: FoundEnd,
}

/// No run fits the record.
#[derive(Clone, PartialEq, Debug)]
pub struct NoRun {
    /// How many entries could be matched; all of them if the end alone is at fault.
    pub entries: usize,
    /// What happens up to there.
    pub story: Story,
    /// Whether there is an initial state that fits; without one there is no story.
    pub began: bool,
    /// How the run ends there, if all entries could be matched.
    pub ended: Option<FoundEnd>,
    /// Why the run is not as claimed, if all entries could be matched and the replay knows.
    pub objection: Option<String>,
    /// What can happen there.
    pub offers: Vec<Event>,
    /// The search met its bound, or a limit: there may be a run that fits.
    pub gave_up: bool,
    /// The limit that was met.
    pub shortfall: Option<Shortfall>,
}

/// Looks for a run of `system` that fits the record and ends as claimed; of one that goes on for ever `temporal` says whether
/// it is bad, and without that it is enough that its loop closes. If the pool of processes may grow, then that it
/// is full is an error and no failure. The search keeps to the limits of `control`.
pub fn find_run(
    system: &System,
    temporal: Option<&Temporal>,
    record: &dyn RunRecord,
    claim: &ClaimedEnd,
    pool_may_grow: bool,
    control: &RunControl,
) -> Result<Result<FoundRun, Box<NoRun>>, RunError> {
    let replay = match temporal {
        Some(temporal) => SystemReplay::of_temporal(system, temporal),
        None => SystemReplay::new(system),
    };
    let replay = replay.map_err(|error| EngineError { reason: error.to_string() })?.within(control);
    let search = |directed| RunSearch {
        replay: &replay,
        record,
        directed,
        claim,
        pool_may_grow,
        pool_was_full: false,
        is_judged: temporal.is_some(),
        objection: None,
        bound: PLACES_BESIDES + PLACES_PER_ENTRY * record.entry_count(),
        limits: ReplayLimits::new(Some(control)),
        shortfall: None,
        open_count: 0,
        seen: HashSet::new(),
        fallback: None,
        deepest: None,
    };
    let Some(directed) = Directed::new(&replay, record) else { return search(None).run() };
    let found = search(Some(directed)).run();
    // What a record does not show may have changed: then its steps must be listed, if they can be.
    if directed.is_only_way() || matches!(found, Ok(Ok(_))) { found } else { search(None).run() }
}

struct RunSearch<'a> {
    replay: &'a SystemReplay<'a>,
    record: &'a dyn RunRecord,
    /// How to find what the record tells of, where there is too much to list.
    directed: Option<Directed<'a>>,
    claim: &'a ClaimedEnd,
    pool_may_grow: bool,
    /// A process could not start for want of room, and there may be more room.
    pool_was_full: bool,
    /// Whether it is known which runs that go on for ever are bad.
    is_judged: bool,
    /// Why a run that fits is not as claimed.
    objection: Option<String>,
    /// How many places may be looked at.
    bound: usize,
    limits: ReplayLimits<'a>,
    shortfall: Option<Shortfall>,
    /// How many places there are, initial states among them, with another way to go on. Where there is none, nothing
    /// will be tried a second time.
    open_count: usize,
    /// Places that were come to, as far as one may come to them again: entries matched, state, holder.
    seen: HashSet<(usize, Box<[u64]>, Option<Position>)>,
    /// The first run that fits but whose end is none.
    fallback: Option<FoundRun>,
    deepest: Option<NoRun>,
}

/// The place that the search has come to, with everything that can happen there.
struct CurrentPlace {
    state: Arc<Valuation>,
    /// The process that holds control, if it can go on: then this is inside an atomic sequence.
    holder: Option<Position>,
    stands_still: bool,
}

/// A place on the way.
struct Level {
    /// Entries matched so far; those of a loop are matched again and again.
    matched: usize,
    /// What remains to be tried, with the entries that tell of it; the likeliest last.
    rest: Vec<(Taken, usize)>,
    /// The state, if something remains.
    words: Box<[u64]>,
    holder: Option<Position>,
}

impl RunSearch<'_> {
    fn run(mut self) -> Result<Result<FoundRun, Box<NoRun>>, RunError> {
        let initials = match self.directed {
            Some(directed) => directed.initial_states(),
            None => self.replay.evaluator().initial(),
        };
        let initials: Vec<Valuation> = initials.into_iter().filter(|initial| self.record.may_begin(initial)).collect();
        self.open_count = initials.len();
        for initial in initials {
            self.open_count -= 1;
            if let Some(found) = self.from(&Arc::new(initial)) {
                return Ok(Ok(found));
            }
        }
        // Where steps are not listed, some run may have been passed over.
        let gave_up = self.bound == 0 || self.directed.is_some();
        let RunSearch { replay, pool_was_full, objection, shortfall, fallback, deepest, .. } = self;
        if pool_was_full && shortfall.is_none() {
            return Err(RunError::PoolTooSmall);
        }
        if let Some(fallback) = fallback.filter(|_| shortfall.is_none()) {
            return Ok(Ok(fallback));
        }
        let nowhere = || NoRun {
            entries: 0,
            story: Story::new(Arc::new(Valuation::blank(replay.system()))),
            began: false,
            ended: None,
            offers: Vec::new(),
            objection: None,
            gave_up,
            shortfall,
        };
        let no_run = deepest.map(|deepest| NoRun { objection, gave_up, shortfall, ..deepest });
        Ok(Err(Box::new(no_run.unwrap_or_else(nowhere))))
    }

    /// Looks for a run from this initial state.
    fn from(&mut self, initial: &Arc<Valuation>) -> Option<FoundRun> {
        let mut path = Path::new(initial.clone(), &self.replay.layout, self.record.loop_start());
        let found = self.find(initial, &mut path);
        if let (Some(deepest), Some(story)) = (&mut self.deepest, path.marked()) {
            deepest.story = story;
        }
        found
    }

    fn find(&mut self, initial: &Arc<Valuation>, path: &mut Path<'_>) -> Option<FoundRun> {
        let mut levels: Vec<Level> = Vec::new();
        let mut arriving = Some((initial.clone(), None, 0, false));
        loop {
            if let Some((state, holder, matched, stops)) = arriving.take() {
                let (here, first, mut level) = self.look(state, holder, matched);
                path.arrive(here.holder, matched, &here.state);
                let objected = self.objection.take();
                if let Some(found) = self.arrive(path, matched, &here) {
                    return Some(found);
                }
                // Where the run stops, or where the loop closes and is not bad, nothing more is to be tried.
                let is_end = stops || self.objection.is_some();
                self.objection = self.objection.take().or(objected);
                if is_end {
                    level.rest.clear();
                }
                let first = first.filter(|_| !is_end && self.bound > 0);
                if first.is_none() {
                    self.note_depth(path, matched, &here);
                }
                self.open_count += usize::from(!level.rest.is_empty());
                levels.push(level);
                if let Some((event, entries)) = first {
                    arriving = self.go(path, event, matched + entries, here.holder);
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
            let (matched, holder) = (level.matched + entries, level.holder);
            let event = taken.event(&self.replay.evaluator(), state);
            arriving = self.go(path, event, matched, holder);
        }
    }

    /// Takes the event, after which so many entries are matched. What is to be looked at then: state, holder, entries matched, and
    /// whether the run stops there.
    fn go(
        &mut self,
        path: &mut Path<'_>,
        event: Event,
        matched: usize,
        holder: Option<Position>,
    ) -> Option<(Arc<Valuation>, Option<Position>, usize, bool)> {
        let stops = event.after.is_none();
        let (state, holder) = match &event.after {
            Some(after) => (after.clone(), self.replay.evaluator().holder_after(&event.firing)),
            None => (event.before.clone(), holder),
        };
        let mut bytes = Path::BYTES_OF_EVENT + size_of::<Level>() as u64;
        // Without an entry matched the run may go in a circle.
        let may_return = self.open_count > 0 || matched == path.matched();
        if !stops && may_return {
            let place = (matched, self.replay.layout.pack(&state).into_boxed_slice(), holder);
            bytes += 96 + 8 * place.1.len() as u64;
            if !self.seen.insert(place) {
                return None;
            }
        }
        self.bound = self.bound.saturating_sub(1);
        if let Err(shortfall) = self.limits.tick(bytes) {
            self.give_up(shortfall);
        }
        path.take(self.replay.system(), event);
        Some((state, holder, matched, stops))
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
        matched: usize,
    ) -> (CurrentPlace, Option<(Event, usize)>, Level) {
        let evaluator = self.replay.evaluator();
        let entry = self.entry_of(matched);
        let (firings, transient) = match self.directed {
            Some(directed) => directed.firings(&state, holder, entry),
            None => evaluator.firings(&state, holder),
        };
        let holder = holder.filter(|_| transient);
        let stands_still = firings.is_empty();
        let count = self.record.entry_count();
        let mut fitting: Vec<(super::EventMatch, Event)> = Vec::new();
        for firing in firings {
            let (faults, after) = evaluator.fire(&state, &firing);
            let event = Event { firing, before: state.clone(), after: after.map(Arc::new), faults };
            // It does not fit what is matched of a process that starts, but might with more room.
            if self.pool_may_grow && event.faults.iter().any(|fault| matches!(fault, Fault::PoolFull(_))) {
                self.pool_was_full = true;
                continue;
            }
            let Some(event_match) = self.record.match_event(entry, &event) else { continue };
            if event.after.is_some() || matched + event_match.entries == count {
                // A run that stops has nothing more to tell.
                fitting.push((event_match, event));
            }
        }
        if matched + 1 == count {
            for (firing, fault) in evaluator.guard_faults(&state, holder) {
                let event = Event { firing, before: state.clone(), after: None, faults: vec![fault] };
                if let Some(event_match) =
                    self.record.match_event(entry, &event).filter(|event_match| event_match.entries == 1)
                {
                    fitting.push((event_match, event));
                }
            }
        }
        // Stable: what the evaluator lists first is tried first.
        fitting.sort_by_key(|(event_match, _)| event_match.doubt);
        let mut fitting = fitting.into_iter();
        let first = fitting.next().map(|(event_match, event)| (event, event_match.entries));
        let system = self.replay.system();
        let mut rest: Vec<(Taken, usize)> =
            fitting.map(|(event_match, event)| (Taken::new(system, &event), event_match.entries)).collect();
        rest.reverse();
        let words = if rest.is_empty() { Box::default() } else { self.replay.layout.pack(&state).into_boxed_slice() };
        (CurrentPlace { state, holder, stands_still }, first, Level { matched, rest, words, holder })
    }

    /// The entry that comes next when so many have been matched.
    fn entry_of(&self, matched: usize) -> usize {
        let count = self.record.entry_count();
        match self.record.loop_start() {
            Some(start) if matched >= count && start < count => start + (matched - start) % (count - start),
            _ => matched,
        }
    }

    /// Looks whether the record is matched to its end; the run, if it ends as claimed.
    fn arrive(&mut self, path: &Path<'_>, matched: usize, here: &CurrentPlace) -> Option<FoundRun> {
        if matched < self.record.entry_count() {
            return None;
        }
        if let Some(start) = self.record.loop_start() {
            return self.close(path, matched, here, start);
        }
        let (evaluator, system) = (self.replay.evaluator(), self.replay.system());
        if *self.claim == ClaimedEnd::Shows {
            let trace = here.holder.is_none().then(|| path.trace(&evaluator, None, None))?;
            return self.shown(trace, FoundEnd::Open);
        }
        if matches!(self.claim, ClaimedEnd::Failure(word) if word == FailureKind::BadPrefix.word(system)) {
            return self.stop_when_bad(path, here);
        }
        let last = path.last_event();
        let place = Place { last, state: &here.state, holder: here.holder, stands_still: here.stands_still };
        for (ended, shown_by) in place.ends(&evaluator) {
            let claimed = match (self.claim, ended) {
                (ClaimedEnd::Silent, _) => true,
                (ClaimedEnd::NoFailure, FoundEnd::Open | FoundEnd::Properly)
                | (ClaimedEnd::ProperEnd, FoundEnd::Properly) => true,
                (ClaimedEnd::Failure(word), FoundEnd::Failure(kind)) => kind.word(system) == word,
                _ => false,
            };
            if !claimed {
                continue;
            }
            match ended {
                FoundEnd::Failure(kind) => {
                    let trace = path.trace(&evaluator, shown_by.as_ref(), Some(kind));
                    // A sequence that goes on need not go on for ever, and an error of a guard may belong to a process
                    // that has no turn: then this is no failure.
                    match self.replay.replay(&trace, kind) {
                        Ok(story) => return Some(FoundRun { story, trace: Some(trace), ended }),
                        Err(ReplayError { shortfall: Some(shortfall), .. }) => self.give_up(shortfall),
                        Err(_) => {}
                    }
                }
                FoundEnd::Open | FoundEnd::Properly | FoundEnd::Cycle => {
                    let trace = here.holder.is_none().then(|| path.trace(&evaluator, None, None));
                    let found = FoundRun { story: path.story(), trace, ended };
                    if *self.claim != ClaimedEnd::Silent {
                        return Some(found);
                    }
                    self.fall_back_on(found);
                }
            }
        }
        if *self.claim == ClaimedEnd::Silent {
            self.fall_back_on(FoundRun { story: path.story(), trace: None, ended: FoundEnd::Open });
        }
        None
    }

    fn fall_back_on(&mut self, found: FoundRun) {
        if self.fallback.is_none() {
            self.fallback = Some(found);
            self.bound = self.bound.min(PATIENCE);
        }
    }

    /// The run to here, if it is bad however it goes on.
    fn stop_when_bad(&mut self, path: &Path<'_>, here: &CurrentPlace) -> Option<FoundRun> {
        if here.holder.is_some() {
            return None;
        }
        let mut trace = path.trace(&self.replay.evaluator(), None, None);
        match self.replay.replay(&trace, FailureKind::BadPrefix) {
            Ok(story) => {
                trace.decided = self.replay.decided_after(&story);
                return Some(FoundRun { story, trace: Some(trace), ended: FoundEnd::Failure(FailureKind::BadPrefix) });
            }
            Err(ReplayError { shortfall: Some(shortfall), .. }) => self.give_up(shortfall),
            Err(error) => self.objection = Some(error.reason),
        }
        None
    }

    /// Looks whether a round of the loop led back to where a round began.
    fn close(&mut self, path: &Path<'_>, matched: usize, here: &CurrentPlace, start: usize) -> Option<FoundRun> {
        let count = self.record.entry_count();
        let evaluator = self.replay.evaluator();
        let may_cycle = match self.claim {
            ClaimedEnd::Silent | ClaimedEnd::Shows => true,
            ClaimedEnd::Failure(word) => word == FailureKind::Cycle.word(self.replay.system()),
            ClaimedEnd::NoFailure | ClaimedEnd::ProperEnd => false,
        };
        if here.holder.is_some() || !may_cycle {
            return None;
        }
        if start == count {
            // Nothing happens, for ever.
            let mut trace = path.trace(&evaluator, None, None);
            let mut story = path.story();
            trace.loop_start = Some(trace.steps.len());
            trace.steps.push(TraceStep::stutter(self.replay.layout.pack(&here.state), None));
            story.end_step();
            return self.judged(trace, story, here.stands_still);
        }
        let round = count - start;
        if !(matched - start).is_multiple_of(round) {
            return None;
        }
        let begins = |earlier: usize| earlier < matched && (earlier - start).is_multiple_of(round);
        let Some(steps) = path.steps_to_same_state(&here.state, begins) else {
            if matched >= start + round * MAX_ROUNDS {
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
    fn judged(&mut self, trace: Trace, mut story: Story, closes: bool) -> Option<FoundRun> {
        if *self.claim == ClaimedEnd::Shows {
            return self.shown(trace, FoundEnd::Cycle);
        }
        if self.is_judged {
            match self.replay.replay(&trace, FailureKind::Cycle) {
                Ok(story) => {
                    let ended = FoundEnd::Failure(FailureKind::Cycle);
                    return Some(FoundRun { story, trace: Some(trace), ended });
                }
                Err(ReplayError { shortfall: Some(shortfall), .. }) => self.give_up(shortfall),
                Err(error) => self.objection = Some(error.reason),
            }
            return None;
        }
        let start = trace.loop_start?;
        story.cycle = Some(Loop { start, fairness: Vec::new(), unfair: Vec::new() });
        closes.then_some(FoundRun { story, trace: Some(trace), ended: FoundEnd::Cycle })
    }

    /// The run as part of why a formula of branching time holds or not, if it is fair.
    fn shown(&mut self, trace: Trace, ended: FoundEnd) -> Option<FoundRun> {
        match self.replay.replay(&trace, FailureKind::Branching) {
            Ok(story) => return Some(FoundRun { story, trace: Some(trace), ended }),
            Err(ReplayError { shortfall: Some(shortfall), .. }) => self.give_up(shortfall),
            Err(error) => self.objection = Some(error.reason),
        }
        None
    }

    /// Keeps the place, from which there is no way on, if no deeper one was come to.
    fn note_depth(&mut self, path: &mut Path<'_>, matched: usize, here: &CurrentPlace) {
        let entries = matched.min(self.record.entry_count());
        if self.deepest.as_ref().is_some_and(|deepest| deepest.entries >= entries) {
            return;
        }
        let evaluator = self.replay.evaluator();
        let last = path.last_event();
        let (firings, _) = match self.directed {
            Some(_) => evaluator.some_firings(&here.state, here.holder),
            None => evaluator.firings(&here.state, here.holder),
        };
        let offers = firings.into_iter().filter(|_| last.is_none_or(|event| event.after.is_some()));
        let offers = offers.map(|firing| {
            let (faults, after) = evaluator.fire(&here.state, &firing);
            Event { firing, before: here.state.clone(), after: after.map(Arc::new), faults }
        });
        let place = Place { last, state: &here.state, holder: here.holder, stands_still: here.stands_still };
        let has_all_entries = entries == self.record.entry_count() && self.record.loop_start().is_none();
        let ended = has_all_entries.then(|| place.ends(&evaluator).first().map_or(FoundEnd::Open, |&(ended, _)| ended));
        self.deepest = Some(NoRun {
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
