//! How a running engine is watched and stopped.

use crate::Shortfall;
use lariat_store::Budget;
use std::any::Any;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
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
    /// What it has done so far.
    pub counters: Counters,
    interrupts: AtomicU32,
    kept: Mutex<Vec<Kept>>,
    notices: Mutex<Vec<String>>,
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
            counters: Counters::default(),
            interrupts: AtomicU32::new(0),
            kept: Mutex::new(Vec::new()),
            notices: Mutex::new(Vec::new()),
        }
    }

    /// Says something to whoever watches the run, in one line: where files are, for example.
    pub fn notify(&self, notice: String) {
        self.notices.lock().unwrap_or_else(PoisonError::into_inner).push(notice);
    }
    /// What was said since this was asked for.
    pub fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut *self.notices.lock().unwrap_or_else(PoisonError::into_inner))
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

    /// Asks the run to stop soon.
    pub fn cancel(&self) {
        self.interrupts.fetch_add(1, Ordering::Relaxed);
    }
    /// Whether the run may go on: an error if somebody asked it to stop, or the time is up. To be called by engines
    /// often: at least every few thousand states.
    pub fn check(&self) -> Result<(), Shortfall> {
        self.check_interrupt(0)?;
        match self.time_limit {
            Some(limit) if self.started.elapsed() >= limit => Err(Shortfall::Time { limit }),
            _ => Ok(()),
        }
    }
    /// Whether a failure that was met may still be told: its run found again, replayed, saved and shown. An error if the
    /// time for that is up, or if the run was asked to stop more often than `heeded` times.
    ///
    /// What was met in time is worth some more: a tenth of the time limit, and a fifth of a second at least.
    pub fn check_telling(&self, heeded: u32) -> Result<(), Shortfall> {
        self.check_interrupt(heeded)?;
        match self.time_limit {
            Some(limit) if self.started.elapsed() >= limit + (limit / 10).max(LEAST_EXTRA_TIME) => {
                Err(Shortfall::Time { limit })
            }
            _ => Ok(()),
        }
    }
    /// How often somebody asked the run to stop.
    pub fn interrupts(&self) -> u32 {
        self.interrupts.load(Ordering::Relaxed)
    }
    /// An error if the run was interrupted more than `heeded` times; the time limit is not looked at.
    pub fn check_interrupt(&self, heeded: u32) -> Result<(), Shortfall> {
        if self.interrupts() > heeded { Err(Shortfall::Interrupted) } else { Ok(()) }
    }
}
