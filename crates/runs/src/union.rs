//! The union of sorted sources, in order.

use crate::error::DiskError;
use crate::run::RunCursor;
use crate::sort::Same;

/// States in ascending order.
pub enum Source<'s> {
    /// A sorted run in memory, from a place on.
    Memory {
        /// The run.
        states: &'s [u64],
        /// Where the state at hand begins.
        at: usize,
        /// Words of a state.
        words: usize,
    },
    /// A run on disk.
    Disk(RunCursor),
}

impl<'s> Source<'s> {
    /// A sorted run in memory.
    pub fn memory(states: &'s [u64], words: usize) -> Self {
        Self::Memory { states, at: 0, words }
    }
    #[inline]
    fn state(&self) -> Option<&[u64]> {
        match self {
            Self::Memory { states, at, words } => states.get(*at..*at + *words),
            Self::Disk(cursor) => cursor.state(),
        }
    }
    #[inline]
    fn advance(&mut self) -> Result<(), DiskError> {
        match self {
            Self::Memory { at, words, .. } => {
                *at += *words;
                Ok(())
            }
            Self::Disk(cursor) => cursor.advance(),
        }
    }
}

/// The records of some sources, one for each state, in ascending order. The sources are in a heap, the least first.
pub struct Union<'s> {
    heap: Vec<Source<'s>>,
    same: Same,
}

impl<'s> Union<'s> {
    /// Of states.
    pub fn new(sources: impl IntoIterator<Item = Source<'s>>) -> Self {
        Self::of(Same::One, sources)
    }
    /// Of records.
    pub fn of(same: Same, sources: impl IntoIterator<Item = Source<'s>>) -> Self {
        let heap: Vec<Source<'s>> = sources.into_iter().filter(|source| source.state().is_some()).collect();
        let mut union = Self { heap, same };
        (0..union.heap.len() / 2).rev().for_each(|place| union.sift(place));
        union
    }

    /// Puts the next state into `state`; whether there is one.
    #[inline]
    pub fn next(&mut self, state: &mut Vec<u64>) -> Result<bool, DiskError> {
        let Some(least) = self.heap.first().and_then(Source::state) else { return Ok(false) };
        state.clear();
        state.extend_from_slice(least);
        let key = self.same.key_words(state.len());
        let mut sum = 0;
        while let Some(first) = self.heap.first_mut()
            && let Some(record) = first.state()
            && record[..key] == state[..key]
        {
            sum += record[key..].first().copied().unwrap_or(0);
            first.advance()?;
            if first.state().is_none() {
                self.heap.swap_remove(0);
            }
            self.sift(0);
        }
        if self.same == Same::Sum {
            state[key] = sum;
        }
        Ok(true)
    }

    fn sift(&mut self, mut place: usize) {
        loop {
            let mut least = place;
            for child in [2 * place + 1, 2 * place + 2] {
                if child < self.heap.len() && self.heap[child].state() < self.heap[least].state() {
                    least = child;
                }
            }
            if least == place {
                return;
            }
            self.heap.swap(place, least);
            place = least;
        }
    }
}
