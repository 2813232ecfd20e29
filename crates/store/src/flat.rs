//! The plain exact store: whole states, side by side.
//!
//! States stand in an [`Arena`](crate::arena::Arena) in the order they were added, so a handle is an ordinal number. An
//! open-addressing table finds them again: an entry is some bits of the hash (the *tag*) and the handle, and only where
//! the tag agrees are the words compared.
//!
//! Several threads probe at once under a read lock. A thread that finds an empty entry first marks it *busy*, then draws a
//! handle, writes the words and publishes the entry; others with the same tag wait for that moment. So no handle is ever
//! drawn in vain and handles are dense. Before all that it *claims* room for its whole batch; where there is not room
//! enough the batch is probed under the write lock instead, state by state, and the store grows when and only when the
//! next new state needs it. When it grows depends therefore on the number of states alone, not on batches.

use crate::arena::Arena;
use crate::{Answer, Batch, Budget, Exactness, Full, Handle, Origins, Recall, Store, hash_state};
use lariat_space::State;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

const HANDLE_BITS: u32 = 40;
const HANDLE_MASK: u64 = (1 << HANDLE_BITS) - 1;
const EMPTY: u64 = 0;
/// In place of a handle plus one: somebody is writing the state.
const BUSY: u64 = HANDLE_MASK;
const FIRST_ENTRIES: usize = 64;

/// Exact, whole states, for any number of threads.
#[derive(Debug)]
pub struct FlatStore<'a> {
    budget: &'a Budget,
    words_per_state: usize,
    inner: RwLock<Inner>,
    /// States, and room claimed for states that may turn out to be new.
    claimed: AtomicU64,
    len: AtomicU64,
}

#[derive(Debug)]
struct Inner {
    /// A power of two of them.
    table: Box<[AtomicU64]>,
    arena: Arena,
    /// The table grows, if it may, when it would hold more states than this.
    comfortable: u64,
}

impl<'a> FlatStore<'a> {
    /// An empty store of states of `words_per_state` words that takes its memory from `budget`.
    pub fn new(words_per_state: usize, budget: &'a Budget) -> Result<Self, Full> {
        let table = new_table(FIRST_ENTRIES, budget)?;
        let inner = Inner { table, arena: Arena::new(words_per_state), comfortable: comfortable(FIRST_ENTRIES) };
        Ok(Self {
            budget,
            words_per_state,
            inner: RwLock::new(inner),
            claimed: AtomicU64::new(0),
            len: AtomicU64::new(0),
        })
    }

