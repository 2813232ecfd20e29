//! States with the bits that never vary left out.
//!
//! Of the bits of a state most are always the same: high bits of numbers, processes that are not there. A packing knows a
//! *base* state and which bits were ever seen to differ from it; of these it makes a few words, the *leaves*. Each leaf
//! gathers bits of neighbouring words. All is linear: the leaves of a state differ from
//! those of its origin by what the differing bits contribute, and no other bits are looked at.
//!
//! A bit that varies for the first time is given a place then. In the leaves of all states before, that place is zero,
//! which is what it means that they did not differ from the base: what was packed before stays as it is.

use crate::bits::{plain_gather, plain_scatter};
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
    /// By word: what its bits make in the first two leaves.
    by_word: Vec<WordBits>,
    /// The runs that this does not tell.
    further: Vec<BitRun>,
}

/// What a word contributes to two leaves.
#[derive(Clone, Copy, Debug)]
struct WordBits {
    /// Bits that have no place.
    fixed: u64,
    /// By leaf, the bits of its first run, and where in the leaf these begin.
    bits: [u64; 2],
    to: [u32; 2],
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
            by_word: vec![WordBits { fixed: u64::MAX, bits: [0; 2], to: [0; 2] }; words],
            further: Vec::new(),
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
        self.note_word(word);
    }

    /// Notes what a word contributes to the first two leaves.
    fn note_word(&mut self, word: usize) {
        let mut noted = WordBits { fixed: self.fixed[word], bits: [0; 2], to: [0; 2] };
        for part in self.parts_of(word) {
            if let Some(bits) = noted.bits.get_mut(part.leaf as usize)
                && *bits == 0
            {
                (*bits, noted.to[part.leaf as usize]) = (part.bits, part.to);
            }
        }
        self.by_word[word] = noted;
        let is_first = |part: &BitRun| {
            let of_word = &self.by_word[part.word as usize];
            of_word.bits.get(part.leaf as usize).is_some_and(|&bits| bits == part.bits)
        };
        self.further = self.parts.iter().filter(|part| !is_first(part)).copied().collect();
    }
    /// The parts of a word.
    #[inline(always)]
    fn parts_of(&self, word: usize) -> &[BitRun] {
        let begin = if word == 0 { 0 } else { self.ends[word - 1] };
        &self.parts[begin as usize..self.ends[word] as usize]
    }

    /// Gives the bits that a leaf has of a word places side by side, in the order that they have in the word, so that there is
    /// one run for each word. `None` if that is so already.
    pub(crate) fn tidy(&mut self, leaf: u32) -> Option<Tidied> {
        let before = self.by_leaf[leaf as usize].clone();
        let mut words: Vec<u32> = before.iter().map(|run| run.word).collect();
        words.sort_unstable();
        words.dedup();
        if words.len() == before.len() {
            return None;
        }
        let bits_of = |word: u32| before.iter().filter(|run| run.word == word).fold(0, |bits, run| bits | run.bits);
        let (mut after, mut to, mut base) = (Vec::new(), 0, 0);
        for word in words {
            let bits = bits_of(word);
            after.push(BitRun { word, bits, leaf, to });
            base |= plain_gather(self.base[word as usize], bits) << to;
            to += bits.count_ones();
        }
        self.base_leaves[leaf as usize] = base;
        self.parts.retain(|part| part.leaf != leaf);
        self.parts.extend(&after);
        self.parts.sort_by_key(|part| part.word);
        for (word, end) in self.ends.iter_mut().enumerate() {
            *end = self.parts.partition_point(|part| part.word as usize <= word) as u32;
        }
        self.by_leaf[leaf as usize].clone_from(&after);
        (0..self.base.len()).for_each(|word| self.note_word(word));
        Some(Tidied { before, after })
    }

    /// Calls `differs` for each word that differs.
    #[inline(always)]
    pub(crate) fn each_difference<E>(
        now: &State,
        before: &State,
        mut differs: impl FnMut(usize, u64) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut begin = 0;
        while begin < now.len() {
            let end = now.len().min(begin + 64);
            let (fours, rest) = now[begin..end].as_chunks::<4>();
            let (fours_before, rest_before) = before[begin..end].as_chunks::<4>();
            let mut differing = 0_u64;
            // A few words at once: mostly they are the same.
            for four in 0..fours.len().min(fours_before.len()) {
                let (now, before) = (&fours[four], &fours_before[four]);
                if now != before {
                    let of_four = |word: usize| u64::from(now[word] != before[word]) << word;
                    differing |= (of_four(0) | of_four(1) | of_four(2) | of_four(3)) << (4 * four);
                }
            }
            for word in 0..rest.len().min(rest_before.len()) {
                differing |= u64::from(rest[word] != rest_before[word]) << (4 * fours.len() + word);
            }
            while differing != 0 {
                let word = begin + differing.trailing_zeros() as usize;
                differing &= differing - 1;
                differs(word, now[word] ^ before[word])?;
            }
            begin = end;
        }
        Ok(())
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
        for part in self.parts_of(word) {
            differs(part.leaf, gather(difference, part.bits) << part.to);
        }
    }

    /// A word of the state in which bits vary that have no place, and these bits.
    #[cold]
    pub(crate) fn first_unknown(&self, state: &State) -> Option<(usize, u64)> {
        let unknown = |((word, base), fixed): ((&u64, &u64), &u64)| (word ^ base) & fixed;
        state.iter().zip(&self.base).zip(&self.fixed).map(unknown).enumerate().find(|(_, bits)| *bits != 0)
    }
    /// What is needed to pack states where there are two leaves.
    #[inline(always)]
    pub(crate) fn two_leaves(&self) -> TwoLeaves<'_> {
        let [left, right] = &self.by_leaf[..] else { unreachable!("two leaves") };
        let base_leaves = [self.base_leaves[0], self.base_leaves[1]];
        TwoLeaves { base: &self.base, fixed: &self.fixed, left, right, base_leaves }
    }
    /// The same for states of `N` words.
    #[inline(always)]
    pub(crate) fn short<const N: usize>(&self) -> Short<'_, N> {
        let words = "states of so many words";
        Short {
            base: self.base[..].try_into().expect(words),
            by_word: self.by_word[..].try_into().expect(words),
            further: &self.further,
        }
    }
    /// The state with these leaves.
    #[inline(always)]
    pub(crate) fn unpack(&self, leaves: &[u64], state: &mut State, scatter: &impl Fn(u64, u64) -> u64) {
        state.copy_from_slice(&self.base);
        for part in &self.parts {
            state[part.word as usize] ^= scatter(leaves[part.leaf as usize] >> part.to, part.bits);
        }
    }
}

