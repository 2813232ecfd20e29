//! The tree itself, once its shape is known.
//!
//! Every node of the [`Shape`] numbers the values that occur there: a leaf those of its word of the packed state, an inner
//! node pairs of numbers of its children. The root has no numbers: the two numbers below it, side by side, are the
//! [key](super::fields) of a state, and the root is a set of keys.
//!
//! Where there are two leaves, which is the rule, a state is packed as it is. A tree of more is for large states, and a state is
//! mostly like the one it was reached from: there the words that differ are looked at, and then the nodes above the leaves that
//! have them, no further than numbers change.

use super::fields::{Fields, TwoFields};
use super::numbering::{Numbering, Pair};
use super::packing::Packing;
use super::shape::{Node, Shape};
use crate::batch::{Differing, Scratch};
use crate::bits::{BitWork, do_work};
use crate::index::NoRoom;
use crate::interner::mix;
use crate::keys::{Keys, LEAST_LOW_BITS, MOST_LOW_BITS};
use crate::memo::Memo;
use crate::{Batch, Budget, Full, NoteWidth, Origins};
use lariat_space::State;
use std::sync::atomic::{AtomicU64, Ordering};

/// For states of at most so many words there is code that packs them without a loop.
const MOST_SHORT_WORDS: usize = 6;

/// A number for each tree, and another one whenever values mean something else.
pub(crate) fn new_id() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}

#[derive(Debug)]
pub(crate) struct Compressed<'b> {
    budget: &'b Budget,
    /// What is remembered of values outside goes by these numbers: the tree's own, and another one whenever values mean
    /// something else.
    id: u64,
    meaning: u64,
    /// What was taken from the budget for what is remembered outside.
    lent_bytes: AtomicU64,
    shape: Shape,
    /// By node.
    values: Vec<Numbering<'b>>,
    fields: Fields,
    pub(crate) keys: Keys<'b>,
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
    /// A number below the root does not fit its field.
    Field {
        child: usize,
        number: u32,
    },
    Keys {
        version: u64,
    },
}

impl<'b> Compressed<'b> {
    /// A tree of this shape, without states. Their notes are of this width, as those of so many states.
    pub(crate) fn new(shape: Shape, width: Option<NoteWidth>, states: u64, budget: &'b Budget) -> Result<Self, Full> {
        let values = shape.direct.iter().map(|&direct| Numbering::new(direct, budget)).collect::<Result<_, _>>()?;
        let fields = Fields::new(shape.top_bits());
        let low_bits = fields.key_bits().clamp(LEAST_LOW_BITS, MOST_LOW_BITS);
        let keys = Keys::new(low_bits, fields.key_bits(), width, states, budget)?;
        let lent_bytes = AtomicU64::new(0);
        Ok(Self { budget, id: new_id(), meaning: new_id(), lent_bytes, shape, values, fields, keys })
    }
    pub(crate) fn bytes(&self) -> u64 {
        let lent_bytes = self.lent_bytes.load(Ordering::Relaxed);
        self.keys.bytes() + self.values.iter().map(Numbering::bytes).sum::<u64>() + lent_bytes
    }

    /// Finds the keys of the states that have none yet, up to the first that there is no room for.
    pub(crate) fn name(&self, batch: &mut Batch, origins: &Origins) -> Result<(), Shortage> {
        let mut keys = std::mem::take(&mut batch.keys);
        let mut notes = std::mem::take(&mut batch.scratch);
        notes.memo.expect(self.id, self.meaning);
        let wanted_bytes = notes.memo.wanted_bytes();
        if wanted_bytes > 0 {
            self.lend(wanted_bytes, &mut notes.memo);
        }
        let mut named = Ok(());
        while keys.len() < batch.len() && named.is_ok() {
            named = self.name_some(batch, origins, &mut keys, &mut notes);
        }
        batch.keys = keys;
        batch.scratch = notes;
        named
    }

