//! One worker's share of the states, and how it expands them.
//!
//! Every state belongs to one worker, by its hash. A worker stores the states that belong to it; successors that belong to others
//! are collected and sent in parcels. What was sent lately is not sent again: whole states are compared, so none is lost.

use crate::checkpoint::Checkpoints;
use crate::link::CREDIT;
use crate::parcel::WorkerId;
use crate::trouble::Lost;
use lariat_engine::{FailureKind, Options, RunControl};
use lariat_space::{Outcome, State, StateSpace};
use lariat_store::{Batch, Budget, FlatStore, Full, Handle, Origins, Recall, Store, hash_state};
use lariat_subject::{Keep, StepLimits, Stop, Tally};
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

/// A parcel with data has about this many words. A choice: other sizes were not measured.
const PARCEL_WORDS: usize = if cfg!(debug_assertions) { 64 } else { 4096 };
/// So many states are looked up in the store at a time.
const BATCH_LEN: usize = 256;
/// So many states are expanded before what was received is looked at.
const PORTION_LEN: u64 = 256;
/// So many states that were sent lately are remembered.
const RECENT_LEN: usize = 1 << 12;

/// Why a worker does not go on.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Halt {
    /// All stop for this reason.
    Stop(Stop),
    /// Others are lost.
    Lost,
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}
impl From<Lost> for Halt {
    fn from(_: Lost) -> Self {
        Self::Lost
    }
}

/// What a search has to know, the same for all workers.
#[derive(Clone, Copy)]
pub(crate) struct Job<'a> {
    pub(crate) invalid_ends: bool,
    pub(crate) options: &'a Options,
    pub(crate) control: &'a RunControl,
    /// Where complete levels are kept, if they are.
    pub(crate) checkpoints: Option<&'a Checkpoints>,
}

/// The worker that a state belongs to.
pub(crate) fn owner_of(hash: u64, workers: usize) -> WorkerId {
    // Other bits than those that the store sorts by.
    let mixed = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    ((mixed * workers as u64) >> 32) as WorkerId
}

/// One worker's states, its working memory and its figures.
pub(crate) struct Share<'a, S: StateSpace> {
    pub(crate) space: &'a S,
    pub(crate) job: Job<'a>,
    pub(crate) scratch: S::Scratch,
    pub(crate) limits: StepLimits<'a>,
    pub(crate) store: FlatStore<'a>,
    pub(crate) origins: Origins,
    pub(crate) batch: Batch,
    pub(crate) tally: Tally,
    pub(crate) outgoing: Outgoing,
    /// How many of its states the counters of the run show.
    shown_states: u64,
    _taken: Taken<'a>,
}

/// Successors that belong to others.
pub(crate) struct Outgoing {
    pub(crate) me: WorkerId,
    /// By worker.
    buffers: Vec<Vec<u64>>,
    recent: Vec<u64>,
    words: usize,
    pub(crate) sent_states: u64,
}

/// Memory of a worker that is taken from the budget for as long as it lives.
pub(crate) struct Taken<'a> {
    budget: &'a Budget,
    bytes: u64,
}

impl<'a> Taken<'a> {
    pub(crate) fn new(budget: &'a Budget, bytes: u64) -> Result<Self, Full> {
        budget.take(bytes)?;
        Ok(Self { budget, bytes })
    }
    /// Takes more.
    pub(crate) fn take(&mut self, bytes: u64) -> Result<(), Full> {
        self.budget.take(bytes)?;
        self.bytes += bytes;
        Ok(())
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.budget.give_back(self.bytes);
    }
}

