//! A thread that settles questions about one system, watched by the thread that asks.
//!
//! Operations on decision diagrams cannot be stopped from outside, so a search has a thread of its own. The thread that asks
//! looks at limits and interruption; if the search does not stop soon after it is told to, it is left behind, and ends with
//! the operation it is in. A thread that has answered is kept for the next question: its sets of states are made by then.

use super::session::{Question, Reply, Session, settle};
use crate::diagrams::Capacity;
use lariat_engine::{EngineError, Report, RunControl, RunError, Shortfall, Verdict};
use lariat_system::System;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

/// How often limits are looked at.
const INTERVAL: Duration = Duration::from_millis(20);
/// How long a search that was asked to stop is waited for.
const PATIENCE: Duration = Duration::from_millis(500);
/// Diagrams are walked by recursion, as deep as there are variables; and so are expressions.
const STACK_BYTES: usize = 256 << 20;

/// What was given up is kept for later if it takes no more than this part of the memory.
const KEPT_PART: u64 = 4;

type Settled = Result<Reply, RunError>;

/// A thread that settles questions. It ends when it is dropped and has no question left.
pub(super) struct Worker {
    /// What it knows; without labels and fairness, which questions bring with them.
    system: Arc<System>,
    questions: mpsc::Sender<(Question, mpsc::Sender<Settled>)>,
    shared: Arc<Shared>,
    thread: JoinHandle<()>,
}

/// What both threads see.
#[derive(Debug, Default)]
pub(super) struct Shared {
    stop: Mutex<Option<Shortfall>>,
    /// The answer to the question at hand, once it is known: what comes after it may be given up.
    known: Mutex<Option<Report>>,
    states: AtomicU64,
    depth: AtomicU64,
    bytes: AtomicU64,
}

impl Worker {
    /// A thread for questions like this one, with room for so much.
    pub(super) fn start(like: &Question, capacity: Capacity, full: Shortfall) -> Result<Self, EngineError> {
        let system = Arc::new(like.system.unlabelled());
        let shared = Arc::new(Shared::default());
        let (questions, asked) = mpsc::channel::<(Question, mpsc::Sender<Settled>)>();
        let (theirs, known) = (Arc::clone(&shared), Arc::clone(&system));
        let work = move || {
            let mut session: Option<Session<'_>> = None;
            for (question, answers) in asked {
                let settled = settle(&known, &question, &mut session, capacity, full, &theirs);
                // Nobody listens if the search was left behind.
                let _ = answers.send(settled);
            }
        };
        let thread = std::thread::Builder::new().name("symbolic".to_owned()).stack_size(STACK_BYTES).spawn(work);
        let thread = thread.map_err(|error| EngineError { reason: format!("no thread can be started: {error}") })?;
        Ok(Self { system, questions, shared, thread })
    }

    /// Whether it can be asked this: the question is about the system it knows.
    pub(super) fn suits(&self, question: &Question) -> bool {
        *self.system == question.system.unlabelled()
    }

    /// Asks, and waits until the answer is there or `control` says that the search has to stop. The worker comes back if
    /// there is an answer, with the memory that it takes.
    pub(super) fn ask(
        self,
        question: Question,
        control: &RunControl,
    ) -> Result<(Reply, Option<(Self, u64)>), RunError> {
        let (answers, answer) = mpsc::channel();
        self.shared.states.store(0, Ordering::Relaxed);
        *self.shared.stop.lock().unwrap_or_else(PoisonError::into_inner) = None;
        drop(self.shared.take_known());
        // If the thread has come to an untimely end there is no answer either.
        let _ = self.questions.send((question, answers));
        let (mut taken, mut is_left_behind) = (0, false);
        let settled = loop {
            match answer.recv_timeout(INTERVAL) {
                Ok(settled) => break Some(settled),
                Err(mpsc::RecvTimeoutError::Disconnected) => break None,
                Err(mpsc::RecvTimeoutError::Timeout) => {}
            }
            self.shared.account(control, &mut taken);
            if let Err(shortfall) = control.check() {
                *self.shared.stop.lock().unwrap_or_else(PoisonError::into_inner) = Some(shortfall);
                break Some(answer.recv_timeout(PATIENCE).unwrap_or_else(|_| {
                    is_left_behind = true;
                    let report = self.shared.take_known().unwrap_or_else(|| Report::at_once(shortfall));
                    Ok(Reply::Report(Box::new(report)))
                }));
            }
        };
        self.shared.account(control, &mut taken);
        control.budget.give_back(taken);
        let Some(settled) = settled else {
            match self.thread.join() {
                Err(panic) => std::panic::resume_unwind(panic),
                Ok(()) => unreachable!("a thread that ends without a panic has answered"),
            }
        };
        let reply = settled?;
        let is_useful = match &reply {
            // What takes much room is in the way of those who are asked next.
            Reply::Report(report) => match report.verdict {
                Verdict::Undecided(Shortfall::Effort) => taken <= control.budget.limit_bytes() / KEPT_PART,
                Verdict::Undecided(_) => false,
                _ => true,
            },
            Reply::OutOfPatience(_) => true,
        };
        Ok((reply, (is_useful && !is_left_behind).then_some((self, taken))))
    }
}

impl Shared {
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
    /// Told by the search that this is the answer, whatever becomes of the rest.
    pub(super) fn publish(&self, report: Report) {
        *self.known.lock().unwrap_or_else(PoisonError::into_inner) = Some(report);
    }
    fn take_known(&self) -> Option<Report> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).take()
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