/// How the places of bits in a leaf have changed.
pub(crate) struct Tidied {
    before: Vec<BitRun>,
    after: Vec<BitRun>,
}

impl Tidied {
    /// What a value of the leaf is now.
    pub(crate) fn value(&self, before: u64) -> u64 {
        let word_of = |word: u32| {
            let runs = self.before.iter().filter(|run| run.word == word);
            runs.fold(0, |bits, run| bits | plain_scatter(before >> run.to, run.bits))
        };
        self.after.iter().fold(0, |value, run| value | plain_gather(word_of(run.word), run.bits) << run.to)
    }
}

/// What is needed to pack states where there are two leaves, at hand.
#[derive(Clone, Copy)]
pub(crate) struct TwoLeaves<'a> {
    base: &'a [u64],
    fixed: &'a [u64],
    left: &'a [BitRun],
    right: &'a [BitRun],
    base_leaves: [u64; 2],
}

impl TwoLeaves<'_> {
    /// The leaves of a state; `None` if bits vary in it that have no place.
    #[inline(always)]
    pub(crate) fn of(&self, state: &State, gather: &impl Fn(u64, u64) -> u64) -> Option<[u64; 2]> {
        let (base, fixed) = (&self.base[..state.len()], &self.fixed[..state.len()]);
        // Without a branch for each word, and several words at once.
        let unknown = (0..state.len()).fold(0, |any, word| any | (state[word] ^ base[word]) & fixed[word]);
        let gathered = |runs: &[BitRun], base: u64| {
            runs.iter().fold(base, |value, run| value ^ (gather(state[run.word as usize], run.bits) << run.to))
        };
        let leaves = [gathered(self.left, self.base_leaves[0]), gathered(self.right, self.base_leaves[1])];
        (unknown == 0).then_some(leaves)
    }
}

