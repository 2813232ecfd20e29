//! The tree itself, once its shape is known.
//!
//! Every node of the [`Shape`] numbers the values that occur there: a leaf those of its word of the packed state, an inner
//! node pairs of numbers of its children. The root has no numbers: it is a set of pairs, and the pair of a state is its
//! name.
//!
//! A state is mostly like the one it was reached from. Whoever is asked about it looks at the bits that differ, and walks
//! up from the leaves that have them, no further than numbers change.

use super::shape::{Node, Shape};
use crate::batch::Notes;
use crate::index::NoRoom;
use crate::interner::Interner;
use crate::pairs::{Pair, Pairs};
use crate::{Batch, Budget, Full, Origins};
use lariat_space::State;

#[derive(Debug)]
pub(crate) struct Compressed<'b> {
    budget: &'b Budget,
    shape: Shape,
    /// By node.
    values: Vec<Interner<'b>>,
    pub(crate) pairs: Pairs<'b>,
}

/// What there is not enough of, and what there was of it when that was noticed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lack {
    /// Bits of a word vary that did not before.
    Bits {
        word: usize,
        bits: u64,
    },
    Values {
        node: usize,
        room: u64,
    },
    Pairs {
        version: u64,
    },
}

impl<'b> Compressed<'b> {
    /// A tree of this shape, without states.
    pub(crate) fn new(shape: Shape, budget: &'b Budget) -> Result<Self, Full> {
        let values = shape.nodes.iter().map(|_| Interner::new(budget)).collect::<Result<_, _>>()?;
        Ok(Self { budget, shape, values, pairs: Pairs::new(1, 1, budget)? })
    }
    pub(crate) fn bytes(&self) -> u64 {
        self.pairs.bytes() + self.values.iter().map(Interner::bytes).sum::<u64>()
    }

    /// Finds the names of the states that have none yet, up to the first that there is no room for, and asks for the
    /// memory where they are looked up.
    pub(crate) fn name(&self, batch: &mut Batch, origins: &Origins) -> Result<(), Lack> {
        let mut names = std::mem::take(&mut batch.keys);
        let mut notes = std::mem::take(&mut batch.notes);
        notes.reset(self.values.len(), self.shape.packing.leaves());
        // What was recalled before there was this shape is of no use to it.
        let known_origins = origins.version == Some(self.shape.version);
        let named = (names.len()..batch.len()).try_for_each(|number| {
            let state = batch.state(number);
            let pair = match batch.origin(number).filter(|_| known_origins) {
                Some(origin) => self.pair_beside(state, origin, origins, &mut notes)?,
                None => self.pair(state, &mut notes)?,
            };
            self.pairs.prefetch(pair);
            names.push(pair.word());
            Ok(())
        });
        batch.keys = names;
        batch.notes = notes;
        named
    }

    fn pair(&self, state: &State, notes: &mut Notes) -> Result<Pair, Lack> {
        notes.standing = None;
        notes.leaves.fill(0);
        self.note_differences(state, self.shape.packing.base(), notes)?;
        (0..self.values.len() as u32).for_each(|rank| notes.mark(rank));
        let pair = self.climb(notes);
        notes.changed.clear();
        pair
    }

    /// The pair of a state that differs little from one of the origins.
    fn pair_beside(&self, state: &State, origin: usize, origins: &Origins, notes: &mut Notes) -> Result<Pair, Lack> {
        if notes.standing != Some(origin) {
            notes.refs.copy_from_slice(origins.refs(origin));
            notes.leaves.copy_from_slice(origins.leaves(origin));
            notes.standing = Some(origin);
        }
        self.note_differences(state, origins.state(origin), notes)?;
        let pair = self.climb(notes);
        // Back to the origin: its next neighbour differs elsewhere.
        for &node in &notes.changed {
            notes.refs[node as usize] = origins.refs(origin)[node as usize];
            if let Node::Leaf(leaf) = self.shape.nodes[node as usize] {
                notes.leaves[leaf as usize] = origins.leaves(origin)[leaf as usize];
            }
        }
        notes.changed.clear();
        pair
    }

    /// Turns the leaves of `before` into those of `state`, and marks those that change.
    #[inline]
    fn note_differences(&self, state: &State, before: &State, notes: &mut Notes) -> Result<(), Lack> {
        for (word, (&now, &before)) in state.iter().zip(before).enumerate() {
            let difference = now ^ before;
            if difference == 0 {
                continue;
            }
            let bits = self.shape.packing.unknown(word, difference);
            if bits != 0 {
                notes.forget();
                return Err(Lack::Bits { word, bits });
            }
            self.shape.packing.pack(word, difference, |leaf, bits| {
                notes.leaves[leaf as usize] ^= bits;
                notes.mark(self.shape.ranks[self.shape.leaf_nodes[leaf as usize] as usize]);
            });
        }
        Ok(())
    }

