//! States side by side, in blocks that never move.
//!
//! The first blocks double in size, later ones all have about a mebibyte: a small run takes little, and a large one never
//! has more than a block to spare. A state's block follows from its number alone.

use crate::{Budget, Full};
use lariat_space::State;
use std::sync::atomic::{AtomicU64, Ordering};

const BLOCK_BYTES: usize = 1 << 20;
const FIRST_BLOCK_BITS: u32 = 6;
/// What a block costs beside its words.
const BLOCK_OVERHEAD_BYTES: u64 = 64;

/// A growing row of states. Writing goes through a shared reference: the caller sees to it that every number is written
/// by one thread, and read only after that thread has published it.
#[derive(Debug)]
pub(crate) struct Arena {
    words_per_state: usize,
    /// The first block has `1 << first_bits` states.
    first_bits: u32,
    /// Late blocks have `1 << block_bits` states.
    block_bits: u32,
    blocks: Vec<Box<[AtomicU64]>>,
    capacity: u64,
}

impl Arena {
    pub(crate) fn new(words_per_state: usize) -> Self {
        let block_bits = (BLOCK_BYTES / 8 / words_per_state.max(1)).max(1).ilog2();
        let first_bits = block_bits.min(FIRST_BLOCK_BITS);
        Self { words_per_state, first_bits, block_bits, blocks: Vec::new(), capacity: 0 }
    }
    /// How many states there is room for.
    pub(crate) fn capacity(&self) -> u64 {
        self.capacity
    }
    /// What was taken from the budget.
    pub(crate) fn bytes(&self) -> u64 {
        self.capacity * self.words_per_state as u64 * 8 + self.blocks.len() as u64 * BLOCK_OVERHEAD_BYTES
    }
    /// Adds a block.
    pub(crate) fn grow(&mut self, budget: &Budget) -> Result<(), Full> {
        // Block 0 holds the states below 1 << first_bits, block k those with k - 1 more bits; each but the first early one
        // is as large as all before it.
        let early = u64::from(self.block_bits - self.first_bits);
        let number = self.blocks.len() as u64;
        let states = match number {
            0 => 1 << self.first_bits,
            _ if number <= early => self.capacity,
            _ => 1 << self.block_bits,
        };
        let words = states as usize * self.words_per_state;
        let block = allocate(words, words as u64 * 8 + BLOCK_OVERHEAD_BYTES, budget)?;
        self.blocks.push(block);
        self.capacity += states;
        Ok(())
    }

    pub(crate) fn write(&self, number: u64, state: &State) {
        self.cells(number).iter().zip(state).for_each(|(cell, &word)| cell.store(word, Ordering::Relaxed));
    }
    pub(crate) fn read(&self, number: u64, state: &mut State) {
        self.cells(number).iter().zip(state).for_each(|(cell, word)| *word = cell.load(Ordering::Relaxed));
    }
    pub(crate) fn holds(&self, number: u64, state: &State) -> bool {
        self.cells(number).iter().zip(state).all(|(cell, &word)| cell.load(Ordering::Relaxed) == word)
    }

    fn cells(&self, number: u64) -> &[AtomicU64] {
        let (block, offset) = if number >> self.block_bits != 0 {
            let early = u64::from(self.block_bits - self.first_bits);
            (early + (number >> self.block_bits), number & ((1 << self.block_bits) - 1))
        } else if number >> self.first_bits != 0 {
            (u64::from(number.ilog2() - self.first_bits) + 1, number - (1 << number.ilog2()))
        } else {
            (0, number)
        };
        &self.blocks[block as usize][offset as usize * self.words_per_state..][..self.words_per_state]
    }
}

/// `count` zeros, paid for with `cost_bytes`. An allocator that has nothing left is a full budget.
pub(crate) fn allocate(count: usize, cost_bytes: u64, budget: &Budget) -> Result<Box<[AtomicU64]>, Full> {
    budget.take(cost_bytes)?;
    let mut cells = Vec::new();
    if cells.try_reserve_exact(count).is_err() {
        budget.give_back(cost_bytes);
        return Err(Full { limit_bytes: budget.limit_bytes() });
    }
    cells.resize_with(count, AtomicU64::default);
    Ok(cells.into_boxed_slice())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_cells_of_its_own() {
        for words in [1, 3, 5000, 200_000] {
            let budget = Budget::new(u64::MAX);
            let mut arena = Arena::new(words);
            let count = if words < 10 { 400_000 / words as u64 } else { 20 };
            while arena.capacity() < count {
                arena.grow(&budget).unwrap();
                assert_eq!(budget.used_bytes(), arena.bytes());
            }
            let state = |number: u64| (0..words as u64).map(|word| number * 1000 + word).collect::<Vec<_>>();
            (0..count).for_each(|number| arena.write(number, &state(number)));
            (0..count).for_each(|number| assert!(arena.holds(number, &state(number)), "{number} of {words} words"));
        }
    }
}
