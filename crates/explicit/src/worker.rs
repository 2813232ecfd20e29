//! What one thread of a search does: expand states, count what happens, and offer the successors to the store.

use crate::record::Recorder;
use lariat_engine::{FailureKind, Options, RunControl};
use lariat_space::{Outcome, State, StateSpace};
use lariat_store::{Answer, Batch, Budget, Full, Handle, Origins, Recall, hash_state};
use lariat_subject::{Keep, StepLimits, Stop, Tally};
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

/// States in a batch, where these are small.
pub(crate) const BATCH_LEN: usize = 256;
/// A batch is not to take much more than this.
const BATCH_BYTES: usize = 16 << 20;

/// The largest number of things of so many bytes, at most `most`, that fit in [`BATCH_BYTES`].
pub(crate) fn as_many(one_bytes: u64, most: usize) -> usize {
    (BATCH_BYTES / (one_bytes as usize).max(1)).clamp(1, most)
}

/// What a search has to know, the same for all of its threads.
#[derive(Clone, Copy)]
pub(crate) struct Job<'a> {
    pub(crate) invalid_ends: bool,
    pub(crate) options: &'a Options,
    pub(crate) control: &'a RunControl,
}

/// One thread's working memory and figures.
pub(crate) struct Worker<'a, S: StateSpace, R> {
    space: &'a S,
    job: Job<'a>,
    scratch: S::Scratch,
    limits: StepLimits<'a>,
    origins: Origins,
    batch: Batch,
    batch_len: usize,
    /// How many states are recalled at a time, at most.
    pub(crate) portion_len: usize,
    _buffers: Buffers<'a>,
    recorder: R,
    pub(crate) tally: Tally,
}

impl<'a, S: StateSpace, R: Recorder> Worker<'a, S, R> {
    /// A worker that recalls at most `portion_len` states at a time.
    pub(crate) fn new(space: &'a S, job: Job<'a>, portion_len: usize, keep: Keep, recorder: R) -> Result<Self, Full> {
        let words = space.words_per_state();
        let batch_len = as_many(Batch::most_bytes(words, 1), BATCH_LEN);
        let portion_len = as_many(Origins::most_bytes(words, 1), portion_len);
        let buffer_bytes = Batch::most_bytes(words, batch_len) + Origins::most_bytes(words, portion_len);
        let buffers = Buffers::new(&job.control.budget, buffer_bytes)?;
        Ok(Self {
            space,
            job,
            scratch: space.scratch(),
            limits: StepLimits::new(job.control),
            origins: Origins::new(words),
            batch: Batch::new(words),
            batch_len,
            portion_len,
            _buffers: buffers,
            recorder,
            tally: Tally::new(keep),
        })
    }

    /// Offers the initial states to the store; `fresh` is told of each.
    pub(crate) fn begin<T: Recall>(
        &mut self,
        store: &T,
        mut fresh: impl FnMut(Handle, &State) -> Result<(), Full>,
    ) -> Result<(), Stop> {
        let Self { space, job, scratch, batch, batch_len, origins, tally, recorder, .. } = self;
        recorder.expanding();
        as_result(space.initial(scratch, |state| {
            recorder.offered(&[]);
            batch.push(state, None);
            if batch.len() == *batch_len {
                as_flow(probe(tally, store, batch, origins, recorder, job.control, &mut fresh))
            } else {
                ControlFlow::Continue(())
            }
        }))?;
        self.probe(store, fresh)
    }

    /// Recalls the states to be expanded next.
    pub(crate) fn recall<T: Recall>(&mut self, store: &T, handles: &[Handle]) {
        self.recorder.recalling();
        store.recall(handles, &mut self.origins);
        self.recorder.expanding();
    }

