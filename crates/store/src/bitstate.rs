//! Some bits a state: a table of bits and several hash functions (Holzmann 1988; Bloom 1970).
//!
//! To visit a state is to set the bits that its hashes name; it was visited before if they were all set. They may have been
//! set by others: then the state, though new, is taken for known. Where the share `p` of the table is set and there are `k`
//! functions, this happens to one new state in `1 / p^k`; the sum of these chances over the search is what it is expected to
//! have omitted. (The printed estimate of Courcoubetis and others 1992, that no two of `n` states collide with probability
//! `e^(-n²/m)`, has one factor two too many in its exponent: it is `e^(-n(n-1)/2m)`, which is what the sum comes to for
//! `k = 1`.)
//!
//! Both phases of a nested search share the table, with other hashes: the bits of one state for two phases have nothing to do
//! with each other.
//!
//! If somebody else needs the memory, the table is folded: each pair of neighbouring bits becomes one, set if one of them
//! was. All that was visited is known as before, and a larger share of the bits is set.

use crate::memory::{Receipt, Slab};
use crate::visited::{Count, hash_seeded, scaled};
use crate::{Budget, Figures, Full, Phase, Sample, Visited};
use lariat_space::State;
use std::sync::atomic::{AtomicU64, Ordering};

/// A table of at least so many words is made of chunks.
const LEAST_IN_CHUNKS: usize = 1 << 12;
const MOST_CHUNKS: usize = 64;

/// A table of bits.
#[derive(Debug)]
pub struct Bitstate<'b> {
    receipt: Receipt<'b>,
    /// Of equal size, two to some power, so that half of them can be given up. The upper bits of a hash say which.
    chunks: Vec<Slab<AtomicU64>>,
    chunk_bits: usize,
    hashes: u32,
    seed: u64,
    set: u64,
    most_load: f64,
    count: Count,
    sample: Option<&'b Sample<'b>>,
}

impl<'b> Bitstate<'b> {
    /// The most hash functions there can be.
    pub const MAX_HASHES: u32 = 32;

    /// A table of `words` words of 64 bits with `hashes` hash functions, others for every seed.
    pub fn new(words: usize, hashes: u32, seed: u64, budget: &'b Budget) -> Result<Self, Full> {
        assert!((1..=Self::MAX_HASHES).contains(&hashes), "{hashes} hash functions");
        let words = words.max(1);
        let chunk_count = if words < LEAST_IN_CHUNKS { 1 } else { MOST_CHUNKS };
        let chunk_words = words / chunk_count;
        let mut receipt = Receipt::new(budget);
        let chunks: Result<Vec<_>, Full> = (0..chunk_count).map(|_| receipt.buy_sparse(chunk_words)).collect();
        let (chunks, chunk_bits) = (chunks?, chunk_words * 64);
        let count = Count::default();
        Ok(Self { receipt, chunks, chunk_bits, hashes, seed, set: 0, most_load: 0.0, count, sample: None })
    }

    /// The same; a sample is told of what the first search visits, to be compared with that of other tables.
    pub fn with_sample(self, sample: Option<&'b Sample<'b>>) -> Self {
        Self { sample, ..self }
    }

    /// A table that takes most of what is left of the budget: an eighth is for the stack and the rest of the search.
    pub fn most_of(budget: &'b Budget, hashes: u32, seed: u64) -> Result<Self, Full> {
        let left_bytes = budget.limit_bytes().saturating_sub(budget.used_bytes());
        Self::new((left_bytes / 8 * 7 / 8) as usize, hashes, seed, budget)
    }

    fn bit_count(&self) -> u64 {
        (self.chunks.len() * self.chunk_bits) as u64
    }
    fn load(&self) -> f64 {
        self.set as f64 / self.bit_count() as f64
    }

