//! Whole states in bounded memory: what there is no room for is forgotten (Holzmann 1987; Jard, Jéron 1991).
//!
//! While there is memory, every state is kept. Then each new one takes the place of another, chosen by a [`Replacement`],
//! but never of a state on the path of the search: so a depth-first search still ends, and has still seen everything. It
//! may visit states again and again; how often is told by insertions and evictions. When all that is kept is on the path,
//! the memory is full.
//!
//! A state is an entry of some words in one of several chunks. Entries with the same lower bits of their hash are a chain.
//! If somebody else needs the memory, the last chunk is given up.

use crate::memory::{Receipt, Slab};
use crate::{Budget, Figures, Full, KnowsPath, Phase, Sample, Visited, hash_state};
use lariat_space::State;
use std::sync::atomic::{AtomicU32, Ordering};

/// Which state is forgotten when there is no room for another. States on the path never are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Replacement {
    /// Any, by chance.
    #[default]
    Random,
    /// One that was kept for a long time: places are taken in turn.
    Oldest,
    /// The one that was met again least often, of a few picked by chance.
    LeastUsed,
}

/// Some of the states that were visited.
#[derive(Debug)]
pub struct Cache<'b> {
    receipt: Receipt<'b>,
    words_per_state: usize,
    /// By lower bits of the hash: one more than the number of the chain's first entry; zero if there is none.
    heads: Slab<AtomicU32>,
    chunks: Vec<Vec<u64>>,
    chunk_bits: u32,
    /// The entries in use are those below this number.
    len: usize,
    most_entries: usize,
    replacement: Replacement,
    random: u64,
    /// Where the next entry is looked for whose turn it is.
    turn: usize,
    /// How many entries are on the path.
    open: usize,
    insertions: u64,
    evictions: u64,
    sample: Option<&'b Sample<'b>>,
}

/// The first word of an entry: the next one of the chain, one more than its number, in the lower half; then these bits; and
/// how often it was met again.
const NEXT: u64 = u32::MAX as u64;
const SEEN: u32 = 32;
const OPEN: u32 = 34;
const OPEN_MASK: u64 = 3 << OPEN;
const USES: u32 = 40;
const MOST_USES: u64 = u64::MAX >> USES;

const FIRST_HEADS: usize = 1 << 8;
/// About what a chunk takes.
const CHUNK_BYTES: usize = 1 << 15;
/// Of so many entries the least used is forgotten.
const SAMPLE: usize = 8;

impl<'b> Cache<'b> {
    /// An empty cache of at most so many states, if a number is given, and of as many as the budget allows.
    pub fn new(
        words_per_state: usize,
        most_states: Option<usize>,
        replacement: Replacement,
        seed: u64,
        budget: &'b Budget,
    ) -> Result<Self, Full> {
        let mut receipt = Receipt::new(budget);
        let heads = receipt.buy_sparse(FIRST_HEADS)?;
        let chunk_len = (CHUNK_BYTES / ((words_per_state + 1) * size_of::<u64>())).max(1);
        Ok(Self {
            receipt,
            words_per_state,
            heads,
            chunks: Vec::new(),
            chunk_bits: chunk_len.ilog2(),
            len: 0,
            most_entries: most_states.unwrap_or(usize::MAX).min(u32::MAX as usize - 1),
            replacement,
            random: seed ^ 0x9e37_79b9_7f4a_7c15,
            turn: 0,
            open: 0,
            insertions: 0,
            evictions: 0,
            sample: None,
        })
    }

    /// The same; a sample counts how often a state was new.
    pub fn with_sample(self, sample: Option<&'b Sample<'b>>) -> Self {
        Self { sample, ..self }
    }

