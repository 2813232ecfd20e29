//! Finding the run that a saved trace describes.
//!
//! A file does not name the actions of a system: it tells of each action who did what, and perhaps not of every one. An
//! [`RunRecord`] is what it tells; [`find_run`] looks for a run of the system that fits it, with the reference evaluator
//! alone. Where several things that can happen fit, each is tried, the likeliest first; what was tried in vain, from the
//! same state at the same place of the record, is not tried again. The search has a bound, so that no file keeps us for
//! ever.

mod ending;
mod path;
mod search;

pub use ending::{ClaimedEnd, FoundEnd};
pub use search::{FoundRun, NoRun, find_run};

use crate::Event;
use lariat_system::reference::Valuation;

/// A saved run: entries, in order.
pub trait RunRecord {
    /// How many entries there are.
    fn entry_count(&self) -> usize;
    /// For a run that goes on for ever: after the last entry it goes on with this one. The number of entries means that
    /// nothing happens any more.
    fn loop_start(&self) -> Option<usize>;
    /// Whether the run can have begun in this state.
    fn may_begin(&self, state: &Valuation) -> bool;
    /// How `event`, which can happen where the entries before `entry` have been matched, goes together with the record;
    /// `None` if it does not. After the last entry `entry` is their number.
    fn match_event(&self, entry: usize, event: &Event) -> Option<EventMatch>;
}

/// How an event matches a record.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct EventMatch {
    /// Of the events that can happen, those with the least doubt are tried first.
    pub doubt: u8,
    /// How many entries tell of the event; none if the record passes over it.
    pub entries: usize,
}
