//! Finding the run that a saved trace describes.
//!
//! A file does not name the actions of a system: it tells of each action who did what, and perhaps not of every one. An
//! [`RunRecord`] is what it tells; [`find_run`] looks for a run of the system that fits it, with the reference evaluator
//! alone. Where several things that can happen fit, each is tried, the likeliest first; what was tried in vain, from the
//! same state at the same place of the record, is not tried again. The search has a bound, so that no file keeps us for
//! ever.
//!
//! Where a step can be made in many ways, those are not gone through: a record that tells [states and choices](KnownStates)
//! says which of them was made, and it is evaluated.

mod directed;
mod ending;
mod path;
mod search;

pub use ending::{ClaimedEnd, FoundEnd};
pub use search::{FoundRun, NoRun, find_run};

use crate::Event;
use lariat_system::reference::Valuation;
use lariat_system::{ActionId, ChoiceId};

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
    /// What it tells of states and choices, if it tells of them.
    fn known_states(&self) -> Option<&dyn KnownStates>;
}

/// What a record tells of states and of the values of choices.
pub trait KnownStates {
    /// The state that the run begins in; `None` if it is not told in full.
    fn initial_state(&self) -> Option<Valuation>;
    /// The state after an entry, if `before` is the one before it; `None` if it is not told in full. What a record never
    /// shows is as before.
    fn state_after(&self, entry: usize, before: &Valuation) -> Option<Valuation>;
    /// The values that an entry gives to choices of the action.
    fn choices(&self, entry: usize, action: ActionId) -> Vec<(ChoiceId, i64)>;
}

/// How an event matches a record.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct EventMatch {
    /// Of the events that can happen, those with the least doubt are tried first.
    pub doubt: u8,
    /// How many entries tell of the event; none if the record passes over it.
    pub entries: usize,
}