    /// How many states are remembered now.
    pub fn len(&self) -> usize {
        self.len
    }
    /// Whether no state is remembered.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn chunk_bytes(&self) -> u64 {
        (((self.words_per_state + 1) << self.chunk_bits) * size_of::<u64>() + 2 * size_of::<Vec<u64>>()) as u64
    }
    #[inline]
    fn range(&self, entry: usize) -> (usize, std::ops::Range<usize>) {
        let begin = (entry & ((1 << self.chunk_bits) - 1)) * (self.words_per_state + 1);
        (entry >> self.chunk_bits, begin..begin + self.words_per_state + 1)
    }
    #[inline]
    fn entry(&self, entry: usize) -> &[u64] {
        let (chunk, range) = self.range(entry);
        &self.chunks[chunk][range]
    }
    #[inline]
    fn entry_mut(&mut self, entry: usize) -> &mut [u64] {
        let (chunk, range) = self.range(entry);
        &mut self.chunks[chunk][range]
    }
    #[inline]
    fn head(&self, state: &State) -> usize {
        hash_state(state) as usize & (self.heads.len() - 1)
    }

    /// The entry of a state, if it is remembered.
    #[inline]
    fn find(&self, state: &State) -> Option<usize> {
        let mut next = self.heads[self.head(state)].load(Ordering::Relaxed);
        while next != 0 {
            let entry = self.entry(next as usize - 1);
            if entry[1..] == *state {
                return Some(next as usize - 1);
            }
            next = (entry[0] & NEXT) as u32;
        }
        None
    }

    fn link(&mut self, entry: usize) {
        let head = self.head(&self.entry(entry)[1..]);
        let next = self.heads[head].load(Ordering::Relaxed);
        let first = &mut self.entry_mut(entry)[0];
        *first = *first & !NEXT | u64::from(next);
        self.heads[head].store(entry as u32 + 1, Ordering::Relaxed);
    }

    fn unlink(&mut self, entry: usize) {
        let head = self.head(&self.entry(entry)[1..]);
        let after = (self.entry(entry)[0] & NEXT) as u32;
        let mut at = self.heads[head].load(Ordering::Relaxed) as usize;
        if at == entry + 1 {
            self.heads[head].store(after, Ordering::Relaxed);
            return;
        }
        loop {
            let before = &mut self.entry_mut(at - 1)[0];
            at = (*before & NEXT) as usize;
            if at == entry + 1 {
                *before = *before & !NEXT | u64::from(after);
                return;
            }
        }
    }

    /// A number below `bound`: xorshift*.
    fn any_below(&mut self, bound: usize) -> usize {
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        crate::visited::scaled(self.random.wrapping_mul(0x2545_f491_4f6c_dd1d), bound)
    }

    /// The first entry from this one on, the first again after the last, that is not on the path. There is one.
    fn closed_from(&self, mut entry: usize) -> usize {
        loop {
            if entry >= self.len {
                entry = 0;
            }
            if self.entry(entry)[0] & OPEN_MASK == 0 {
                return entry;
            }
            entry += 1;
        }
    }

    /// The entry that is to be forgotten; some are not on the path.
    fn choose(&mut self) -> usize {
        match self.replacement {
            Replacement::Random => {
                let from = self.any_below(self.len);
                self.closed_from(from)
            }
            Replacement::Oldest => {
                let entry = self.closed_from(self.turn);
                self.turn = entry + 1;
                entry
            }
            Replacement::LeastUsed => {
                let mut least: Option<(u64, usize)> = None;
                for _ in 0..SAMPLE {
                    let from = self.any_below(self.len);
                    let entry = self.closed_from(from);
                    let found = (self.entry(entry)[0] >> USES, entry);
                    least = Some(least.map_or(found, |least| least.min(found)));
                }
                least.expect("there is a sample").1
            }
        }
    }

    /// An entry for a new state; another is forgotten if there is no room.
    fn make_room(&mut self) -> Result<usize, Full> {
        let is_spent = self.len == self.chunks.len() << self.chunk_bits;
        if self.len >= self.most_entries || is_spent && self.add_chunk().is_err() {
            if self.open == self.len {
                return Err(self.receipt.full());
            }
            let entry = self.choose();
            self.unlink(entry);
            self.evictions += 1;
            return Ok(entry);
        }
        self.len += 1;
        if self.len > 2 * self.heads.len() {
            self.add_heads();
        }
        Ok(self.len - 1)
    }

    #[cold]
    fn add_chunk(&mut self) -> Result<(), Full> {
        let bytes = self.chunk_bytes();
        self.receipt.add(bytes)?;
        let mut chunk = Vec::new();
        if chunk.try_reserve_exact((self.words_per_state + 1) << self.chunk_bits).is_err() {
            self.receipt.subtract(bytes);
            return Err(self.receipt.full());
        }
        chunk.resize((self.words_per_state + 1) << self.chunk_bits, 0);
        self.chunks.push(chunk);
        Ok(())
    }

    /// Makes chains shorter, if there is memory for it. The last entry in use belongs to no chain yet.
    #[cold]
    fn add_heads(&mut self) {
        let old_len = self.heads.len();
        let Ok(more) = self.receipt.buy_sparse(2 * old_len) else { return };
        self.heads = more;
        self.receipt.subtract(Slab::<AtomicU32>::cost_bytes(old_len));
        (0..self.len - 1).for_each(|entry| self.link(entry));
    }
}