    /// Expands the given one of the recalled states, which `depth` steps lead to. `fresh` is told of new states when a batch
    /// is full. At the `horizon` nothing is followed: only dead ends are looked for.
    pub(crate) fn expand<T: Recall>(
        &mut self,
        store: &T,
        number: usize,
        depth: u64,
        horizon: bool,
        mut fresh: impl FnMut(Handle, &State) -> Result<(), Full>,
    ) -> Result<(), Stop> {
        let Self { space, job, scratch, limits, batch, batch_len, origins, tally, recorder, .. } = self;
        let source = origins.state(number);
        let mut dead_end = true;
        as_result(space.steps(
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
                            recorder.offered(step.via);
                            batch.push(target, Some(number));
                            if batch.len() == *batch_len {
                                return as_flow(probe(tally, store, batch, origins, recorder, job.control, &mut fresh));
                            }
                            ControlFlow::Continue(())
                        }
                        Outcome::Fault(fault) => {
                            as_flow(tally.fail(FailureKind::Fault(fault), depth, source, step.via, job.options))
                        }
                    }
                },
            ),
        ))?;
        if dead_end && job.invalid_ends && !space.is_proper_end(source, scratch) {
            tally.fail(FailureKind::InvalidEnd, depth, source, &[], job.options)?;
        }
        Ok(())
    }

    /// Probes what waits in the batch.
    pub(crate) fn probe<T: Recall>(
        &mut self,
        store: &T,
        mut fresh: impl FnMut(Handle, &State) -> Result<(), Full>,
    ) -> Result<(), Stop> {
        let Self { job, batch, origins, tally, recorder, .. } = self;
        probe(tally, store, batch, origins, recorder, job.control, &mut fresh)
    }

    /// What it has met, and what was recorded.
    pub(crate) fn finish(mut self) -> (Tally, R) {
        self.tally.pass(self.space.passed(&self.scratch).into_iter());
        (self.tally, self.recorder)
    }

    /// There is nothing to do for the moment.
    pub(crate) fn rest(&mut self) {
        self.recorder.resting();
    }
}

/// What the buffers of a thread may take, for as long as it lives.
pub(crate) struct Buffers<'a> {
    budget: &'a Budget,
    bytes: u64,
}

impl<'a> Buffers<'a> {
    pub(crate) fn new(budget: &'a Budget, bytes: u64) -> Result<Self, Full> {
        budget.take(bytes)?;
        Ok(Self { budget, bytes })
    }
}

impl Drop for Buffers<'_> {
    fn drop(&mut self) {
        self.budget.give_back(self.bytes);
    }
}

/// Probes a batch, counts its new states and looks at the limits. `fresh` is told of each new state.
fn probe<T: Recall, R: Recorder>(
    tally: &mut Tally,
    store: &T,
    batch: &mut Batch,
    origins: &Origins,
    recorder: &mut R,
    control: &RunControl,
    fresh: &mut impl FnMut(Handle, &State) -> Result<(), Full>,
) -> Result<(), Stop> {
    recorder.probing();
    let probed = store.probe(batch, origins);
    recorder.noting();
    let mut kept = Ok(());
    for number in 0..batch.answers.len() {
        match batch.answers[number] {
            Answer::New(handle) => {
                tally.digest = tally.digest.wrapping_add(hash_state(batch.state(number)));
                kept = kept.and(fresh(handle, batch.state(number)));
            }
            Answer::Known(_) => {}
        }
        let new = matches!(batch.answers[number], Answer::New(_));
        recorder.answered(number, batch.state(number), new);
    }
    batch.clear();
    recorder.expanding();
    show(tally, store, control);
    probed.and(kept)?;
    control.check().map_err(Stop::Short)
}

fn show<T: Recall>(tally: &mut Tally, store: &T, control: &RunControl) {
    let counters = &control.counters;
    counters.states.store(store.len(), Ordering::Relaxed);
    counters.transitions.fetch_add(tally.transitions - tally.shown, Ordering::Relaxed);
    tally.shown = tally.transitions;
}

/// A break without a reason is the sink's own business and no reason to stop.
fn as_result(flow: ControlFlow<Option<Stop>>) -> Result<(), Stop> {
    match flow {
        ControlFlow::Break(Some(stop)) => Err(stop),
        ControlFlow::Break(None) | ControlFlow::Continue(()) => Ok(()),
    }
}

fn as_flow(result: Result<(), Stop>) -> ControlFlow<Option<Stop>> {
    match result {
        Ok(()) => ControlFlow::Continue(()),
        Err(stop) => ControlFlow::Break(Some(stop)),
    }
}
