//! States on their way out of a store and into it.

use crate::Handle;
use crate::flat::States;
use crate::memo::Memo;
use lariat_space::State;

/// The states that one thread expands together. States are mostly like the one they were reached from, and a store may
/// keep here what it learned about the origins on the way out, to be asked again about their neighbours on the way in.
#[derive(Debug)]
pub struct Origins {
    len: usize,
    words_per_state: usize,
    words: Vec<u64>,
    /// How many numbers and how many words a store keeps for each state.
    refs_per_state: usize,
    refs: Vec<u32>,
    leaves_per_state: usize,
    leaves: Vec<u64>,
    /// What these meant to the store when it wrote them.
    pub(crate) version: Option<u64>,
}

impl Origins {
    /// Room for states of `words_per_state` words, without states.
    pub fn new(words_per_state: usize) -> Self {
        Self {
            len: 0,
            words_per_state,
            words: Vec::new(),
            refs_per_state: 0,
            refs: Vec::new(),
            leaves_per_state: 0,
            leaves: Vec::new(),
            version: None,
        }
    }
    /// The number of states.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }
    /// Whether there are no states.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// A state.
    #[inline]
    pub fn state(&self, number: usize) -> &State {
        &self.words[number * self.words_per_state..][..self.words_per_state]
    }
    /// The most memory that is taken while there are at most `len` states.
    pub fn most_bytes(words_per_state: usize, len: usize) -> u64 {
        let words_bytes = size_of::<u64>() * (words_per_state + most_leaves(words_per_state));
        let refs_bytes = size_of::<u32>() * 2 * most_leaves(words_per_state);
        2 * ((words_bytes + refs_bytes) * len) as u64
    }

    /// Makes it `len` states of zeros, with some more zeros each.
    pub(crate) fn reset(&mut self, len: usize, refs_per_state: usize, leaves_per_state: usize) {
        self.len = len;
        self.words.resize(len * self.words_per_state, 0);
        self.refs_per_state = refs_per_state;
        self.refs.resize(len * refs_per_state, 0);
        self.leaves_per_state = leaves_per_state;
        self.leaves.resize(len * leaves_per_state, 0);
        self.version = None;
    }
    pub(crate) fn state_mut(&mut self, number: usize) -> &mut State {
        &mut self.words[number * self.words_per_state..][..self.words_per_state]
    }
    pub(crate) fn refs(&self, number: usize) -> &[u32] {
        &self.refs[number * self.refs_per_state..][..self.refs_per_state]
    }
    pub(crate) fn refs_mut(&mut self, number: usize) -> &mut [u32] {
        &mut self.refs[number * self.refs_per_state..][..self.refs_per_state]
    }
    pub(crate) fn leaves(&self, number: usize) -> &[u64] {
        &self.leaves[number * self.leaves_per_state..][..self.leaves_per_state]
    }
    pub(crate) fn leaves_mut(&mut self, number: usize) -> &mut [u64] {
        &mut self.leaves[number * self.leaves_per_state..][..self.leaves_per_state]
    }
    pub(crate) fn state_and_leaves(&mut self, number: usize) -> (&mut State, &[u64]) {
        (
            &mut self.words[number * self.words_per_state..][..self.words_per_state],
            &self.leaves[number * self.leaves_per_state..][..self.leaves_per_state],
        )
    }
}

/// How many leaves a tree has at most: one is full when it has no room for a unit, so the bits of some units never take
/// more leaves than they are, and there are at least two.
fn most_leaves(words_per_state: usize) -> usize {
    words_per_state * 64 / crate::tree::unit_bits(words_per_state) + 2
}

/// In place of an action that is not known.
const NO_ACTION: u64 = u64::MAX;
/// Rows with so many words before the state are taken as they are; others are copied word by word.
const MOST_BEFORE: usize = 4;
/// Every row has at least so many.
const LEAST_BEFORE: usize = 1;

/// Some states, each with its origin, and a store's answers about them.
#[derive(Debug)]
pub struct Batch {
    words_per_state: usize,
    /// A state is the end of a row of so many words. The low half of the first word is the number of an action that led to the
    /// state, or all ones if that is not known.
    words_per_row: usize,
    words: Vec<u64>,
    /// The number of states.
    len: usize,
    /// Which of the origins the states were reached from, one entry for all that follow each other with the same.
    origins: Vec<OriginRun>,
    /// Whether nobody asks for the handles of states that were there.
    pub(crate) only_new: bool,
    /// What the store looks the states up by.
    pub(crate) keys: Vec<u64>,
    pub(crate) scratch: Scratch,
    /// One for each state that was probed, in order. If [nobody asks](Self::only_new) for the handles of states that were there,
    /// there may be fewer: see [`fresh`](Self::fresh).
    pub answers: Vec<Answer>,
    /// After those with an answer, the new states among those that were probed, and how many these were.
    pub(crate) news: Vec<(u32, Handle)>,
    pub(crate) without_answer: usize,
    /// Of a store with [notes](crate::Notes), those of the states that were answered. Empty otherwise.
    pub notes: Vec<u32>,
}

