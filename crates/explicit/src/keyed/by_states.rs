//! Listing from state to state, for what keys do not say.

use super::levels::MANY_WITHOUT_KEY;
use crate::worker::{Job, as_flow};
use lariat_engine::FailureKind;
use lariat_space::{KeyedSpace, Outcome, Sink, Step, Underway};
use lariat_subject::{StepLimits, Stop, Tally};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

/// Takes the steps from a state whose steps keys do not say.
pub(super) struct ByStates<'w, 'a, 's> {
    pub(super) keyed: &'w (dyn KeyedSpace<'s> + 's),
    /// Set when there are many states without a key.
    pub(super) pause: &'w AtomicBool,
    pub(super) depth: u64,
    pub(super) job: Job<'w>,
    pub(super) source: &'w [u64],
    pub(super) tally: &'w mut Tally,
    pub(super) limits: &'w mut StepLimits<'a>,
    pub(super) targets: &'w mut Vec<u64>,
    pub(super) without_key: &'w mut Vec<u64>,
    pub(super) is_dead_end: &'w mut bool,
}

impl Sink for ByStates<'_, '_, '_> {
    type Break = Option<Stop>;

    fn step(&mut self, step: Step<'_>) -> ControlFlow<Option<Stop>> {
        *self.is_dead_end = false;
        match step.target {
            Outcome::State(target) => {
                self.tally.take(step.via);
                if !self.keyed.pack(target, self.targets) {
                    self.without_key.extend_from_slice(target);
                    if self.without_key.len() >= MANY_WITHOUT_KEY * target.len() {
                        self.pause.store(true, Ordering::Relaxed);
                    }
                }
                ControlFlow::Continue(())
            }
            Outcome::Fault(fault) => {
                let kind = FailureKind::Fault(fault);
                as_flow(self.tally.fail(kind, self.depth, self.source, step.via, self.job.options))
            }
        }
    }

    fn underway(&mut self, underway: Underway) -> ControlFlow<Option<Stop>> {
        match self.limits.allow(underway) {
            Ok(()) => ControlFlow::Continue(()),
            Err(shortfall) => ControlFlow::Break(Some(Stop::Short(shortfall))),
        }
    }
}
