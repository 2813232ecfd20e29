//! Sorted runs: states in ascending order, each once, in some blocks of a segment.

use crate::error::{DiskError, Halt};
use crate::segment::{BlockReader, Folders, SegmentReader, SegmentWriter};
use crate::sort::gallop;
use serde::{Deserialize, Serialize};

/// Which blocks of which segment a run has.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RunInfo {
    /// The segment.
    pub segment: String,
    /// Its first block.
    pub first: u64,
    /// The one behind its last.
    pub end: u64,
    /// Where the first block begins that each folder has of it.
    pub offsets: Vec<u64>,
    /// How many states it has.
    pub states: u64,
    /// How many bytes they take.
    pub bytes: u64,
}

impl RunInfo {
    /// Its blocks, from the first one on.
    pub fn blocks(&self, folders: &Folders, words: usize) -> BlockReader {
        let reader = SegmentReader::new(folders, &self.segment, words);
        BlockReader::new(reader, self.first, self.end, self.offsets.clone())
    }
}

/// The first states of blocks of a run, and where these blocks are. Where it would become too large, only every second block is
/// kept, and then every fourth, and so on: so it has a fixed size, however long the run is.
#[derive(Debug)]
pub struct Index {
    words: usize,
    stripes: usize,
    /// Every block with a number that this divides is kept.
    stride: usize,
    blocks: usize,
    most_entries: usize,
    firsts: Vec<u64>,
    /// Where each folder goes on at the block.
    offsets: Vec<u64>,
}

impl Index {
    /// Of states of so many words, in so many bytes.
    pub fn new(words: usize, folders: &Folders, most_bytes: u64) -> Self {
        let stripes = folders.paths.len();
        let most_entries = ((most_bytes / (8 * (words + stripes) as u64)) as usize).max(LEAST_ENTRIES);
        Self { words, stripes, stride: 1, blocks: 0, most_entries, firsts: Vec::new(), offsets: Vec::new() }
    }
    fn entries(&self) -> usize {
        self.offsets.len() / self.stripes
    }
    /// The next block begins with this state.
    fn push(&mut self, first: &[u64], offsets: &[u64]) {
        if self.blocks.is_multiple_of(self.stride) && self.entries() == self.most_entries {
            self.stride *= 2;
            thin(&mut self.firsts, self.words);
            thin(&mut self.offsets, self.stripes);
        }
        if self.blocks.is_multiple_of(self.stride) {
            if self.entries() * self.words == self.firsts.capacity() {
                let more = self.entries().max(LEAST_ENTRIES).min(self.most_entries - self.entries());
                self.firsts.reserve_exact(more * self.words);
                self.offsets.reserve_exact(more * self.stripes);
            }
            self.firsts.extend_from_slice(first);
            self.offsets.extend_from_slice(offsets);
        }
        self.blocks += 1;
    }
}

const LEAST_ENTRIES: usize = 4;

/// Keeps every second entry.
fn thin(entries: &mut Vec<u64>, words: usize) {
    let kept = (entries.len() / words).div_ceil(2);
    for entry in 1..kept {
        entries.copy_within(2 * entry * words..(2 * entry + 1) * words, entry * words);
    }
    entries.truncate(kept * words);
}

/// A run in which states can be looked up.
#[derive(Debug)]
pub struct SortedRun {
    /// Where it is.
    pub info: RunInfo,
    index: Index,
}

impl SortedRun {
    /// Reads a run to see where its blocks are. Every block is checked.
    pub fn load(info: RunInfo, folders: &Folders, mut index: Index) -> Result<Self, Halt> {
        let (mut blocks, mut states) = (info.blocks(folders, index.words), Vec::new());
        loop {
            let offsets = blocks.offsets().to_vec();
            if blocks.read(&mut states)?.is_none() {
                return Ok(Self { info, index });
            }
            index.push(&states[..index.words], &offsets);
        }
    }
    /// Looks up states from the first one on.
    pub fn lookup(&self, folders: &Folders) -> Lookup<'_> {
        let blocks = self.info.blocks(folders, self.index.words);
        Lookup { run: self, blocks, block: None, states: Vec::new(), at: 0 }
    }
}

/// Looks up states in a run, in ascending order: blocks that cannot have them are not read, as far as the index tells.
pub struct Lookup<'r> {
    run: &'r SortedRun,
    blocks: BlockReader,
    /// The number of the block at hand.
    block: Option<usize>,
    states: Vec<u64>,
    at: usize,
}

