//! Finding the run that somebody wrote down.
//!
//! A file does not name the actions of a system: it tells of each action who did what, and perhaps not of every one. An
//! [`Account`] is what it tells; [`retell`] looks for a run of the system that fits it, with the reference evaluator
//! alone. Where several things that can happen fit, each is tried, the likeliest first; what was tried in vain, from the
//! same state at the same place of the account, is not tried again. The search has a bound, so that no file keeps us for
//! ever.

mod ending;
mod path;
mod search;

pub use ending::{Claim, Ended};
pub use search::{Lost, Retold, retell};

use crate::Event;
use lariat_system::reference::Valuation;

/// What was written down of a run: entries, in order.
pub trait Account {
    /// How many entries there are.
    fn entry_count(&self) -> usize;
    /// For a run that goes on for ever: after the last entry it goes on with this one. The number of entries means that
    /// nothing happens any more.
    fn loop_start(&self) -> Option<usize>;
    /// Whether the run can have begun in this state.
    fn may_begin(&self, state: &Valuation) -> bool;
    /// How `event`, which can happen where the entries before `entry` have been told, goes together with the account;
    /// `None` if it does not. After the last entry `entry` is their number.
    fn telling(&self, entry: usize, event: &Event) -> Option<Telling>;
}

/// How an event goes together with an account.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Telling {
    /// Of the events that can happen, those with the least doubt are tried first.
    pub doubt: u8,
    /// How many entries tell of the event; none if the account passes over it.
    pub entries: usize,
}
