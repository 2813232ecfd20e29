//! What `check` is told about memory.

use crate::units::parse_bytes;
use clap::Args;
use lariat_engine::{Replacement, Split, StoreKind};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(next_help_heading = "Memory")]
pub(crate) struct MemoryArgs {
    /// The most memory to use, like `512M` or `4G` [default: 80 % of what there is]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub(crate) memory: Option<u64>,
    /// How states are remembered. All of them: `tree`, `flat`, or `hybrid` (one entry for the states of a product that have
    /// the same state of the system, with some bits for each). In less memory: `cache` (`dfs`, `magic`, `online`) forgets
    /// states when memory is full, which costs time; `bitstate` and `compact` (`dfs`, `magic`, `cvwy-a`, `cvwy-b`) may miss
    /// states, so that the answer is never *holds*
    #[arg(long, value_name = "S", default_value = "tree", value_parser = parse_store)]
    store: StoreName,
    /// With `tree` and `flat`: what to do when memory is full: `stop`, or search anew with `cache` or `bitstate`
    #[arg(long, value_name = "HOW", default_value = "stop", value_parser = parse_when_full)]
    when_full: WhenFull,
    /// With `bitstate`: how many bits are set for a state [default: 3]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=32))]
    hashes: Option<u32>,
    /// With `bitstate` and `compact`: search so often, each time with other hash functions, up to the first failure
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) runs: u32,
    /// For whatever is random: hash functions of `bitstate` and `compact`, what `cache` forgets
    #[arg(long, value_name = "N", default_value = "0")]
    pub(crate) seed: u64,
    /// With `cache`: which state is forgotten: `random`, `oldest`, `least-used` [default: random]
    #[arg(long, value_name = "HOW", value_parser = parse_replacement)]
    replace: Option<Replacement>,
    /// With `hybrid`: what states with the same entry may differ in: `demon` (the state of the search), `claim,demon` (that of
    /// the automaton too), `claim,fairness,demon` (and which copy, where acceptance is by copies) [default:
    /// claim,fairness,demon]
    #[arg(long, value_name = "PARTS", value_parser = parse_split)]
    split: Option<Split>,
    /// A folder for the stack of the search, where memory has no room for it
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    pub(crate) disk: Option<PathBuf>,
}

/// A store, as it is named.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StoreName {
    Tree,
    Flat,
    Hybrid,
    Bitstate,
    Compact,
    Cache,
}

fn parse_store(text: &str) -> Result<StoreName, String> {
    const NOW: &str = "`tree`, `flat`, `hybrid`, `bitstate`, `compact`, `cache`";
    match text {
        "tree" => Ok(StoreName::Tree),
        "flat" => Ok(StoreName::Flat),
        "bitstate" => Ok(StoreName::Bitstate),
        "compact" => Ok(StoreName::Compact),
        "cache" => Ok(StoreName::Cache),
        "hybrid" => Ok(StoreName::Hybrid),
        _ => Err(format!("there is no such store; this release has {NOW}")),
    }
}

fn parse_split(text: &str) -> Result<Split, String> {
    match text {
        "demon" => Ok(Split::Demon),
        "claim,demon" => Ok(Split::Claim),
        "claim,fairness,demon" => Ok(Split::ClaimFairness),
        _ => Err("states are split by `demon`, `claim,demon` or `claim,fairness,demon`".to_owned()),
    }
}

fn parse_replacement(text: &str) -> Result<Replacement, String> {
    match text {
        "random" => Ok(Replacement::Random),
        "oldest" => Ok(Replacement::Oldest),
        "least-used" => Ok(Replacement::LeastUsed),
        _ => Err("what is forgotten is `random`, `oldest` or `least-used`".to_owned()),
    }
}

fn parse_when_full(text: &str) -> Result<WhenFull, String> {
    match text {
        "stop" => Ok(WhenFull::Stop),
        "cache" => Ok(WhenFull::Cache),
        "bitstate" => Ok(WhenFull::Bitstate),
        _ => Err("when memory is full a search can `stop`, or go on as `cache` or `bitstate`".to_owned()),
    }
}

impl MemoryArgs {
    /// The store with what was said about it; why not, if something was said that it has no use for.
    pub(crate) fn store_kind(&self) -> Result<StoreKind, String> {
        let bits = self.store == StoreName::Bitstate || self.when_full == WhenFull::Bitstate;
        let cached = self.store == StoreName::Cache || self.when_full == WhenFull::Cache;
        if self.hashes.is_some() && !bits {
            return Err(
                "`--hashes` says how many bits are set for a state; there are some with `--store bitstate`".into()
            );
        }
        if self.replace.is_some() && !cached {
            return Err("`--replace` says which states are forgotten; some are with `--store cache`".into());
        }
        if self.split.is_some() && self.store != StoreName::Hybrid {
            return Err(
                "`--split` says what states in one entry differ in; there are such with `--store hybrid`".into()
            );
        }
        if self.when_full != WhenFull::Stop && !matches!(self.store, StoreName::Tree | StoreName::Flat) {
            return Err(
                "`--when-full` is for `--store tree` and `--store flat`; the other stores have their own way".into()
            );
        }
        Ok(match self.store {
            StoreName::Tree => StoreKind::Tree,
            StoreName::Flat => StoreKind::Flat,
            StoreName::Hybrid => StoreKind::Hybrid { split: self.split.unwrap_or_default() },
            StoreName::Bitstate => self.bitstate(),
            StoreName::Compact => StoreKind::Compact,
            StoreName::Cache => self.cache(),
        })
    }
    /// What to go on with when memory is full.
    pub(crate) fn next_rung(&self) -> Option<StoreKind> {
        match self.when_full {
            WhenFull::Stop => None,
            WhenFull::Cache => Some(self.cache()),
            WhenFull::Bitstate => Some(self.bitstate()),
        }
    }

    fn bitstate(&self) -> StoreKind {
        StoreKind::Bitstate { hashes: self.hashes.unwrap_or(StoreKind::DEFAULT_HASHES) }
    }
    fn cache(&self) -> StoreKind {
        StoreKind::Cache { replacement: self.replace.unwrap_or_default() }
    }
}

/// What to do when an exact store is full.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WhenFull {
    Stop,
    Cache,
    Bitstate,
}
