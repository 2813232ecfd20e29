//! The failures a search has met.

use lariat_engine::FailureKind;
use lariat_space::Move;
use lariat_store::Handle;

/// Where a failure was met: enough to tell its trace later.
pub(crate) struct Sighting {
    pub(crate) kind: FailureKind,
    /// The last state of the run.
    pub(crate) state: Handle,
    /// For a fault, the actions of the step that ends in it.
    pub(crate) via: Vec<Move>,
}

/// The first failure of each kind, in the order they were met, and how many there were in all.
#[derive(Default)]
pub(crate) struct Failures {
    pub(crate) first_of_kind: Vec<Sighting>,
    pub(crate) count: u64,
}

impl Failures {
    pub(crate) fn add(&mut self, kind: FailureKind, state: Handle, via: &[Move]) {
        self.count += 1;
        if !self.first_of_kind.iter().any(|sighting| sighting.kind == kind) {
            self.first_of_kind.push(Sighting { kind, state, via: via.to_vec() });
        }
    }
}
