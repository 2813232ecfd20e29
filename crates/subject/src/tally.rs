//! What a search counts.

use crate::{Failures, Keep};
use lariat_base::Id;
use lariat_engine::{FailureKind, Options, Shortfall};
use lariat_space::{Move, Passed, State, StepRows};
use lariat_store::Full;
use lariat_system::{ActionId, Fault};
use std::collections::BTreeSet;

/// Why a search ends before it has seen everything.
#[derive(Clone, Copy, Debug)]
pub enum Stop {
    /// A failure was met that ends the search.
    Failure,
    /// The pool was only a guess, and a wrong one: all that was seen says nothing.
    PoolTooSmall,
    /// A limit was met.
    Short(Shortfall),
}

impl From<Full> for Stop {
    fn from(full: Full) -> Self {
        Self::Short(full.into())
    }
}

impl From<Shortfall> for Stop {
    fn from(shortfall: Shortfall) -> Self {
        Self::Short(shortfall)
    }
}

/// Storing a state takes as long as so many actions of an atomic sequence.
const ACTIONS_OF_A_STORE: u64 = 8;

/// The work of a step.
#[inline]
pub fn work_of(via: &[Move]) -> u64 {
    1 + via.len() as u64 / ACTIONS_OF_A_STORE
}

/// What a thread of a search has met.
#[derive(Debug)]
pub struct Tally {
    /// Failures.
    pub failures: Failures,
    /// Steps.
    pub transitions: u64,
    /// The work of these.
    pub work: u64,
    /// Of all states, the sum of hashes.
    pub digest: u64,
    /// By action: whether it was taken and led somewhere.
    pub taken: Vec<bool>,
    /// Values that were truncated: see [`Passed::cuts`].
    pub cuts: BTreeSet<(ActionId, u16)>,
    /// How many of the steps the counters of the run show.
    pub shown: u64,
}

impl Tally {
    /// Nothing yet.
    pub fn new(keep: Keep) -> Self {
        Self {
            failures: Failures::new(keep),
            transitions: 0,
            work: 0,
            digest: 0,
            taken: Vec::new(),
            cuts: BTreeSet::new(),
            shown: 0,
        }
    }

    /// What the steps that were listed did not show.
    pub fn passed(&mut self, passed: Passed) {
        self.pass(passed.actions.into_iter());
        self.cuts.extend(passed.cuts);
    }

    /// A step to a state was taken.
    #[inline]
    pub fn take(&mut self, via: &[Move]) {
        self.transitions += 1;
        self.work += work_of(via);
        self.pass(via.iter().map(|step| step.action));
    }

    /// Plain steps were taken. Their first actions are told by [`pass_one`](Self::pass_one).
    #[inline]
    pub fn take_rows(&mut self, rows: &StepRows<'_>) {
        let count = rows.len() as u64;
        self.transitions += count;
        self.work += count;
        if let Some(hops_at) = rows.hops_at
            && !rows.hops.is_empty()
        {
            for row in rows.words.chunks_exact(rows.width) {
                self.work += (1 + row[hops_at]) / ACTIONS_OF_A_STORE;
            }
            rows.hops.iter().for_each(|&action| self.pass_one(ActionId(action)));
        }
    }

    /// This action was taken, and led somewhere.
    #[inline(always)]
    pub fn pass_one(&mut self, action: ActionId) {
        match self.taken.get_mut(action.index()) {
            Some(taken) => *taken = true,
            None => self.pass(std::iter::once(action)),
        }
    }

    /// These actions were taken, and led somewhere.
    #[inline]
    pub fn pass(&mut self, actions: impl Iterator<Item = ActionId>) {
        for action in actions.map(|action| action.index()) {
            if action >= self.taken.len() {
                self.taken.resize(action + 1, false);
            }
            self.taken[action] = true;
        }
    }

    /// A failure was met. An error if that is a pool which was only a guess.
    pub fn fail(
        &mut self,
        kind: FailureKind,
        depth: u64,
        state: &State,
        via: &[Move],
        options: &Options,
    ) -> Result<(), Stop> {
        self.failures.add(kind, depth, state, via);
        // Whether the last one led anywhere is told by another step.
        self.pass(via.iter().rev().skip(1).map(|step| step.action));
        let guessed_wrong = options.pool_may_grow && matches!(kind, FailureKind::Fault(Fault::PoolFull(_)));
        if guessed_wrong { Err(Stop::PoolTooSmall) } else { Ok(()) }
    }

    /// Adds what another thread met.
    pub fn merge(&mut self, other: Tally) {
        self.failures.merge(other.failures);
        self.transitions += other.transitions;
        self.work += other.work;
        self.digest = self.digest.wrapping_add(other.digest);
        self.cuts.extend(other.cuts);
        if self.taken.len() < other.taken.len() {
            self.taken.resize(other.taken.len(), false);
        }
        self.taken.iter_mut().zip(other.taken).for_each(|(mine, theirs)| *mine |= theirs);
    }
}
