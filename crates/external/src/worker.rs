//! What one thread of a search on disk does: it expands states, counts what happens, and collects the successors.

use crate::error::Halt;
use crate::sorter::Sorter;
use lariat_engine::{FailureKind, Options, RunControl};
use lariat_space::{Outcome, State, StateSpace};
use lariat_subject::{Keep, StepLimits, Stop, Tally};
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
pub(crate) struct Worker<'a, S: StateSpace> {
    space: &'a S,
    job: Job<'a>,
    scratch: S::Scratch,
    limits: StepLimits<'a>,
    pub(crate) sorter: Sorter<'a>,
    pub(crate) tally: Tally,
    /// The states that it expands at present.
    pub(crate) portion: Vec<u64>,
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
        }
    }

    /// Collects the initial states.
    pub(crate) fn begin(&mut self) -> Result<(), Halt> {
        let Self { space, scratch, sorter, .. } = self;
        let flow = space.initial(scratch, |state| match sorter.push(state) {
            Ok(()) => ControlFlow::Continue(()),
            Err(halt) => ControlFlow::Break(halt),
        });
        flow.break_value().map_or(Ok(()), Err)
    }

    /// Expands the states of its portion, which `depth` steps lead to. At the `horizon` nothing is followed: only dead ends
    /// are looked for.
    pub(crate) fn expand(&mut self, depth: u64, horizon: bool) -> Result<(), Halt> {
        let portion = std::mem::take(&mut self.portion);
        let words = self.space.words_per_state();
        let expanded = portion.chunks_exact(words).try_for_each(|state| self.expand_state(state, depth, horizon));
        self.portion = portion;
        let counters = &self.job.control.counters;
        counters.transitions.fetch_add(self.tally.transitions - self.tally.shown, Ordering::Relaxed);
        self.tally.shown = self.tally.transitions;
        expanded
    }

    fn expand_state(&mut self, source: &State, depth: u64, horizon: bool) -> Result<(), Halt> {
        let Self { space, job, scratch, limits, sorter, tally, .. } = self;
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
                            sorter.push(target)
                        }
                        Outcome::Fault(fault) => {
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
            tally
                .fail(FailureKind::InvalidEnd, depth, source, &[], job.options)
                .map_err(|stop: Stop| Halt::from(stop))?;
        }
        Ok(())
    }

    /// What it has met since this was asked for.
    pub(crate) fn take_tally(&mut self) -> Tally {
        let mut tally = std::mem::replace(&mut self.tally, Tally::new(Keep::Least));
        tally.pass(self.space.passed(&self.scratch).into_iter());
        tally
    }
}
