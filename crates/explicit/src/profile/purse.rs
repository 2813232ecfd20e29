//! The memory that a profile may take: a share of the run's budget. A profile that runs out of it tells less; it does not
//! stop the search.

use lariat_store::Budget;

/// The part of the budget that a profile leaves to the search is all but this fraction of it.
const SHARE: u64 = 8;

/// What all threads together may take.
#[derive(Debug)]
pub(crate) struct Purse<'a> {
    budget: &'a Budget,
    own: Budget,
}

impl<'a> Purse<'a> {
    pub(crate) fn new(budget: &'a Budget) -> Self {
        Self { budget, own: Budget::new(budget.limit_bytes() / SHARE) }
    }
}

/// What one thread has taken; given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Paid<'a> {
    purse: &'a Purse<'a>,
    bytes: u64,
}

impl<'a> Paid<'a> {
    pub(crate) fn new(purse: &'a Purse<'a>) -> Self {
        Self { purse, bytes: 0 }
    }
    /// Takes memory before it is allocated; whether there was enough.
    pub(crate) fn take(&mut self, bytes: u64) -> bool {
        if self.purse.own.take(bytes).is_err() {
            return false;
        }
        if self.purse.budget.take(bytes).is_err() {
            self.purse.own.give_back(bytes);
            return false;
        }
        self.bytes += bytes;
        true
    }
    /// Another one that has taken nothing.
    pub(crate) fn another(&self) -> Self {
        Self::new(self.purse)
    }
}

impl Drop for Paid<'_> {
    fn drop(&mut self) {
        self.purse.budget.give_back(self.bytes);
        self.purse.own.give_back(self.bytes);
    }
}
