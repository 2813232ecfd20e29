//! States with the bits that never vary left out.
//!
//! Of the bits of a state most are always the same: high bits of numbers, processes that are not there. A packing knows a
//! *base* state and which bits were ever seen to differ from it; of these it makes a few words, the *leaves*. Each leaf
//! gathers bits of neighbouring words. All is linear: the leaves of a state differ from
//! those of its origin by what the differing bits contribute, and no other bits are looked at.
//!
//! A bit that varies for the first time is given a place then. In the leaves of all states before, that place is zero,
//! which is what it means that they did not differ from the base: what was packed before stays as it is.

use crate::bits::plain_gather;
use lariat_space::State;

pub(crate) const LEAF_BITS: u32 = 64;

/// Bits of a word that stand side by side in a leaf, in the same order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BitRun {
    word: u32,
    bits: u64,
    leaf: u32,
    /// Where in the leaf they begin.
    to: u32,
}

#[derive(Debug)]
pub(crate) struct Packing {
    base: Vec<u64>,
    /// By word: the bits that have no place, because they never vary.
    fixed: Vec<u64>,
    /// Word by word.
    parts: Vec<BitRun>,
    /// By word, where its parts end.
    ends: Vec<u32>,
    /// By leaf: how many bits it has.
    used: Vec<u32>,
    /// By leaf: what its bits are in the base.
    base_leaves: Vec<u64>,
    /// By leaf: its parts.
    by_leaf: Vec<Vec<BitRun>>,
}

impl Packing {
    pub(crate) fn new(base: &State) -> Self {
        let words = base.len();
        Self {
            base: base.to_vec(),
            fixed: vec![u64::MAX; words],
            parts: Vec::new(),
            ends: vec![0; words],
            used: Vec::new(),
            base_leaves: Vec::new(),
            by_leaf: Vec::new(),
        }
    }
    /// How many leaves there are.
    pub(crate) fn leaves(&self) -> usize {
        self.used.len()
    }
    /// One more leaf, without bits.
    pub(crate) fn add_leaf(&mut self) -> u32 {
        self.used.push(0);
        self.base_leaves.push(0);
        self.by_leaf.push(Vec::new());
        self.used.len() as u32 - 1
    }
    pub(crate) fn base(&self) -> &State {
        &self.base
    }
    /// Of these bits of a word, those that have no place.
    #[inline]
    pub(crate) fn unknown(&self, word: usize, bits: u64) -> u64 {
        bits & self.fixed[word]
    }
    /// Whether `bits` more fit a leaf.
    pub(crate) fn has_room(&self, leaf: u32, bits: u32) -> bool {
        self.used[leaf as usize] + bits <= LEAF_BITS
    }

    /// Gives a place in an empty leaf to bits of several words.
    pub(crate) fn fill_leaf(&mut self, leaf: u32, words: &[(usize, u64)]) {
        words.iter().filter(|(_, bits)| *bits != 0).for_each(|&(word, bits)| self.add_bits(word, bits, leaf));
    }

    /// Gives bits of a word, which have no place yet, one in a leaf that has room for them.
    pub(crate) fn add_bits(&mut self, word: usize, bits: u64, leaf: u32) {
        assert!(self.unknown(word, bits) == bits && self.has_room(leaf, bits.count_ones()), "bits find a place once");
        self.fixed[word] &= !bits;
        let to = self.used[leaf as usize];
        let run = BitRun { word: word as u32, bits, leaf, to };
        self.parts.insert(self.ends[word] as usize, run);
        self.by_leaf[leaf as usize].push(run);
        self.base_leaves[leaf as usize] |= plain_gather(self.base[word], bits) << to;
        self.ends[word..].iter_mut().for_each(|end| *end += 1);
        self.used[leaf as usize] += bits.count_ones();
    }

    /// What a difference in a word, all of known bits, makes in the leaves.
    #[inline(always)]
    pub(crate) fn pack(
        &self,
        word: usize,
        difference: u64,
        gather: &impl Fn(u64, u64) -> u64,
        mut differs: impl FnMut(u32, u64),
    ) {
        let begin = if word == 0 { 0 } else { self.ends[word - 1] };
        for part in &self.parts[begin as usize..self.ends[word] as usize] {
            differs(part.leaf, gather(difference, part.bits) << part.to);
        }
    }

