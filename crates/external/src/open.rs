//! The open buckets of a directed search (External A* of Edelkamp and Jabbar, section 4.2).
//!
//! A bucket has the states that so many steps were seen to lead to and that have so large an estimate; both together are `f`.
//! Buckets are taken in ascending order of `f`, then of steps. Its states wait in sorted runs, in memory as long as there is room.
//! A state may wait in several buckets, and may have been visited since it was put there: that is found out when the bucket
//! becomes a layer.

use lariat_runs::error::Halt;
use lariat_runs::join::Joining;
use lariat_runs::run::RunInfo;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Which bucket: `f`, then the steps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(crate) struct BucketKey {
    pub(crate) f: u64,
    pub(crate) steps: u64,
}

impl BucketKey {
    pub(crate) fn estimate(self) -> u64 {
        self.f - self.steps
    }
}

/// States that wait.
#[derive(Debug, Default)]
pub(crate) struct Bucket {
    /// Sorted runs in memory.
    pub(crate) memory: Vec<Vec<u64>>,
    pub(crate) runs: Vec<RunInfo>,
}

/// All that wait.
pub(crate) struct Open {
    most_words: usize,
    held_words: usize,
    buckets: BTreeMap<BucketKey, Bucket>,
}

impl Open {
    pub(crate) fn new(most_words: usize) -> Self {
        Self { most_words, held_words: 0, buckets: BTreeMap::new() }
    }

    /// Adds a sorted run.
    pub(crate) fn add(&mut self, key: BucketKey, states: Vec<u64>) {
        self.held_words += states.len();
        self.buckets.entry(key).or_default().memory.push(states);
    }
    pub(crate) fn add_run(&mut self, key: BucketKey, run: RunInfo) {
        self.buckets.entry(key).or_default().runs.push(run);
    }
    /// Whether memory has no room for more.
    pub(crate) fn is_full(&self) -> bool {
        self.held_words > self.most_words
    }

    /// The next bucket.
    pub(crate) fn pop(&mut self) -> Option<(BucketKey, Bucket)> {
        let (key, bucket) = self.buckets.pop_first()?;
        self.held_words -= bucket.memory.iter().map(Vec::len).sum::<usize>();
        Some((key, bucket))
    }
    pub(crate) fn put_back(&mut self, key: BucketKey, bucket: Bucket) {
        self.held_words += bucket.memory.iter().map(Vec::len).sum::<usize>();
        self.buckets.insert(key, bucket);
    }

    /// Puts everything on the disk that is in memory. What was put there stays if something goes wrong.
    pub(crate) fn spill(&mut self, joining: &Joining<'_>) -> Result<(), Halt> {
        for bucket in self.buckets.values_mut().filter(|bucket| !bucket.memory.is_empty()) {
            let run = joining.write_to_end(joining.union(&[], bucket.memory.iter().map(Vec::as_slice))?)?;
            self.held_words -= bucket.memory.drain(..).map(|run| run.len()).sum::<usize>();
            bucket.runs.push(run);
        }
        Ok(())
    }

    /// What a manifest says of it; all of it must be on the disk.
    pub(crate) fn saved(&self) -> Vec<(BucketKey, Vec<RunInfo>)> {
        debug_assert_eq!(self.held_words, 0, "it was spilled");
        self.buckets.iter().map(|(key, bucket)| (*key, bucket.runs.clone())).collect()
    }
    pub(crate) fn restore(&mut self, saved: Vec<(BucketKey, Vec<RunInfo>)>) {
        self.buckets = saved.into_iter().map(|(key, runs)| (key, Bucket { memory: Vec::new(), runs })).collect();
    }
}
