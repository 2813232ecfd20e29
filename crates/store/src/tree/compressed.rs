//! The tree itself, once its shape is known.
//!
//! Every node of the [`Shape`] numbers the values that occur there: a leaf those of its half words, an inner node pairs
//! of numbers of its children. The root has no numbers: it is a set of pairs, and the pair of a state is its name.
//!
//! A state is mostly like the one it was reached from. Whoever is asked about it compares the words, and walks up from
//! the leaves that differ, no further than numbers do.

use super::shape::{Node, Shape};
use crate::batch::Notes;
use crate::index::NoRoom;
use crate::interner::Interner;
use crate::pairs::{Pair, Pairs};
use crate::{Batch, Budget, Full, Origins};
use lariat_space::State;

#[derive(Debug)]
pub(crate) struct Compressed<'b> {
    shape: Shape,
    /// By node.
    values: Vec<Interner<'b>>,
    pub(crate) pairs: Pairs<'b>,
}

/// What there is not enough of, and what there was of it when that was noticed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lack {
    Values { node: usize, room: u64 },
    Pairs { version: u64 },
}

impl<'b> Compressed<'b> {
    /// A tree of this shape, without states.
    pub(crate) fn new(shape: Shape, budget: &'b Budget) -> Result<Self, Full> {
        let values = shape.nodes.iter().map(|_| Interner::new(budget)).collect::<Result<_, _>>()?;
        Ok(Self { shape, values, pairs: Pairs::new(1, 1, budget)? })
    }
    pub(crate) fn bytes(&self) -> u64 {
        self.pairs.bytes() + self.values.iter().map(Interner::bytes).sum::<u64>()
    }

    /// Finds the names of the states that have none yet, up to the first that there is no room for, and asks for the
    /// memory where they are looked up.
    pub(crate) fn name(&self, batch: &mut Batch, origins: &Origins) -> Result<(), Lack> {
        let mut names = std::mem::take(&mut batch.keys);
        let mut notes = std::mem::take(&mut batch.notes);
        notes.reset(self.values.len());
        let named = (names.len()..batch.len()).try_for_each(|number| {
            let state = batch.state(number);
            // What was recalled before there was a tree is of no use to it.
            let pair = match batch.origin(number).filter(|&origin| !origins.refs(origin).is_empty()) {
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
        (0..self.values.len() as u32).for_each(|node| notes.mark(node));
        let pair = self.climb(state, notes);
        notes.changed.clear();
        pair
    }

    /// The pair of a state that differs little from one of the origins.
    fn pair_beside(&self, state: &State, origin: usize, origins: &Origins, notes: &mut Notes) -> Result<Pair, Lack> {
        let refs = origins.refs(origin);
        if notes.standing != Some(origin) {
            notes.refs.copy_from_slice(refs);
            notes.standing = Some(origin);
        }
        for (word, (&now, &before)) in state.iter().zip(origins.state(origin)).enumerate() {
            let difference = now ^ before;
            if difference == 0 {
                continue;
            }
            if difference as u32 != 0 {
                notes.mark(self.shape.leaves[2 * word]);
            }
            if difference >> 32 != 0 {
                notes.mark(self.shape.leaves[2 * word + 1]);
            }
        }
        let pair = self.climb(state, notes);
        let Notes { refs: standing_refs, changed, .. } = notes;
        changed.drain(..).for_each(|node| standing_refs[node as usize] = refs[node as usize]);
        pair
    }

    /// Looks up the nodes that are marked, and those above them where numbers change.
    fn climb(&self, state: &State, notes: &mut Notes) -> Result<Pair, Lack> {
        for at in 0..notes.dirty.len() {
            // Parents have larger numbers than their children: what is marked on the way is met later.
            while notes.dirty[at] != 0 {
                let node = at * 64 + notes.dirty[at].trailing_zeros() as usize;
                notes.dirty[at] &= notes.dirty[at] - 1;
                let value = match self.shape.nodes[node] {
                    Node::Leaf(leaf) => leaf.of(state),
                    Node::Inner { left, right } => {
                        Pair { left: notes.refs[left as usize], right: notes.refs[right as usize] }.word()
                    }
                };
                let Ok(number) = self.values[node].number(value) else {
                    notes.dirty.fill(0);
                    return Err(Lack::Values { node, room: self.values[node].room() });
                };
                if number != notes.refs[node] {
                    notes.refs[node] = number;
                    notes.changed.push(node as u32);
                    if let Some(parent) = self.shape.parents[node] {
                        notes.mark(parent);
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
        origins.reset(count, self.values.len());
        for (number, pair) in names.enumerate() {
            let (_, refs) = origins.both_mut(number);
            let [left, right] = self.shape.top;
            refs[left as usize] = pair.left;
            refs[right as usize] = pair.right;
        }
        // Node by node, not state by state: the look-ups of one round do not wait for each other.
        for (node, values) in self.values.iter().enumerate().rev() {
            match self.shape.nodes[node] {
                Node::Leaf(leaf) => {
                    for number in 0..count {
                        let (state, refs) = origins.both_mut(number);
                        leaf.put(values.word(refs[node]), state);
                    }
                }
                Node::Inner { left, right } => {
                    for number in 0..count {
                        let (_, refs) = origins.both_mut(number);
                        let pair = Pair::of_word(values.word(refs[node]));
                        refs[left as usize] = pair.left;
                        refs[right as usize] = pair.right;
                    }
                }
            }
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
            Lack::Values { node, room } => self.values[node].grow(room),
            Lack::Pairs { version } if version != self.pairs.version() => Ok(()),
            Lack::Pairs { .. } => {
                let [lefts, rights] = self.tops();
                self.pairs.grow(lefts, rights)
            }
        }
    }

    /// How many different numbers there are left and right in pairs.
    pub(crate) fn tops(&self) -> [u64; 2] {
        self.shape.top.map(|node| self.values[node as usize].len())
    }
}
