//! The sets of marks that steps carry, each once: there are few.

use lariat_automata::MarkSet;
use lariat_store::{Budget, Full};
use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher};

/// Names a set of marks that some step carries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MarksId(pub(crate) u32);

impl MarksId {
    /// The empty set.
    pub(crate) const NONE: Self = Self(0);
}

/// A quick hash of words. Nobody chooses sets of marks or handles to make it slow.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Mixer(u64);

pub(crate) type Mixing = BuildHasherDefault<Mixer>;

impl Hasher for Mixer {
    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
    #[inline]
    fn write_u64(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word ^ 0x9E37_79B9_7F4A_7C15) * 0xD6E8_FEB8_6659_FD93_u128;
        self.0 = (product >> 64) as u64 ^ product as u64;
    }
    #[inline]
    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }
}

const RECENT_BITS: u32 = 6;

/// Names for sets of marks.
#[derive(Debug)]
pub(crate) struct MarkTable<'a> {
    budget: &'a Budget,
    sets: Vec<MarkSet>,
    ids: HashMap<MarkSet, u32, Mixing>,
    /// By some bits of the hash: the set that was met last.
    recent: [u32; 1 << RECENT_BITS],
    paid_bytes: u64,
}

impl<'a> MarkTable<'a> {
    pub(crate) fn new(budget: &'a Budget) -> Self {
        let mut ids = HashMap::default();
        ids.insert(MarkSet::EMPTY, MarksId::NONE.0);
        Self { budget, sets: vec![MarkSet::EMPTY], ids, recent: [0; 1 << RECENT_BITS], paid_bytes: 0 }
    }

    #[inline]
    pub(crate) fn id(&mut self, marks: &MarkSet) -> Result<MarksId, Full> {
        if marks.is_empty() {
            return Ok(MarksId::NONE);
        }
        let place = (self.ids.hasher().hash_one(marks) >> (64 - RECENT_BITS)) as usize;
        let recent = self.recent[place];
        if self.sets[recent as usize] == *marks {
            return Ok(MarksId(recent));
        }
        let id = self.look_up(marks)?;
        self.recent[place] = id;
        Ok(MarksId(id))
    }

    #[inline(never)]
    fn look_up(&mut self, marks: &MarkSet) -> Result<u32, Full> {
        if let Some(&id) = self.ids.get(marks) {
            return Ok(id);
        }
        // Twice, and vectors that grow have room for twice as much.
        let set_bytes = 4 * (size_of::<MarkSet>() as u64 + 8 + heap_bytes(marks));
        self.budget.take(set_bytes)?;
        self.paid_bytes += set_bytes;
        let id = self.sets.len() as u32;
        self.sets.push(marks.clone());
        self.ids.insert(marks.clone(), id);
        Ok(id)
    }

    #[inline]
    pub(crate) fn get(&self, id: MarksId) -> &MarkSet {
        &self.sets[id.0 as usize]
    }
    /// All sets, by name.
    pub(crate) fn sets(&self) -> &[MarkSet] {
        &self.sets
    }
}

/// What a set takes beside the value itself.
pub(crate) fn heap_bytes(marks: &MarkSet) -> u64 {
    marks.iter().last().map_or(0, |mark| 8 * u64::from(mark.0 / 64))
}

/// Whether some mark is in both sets.
pub(crate) fn meet(one: &MarkSet, other: &MarkSet) -> bool {
    let mut both = one.clone();
    both.intersect_with(other);
    !both.is_empty()
}

impl Drop for MarkTable<'_> {
    fn drop(&mut self) {
        self.budget.give_back(self.paid_bytes);
    }
}
