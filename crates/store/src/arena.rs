//! Items of a fixed number of words side by side, in blocks that never move.
//!
//! The first blocks double in size, later ones all have two to four mebibytes: a small run takes little, and a large one
//! never has more than a block to spare. An item's block follows from its number alone.

use crate::memory::{LARGE_PAGE_BYTES, Receipt, Slab, prefetch};
use crate::{Budget, Full};
use std::sync::atomic::{AtomicU64, Ordering};

const FIRST_BLOCK_BITS: u32 = 6;

/// A growing row of items. Writing goes through a shared reference: the caller sees to it that every number is written
/// by one thread, and read only after that thread has published it.
#[derive(Debug)]
pub(crate) struct Arena<'b> {
    words_per_item: usize,
    /// The first block has `1 << first_bits` items.
    first_bits: u32,
    /// Late blocks have `1 << block_bits` items.
    block_bits: u32,
    blocks: Vec<Slab<AtomicU64>>,
    capacity: u64,
    receipt: Receipt<'b>,
}

impl<'b> Arena<'b> {
    pub(crate) fn new(words_per_item: usize, budget: &'b Budget) -> Self {
        // At least a large page.
        let block_bits = (LARGE_PAGE_BYTES / 8).div_ceil(words_per_item.max(1)).next_power_of_two().ilog2();
        let first_bits = block_bits.min(FIRST_BLOCK_BITS);
        let receipt = Receipt::new(budget);
        Self { words_per_item, first_bits, block_bits, blocks: Vec::new(), capacity: 0, receipt }
    }
    /// How many items there is room for.
    pub(crate) fn capacity(&self) -> u64 {
        self.capacity
    }
    /// What was taken from the budget.
    pub(crate) fn bytes(&self) -> u64 {
        self.receipt.bytes()
    }
    /// Adds a block.
    pub(crate) fn grow(&mut self) -> Result<(), Full> {
        // Block 0 holds the items below 1 << first_bits, block k those with k - 1 more bits; each but the first early one
        // is as large as all before it.
        let early = u64::from(self.block_bits - self.first_bits);
        let number = self.blocks.len() as u64;
        let items = match number {
            0 => 1 << self.first_bits,
            _ if number <= early => self.capacity,
            _ => 1 << self.block_bits,
        };
        self.blocks.push(self.receipt.buy(items as usize * self.words_per_item)?);
        self.capacity += items;
        Ok(())
    }

    pub(crate) fn write(&self, number: u64, item: &[u64]) {
        self.cells(number).iter().zip(item).for_each(|(cell, &word)| cell.store(word, Ordering::Relaxed));
    }
    pub(crate) fn read(&self, number: u64, item: &mut [u64]) {
        self.cells(number).iter().zip(item).for_each(|(cell, word)| *word = cell.load(Ordering::Relaxed));
    }
    pub(crate) fn holds(&self, number: u64, item: &[u64]) -> bool {
        self.cells(number).iter().zip(item).all(|(cell, &word)| cell.load(Ordering::Relaxed) == word)
    }
    /// The item will be read soon.
    pub(crate) fn prefetch(&self, number: u64) {
        // Eight words are a line.
        self.cells(number).iter().step_by(8).for_each(prefetch);
    }

    fn cells(&self, number: u64) -> &[AtomicU64] {
        let (block, offset) = self.place(number);
        &self.blocks[block][offset * self.words_per_item..][..self.words_per_item]
    }

    /// The block of an item, and how many items come before it there.
    #[inline]
    fn place(&self, number: u64) -> (usize, usize) {
        if number >> self.block_bits != 0 {
            let early = u64::from(self.block_bits - self.first_bits);
            ((early + (number >> self.block_bits)) as usize, (number & ((1 << self.block_bits) - 1)) as usize)
        } else if number >> self.first_bits != 0 {
            let bits = number.ilog2();
            ((bits - self.first_bits) as usize + 1, (number - (1 << bits)) as usize)
        } else {
            (0, number as usize)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_cells_of_its_own() {
        for words in [1, 3, 5000, 400_000] {
            let budget = Budget::new(u64::MAX);
            let mut arena = Arena::new(words, &budget);
            let count = if words < 10 { 800_000 / words as u64 } else { 20 };
            while arena.capacity() < count {
                arena.grow().unwrap();
                assert_eq!(budget.used_bytes(), arena.bytes());
            }
            let item = |number: u64| (0..words as u64).map(|word| number * 1000 + word).collect::<Vec<_>>();
            (0..count).for_each(|number| arena.write(number, &item(number)));
            (0..count).for_each(|number| assert!(arena.holds(number, &item(number)), "{number} of {words} words"));
        }
    }
}
