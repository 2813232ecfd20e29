//! How a running engine is watched and stopped.

use crate::{GraphLimit, Shortfall};
use lariat_store::Budget;
use std::any::Any;
use std::cell::Cell;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What telling a failure may take beyond the time limit, at least.
const LEAST_EXTRA_TIME: Duration = Duration::from_millis(200);

/// Shared between a running engine and whoever started it.
#[derive(Debug)]
pub struct RunControl {
    /// Memory for everything large.
    pub budget: Budget,
    /// When the run began.
    pub started: Instant,
    /// How long it may take.
    pub time_limit: Option<Duration>,
    /// How long each of its properties may take.
    pub property_time_limit: Option<Duration>,
    /// When the property at hand began: nanoseconds from the beginning of the run.
    property_began: AtomicU64,
    /// What it has done so far.
    pub counters: Counters,
    /// The search at hand is given up when it has seen more states.
    most_states: AtomicU64,
    most_steps: AtomicU64,
    /// Of the property at hand.
    interrupts: Arc<AtomicU32>,
    is_ended: Arc<AtomicBool>,
    program: Option<ProgramMemory>,
    kept: Mutex<Vec<Kept>>,
    notices: Mutex<Vec<String>>,
    afterwards: Mutex<Afterwards>,
}

/// What is left to be done when answers are out.
#[derive(Default)]
struct Afterwards {
    /// That of the property at hand.
    here: Vec<Box<dyn FnOnce() + Send>>,
    /// That of the property at hand, if its answer is known, and of earlier ones.
    known: Vec<Box<dyn FnOnce() + Send>>,
}

impl fmt::Debug for Afterwards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Afterwards").field(&(self.here.len() + self.known.len())).finish()
    }
}

/// Every program allocates so much for a model, however small: it is part of what is set aside for the program.
const LEAST_GROWTH_BYTES: u64 = 16 << 20;

/// The memory of the program that the run is alone in.
#[derive(Debug)]
struct ProgramMemory {
    bytes_now: fn() -> Option<u64>,
    /// Whether a search has begun: from then on the budget says what is used.
    is_searching: AtomicBool,
}

impl ProgramMemory {
    /// Says by how much it has grown: since the beginning, or since a search has ended.
    fn growth(&self) -> impl Fn() -> u64 + 'static {
        let bytes_now = self.bytes_now;
        let is_searching = self.is_searching.load(Ordering::Relaxed);
        let before = if is_searching { bytes_now().unwrap_or(0) } else { 0 };
        move || bytes_now().unwrap_or(0).saturating_sub(before)
    }
}

/// What an engine keeps from one search to the next.
#[derive(Debug)]
struct Kept {
    by: &'static str,
    what: Box<dyn Any + Send>,
    bytes: u64,
}

/// What a run has done so far; for progress displays and for runs that end early.
#[derive(Debug, Default)]
pub struct Counters {
    /// States seen.
    pub states: AtomicU64,
    /// Steps taken.
    pub transitions: AtomicU64,
    /// The present depth of the search.
    pub depth: AtomicU64,
    /// States waiting to be expanded.
    pub waiting: AtomicU64,
    /// How many of the states were new only because they had been forgotten, as far as a sample tells.
    pub again: AtomicU64,
}

impl Counters {
    /// What they say now.
    pub fn shown(&self) -> [u64; 5] {
        self.all().map(|counter| counter.load(Ordering::Relaxed))
    }
    /// Lets them say what they said.
    pub fn show(&self, shown: [u64; 5]) {
        self.all().into_iter().zip(shown).for_each(|(counter, value)| counter.store(value, Ordering::Relaxed));
    }
    fn all(&self) -> [&AtomicU64; 5] {
        [&self.states, &self.transitions, &self.depth, &self.waiting, &self.again]
    }
}

impl RunControl {
    /// A run that begins now.
    pub fn new(memory_limit_bytes: u64, time_limit: Option<Duration>) -> Self {
        Self {
            budget: Budget::new(memory_limit_bytes),
            started: Instant::now(),
            time_limit,
            property_time_limit: None,
            property_began: AtomicU64::new(0),
            counters: Counters::default(),
            most_states: AtomicU64::new(u64::MAX),
            most_steps: AtomicU64::new(u64::MAX),
            interrupts: Arc::default(),
            is_ended: Arc::default(),
            program: None,
            kept: Mutex::new(Vec::new()),
            notices: Mutex::new(Vec::new()),
            afterwards: Mutex::default(),
        }
    }