impl Outgoing {
    fn new(me: WorkerId, workers: usize, words: usize) -> Self {
        let recent = if workers > 1 { vec![u64::MAX; RECENT_LEN * words] } else { Vec::new() };
        Self { me, buffers: vec![Vec::new(); workers], recent, words, sent_states: 0 }
    }
    /// The worker that the state belongs to.
    #[inline]
    pub(crate) fn owner(&self, state: &State) -> (WorkerId, u64) {
        match self.buffers.len() {
            1 => (0, 0),
            workers => {
                let hash = hash_state(state);
                (owner_of(hash, workers), hash)
            }
        }
    }
    /// Collects a state for the worker that it belongs to, unless it was sent there lately.
    #[inline]
    pub(crate) fn push_new(&mut self, to: WorkerId, hash: u64, state: &State) {
        let place = hash as usize % RECENT_LEN * self.words;
        let recent = &mut self.recent[place..place + self.words];
        // A place that was never used could be taken for a state of ones only.
        if recent == state && recent[0] != u64::MAX {
            return;
        }
        recent.copy_from_slice(state);
        self.push(to, state, &[]);
    }
    /// Collects a state and some words beside it.
    #[inline]
    pub(crate) fn push(&mut self, to: WorkerId, state: &State, more: &[u64]) {
        let buffer = &mut self.buffers[to];
        buffer.extend_from_slice(state);
        buffer.extend_from_slice(more);
        self.sent_states += 1;
    }
}

impl<'a, S: StateSpace> Share<'a, S> {
    pub(crate) fn new(space: &'a S, job: Job<'a>, me: WorkerId, workers: usize) -> Result<Self, Full> {
        let (words, budget) = (space.words_per_state(), &job.control.budget);
        let parcel_bytes = 2 * (8 * (PARCEL_WORDS + words)) as u64;
        let of_links = parcel_bytes * workers as u64 * (CREDIT as u64 + 1) + (8 * RECENT_LEN * words) as u64;
        let of_batch = Batch::most_bytes(words, BATCH_LEN) + Origins::most_bytes(words, PORTION_LEN as usize);
        let taken = Taken::new(budget, of_batch + if workers > 1 { of_links } else { 0 })?;
        Ok(Self {
            space,
            job,
            scratch: space.scratch(),
            limits: StepLimits::new(job.control),
            store: FlatStore::new(words, budget)?,
            origins: Origins::new(words),
            batch: Batch::new(words),
            tally: Tally::new(Keep::Least),
            outgoing: Outgoing::new(me, workers, words),
            shown_states: 0,
            _taken: taken,
        })
    }

    pub(crate) fn words(&self) -> usize {
        self.space.words_per_state()
    }
    pub(crate) fn len(&self) -> u64 {
        self.store.len()
    }

    /// Stores the initial states that belong to it. Every worker lists them all: no step leads there, so none is sent.
    pub(crate) fn begin(&mut self) -> Result<(), Stop> {
        let Self { space, scratch, store, origins, batch, tally, outgoing, .. } = self;
        let flow = space.initial(scratch, |state| {
            if outgoing.owner(state).0 == outgoing.me {
                batch.push(state, None);
                if batch.len() == BATCH_LEN {
                    return as_flow(probe(store, batch, origins, tally));
                }
            }
            ControlFlow::Continue(())
        });
        flow.break_value().flatten().map_or(Ok(()), Err)?;
        self.probe()
    }

    /// Makes the states with these numbers those to be expanded.
    pub(crate) fn recall(&mut self, numbers: impl Iterator<Item = u64>) {
        debug_assert!(self.batch.is_empty(), "what is in the batch has its origins there");
        let handles: Vec<Handle> = numbers.map(Handle).collect();
        self.store.recall(&handles, &mut self.origins);
    }

