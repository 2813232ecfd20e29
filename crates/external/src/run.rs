//! Sorted runs: states in ascending order, each once, in some blocks of a segment.

use crate::error::{DiskError, Halt};
use crate::segment::{BlockPlace, BlockReader, Folders, SegmentReader, SegmentWriter};
use crate::sort::gallop;
use lariat_store::{Budget, Full};
use serde::{Deserialize, Serialize};

/// Which blocks of which segment a run has.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct RunInfo {
    pub(crate) segment: String,
    /// Its first block, and the one behind its last.
    pub(crate) first: u64,
    pub(crate) end: u64,
    /// Where the first block begins that each folder has of it.
    pub(crate) offsets: Vec<u64>,
    pub(crate) states: u64,
    pub(crate) bytes: u64,
}

impl RunInfo {
    pub(crate) fn blocks(&self, folders: &Folders, words: usize) -> BlockReader {
        let reader = SegmentReader::new(folders, &self.segment, words);
        BlockReader::new(reader, self.first, self.end, self.offsets.clone())
    }
}

/// The first state of each block of a run, and where the block is.
#[derive(Debug)]
pub(crate) struct Index<'a> {
    budget: &'a Budget,
    words: usize,
    firsts: Vec<u64>,
    offsets: Vec<u64>,
    taken_bytes: u64,
}

impl<'a> Index<'a> {
    pub(crate) fn new(words: usize, budget: &'a Budget) -> Self {
        Self { budget, words, firsts: Vec::new(), offsets: Vec::new(), taken_bytes: 0 }
    }
    pub(crate) fn push(&mut self, first: &[u64], offset: u64) -> Result<(), Full> {
        if self.offsets.len() == self.offsets.capacity() {
            let more = self.offsets.len().max(16);
            let bytes = (8 * more * (self.words + 1)) as u64;
            self.budget.take(bytes)?;
            self.taken_bytes += bytes;
            self.offsets.reserve_exact(more);
            self.firsts.reserve_exact(more * self.words);
        }
        self.firsts.extend_from_slice(first);
        self.offsets.push(offset);
        Ok(())
    }
}

impl Drop for Index<'_> {
    fn drop(&mut self) {
        self.budget.give_back(self.taken_bytes);
    }
}

/// A run in which states can be looked up.
#[derive(Debug)]
pub(crate) struct Run<'a> {
    pub(crate) info: RunInfo,
    index: Index<'a>,
}

impl<'a> Run<'a> {
    /// Reads a run to see where its blocks are. Every block is checked.
    pub(crate) fn load(info: RunInfo, folders: &Folders, words: usize, budget: &'a Budget) -> Result<Self, Halt> {
        let mut index = Index::new(words, budget);
        let (mut blocks, mut states) = (info.blocks(folders, words), Vec::new());
        while let Some(place) = blocks.read(&mut states)? {
            index.push(&states[..words], place.offset)?;
        }
        Ok(Self { info, index })
    }
    pub(crate) fn lookup(&self, folders: &Folders) -> Lookup<'_> {
        let reader = SegmentReader::new(folders, &self.info.segment, self.index.words);
        Lookup { run: self, reader, block: None, states: Vec::new(), at: 0 }
    }
}

/// Looks up states in a run, in ascending order: blocks that cannot have them are not read.
pub(crate) struct Lookup<'r> {
    run: &'r Run<'r>,
    reader: SegmentReader,
    block: Option<usize>,
    states: Vec<u64>,
    at: usize,
}

impl Lookup<'_> {
    pub(crate) fn contains(&mut self, state: &[u64]) -> Result<bool, DiskError> {
        Ok(self.find(state)?.is_some_and(|found| found == state))
    }

    /// The first record that is not less than this, if it is in the block where this would be or begins the next one. A
    /// record with a number begins with its state, so one that begins with `state` is found by the state alone.
    pub(crate) fn find(&mut self, state: &[u64]) -> Result<Option<&[u64]>, DiskError> {
        let run = self.run;
        let Index { words, firsts, offsets, .. } = &run.index;
        let words = *words;
        let from = self.block.unwrap_or(0);
        let place = gallop(firsts, words, from, state);
        // The block before the first one that begins with something greater.
        let block = match firsts.get(place * words..(place + 1) * words) {
            Some(first) if first.starts_with(state) => return Ok(Some(first)),
            _ if place == 0 => return Ok(None),
            _ => place - 1,
        };
        if self.block != Some(block) {
            let place = BlockPlace { sequence: run.info.first + block as u64, offset: offsets[block] };
            self.reader.read(place, &mut self.states)?;
            (self.block, self.at) = (Some(block), 0);
        }
        self.at = gallop(&self.states, words, self.at, state);
        Ok(self.states.get(self.at * words..(self.at + 1) * words))
    }
}

