//! The tree itself, once its shape is known.
//!
//! Every node of the [`Shape`] numbers the values that occur there: a leaf those of its word of the packed state, an inner
//! node pairs of numbers of its children. The root has no numbers: it is a set of pairs, and the pair of a state is its
//! name.
//!
//! A state is mostly like the one it was reached from. Whoever is asked about it looks at the bits that differ, and walks
//! up from the leaves that have them, no further than numbers change.

use super::packing::Packing;
use super::shape::{Node, Shape};
use crate::batch::{Differing, Scratch};
use crate::bits::{BitWork, do_work};
use crate::index::NoRoom;
use crate::interner::{Interner, mix};
use crate::pairs::{Pair, Pairs, Place};
use crate::{Batch, Budget, Full, NoteWidth, Origins};
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
pub(crate) enum Shortage {
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
    /// A tree of this shape, without states. Their notes are of this width, as those of so many states.
    pub(crate) fn new(shape: Shape, width: Option<NoteWidth>, states: u64, budget: &'b Budget) -> Result<Self, Full> {
        let values = shape.nodes.iter().map(|_| Interner::new(budget)).collect::<Result<_, _>>()?;
        Ok(Self { budget, shape, values, pairs: Pairs::new(width, states, budget)? })
    }
    pub(crate) fn bytes(&self) -> u64 {
        self.pairs.bytes() + self.values.iter().map(Interner::bytes).sum::<u64>()
    }

    /// Finds the names of the states that have none yet, up to the first that there is no room for.
    pub(crate) fn name(&self, batch: &mut Batch, origins: &Origins) -> Result<(), Shortage> {
        let mut names = std::mem::take(&mut batch.keys);
        let mut notes = std::mem::take(&mut batch.scratch);
        let mut named = Ok(());
        while names.len() < batch.len() && named.is_ok() {
            named = self.name_some(batch, origins, &mut names, &mut notes);
        }
        batch.keys = names;
        batch.scratch = notes;
        named
    }

    /// Does so for as many states as there are notes enough for: first the leaves, then node by node those above them where
    /// numbers change. Each round asks for the memory that the next one reads.
    fn name_some(
        &self,
        batch: &Batch,
        origins: &Origins,
        names: &mut Vec<u64>,
        notes: &mut Scratch,
    ) -> Result<(), Shortage> {
        notes.reset(self.values.len(), self.shape.packing.leaves());
        // What was recalled before there was this shape is of no use to it.
        let known_origins = origins.version == Some(self.shape.version);
        let noted = do_work(NoteLeaves { tree: self, batch, first: names.len(), origins, known_origins, notes });
        self.look_up(notes)?;
        if self.values.len() > 2 {
            for &node in &self.shape.order {
                if let Node::Inner { left, right } = self.shape.nodes[node as usize] {
                    self.note_inner(node, left, right, notes);
                    self.look_up(notes)?;
                }
            }
        }
        let [left, right] = self.shape.top;
        names.extend((0..notes.states()).map(|state| {
            let refs = notes.refs(state);
            Pair { left: refs[left as usize], right: refs[right as usize] }.word()
        }));
        noted
    }

    /// Finds the numbers of what is noted, and lets the nodes above wait where they change.
    #[inline]
    fn look_up(&self, notes: &mut Scratch) -> Result<(), Shortage> {
        let mut differing = std::mem::take(&mut notes.differing);
        for noted in &mut differing {
            noted.candidate = self.values[noted.node as usize].candidate(noted.hash).unwrap_or(u32::MAX);
        }
        let mut found = Ok(());
        for noted in &differing {
            let values = &self.values[noted.node as usize];
            let number = match noted.candidate {
                number if number != u32::MAX && values.word(number) == noted.value => Ok(number),
                _ => values.number(noted.value, noted.hash),
            };
            let Ok(number) = number else {
                found = Err(Shortage::Values { node: noted.node as usize, room: values.room() });
                break;
            };
            if number != notes.refs(noted.state)[noted.node as usize] {
                notes.set_ref(noted.state, noted.node, number);
                if let Some(parent) = self.shape.parents[noted.node as usize] {
                    notes.wait(noted.state, parent);
                }
            }
        }
        differing.clear();
        notes.differing = differing;
        found
    }