/// States one after the other with the same origin.
#[derive(Clone, Copy, Debug)]
struct OriginRun {
    /// The number of the state after the last.
    end: u32,
    origin: u32,
}

/// For an initial state.
const NO_ORIGIN: u32 = u32::MAX;

/// What a store works with while it looks at some states.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    nodes: usize,
    /// How many states there are notes about.
    states: u32,
    /// By state and node of a tree.
    refs: Vec<u32>,
    /// By leaf, how it differs from the origin's; zeros between states.
    pub(crate) leaves: Vec<u64>,
    /// By node, the states for which it is to be looked at.
    pub(crate) waiting: Vec<Vec<u32>>,
    /// Nodes that are looked up together, with what is known about them.
    pub(crate) differing: Vec<Differing>,
    /// The heads of the states, side by side.
    pub(crate) heads: Vec<u64>,
    /// Which keys wait for numbers.
    pub(crate) pending: Vec<u32>,
    /// Numbers of nodes that were looked up last.
    pub(crate) memo: Memo,
}

/// A node that differs from the origin's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Differing {
    pub(crate) state: u32,
    pub(crate) node: u32,
    pub(crate) value: u64,
    pub(crate) hash: u64,
    /// What will probably turn out to be its reference.
    pub(crate) candidate: u32,
}

impl Scratch {
    /// When there are so many differing leaves for every state of the batch, they are looked up before more are noted.
    pub(crate) const DIFFERING_PER_STATE: usize = 2;

