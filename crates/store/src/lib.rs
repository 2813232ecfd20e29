//! Stores of visited states, all under one honest [`Budget`].
//!
//! Every store is used through a shared reference, by batches: expand, hash, prefetch, probe. A store says whether it is
//! exact; only a search over an exact one may conclude that a property holds.
//!
//! Below the stores are memories for searches that keep their own stack: see [`Visited`].

mod arena;
mod batch;
mod bits;
mod bitstate;
mod budget;
mod cache;
mod compact;
mod flat;
mod hybrid;
mod index;
mod interner;
mod key_store;
mod keys;
mod memo;
mod memory;
mod notes;
mod part_store;
mod sample;
mod tree;
mod unpack;
mod visited;

pub use batch::{Answer, Batch, Origins, hash_state};
pub use bitstate::Bitstate;
pub use budget::{Budget, Full};
pub use cache::{Cache, Replacement};
pub use compact::Compact;
pub use flat::FlatStore;
pub use hybrid::{Hybrid, TailWord};
pub use key_store::KeyStore;
pub use notes::{NoteWidth, Noted, Notes};
pub use part_store::{PartBatch, PartStore};
pub use sample::{Recaptured, Sample};
pub use tree::{NotedTree, TreeStore};
pub use unpack::unpack_keys;
pub use visited::{Figures, KnowsPath, Losses, Phase, Visited};

/// Names a state inside the store that holds it, for as long as the store lives.
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
    /// allow to add one, the answers end there. `origins` are those that the states were pushed with.
    fn probe(&self, batch: &mut Batch, origins: &Origins) -> Result<(), Full>;
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
    /// Makes the states named by `handles` the origins, in this order.
    fn recall(&self, handles: &[Handle], origins: &mut Origins);
}
