//! What one thread of a search on disk does: it expands states, counts what happens, and collects the successors.

use crate::guide::Estimate;
use lariat_engine::{FailureKind, Options, RunControl};
use lariat_runs::error::Halt;
use lariat_runs::sorter::Sorter;
use lariat_space::{Outcome, State, StateSpace};
use lariat_subject::{Keep, StepLimits, Stop, Tally};
use lariat_system::Fault;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

/// What a search has to know, the same for all of its threads.
#[derive(Clone, Copy)]
pub(crate) struct Job<'a> {
    pub(crate) invalid_ends: bool,
    pub(crate) options: &'a Options,
    pub(crate) control: &'a RunControl,
    /// For a directed search.
    pub(crate) guide: Option<&'a dyn Estimate>,
    /// The search is given up where there are more states.
    pub(crate) most_states: Option<u64>,
}

/// One thread's working memory and figures.
pub(crate) struct Worker<'a, S: StateSpace> {
    space: &'a S,
    job: Job<'a>,
    scratch: S::Scratch,
    limits: StepLimits<'a>,
    pub(crate) sorter: Sorter<'a>,
    pub(crate) tally: Tally,
    /// The states that it expands at present.
    pub(crate) portion: Vec<u64>,
    /// A state with its estimate before it.
    record: Vec<u64>,
}

impl<'a, S: StateSpace> Worker<'a, S> {
    pub(crate) fn new(space: &'a S, job: Job<'a>, sorter: Sorter<'a>) -> Self {
        Self {
            space,
            job,
            scratch: space.scratch(),
            limits: StepLimits::new(job.control),
            sorter,
            tally: Tally::new(Keep::Least),
            portion: Vec::new(),
            record: Vec::new(),
        }
    }

    /// Collects the initial states.
    pub(crate) fn begin(&mut self) -> Result<(), Halt> {
        let Self { space, job, scratch, sorter, record, .. } = self;
        let flow = space.initial(scratch, |state| match collect(job.guide, None, state, record, sorter) {
            Ok(()) => ControlFlow::Continue(()),
            Err(halt) => ControlFlow::Break(halt),
        });
        flow.break_value().map_or(Ok(()), Err)
    }

    /// Expands the states of its portion. At the `horizon` nothing is followed: only dead ends are looked for.
    pub(crate) fn expand(&mut self, at: At, horizon: bool) -> Result<(), Halt> {
        let portion = std::mem::take(&mut self.portion);
        let words = self.space.words_per_state();
        let expanded = portion.chunks_exact(words).try_for_each(|state| self.expand_state(state, at, horizon));
        self.portion = portion;
        let counters = &self.job.control.counters;
        counters.transitions.fetch_add(self.tally.transitions - self.tally.shown, Ordering::Relaxed);
        self.tally.shown = self.tally.transitions;
        expanded
    }

    fn expand_state(&mut self, source: &State, at: At, horizon: bool) -> Result<(), Halt> {
        let Self { space, job, scratch, limits, sorter, tally, record, .. } = self;
        let At { depth, estimate } = at;
        let mut dead_end = true;
        let flow = space.steps(
            source,
            scratch,
            limits.limiting(
                |short| Some(Halt::from(short)),
                |step| {
                    dead_end = false;
                    if horizon {
                        return ControlFlow::Break(None);
                    }
                    let result = match step.target {
                        Outcome::State(target) => {
                            tally.take(step.via);
                            collect(job.guide, Some(estimate), target, record, sorter)
                        }
                        Outcome::Fault(fault) => {
                            assert!(
                                estimate <= 1 || is_pool(fault),
                                "an estimate is never more than the steps to a fault"
                            );
                            let kind = FailureKind::Fault(fault);
                            tally.fail(kind, depth, source, step.via, job.options).map_err(Halt::from)
                        }
                    };
                    result.map_or_else(|halt| ControlFlow::Break(Some(halt)), ControlFlow::Continue)
                },
            ),
        );
        // A break without a reason is the horizon.
        if let ControlFlow::Break(Some(halt)) = flow {
            return Err(halt);
        }
        if dead_end && job.invalid_ends && !space.is_proper_end(source, scratch) {
            assert!(estimate == 0, "an estimate is never more than the steps to a dead end");
            tally
                .fail(FailureKind::InvalidEnd, depth, source, &[], job.options)
                .map_err(|stop: Stop| Halt::from(stop))?;
        }
        Ok(())
    }

    /// What it has met since this was asked for.
    pub(crate) fn take_tally(&mut self) -> Tally {
        let mut tally = std::mem::replace(&mut self.tally, Tally::new(Keep::Least));
        tally.passed(self.space.passed(&self.scratch));
        tally
    }
}

/// Where the states stand that are expanded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At {
    /// So many steps lead there.
    pub(crate) depth: u64,
    /// And at least so many lead on to a failure; 0 without a guide.
    pub(crate) estimate: u64,
}

/// Collects a state: behind its estimate, if there is a guide. `before` is the estimate of the state that led there.
#[inline]
fn collect(
    guide: Option<&dyn Estimate>,
    before: Option<u64>,
    state: &State,
    record: &mut Vec<u64>,
    sorter: &mut Sorter<'_>,
) -> Result<(), Halt> {
    let Some(guide) = guide else { return sorter.push(state) };
    let estimate = guide.estimate(state);
    assert!(
        before.is_none_or(|before| before <= estimate + 1),
        "an estimate falls by one at most: {before:?}, {estimate}"
    );
    record.clear();
    record.push(estimate);
    record.extend_from_slice(state);
    sorter.push(record)
}

/// A full pool is a fault of the product that is met wherever the product is.
fn is_pool(fault: Fault) -> bool {
    matches!(fault, Fault::PoolFull(_))
}