    /// Expands the given one of the recalled states, which `depth` steps lead to. At the `horizon` nothing is followed.
    pub(crate) fn expand(&mut self, number: usize, depth: u64, horizon: bool) -> Result<(), Stop> {
        let Self { space, job, scratch, limits, store, origins, batch, tally, outgoing, .. } = self;
        let (source, job) = (origins.state(number), *job);
        let mut dead_end = true;
        let flow = space.steps(
            source,
            scratch,
            limits.limiting(
                |short| Some(Stop::Short(short)),
                |step| {
                    dead_end = false;
                    if horizon {
                        return ControlFlow::Break(None);
                    }
                    match step.target {
                        Outcome::State(target) => {
                            tally.take(step.via);
                            let (owner, hash) = outgoing.owner(target);
                            if owner != outgoing.me {
                                outgoing.push_new(owner, hash, target);
                                return ControlFlow::Continue(());
                            }
                            batch.push(target, Some(number));
                            if batch.len() < BATCH_LEN {
                                return ControlFlow::Continue(());
                            }
                            as_flow(probe(store, batch, origins, tally))
                        }
                        Outcome::Fault(fault) => {
                            as_flow(tally.fail(FailureKind::Fault(fault), depth, source, step.via, job.options))
                        }
                    }
                },
            ),
        );
        // A break without a reason is the horizon.
        if let ControlFlow::Break(Some(stop)) = flow {
            return Err(stop);
        }
        if dead_end && job.invalid_ends && !space.is_proper_end(source, scratch) {
            tally.fail(FailureKind::InvalidEnd, depth, source, &[], job.options)?;
        }
        Ok(())
    }

    /// Stores states that another worker sent.
    pub(crate) fn store_received(&mut self, states: &[u64]) -> Result<(), Stop> {
        for state in states.chunks_exact(self.words()) {
            self.batch.push(state, None);
            if self.batch.len() == BATCH_LEN {
                self.probe()?;
            }
        }
        self.probe()
    }

    /// Looks up what waits in the batch.
    pub(crate) fn probe(&mut self) -> Result<(), Stop> {
        let Self { store, batch, origins, tally, .. } = self;
        probe(store, batch, origins, tally)
    }

    /// Whether what was collected for the worker is worth a parcel; or, at the end, whether there is something.
    pub(crate) fn is_worth_sending(&self, to: WorkerId, all: bool) -> bool {
        let len = self.outgoing.buffers[to].len();
        len >= PARCEL_WORDS || all && len > 0
    }
    /// What was collected for the worker.
    pub(crate) fn take_outgoing(&mut self, to: WorkerId) -> Vec<u64> {
        let buffer = &mut self.outgoing.buffers[to];
        let len = buffer.len();
        std::mem::replace(buffer, Vec::with_capacity(len))
    }
    /// Collects two words for a worker, this one included.
    pub(crate) fn push_words(&mut self, to: WorkerId, words: [u64; 2]) {
        self.outgoing.buffers[to].extend(words);
    }
    /// Forgets what was collected for others.
    pub(crate) fn discard_outgoing(&mut self) {
        self.outgoing.buffers.iter_mut().for_each(Vec::clear);
    }

    /// Shows progress.
    pub(crate) fn show(&mut self, waiting: u64) {
        let counters = &self.job.control.counters;
        let states = self.store.len();
        counters.states.fetch_add(states - self.shown_states, Ordering::Relaxed);
        self.shown_states = states;
        counters.transitions.fetch_add(self.tally.transitions - self.tally.shown, Ordering::Relaxed);
        self.tally.shown = self.tally.transitions;
        counters.waiting.store(waiting, Ordering::Relaxed);
    }

    /// Goes through numbers of states in portions: recalls each portion and does something with it.
    pub(crate) fn portions(numbers: std::ops::Range<u64>) -> impl Iterator<Item = std::ops::Range<u64>> {
        let end = numbers.end;
        numbers.step_by(PORTION_LEN as usize).map(move |first| first..end.min(first + PORTION_LEN))
    }
}

fn probe(store: &FlatStore<'_>, batch: &mut Batch, origins: &Origins, tally: &mut Tally) -> Result<(), Stop> {
    let probed = store.probe(batch, origins);
    for (number, _) in batch.fresh() {
        tally.digest = tally.digest.wrapping_add(hash_state(batch.state(number)));
    }
    batch.clear();
    Ok(probed?)
}

fn as_flow(result: Result<(), Stop>) -> ControlFlow<Option<Stop>> {
    result.map_or_else(|stop| ControlFlow::Break(Some(stop)), ControlFlow::Continue)
}
