//! From states in any order to sorted runs, in bounded memory.
//!
//! States wait in a buffer. A full buffer is sorted, and what is left without repetitions becomes a run on disk, unless that
//! made enough room. The runs of a sorter follow each other in one segment, until they are asked for. Before that a small cache drops states that came by lately: whatever it knows was pushed before, so it
//! is in a run or in the buffer, or is known to be visited.

use crate::error::Halt;
use crate::run::{RunInfo, RunWriter};
use crate::segment::{Folders, SegmentWriter};
use crate::sort::{Same, sort_records, sorts_beside};
use lariat_space::State;
use lariat_store::{Budget, Full, hash_state};
use std::sync::atomic::{AtomicU64, Ordering};

/// Collects states.
pub struct Sorter<'a> {
    folders: Folders,
    budget: &'a Budget,
    names: &'a AtomicU64,
    words: usize,
    same: Same,
    buffer: Vec<u64>,
    most_words: usize,
    is_sorted: bool,
    cache: Cache,
    segment: Option<SegmentWriter>,
    spilled: Vec<RunInfo>,
    taken_bytes: u64,
}

/// How much memory a sorter has.
#[derive(Clone, Copy, Debug)]
pub struct SorterShare {
    /// For the buffer that is sorted.
    pub buffer_bytes: u64,
    /// For states that came by lately.
    pub cache_bytes: u64,
}

impl<'a> Sorter<'a> {
    /// An empty one, whose memory is taken from the budget.
    pub fn new(
        folders: &Folders,
        words: usize,
        same: Same,
        share: SorterShare,
        names: &'a AtomicU64,
        budget: &'a Budget,
    ) -> Result<Self, Full> {
        let SorterShare { buffer_bytes, cache_bytes } = share;
        // Every number counts.
        let cache_bytes = if same == Same::Sum { 0 } else { cache_bytes };
        let state_bytes = 8 * words as u64 * if sorts_beside(words) { 3 } else { 1 };
        let most_states = (buffer_bytes / state_bytes).max(4);
        // While it grows, a quarter of it is there twice.
        let slot_bytes = 8 * words as u64 + 4;
        let slots = cache_bytes * 4 / (5 * slot_bytes);
        let taken_bytes = most_states * state_bytes + slots * slot_bytes * 5 / 4;
        budget.take(taken_bytes)?;
        Ok(Self {
            folders: folders.clone(),
            budget,
            names,
            words,
            same,
            buffer: Vec::new(),
            most_words: most_states as usize * words,
            is_sorted: true,
            cache: Cache::new(slots as usize, words),
            segment: None,
            spilled: Vec::new(),
            taken_bytes,
        })
    }

    /// Words of a record.
    pub fn words(&self) -> usize {
        self.words
    }
    /// Adds a state.
    #[inline]
    pub fn push(&mut self, state: &State) -> Result<(), Halt> {
        if self.cache.knows(state) {
            return Ok(());
        }
        if self.buffer.len() >= self.most_words {
            self.make_room()?;
        }
        if self.buffer.capacity() == 0 {
            self.buffer.reserve_exact(self.most_words);
        }
        self.buffer.extend_from_slice(state);
        self.is_sorted = false;
        Ok(())
    }

    #[cold]
    fn make_room(&mut self) -> Result<(), Halt> {
        self.sort();
        if self.buffer.len() > self.most_words / 2 { self.spill() } else { Ok(()) }
    }

    /// Sorts what is in the buffer.
    pub fn sort(&mut self) {
        if !std::mem::replace(&mut self.is_sorted, true) {
            sort_records(&mut self.buffer, self.words, self.same);
        }
    }

    /// Makes a run of the buffer.
    pub fn spill(&mut self) -> Result<(), Halt> {
        self.sort();
        if self.buffer.is_empty() {
            return Ok(());
        }
        let Self { folders, names, segment, words, .. } = self;
        let segment = segment.get_or_insert_with(|| {
            let name = format!("sort-{:06}", names.fetch_add(1, Ordering::Relaxed));
            SegmentWriter::new(folders, &name, *words)
        });
        let mut run = RunWriter::new(segment, self.words, None);
        for state in self.buffer.chunks_exact(self.words) {
            run.push(state)?;
        }
        let (info, _) = run.finish()?;
        segment.flush()?;
        self.spilled.push(info);
        self.buffer.clear();
        Ok(())
    }

    /// What is in the buffer, if it is sorted.
    pub fn buffered(&self) -> &[u64] {
        debug_assert!(self.is_sorted, "sorted before it is merged");
        &self.buffer
    }
    /// The runs that were made since this was asked for.
    pub fn take_spilled(&mut self) -> Result<Vec<RunInfo>, Halt> {
        if let Some(segment) = self.segment.take() {
            segment.leave()?;
        }
        Ok(std::mem::take(&mut self.spilled))
    }
    /// Forgets what is in the buffer and in runs: the segments of these.
    pub fn forget(&mut self) -> Vec<String> {
        self.clear();
        let segment = self.segment.take().map(|segment| segment.name().to_owned());
        segment.into_iter().chain(self.spilled.drain(..).map(|run| run.segment)).collect()
    }
    /// Forgets everything, what is known included.
    pub fn reset(&mut self) {
        self.clear();
        self.cache.tags.fill(0);
    }
    /// Forgets what is in the buffer, whose states are known from now on.
    pub fn clear(&mut self) {
        self.buffer.clear();
        self.is_sorted = true;
    }
}

impl Drop for Sorter<'_> {
    fn drop(&mut self) {
        self.budget.give_back(self.taken_bytes);
    }
}

/// States that came by lately, one in each slot. It grows with what it has seen: memory that is touched at random is expensive
/// until it was touched once.
struct Cache {
    words: usize,
    most_slots: usize,
    /// How often a state was put into a slot since it grew.
    puts: usize,
    /// Some bits of the hash; 0 where there is no state.
    tags: Vec<u32>,
    states: Vec<u64>,
}

const FIRST_SLOTS: usize = 1 << 12;

impl Cache {
    fn new(most_slots: usize, words: usize) -> Self {
        let slots = most_slots.min(FIRST_SLOTS);
        Self { words, most_slots, puts: 0, tags: vec![0; slots], states: vec![0; slots * words] }
    }

    /// Whether the state is there; it is afterwards.
    #[inline]
    fn knows(&mut self, state: &State) -> bool {
        if self.tags.is_empty() {
            return false;
        }
        let hash = hash_state(state);
        let slot = self.slot(hash);
        let tag = hash as u32 | 1;
        let known = &mut self.states[slot * self.words..(slot + 1) * self.words];
        if self.tags[slot] == tag && known == state {
            return true;
        }
        self.tags[slot] = tag;
        known.copy_from_slice(state);
        self.puts += 1;
        if self.puts > self.tags.len() / 2 && self.tags.len() < self.most_slots {
            self.grow();
        }
        false
    }

    #[inline]
    fn slot(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.tags.len() as u128) >> 64) as usize
    }

    #[cold]
    fn grow(&mut self) {
        let slots = (self.tags.len() * 4).min(self.most_slots);
        let tags = std::mem::replace(&mut self.tags, vec![0; slots]);
        let states = std::mem::replace(&mut self.states, vec![0; slots * self.words]);
        self.puts = 0;
        for (tag, state) in tags.into_iter().zip(states.chunks_exact(self.words)) {
            if tag != 0 {
                let slot = self.slot(hash_state(state));
                self.tags[slot] = tag;
                self.states[slot * self.words..(slot + 1) * self.words].copy_from_slice(state);
                self.puts += 1;
            }
        }
    }
}
