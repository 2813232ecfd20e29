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
use crate::index::{Index, NoRoom};
use crate::{Answer, Batch, Budget, Exactness, Full, Handle, Origins, Recall, Store, hash_state};
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

    /// Answers the states that have no answer yet, up to the first that there is no room for.
    fn probe(&self, batch: &mut Batch) -> Result<(), NoRoom> {
        for number in batch.answers.len()..batch.len() {
            if let Some(candidate) = self.index.candidate(batch.keys[number]) {
                self.arena.prefetch(candidate);
            }
        }
        for number in batch.answers.len()..batch.len() {
            let state = batch.state(number);
            let is_state = |number| self.arena.holds(number, state);
            let write = |number| self.arena.write(number, state);
            let numbered = self.index.find_or_add(batch.keys[number], || self.room(), is_state, write)?;
            let handle = Handle(numbered.number);
            batch.answers.push(if numbered.is_new { Answer::New(handle) } else { Answer::Known(handle) });
        }
        Ok(())
    }
}

impl Store for FlatStore<'_> {
    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn probe(&self, batch: &mut Batch, _: &Origins) -> Result<(), Full> {
        batch.keys.clear();
        {
            let inner = self.read();
            for number in 0..batch.len() {
                let hash = hash_state(batch.state(number));
                inner.index.prefetch(hash);
                batch.keys.push(hash);
            }
        }
        loop {
            let inner = self.read();
            if inner.probe(batch).is_ok() {
                return Ok(());
            }
            let room = inner.room();
            drop(inner);
            self.grow(room)?;
        }
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
