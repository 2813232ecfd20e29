//! The states of one level of a breadth-first search that wait for their turn.
//!
//! They wait by handle, in blocks taken from the budget. Each thread fills blocks of its own; the blocks of all threads
//! together are the next [`Level`], from which threads draw portions.

use lariat_store::{Budget, Full, Handle};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Room for whole portions, also of keys of two words.
const BLOCK_LEN: usize = 16 * PORTION_LEN;
/// How many states a thread takes at a time: enough that their successors make a batch worth prefetching for.
pub(crate) const PORTION_LEN: usize = 64;
const BLOCK_BYTES: u64 = (BLOCK_LEN * size_of::<Handle>() + 2 * size_of::<Vec<Handle>>()) as u64;

/// Handles in the order they were added.
#[derive(Debug)]
pub(crate) struct Frontier<'a> {
    budget: &'a Budget,
    blocks: Vec<Vec<Handle>>,
    block_bytes: u64,
}

impl<'a> Frontier<'a> {
    /// A frontier of a search. It is paid for twice: telling the run to a failure needs as much again beside each waiting
    /// state, and must not fail for want of memory where the search did not.
    pub(crate) fn new(budget: &'a Budget) -> Self {
        Self { budget, blocks: Vec::new(), block_bytes: 2 * BLOCK_BYTES }
    }
    /// A list that is paid for once.
    pub(crate) fn list(budget: &'a Budget) -> Self {
        Self { budget, blocks: Vec::new(), block_bytes: BLOCK_BYTES }
    }

    #[inline]
    pub(crate) fn push(&mut self, handle: Handle) -> Result<(), Full> {
        match self.blocks.last_mut() {
            Some(block) if block.len() < BLOCK_LEN => block.push(handle),
            _ => self.begin_block(handle)?,
        }
        Ok(())
    }

    /// Pushes the words of keys.
    #[inline]
    pub(crate) fn push_keys(&mut self, mut keys: &[u64]) -> Result<(), Full> {
        while let Some((&first, rest)) = keys.split_first() {
            let room = self.blocks.last().map_or(0, |block| BLOCK_LEN - block.len());
            if room == 0 {
                self.begin_block(Handle(first))?;
                keys = rest;
                continue;
            }
            let (here, there) = keys.split_at(room.min(keys.len()));
            self.blocks.last_mut().expect("there is room").extend(here.iter().map(|&word| Handle(word)));
            keys = there;
        }
        Ok(())
    }

    #[cold]
    fn begin_block(&mut self, first: Handle) -> Result<(), Full> {
        self.budget.take(self.block_bytes)?;
        let mut block = Vec::new();
        if block.try_reserve_exact(BLOCK_LEN).is_err() {
            self.budget.give_back(self.block_bytes);
            return Err(Full { limit_bytes: self.budget.limit_bytes() });
        }
        block.push(first);
        self.blocks.push(block);
        Ok(())
    }

    /// What was pushed so far; leaves it empty.
    pub(crate) fn take(&mut self) -> Self {
        Self { blocks: std::mem::take(&mut self.blocks), ..*self }
    }

    pub(crate) fn len(&self) -> u64 {
        self.blocks.iter().map(|block| block.len() as u64).sum()
    }

    /// All handles.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Handle> {
        self.blocks.iter().flatten().copied()
    }

    /// The handle that was pushed after so many others.
    pub(crate) fn get(&self, number: u64) -> Option<Handle> {
        self.blocks.get(number as usize / BLOCK_LEN)?.get(number as usize % BLOCK_LEN).copied()
    }
}

impl<'a> Frontier<'a> {
    /// The same keys, of so many words each, with words of 0 behind them.
    pub(crate) fn with_longer_keys(&self, from: usize, to: usize, budget: &'a Budget) -> Result<Self, Full> {
        let mut longer = Self { budget, blocks: Vec::new(), block_bytes: self.block_bytes };
        for key in self.blocks.iter().flat_map(|block| block.chunks_exact(from)) {
            for number in 0..to {
                longer.push(key.get(number).copied().unwrap_or(Handle(0)))?;
            }
        }
        Ok(longer)
    }
}