    /// Notes the pairs of an inner node, for all states that wait for it.
    #[inline]
    fn note_inner(&self, node: u32, left: u32, right: u32, notes: &mut Scratch) {
        let mut waiting = std::mem::take(&mut notes.waiting[node as usize]);
        // A state of which both children changed may wait twice, which does no harm.
        for &state in &waiting {
            let refs = notes.refs(state);
            let value = Pair { left: refs[left as usize], right: refs[right as usize] }.word();
            let hash = mix(value);
            self.values[node as usize].prefetch(hash);
            notes.differing.push(Differing { state, node, value, hash, candidate: u32::MAX });
        }
        waiting.clear();
        notes.waiting[node as usize] = waiting;
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
        do_work(Unpack { packing: &self.shape.packing, origins });
    }

    /// Looks up the names, adds those that are absent, and tells of each whether it was, and of its
    /// note if there are notes. Ends at the first that there is no room for.
    pub(crate) fn probe(
        &self,
        names: &[u64],
        places: &mut Vec<Place>,
        told: impl FnMut(Pair, bool, Option<u32>),
    ) -> Result<(), Shortage> {
        self.pairs.probe(names, places, told).map_err(|NoRoom| Shortage::Pairs { version: self.pairs.version() })
    }

    /// Makes room, unless somebody else has.
    pub(crate) fn make_room(&mut self, lack: Shortage) -> Result<(), Full> {
        match lack {
            Shortage::Bits { word, bits } if self.shape.packing.unknown(word, bits) == 0 => Ok(()),
            Shortage::Bits { word, bits } => self.extend(word, bits),
            Shortage::Values { node, room } => self.values[node].grow(room),
            Shortage::Pairs { version } if version != self.pairs.version() => Ok(()),
            Shortage::Pairs { .. } => {
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

/// Notes how the leaves of states differ from those of their origins, for as many states as there are notes enough for.
struct NoteLeaves<'a, 'b> {
    tree: &'a Compressed<'b>,
    batch: &'a Batch,
    /// The first state to look at.
    first: usize,
    origins: &'a Origins,
    known_origins: bool,
    notes: &'a mut Scratch,
}

impl BitWork for NoteLeaves<'_, '_> {
    type Output = Result<(), Shortage>;

    #[inline(always)]
    fn run(self, gather: impl Fn(u64, u64) -> u64, _: impl Fn(u64, u64) -> u64) -> Result<(), Shortage> {
        let Self { tree, batch, first, origins, known_origins, notes } = self;
        for number in first..batch.len() {
            let origin = batch.origin(number).filter(|_| known_origins);
            tree.note_leaves(batch.state(number), origin, origins, notes, &gather)?;
            if notes.differing.len() >= batch.len() * Scratch::DIFFERING_PER_STATE {
                break;
            }
        }
        Ok(())
    }
}

impl Compressed<'_> {
    /// Notes how the leaves of the state differ from those of its origin. Without an origin, all do.
    #[inline(always)]
    fn note_leaves(
        &self,
        state: &State,
        origin: Option<usize>,
        origins: &Origins,
        notes: &mut Scratch,
        gather: &impl Fn(u64, u64) -> u64,
    ) -> Result<(), Shortage> {
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
                return Err(Shortage::Bits { word, bits });
            }
            packing.pack(word, difference, gather, |leaf, bits| notes.leaves[leaf as usize] ^= bits);
        }
        let number = notes.states();
        notes.begin(origin.map(|origin| origins.refs(origin)));
        let Scratch { leaves, differing, .. } = notes;
        let before = origin.map(|origin| origins.leaves(origin));
        for (leaf, (place, &node)) in leaves.iter_mut().zip(&self.shape.leaf_nodes).enumerate() {
            let difference = std::mem::take(place);
            if difference == 0 && before.is_some() {
                continue;
            }
            let value = difference ^ before.map_or(0, |leaves| leaves[leaf]);
            let hash = mix(value);
            self.values[node as usize].prefetch(hash);
            differing.push(Differing { state: number, node, value, hash, candidate: u32::MAX });
        }
        Ok(())
    }
}

/// Makes states of leaves.
struct Unpack<'a> {
    packing: &'a Packing,
    origins: &'a mut Origins,
}

impl BitWork for Unpack<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, _: impl Fn(u64, u64) -> u64, scatter: impl Fn(u64, u64) -> u64) {
        for number in 0..self.origins.len() {
            let (state, leaves) = self.origins.state_and_leaves(number);
            self.packing.unpack(leaves, state, &scatter);
        }
    }
}
