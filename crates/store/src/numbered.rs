//! States with numbers, in the order in which they were added.
//!
//! States are kept as in a [`TreeStore`], in a few bytes each, and so are the handles that it gave them, eight bytes each, by number. So a
//! range of numbers is a range of states, and what is known of states can stand in lists. Only a store that is asked for the
//! numbers of states that were there before keeps these too, as [notes](Notes), four bytes each and often less.
//!
//! For one thread.

use crate::arena::Arena;
use crate::{Answer, Batch, Budget, Full, Handle, NoteWidth, NotedTree, Notes, Origins, Recall, Store, TreeStore};

/// Exact, with the number of every state as its handle: that of the first is 0.
#[derive(Debug)]
pub struct Numbered<'b> {
    states: States<'b>,
    /// By number.
    handles: Arena<'b>,
    len: u64,
    limit_bytes: u64,
}

#[derive(Debug)]
enum States<'b> {
    /// States that were there have no number.
    Plain(TreeStore<'b>),
    /// The note of a state is its number, and one more: 0 is for states without a number yet.
    Noted(NotedTree<'b>),
}

impl<'b> Numbered<'b> {
    /// An empty store of states of `words_per_state` words that takes its memory from `budget`. It says which states are
    /// [new](Batch::fresh); the handles of others mean nothing.
    pub fn only_new(words_per_state: usize, budget: &'b Budget) -> Result<Self, Full> {
        Ok(Self::of(States::Plain(TreeStore::new(words_per_state, budget)?), budget))
    }
    /// The same; states that were there have their numbers too.
    pub fn new(words_per_state: usize, budget: &'b Budget) -> Result<Self, Full> {
        Ok(Self::of(States::Noted(TreeStore::noted(words_per_state, budget, NoteWidth::Number)?), budget))
    }
    fn of(states: States<'b>, budget: &'b Budget) -> Self {
        Self { states, handles: Arena::new(1, budget), len: 0, limit_bytes: budget.limit_bytes() }
    }

    /// Looks up every state of the batch, adds those that are absent, and answers each in turn, with its number as its handle. If the
    /// budget does not allow to add one, the answers end there. `origins` are those that the states were pushed with. The batch
    /// was [cleared](Batch::clear) since the last call.
    pub fn probe(&mut self, batch: &mut Batch, origins: &Origins) -> Result<(), Full> {
        debug_assert!(batch.answers.is_empty(), "a batch is answered once");
        while self.handles.capacity() < self.len + batch.len() as u64 {
            self.handles.grow()?;
        }
        match &self.states {
            States::Plain(tree) => {
                let probed = tree.probe(batch, origins);
                for (_, handle) in batch.fresh() {
                    self.handles.write(self.len, &[handle.0]);
                    self.len += 1;
                }
                probed
            }
            States::Noted(tree) => {
                // The greatest note is a number of 32 bits.
                if self.len + batch.len() as u64 >= u64::from(u32::MAX) {
                    return Err(Full { limit_bytes: self.limit_bytes });
                }
                let probed = tree.probe(batch, origins);
                let Batch { answers, notes, .. } = batch;
                for (answer, &note) in answers.iter_mut().zip(&*notes) {
                    match answer {
                        Answer::New(handle) => {
                            self.handles.write(self.len, &[handle.0]);
                            tree.set_note(*handle, self.len as u32 + 1);
                            *handle = Handle(self.len);
                            self.len += 1;
                        }
                        Answer::Known(handle) => {
                            // One that was added with this batch had no number when it was met again.
                            let note = if note == 0 { tree.note(*handle) } else { note };
                            *handle = Handle(u64::from(note) - 1);
                        }
                    }
                }
                probed
            }
        }
    }

    /// Looks up states that were all added before, in a store that is asked for these: `numbers` are theirs. That takes no memory. `None` if
    /// one of them is missing: it may have been added now, without a number, so the search must end.
    pub fn find(&self, batch: &mut Batch, origins: &Origins, numbers: &mut Vec<u64>) -> Option<()> {
        let States::Noted(tree) = &self.states else { return None };
        numbers.clear();
        tree.probe(batch, origins).ok()?;
        let known = batch.notes.iter().all(|&note| note != 0);
        numbers.extend(batch.notes.iter().map(|&note| u64::from(note).wrapping_sub(1)));
        known.then_some(())
    }

    /// Makes the states with these numbers the origins, in this order.
    pub fn recall(&self, numbers: impl Iterator<Item = u64>, origins: &mut Origins) {
        let handle = |number| {
            let mut handle = [0];
            self.handles.read(number, &mut handle);
            Handle(handle[0])
        };
        let handles: Vec<Handle> = numbers.map(handle).collect();
        match &self.states {
            States::Plain(tree) => tree.recall(&handles, origins),
            States::Noted(tree) => tree.recall(&handles, origins),
        }
    }

    /// The number of states.
    pub fn len(&self) -> u64 {
        self.len
    }
    /// Whether no state was added.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// What it takes of memory now.
    pub fn bytes(&self) -> u64 {
        let states = match &self.states {
            States::Plain(tree) => tree.bytes(),
            States::Noted(tree) => tree.bytes(),
        };
        states + self.handles.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// States with some bits that follow from few numbers, so that many come again, also in the same batch.
    fn state(random: &mut u64) -> [u64; 3] {
        *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let number = *random >> 40 & 0x7fff;
        [number % 7, number << 9 | 5, number / 3 % 2]
    }

    /// Numbers are those of a list, through the learning of a tree, and states are recalled by them.
    #[test]
    fn numbers_are_those_of_a_list() {
        for asks_for_known in [false, true] {
            let budget = Budget::new(u64::MAX);
            let make = if asks_for_known { Numbered::new } else { Numbered::only_new };
            let mut store = make(3, &budget).unwrap();
            let (mut list, mut numbers, mut random) = (Vec::new(), HashMap::new(), 7);
            let (mut batch, mut origins) = (Batch::new(3), Origins::new(3));
            for round in 0..400_u64 {
                let known = list.len() as u64;
                let place = (known > 0).then(|| round % known);
                store.recall(place.into_iter(), &mut origins);
                batch.clear();
                let states: Vec<_> = (0..200).map(|_| state(&mut random)).collect();
                states.iter().for_each(|state| batch.push(state, place.map(|_| 0)));
                store.probe(&mut batch, &origins).unwrap();
                let fresh: Vec<usize> = batch.fresh().map(|(place, _)| place).collect();
                let mut expected = Vec::new();
                for (place, state) in states.iter().enumerate() {
                    let next = list.len() as u64;
                    let number = *numbers.entry(*state).or_insert(next);
                    if number == next {
                        list.push(*state);
                        expected.push(place);
                    }
                    assert!(!asks_for_known || batch.answers[place].handle().0 == number, "state {place} of {round}");
                }
                assert_eq!(fresh, expected, "round {round}");
                assert_eq!(store.len(), list.len() as u64);
            }
            assert!(list.len() > 20_000, "a tree was learned");
            for first in (0..list.len()).step_by(1000) {
                let last = (first + 1000).min(list.len());
                store.recall(first as u64..last as u64, &mut origins);
                (first..last).for_each(|number| assert_eq!(origins.state(number - first), list[number]));
            }
            let mut found = Vec::new();
            batch.clear();
            (0..200).for_each(|place| batch.push(&list[place * 7 % list.len()], None));
            let is_found = store.find(&mut batch, &origins, &mut found).is_some();
            assert_eq!(is_found, asks_for_known);
            assert!(!is_found || (0..200).all(|place| found[place] == (place * 7 % list.len()) as u64));
            batch.clear();
            batch.push(&[7, 7, 7], None);
            assert!(store.find(&mut batch, &origins, &mut found).is_none(), "it was never added");
            drop(store);
            assert_eq!(budget.used_bytes(), 0);
        }
    }

    /// Without memory the states that were answered have their numbers, and no others are counted.
    #[test]
    fn a_full_budget_ends_the_answers() {
        for asks_for_known in [false, true] {
            let budget = Budget::new(300_000);
            let make = if asks_for_known { Numbered::new } else { Numbered::only_new };
            let mut store = make(3, &budget).unwrap();
            let (mut list, mut batch, origins) = (Vec::new(), Batch::new(3), Origins::new(3));
            let full = (0..200_u64).find_map(|round| {
                batch.clear();
                let states: Vec<_> = (0..200).map(|number| [round, number, round * number]).collect();
                states.iter().for_each(|state| batch.push(state, None));
                let probed = store.probe(&mut batch, &origins);
                list.extend(batch.fresh().map(|(place, _)| states[place]));
                probed.err()
            });
            assert!(full.is_some() && budget.used_bytes() <= 300_000);
            assert_eq!(store.len(), list.len() as u64);
            let mut origins = Origins::new(3);
            store.recall(0..store.len(), &mut origins);
            (0..list.len()).for_each(|number| assert_eq!(origins.state(number), list[number]));
        }
    }
}