    /// Lets a memo that forgets too much have more memory, if there is some. It has this for as long as there is this tree.
    #[cold]
    fn lend(&self, wanted_bytes: u64, memo: &mut Memo) {
        // Small budgets have better uses for it.
        let is_little = wanted_bytes <= self.budget.limit_bytes() / 64;
        let granted = is_little && self.budget.take(wanted_bytes).is_ok();
        if granted {
            self.lent_bytes.fetch_add(wanted_bytes, Ordering::Relaxed);
        }
        memo.grow(granted);
    }

    /// Does so for as many states as there are notes enough for: first the leaves, then node by node those above them where
    /// numbers change. Each round asks for the memory that the next one reads.
    fn name_some(
        &self,
        batch: &Batch,
        origins: &Origins,
        keys: &mut Vec<u64>,
        notes: &mut Scratch,
    ) -> Result<(), Shortage> {
        if self.shape.is_flat() {
            let first = keys.len();
            let named = self.name_two(batch, keys, notes);
            if named.is_err() {
                // Some of these may wait for numbers.
                keys.truncate(first);
            }
            return named;
        }
        notes.reset(self.values.len(), self.shape.packing.leaves());
        // What was recalled before there was this shape is of no use to it.
        let known_origins = origins.version == Some(self.shape.version);
        let noted = do_work(NoteLeaves { tree: self, batch, first: keys.len(), origins, known_origins, notes });
        self.look_up(notes)?;
        for &node in &self.shape.order {
            if let Node::Inner { left, right } = self.shape.nodes[node as usize] {
                self.note_inner(node, left, right, notes);
                self.look_up(notes)?;
            }
        }
        for state in 0..notes.states() {
            let numbers = notes.refs(state);
            keys.push(self.key_of(self.shape.top.map(|node| numbers[node as usize]))?);
        }
        noted
    }

    /// The key of a state whose nodes below the root have these numbers.
    #[inline(always)]
    fn key_of(&self, numbers: [u32; 2]) -> Result<u64, Shortage> {
        match self.fields.too_small(numbers) {
            Some(child) => Err(Shortage::Field { child, number: numbers[child] }),
            None => Ok(self.fields.key(numbers)),
        }
    }

    /// Finds the keys of the states that have none yet, where there are two leaves: at once, if the numbers are known. The
    /// others are looked up together, after the memory that this takes was asked for.
    fn name_two(&self, batch: &Batch, keys: &mut Vec<u64>, notes: &mut Scratch) -> Result<(), Shortage> {
        notes.reset(2, 0);
        notes.pending.clear();
        let named = do_work(NameTwo { tree: self, batch, keys, notes });
        self.look_up(notes)?;
        for state in 0..notes.states() {
            let key = notes.pending[state as usize];
            let numbers = notes.refs(state);
            keys[key as usize] = self.key_of([numbers[0], numbers[1]])?;
        }
        named
    }

    /// Finds the numbers of what is noted, and lets the nodes above wait where they change.
    #[inline]
    fn look_up(&self, notes: &mut Scratch) -> Result<(), Shortage> {
        if notes.differing.is_empty() {
            return Ok(());
        }
        let mut differing = std::mem::take(&mut notes.differing);
        for noted in &mut differing {
            noted.candidate = self.values[noted.node as usize].candidate(noted.hash).unwrap_or(u32::MAX);
        }
        let mut found = Ok(());
        for noted in &differing {
            let values = &self.values[noted.node as usize];
            let number = match noted.candidate {
                number if number != u32::MAX && values.value(number) == noted.value => Ok(number),
                _ => values.number(noted.value, noted.hash),
            };
            let Ok(number) = number else {
                found = Err(Shortage::Values { node: noted.node as usize, room: values.room() });
                break;
            };
            notes.memo.remember(noted.node, noted.value, noted.hash, number);
            self.settle(noted.state, noted.node, number, notes);
        }
        differing.clear();
        notes.differing = differing;
        found
    }

    /// The number of a node is found. Where it changes, the node above waits.
    #[inline]
    fn settle(&self, state: u32, node: u32, number: u32, notes: &mut Scratch) {
        if number != notes.refs(state)[node as usize] {
            notes.set_ref(state, node, number);
            if let Some(parent) = self.shape.parents[node as usize] {
                notes.wait(state, parent);
            }
        }
    }