    /// The same for a run that is alone in its program: what is made before anything is searched is kept within the memory
    /// limit too. `bytes_now` says how much memory the program has allocated.
    #[must_use]
    pub fn of_program(mut self, bytes_now: fn() -> Option<u64>) -> Self {
        self.program = Some(ProgramMemory { bytes_now, is_searching: AtomicBool::new(false) });
        self
    }

    /// Whether work that comes before a search may go on; to be asked at its safe points.
    pub fn preparing(&self) -> impl Fn() -> Result<(), Shortfall> + 'static {
        let Self { started, time_limit, .. } = *self;
        let (interrupts, is_ended) = (Arc::clone(&self.interrupts), Arc::clone(&self.is_ended));
        let limit_bytes = self.budget.limit_bytes();
        let grown = self.program.as_ref().map(ProgramMemory::growth);
        // What the program has is asked of the system, which takes time: small models are read before that is worth while.
        let is_first = Cell::new(true);
        move || match time_limit {
            _ if interrupts.load(Ordering::Relaxed) > 0 || is_ended.load(Ordering::Relaxed) => {
                Err(Shortfall::Interrupted)
            }
            Some(limit) if started.elapsed() >= limit => Err(Shortfall::Time { limit }),
            _ if is_first.replace(false) => Ok(()),
            _ if grown.as_ref().is_some_and(|grown| grown() > limit_bytes.max(LEAST_GROWTH_BYTES)) => {
                Err(Shortfall::Memory { limit_bytes })
            }
            _ => Ok(()),
        }
    }
    /// Takes what the program has allocated so far from the budget, beside a little: searches have the rest.
    pub fn take_program(&self) -> Result<(), Shortfall> {
        let Some(program) = &self.program else { return Ok(()) };
        let grown = program.growth()();
        program.is_searching.store(true, Ordering::Relaxed);
        Ok(self.budget.take(grown.saturating_sub(LEAST_GROWTH_BYTES))?)
    }

    /// Says something to whoever watches the run, in one line: where files are, for example.
    pub fn notify(&self, notice: String) {
        self.notices.lock().unwrap_or_else(PoisonError::into_inner).push(notice);
    }
    /// What was said since this was asked for.
    pub fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut *self.notices.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Leaves something to be done when the answer is out: files are removed, for example, that the answer could be found with
    /// again. [`RunControl::answered`] does it; without that it is never done, so nothing is lost by an internal error.
    pub fn afterwards(&self, work: impl FnOnce() + Send + 'static) {
        self.afterwards_mut().here.push(Box::new(work));
    }
    /// The answer for the property at hand is known, and its trace was replayed: what was left for then waits until it is out.
    pub fn known(&self) {
        let Afterwards { here, known } = &mut *self.afterwards_mut();
        known.append(here);
    }
    /// All answers that are known are out: does what was left for then.
    pub fn answered(&self) {
        self.known();
        let known = std::mem::take(&mut self.afterwards_mut().known);
        known.into_iter().for_each(|work| work());
    }
    /// There will be no answer for the property at hand: what was left for then is not done.
    pub fn unanswered(&self) {
        let here = std::mem::take(&mut self.afterwards_mut().here);
        drop(here);
    }
    fn afterwards_mut(&self) -> MutexGuard<'_, Afterwards> {
        self.afterwards.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps something that the engine `by` made for its next search in the same run, and so much of the budget for it.
    /// What it kept before is dropped; so is this if there is no room for it.
    pub fn keep(&self, by: &'static str, what: impl Any + Send, bytes: u64) {
        self.drop_kept(|kept| kept.by == by);
        if self.budget.take(bytes).is_ok() {
            self.kept().push(Kept { by, what: Box::new(what), bytes });
        }
    }
    /// What the engine `by` kept; what it took of the budget is given back.
    pub fn take_kept<T: Any>(&self, by: &'static str) -> Option<T> {
        let mut all = self.kept();
        let place = all.iter().position(|kept| kept.by == by && kept.what.is::<T>())?;
        let kept = all.remove(place);
        self.budget.give_back(kept.bytes);
        kept.what.downcast().ok().map(|what| *what)
    }
    /// Makes room for a search by `engine`: drops what others kept, unless it takes no room.
    pub fn drop_kept_by_others(&self, engine: &'static str) {
        self.drop_kept(|kept| kept.by != engine && kept.bytes > 0);
    }
    /// A further search beside this run, for so long at most: within the time and the memory that are left to the run, stopped as it
    /// is, and with what engines kept, which is to be moved back.
    #[must_use]
    pub fn beside(&self, time: Duration) -> Self {
        let kept: u64 = self.kept().iter().map(|kept| kept.bytes).sum();
        let others = self.budget.used_bytes().saturating_sub(kept);
        let elapsed = self.started.elapsed();
        let began = Duration::from_nanos(self.property_began.load(Ordering::Relaxed));
        let of_run = self.time_limit.map(|limit| limit.saturating_sub(elapsed));
        let of_property = self.property_time_limit.map(|limit| limit.saturating_sub(elapsed.saturating_sub(began)));
        let time = of_run.into_iter().chain(of_property).fold(time, Duration::min);
        let mut beside = Self::new(self.budget.limit_bytes().saturating_sub(others), Some(time));
        beside.interrupts = Arc::clone(&self.interrupts);
        beside.is_ended = Arc::clone(&self.is_ended);
        self.move_kept(&beside);
        beside
    }
    /// Moves what engines kept to another run; what there is no room for there is dropped.
    pub fn move_kept(&self, to: &Self) {
        let all = std::mem::take(&mut *self.kept());
        for kept in all {
            self.budget.give_back(kept.bytes);
            if to.budget.take(kept.bytes).is_ok() {
                to.kept().push(kept);
            }
        }
    }
    fn drop_kept(&self, is_dropped: impl Fn(&Kept) -> bool) {
        self.kept().retain(|kept| {
            let dropped = is_dropped(kept);
            if dropped {
                self.budget.give_back(kept.bytes);
            }
            !dropped
        });
    }
    fn kept(&self) -> MutexGuard<'_, Vec<Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the search of the property at hand to stop soon.
    pub fn cancel(&self) {
        self.interrupts.fetch_add(1, Ordering::Relaxed);
    }
    /// Asks the whole run to stop soon: no further property begins.
    pub fn end(&self) {
        self.is_ended.store(true, Ordering::SeqCst);
    }
    /// Whether the whole run was asked to stop.
    pub fn is_ended(&self) -> bool {
        self.is_ended.load(Ordering::SeqCst)
    }
    /// What [`RunControl::end`] sets, for handlers of signals, which can do no more than that.
    pub fn ended(&self) -> &Arc<AtomicBool> {
        &self.is_ended
    }
    /// The next property begins, with its own time and not interrupted. An error if there is no time left for it, or the
    /// run was asked to stop.
    pub fn begin_property(&self) -> Result<(), Shortfall> {
        self.interrupts.store(0, Ordering::Relaxed);
        let elapsed = self.started.elapsed();
        self.property_began.store(elapsed.as_nanos().try_into().unwrap_or(u64::MAX), Ordering::Relaxed);
        if self.is_ended() {
            return Err(Shortfall::NotStarted { time_limit: None });
        }
        match self.time_limit {
            Some(limit) if elapsed >= limit => Err(Shortfall::NotStarted { time_limit: Some(limit) }),
            _ => Ok(()),
        }
    }
    /// Whether the search may go on: an error if it was asked to stop, or the time is up. To be called by engines often: at
    /// least every few thousand states.
    pub fn check(&self) -> Result<(), Shortfall> {
        self.check_interrupt(0)?;
        self.check_time(|_| Duration::ZERO)?;
        let [states, steps] = [&self.most_states, &self.most_steps].map(|most| most.load(Ordering::Relaxed));
        let Counters { states: seen, transitions: taken, .. } = &self.counters;
        if seen.load(Ordering::Relaxed) > states || taken.load(Ordering::Relaxed) > steps {
            let limit = GraphLimit { states: states as usize, steps: steps as usize, ways: u64::MAX, evaluated: None };
            return Err(Shortfall::GraphSize { limit });
        }
        Ok(())
    }
    /// From now on [`RunControl::check`] is an error when more states were seen, or more steps taken, than this: soon after, and not
    /// at once.
    pub fn limit_graph(&self, states: Option<u64>, steps: Option<u64>) {
        self.most_states.store(states.unwrap_or(u64::MAX), Ordering::Relaxed);
        self.most_steps.store(steps.unwrap_or(u64::MAX), Ordering::Relaxed);
    }
    /// Whether the search ends when it has seen some number of states.
    pub fn has_states_limit(&self) -> bool {
        self.most_states.load(Ordering::Relaxed) != u64::MAX
    }
    /// Whether a failure that was met may still be told: its run found again, replayed, saved and shown. An error if the
    /// time for that is up, or if the search was asked to stop more often than `heeded` times.
    ///
    /// What was met in time is worth some more: a tenth of the time limit, and a fifth of a second at least.
    pub fn check_telling(&self, heeded: u32) -> Result<(), Shortfall> {
        self.check_interrupt(heeded)?;
        self.check_time(|limit| (limit / 10).max(LEAST_EXTRA_TIME))
    }
    /// An error if a time limit, with what is added to it, is over.
    fn check_time(&self, extra: impl Fn(Duration) -> Duration) -> Result<(), Shortfall> {
        if self.time_limit.is_none() && self.property_time_limit.is_none() {
            return Ok(());
        }
        let elapsed = self.started.elapsed();
        let began = Duration::from_nanos(self.property_began.load(Ordering::Relaxed));
        let of_run = self.time_limit.map(|limit| (limit, elapsed));
        let of_property = self.property_time_limit.map(|limit| (limit, elapsed.saturating_sub(began)));
        match of_run.into_iter().chain(of_property).find(|&(limit, used)| used >= limit + extra(limit)) {
            Some((limit, _)) => Err(Shortfall::Time { limit }),
            None => Ok(()),
        }
    }
    /// How often the search of the property at hand was asked to stop.
    pub fn interrupts(&self) -> u32 {
        self.interrupts.load(Ordering::Relaxed) + u32::from(self.is_ended())
    }
    /// An error if the search was interrupted more than `heeded` times; the time limit is not looked at.
    pub fn check_interrupt(&self, heeded: u32) -> Result<(), Shortfall> {
        if self.interrupts() > heeded { Err(Shortfall::Interrupted) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_on_beside_a_run_has_what_is_left_to_it() {
        let run = RunControl::new(1000, Some(Duration::from_secs(3600)));
        run.budget.take(300).expect("there is room");
        run.keep("engine", 7_u8, 200);
        let beside = run.beside(Duration::from_secs(5));
        // What is kept moves along.
        assert_eq!((beside.budget.limit_bytes(), beside.budget.used_bytes(), run.budget.used_bytes()), (700, 200, 300));
        assert_eq!(beside.take_kept::<u8>("engine"), Some(7));
        assert!(beside.budget.take(701).is_err() && beside.check().is_ok());
        run.cancel();
        assert_eq!(beside.check(), Err(Shortfall::Interrupted));
        let late = RunControl::new(1000, Some(Duration::ZERO));
        assert!(matches!(late.beside(Duration::from_secs(5)).check(), Err(Shortfall::Time { .. })));
    }

    #[test]
    fn an_interrupt_ends_the_property_at_hand_and_the_end_all() {
        let control = RunControl::new(1 << 20, None);
        control.cancel();
        assert_eq!(control.check(), Err(Shortfall::Interrupted));
        assert_eq!(control.check_telling(1), Ok(()));
        assert_eq!(control.begin_property(), Ok(()));
        assert_eq!(control.check(), Ok(()));
        control.end();
        assert_eq!(control.check(), Err(Shortfall::Interrupted));
        assert_eq!(control.begin_property(), Err(Shortfall::NotStarted { time_limit: None }));
        assert_eq!(control.check_telling(control.interrupts()), Ok(()));
    }

    #[test]
    fn each_property_has_its_own_time() {
        let (short, long) = (Duration::from_secs(2), Duration::from_secs(60));
        let mut control = RunControl::new(1 << 20, Some(long));
        control.property_time_limit = Some(short);
        control.started =
            Instant::now().checked_sub(Duration::from_secs(5)).expect("the machine has run for some seconds");
        assert_eq!(control.check(), Err(Shortfall::Time { limit: short }));
        assert_eq!(control.check_telling(0), Err(Shortfall::Time { limit: short }));
        assert_eq!(control.begin_property(), Ok(()));
        assert_eq!(control.check(), Ok(()));
        control.time_limit = Some(Duration::from_secs(5));
        assert_eq!(control.check(), Err(Shortfall::Time { limit: Duration::from_secs(5) }));
        assert_eq!(control.begin_property(), Err(Shortfall::NotStarted { time_limit: Some(Duration::from_secs(5)) }));
    }
}
