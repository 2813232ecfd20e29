//! One worker's share of the states, and how it expands them.
//!
//! Every state belongs to one worker, by its hash. A worker stores the states that belong to it; successors that belong to others
//! are collected and sent in parcels. What was sent lately is not sent again: whole states are compared, so none is lost.

use crate::ancestors::{Ancestors, NONE};
use crate::checkpoint::Checkpoints;
use crate::link::CREDIT;
use crate::parcel::WorkerId;
use crate::partition::Partition;
use crate::rows::{NoRows, RowReader, Rows};
use crate::trouble::Lost;
use lariat_engine::{FailureKind, Options, RunControl};
use lariat_space::{Outcome, State, StateSpace};
use lariat_store::{Answer, Batch, Budget, Full, Numbered, Origins, hash_state};
use lariat_subject::{Keep, StepLimits, Stop, Tally};
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

/// A parcel with data has about this many words. A choice: other sizes were not measured.
const PARCEL_WORDS: usize = if cfg!(debug_assertions) { 64 } else { 4096 };
/// So many full parcels may wait for a worker: more than what a portion of states has as a rule.
const MOST_FULL: usize = 4;
/// So many states are looked up in the store at a time.
const BATCH_LEN: usize = 256;
/// So many states are expanded before what was received is looked at.
const PORTION_LEN: u64 = 256;
/// So many states that were sent lately are remembered. With 2<sup>16</sup> a seventh fewer states are sent, and the search is slower: the
/// table must fit into the cache of a core, beside all else.
const RECENT_LEN: usize = 1 << 10;

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

/// Why states that were sent are not stored.
pub(crate) enum Received {
    Stop(Stop),
    /// They are no rows, or no states of this worker.
    Wrong,
}

impl From<Stop> for Received {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

/// What a search has to know, the same for all workers.
#[derive(Clone, Copy)]
pub(crate) struct Job<'a> {
    pub(crate) invalid_ends: bool,
    /// Whether the numbers of states that were there before are asked for, as a search for cycles does.
    pub(crate) numbers_known: bool,
    pub(crate) options: &'a Options,
    pub(crate) control: &'a RunControl,
    /// Where complete levels are kept, if they are.
    pub(crate) checkpoints: Option<&'a Checkpoints>,
}

/// One worker's states, its working memory and its figures.
pub(crate) struct Share<'a, S: StateSpace> {
    pub(crate) space: &'a S,
    pub(crate) job: Job<'a>,
    pub(crate) scratch: S::Scratch,
    pub(crate) limits: StepLimits<'a>,
    pub(crate) store: Numbered<'a>,
    pub(crate) origins: Origins,
    pub(crate) batch: Batch,
    /// The numbers of states that were looked up last.
    pub(crate) found: Vec<u64>,
    pub(crate) tally: Tally,
    pub(crate) outgoing: Outgoing,
    /// Of a search for cycles.
    pub(crate) ancestors: Option<Ancestors<'a>>,
    /// How many of its states the counters of the run show.
    shown_states: u64,
    _taken: Taken<'a>,
}

/// Successors that belong to others.
pub(crate) struct Outgoing {
    pub(crate) me: WorkerId,
    pub(crate) partition: Partition,
    /// By worker.
    buffers: Vec<Rows>,
    /// More waits for some worker than should be collected before it is sent.
    pub(crate) is_crowded: bool,
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
    /// What it takes of memory, with the parcels that are on their way.
    pub(crate) fn most_bytes(words: usize, workers: usize) -> u64 {
        let parcel_bytes = 2 * (8 * (PARCEL_WORDS + words)) as u64;
        match workers {
            1 => 0,
            _ => parcel_bytes * workers as u64 * (CREDIT + 1 + MOST_FULL) as u64 + (8 * RECENT_LEN * words) as u64,
        }
    }
    pub(crate) fn new(me: WorkerId, workers: usize, words: usize) -> Self {
        let recent = if workers > 1 { vec![u64::MAX; RECENT_LEN * words] } else { Vec::new() };
        let partition = Partition::whole(words, workers);
        Self {
            me,
            partition,
            buffers: vec![Rows::new(PARCEL_WORDS); workers],
            is_crowded: false,
            recent,
            words,
            sent_states: 0,
        }
    }
    /// The worker that the state belongs to.
    #[inline]
    pub(crate) fn owner(&self, state: &State) -> WorkerId {
        self.partition.owner(state)
    }
    /// Collects a state for the worker that it belongs to, and some words beside it, unless the state was sent there lately.
    #[inline]
    pub(crate) fn push_new(&mut self, to: WorkerId, state: &State, more: &[u64]) {
        let place = hash_state(state) as usize % RECENT_LEN * self.words;
        let recent = &mut self.recent[place..place + self.words];
        // A place that was never used could be taken for a state of ones only.
        if recent == state && recent[0] != u64::MAX {
            return;
        }
        recent.copy_from_slice(state);
        self.push(to, state, more);
    }
    /// Collects a state and some words beside it.
    #[inline]
    pub(crate) fn push(&mut self, to: WorkerId, state: &State, more: &[u64]) {
        self.buffers[to].push(state, more);
        self.is_crowded |= self.buffers[to].len_full() >= MOST_FULL;
        self.sent_states += 1;
    }
    /// Words of a state.
    pub(crate) fn words(&self) -> usize {
        self.words
    }
    /// Whether what was collected for the worker is worth a parcel; or, at the end, whether there is something.
    pub(crate) fn is_worth_sending(&self, to: WorkerId, all: bool) -> bool {
        let rows = &self.buffers[to];
        rows.len_full() > 0 || all && !rows.is_empty()
    }
    /// What was collected for the worker: the next parcel of it.
    pub(crate) fn take(&mut self, to: WorkerId) -> Vec<u64> {
        self.is_crowded = false;
        self.buffers[to].take()
    }
    /// Forgets what was collected.
    pub(crate) fn clear(&mut self) {
        self.buffers.iter_mut().for_each(Rows::clear);
        self.is_crowded = false;
    }
}