    /// Notes that a value of a node is to be looked up, if its number is not known at once.
    #[inline(always)]
    fn note_value(&self, state: u32, node: u32, value: u64, notes: &mut Scratch) {
        let values = &self.values[node as usize];
        if let Some(number) = values.direct(value) {
            return self.settle(state, node, number, notes);
        }
        match notes.memo.find(node, value) {
            (_, Some(number)) => self.settle(state, node, number, notes),
            (hash, None) => {
                notes.memo.missed();
                values.prefetch(hash);
                notes.differing.push(Differing { state, node, value, hash, candidate: u32::MAX });
            }
        }
    }

    /// Notes the pairs of an inner node, for all states that wait for it.
    #[inline]
    fn note_inner(&self, node: u32, left: u32, right: u32, notes: &mut Scratch) {
        let mut waiting = std::mem::take(&mut notes.waiting[node as usize]);
        // A state of which both children changed may wait twice, which does no harm.
        for &state in &waiting {
            let refs = notes.refs(state);
            let value = Pair { left: refs[left as usize], right: refs[right as usize] }.word();
            self.note_value(state, node, value, notes);
        }
        waiting.clear();
        notes.waiting[node as usize] = waiting;
    }

    /// Makes the states with these keys the origins.
    pub(crate) fn recall(&self, keys: impl ExactSizeIterator<Item = u64>, origins: &mut Origins) {
        let count = keys.len();
        if self.shape.is_flat() {
            origins.reset(count, 0, 0);
            return do_work(UnpackTwo { tree: self, keys, origins });
        }
        origins.reset(count, self.values.len(), self.shape.packing.leaves());
        origins.version = Some(self.shape.version);
        let [left, right] = self.shape.top;
        for (number, key) in keys.enumerate() {
            let refs = origins.refs_mut(number);
            [refs[left as usize], refs[right as usize]] = self.fields.numbers(key);
        }
        // Node by node, not state by state: the look-ups of one round do not wait for each other.
        for &node in self.shape.order.iter().rev() {
            let values = &self.values[node as usize];
            match self.shape.nodes[node as usize] {
                Node::Leaf(leaf) => {
                    for number in 0..count {
                        origins.leaves_mut(number)[leaf as usize] = values.value(origins.refs(number)[node as usize]);
                    }
                }
                Node::Inner { left, right } => {
                    for number in 0..count {
                        let refs = origins.refs_mut(number);
                        let pair = Pair::of_word(values.value(refs[node as usize]));
                        refs[left as usize] = pair.left;
                        refs[right as usize] = pair.right;
                    }
                }
            }
        }
        do_work(Unpack { packing: &self.shape.packing, origins });
    }

    /// Looks up the keys, adds those that are absent, and tells of each whether it was, and of its
    /// note if there are notes. Ends at the first that there is no room for.
    pub(crate) fn probe(&self, keys: &[u64], told: impl FnMut(u64, bool, Option<u32>)) -> Result<(), Shortage> {
        self.keys.probe(keys, told).map_err(|NoRoom| Shortage::Keys { version: self.keys.version() })
    }

    /// Makes room, unless somebody else has.
    pub(crate) fn make_room(&mut self, lack: Shortage) -> Result<(), Full> {
        match lack {
            Shortage::Bits { word, bits } if self.shape.packing.unknown(word, bits) == 0 => Ok(()),
            Shortage::Bits { word, bits } => self.extend(word, bits),
            Shortage::Values { node, room } => {
                self.values[node].grow(room)?;
                self.tidy(node);
                Ok(())
            }
            Shortage::Field { child, number } => self.fields.widen(child, number, self.budget),
            Shortage::Keys { version } if version != self.keys.version() => Ok(()),
            Shortage::Keys { .. } => self.keys.grow(self.fields.key_bits()),
        }
    }