    // A thread that panicked while it held the lock left nothing half done that a reader could trip over, and the run is
    // lost anyway: poisoning is no news.
    fn read(&self) -> RwLockReadGuard<'_, Inner> {
        self.inner.read().unwrap_or_else(PoisonError::into_inner)
    }
    fn write(&self) -> RwLockWriteGuard<'_, Inner> {
        self.inner.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Claims room for `count` states, if there is.
    fn claim(&self, inner: &Inner, count: u64) -> bool {
        let room = inner.arena.capacity().min(inner.comfortable);
        let fits = |claimed: u64| claimed.checked_add(count).filter(|&sum| sum <= room);
        self.claimed.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_ok()
    }

    /// Looks the state up and adds it if it is absent. There is room for it.
    fn find_or_add(&self, inner: &Inner, state: &State, hash: u64) -> Answer {
        let tag = tag_of(hash);
        let mask = inner.table.len() - 1;
        let mut at = hash as usize & mask;
        let mut entry = inner.table[at].load(Ordering::Acquire);
        loop {
            if entry == EMPTY {
                match inner.table[at].compare_exchange(EMPTY, tag | BUSY, Ordering::Acquire, Ordering::Acquire) {
                    Ok(_) => {
                        let handle = self.len.fetch_add(1, Ordering::Relaxed);
                        inner.arena.write(handle, state);
                        inner.table[at].store(tag | (handle + 1), Ordering::Release);
                        return Answer::New(Handle(handle));
                    }
                    Err(now) => entry = now,
                }
            } else if entry & !HANDLE_MASK != tag {
                at = (at + 1) & mask;
                entry = inner.table[at].load(Ordering::Acquire);
            } else if entry & HANDLE_MASK == BUSY {
                std::hint::spin_loop();
                entry = inner.table[at].load(Ordering::Acquire);
            } else {
                let handle = (entry & HANDLE_MASK) - 1;
                if inner.arena.holds(handle, state) {
                    return Answer::Known(Handle(handle));
                }
                at = (at + 1) & mask;
                entry = inner.table[at].load(Ordering::Acquire);
            }
        }
    }

    /// Looks the state up, with no thought of adding it.
    fn find(inner: &Inner, state: &State, hash: u64) -> Option<Handle> {
        let mask = inner.table.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let entry = inner.table[at].load(Ordering::Acquire);
            if entry == EMPTY {
                return None;
            }
            if entry & !HANDLE_MASK == tag_of(hash) {
                let handle = (entry & HANDLE_MASK) - 1;
                if inner.arena.holds(handle, state) {
                    return Some(Handle(handle));
                }
            }
            at = (at + 1) & mask;
        }
    }

    /// Probes what has no answer yet, alone, growing where a new state needs it.
    fn probe_alone(&self, batch: &mut Batch) -> Result<(), Full> {
        let mut inner = self.write();
        for number in batch.answers.len()..batch.len() {
            let (state, hash) = (batch.state(number), batch.hash(number));
            let answer = match Self::find(&inner, state, hash) {
                Some(handle) => Answer::Known(handle),
                None => {
                    self.make_room(&mut inner)?;
                    self.claimed.fetch_add(1, Ordering::Relaxed);
                    self.find_or_add(&inner, state, hash)
                }
            };
            batch.answers.push(answer);
        }
        Ok(())
    }

    /// Makes room for one more state.
    fn make_room(&self, inner: &mut Inner) -> Result<(), Full> {
        let needed = self.len() + 1;
        if needed >= BUSY {
            return Err(Full { limit_bytes: self.budget.limit_bytes() });
        }
        if needed > inner.comfortable {
            match self.grow_table(inner) {
                Ok(()) => {}
                // A crowded table is slow, but exact.
                Err(full) if inner.comfortable >= crowded(inner.table.len()) => return Err(full),
                Err(_) => inner.comfortable = crowded(inner.table.len()),
            }
        }
        if needed > inner.arena.capacity() { inner.arena.grow(self.budget) } else { Ok(()) }
    }

    fn grow_table(&self, inner: &mut Inner) -> Result<(), Full> {
        let mut table = new_table(inner.table.len() * 2, self.budget)?;
        let mask = table.len() - 1;
        // In the order of the arena, not of the old table: the states are then read one after the other.
        let mut state = vec![0; self.words_per_state];
        for handle in 0..self.len() {
            inner.arena.read(handle, &mut state);
            let hash = hash_state(&state);
            let mut at = hash as usize & mask;
            while *table[at].get_mut() != EMPTY {
                at = (at + 1) & mask;
            }
            *table[at].get_mut() = tag_of(hash) | (handle + 1);
        }
        let old_bytes = table_bytes(inner.table.len());
        inner.comfortable = comfortable(table.len());
        inner.table = table;
        self.budget.give_back(old_bytes);
        Ok(())
    }
}

impl Store for FlatStore<'_> {
    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn probe(&self, batch: &mut Batch, _: &Origins) -> Result<(), Full> {
        {
            let inner = self.read();
            let count = batch.len() as u64;
            if self.claim(&inner, count) {
                let mut new = 0;
                for number in 0..batch.len() {
                    let answer = self.find_or_add(&inner, batch.state(number), batch.hash(number));
                    new += u64::from(matches!(answer, Answer::New(_)));
                    batch.answers.push(answer);
                }
                self.claimed.fetch_sub(count - new, Ordering::Relaxed);
                return Ok(());
            }
        }
        self.probe_alone(batch)
    }

    fn len(&self) -> u64 {
        self.len.load(Ordering::Relaxed)
    }

    fn bytes(&self) -> u64 {
        let inner = self.read();
        table_bytes(inner.table.len()) + inner.arena.bytes()
    }
}

impl Recall for FlatStore<'_> {
    fn recall(&self, handles: &[Handle], origins: &mut Origins) {
        let inner = self.read();
        origins.words.resize(handles.len() * self.words_per_state, 0);
        for (state, handle) in origins.words.chunks_exact_mut(self.words_per_state.max(1)).zip(handles) {
            inner.arena.read(handle.0, state);
        }
    }
}

impl Drop for FlatStore<'_> {
    fn drop(&mut self) {
        self.budget.give_back(self.bytes());
    }
}

fn tag_of(hash: u64) -> u64 {
    // The table is indexed by the low bits; the tag is the high ones.
    hash & !HANDLE_MASK
}

fn comfortable(entries: usize) -> u64 {
    (entries - entries / 4) as u64
}

/// Full enough that no more states are let in.
fn crowded(entries: usize) -> u64 {
    (entries - entries / 16) as u64
}

fn table_bytes(entries: usize) -> u64 {
    (entries * size_of::<AtomicU64>()) as u64
}

fn new_table(entries: usize, budget: &Budget) -> Result<Box<[AtomicU64]>, Full> {
    crate::arena::allocate(entries, table_bytes(entries), budget)
}
