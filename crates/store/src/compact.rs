//! A fingerprint a state (hash compaction: Wolper, Leroy 1993; Stern, Dill 1995).
//!
//! A table of words, each with 62 bits that a state's hash gives it and one bit for each phase that visited it. Two states
//! with the same fingerprint are taken for one. With `n` fingerprints of `m` in the table a new state is omitted with
//! probability `n / m`: none of `n` is with probability `e^(-n(n-1)/2m)`.

use crate::memory::{Receipt, Slab};
use crate::visited::{Count, hash_seeded, scaled};
use crate::{Budget, Figures, Full, Phase, Visited};
use lariat_space::State;
use std::sync::atomic::{AtomicU64, Ordering};

/// A table of fingerprints, which grows.
#[derive(Debug)]
pub struct Compact<'b> {
    receipt: Receipt<'b>,
    table: Slab<AtomicU64>,
    len: usize,
    fingerprint_bits: u32,
    seed: u64,
    count: Count,
}

const PHASE_BITS: u32 = Phase::ALL.len() as u32;
const FIRST_LEN: usize = 1 << 10;

impl<'b> Compact<'b> {
    /// As many bits as there is room for.
    pub const MAX_FINGERPRINT_BITS: u32 = u64::BITS - PHASE_BITS;

    /// An empty table for fingerprints of so many bits, others for every seed.
    pub fn new(fingerprint_bits: u32, seed: u64, budget: &'b Budget) -> Result<Self, Full> {
        assert!((1..=Self::MAX_FINGERPRINT_BITS).contains(&fingerprint_bits), "{fingerprint_bits} bits");
        let mut receipt = Receipt::new(budget);
        let table = receipt.buy_sparse(FIRST_LEN)?;
        Ok(Self { receipt, table, len: 0, fingerprint_bits, seed, count: Count::default() })
    }

    fn fingerprint(&self, state: &State) -> u64 {
        hash_seeded(state, self.seed).0 >> (u64::BITS - self.fingerprint_bits)
    }

    /// Where the fingerprint is, or else where it would be.
    #[inline]
    fn place(&self, fingerprint: u64) -> (usize, u64) {
        let mut place = scaled(fingerprint << (u64::BITS - self.fingerprint_bits), self.table.len());
        loop {
            let entry = self.table[place].load(Ordering::Relaxed);
            if entry == 0 || entry >> PHASE_BITS == fingerprint {
                return (place, entry);
            }
            place += 1;
            if place == self.table.len() {
                place = 0;
            }
        }
    }

    /// Makes room for one more: a table of twice the size. The old one is there until the new one is filled, so before
    /// it could not be doubled once more, most of what is left is taken at once. At the limit the table is filled as far as
    /// can be.
    #[cold]
    fn grow(&mut self) -> Result<(), Full> {
        let (old_len, budget) = (self.table.len(), self.receipt.budget());
        let left_bytes = budget.limit_bytes().saturating_sub(budget.used_bytes());
        let left_len = left_bytes as usize / size_of::<u64>() / 8 * 7;
        let new_len = if left_len >= 5 * old_len { 2 * old_len } else { left_len };
        if new_len > old_len
            && let Ok(larger) = self.receipt.buy_sparse(new_len)
        {
            let smaller = std::mem::replace(&mut self.table, larger);
            for entry in smaller.iter().map(|cell| cell.load(Ordering::Relaxed)).filter(|&entry| entry != 0) {
                let (place, _) = self.place(entry >> PHASE_BITS);
                self.table[place].store(entry, Ordering::Relaxed);
            }
            drop(smaller);
            self.receipt.subtract(Slab::<AtomicU64>::cost_bytes(old_len));
            return Ok(());
        }
        if self.len < old_len / 64 * 63 { Ok(()) } else { Err(self.receipt.full()) }
    }
}

impl Visited for Compact<'_> {
    fn contains(&mut self, state: &State, phase: Phase) -> Result<bool, Full> {
        Ok(self.place(self.fingerprint(state)).1 >> (phase as u32) & 1 == 1)
    }

    fn enter(&mut self, state: &State, phase: Phase) -> Result<bool, Full> {
        let fingerprint = self.fingerprint(state);
        let (mut place, entry) = self.place(fingerprint);
        if entry >> (phase as u32) & 1 == 1 {
            return Ok(false);
        }
        let chance = self.len as f64 / 2_f64.powi(self.fingerprint_bits as i32);
        if entry == 0 {
            if self.len >= self.table.len() / 8 * 7 {
                self.grow()?;
                place = self.place(fingerprint).0;
            }
            self.len += 1;
        }
        self.table[place].store(entry | fingerprint << PHASE_BITS | 1 << (phase as u32), Ordering::Relaxed);
        self.count.add(phase, chance);
        Ok(true)
    }

    fn leave(&mut self, _: &State, _: Phase) {}

    fn clear(&mut self) -> bool {
        if self.len > 0 {
            self.table.erase();
            self.len = 0;
        }
        true
    }

    fn figures(&self) -> Figures {
        Figures {
            insertions: self.count.visited(Phase::First),
            losses: Some(self.count.losses()),
            bytes: self.receipt.bytes(),
            ..Figures::default()
        }
    }
}
