//! How states are remembered, as types that kernels can run with: what no kernel can do cannot be said here.

use lariat_engine::{Disk, Feature, Options, Refusal, Split, StoreKind};
use lariat_store::Replacement;

/// A store that keeps every state and gives it back by a handle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Keeping {
    Tree,
    Flat,
    Hybrid(Split),
}

/// A memory for a search that keeps the states it needs on a stack of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Visiting {
    Bitstate { hashes: u32 },
    Compact,
    Cache(Replacement),
}

/// One or the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Storage {
    Keeping(Keeping),
    Visiting(Visiting),
}

impl Storage {
    /// What was asked for.
    pub(crate) fn of(store: StoreKind) -> Self {
        match store {
            StoreKind::Tree => Self::Keeping(Keeping::Tree),
            StoreKind::Flat => Self::Keeping(Keeping::Flat),
            StoreKind::Hybrid { split } => Self::Keeping(Keeping::Hybrid(split)),
            StoreKind::Bitstate { hashes } => Self::Visiting(Visiting::Bitstate { hashes }),
            StoreKind::Compact => Self::Visiting(Visiting::Compact),
            StoreKind::Cache { replacement } => Self::Visiting(Visiting::Cache(replacement)),
        }
    }
}

/// An error if something is asked of the store that makes no sense with it. `has_stack` says whether the search keeps a stack
/// of whole states, which may go to a disk.
pub(crate) fn ensure_fits_store(options: &Options, has_stack: bool) -> Result<(), Refusal> {
    let Options { store, keep_going, profile, runs, ref disk, .. } = *options;
    let name = store.name();
    match () {
        _ if runs > 1 && !store.is_lossy() => Err(Refusal::because(
            Feature::Runs,
            format!("the store `{name}` misses no state, so further runs would find nothing new"),
        )),
        _ if disk.as_ref().is_some_and(Disk::is_given) && !has_stack => Err(Refusal::because(
            Feature::Disk,
            format!("with the store `{name}` it keeps no stack of states that could go to a disk"),
        )),
        _ if disk.as_ref().is_some_and(|disk| disk.folders.len() > 1) => {
            Err(Refusal::because(Feature::Disk, "its stack goes to one folder, so give `--disk` once"))
        }
        _ if profile && !store.keeps_all() => {
            Err(Refusal::because(Feature::Profile, format!("the store `{name}` does not keep all states")))
        }
        _ if keep_going && matches!(store, StoreKind::Cache { .. }) => Err(Refusal::because(
            Feature::KeepGoing,
            "a failure in a state that was forgotten would be counted each time it is met",
        )),
        () => Ok(()),
    }
}
