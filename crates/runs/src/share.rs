//! How the memory of a run is divided.
//!
//! Everything that a search on disk keeps in memory has a fixed size, so the memory limit is met by arithmetic and not by
//! running into it: the limit is cut into sixteen parts.

use crate::segment::buffer_bytes;
use crate::sorter::SorterShare;
use lariat_engine::{Disk, RunControl, Task};

/// More threads that look up visited states would have too many files open.
const MOST_LOOKUPS: u64 = 8;

/// The parts of each thread, and of all together.
#[derive(Clone, Copy, Debug)]
pub struct Shares {
    /// How many threads there are.
    pub threads: usize,
    /// For collecting successors.
    pub sorter: SorterShare,
    /// The most words of a layer that is kept in memory while it is expanded.
    pub layer_words: usize,
    /// The most words of earlier layers that are kept in memory.
    pub recent_words: usize,
    /// How many runs are merged at once.
    pub fan_in: usize,
    /// How many runs of visited states there are at most.
    pub visited_runs: usize,
    /// How many threads may look up visited states at once, beside the one that writes.
    pub lookups: usize,
    /// What the index of a run takes at most.
    pub index_bytes: u64,
    /// What is taken for all layers and buffers that have no owner.
    pub fixed_bytes: u64,
    /// Whether everything is as small as a test asks for.
    pub is_for_tests: bool,
}

/// Memory that further threads could not make use of.
const MOST_BYTES: u64 = 64 << 30;
/// Fewer runs than these, and every state is merged too often; more, and too many files are open.
const FAN_IN: (u64, u64) = (4, 32);
const VISITED_RUNS: (u64, u64) = (6, 12);
/// The same in tests.
const FEWEST: (u64, u64) = (3, 2);
/// Words of a record beside those of its state: an estimate, or a number and bits.
const FURTHER_WORDS: usize = 2;

impl Shares {
    /// With room for the buckets of a directed search, which has no caches.
    pub fn with_buckets(self) -> Self {
        Self { fixed_bytes: self.fixed_bytes + 2 * 8 * self.layer_words as u64, ..self }
    }

    /// For a search by the threads that the task asks for, in the memory that is free.
    pub fn of(task: &Task<'_>, words: usize, control: &RunControl) -> Self {
        let budget = &control.budget;
        let free = budget.limit_bytes().saturating_sub(budget.used_bytes());
        Self::within(free, task.options.threads.max(1), words, task.options.disk.as_ref())
    }

    /// For so many threads, in so many bytes; states have so many words.
    pub fn within(free_bytes: u64, wanted: usize, words: usize, disk: Option<&Disk>) -> Self {
        let free = free_bytes.min(MOST_BYTES);
        let part = free / 16;
        let state_bytes = 8 * words as u64;
        let buffer = buffer_bytes(words + FURTHER_WORDS, disk.map_or(1, |disk| disk.folders.len()).max(1));
        // A thread is of use if it has room for some blocks.
        let threads = wanted.min((part / buffer).max(1) as usize);
        let buffer_states = disk.and_then(|disk| disk.buffer_states);
        let (fan_in, visited_runs) = match buffer_states {
            None => {
                let within = |parts: u64, (least, most): (u64, u64)| parts.clamp(least, most);
                (within(part / buffer, FAN_IN), within(part / (2 * buffer), VISITED_RUNS))
            }
            Some(_) => FEWEST,
        };
        // The indexes of these runs, and of those that are made of them or searched for cycles.
        let indexes = visited_runs + 8;
        let index_bytes = if buffer_states.is_some() { 0 } else { part / indexes };
        // Each reads the runs of visited states by itself.
        let lookups = (threads as u64).saturating_sub(2).min(part / ((visited_runs + 3) * buffer)).min(MOST_LOOKUPS);
        let shares = |buffers: u64, cache: u64, layer: u64, recent: u64| Self {
            threads,
            sorter: SorterShare { buffer_bytes: buffers / threads as u64, cache_bytes: cache / threads as u64 },
            layer_words: (layer / 8) as usize,
            recent_words: (recent / 8) as usize,
            fan_in: fan_in as usize,
            visited_runs: visited_runs as usize,
            lookups: lookups as usize,
            index_bytes,
            is_for_tests: buffer_states.is_some(),
            // The present layer, the next one, and the earlier ones twice: they are merged beside themselves. All files that
            // are read at once, and what each thread reads and writes.
            fixed_bytes: 2 * layer
                + 2 * recent
                + (threads as u64 + fan_in + visited_runs + 4) * buffer
                + lookups * (visited_runs + 3) * buffer
                + indexes * index_bytes,
        };
        match buffer_states {
            None => shares(4 * part, 2 * part, part, 3 * part / 2),
            // For tests: everything is as small as that.
            Some(states) => {
                let bytes = states as u64 * state_bytes;
                shares(bytes * threads as u64, bytes * threads as u64 / 4, bytes, bytes)
            }
        }
    }
}
