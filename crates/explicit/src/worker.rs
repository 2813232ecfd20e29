//! What one thread of a search does: expand states, count what happens, and offer the successors to the store.

use crate::batch_size::{BATCH_LEN, as_many};
use crate::record::Recorder;
use lariat_engine::{FailureKind, Options, RunControl};
use lariat_space::{LabelSet, Move, Outcome, PlainSteps, Sink, State, StateSpace, Step, StepRows, Underway};
use lariat_store::{Answer, Batch, Budget, Full, Handle, Origins, Recall, hash_state};
use lariat_subject::{Keep, StepLimits, Stop, Tally};
use lariat_system::ActionId;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

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
        let batch_len = as_many(Batch::bytes_per_state(words), BATCH_LEN);
        let portion_len = as_many(Origins::most_bytes(words, 1), portion_len);
        let buffer_bytes = Batch::most_bytes(words, batch_len) + Origins::most_bytes(words, portion_len);
        let buffers = Buffers::new(&job.control.budget, buffer_bytes)?;
        Ok(Self {
            space,
            job,
            scratch: space.scratch(),
            limits: StepLimits::new(job.control),
            origins: Origins::new(words),
            // A recorder asks about every state.
            batch: if R::RECORDS { Batch::new(words) } else { Batch::only_new(words) },
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
        let (batch_len, job) = (*batch_len, *job);
        let fresh = &mut fresh;
        let mut dead_end = true;
        let sink = Successors {
            store,
            job,
            source,
            number,
            depth,
            horizon,
            batch,
            batch_len,
            origins,
            tally,
            recorder,
            limits,
            fresh,
            dead_end: &mut dead_end,
        };
        let listed = space.steps(source, scratch, sink);
        as_result(listed)?;
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
        note_actions(&mut self.tally, &self.batch);
        self.tally.passed(self.space.passed(&self.scratch));
        (self.tally, self.recorder)
    }

    /// There is nothing to do for the moment.
    pub(crate) fn rest(&mut self) {
        self.recorder.resting();
    }
}

/// Takes the steps from a state: counts them, and puts what they lead to into the batch.
struct Successors<'w, 'a, T, R, F> {
    store: &'w T,
    job: Job<'a>,
    source: &'w State,
    /// Its number among the origins.
    number: usize,
    depth: u64,
    horizon: bool,
    batch: &'w mut Batch,
    batch_len: usize,
    origins: &'w Origins,
    tally: &'w mut Tally,
    recorder: &'w mut R,
    limits: &'w mut StepLimits<'a>,
    fresh: &'w mut F,
    /// Whether nothing was listed.
    dead_end: &'w mut bool,
}

impl<T: Recall, R: Recorder, F: FnMut(Handle, &State) -> Result<(), Full>> Successors<'_, '_, T, R, F> {
    /// Steps whose participants nobody asks for, as they were written down.
    #[inline(always)]
    fn push_rows(&mut self, mut rows: StepRows<'_>) -> ControlFlow<Option<Stop>> {
        loop {
            let Self { store, job, batch, batch_len, origins, tally, recorder, fresh, .. } = self;
            let rest = batch.push_rows(rows.words, rows.width, self.number, *batch_len);
            let (pushed, later) = rows.split_before(rest);
            tally.take_rows(&pushed);
            rows = later;
            if batch.len() < *batch_len {
                return ControlFlow::Continue(());
            }
            as_flow(probe(tally, *store, batch, origins, *recorder, job.control, *fresh))?;
        }
    }

    /// A step along these actions leads to the state. The caller has counted it.
    #[inline(always)]
    fn offer(&mut self, via: &[Move], target: &State) -> ControlFlow<Option<Stop>> {
        let Self { store, job, batch, batch_len, origins, tally, recorder, fresh, .. } = self;
        if R::RECORDS {
            recorder.offered(via);
        }
        batch.push(target, Some(self.number));
        if batch.len() == *batch_len {
            return as_flow(probe(tally, *store, batch, origins, *recorder, job.control, *fresh));
        }
        ControlFlow::Continue(())
    }
}

