//! Which leaves stand together in the tree.
//!
//! A *leaf* is a word of the [packed](super::packing) state, an *inner* node stands for all that is below its two children,
//! and the root for the whole state. The tree is good if few different values occur at each node below the root. That
//! depends on the model far more than on the sizes of the parts: cut in the middle, the states of some models have almost
//! as many different halves as there are states. So the cuts are learned from some states: a range of *units*, bytes or half words, is cut
//! where its two parts have fewest values, until the bits that vary in a part fit a leaf.
//!
//! Bits that vary for the first time later on go to the leaf of their unit. If it is full, a new leaf is put
//! *beside* it: an inner node takes the place of the full leaf, with that and the new one as its children.

use super::packing::Packing;
use super::variety::{Varieties, unit_bits};
use lariat_space::State;

/// A range of units with more varying bits is cut. Less than a leaf has: more bits will be seen to vary.
const LEARNED_LEAF_BITS: u32 = 56;
/// Leaves of so few bits are never looked up.
const MOST_DIRECT_BITS: u32 = 12;
/// Nor, below the root, those of so few bits, if that is best.
const MOST_TOP_BITS: u32 = 26;
/// Where values are their own numbers, so many bits more may come to vary.
const SPARE_BITS: u32 = 2;
/// Where they are not, numbers may come to have so many bits more than the first states made expect.
const GROWTH_BITS: u32 = 3;
/// Keys of more bits are not worth a look-up less.
const MOST_KEY_BITS: u32 = 38;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Node {
    Leaf(u32),
    Inner { left: u32, right: u32 },
}

#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) packing: Packing,
    pub(crate) nodes: Vec<Node>,
    /// By node; `None` below the root.
    pub(crate) parents: Vec<Option<u32>>,
    /// The children of the root.
    pub(crate) top: [u32; 2],
    /// All nodes, children before parents.
    pub(crate) order: Vec<u32>,
    /// By node, where it is in the order.
    pub(crate) ranks: Vec<u32>,
    /// By leaf, its node.
    pub(crate) leaf_nodes: Vec<u32>,
    /// How many bits a unit has.
    unit_bits: usize,
    /// By unit, the leaf for bits that begin to vary.
    homes: Vec<u32>,
    /// By node, how many of the bits that vary in it, and how many values it is thought to have in the end.
    expected: Vec<(u32, f64)>,
    /// By node, the values below which are their own numbers.
    pub(crate) direct: Vec<u32>,
    /// How often it has changed.
    pub(crate) version: u64,
}

impl Shape {
    /// A tree that suits `states` well, of which there is at least one.
    pub(crate) fn learned(states: &[&State]) -> Self {
        let unit_bits = unit_bits(states[0].len());
        let units = states[0].len() * 64 / unit_bits;
        let mut shape = Self {
            packing: Packing::new(states[0]),
            nodes: Vec::new(),
            parents: Vec::new(),
            top: [0; 2],
            order: Vec::new(),
            ranks: Vec::new(),
            leaf_nodes: Vec::new(),
            unit_bits,
            homes: vec![0; units],
            expected: Vec::new(),
            direct: Vec::new(),
            version: 0,
        };
        let mut varieties = Varieties::new(states);
        let cut = varieties.best_cut(0, units);
        shape.top = [shape.grow(0, cut, &mut varieties), shape.grow(cut, units, &mut varieties)];
        shape.sort();
        shape.decide_direct();
        shape
    }

    /// Decides which values are their own numbers: those of leaves of few bits. Below the root that makes keys larger and
    /// look-ups fewer; it is done where keys stay small enough to be written in 32 bits.
    fn decide_direct(&mut self) {
        let direct = |&(bits, _): &(u32, f64), most: u32| if bits <= most { 1 << (bits + SPARE_BITS) } else { 0 };
        let is_leaf = |node: usize| matches!(self.nodes[node], Node::Leaf(_));
        self.direct = (0..self.nodes.len())
            .map(|node| if is_leaf(node) { direct(&self.expected[node], MOST_DIRECT_BITS) } else { 0 })
            .collect();
        let choices = [[true, true], [false, true], [true, false], [false, false]];
        let top = self.top.map(|node| node as usize);
        let may_be_direct = |node: usize| is_leaf(node) && self.expected[node].0 <= MOST_TOP_BITS;
        let admitted =
            choices.into_iter().filter(|choice| (0..2).all(|child| !choice[child] || may_be_direct(top[child])));
        let key_bits = |choice: &[bool; 2]| (0..2).map(|child| self.field_bits(top[child], choice[child])).sum::<u32>();
        // The fewest look-ups, then the fewest bits.
        let fits = admitted.filter(|choice| key_bits(choice) <= MOST_KEY_BITS);
        let best = fits.min_by_key(|choice| (choice.iter().filter(|&&direct| !direct).count(), key_bits(choice)));
        let best = best.unwrap_or([false; 2]);
        for child in 0..2 {
            self.direct[top[child]] = if best[child] { direct(&self.expected[top[child]], u32::MAX) } else { 0 };
        }
    }
    /// How many bits the numbers of a node are expected to need.
    fn field_bits(&self, node: usize, direct: bool) -> u32 {
        let (bits, values) = self.expected[node];
        if direct { bits + SPARE_BITS } else { values.log2() as u32 + 1 + GROWTH_BITS }
    }
    /// How many bits the numbers of the two children of the root are expected to need.
    pub(crate) fn top_bits(&self) -> [u32; 2] {
        self.top.map(|node| self.field_bits(node as usize, self.direct[node as usize] > 0))
    }
    /// Whether there are two leaves and the root.
    #[inline]
    pub(crate) fn is_flat(&self) -> bool {
        self.nodes.len() == 2
    }