    /// Gets ready for trees of so many nodes, so many of them leaves.
    pub(crate) fn reset(&mut self, nodes: usize, leaves: usize) {
        (self.nodes, self.states) = (nodes, 0);
        self.refs.clear();
        self.leaves.resize(leaves, 0);
        self.leaves.fill(0);
        self.waiting.resize_with(nodes, Vec::new);
        self.waiting.iter_mut().for_each(Vec::clear);
        self.differing.clear();
    }
    /// How many states there are notes about.
    #[inline]
    pub(crate) fn states(&self) -> u32 {
        self.states
    }
    /// Begins notes about a state whose references are these so far; none if they are all to be found.
    #[inline]
    pub(crate) fn begin(&mut self, refs: Option<&[u32]>) {
        self.states += 1;
        match refs {
            Some(refs) => self.refs.extend_from_slice(refs),
            None => self.refs.resize(self.refs.len() + self.nodes, u32::MAX),
        }
    }
    #[inline]
    pub(crate) fn refs(&self, state: u32) -> &[u32] {
        &self.refs[state as usize * self.nodes..][..self.nodes]
    }
    #[inline]
    pub(crate) fn set_ref(&mut self, state: u32, node: u32, number: u32) {
        self.refs[state as usize * self.nodes + node as usize] = number;
    }
    /// The node is to be looked at for the state.
    #[inline]
    pub(crate) fn wait(&mut self, state: u32, node: u32) {
        let waiting = &mut self.waiting[node as usize];
        if waiting.last() != Some(&state) {
            waiting.push(state);
        }
    }
    /// What `capacity` they have, for who counts memory.
    #[cfg(test)]
    fn bytes(&self) -> usize {
        fn bytes<T>(vector: &Vec<T>) -> usize {
            vector.capacity() * size_of::<T>()
        }
        let waiting: usize = self.waiting.iter().map(bytes).sum();
        bytes(&self.refs)
            + bytes(&self.leaves)
            + waiting
            + bytes(&self.waiting)
            + bytes(&self.differing)
            + bytes(&self.heads)
            + bytes(&self.pending)
            + self.memo.bytes()
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
            words_per_row: words_per_state + LEAST_BEFORE,
            words: Vec::new(),
            len: 0,
            origins: Vec::new(),
            only_new: false,
            keys: Vec::new(),
            scratch: Scratch::default(),
            answers: Vec::new(),
            news: Vec::new(),
            without_answer: 0,
            notes: Vec::new(),
        }
    }
    /// The same for a search that needs no handles of states that were there before, and asks [which](Self::fresh) are new in
    /// place of answers. That saves a store from finding them.
    pub fn only_new(words_per_state: usize) -> Self {
        Self { only_new: true, ..Self::new(words_per_state) }
    }
    /// The same for states alone, which are added by [`push_states`](Self::push_states).
    pub fn bare(words_per_state: usize) -> Self {
        Self { words_per_row: words_per_state, ..Self::only_new(words_per_state) }
    }
    /// Adds states that were reached from this one of the origins, one after the other.
    #[inline]
    pub fn push_states(&mut self, states: &[u64], origin: Option<usize>) {
        debug_assert_eq!(self.words_per_row, self.words_per_state, "a batch of states alone");
        self.words.extend_from_slice(states);
        let more = states.len() / self.words_per_state;
        if more > 0 {
            self.add(more, origin.map_or(NO_ORIGIN, |origin| origin as u32));
        }
    }
    /// Adds a state that was reached from the given one of the origins; `None` for an initial state.
    #[inline]
    pub fn push(&mut self, state: &State, origin: Option<usize>) {
        debug_assert_eq!(state.len(), self.words_per_state, "a state of this batch's space");
        self.words.resize(self.words.len() + self.words_per_row - self.words_per_state, NO_ACTION);
        self.words.extend_from_slice(state);
        self.add(1, origin.map_or(NO_ORIGIN, |origin| origin as u32));
    }
    /// So many more states from this origin.
    #[inline]
    fn add(&mut self, more: usize, origin: u32) {
        self.len += more;
        let end = self.len as u32;
        match self.origins.last_mut() {
            Some(run) if run.origin == origin => run.end = end,
            _ => self.origins.push(OriginRun { end, origin }),
        }
    }
    /// Adds states that were reached from one of the origins, as long as there are fewer than `most`. `words` has rows of
    /// `width` words as in [`StepRows`](lariat_space::StepRows). The rows that are left.
    #[inline]
    pub fn push_rows<'r>(&mut self, words: &'r [u64], width: usize, origin: usize, most: usize) -> &'r [u64] {
        debug_assert!(
            width >= self.words_per_state + LEAST_BEFORE && words.len().is_multiple_of(width),
            "rows of this batch's space"
        );
        let room = (most - self.len()) * width;
        let (words, rest) = words.split_at(room.min(words.len()));
        if self.is_empty() && width <= self.words_per_state + MOST_BEFORE {
            self.words_per_row = width;
        }
        if width == self.words_per_row {
            self.words.extend_from_slice(words);
            self.add(self.words.len() / width - self.len, origin as u32);
        } else {
            for row in words.chunks_exact(width) {
                let (before, state) = row.split_at(width - self.words_per_state);
                self.push(state, Some(origin));
                let begin = self.words.len() - self.words_per_row;
                self.words[begin] = before[0];
            }
        }
        rest
    }
    /// Removes all states and answers, keeping the memory.
    #[inline]
    pub fn clear(&mut self) {
        self.words.clear();
        self.len = 0;
        self.origins.clear();
        self.answers.clear();
        self.news.clear();
        self.without_answer = 0;
        self.notes.clear();
    }
    /// The number of states.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }
    /// Whether there are no states.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// The numbers of the first actions of the steps that were pushed as [rows](Self::push_rows); of other states, numbers that
    /// no action has.
    #[inline]
    pub fn first_actions(&self) -> impl Iterator<Item = u32> {
        self.words.chunks_exact(self.words_per_row).map(|row| row[0] as u32)
    }
    /// A state.
    #[inline]
    pub fn state(&self, number: usize) -> &State {
        let row = &self.words[number * self.words_per_row..][..self.words_per_row];
        &row[self.words_per_row - self.words_per_state..]
    }
    /// The numbers of the states that were new, and their handles, in order.
    #[inline]
    pub fn fresh(&self) -> impl Iterator<Item = (usize, Handle)> {
        let among_answers = self.answers.iter().enumerate().filter_map(|(number, answer)| match *answer {
            Answer::New(handle) => Some((number, handle)),
            Answer::Known(_) => None,
        });
        among_answers.chain(self.news.iter().map(|&(number, handle)| (number as usize, handle)))
    }
    /// The states from this one on, with their origins.
    #[inline]
    pub(crate) fn rows_from(&self, number: usize) -> impl Iterator<Item = (&State, Option<u32>)> {
        let begin = self.words_per_row - self.words_per_state;
        let rows = self.words[number * self.words_per_row..].chunks_exact(self.words_per_row);
        let mut runs = &self.origins[self.origins.partition_point(|run| run.end as usize <= number)..];
        rows.zip(number as u32..).map(move |(row, number)| {
            let mut origin = runs[0].origin;
            if number == runs[0].end {
                runs = &runs[1..];
                origin = runs[0].origin;
            }
            (&row[begin..], Some(origin).filter(|&origin| origin != NO_ORIGIN))
        })
    }
    /// The states from this one on, where a state has `N` words.
    #[inline]
    pub(crate) fn short_states_from<const N: usize>(&self, number: usize) -> impl Iterator<Item = &[u64; N]> {
        let rows = self.words[number * self.words_per_row..].chunks_exact(self.words_per_row);
        rows.map(|row| row.last_chunk().expect("a state has so many words"))
    }
    pub(crate) fn words_per_state(&self) -> usize {
        self.words_per_state
    }
    /// The states, and what a store writes about them: keys, answers, notes.
    pub(crate) fn parts(&mut self) -> (States<'_>, &mut Vec<u64>, &mut Vec<Answer>, &mut Vec<u32>) {
        let Self { words_per_state, words_per_row, words, len, keys, answers, notes, .. } = self;
        let (words_per_state, words_per_row, len) = (*words_per_state, *words_per_row, *len);
        (States { words, words_per_state, words_per_row, len }, keys, answers, notes)
    }
    /// How much more a batch may take for each state.
    pub fn bytes_per_state(words_per_state: usize) -> u64 {
        Self::most_bytes(words_per_state, 2) - Self::most_bytes(words_per_state, 1)
    }
    /// The most memory that a batch takes while it has at most `len` states. Vectors that grow have room for twice as
    /// much as was ever in them, at most.
    pub fn most_bytes(words_per_state: usize, len: usize) -> u64 {
        let answer_bytes = size_of::<Answer>() + size_of::<(u32, Handle)>() + size_of::<u32>();
        // A word more for what is looked up, and its head.
        let row_words = words_per_state + MOST_BEFORE;
        let words_bytes = size_of::<u64>() * (row_words + words_per_state + 1) + size_of::<OriginRun>() + answer_bytes;
        // A state may have a note on each leaf, a reference and, twice, a wait for each node.
        let nodes = 2 * most_leaves(words_per_state);
        let names_bytes = size_of::<Differing>() * most_leaves(words_per_state) + size_of::<u32>();
        let nodes_bytes = 3 * size_of::<u32>() * nodes;
        let bytes_per_state = words_bytes + names_bytes + nodes_bytes;
        let by_node_bytes = (size_of::<Vec<u32>>() + 4 * size_of::<u32>()) * nodes;
        let by_leaf_bytes = (size_of::<u64>() + size_of::<Differing>()) * most_leaves(words_per_state);
        (2 * (bytes_per_state * len + by_node_bytes + by_leaf_bytes) + Memo::MOST_BYTES) as u64
    }
}