impl<'a, S: StateSpace> Share<'a, S> {
    pub(crate) fn new(space: &'a S, job: Job<'a>, me: WorkerId, workers: usize) -> Result<Self, Full> {
        let (words, budget) = (space.words_per_state(), &job.control.budget);
        let of_batch = Batch::most_bytes(words, BATCH_LEN) + Origins::most_bytes(words, PORTION_LEN as usize);
        let taken = Taken::new(budget, of_batch + Outgoing::most_bytes(words, workers))?;
        let store = if job.numbers_known { Numbered::new } else { Numbered::only_new };
        Ok(Self {
            space,
            job,
            scratch: space.scratch(),
            limits: StepLimits::new(job.control),
            store: store(words, budget)?,
            origins: Origins::new(words),
            batch: if job.numbers_known { Batch::new(words) } else { Batch::only_new(words) },
            found: Vec::new(),
            tally: Tally::new(Keep::Least),
            outgoing: Outgoing::new(me, workers, words),
            ancestors: None,
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
        let Self { space, scratch, store, origins, batch, tally, outgoing, ancestors, .. } = self;
        let flow = space.initial(scratch, |state| {
            if outgoing.owner(state) == outgoing.me {
                batch.push(state, None);
                note(ancestors, NONE);
                if batch.len() == BATCH_LEN {
                    return as_flow(probe(store, batch, origins, tally, ancestors));
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
        self.store.recall(numbers, &mut self.origins);
    }

    /// Expands the given one of the recalled states, which has this number and `depth` steps lead to. At the `horizon` nothing is
    /// followed.
    pub(crate) fn expand(&mut self, place: usize, number: u64, depth: u64, horizon: bool) -> Result<(), Stop> {
        let Self { space, job, scratch, limits, store, origins, batch, tally, outgoing, ancestors, .. } = self;
        let (source, job) = (origins.state(place), *job);
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
                            let along = ancestors.as_ref().map(|all| all.along(number, source, step.marks, target));
                            let owner = outgoing.owner(target);
                            if owner != outgoing.me {
                                outgoing.push_new(owner, target, along.as_slice());
                                return ControlFlow::Continue(());
                            }
                            batch.push(target, Some(place));
                            note(ancestors, along.unwrap_or(NONE));
                            if batch.len() < BATCH_LEN {
                                return ControlFlow::Continue(());
                            }
                            as_flow(probe(store, batch, origins, tally, ancestors))
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
    pub(crate) fn store_received(&mut self, rows: &[u64]) -> Result<(), Received> {
        let words = self.words();
        let mut rows = RowReader::new(rows, words + usize::from(self.ancestors.is_some()));
        while let Some(row) = rows.next().map_err(|NoRows| Received::Wrong)? {
            let (state, more) = row.split_at(words);
            // Otherwise it would be counted twice.
            if self.outgoing.owner(state) != self.outgoing.me {
                return Err(Received::Wrong);
            }
            self.store_one(state, more.first().copied().unwrap_or(NONE))?;
        }
        Ok(self.probe()?)
    }
    /// Stores states that were kept.
    pub(crate) fn store_kept(&mut self, states: &[u64]) -> Result<(), Stop> {
        states.chunks_exact(self.words()).try_for_each(|state| self.store_one(state, NONE))?;
        self.probe()
    }
    fn store_one(&mut self, state: &State, along: u64) -> Result<(), Stop> {
        self.batch.push(state, None);
        note(&mut self.ancestors, along);
        if self.batch.len() == BATCH_LEN { self.probe() } else { Ok(()) }
    }

    /// Looks up what waits in the batch.
    pub(crate) fn probe(&mut self) -> Result<(), Stop> {
        let Self { store, batch, origins, tally, ancestors, .. } = self;
        probe(store, batch, origins, tally, ancestors)
    }
    /// Forgets what waits in the batch.
    pub(crate) fn discard_batch(&mut self) {
        self.batch.clear();
        if let Some(ancestors) = &mut self.ancestors {
            ancestors.waiting.clear();
        }
    }

    /// Collects two words for a worker, this one included.
    pub(crate) fn push_words(&mut self, to: WorkerId, words: [u64; 2]) {
        self.outgoing.buffers[to].extend(words);
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

/// Notes the ancestor of the last state in the batch.
#[inline]
fn note(ancestors: &mut Option<Ancestors<'_>>, along: u64) {
    if let Some(ancestors) = ancestors {
        ancestors.waiting.push(along);
    }
}

fn probe(
    store: &mut Numbered<'_>,
    batch: &mut Batch,
    origins: &Origins,
    tally: &mut Tally,
    ancestors: &mut Option<Ancestors<'_>>,
) -> Result<(), Stop> {
    let probed = store.probe(batch, origins);
    for (number, _) in batch.fresh() {
        tally.digest = tally.digest.wrapping_add(hash_state(batch.state(number)));
    }
    if let Some(ancestors) = ancestors {
        let waiting = std::mem::take(&mut ancestors.waiting);
        for (answer, &along) in batch.answers.iter().zip(&waiting) {
            ancestors.arrive(answer.handle().0, matches!(answer, Answer::New(_)), along);
        }
        ancestors.waiting = waiting;
        ancestors.waiting.clear();
    }
    batch.clear();
    Ok(probed?)
}

fn as_flow(result: Result<(), Stop>) -> ControlFlow<Option<Stop>> {
    result.map_or_else(|stop| ControlFlow::Break(Some(stop)), ControlFlow::Continue)
}
