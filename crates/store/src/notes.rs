//! Numbers that a search keeps with states.

use crate::{Batch, Budget, Exactness, Full, Handle, Origins, Recall, Store};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// A store that keeps a number with every state: 0 to begin with.
///
/// Laws: [`Batch::notes`] are, after a probe, the notes of the states that were answered. The notes of a state are set by
/// one thread at a time, and by none while another asks for them.
///
/// A store may be made without memory for notes: then they are all 0, and none is set, before [`begin`](Self::begin).
pub trait Notes: Recall {
    /// Notes will be set from now on. To be called by one thread, while no other is at work with the store.
    fn begin(&self) -> Result<(), Full> {
        Ok(())
    }
    /// The number kept with a state.
    fn note(&self, state: Handle) -> u32;
    /// Keeps another number with a state.
    fn set_note(&self, state: Handle, note: u32);
    /// The number kept with a state; if that is 0, it is `note` from now on.
    fn claim(&self, state: Handle, note: u32) -> u32;
}

/// How great notes may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoteWidth {
    /// Below 256.
    Byte,
    /// No greater than the number of states that are in the store when the note is set.
    Number,
}

/// Adds notes to a store whose handles are dense: those of `n` states are `0..n`.
pub struct Noted<'a, T> {
    store: T,
    notes: Rows<'a>,
}

impl<'a, T: Recall> Noted<'a, T> {
    /// The store with notes, taken from the budget.
    pub fn new(store: T, budget: &'a Budget) -> Self {
        Self { store, notes: Rows::new(budget) }
    }
}

const BLOCK_LEN: usize = 1 << 12;
/// There is a row of blocks for each power of two of them, so that no block ever moves.
const ROWS: usize = 40;
const BLOCK_BYTES: u64 = (BLOCK_LEN * size_of::<AtomicU32>()) as u64;

/// Notes by number.
#[derive(Debug)]
pub(crate) struct Rows<'a> {
    budget: &'a Budget,
    /// Row 0 has one block, row `k` has `1 << (k - 1)`.
    rows: [OnceLock<Box<[AtomicU32]>>; ROWS],
}

impl<'a> Rows<'a> {
    pub(crate) fn new(budget: &'a Budget) -> Self {
        Self { budget, rows: [const { OnceLock::new() }; ROWS] }
    }

    /// Makes room for the notes of so many states.
    pub(crate) fn reserve(&self, states: u64) -> Result<(), Full> {
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
    /// Probes a store whose handles are dense, and reads the notes of what is answered.
    pub(crate) fn probe(&self, store: &impl Store, batch: &mut Batch, origins: &Origins) -> Result<(), Full> {
        // What is new has room before it is added; what other threads add meanwhile may lie beyond.
        self.reserve(store.len() + batch.len() as u64)?;
        let probed = store.probe(batch, origins);
        let Batch { answers, notes, .. } = batch;
        notes.clear();
        if let Some(last) = answers.iter().map(|answer| answer.handle().0).max() {
            self.reserve(last + 1)?;
        }
        notes.extend(answers.iter().map(|answer| self.get(answer.handle().0)));
        probed
    }
    /// What was taken from the budget.
    pub(crate) fn bytes(&self) -> u64 {
        let cells: usize = self.rows.iter().filter_map(OnceLock::get).map(|row| row.len()).sum();
        (cells * size_of::<AtomicU32>()) as u64
    }

    pub(crate) fn get(&self, number: u64) -> u32 {
        self.cell(number).load(Ordering::Relaxed)
    }
    pub(crate) fn set(&self, number: u64, note: u32) {
        self.cell(number).store(note, Ordering::Relaxed);
    }
    pub(crate) fn claim(&self, number: u64, note: u32) -> u32 {
        match self.cell(number).compare_exchange(0, note, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(before) | Err(before) => before,
        }
    }

    /// The note with this number; if `change` makes another of it, that is kept in its place.
    pub(crate) fn change(&self, number: u64, change: impl Fn(u32) -> Option<u32>) -> u32 {
        match self.cell(number).fetch_update(Ordering::Relaxed, Ordering::Relaxed, change) {
            Ok(before) | Err(before) => before,
        }
    }

    fn cell(&self, number: u64) -> &AtomicU32 {
        let (row, at) = row_of(number as usize);
        &self.rows[row].get().expect("room was made when the state was added")[at]
    }
}

impl Drop for Rows<'_> {
    fn drop(&mut self) {
        self.budget.give_back(self.bytes());
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
        self.notes.probe(&self.store, batch, origins)
    }
    fn len(&self) -> u64 {
        self.store.len()
    }
    fn bytes(&self) -> u64 {
        self.store.bytes() + self.notes.bytes()
    }
}

impl<T: Recall> Recall for Noted<'_, T> {
    fn recall(&self, handles: &[Handle], origins: &mut Origins) {
        self.store.recall(handles, origins);
    }
}

impl<T: Recall> Notes for Noted<'_, T> {
    fn note(&self, state: Handle) -> u32 {
        self.notes.get(state.0)
    }
    fn set_note(&self, state: Handle, note: u32) {
        self.notes.set(state.0, note);
    }
    fn claim(&self, state: Handle, note: u32) -> u32 {
        self.notes.claim(state.0, note)
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