    /// The node of a range of units.
    fn grow(&mut self, start: usize, end: usize, varieties: &mut Varieties<'_>) -> u32 {
        let varying: u32 = varieties.varying[start..end].iter().map(|bits| bits.count_ones()).sum();
        if varying > LEARNED_LEAF_BITS {
            let cut = varieties.best_cut(start, end);
            let left = self.grow(start, cut, varieties);
            let right = self.grow(cut, end, varieties);
            let node = self.add_inner(left, right);
            self.expected.push((varying, varieties.values(start, end)));
            return node;
        }
        let node = self.add_leaf();
        self.expected.push((varying, varieties.values(start, end)));
        let leaf = self.packing.leaves() as u32 - 1;
        self.homes[start..end].fill(leaf);
        let per_word = 64 / self.unit_bits;
        let bits_of = |word: usize| {
            let units = (word * per_word..(word + 1) * per_word).filter(|unit| (start..end).contains(unit));
            units.fold(0, |all, unit| all | u64::from(varieties.varying[unit]) << (unit * self.unit_bits % 64))
        };
        let words: Vec<(usize, u64)> =
            (start / per_word..end.div_ceil(per_word)).map(|word| (word, bits_of(word))).collect();
        self.packing.fill_leaf(leaf, &words);
        node
    }

    /// The bits that find a place together with these, and the leaf that is home to them.
    fn bits_and_home(&self, word: usize, bits: u64) -> (u64, u32) {
        let bits = self.packing.unknown(word, bits);
        // One unit at a time: the others are met next.
        let in_word = bits.trailing_zeros() as usize / self.unit_bits;
        let unit = u64::MAX >> (64 - self.unit_bits) << (in_word * self.unit_bits);
        (bits & unit, self.homes[word * 64 / self.unit_bits + in_word])
    }
    /// The node of the leaf that is home to bits of a word that have no place, if it has no room for them.
    pub(crate) fn full_leaf(&self, word: usize, bits: u64) -> Option<u32> {
        let (bits, leaf) = self.bits_and_home(word, bits);
        (!self.packing.has_room(leaf, bits.count_ones())).then(|| self.leaf_nodes[leaf as usize])
    }

    /// Gives a place to bits of a word that have none. If that takes a new leaf, it and then the node above it and the
    /// full leaf are added to the nodes.
    pub(crate) fn extend(&mut self, word: usize, bits: u64) {
        self.version += 1;
        let full = self.full_leaf(word, bits);
        let (bits, leaf) = self.bits_and_home(word, bits);
        let Some(full) = full else { return self.packing.add_bits(word, bits, leaf) };
        let above = self.parents[full as usize];
        let new = self.add_leaf();
        let inner = self.add_inner(full, new);
        self.parents[inner as usize] = above;
        let take_place = |child: &mut u32| {
            if *child == full {
                *child = inner;
            }
        };
        match above.map(|above| &mut self.nodes[above as usize]) {
            None => self.top.iter_mut().for_each(take_place),
            Some(Node::Inner { left, right }) => [left, right].into_iter().for_each(take_place),
            Some(Node::Leaf(_)) => unreachable!("a leaf has no children"),
        }
        let new_leaf = self.packing.leaves() as u32 - 1;
        self.homes.iter_mut().filter(|home| **home == leaf).for_each(|home| *home = new_leaf);
        self.packing.add_bits(word, bits, new_leaf);
        self.sort();
    }

    fn add_leaf(&mut self) -> u32 {
        let leaf = self.packing.add_leaf();
        let node = self.add(Node::Leaf(leaf));
        self.leaf_nodes.push(node);
        node
    }

    fn add_inner(&mut self, left: u32, right: u32) -> u32 {
        let node = self.add(Node::Inner { left, right });
        self.parents[left as usize] = Some(node);
        self.parents[right as usize] = Some(node);
        node
    }

    fn add(&mut self, node: Node) -> u32 {
        self.nodes.push(node);
        self.parents.push(None);
        self.nodes.len() as u32 - 1
    }

    /// Finds the order: the reverse of one in which parents come first.
    fn sort(&mut self) {
        self.order = self.top.to_vec();
        let mut at = 0;
        while at < self.order.len() {
            if let Node::Inner { left, right } = self.nodes[self.order[at] as usize] {
                self.order.extend([left, right]);
            }
            at += 1;
        }
        self.order.reverse();
        self.ranks = vec![0; self.nodes.len()];
        for (rank, &node) in self.order.iter().enumerate() {
            self.ranks[node as usize] = rank as u32;
        }
    }
}
