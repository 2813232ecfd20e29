//! States on their way out of a store and into it.

use crate::Handle;
use lariat_space::State;

/// The states that one thread expands together. States are mostly like the one they were reached from, and a store may
/// keep here what it learned about the origins on the way out, to be asked again about their neighbours on the way in.
#[derive(Debug)]
pub struct Origins {
    len: usize,
    words_per_state: usize,
    words: Vec<u64>,
    /// How many numbers a store keeps for each state.
    refs_per_state: usize,
    refs: Vec<u32>,
}

impl Origins {
    /// Room for states of `words_per_state` words, without states.
    pub fn new(words_per_state: usize) -> Self {
        Self { len: 0, words_per_state, words: Vec::new(), refs_per_state: 0, refs: Vec::new() }
    }
    /// The number of states.
    pub fn len(&self) -> usize {
        self.len
    }
    /// Whether there are no states.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// A state.
    pub fn state(&self, number: usize) -> &State {
        &self.words[number * self.words_per_state..][..self.words_per_state]
    }
    /// The most memory that is taken while there are at most `len` states.
    pub fn most_bytes(words_per_state: usize, len: usize) -> u64 {
        let refs_bytes = size_of::<u32>() * most_refs(words_per_state);
        2 * ((size_of::<u64>() * words_per_state + refs_bytes) * len) as u64
    }

    /// Makes it `len` states of zeros, with `refs_per_state` zeros each.
    pub(crate) fn reset(&mut self, len: usize, refs_per_state: usize) {
        self.len = len;
        self.words.clear();
        self.words.resize(len * self.words_per_state, 0);
        self.refs_per_state = refs_per_state;
        self.refs.clear();
        self.refs.resize(len * refs_per_state, 0);
    }
    pub(crate) fn state_mut(&mut self, number: usize) -> &mut State {
        &mut self.words[number * self.words_per_state..][..self.words_per_state]
    }
    /// What the store keeps for a state: nothing, if it knew nothing when the state was recalled.
    pub(crate) fn refs(&self, number: usize) -> &[u32] {
        &self.refs[number * self.refs_per_state..][..self.refs_per_state]
    }
    /// A state, and what the store keeps for it.
    pub(crate) fn both_mut(&mut self, number: usize) -> (&mut State, &mut [u32]) {
        (
            &mut self.words[number * self.words_per_state..][..self.words_per_state],
            &mut self.refs[number * self.refs_per_state..][..self.refs_per_state],
        )
    }
}

/// How many numbers a store keeps for a state at most: a tree above half words has less than four nodes a word.
fn most_refs(words_per_state: usize) -> usize {
    4 * words_per_state
}

/// Some states, each with its origin, and a store's answers about them.
#[derive(Debug)]
pub struct Batch {
    words_per_state: usize,
    words: Vec<u64>,
    origins: Vec<Option<u32>>,
    /// What the store looks the states up by.
    pub(crate) keys: Vec<u64>,
    /// The store's notes about one state.
    pub(crate) notes: Notes,
    /// One for each state that was probed, in order.
    pub answers: Vec<Answer>,
}

/// What a store works with while it looks at one state.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    /// By node of a tree, of the state that was looked at last.
    pub(crate) refs: Vec<u32>,
    /// The origin whose references these are.
    pub(crate) standing: Option<usize>,
    /// Nodes to look at, a bit for each.
    pub(crate) dirty: Vec<u64>,
    /// Nodes whose references differ from the origin's.
    pub(crate) changed: Vec<u32>,
}

impl Notes {
    /// Gets ready for trees of so many nodes.
    pub(crate) fn reset(&mut self, nodes: usize) {
        self.refs.resize(nodes, 0);
        self.dirty.resize(nodes / 64 + 1, 0);
        self.standing = None;
    }
    #[inline]
    pub(crate) fn mark(&mut self, node: u32) {
        self.dirty[node as usize / 64] |= 1 << (node % 64);
    }
}

/// What a store knew about a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// It was absent, and is there now.
    New(Handle),
    /// It was there.
    Known(Handle),
}

impl Answer {
    /// The state's handle.
    pub fn handle(self) -> Handle {
        match self {
            Self::New(handle) | Self::Known(handle) => handle,
        }
    }
}

impl Batch {
    /// A batch of states of `words_per_state` words, without states.
    pub fn new(words_per_state: usize) -> Self {
        Self {
            words_per_state,
            words: Vec::new(),
            origins: Vec::new(),
            keys: Vec::new(),
            notes: Notes::default(),
            answers: Vec::new(),
        }
    }
    /// Adds a state that was reached from the given one of the origins; `None` for an initial state.
    pub fn push(&mut self, state: &State, origin: Option<usize>) {
        debug_assert_eq!(state.len(), self.words_per_state, "a state of this batch's space");
        self.words.extend_from_slice(state);
        self.origins.push(origin.map(|origin| origin as u32));
    }
    /// Removes all states and answers, keeping the memory.
    pub fn clear(&mut self) {
        self.words.clear();
        self.origins.clear();
        self.answers.clear();
    }
    /// The number of states.
    pub fn len(&self) -> usize {
        self.origins.len()
    }
    /// Whether there are no states.
    pub fn is_empty(&self) -> bool {
        self.origins.is_empty()
    }
    /// A state.
    pub fn state(&self, number: usize) -> &State {
        &self.words[number * self.words_per_state..][..self.words_per_state]
    }
    /// Which of the origins it was reached from.
    pub fn origin(&self, number: usize) -> Option<usize> {
        self.origins[number].map(|origin| origin as usize)
    }
    /// The most memory that a batch takes while it has at most `len` states. Vectors that grow have room for twice as
    /// much as was ever in them, at most.
    pub fn most_bytes(words_per_state: usize, len: usize) -> u64 {
        let words_bytes = size_of::<u64>() * (words_per_state + 1);
        let bytes_per_state = words_bytes + size_of::<Option<u32>>() + size_of::<Answer>();
        // References, changes, and a bit for each in words of 64.
        let notes_bytes = (2 * size_of::<u32>() + 1) * most_refs(words_per_state) + size_of::<u64>();
        2 * (bytes_per_state * len + notes_bytes) as u64
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
                    batch.keys.push(0);
                    batch.answers.push(Answer::New(Handle(number as u64)));
                }
                let words = batch.words.capacity() + batch.keys.capacity();
                let taken = words * size_of::<u64>()
                    + batch.answers.capacity() * size_of::<Answer>()
                    + batch.origins.capacity() * size_of::<Option<u32>>();
                let most = Batch::most_bytes(words_per_state, len);
                assert!(taken as u64 <= most, "{taken} > {most} bytes for {len} states of {words_per_state} words");
            }
        }
    }
}
