//! Numbers that a search keeps with states.

use crate::{Batch, Budget, Exactness, Full, Handle, Origins, Recall, Store};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// A store that keeps a number with every state: 0 to begin with.
pub trait Notes: Recall {
    /// The number kept with a state.
    fn note(&self, state: Handle) -> u32;
    /// Keeps another number with a state.
    fn set_note(&self, state: Handle, note: u32);
}

const BLOCK_LEN: usize = 1 << 12;
/// There is a row of blocks for each power of two of them, so that no block ever moves.
const ROWS: usize = 40;
const BLOCK_BYTES: u64 = (BLOCK_LEN * size_of::<AtomicU32>()) as u64;

/// Adds notes to a store whose handles are dense: those of `n` states are `0..n`.
pub struct Noted<'a, T> {
    store: T,
    budget: &'a Budget,
    /// Row 0 has one block, row `k` has `1 << (k - 1)`.
    rows: [OnceLock<Box<[AtomicU32]>>; ROWS],
}

impl<'a, T: Recall> Noted<'a, T> {
    /// The store with notes, taken from the budget.
    pub fn new(store: T, budget: &'a Budget) -> Self {
        Self { store, budget, rows: [const { OnceLock::new() }; ROWS] }
    }

    fn reserve(&self, states: u64) -> Result<(), Full> {
        let last = row_of(states.max(1) as usize - 1).0;
        for row in 0..=last {
            if self.rows[row].get().is_none() {
                let blocks = if row == 0 { 1 } else { 1 << (row - 1) };
                self.budget.take(blocks as u64 * BLOCK_BYTES)?;
                let cells = (0..blocks * BLOCK_LEN).map(|_| AtomicU32::new(0)).collect();
                if self.rows[row].set(cells).is_err() {
                    self.budget.give_back(blocks as u64 * BLOCK_BYTES);
                }
            }
        }
        Ok(())
    }

    fn cell(&self, state: Handle) -> &AtomicU32 {
        let (row, at) = row_of(state.0 as usize);
        &self.rows[row].get().expect("room was made when the state was added")[at]
    }
}

/// The row and the place in it of a number.
fn row_of(number: usize) -> (usize, usize) {
    match number / BLOCK_LEN {
        0 => (0, number),
        block => {
            let row = block.ilog2() as usize + 1;
            (row, number - (BLOCK_LEN << (row - 1)))
        }
    }
}

impl<T: Recall> Store for Noted<'_, T> {
    fn exactness(&self) -> Exactness {
        self.store.exactness()
    }
    fn probe(&self, batch: &mut Batch, origins: &Origins) -> Result<(), Full> {
        self.reserve(self.store.len() + batch.len() as u64)?;
        self.store.probe(batch, origins)
    }
    fn len(&self) -> u64 {
        self.store.len()
    }
    fn bytes(&self) -> u64 {
        let cells: usize = self.rows.iter().filter_map(OnceLock::get).map(|row| row.len()).sum();
        self.store.bytes() + (cells * size_of::<AtomicU32>()) as u64
    }
}

impl<T: Recall> Recall for Noted<'_, T> {
    fn recall(&self, handles: &[Handle], origins: &mut Origins) {
        self.store.recall(handles, origins);
    }
}

impl<T: Recall> Notes for Noted<'_, T> {
    fn note(&self, state: Handle) -> u32 {
        self.cell(state).load(Ordering::Relaxed)
    }
    fn set_note(&self, state: Handle, note: u32) {
        self.cell(state).store(note, Ordering::Relaxed);
    }
}

impl<T> Drop for Noted<'_, T> {
    fn drop(&mut self) {
        let cells: usize = self.rows.iter().filter_map(OnceLock::get).map(|row| row.len()).sum();
        self.budget.give_back((cells * size_of::<AtomicU32>()) as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_places_of_their_own() {
        let mut expected = (0, 0);
        let mut len = BLOCK_LEN;
        for number in 0..20 * BLOCK_LEN {
            if expected.1 == len {
                len = BLOCK_LEN << expected.0;
                expected = (expected.0 + 1, 0);
            }
            assert_eq!(row_of(number), expected);
            expected.1 += 1;
        }
    }
}
