//! A search on a thread of its own, watched by the thread that called.

use lariat_engine::{EngineError, Report, RunControl, RunError, Shortfall};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

/// How often limits are looked at.
const INTERVAL: Duration = Duration::from_millis(20);
/// How long a search that was asked to stop is waited for.
const PATIENCE: Duration = Duration::from_millis(500);
/// Diagrams are walked by recursion, as deep as there are variables; and so are expressions.
const STACK_BYTES: usize = 256 << 20;

/// What both threads see.
#[derive(Debug, Default)]
pub(super) struct Aside {
    stop: Mutex<Option<Shortfall>>,
    states: AtomicU64,
    depth: AtomicU64,
    bytes: AtomicU64,
}

impl Aside {
    /// Runs `search` until it ends or `control` says that it has to stop.
    pub(super) fn run(
        control: &RunControl,
        search: impl FnOnce(Arc<Aside>) -> Result<Report, RunError> + Send + 'static,
    ) -> Result<Report, RunError> {
        let shared = Arc::new(Aside::default());
        let (done, is_done) = mpsc::channel();
        let theirs = Arc::clone(&shared);
        let work = move || {
            // Nobody listens if the search was left behind.
            let _ = done.send(search(theirs));
        };
        let thread = std::thread::Builder::new().name("symbolic".to_owned()).stack_size(STACK_BYTES).spawn(work);
        let thread = thread.map_err(|error| EngineError { reason: format!("no thread can be started: {error}") })?;
        let mut taken = 0;
        let ended = loop {
            match is_done.recv_timeout(INTERVAL) {
                Ok(report) => break Some(report),
                Err(mpsc::RecvTimeoutError::Disconnected) => break None,
                Err(mpsc::RecvTimeoutError::Timeout) => {}
            }
            shared.account(control, &mut taken);
            if let Err(shortfall) = control.check() {
                *shared.stop.lock().unwrap_or_else(PoisonError::into_inner) = Some(shortfall);
                break Some(is_done.recv_timeout(PATIENCE).unwrap_or_else(|_| Ok(Report::at_once(shortfall))));
            }
        };
        shared.account(control, &mut taken);
        control.budget.give_back(taken);
        match ended {
            Some(report) => report,
            None => match thread.join() {
                Err(panic) => std::panic::resume_unwind(panic),
                Ok(()) => unreachable!("a search that ends without a panic says what it found"),
            },
        }
    }

    /// Tells what the search has done so far, and what it takes.
    fn account(&self, control: &RunControl, taken: &mut u64) {
        control.counters.states.store(self.states.load(Ordering::Relaxed), Ordering::Relaxed);
        control.counters.depth.store(self.depth.load(Ordering::Relaxed), Ordering::Relaxed);
        let bytes = self.bytes.load(Ordering::Relaxed);
        if bytes > *taken && control.budget.take(bytes - *taken).is_ok() {
            *taken = bytes;
        }
    }

    /// Asked by the search whether to go on.
    pub(super) fn check(&self) -> Result<(), Shortfall> {
        self.stop.lock().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }
    /// Told by the search how far it is; the states if they were counted.
    pub(super) fn tell(&self, states: Option<u64>, depth: u64, bytes: u64) {
        if let Some(states) = states {
            self.states.store(states, Ordering::Relaxed);
        }
        self.depth.store(depth, Ordering::Relaxed);
        self.bytes.fetch_max(bytes, Ordering::Relaxed);
    }
}