impl Lookup<'_> {
    /// Whether the run has the state.
    pub fn contains(&mut self, state: &[u64]) -> Result<bool, DiskError> {
        Ok(self.find(state)?.is_some_and(|found| found == state))
    }

    /// The first record that is not less than this, if it is near: so one that begins with `state` is found by the state alone.
    pub fn find(&mut self, state: &[u64]) -> Result<Option<&[u64]>, DiskError> {
        let Index { words, firsts, stride, .. } = &self.run.index;
        let place = gallop(firsts, *words, self.block.map_or(0, |block| block / stride), state);
        match firsts.get(place * *words..(place + 1) * *words) {
            Some(first) if first.starts_with(state) => return Ok(Some(first)),
            _ if place == 0 => return Ok(None),
            _ => {}
        }
        self.go_to(place - 1, state)?;
        Ok(self.record())
    }

    /// Goes to the first record that is not less than this, of all that are left; to be called with ascending ones.
    /// [`Lookup::record`] is there then.
    pub fn seek(&mut self, key: &[u64]) -> Result<(), DiskError> {
        let Index { words, firsts, stride, .. } = &self.run.index;
        let now = self.block.map_or(0, |block| block / stride);
        // Before the first entry that is not less there may be such records, unless that was passed.
        let entry = gallop(firsts, *words, now, key).saturating_sub(1).max(now);
        self.go_to(entry, key)?;
        while self.record().is_none() && !self.states.is_empty() {
            self.next_block()?;
        }
        Ok(())
    }

    /// Goes to the first record not less than `key` of the blocks from the one of this entry up to the next entry's; behind the last
    /// of them if there is none.
    fn go_to(&mut self, entry: usize, key: &[u64]) -> Result<(), DiskError> {
        let Index { words, stride, stripes, offsets, blocks, .. } = &self.run.index;
        let first = entry * stride;
        if self.block.is_none_or(|block| block < first) && first < *blocks {
            let offsets = &offsets[entry * stripes..(entry + 1) * stripes];
            self.blocks.jump(self.run.info.first + first as u64, offsets);
            self.block = first.checked_sub(1);
            self.next_block()?;
        }
        let end = (first + stride).min(*blocks);
        while self.block.is_some_and(|block| block + 1 < end) && self.ends_before(key) {
            self.next_block()?;
        }
        self.at = gallop(&self.states, *words, self.at, key);
        Ok(())
    }
    fn ends_before(&self, key: &[u64]) -> bool {
        self.states.len().checked_sub(self.run.index.words).is_some_and(|last| self.states[last..] < *key)
    }

    /// The record at hand.
    pub fn record(&self) -> Option<&[u64]> {
        let words = self.run.index.words;
        self.states.get(self.at * words..(self.at + 1) * words)
    }
    /// Goes to the next record.
    pub fn advance(&mut self) -> Result<(), DiskError> {
        self.at += 1;
        if self.record().is_none() { self.next_block() } else { Ok(()) }
    }
    /// Behind the last block there is nothing.
    fn next_block(&mut self) -> Result<(), DiskError> {
        (self.block, self.at) = (Some(self.block.map_or(0, |block| block + 1)), 0);
        if self.blocks.read(&mut self.states)?.is_none() {
            self.states.clear();
        }
        Ok(())
    }
}

/// Goes through the states of a run.
pub struct RunCursor {
    blocks: BlockReader,
    words: usize,
    states: Vec<u64>,
    at: usize,
}

impl RunCursor {
    /// At its first state.
    pub fn new(info: &RunInfo, folders: &Folders, words: usize) -> Result<Self, DiskError> {
        let mut cursor = Self { blocks: info.blocks(folders, words), words, states: Vec::new(), at: 0 };
        cursor.load()?;
        Ok(cursor)
    }
    fn load(&mut self) -> Result<(), DiskError> {
        self.at = 0;
        if self.blocks.read(&mut self.states)?.is_none() {
            self.states.clear();
        }
        Ok(())
    }
    /// The state at hand; `None` behind the last.
    #[inline]
    pub fn state(&self) -> Option<&[u64]> {
        self.states.get(self.at..self.at + self.words)
    }
    /// Goes to the next state.
    #[inline]
    pub fn advance(&mut self) -> Result<(), DiskError> {
        self.at += self.words;
        if self.at >= self.states.len() { self.load() } else { Ok(()) }
    }
}

/// Writes a run at the end of a segment.
pub struct RunWriter<'w> {
    segment: &'w mut SegmentWriter,
    words: usize,
    block: Vec<u64>,
    block_words: usize,
    info: RunInfo,
    index: Option<Index>,
    bytes_before: u64,
}

impl<'w> RunWriter<'w> {
    /// A run behind what the segment has, with an index if it is to be looked up in.
    pub fn new(segment: &'w mut SegmentWriter, words: usize, index: Option<Index>) -> Self {
        let info = RunInfo {
            segment: segment.name().to_owned(),
            first: segment.next(),
            end: segment.next(),
            offsets: segment.lens(),
            states: 0,
            bytes: 0,
        };
        let (block_words, bytes_before) = (segment.states_per_block() * words, segment.bytes());
        Self { segment, words, block: Vec::with_capacity(block_words), block_words, info, index, bytes_before }
    }
    /// The next state; whether a block was completed.
    #[inline]
    pub fn push(&mut self, state: &[u64]) -> Result<bool, Halt> {
        self.block.extend_from_slice(state);
        self.info.states += 1;
        if self.block.len() < self.block_words {
            return Ok(false);
        }
        self.end_block()?;
        Ok(true)
    }
    fn end_block(&mut self) -> Result<(), Halt> {
        if !self.block.is_empty() {
            if let Some(index) = &mut self.index {
                index.push(&self.block[..self.words], &self.segment.lens());
            }
            self.segment.append(&self.block)?;
            self.block.clear();
        }
        Ok(())
    }
    /// The run, with its index if there is one.
    pub fn finish(mut self) -> Result<(RunInfo, Option<SortedRun>), Halt> {
        self.end_block()?;
        self.info.end = self.segment.next();
        self.info.bytes = self.segment.bytes() - self.bytes_before;
        let info = self.info;
        let run = self.index.map(|index| SortedRun { info: info.clone(), index });
        Ok((info, run))
    }
}
