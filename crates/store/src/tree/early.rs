//! The keys of the states that were kept whole before there were keys.
//!
//! Nearly all states that a search asks about are not among them. A bit for each of some hashes says so, for most of them.

use crate::interner::{Interner, mix};
use crate::memory::{Receipt, Slab};
use crate::{Budget, Full};
use std::sync::atomic::{AtomicU64, Ordering};

/// Hashes for each state.
const HASHES: u64 = 16;

#[derive(Debug)]
pub(crate) struct Early<'b> {
    /// By number of the state.
    keys: Interner<'b>,
    /// Two to the power of `bits` bits. One is set if a key has that hash.
    hashes: Slab<AtomicU64>,
    bits: u32,
    receipt: Receipt<'b>,
}

impl<'b> Early<'b> {
    /// Room for so many keys.
    pub(crate) fn new(states: u64, budget: &'b Budget) -> Result<Self, Full> {
        let mut receipt = Receipt::new(budget);
        let bits = (states * HASHES).next_power_of_two().ilog2().max(6);
        Ok(Self { keys: Interner::new(budget)?, hashes: receipt.buy(1 << (bits - 6))?, bits, receipt })
    }
    /// Adds the key of the next state.
    pub(crate) fn add(&mut self, key: u64) -> Result<(), Full> {
        self.keys.number_alone(key)?;
        let (word, bit) = self.place(key);
        *self.hashes[word].get_mut() |= bit;
        Ok(())
    }
    /// The number of the state with this key.
    #[inline(always)]
    pub(crate) fn number(&self, key: u64) -> Option<u32> {
        let (word, bit) = self.place(key);
        if self.hashes[word].load(Ordering::Relaxed) & bit == 0 { None } else { self.find(key) }
    }
    #[inline(never)]
    fn find(&self, key: u64) -> Option<u32> {
        self.keys.find(key)
    }
    /// The key of the state with this number.
    pub(crate) fn key(&self, number: u32) -> u64 {
        self.keys.word(number)
    }
    pub(crate) fn bytes(&self) -> u64 {
        self.keys.bytes() + self.receipt.bytes()
    }
    #[inline(always)]
    fn place(&self, key: u64) -> (usize, u64) {
        let hash = mix(key) >> (64 - self.bits);
        (hash as usize / 64, 1 << (hash % 64))
    }
}