/// The hash of a state: the same on every machine and in every version that shares a layout. It may reach disk and
/// wire, and its sum over all states is a search's digest.
#[inline(always)]
pub fn hash_state(state: &State) -> u64 {
    #[cfg(target_endian = "little")]
    return xxhash_rust::xxh3::xxh3_64(crate::memory::bytes_of(state));
    #[cfg(not(target_endian = "little"))]
    {
        let mut hasher = xxhash_rust::xxh3::Xxh3Default::new();
        state.iter().for_each(|word| hasher.update(&word.to_le_bytes()));
        hasher.digest()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Budget, Hybrid, NoteWidth, NotedTree, Recall, Store};

    #[test]
    fn no_batch_takes_more_than_was_said() {
        fn bytes<T>(vector: &Vec<T>) -> usize {
            vector.capacity() * size_of::<T>()
        }
        for words_per_state in [1, 2, 3, 5, 31] {
            for len in [4, 5, 100, 255, 256, 257] {
                let budget = Budget::new(u64::MAX);
                let store = NotedTree::learning_from(1, words_per_state, &budget, NoteWidth::Number).unwrap();
                let hybrid = Hybrid::new(words_per_state, Vec::new(), 3, &budget).unwrap();
                let mut batch = Batch::new(words_per_state);
                let mut origins = Origins::new(words_per_state);
                for round in 0..10 {
                    batch.clear();
                    for number in 0..len as u64 {
                        let word = |word| (number + round).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (word % 20);
                        batch.push(&(0..words_per_state).map(word).collect::<Vec<_>>(), None);
                    }
                    store.probe(&mut batch, &origins).unwrap();
                    let handles: Vec<Handle> = batch.answers.iter().map(|answer| answer.handle()).collect();
                    store.recall(&handles, &mut origins);
                    batch.answers.clear();
                    hybrid.probe(&mut batch, &origins).unwrap();
                }
                let Batch { words, origins: numbers, keys, scratch, answers, news, notes, .. } = &batch;
                let answered = bytes(answers) + bytes(news) + bytes(notes);
                let taken = bytes(words) + bytes(numbers) + bytes(keys) + scratch.bytes() + answered;
                let most = Batch::most_bytes(words_per_state, len);
                assert!(taken as u64 <= most, "{taken} > {most} bytes for {len} states of {words_per_state} words");

                let Origins { words, refs, leaves, .. } = &origins;
                let taken = bytes(words) + bytes(refs) + bytes(leaves);
                let most = Origins::most_bytes(words_per_state, len);
                assert!(taken as u64 <= most, "{taken} > {most} bytes for {len} origins of {words_per_state} words");
            }
        }
    }
}
