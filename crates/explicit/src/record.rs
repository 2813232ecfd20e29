//! What a search can be asked to write down about itself.

use lariat_space::{Move, State};

/// Watches one thread of a search. A kernel is compiled once for each: who records nothing costs nothing.
pub trait Recorder: Clone + Send {
    /// The thread goes on to recall states.
    fn recalling(&mut self) {}
    /// The thread goes on to expand states.
    fn expanding(&mut self) {}
    /// The thread goes on to probe a batch.
    fn probing(&mut self) {}
    /// A state joins the batch; these actions led to it, none for an initial state.
    fn offered(&mut self, via: &[Move]) {
        let _ = via;
    }
    /// The store's answer about a state of the batch: its words if it was new.
    fn answered(&mut self, number: usize, new: Option<&State>) {
        let _ = (number, new);
    }
}

/// Nothing is written down.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Recorder for Silent {}
