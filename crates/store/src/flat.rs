//! The plain exact store: whole states, side by side.
//!
//! States stand in an [`Arena`](crate::arena::Arena) in the order they were added, so a handle is an ordinal number. An
//! [`Index`](crate::index::Index) finds them again by their hashes.
//!
//! Several threads probe at once under a read lock. A thread that meets a new state and no room for it lets the lock go,
//! takes the write lock, and makes room. So with one thread the store grows when and only when the next new state needs it;
//! with several a thread that was too late for a place may make another believe, for a moment, that there is no room.
//!
//! A batch is probed in three rounds, each of which asks for the memory that the next one reads: hashes, entries of the
//! index, states.

use crate::arena::Arena;
use crate::index::{Index, NoRoom, Numbered};
use crate::{Answer, Batch, Budget, Exactness, Full, Handle, Origins, Recall, Store, hash_state};
use lariat_space::State;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

/// Exact, whole states, for any number of threads.
#[derive(Debug)]
pub struct FlatStore<'b> {
    inner: RwLock<Inner<'b>>,
}

#[derive(Debug)]
struct Inner<'b> {
    index: Index<'b>,
    arena: Arena<'b>,
}

impl<'b> FlatStore<'b> {
    /// An empty store of states of `words_per_state` words that takes its memory from `budget`.
    pub fn new(words_per_state: usize, budget: &'b Budget) -> Result<Self, Full> {
        let inner = Inner { index: Index::new(budget)?, arena: Arena::new(words_per_state, budget) };
        Ok(Self { inner: RwLock::new(inner) })
    }

    // A thread that panicked while it held the lock left nothing half done that a reader could trip over, and the run is
    // lost anyway: poisoning is no news.
    fn read(&self) -> RwLockReadGuard<'_, Inner<'b>> {
        self.inner.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the states with these numbers the origins.
    pub(crate) fn recall_numbers(&self, numbers: impl ExactSizeIterator<Item = u64> + Clone, origins: &mut Origins) {
        let inner = self.read();
        numbers.clone().for_each(|number| inner.arena.prefetch(number));
        origins.reset(numbers.len(), 0, 0);
        for (origin, number) in numbers.enumerate() {
            inner.arena.read(number, origins.state_mut(origin));
        }
    }

    /// Tells the number of each of the states from `first` on, adding those that are absent, up to the first that the budget
    /// does not allow to add.
    pub(crate) fn number_all(
        &self,
        states: &States<'_>,
        first: usize,
        keys: &mut Vec<u64>,
        mut tell: impl FnMut(Numbered),
    ) -> Result<(), Full> {
        keys.clear();
        {
            let inner = self.read();
            for number in first..states.len {
                let hash = hash_state(states.state(number));
                inner.index.prefetch(hash);
                keys.push(hash);
            }
        }
        let mut told = 0;
        loop {
            let inner = self.read();
            let numbered = inner.number(states, &keys[told..], |numbered| {
                told += 1;
                tell(numbered);
            });
            if numbered.is_ok() {
                return Ok(());
            }
            let room = inner.room();
            drop(inner);
            self.grow(room)?;
        }
    }

    /// Writes the state with this number.
    pub(crate) fn read_state(&self, number: u64, state: &mut State) {
        self.read().arena.read(number, state);
    }

    /// Makes room for more states, unless there is more than the `room` that was found wanting.
    fn grow(&self, room: u64) -> Result<(), Full> {
        let mut inner = self.inner.write().unwrap_or_else(PoisonError::into_inner);
        if inner.index.comfortable() <= room {
            inner.index.grow()?;
        }
        if inner.arena.capacity() <= room { inner.arena.grow() } else { Ok(()) }
    }
}

impl Inner<'_> {
    fn room(&self) -> u64 {
        self.arena.capacity().min(self.index.comfortable())
    }

    /// Numbers the rest of some states, up to the first that there is no room for.
    fn number(&self, states: &States<'_>, keys: &[u64], mut tell: impl FnMut(Numbered)) -> Result<(), NoRoom> {
        for &key in keys {
            if let Some(candidate) = self.index.candidate(key) {
                self.arena.prefetch(candidate);
            }
        }
        let first = states.len - keys.len();
        for (&key, number) in keys.iter().zip(first..) {
            let state = states.state(number);
            let is_state = |number| self.arena.holds(number, state);
            let write = |number| self.arena.write(number, state);
            tell(self.index.find_or_add(key, || self.room(), is_state, write)?);
        }
        Ok(())
    }
}

/// States side by side, each at the end of a row of words.
pub(crate) struct States<'a> {
    pub(crate) words: &'a [u64],
    pub(crate) words_per_state: usize,
    pub(crate) words_per_row: usize,
    pub(crate) len: usize,
}

impl<'a> States<'a> {
    #[inline]
    pub(crate) fn state(&self, number: usize) -> &'a State {
        let row = &self.words[number * self.words_per_row..][..self.words_per_row];
        &row[self.words_per_row - self.words_per_state..]
    }
}

impl Store for FlatStore<'_> {
    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn probe(&self, batch: &mut Batch, _: &Origins) -> Result<(), Full> {
        let (states, keys, answers, _) = batch.parts();
        let first = answers.len();
        self.number_all(&states, first, keys, |Numbered { number, is_new }| {
            let handle = Handle(number);
            answers.push(if is_new { Answer::New(handle) } else { Answer::Known(handle) });
        })
    }

    fn len(&self) -> u64 {
        self.read().index.len()
    }

    fn bytes(&self) -> u64 {
        let inner = self.read();
        inner.index.bytes() + inner.arena.bytes()
    }
}

impl Recall for FlatStore<'_> {
    fn recall(&self, handles: &[Handle], origins: &mut Origins) {
        self.recall_numbers(handles.iter().map(|handle| handle.0), origins);
    }
}