    /// Looks at the bits of a state, and sets them if `set` says so. Whether one of them was not set.
    #[inline]
    fn probe(&mut self, state: &State, phase: Phase, set: bool) -> bool {
        let (first, second) = hash_seeded(state, self.seed.wrapping_mul(2).wrapping_add(phase as u64));
        let mut new = false;
        let chunk_digits = self.chunks.len().trailing_zeros();
        for number in 0..u64::from(self.hashes) {
            // A new sum each time, the upper bits of which depend on all bits of both halves.
            let hash = first.wrapping_add((second | 1).wrapping_mul(number));
            let chunk = hash.unbounded_shr(u64::BITS - chunk_digits) as usize;
            let bit = scaled(hash << chunk_digits, self.chunk_bits);
            let word = &self.chunks[chunk][bit / 64];
            let (before, mask) = (word.load(Ordering::Relaxed), 1 << (bit % 64));
            if before & mask == 0 {
                new = true;
                if !set {
                    return true;
                }
                word.store(before | mask, Ordering::Relaxed);
                self.set += 1;
            }
        }
        new
    }
}

/// A bit for each pair of neighbours, set if one of them is.
fn halved(word: u64) -> u64 {
    let mut bits = (word | word >> 1) & 0x5555_5555_5555_5555;
    bits = (bits | bits >> 1) & 0x3333_3333_3333_3333;
    bits = (bits | bits >> 2) & 0x0f0f_0f0f_0f0f_0f0f;
    bits = (bits | bits >> 4) & 0x00ff_00ff_00ff_00ff;
    bits = (bits | bits >> 8) & 0x0000_ffff_0000_ffff;
    (bits | bits >> 16) & 0x0000_0000_ffff_ffff
}

impl Visited for Bitstate<'_> {
    fn contains(&mut self, state: &State, phase: Phase) -> Result<bool, Full> {
        Ok(!self.probe(state, phase, false))
    }

    fn enter(&mut self, state: &State, phase: Phase) -> Result<bool, Full> {
        let load = self.load();
        let new = self.probe(state, phase, true);
        if new {
            self.count.add(phase, load.powi(self.hashes as i32));
            self.most_load = self.most_load.max(self.load());
            if let (Some(sample), Phase::First) = (self.sample, phase) {
                sample.see(state);
            }
        }
        Ok(new)
    }

    fn leave(&mut self, _: &State, _: Phase) {}

    fn clear(&mut self) {
        if self.set > 0 {
            self.chunks.iter_mut().for_each(Slab::erase);
            self.set = 0;
        }
    }

    /// Folds the table: what pairs of chunks say, one can say less exactly. A state's bit `x` of chunk `2j + b` is bit
    /// `(b · n + x) / 2` of chunk `j` then, with `n` bits in a chunk, as the upper bits of its hash say.
    fn give_way(&mut self) -> bool {
        let chunk_words = self.chunk_bits / 64;
        if self.chunks.len() == 1 {
            return false;
        }
        self.set = 0;
        for number in 0..self.chunks.len() / 2 {
            for place in 0..chunk_words {
                let halves = [2 * place, 2 * place + 1].map(|from| {
                    let word = &self.chunks[2 * number + from / chunk_words][from % chunk_words];
                    halved(word.load(Ordering::Relaxed))
                });
                // What is overwritten was read before: it lies no further on.
                let word = halves[0] | halves[1] << 32;
                self.chunks[number][place].store(word, Ordering::Relaxed);
                self.set += u64::from(word.count_ones());
            }
        }
        let left = self.chunks.len() / 2;
        self.receipt.subtract(left as u64 * Slab::<AtomicU64>::cost_bytes(chunk_words));
        self.chunks.truncate(left);
        self.most_load = self.most_load.max(self.load());
        true
    }

    fn figures(&self) -> Figures {
        Figures {
            insertions: self.count.visited(Phase::First),
            evictions: 0,
            losses: Some(self.count.losses()),
            hashes: Some(self.hashes),
            load: Some(self.most_load),
        }
    }

    fn bytes(&self) -> u64 {
        self.receipt.bytes()
    }
}