impl<T: Recall, R: Recorder, F: FnMut(Handle, &State) -> Result<(), Full>> Sink for Successors<'_, '_, T, R, F> {
    type Break = Option<Stop>;

    fn step(&mut self, step: Step<'_>) -> ControlFlow<Option<Stop>> {
        *self.dead_end = false;
        if self.horizon {
            return ControlFlow::Break(None);
        }
        match step.target {
            Outcome::State(target) => {
                self.tally.take(step.via);
                self.offer(step.via, target)
            }
            Outcome::Fault(fault) => {
                let kind = FailureKind::Fault(fault);
                as_flow(self.tally.fail(kind, self.depth, self.source, step.via, self.job.options))
            }
        }
    }

    #[inline]
    fn plain_steps<'s>(
        &mut self,
        _: &LabelSet,
        via: &mut Vec<Move>,
        steps: impl PlainSteps<'s>,
    ) -> ControlFlow<Option<Stop>> {
        *self.dead_end = false;
        if self.horizon {
            return ControlFlow::Break(None);
        }
        if R::RECORDS {
            for step in steps {
                step.write_moves(via);
                self.tally.take(via);
                self.offer(via, step.target)?;
            }
            return ControlFlow::Continue(());
        }
        self.push_rows(steps.rows())
    }

    #[inline]
    fn step_rows(&mut self, rows: StepRows<'_>) -> Option<ControlFlow<Option<Stop>>> {
        if R::RECORDS {
            return None;
        }
        *self.dead_end = false;
        Some(if self.horizon { ControlFlow::Break(None) } else { self.push_rows(rows) })
    }

    fn underway(&mut self, underway: Underway) -> ControlFlow<Option<Stop>> {
        match self.limits.allow(underway) {
            Ok(()) => ControlFlow::Continue(()),
            Err(shortfall) => ControlFlow::Break(Some(Stop::Short(shortfall))),
        }
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
    note_actions(tally, batch);
    recorder.probing();
    let probed = store.probe(batch, origins);
    recorder.noting();
    let mut kept = Ok(());
    for (number, handle) in batch.fresh() {
        tally.digest = tally.digest.wrapping_add(hash_state(batch.state(number)));
        kept = kept.and(fresh(handle, batch.state(number)));
    }
    if R::RECORDS {
        for (number, answer) in batch.answers.iter().enumerate() {
            recorder.answered(number, batch.state(number), matches!(answer, Answer::New(_)));
        }
    }
    batch.clear();
    recorder.expanding();
    show(tally, store, control);
    probed.and(kept)?;
    control.check().map_err(Stop::Short)
}

/// Notes the first actions of the plain steps that wait in the batch.
#[inline]
fn note_actions(tally: &mut Tally, batch: &Batch) {
    for action in batch.first_actions().filter(|&action| action != u32::MAX) {
        tally.pass_one(ActionId(action));
    }
}

fn show<T: Recall>(tally: &mut Tally, store: &T, control: &RunControl) {
    let counters = &control.counters;
    counters.states.store(store.len(), Ordering::Relaxed);
    counters.transitions.fetch_add(tally.transitions - tally.shown, Ordering::Relaxed);
    tally.shown = tally.transitions;
}

/// A break without a reason is the sink's own business and no reason to stop.
pub(crate) fn as_result(flow: ControlFlow<Option<Stop>>) -> Result<(), Stop> {
    match flow {
        ControlFlow::Break(Some(stop)) => Err(stop),
        ControlFlow::Break(None) | ControlFlow::Continue(()) => Ok(()),
    }
}

pub(crate) fn as_flow(result: Result<(), Stop>) -> ControlFlow<Option<Stop>> {
    match result {
        Ok(()) => ControlFlow::Continue(()),
        Err(stop) => ControlFlow::Break(Some(stop)),
    }
}