/// What is needed to pack states of `N` words where there are two leaves, at hand.
#[derive(Clone, Copy)]
pub(crate) struct Short<'a, const N: usize> {
    base: [u64; N],
    by_word: [WordBits; N],
    /// Runs that are not the first of their word in a leaf.
    further: &'a [BitRun],
}

impl<const N: usize> Short<'_, N> {
    /// The leaves of a state; `None` if bits vary in it that have no place.
    #[inline(always)]
    pub(crate) fn of(&self, state: &[u64; N], gather: &impl Fn(u64, u64) -> u64) -> Option<[u64; 2]> {
        let (mut leaves, mut unknown) = ([0; 2], 0);
        for ((value, base), of_word) in state.iter().zip(&self.base).zip(&self.by_word) {
            let difference = value ^ base;
            unknown |= difference & of_word.fixed;
            leaves[0] ^= gather(difference, of_word.bits[0]) << of_word.to[0];
            leaves[1] ^= gather(difference, of_word.bits[1]) << of_word.to[1];
        }
        for run in self.further {
            let word = run.word as usize;
            leaves[run.leaf as usize] ^= gather(state[word] ^ self.base[word], run.bits) << run.to;
        }
        (unknown == 0).then_some(leaves)
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
            let two = self.packing.two_leaves();
            let packed = two.of(&self.state, &gather).expect("known bits");
            assert_eq!(packed, *self.packed);
            assert_eq!(self.packing.short::<3>().of(&self.state, &gather), Some(packed));
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

    /// Whatever the order in which bits began to vary: values are the same states before and after.
    #[test]
    fn tidy_leaves_mean_the_same() {
        let base = [0x0123_4567_89AB_CDEF, 5, u64::MAX];
        let mut packing = Packing::new(&base);
        let leaves = [packing.add_leaf(), packing.add_leaf()];
        let bits = |number: u32| 0b11 << (number * 37 % 29 * 2);
        for number in 0..24 {
            packing.add_bits(number as usize % 3, bits(number), leaves[number as usize / 3 % 2]);
        }
        let state = |seed: u64| {
            let mut state = base;
            for number in 0..24 {
                state[number as usize % 3] ^= seed.rotate_left(number * 7) & bits(number);
            }
            state
        };
        let packed = |packing: &Packing, state: &State| {
            let gather = |word, mask| plain_gather(word, mask);
            let packed = packing.two_leaves().of(state, &gather).expect("known bits");
            let short: &[u64; 3] = state.try_into().expect("three words");
            assert_eq!(packing.short::<3>().of(short, &gather), Some(packed));
            packed
        };
        let states: Vec<[u64; 3]> = (1..200_u64).map(|seed| state(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15))).collect();
        let before: Vec<[u64; 2]> = states.iter().map(|state| packed(&packing, state)).collect();
        let tidied = leaves.map(|leaf| packing.tidy(leaf).expect("several runs of a word"));
        assert!(leaves.iter().all(|&leaf| packing.tidy(leaf).is_none()));
        assert_eq!((packing.parts.len(), &packing.ends[..]), (6, &[2, 4, 6][..]));
        for (state, before) in states.iter().zip(before) {
            let now = [tidied[0].value(before[0]), tidied[1].value(before[1])];
            assert_eq!(packed(&packing, state), now);
            let mut unpacked = [0; 3];
            packing.unpack(&now, &mut unpacked, &|bits, mask| plain_scatter(bits, mask));
            assert_eq!(unpacked, *state);
        }
        assert_eq!(tidied[0].value(0), 0);
    }

    #[test]
    fn words_that_differ_are_found() {
        for words in [0, 1, 3, 4, 7, 64, 65, 131] {
            let before: Vec<u64> = (0..words).collect();
            for changed in [vec![], vec![0], vec![2, 3], vec![63, 64, 130], (0..131).collect()] {
                let changed: Vec<usize> = changed.into_iter().filter(|&word| word < before.len()).collect();
                let mut now = before.clone();
                changed.iter().for_each(|&word| now[word] ^= 8 << (word % 50));
                let mut found = Vec::new();
                let all = Packing::each_difference(&now, &before, |word, difference| {
                    assert_eq!(difference, 8 << (word % 50));
                    found.push(word);
                    Ok::<(), ()>(())
                });
                assert_eq!((all, found), (Ok(()), changed));
            }
        }
    }
}
