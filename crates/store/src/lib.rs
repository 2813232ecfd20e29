//! Stores of visited states, all under one honest [`Budget`].
//!
//! Every store is used through a shared reference, by batches: expand, hash, prefetch, probe. A store says whether it is
//! exact; only a search over an exact one may conclude that a property holds.

mod arena;
mod batch;
mod budget;
mod flat;

pub use batch::{Answer, Batch, hash_state};
pub use budget::{Budget, Full};
pub use flat::FlatStore;

use lariat_space::State;

/// Names a state inside the store that holds it. Handles of exact stores are dense: the states of a single-threaded
/// search are `0..len` in the order they were added.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Handle(pub u64);

/// Whether a store remembers every state it was given, and no others.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Exactness {
    /// It does.
    Exact,
    /// States may be taken for known that never were given.
    Lossy {
        /// The share of reachable states that the search is expected to have seen, 0 to 1.
        coverage: f64,
    },
}

/// A set of visited states.
///
/// Laws: a state is answered [`Answer::New`] at most once, whatever the number of threads; after that always
/// [`Answer::Known`] with the same handle. An exact store answers `New` for every state not given before. What a
/// store takes from its budget covers everything it allocates.
pub trait Store: Sync {
    /// Whether answers can be relied upon.
    fn exactness(&self) -> Exactness;
    /// Looks up every state of the batch, adds those that are absent, and answers each in turn. If the budget does not
    /// allow to add one, the answers end there.
    fn probe(&self, batch: &mut Batch) -> Result<(), Full>;
    /// The number of states.
    fn len(&self) -> u64;
    /// Whether no state was added.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// What it takes of memory now.
    fn bytes(&self) -> u64;
}

/// A store that gives its states back.
pub trait Recall: Store {
    /// Writes the state named by `handle` into `state`.
    fn recall(&self, handle: Handle, state: &mut State);
}