    /// Puts the bits of a leaf in order that came to vary one after the other, where its values are looked up: their numbers,
    /// and so all names, stay what they are. Done when a numbering has grown, it takes no more than that.
    fn tidy(&mut self, node: usize) {
        if let Node::Leaf(leaf) = self.shape.nodes[node]
            && self.values[node].direct_values() <= 1
            && let Some(tidied) = self.shape.packing.tidy(leaf)
        {
            self.values[node].rewrite(|value| tidied.value(value));
            // What is remembered of values elsewhere is outdated.
            self.shape.version += 1;
            self.meaning = new_id();
        }
    }

    /// Gives a place to bits of a word that vary now. All names stay what they are.
    fn extend(&mut self, word: usize, bits: u64) -> Result<(), Full> {
        if let Some(full) = self.shape.full_leaf(word, bits) {
            // Values of the full leaf together with a zero have the numbers that they had alone.
            let both = Numbering::new(self.values[full as usize].top(), self.budget)?;
            self.values.extend([Numbering::new(1, self.budget)?, both]);
        }
        self.shape.extend(word, bits);
        Ok(())
    }
}

impl Drop for Compressed<'_> {
    fn drop(&mut self) {
        self.budget.give_back(*self.lent_bytes.get_mut());
    }
}

/// Finds the keys of states where there are two leaves, but for those that wait for numbers.
struct NameTwo<'a, 'b> {
    tree: &'a Compressed<'b>,
    batch: &'a Batch,
    /// Those of the first states are there.
    keys: &'a mut Vec<u64>,
    notes: &'a mut Scratch,
}

impl BitWork for NameTwo<'_, '_> {
    type Output = Result<(), Shortage>;

    #[inline(always)]
    fn run(self, gather: impl Fn(u64, u64) -> u64, _: impl Fn(u64, u64) -> u64) -> Result<(), Shortage> {
        match self.batch.words_per_state() {
            1 => return self.name_short::<1>(gather),
            2 => return self.name_short::<2>(gather),
            3 => return self.name_short::<3>(gather),
            4 => return self.name_short::<4>(gather),
            5 => return self.name_short::<5>(gather),
            MOST_SHORT_WORDS => return self.name_short::<MOST_SHORT_WORDS>(gather),
            _ => {}
        }
        let Self { tree, batch, keys, notes } = self;
        let (packing, fields) = (tree.shape.packing.two_leaves(), tree.fields.two());
        let direct = [tree.values[0].direct_values(), tree.values[1].direct_values()];
        let first = keys.len();
        keys.resize(batch.len(), 0);
        let mut named = Ok(());
        for (((state, _), key), at) in batch.rows_from(first).zip(&mut keys[first..]).zip(first as u32..) {
            let Some(values) = packing.of(state, &gather) else {
                let (word, bits) = tree.shape.packing.first_unknown(state).expect("there are such bits");
                named = Err(Shortage::Bits { word, bits });
                break;
            };
            let number = |node: usize| match values[node] {
                value if value < direct[node] => Some(value as u32),
                value => notes.memo.find(node as u32, value).1,
            };
            let numbers = [number(0), number(1)];
            match tree.key_of_some(fields, at, values, numbers, notes) {
                Ok(found) => *key = found,
                Err(lack) => {
                    named = Err(lack);
                    break;
                }
            }
        }
        named
    }
}

impl NameTwo<'_, '_> {
    /// The same for states of `N` words.
    #[inline(always)]
    fn name_short<const N: usize>(self, gather: impl Fn(u64, u64) -> u64) -> Result<(), Shortage> {
        let Self { tree, batch, keys, notes, .. } = self;
        let (packing, fields) = (tree.shape.packing.short::<N>(), tree.fields.two());
        let direct = [tree.values[0].direct_values(), tree.values[1].direct_values()];
        let first = keys.len();
        keys.resize(batch.len(), 0);
        for ((state, key), at) in batch.short_states_from::<N>(first).zip(&mut keys[first..]).zip(first as u32..) {
            let Some(values) = packing.of(state, &gather) else {
                let (word, bits) = tree.shape.packing.first_unknown(state).expect("there are such bits");
                return Err(Shortage::Bits { word, bits });
            };
            let number = |node: usize| match values[node] {
                value if value < direct[node] => Some(value as u32),
                value => notes.memo.find(node as u32, value).1,
            };
            let numbers = [number(0), number(1)];
            *key = tree.key_of_some(fields, at, values, numbers, notes)?;
        }
        Ok(())
    }
}

