//! Which parts of a state stand together in the tree.
//!
//! A state is a row of half words. A *leaf* is one or two neighbours in that row, which fit a word; an *inner* node
//! stands for all that is below its two children, and the root for the whole state. The tree is good if few different
//! values occur at each node below the root. That depends on the model far more than on the sizes of the parts: cut in
//! the middle, the states of some models have almost as many different halves as there are states. So the cuts are
//! learned from some states: each range of half words is cut where its two parts have fewest values.

use super::variety::Varieties;
use lariat_space::State;

/// Where half words are found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Leaf {
    /// A whole word.
    Word(u32),
    /// One half of a word, by the number of the half.
    Half(u32),
    /// The upper half of a word and the lower one of the next.
    Across(u32),
}

impl Leaf {
    /// Its value in a state.
    #[inline]
    pub(crate) fn of(self, state: &State) -> u64 {
        match self {
            Self::Word(word) => state[word as usize],
            Self::Half(half) => half_of(state, half as usize).into(),
            Self::Across(word) => state[word as usize] >> 32 | state[word as usize + 1] << 32,
        }
    }
    /// Writes its value into a state where there are zeros.
    #[inline]
    pub(crate) fn put(self, value: u64, state: &mut State) {
        match self {
            Self::Word(word) => state[word as usize] = value,
            Self::Half(half) => state[half as usize / 2] |= value << (half % 2 * 32),
            Self::Across(word) => {
                state[word as usize] |= value << 32;
                state[word as usize + 1] |= value >> 32;
            }
        }
    }
}

/// A half word of a state.
pub(crate) fn half_of(state: &State, half: usize) -> u32 {
    (state[half / 2] >> (half % 2 * 32)) as u32
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Node {
    Leaf(Leaf),
    Inner { left: u32, right: u32 },
}

/// A tree above the half words of a state. Nodes are numbered, children before parents; the root has no number.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) nodes: Vec<Node>,
    /// By node; `None` below the root.
    pub(crate) parents: Vec<Option<u32>>,
    /// The children of the root.
    pub(crate) top: [u32; 2],
    /// By half word.
    pub(crate) leaves: Vec<u32>,
}

impl Shape {
    /// A tree that suits `states` well, of which there is at least one.
    pub(crate) fn learned(states: &[&State]) -> Self {
        let halves = states[0].len() * 2;
        let mut shape = Self { nodes: Vec::new(), parents: Vec::new(), top: [0; 2], leaves: vec![0; halves] };
        let mut varieties = Varieties::new(states);
        shape.top = shape.cut(0, halves, &mut varieties);
        shape
    }

    /// Cuts a range of half words in two, and these until there are leaves.
    fn cut(&mut self, start: usize, end: usize, varieties: &mut Varieties<'_>) -> [u32; 2] {
        let middle = varieties.best_cut(start, end);
        [(start, middle), (middle, end)].map(|(start, end)| {
            if end - start > 2 {
                let [left, right] = self.cut(start, end, varieties);
                let node = self.add(Node::Inner { left, right });
                self.parents[left as usize] = Some(node);
                self.parents[right as usize] = Some(node);
                return node;
            }
            let leaf = match (end - start, start % 2) {
                (1, _) => Leaf::Half(start as u32),
                (_, 0) => Leaf::Word(start as u32 / 2),
                _ => Leaf::Across(start as u32 / 2),
            };
            let node = self.add(Node::Leaf(leaf));
            self.leaves[start..end].fill(node);
            node
        })
    }

    fn add(&mut self, node: Node) -> u32 {
        self.nodes.push(node);
        self.parents.push(None);
        self.nodes.len() as u32 - 1
    }
}
