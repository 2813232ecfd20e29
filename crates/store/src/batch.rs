//! States on their way out of a store and into it.

use crate::Handle;
use lariat_space::State;

/// The states that one thread expands together. States are mostly like the one they were reached from, and a store may
/// keep here what it learned about the origins on the way out, to be asked again about their neighbours on the way in.
#[derive(Debug)]
pub struct Origins {
    words_per_state: usize,
    pub(crate) words: Vec<u64>,
}

impl Origins {
    /// Room for states of `words_per_state` words, without states.
    pub fn new(words_per_state: usize) -> Self {
        Self { words_per_state, words: Vec::new() }
    }
    /// A state.
    pub fn state(&self, number: usize) -> &State {
        &self.words[number * self.words_per_state..][..self.words_per_state]
    }
    /// The most memory that is taken while there are at most `len` states.
    pub fn most_bytes(words_per_state: usize, len: usize) -> u64 {
        2 * (size_of::<u64>() * words_per_state * len) as u64
    }
}

/// Some states, each with its origin, and a store's answers about them.
#[derive(Debug)]
pub struct Batch {
    words_per_state: usize,
    words: Vec<u64>,
    hashes: Vec<u64>,
    origins: Vec<Option<u32>>,
    /// One for each state that was probed, in order.
    pub answers: Vec<Answer>,
}

/// What a store knew about a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// It was absent, and is there now.
    New(Handle),
    /// It was there.
    Known(Handle),
}

impl Batch {
    /// A batch of states of `words_per_state` words, without states.
    pub fn new(words_per_state: usize) -> Self {
        Self { words_per_state, words: Vec::new(), hashes: Vec::new(), origins: Vec::new(), answers: Vec::new() }
    }
    /// Adds a state that was reached from the given one of the origins; `None` for an initial state.
    pub fn push(&mut self, state: &State, origin: Option<usize>) {
        debug_assert_eq!(state.len(), self.words_per_state, "a state of this batch's space");
        self.words.extend_from_slice(state);
        self.hashes.push(hash_state(state));
        self.origins.push(origin.map(|origin| origin as u32));
    }
    /// Removes all states and answers, keeping the memory.
    pub fn clear(&mut self) {
        self.words.clear();
        self.hashes.clear();
        self.origins.clear();
        self.answers.clear();
    }
    /// The number of states.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }
    /// Whether there are no states.
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }
    /// A state.
    pub fn state(&self, number: usize) -> &State {
        &self.words[number * self.words_per_state..][..self.words_per_state]
    }
    /// The hash of a state.
    pub fn hash(&self, number: usize) -> u64 {
        self.hashes[number]
    }
    /// The most memory that a batch takes while it has at most `len` states. Vectors that grow have room for twice as
    /// much as was ever in them, at most.
    pub fn most_bytes(words_per_state: usize, len: usize) -> u64 {
        let bytes_per_state = size_of::<u64>() * (words_per_state + 1) + size_of::<Option<u32>>() + size_of::<Answer>();
        2 * (bytes_per_state * len) as u64
    }
}

/// The hash of a state: the same on every machine and in every version that shares a layout. It may reach disk and
/// wire, and its sum over all states is a search's digest.
pub fn hash_state(state: &State) -> u64 {
    let mut bytes = [0; 256];
    if let Some(bytes) = bytes.get_mut(..state.len() * 8) {
        bytes.chunks_exact_mut(8).zip(state).for_each(|(chunk, word)| chunk.copy_from_slice(&word.to_le_bytes()));
        return xxhash_rust::xxh3::xxh3_64(bytes);
    }
    let mut hasher = xxhash_rust::xxh3::Xxh3Default::new();
    state.iter().for_each(|word| hasher.update(&word.to_le_bytes()));
    hasher.digest()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_batch_takes_more_than_was_said() {
        for words_per_state in [1, 2, 3, 5, 31] {
            for len in [4, 5, 100, 255, 256, 257] {
                let mut batch = Batch::new(words_per_state);
                for number in 0..len {
                    batch.push(&vec![number as u64; words_per_state], None);
                    batch.answers.push(Answer::New(Handle(number as u64)));
                }
                let words = batch.words.capacity() + batch.hashes.capacity();
                let taken = words * size_of::<u64>()
                    + batch.answers.capacity() * size_of::<Answer>()
                    + batch.origins.capacity() * size_of::<Option<u32>>();
                let most = Batch::most_bytes(words_per_state, len);
                assert!(taken as u64 <= most, "{taken} > {most} bytes for {len} states of {words_per_state} words");
            }
        }
    }
}
