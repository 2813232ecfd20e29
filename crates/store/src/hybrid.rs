//! Hybrid storage: one entry for all states that differ in a small part only (Godefroid, Holzmann 1993, section 4).
//!
//! A state is cut into a head and a tail. The heads are kept whole, each once: that is a *packet*. For every tail that a
//! state with this head could have, the packet has a field of a few bits, which says whether there is such a state and what
//! its note is. The paper has one bit for each tail, the state of the search (its demon) being part of the tail; here that
//! part is the note, and a note takes the bits that it needs.
//!
//! The fields of all packets stand side by side, so that a packet takes no more bits than its fields have. A field is 0
//! where there is no state, else one more than the note.

use crate::flat::States;
use crate::index::Numbered;
use crate::notes::Rows;
use crate::{Answer, Batch, Budget, Exactness, FlatStore, Full, Handle, Notes, Origins, Recall, Store};
use lariat_space::State;
use std::sync::atomic::{AtomicU64, Ordering};

/// A word of a state that is part of its tail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TailWord {
    /// Which word of a state.
    pub place: usize,
    /// Its values are below this.
    pub values: u64,
}

/// The bits of a cell, which fields do not cross.
const CELL_BITS: u32 = u32::BITS;

/// Exact, states in packets, for any number of threads.
#[derive(Debug)]
pub struct Hybrid<'b> {
    heads: FlatStore<'b>,
    words_per_state: usize,
    /// By place.
    tail: Vec<TailWord>,
    /// How many tails there are.
    tails: u64,
    field_bits: u32,
    cells: Rows<'b>,
    len: AtomicU64,
}

/// Where a field is.
#[derive(Clone, Copy)]
struct Place {
    cell: u64,
    shift: u32,
}

impl<'b> Hybrid<'b> {
    /// An empty store of states of `words_per_state` words, some of which are the tail. Notes are at most `most_note`, which
    /// is below the greatest number there is.
    pub fn new(
        words_per_state: usize,
        mut tail: Vec<TailWord>,
        most_note: u32,
        budget: &'b Budget,
    ) -> Result<Self, Full> {
        tail.sort_by_key(|word| word.place);
        let in_order = tail.windows(2).all(|pair| pair[0].place < pair[1].place);
        assert!(in_order && tail.last().is_none_or(|last| last.place < words_per_state), "a tail is part of a state");
        let product = tail.iter().try_fold(1_u64, |tails, word| tails.checked_mul(word.values.max(1)));
        // As many packets as a store can number, with so many tails each, must have handles of their own.
        let tails = product.filter(|&tails| tails < 1 << 28).ok_or(Full { limit_bytes: budget.limit_bytes() })?;
        let heads = FlatStore::new(words_per_state - tail.len(), budget)?;
        let field_bits = CELL_BITS - (most_note + 1).leading_zeros();
        let cells = Rows::new(budget);
        Ok(Self { heads, words_per_state, tail, tails, field_bits, cells, len: AtomicU64::new(0) })
    }

    /// How many different heads there are.
    pub fn packets(&self) -> u64 {
        self.heads.len()
    }
    /// How many tails a head can have.
    pub fn tails(&self) -> u64 {
        self.tails
    }

    fn fields_per_cell(&self) -> u64 {
        u64::from(CELL_BITS / self.field_bits)
    }
    fn place(&self, state: Handle) -> Place {
        let per_cell = self.fields_per_cell();
        Place { cell: state.0 / per_cell, shift: (state.0 % per_cell) as u32 * self.field_bits }
    }
    fn field(&self, cell: u32, place: Place) -> u32 {
        cell >> place.shift & u32::MAX >> (CELL_BITS - self.field_bits)
    }
    /// The field of a state; if `change` makes another of it, that is kept in its place.
    fn change(&self, state: Handle, change: impl Fn(u32) -> Option<u32>) -> u32 {
        let place = self.place(state);
        let cell = self.cells.change(place.cell, |cell| {
            let before = self.field(cell, place);
            let after = change(before)?;
            debug_assert!(after.leading_zeros() >= CELL_BITS - self.field_bits, "a note no greater than was said");
            Some(cell ^ (before ^ after) << place.shift)
        });
        self.field(cell, place)
    }

