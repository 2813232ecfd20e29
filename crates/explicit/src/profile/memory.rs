//! The memory that a profile may take: a share of the run's budget. A profile that runs out of it has fewer details; it
//! does not stop the search.

use lariat_store::Budget;

/// A profile may take one part in `SHARE` of the budget.
const SHARE: u64 = 8;

/// The share of the budget for all threads of a profiled search together.
#[derive(Debug)]
pub(crate) struct ProfileBudget<'a> {
    budget: &'a Budget,
    own: Budget,
}

impl<'a> ProfileBudget<'a> {
    pub(crate) fn new(budget: &'a Budget) -> Self {
        Self { budget, own: Budget::new(budget.limit_bytes() / SHARE) }
    }
}

/// The memory that one thread has taken from the share; given back when dropped.
#[derive(Debug)]
pub(crate) struct ProfileMemory<'a> {
    share: &'a ProfileBudget<'a>,
    bytes: u64,
}

impl<'a> ProfileMemory<'a> {
    pub(crate) fn new(share: &'a ProfileBudget<'a>) -> Self {
        Self { share, bytes: 0 }
    }
    /// Takes memory before it is allocated; whether there was enough.
    pub(crate) fn take(&mut self, bytes: u64) -> bool {
        if self.share.own.take(bytes).is_err() {
            return false;
        }
        if self.share.budget.take(bytes).is_err() {
            self.share.own.give_back(bytes);
            return false;
        }
        self.bytes += bytes;
        true
    }
    /// Another one that has taken nothing.
    pub(crate) fn another(&self) -> Self {
        Self::new(self.share)
    }
}

impl Drop for ProfileMemory<'_> {
    fn drop(&mut self) {
        self.share.budget.give_back(self.bytes);
        self.share.own.give_back(self.bytes);
    }
}
