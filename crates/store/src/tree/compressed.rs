//! The tree itself, once its shape is known.
//!
//! Every node of the [`Shape`] numbers the values that occur there: a leaf those of its word of the packed state, an inner
//! node pairs of numbers of its children. The root has no numbers: it is a set of pairs, and the pair of a state is its
//! name.
//!
//! A state is mostly like the one it was reached from. Whoever is asked about it looks at the bits that differ, and walks
//! up from the leaves that have them, no further than numbers change.

use super::shape::{Node, Shape};
use crate::batch::{Differing, Notes};
use crate::index::NoRoom;
use crate::interner::{Interner, mix};
use crate::pairs::{Pair, Pairs, Place};
use crate::{Batch, Budget, Full, Origins};
use lariat_space::State;
use std::ops::Range;

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

    /// Finds the names of the states that have none yet, up to the first that there is no room for.
    pub(crate) fn name(&self, batch: &mut Batch, origins: &Origins) -> Result<(), Lack> {
        let mut names = std::mem::take(&mut batch.keys);
        let mut notes = std::mem::take(&mut batch.notes);
        let mut named = Ok(());
        while names.len() < batch.len() && named.is_ok() {
            named = self.name_some(batch, origins, &mut names, &mut notes);
        }
        batch.keys = names;
        batch.notes = notes;
        named
    }

    /// Does so for as many states as there are notes enough for. Each round asks for the memory that the next one reads.
    fn name_some(&self, batch: &Batch, origins: &Origins, names: &mut Vec<u64>, notes: &mut Notes) -> Result<(), Lack> {
        notes.reset(self.values.len(), self.shape.packing.leaves());
        // What was recalled before there was this shape is of no use to it.
        let known_origins = origins.version == Some(self.shape.version);
        let origin = |number: usize| batch.origin(number).filter(|_| known_origins);
        let first = names.len();
        let mut noted = Ok(());
        for number in first..batch.len() {
            noted = self.note_differences(batch.state(number), origin(number), origins, notes);
            if noted.is_err() || notes.differing.len() >= batch.len() * Notes::DIFFERING_PER_STATE {
                break;
            }
        }
        for leaf in &mut notes.differing {
            leaf.candidate = self.values[leaf.node as usize].candidate(leaf.hash).unwrap_or(u32::MAX);
        }
        let mut start = 0;
        for number in 0..notes.ends.len() {
            let end = notes.ends[number] as usize;
            let pair = self.climb(start..end, origin(first + number), origins, notes)?;
            start = end;
            names.push(pair.word());
        }
        noted
    }

    /// Notes how the leaves of the state differ from those of its origin. Without an origin, all do.
    #[inline]
    fn note_differences(
        &self,
        state: &State,
        origin: Option<usize>,
        origins: &Origins,
        notes: &mut Notes,
    ) -> Result<(), Lack> {
        let packing = &self.shape.packing;
        let before = origin.map_or(packing.base(), |origin| origins.state(origin));
        for (word, (&now, &before)) in state.iter().zip(before).enumerate() {
            let difference = now ^ before;
            if difference == 0 {
                continue;
            }
            let bits = packing.unknown(word, difference);
            if bits != 0 {
                notes.leaves.fill(0);
                return Err(Lack::Bits { word, bits });
            }
            packing.pack(word, difference, |leaf, bits| notes.leaves[leaf as usize] ^= bits);
        }
        for leaf in 0..notes.leaves.len() {
            let difference = std::mem::take(&mut notes.leaves[leaf]);
            if difference == 0 && origin.is_some() {
                continue;
            }
            let value = difference ^ origin.map_or(0, |origin| origins.leaves(origin)[leaf]);
            let node = self.shape.leaf_nodes[leaf];
            let hash = mix(value);
            self.values[node as usize].prefetch(hash);
            notes.differing.push(Differing { node, candidate: u32::MAX, value, hash });
        }
        notes.ends.push(notes.differing.len() as u32);
        Ok(())
    }

    /// Looks up the leaves that differ, and the nodes above them where numbers change.
    #[inline]
    fn climb(
        &self,
        differing: Range<usize>,
        origin: Option<usize>,
        origins: &Origins,
        notes: &mut Notes,
    ) -> Result<Pair, Lack> {
        if let Some(origin) = origin.filter(|_| notes.standing != origin) {
            notes.refs.copy_from_slice(origins.refs(origin));
        }
        notes.standing = origin;
        for at in differing {
            let Differing { node, candidate, value, hash } = notes.differing[at];
            let values = &self.values[node as usize];
            let number = match candidate {
                number if number != u32::MAX && values.word(number) == value => number,
                _ => self.number(node, value, hash, notes)?,
            };
            self.change(node, number, notes);
        }
        for at in 0..notes.dirty.len() {
            // Parents come after their children: what is marked on the way is met later.
            while notes.dirty[at] != 0 {
                let rank = at * 64 + notes.dirty[at].trailing_zeros() as usize;
                notes.dirty[at] &= notes.dirty[at] - 1;
                let node = self.shape.order[rank];
                let Node::Inner { left, right } = self.shape.nodes[node as usize] else {
                    unreachable!("leaves have no children")
                };
                let value = Pair { left: notes.refs[left as usize], right: notes.refs[right as usize] }.word();
                let number = self.number(node, value, mix(value), notes)?;
                if number != notes.refs[node as usize] || origin.is_none() {
                    self.change(node, number, notes);
                }
            }
        }
        let [left, right] = self.shape.top;
        let pair = Pair { left: notes.refs[left as usize], right: notes.refs[right as usize] };
        // Back to the origin: its next neighbour differs elsewhere.
        if let Some(origin) = origin {
            let refs = origins.refs(origin);
            notes.changed.iter().for_each(|&node| notes.refs[node as usize] = refs[node as usize]);
        }
        notes.changed.clear();
        Ok(pair)
    }

    #[inline]
    fn number(&self, node: u32, value: u64, hash: u64, notes: &mut Notes) -> Result<u32, Lack> {
        let values = &self.values[node as usize];
        values.number(value, hash).map_err(|NoRoom| {
            notes.forget();
            Lack::Values { node: node as usize, room: values.room() }
        })
    }

    #[inline]
    fn change(&self, node: u32, number: u32, notes: &mut Notes) {
        notes.refs[node as usize] = number;
        notes.changed.push(node);
        if let Some(parent) = self.shape.parents[node as usize] {
            notes.mark(self.shape.ranks[parent as usize]);
        }
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
    pub(crate) fn probe(
        &self,
        names: &[u64],
        places: &mut Vec<Place>,
        told: impl FnMut(Pair, bool),
    ) -> Result<(), Lack> {
        self.pairs.probe(names, places, told).map_err(|NoRoom| Lack::Pairs { version: self.pairs.version() })
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