    /// A word of the state in which bits vary that have no place, and these bits.
    #[inline(always)]
    pub(crate) fn first_unknown(&self, state: &State) -> Option<(usize, u64)> {
        // Without a branch for each word.
        let unknown = |((word, base), fixed): ((&u64, &u64), &u64)| (word ^ base) & fixed;
        let all = || state.iter().zip(&self.base).zip(&self.fixed).map(unknown);
        if all().fold(0, |any, bits| any | bits) == 0 {
            return None;
        }
        all().enumerate().find(|(_, bits)| *bits != 0)
    }
    /// The leaves of a state all of whose varying bits have places, where there are two leaves.
    #[inline(always)]
    pub(crate) fn two_leaves(&self, state: &State, gather: &impl Fn(u64, u64) -> u64) -> [u64; 2] {
        let gathered = |leaf: usize| {
            let bits = |run: &BitRun| gather(state[run.word as usize], run.bits) << run.to;
            self.by_leaf[leaf].iter().fold(self.base_leaves[leaf], |value, run| value ^ bits(run))
        };
        [gathered(0), gathered(1)]
    }
    /// The state with these two leaves, where there are no others.
    #[inline(always)]
    pub(crate) fn unpack_two(&self, leaves: [u64; 2], state: &mut State, scatter: &impl Fn(u64, u64) -> u64) {
        state.copy_from_slice(&self.base);
        for (runs, leaf) in self.by_leaf.iter().zip(leaves) {
            for run in runs {
                state[run.word as usize] ^= scatter(leaf >> run.to, run.bits);
            }
        }
    }

    /// The state with these leaves.
    #[inline(always)]
    pub(crate) fn unpack(&self, leaves: &[u64], state: &mut State, scatter: &impl Fn(u64, u64) -> u64) {
        let mut begin = 0;
        for ((word, base), &end) in state.iter_mut().zip(&self.base).zip(&self.ends) {
            let bits = |part: &BitRun| scatter(leaves[part.leaf as usize] >> part.to, part.bits);
            *word = self.parts[begin..end as usize].iter().fold(*base, |word, part| word ^ bits(part));
            begin = end as usize;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bits::{BitWork, do_work};

    struct Round<'a> {
        packing: &'a Packing,
        state: [u64; 3],
        packed: &'a mut [u64],
        unpacked: &'a mut [u64],
    }

    impl BitWork for Round<'_> {
        type Output = ();
        fn run(self, gather: impl Fn(u64, u64) -> u64, scatter: impl Fn(u64, u64) -> u64) {
            for word in 0..3 {
                let difference = self.state[word] ^ self.packing.base[word];
                self.packing.pack(word, difference, &gather, |leaf, bits| self.packed[leaf as usize] ^= bits);
            }
            let two = self.packing.two_leaves(&self.state, &gather);
            assert_eq!(two, *self.packed);
            self.packing.unpack_two(two, self.unpacked, &scatter);
            assert_eq!(self.unpacked, self.state);
            self.packing.unpack(self.packed, self.unpacked, &scatter);
        }
    }

    #[test]
    fn a_state_comes_out_as_it_went_in() {
        let base = [7, 0, u64::MAX];
        let mut packing = Packing::new(&base);
        let leaves = [packing.add_leaf(), packing.add_leaf()];
        packing.fill_leaf(leaves[0], &[(0, 0xF0F), (1, 1 << 63), (2, 0)]);
        assert_eq!(packing.ends, [1, 2, 2]);
        packing.add_bits(2, 0xFF00_0000_0000_00FF, leaves[1]);
        packing.add_bits(1, 0b1010, leaves[1]);
        assert_eq!((packing.unknown(1, 3), packing.unknown(0, 0xFFF)), (1, 0xF0));
        assert_eq!(packing.first_unknown(&[7, 5, 0]), Some((1, 5)));
        for state in [base, [0xF08 ^ 7, 1 << 63 | 8, 0x00FF_FFFF_FFFF_FF00], [7, 2, u64::MAX << 8]] {
            let mut packed = vec![0; packing.leaves()];
            let mut unpacked = [0; 3];
            assert_eq!(packing.first_unknown(&state), None);
            do_work(Round { packing: &packing, state, packed: &mut packed, unpacked: &mut unpacked });
            assert_eq!(unpacked, state);
        }
    }
}
