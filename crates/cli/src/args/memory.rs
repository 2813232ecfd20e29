//! Options of `check` about memory.

use super::choices::{WhenFull, one_of, store_kind, when_full};
use crate::units::{parse_bytes, parse_count, parse_duration};
use clap::Args;
use lariat_engine::{Replacement, Split, StoreKind};
use std::path::PathBuf;
use std::time::Duration;

const SPLITS: [(&str, Split); 3] =
    [("demon", Split::Demon), ("claim,demon", Split::Claim), ("claim,fairness,demon", Split::ClaimFairness)];
const REPLACEMENTS: [(&str, Replacement); 3] =
    [("random", Replacement::Random), ("oldest", Replacement::Oldest), ("least-used", Replacement::LeastUsed)];

#[derive(Debug, Args)]
#[command(next_help_heading = "Memory")]
pub(crate) struct MemoryArgs {
    /// Memory limit, like `512M` or `4G` [default: 80 % of available memory]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, allow_negative_numbers = true)]
    pub(crate) memory: Option<u64>,
    /// How visited states are stored
    ///
    /// All of them: `tree`, `flat`, or `hybrid` (one entry for the states of a product that have the same state of the system,
    /// with some bits for each). In less memory: `cache` forgets states when memory is full, which costs time; `bitstate` and
    /// `compact` may miss states, so that the answer is never *holds*. An engine that does not work with a store says so, and
    /// which engines do
    #[arg(long, value_name = "S", default_value = "tree", value_parser = store_kind())]
    store: StoreKind,
    /// With `tree` and `flat`: what to do when memory is full: `stop`, or search again with another store (`cache`, `bitstate`) or
    /// another engine. `auto`: with `--engine auto`, search again on disk if the folder for temporary files has room; else stop
    #[arg(long, value_name = "HOW", default_value = "auto", value_parser = when_full(&lariat::engines()))]
    when_full: WhenFull,
    /// With `bitstate`: how many bits are set for a state [default: 3]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=32))]
    hashes: Option<u32>,
    /// With `bitstate` and `compact`: repeat the search N times, each with different hash functions; stop at the first failure
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) runs: u32,
    /// With `bitstate`, `compact` and `cache`: seed for the hash functions, or for what is forgotten [default: 0]
    #[arg(long, value_name = "N", value_parser = parse_count, allow_negative_numbers = true)]
    pub(crate) seed: Option<u64>,
    /// With `cache`: which state is forgotten: `random`, `oldest`, `least-used` [default: random]
    #[arg(long, value_name = "HOW", value_parser = one_of(&REPLACEMENTS))]
    replace: Option<Replacement>,
    /// With `hybrid`: what states with the same entry may differ in: `demon` (the state of the search), `claim,demon` (that of
    /// the automaton too), `claim,fairness,demon` (and which copy, where acceptance is by copies) [default:
    /// claim,fairness,demon]
    #[arg(long, value_name = "PARTS", value_parser = one_of(&SPLITS))]
    split: Option<Split>,
    /// With `--engine gpu`: the most memory of the graphics card, like `8G` [default: what is free]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, allow_negative_numbers = true)]
    pub(crate) gpu_memory: Option<u64>,
    /// A folder for what does not fit in memory: the states of a search on disk, or the search stack with `cache`, `bitstate`
    /// or `compact`. Repeatable: a search on disk spreads states over all of them [default for it: the folder for temporary
    /// files]. With `cluster`: where each process keeps the levels that are finished, so that the same command goes on from there, and its
    /// states when memory is full
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    pub(crate) disk: Vec<PathBuf>,
    /// For a search on disk, and for `cluster` with `--disk`: how often the state of the search is saved [default: 10s]
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, allow_negative_numbers = true)]
    pub(crate) checkpoint_every: Option<Duration>,
    /// For tests: the size of the buffers of a search on disk, in states
    #[arg(long, value_name = "N", hide = true)]
    pub(crate) buffer_states: Option<usize>,
}

impl MemoryArgs {
    /// The store with its options; or which option has no effect with it. `is_random` says whether the engine uses a seed.
    pub(crate) fn store_kind(&self, is_random: bool) -> Result<StoreKind, String> {
        let bits = matches!(self.store, StoreKind::Bitstate { .. }) || self.when_full == WhenFull::Bitstate;
        let cached = matches!(self.store, StoreKind::Cache { .. }) || self.when_full == WhenFull::Cache;
        if self.hashes.is_some() && !bits {
            return Err("`--hashes` needs `--store bitstate`".into());
        }
        if self.seed.is_some() && !is_random && !bits && !cached && self.store != StoreKind::Compact {
            return Err(
                "`--seed` needs `--store bitstate`, `compact` or `cache`: without them nothing is random".into()
            );
        }
        if self.replace.is_some() && !cached {
            return Err("`--replace` needs `--store cache`".into());
        }
        if self.split.is_some() && !matches!(self.store, StoreKind::Hybrid { .. }) {
            return Err("`--split` needs `--store hybrid`".into());
        }
        if !matches!(self.when_full, WhenFull::Auto | WhenFull::Stop)
            && !matches!(self.store, StoreKind::Tree | StoreKind::Flat)
        {
            return Err("`--when-full` needs `--store tree` or `--store flat`".into());
        }
        Ok(match self.store {
            StoreKind::Hybrid { split } => StoreKind::Hybrid { split: self.split.unwrap_or(split) },
            StoreKind::Bitstate { .. } => self.bitstate(),
            StoreKind::Cache { .. } => self.cache(),
            store @ (StoreKind::Tree | StoreKind::Flat | StoreKind::Compact) => store,
        })
    }
    /// What to go on with when memory is full.
    pub(crate) fn when_full(&self) -> Option<lariat::WhenFull> {
        match self.when_full {
            WhenFull::Auto | WhenFull::Stop => None,
            WhenFull::Cache => Some(lariat::WhenFull::Store(self.cache())),
            WhenFull::Bitstate => Some(lariat::WhenFull::Store(self.bitstate())),
            WhenFull::Engine(name) => Some(lariat::WhenFull::Engine(name)),
        }
    }

    /// Whether a search in memory may go on, on disk, without being asked to.
    pub(crate) fn may_go_to_disk(&self) -> bool {
        self.when_full == WhenFull::Auto && self.store == StoreKind::Tree && self.disk.is_empty()
    }

    /// Whether a search was asked to stop where memory is full.
    pub(crate) fn stops_when_full(&self) -> bool {
        self.when_full == WhenFull::Stop
    }

    fn bitstate(&self) -> StoreKind {
        StoreKind::Bitstate { hashes: self.hashes.unwrap_or(StoreKind::DEFAULT_HASHES) }
    }
    fn cache(&self) -> StoreKind {
        StoreKind::Cache { replacement: self.replace.unwrap_or_default() }
    }
}