    /// Makes room for the fields of so many packets.
    fn reserve(&self, packets: u64) -> Result<(), Full> {
        self.cells.reserve((packets * self.tails).div_ceil(self.fields_per_cell()))
    }

    fn tail_of(&self, state: &State) -> u64 {
        self.tail.iter().fold(0, |tail, word| {
            let value = state[word.place];
            assert!(value < word.values, "a tail has one of {} values, not {value}", word.values);
            tail * word.values + value
        })
    }

    /// Puts the heads of some states side by side.
    fn cut(&self, batch: &mut Batch) {
        let mut heads = std::mem::take(&mut batch.scratch.heads);
        heads.clear();
        for number in 0..batch.len() {
            let state = batch.state(number);
            let mut begin = 0;
            for word in &self.tail {
                heads.extend_from_slice(&state[begin..word.place]);
                begin = word.place + 1;
            }
            heads.extend_from_slice(&state[begin..]);
        }
        batch.scratch.heads = heads;
    }

    /// Writes a state.
    fn join(&self, handle: Handle, state: &mut State) {
        let (number, mut tail) = (handle.0 / self.tails, handle.0 % self.tails);
        let mut head_words = self.words_per_state - self.tail.len();
        self.heads.read_state(number, &mut state[..head_words]);
        // From the last word on, so that none of the head is overwritten before it is moved.
        let mut end = self.words_per_state;
        for word in self.tail.iter().rev() {
            let moved = end - word.place - 1;
            state.copy_within(head_words - moved..head_words, word.place + 1);
            state[word.place] = tail % word.values;
            tail /= word.values;
            head_words -= moved;
            end = word.place;
        }
    }
}

impl Store for Hybrid<'_> {
    fn exactness(&self) -> Exactness {
        Exactness::Exact
    }

    fn probe(&self, batch: &mut Batch, _: &Origins) -> Result<(), Full> {
        // What is new has room before it is added; what other threads add meanwhile may lie beyond.
        self.reserve(self.heads.len() + batch.len() as u64)?;
        self.cut(batch);
        let heads = std::mem::take(&mut batch.scratch.heads);
        let (states, keys, answers, notes) = batch.parts();
        let words_per_state = self.words_per_state - self.tail.len();
        let (words_per_row, len) = (words_per_state, states.len);
        let head_states = States { words: &heads, words_per_state, words_per_row, len };
        let first = answers.len();
        // At first the numbers of the heads.
        let mut probed = self.heads.number_all(&head_states, first, keys, |Numbered { number, .. }| {
            answers.push(Answer::Known(Handle(number)));
        });
        let packets = answers[first..].iter().map(|answer| answer.handle().0 + 1).max().unwrap_or(0);
        if let Err(full) = self.reserve(packets) {
            answers.truncate(first);
            probed = Err(full);
        }
        notes.clear();
        notes.extend(answers[..first].iter().map(|answer| self.note(answer.handle())));
        for (answer, number) in answers[first..].iter_mut().zip(first..) {
            let handle = Handle(answer.handle().0 * self.tails + self.tail_of(states.state(number)));
            let field = self.change(handle, |field| (field == 0).then_some(1));
            *answer = if field == 0 { Answer::New(handle) } else { Answer::Known(handle) };
            self.len.fetch_add(u64::from(field == 0), Ordering::Relaxed);
            notes.push(field.saturating_sub(1));
        }
        batch.scratch.heads = heads;
        probed
    }

    fn len(&self) -> u64 {
        self.len.load(Ordering::Relaxed)
    }

    fn bytes(&self) -> u64 {
        self.heads.bytes() + self.cells.bytes()
    }
}

impl Recall for Hybrid<'_> {
    fn recall(&self, handles: &[Handle], origins: &mut Origins) {
        origins.reset(handles.len(), 0, 0);
        for (origin, &handle) in handles.iter().enumerate() {
            self.join(handle, origins.state_mut(origin));
        }
    }
}

impl Notes for Hybrid<'_> {
    fn note(&self, state: Handle) -> u32 {
        self.change(state, |_| None) - 1
    }
    fn set_note(&self, state: Handle, note: u32) {
        self.change(state, |_| Some(note + 1));
    }
    fn claim(&self, state: Handle, note: u32) -> u32 {
        self.change(state, |field| (field == 1).then_some(note + 1)) - 1
    }
}
