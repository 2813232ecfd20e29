//! What a search can be asked to write down about itself.

use lariat_space::{Move, State};

/// Watches one thread of a search. A kernel is compiled once for each: who records nothing costs nothing.
pub trait Recorder: Send {
    /// Whether it wants to be told of states that join the batch, and of the answers about them.
    const RECORDS: bool = true;
    /// One for another thread, which has seen nothing yet.
    fn another(&self) -> Self;
    /// The thread goes on to recall states.
    fn recalling(&mut self) {}
    /// The thread goes on to expand states.
    fn expanding(&mut self) {}
    /// The thread goes on to probe a batch.
    fn probing(&mut self) {}
    /// The thread goes on to tell of the answers about the batch, one after the other.
    fn noting(&mut self) {}
    /// The thread has nothing to do for the moment.
    fn resting(&mut self) {}
    /// A state joins the batch; these actions led to it, none for an initial state.
    fn offered(&mut self, via: &[Move]) {
        let _ = via;
    }
    /// The store's answer about the state of this number in the batch: whether it was new.
    fn answered(&mut self, number: usize, state: &State, new: bool) {
        let _ = (number, state, new);
    }
}

/// Records nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoRecorder;

impl Recorder for NoRecorder {
    const RECORDS: bool = false;
    fn another(&self) -> Self {
        Self
    }
}