impl Drop for Frontier<'_> {
    fn drop(&mut self) {
        self.budget.give_back(self.blocks.len() as u64 * self.block_bytes);
    }
}

/// The states of a level, to be drawn by several threads.
pub(crate) struct Level<'a> {
    handles: Frontier<'a>,
    /// Handles in a portion.
    portion_len: usize,
    drawn: AtomicUsize,
}

impl<'a> Level<'a> {
    /// The level that the threads have filled; leaves them empty.
    pub(crate) fn of_parts<'p>(parts: impl Iterator<Item = &'p mut Frontier<'a>>, budget: &'a Budget) -> Self
    where
        'a: 'p,
    {
        let mut handles = Frontier::new(budget);
        parts.for_each(|part| handles.blocks.append(&mut part.blocks));
        Self { handles, portion_len: PORTION_LEN, drawn: AtomicUsize::new(0) }
    }
    /// The same for keys of so many words, at most two.
    pub(crate) fn of_keys(self, words: usize) -> Self {
        assert!(BLOCK_LEN.is_multiple_of(words * PORTION_LEN), "whole keys in a block");
        Self { portion_len: words * PORTION_LEN, ..self }
    }
    fn portions_per_block(&self) -> usize {
        BLOCK_LEN / self.portion_len
    }

    pub(crate) fn len(&self) -> u64 {
        self.handles.len()
    }

    /// Whether all were drawn.
    pub(crate) fn is_drawn(&self) -> bool {
        self.drawn.load(Ordering::Relaxed) >= self.handles.blocks.len() * self.portions_per_block()
    }

    /// What was not drawn, as keys with words of 0 behind them. To be called while nobody draws.
    pub(crate) fn with_longer_keys(&self, from: usize, to: usize, budget: &'a Budget) -> Result<Self, Full> {
        let mut rest = Frontier { budget, blocks: Vec::new(), block_bytes: self.handles.block_bytes };
        while let Some(handles) = self.draw() {
            for &handle in handles {
                rest.push(handle)?;
            }
        }
        let handles = rest.with_longer_keys(from, to, budget)?;
        Ok(Self { handles, portion_len: to * PORTION_LEN, drawn: AtomicUsize::new(0) })
    }

    /// The next states to expand; `None` if all were drawn.
    pub(crate) fn draw(&self) -> Option<&[Handle]> {
        loop {
            let portion = self.drawn.fetch_add(1, Ordering::Relaxed);
            let block = self.handles.blocks.get(portion / self.portions_per_block())?;
            let begin = portion % self.portions_per_block() * self.portion_len;
            // The last block of each thread may be short.
            if begin < block.len() {
                return Some(&block[begin..block.len().min(begin + self.portion_len)]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_pushed_is_drawn_once() {
        let budget = Budget::new(1 << 20);
        let mut parts = [Frontier::new(&budget), Frontier::new(&budget), Frontier::new(&budget)];
        let lens = [5 * BLOCK_LEN as u64 + 7, 0, 33];
        let mut number = 0;
        for (part, len) in parts.iter_mut().zip(lens) {
            (0..len).for_each(|_| {
                part.push(Handle(number)).unwrap();
                number += 1;
            });
        }
        let level = Level::of_parts(parts.iter_mut(), &budget);
        assert_eq!(level.len(), number);
        let mut drawn: Vec<u64> = std::iter::from_fn(|| level.draw()).flatten().map(|handle| handle.0).collect();
        drawn.sort_unstable();
        assert_eq!(drawn, (0..number).collect::<Vec<_>>());
        drop((level, parts));
        assert_eq!(budget.used_bytes(), 0);
    }

    #[test]
    fn a_full_budget_is_told() {
        let budget = Budget::new(2 * BLOCK_BYTES);
        let mut frontier = Frontier::new(&budget);
        (0..BLOCK_LEN as u64).for_each(|number| frontier.push(Handle(number)).unwrap());
        assert!(frontier.push(Handle(0)).is_err());
        assert_eq!(frontier.len(), BLOCK_LEN as u64);
    }
}