impl Compressed<'_> {
    /// The key number `at`, of two leaves with these values, as far as their numbers are known. What is not known is waited for.
    #[inline(always)]
    fn key_of_some(
        &self,
        fields: TwoFields,
        at: u32,
        values: [u64; 2],
        numbers: [Option<u32>; 2],
        notes: &mut Scratch,
    ) -> Result<u64, Shortage> {
        let numbers = match numbers {
            [Some(left), Some(right)] => [left, right],
            numbers => self.wait_for(at, values, numbers, notes),
        };
        match fields.key(numbers) {
            Some(key) => Ok(key),
            None => self.key_of(numbers),
        }
    }

    /// Lets the key number `at` wait for the numbers that are not known; 0 for these.
    #[cold]
    #[inline(never)]
    fn wait_for(&self, at: u32, values: [u64; 2], numbers: [Option<u32>; 2], notes: &mut Scratch) -> [u32; 2] {
        let state = notes.states();
        for node in (0..2).filter(|&node| numbers[node].is_none()) {
            notes.memo.missed();
            let (value, hash) = (values[node], mix(values[node]));
            self.values[node].prefetch(hash);
            notes.differing.push(Differing { state, node: node as u32, value, hash, candidate: u32::MAX });
        }
        notes.pending.push(at);
        notes.begin(Some(&numbers.map(|number| number.unwrap_or(u32::MAX))));
        numbers.map(|number| number.unwrap_or(0))
    }
}

/// Makes states of keys, where there are two leaves.
struct UnpackTwo<'a, 'b, K> {
    tree: &'a Compressed<'b>,
    keys: K,
    origins: &'a mut Origins,
}

impl<K: Iterator<Item = u64>> BitWork for UnpackTwo<'_, '_, K> {
    type Output = ();

    #[inline(always)]
    fn run(self, _: impl Fn(u64, u64) -> u64, scatter: impl Fn(u64, u64) -> u64) {
        let Self { tree, keys, origins } = self;
        for (number, key) in keys.enumerate() {
            let [left, right] = tree.fields.numbers(key);
            let leaves = [tree.values[0].value(left), tree.values[1].value(right)];
            tree.shape.packing.unpack(&leaves, origins.state_mut(number), &scatter);
        }
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
        for (state, origin) in batch.rows_from(first) {
            let origin = origin.filter(|_| known_origins).map(|origin| origin as usize);
            tree.note_leaves(state, origin, origins, notes, &gather)?;
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
        // A bit for each leaf that may differ, and for those 64 further on, and so on. Without an origin, all do.
        let mut differing = if origin.is_some() { 0_u64 } else { u64::MAX };
        let packed = Packing::each_difference(state, before, |word, difference| {
            let bits = packing.unknown(word, difference);
            if bits != 0 {
                return Err(Shortage::Bits { word, bits });
            }
            packing.pack(word, difference, gather, |leaf, bits| {
                notes.leaves[leaf as usize] ^= bits;
                differing |= 1 << (leaf % 64);
            });
            Ok(())
        });
        if packed.is_err() {
            notes.leaves.fill(0);
            return packed;
        }
        let number = notes.states();
        notes.begin(origin.map(|origin| origins.refs(origin)));
        let before = origin.map(|origin| origins.leaves(origin));
        let leaf_nodes = &self.shape.leaf_nodes;
        while differing != 0 {
            let first = differing.trailing_zeros() as usize;
            differing &= differing - 1;
            for leaf in (first..leaf_nodes.len()).step_by(64) {
                let difference = std::mem::take(&mut notes.leaves[leaf]);
                if difference != 0 || before.is_none() {
                    let value = difference ^ before.map_or(0, |leaves| leaves[leaf]);
                    self.note_value(number, leaf_nodes[leaf], value, notes);
                }
            }
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