impl Visited for Cache<'_> {
    fn contains(&mut self, state: &State, phase: Phase) -> Result<bool, Full> {
        let Some(entry) = self.find(state) else { return Ok(false) };
        let first = &mut self.entry_mut(entry)[0];
        if *first >> USES < MOST_USES {
            *first += 1 << USES;
        }
        Ok(*first >> (SEEN + phase as u32) & 1 == 1)
    }

    fn enter(&mut self, state: &State, phase: Phase) -> Result<bool, Full> {
        let found = self.find(state);
        let entry = match found {
            Some(entry) => entry,
            None => {
                let entry = self.make_room()?;
                self.entry_mut(entry)[0] = 0;
                self.entry_mut(entry)[1..].copy_from_slice(state);
                self.link(entry);
                entry
            }
        };
        let first = &mut self.entry_mut(entry)[0];
        if *first >> (SEEN + phase as u32) & 1 == 1 {
            return Ok(false);
        }
        let was_closed = *first & OPEN_MASK == 0;
        *first |= 1 << (SEEN + phase as u32) | 1 << (OPEN + phase as u32);
        self.open += usize::from(was_closed);
        self.insertions += u64::from(phase == Phase::First);
        if let (Some(sample), Phase::First) = (self.sample, phase) {
            sample.count(state);
        }
        Ok(true)
    }

    fn leave(&mut self, state: &State, phase: Phase) {
        let entry = self.find(state).expect("what is on the path is not forgotten");
        let first = &mut self.entry_mut(entry)[0];
        let was_open = *first & OPEN_MASK != 0;
        *first &= !(1 << (OPEN + phase as u32));
        let is_closed = *first & OPEN_MASK == 0;
        self.open -= usize::from(was_open && is_closed);
    }

    fn clear(&mut self) -> bool {
        self.heads.erase();
        (self.len, self.turn, self.open) = (0, 0, 0);
        true
    }

    /// The last chunk is given up. States of it that are on the path move to where others are forgotten.
    fn give_way(&mut self) -> bool {
        let Some(last) = self.chunks.len().checked_sub(1) else { return false };
        let begin = last << self.chunk_bits;
        if self.open > begin {
            return false;
        }
        let end = self.len;
        for entry in begin..end {
            self.unlink(entry);
        }
        self.len = self.len.min(begin);
        for entry in begin..end {
            if self.entry(entry)[0] & OPEN_MASK != 0 {
                let place = self.choose();
                self.unlink(place);
                let words = self.entry(entry).to_vec();
                self.entry_mut(place).copy_from_slice(&words);
                self.link(place);
            }
            self.evictions += 1;
        }
        self.chunks.pop();
        let bytes = self.chunk_bytes();
        self.receipt.subtract(bytes);
        true
    }

    fn figures(&self) -> Figures {
        // While nothing was forgotten every state was new once.
        let insertions_of_each = match self.evictions {
            0 => Some(1.0),
            _ => self.sample.map(|sample| sample.count_of_each().max(1.0)),
        };
        Figures {
            insertions: self.insertions,
            evictions: self.evictions,
            bytes: self.receipt.bytes(),
            insertions_of_each,
            ..Figures::default()
        }
    }
}

impl KnowsPath for Cache<'_> {
    fn is_open(&mut self, state: &State) -> Result<bool, Full> {
        Ok(self.find(state).is_some_and(|entry| self.entry(entry)[0] >> OPEN & 1 == 1))
    }
}