impl Lookup<'_> {
    /// Goes to the first record that is not less than this; to be called with ascending ones. [`Lookup::record`] is there then.
    pub(crate) fn seek(&mut self, key: &[u64]) -> Result<(), DiskError> {
        let Index { words, firsts, .. } = &self.run.index;
        let place = gallop(firsts, *words, self.block.unwrap_or(0), key);
        // The block before the first one that begins with something not less, unless that was passed.
        let block = place.saturating_sub(1);
        if self.block.is_none_or(|now| now < block) {
            self.read_block(block)?;
        }
        self.at = gallop(&self.states, *words, self.at, key);
        if self.at * *words >= self.states.len() { self.next_block() } else { Ok(()) }
    }
    pub(crate) fn record(&self) -> Option<&[u64]> {
        let words = self.run.index.words;
        self.states.get(self.at * words..(self.at + 1) * words)
    }
    pub(crate) fn advance(&mut self) -> Result<(), DiskError> {
        self.at += 1;
        if self.at * self.run.index.words >= self.states.len() { self.next_block() } else { Ok(()) }
    }
    fn next_block(&mut self) -> Result<(), DiskError> {
        self.read_block(self.block.map_or(0, |block| block + 1))
    }
    /// Behind the last block there is nothing.
    fn read_block(&mut self, block: usize) -> Result<(), DiskError> {
        let Index { offsets, .. } = &self.run.index;
        (self.block, self.at) = (Some(block.min(offsets.len())), 0);
        match offsets.get(block) {
            Some(&offset) => {
                let place = BlockPlace { sequence: self.run.info.first + block as u64, offset };
                self.reader.read(place, &mut self.states).map(|_| ())
            }
            None => {
                self.states.clear();
                Ok(())
            }
        }
    }
}

/// Goes through the states of a run.
pub(crate) struct RunCursor {
    blocks: BlockReader,
    words: usize,
    states: Vec<u64>,
    at: usize,
}

impl RunCursor {
    /// At its first state.
    pub(crate) fn new(info: &RunInfo, folders: &Folders, words: usize) -> Result<Self, DiskError> {
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
    #[inline]
    pub(crate) fn state(&self) -> Option<&[u64]> {
        self.states.get(self.at..self.at + self.words)
    }
    #[inline]
    pub(crate) fn advance(&mut self) -> Result<(), DiskError> {
        self.at += self.words;
        if self.at >= self.states.len() { self.load() } else { Ok(()) }
    }
}

/// Writes a run at the end of a segment.
pub(crate) struct RunWriter<'w, 'a> {
    segment: &'w mut SegmentWriter,
    words: usize,
    block: Vec<u64>,
    block_words: usize,
    info: RunInfo,
    index: Option<Index<'a>>,
    bytes_before: u64,
}

impl<'w, 'a> RunWriter<'w, 'a> {
    pub(crate) fn new(segment: &'w mut SegmentWriter, words: usize, index: Option<Index<'a>>) -> Self {
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
    pub(crate) fn push(&mut self, state: &[u64]) -> Result<bool, Halt> {
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
            let place = self.segment.append(&self.block)?;
            if let Some(index) = &mut self.index {
                index.push(&self.block[..self.words], place.offset)?;
            }
            self.block.clear();
        }
        Ok(())
    }
    /// The run, with its index if there is one.
    pub(crate) fn finish(mut self) -> Result<(RunInfo, Option<Run<'a>>), Halt> {
        self.end_block()?;
        self.info.end = self.segment.next();
        self.info.bytes = self.segment.bytes() - self.bytes_before;
        let info = self.info;
        let run = self.index.map(|index| Run { info: info.clone(), index });
        Ok((info, run))
    }
}
