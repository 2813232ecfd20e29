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

use crate::memory::{Receipt, Slab};
use crate::visited::{Count, hash_seeded, scaled};
use crate::{Budget, Figures, Full, Phase, Visited};
use lariat_space::State;
use std::sync::atomic::{AtomicU64, Ordering};

/// A table of bits.
#[derive(Debug)]
pub struct Bitstate<'b> {
    receipt: Receipt<'b>,
    bits: Slab<AtomicU64>,
    hashes: u32,
    seed: u64,
    set: u64,
    most_set: u64,
    count: Count,
}

impl<'b> Bitstate<'b> {
    /// The most hash functions there can be.
    pub const MAX_HASHES: u32 = 32;

    /// A table of `words` words of 64 bits with `hashes` hash functions, others for every seed.
    pub fn new(words: usize, hashes: u32, seed: u64, budget: &'b Budget) -> Result<Self, Full> {
        assert!((1..=Self::MAX_HASHES).contains(&hashes), "{hashes} hash functions");
        let mut receipt = Receipt::new(budget);
        let bits = receipt.buy_sparse(words.max(1))?;
        Ok(Self { receipt, bits, hashes, seed, set: 0, most_set: 0, count: Count::default() })
    }

    /// A table that takes most of what is left of the budget: an eighth is for the stack and the rest of the search.
    pub fn most_of(budget: &'b Budget, hashes: u32, seed: u64) -> Result<Self, Full> {
        let left_bytes = budget.limit_bytes().saturating_sub(budget.used_bytes());
        Self::new((left_bytes / 8 * 7 / 8) as usize, hashes, seed, budget)
    }

    fn bit_count(&self) -> u64 {
        self.bits.len() as u64 * 64
    }

    /// Looks at the bits of a state, and sets them if `set` says so. Whether one of them was not set.
    #[inline]
    fn probe(&mut self, state: &State, phase: Phase, set: bool) -> bool {
        let (first, second) = hash_seeded(state, self.seed.wrapping_mul(2).wrapping_add(phase as u64));
        let mut new = false;
        for number in 0..u64::from(self.hashes) {
            // A new sum each time, the upper bits of which depend on all bits of both halves.
            let hash = first.wrapping_add((second | 1).wrapping_mul(number));
            let bit = scaled(hash, self.bits.len() * 64);
            let word = &self.bits[bit / 64];
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

impl Visited for Bitstate<'_> {
    fn contains(&mut self, state: &State, phase: Phase) -> Result<bool, Full> {
        Ok(!self.probe(state, phase, false))
    }

    fn enter(&mut self, state: &State, phase: Phase) -> Result<bool, Full> {
        let load = self.set as f64 / self.bit_count() as f64;
        let new = self.probe(state, phase, true);
        if new {
            self.count.add(phase, load.powi(self.hashes as i32));
            self.most_set = self.most_set.max(self.set);
        }
        Ok(new)
    }

    fn leave(&mut self, _: &State, _: Phase) {}

    fn clear(&mut self) {
        if self.set > 0 {
            self.bits.erase();
            self.set = 0;
        }
    }

    fn figures(&self) -> Figures {
        Figures {
            insertions: self.count.visited(Phase::First),
            evictions: 0,
            losses: Some(self.count.losses()),
            hashes: Some(self.hashes),
            load: Some(self.most_set as f64 / self.bit_count() as f64),
        }
    }

    fn bytes(&self) -> u64 {
        self.receipt.bytes()
    }
}