    /// Looks up the nodes that are marked, and those above them where numbers change.
    fn climb(&self, notes: &mut Notes) -> Result<Pair, Lack> {
        for at in 0..notes.dirty.len() {
            // Parents come after their children: what is marked on the way is met later.
            while notes.dirty[at] != 0 {
                let rank = at * 64 + notes.dirty[at].trailing_zeros() as usize;
                notes.dirty[at] &= notes.dirty[at] - 1;
                let node = self.shape.order[rank] as usize;
                let value = match self.shape.nodes[node] {
                    Node::Leaf(leaf) => notes.leaves[leaf as usize],
                    Node::Inner { left, right } => {
                        Pair { left: notes.refs[left as usize], right: notes.refs[right as usize] }.word()
                    }
                };
                let Ok(number) = self.values[node].number(value) else {
                    notes.forget();
                    return Err(Lack::Values { node, room: self.values[node].room() });
                };
                if number != notes.refs[node] {
                    notes.refs[node] = number;
                    notes.changed.push(node as u32);
                    if let Some(parent) = self.shape.parents[node] {
                        notes.mark(self.shape.ranks[parent as usize]);
                    }
                }
            }
        }
        let [left, right] = self.shape.top;
        Ok(Pair { left: notes.refs[left as usize], right: notes.refs[right as usize] })
    }

    /// Makes the states with these names the origins.
    pub(crate) fn recall(&self, names: impl ExactSizeIterator<Item = Pair>, origins: &mut Origins) {
        let count = names.len();
        origins.reset(count, self.values.len(), self.shape.packing.leaves());
        origins.version = Some(self.shape.version);
        let [left, right] = self.shape.top;
        for (number, pair) in names.enumerate() {
            let refs = origins.refs_mut(number);
            refs[left as usize] = pair.left;
            refs[right as usize] = pair.right;
        }
        // Node by node, not state by state: the look-ups of one round do not wait for each other.
        for &node in self.shape.order.iter().rev() {
            let values = &self.values[node as usize];
            match self.shape.nodes[node as usize] {
                Node::Leaf(leaf) => {
                    for number in 0..count {
                        origins.leaves_mut(number)[leaf as usize] = values.word(origins.refs(number)[node as usize]);
                    }
                }
                Node::Inner { left, right } => {
                    for number in 0..count {
                        let refs = origins.refs_mut(number);
                        let pair = Pair::of_word(values.word(refs[node as usize]));
                        refs[left as usize] = pair.left;
                        refs[right as usize] = pair.right;
                    }
                }
            }
        }
        for number in 0..count {
            let (state, leaves) = origins.state_and_leaves(number);
            self.shape.packing.unpack(leaves, state);
        }
    }

    /// Looks the names up, adds those that are absent, and tells of each whether it was. Ends at the first that there is
    /// no room for.
    pub(crate) fn probe(&self, names: &[u64], told: impl FnMut(Pair, bool)) -> Result<(), Lack> {
        self.pairs.probe(names, told).map_err(|NoRoom| Lack::Pairs { version: self.pairs.version() })
    }

    /// Makes room, unless somebody else has.
    pub(crate) fn make_room(&mut self, lack: Lack) -> Result<(), Full> {
        match lack {
            Lack::Bits { word, bits } if self.shape.packing.unknown(word, bits) == 0 => Ok(()),
            Lack::Bits { word, bits } => self.extend(word, bits),
            Lack::Values { node, room } => self.values[node].grow(room),
            Lack::Pairs { version } if version != self.pairs.version() => Ok(()),
            Lack::Pairs { .. } => {
                let [lefts, rights] = self.tops();
                self.pairs.grow(lefts, rights)
            }
        }
    }

    /// Gives a place to bits of a word that vary now. All names stay what they are.
    fn extend(&mut self, word: usize, bits: u64) -> Result<(), Full> {
        if let Some(full) = self.shape.full_leaf(word, bits) {
            let mut zeros = Interner::new(self.budget)?;
            zeros.number_alone(0)?;
            // Values of the full leaf together with a zero have the numbers that they had alone.
            let mut both = Interner::new(self.budget)?;
            for number in 0..self.values[full as usize].len() as u32 {
                both.number_alone(Pair { left: number, right: 0 }.word())?;
            }
            self.values.extend([zeros, both]);
        }
        self.shape.extend(word, bits);
        Ok(())
    }

    /// How many different numbers there are left and right in pairs.
    pub(crate) fn tops(&self) -> [u64; 2] {
        self.shape.top.map(|node| self.values[node as usize].len())
    }
}
