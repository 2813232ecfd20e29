//! An exact store as a memory of visited states: it keeps all that it is asked about.

use lariat_space::State;
use lariat_store::{Answer, Batch, Budget, Figures, Full, Handle, KnowsPath, Notes, Origins, Phase, Visited};

/// The states of an exact store, with what was done with them in its notes.
pub struct Kept<'a, T> {
    store: T,
    budget: &'a Budget,
    batch: Batch,
    origins: Origins,
    buffer_bytes: u64,
    insertions: u64,
}

/// By phase: visited.
const SEEN: u32 = 1;
/// By phase: on the path.
const OPEN: u32 = 4;

impl<'a, T: Notes> Kept<'a, T> {
    /// An empty store, the notes of which are at least bytes.
    pub fn new(store: T, words_per_state: usize, budget: &'a Budget) -> Result<Self, Full> {
        let buffer_bytes = Batch::most_bytes(words_per_state, 1);
        budget.take(buffer_bytes)?;
        let (batch, origins) = (Batch::new(words_per_state), Origins::new(words_per_state));
        Ok(Self { store, budget, batch, origins, buffer_bytes, insertions: 0 })
    }

    /// The state's handle and note; it is stored if it was not.
    fn find(&mut self, state: &State) -> Result<(Handle, u32), Full> {
        self.batch.clear();
        self.batch.push(state, None);
        self.store.probe(&mut self.batch, &self.origins)?;
        let answer = self.batch.answers[0];
        if let Answer::New(_) = answer {
            // A store may ask for room before it looks: now it has some for looking up again all that is there.
            self.batch.clear();
            self.batch.push(state, None);
            self.store.probe(&mut self.batch, &self.origins)?;
        }
        Ok((answer.handle(), self.batch.notes[0]))
    }
}

impl<T: Notes> Visited for Kept<'_, T> {
    fn contains(&mut self, state: &State, phase: Phase) -> Result<bool, Full> {
        Ok(self.find(state)?.1 & (SEEN << phase as u32) != 0)
    }

    fn enter(&mut self, state: &State, phase: Phase) -> Result<bool, Full> {
        let (handle, note) = self.find(state)?;
        let new = note & (SEEN << phase as u32) == 0;
        if new {
            self.store.set_note(handle, note | (SEEN | OPEN) << phase as u32);
            self.insertions += u64::from(phase == Phase::First);
        }
        Ok(new)
    }

    fn leave(&mut self, state: &State, phase: Phase) {
        let (handle, note) = self.find(state).expect("what is in the store needs no memory");
        self.store.set_note(handle, note & !(OPEN << phase as u32));
    }

    fn clear(&mut self) -> bool {
        false
    }

    fn figures(&self) -> Figures {
        Figures { insertions: self.insertions, bytes: self.store.bytes(), ..Figures::default() }
    }
}

impl<T: Notes> KnowsPath for Kept<'_, T> {
    fn is_open(&mut self, state: &State) -> Result<bool, Full> {
        Ok(self.find(state)?.1 & OPEN != 0)
    }
}

impl<T> Drop for Kept<'_, T> {
    fn drop(&mut self) {
        self.budget.give_back(self.buffer_bytes);
    }
}
