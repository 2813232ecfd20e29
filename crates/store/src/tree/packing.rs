//! States with the bits that never vary left out.
//!
//! Of the bits of a state most are always the same: high bits of numbers, processes that are not there. A packing knows a
//! *base* state and which bits were ever seen to differ from it; of these it makes a few words, the *leaves*. Each leaf
//! gathers bits of neighbouring words, as *runs* of neighbouring bits. All is linear: the leaves of a state differ from
//! those of its origin by what the differing bits contribute, and no other bits are looked at.
//!
//! A bit that varies for the first time is given a place then. In the leaves of all states before, that place is zero,
//! which is what it means that they did not differ from the base: what was packed before stays as it is.

use lariat_space::State;

pub(crate) const LEAF_BITS: u32 = 64;

/// Neighbouring bits of a word, and their place in a leaf.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Run {
    from: u8,
    to: u8,
    leaf: u32,
    /// So many ones.
    mask: u64,
}

#[derive(Debug)]
pub(crate) struct Packing {
    base: Vec<u64>,
    /// By word: the bits that have a place.
    known: Vec<u64>,
    /// By word.
    runs: Vec<Vec<Run>>,
    /// By leaf: how many bits it has.
    used: Vec<u32>,
}

impl Packing {
    pub(crate) fn new(base: &State) -> Self {
        let words = base.len();
        Self { base: base.to_vec(), known: vec![0; words], runs: vec![Vec::new(); words], used: Vec::new() }
    }
    /// How many leaves there are.
    pub(crate) fn leaves(&self) -> usize {
        self.used.len()
    }
    /// One more leaf, without bits.
    pub(crate) fn add_leaf(&mut self) -> u32 {
        self.used.push(0);
        self.used.len() as u32 - 1
    }
    pub(crate) fn base(&self) -> &State {
        &self.base
    }
    /// Of these bits of a word, those that have no place.
    #[inline]
    pub(crate) fn unknown(&self, word: usize, bits: u64) -> u64 {
        bits & !self.known[word]
    }
    /// Whether `bits` more fit a leaf.
    pub(crate) fn has_room(&self, leaf: u32, bits: u32) -> bool {
        self.used[leaf as usize] + bits <= LEAF_BITS
    }

    /// Gives a place in an empty leaf to bits of several words, and to such between them as there is room for: the fewer
    /// runs the better. `within` are the bits of each word that may be taken.
    pub(crate) fn fill_leaf(&mut self, leaf: u32, words: &[(usize, u64)], within: impl Fn(usize) -> u64) {
        let mut words = words.to_vec();
        let mut room = LEAF_BITS - words.iter().map(|(_, bits)| bits.count_ones()).sum::<u32>();
        let mut gaps: Vec<(usize, u64)> = Vec::new();
        for (at, &(word, bits)) in words.iter().enumerate() {
            if bits != 0 {
                let hull = u64::MAX << bits.trailing_zeros() & u64::MAX >> bits.leading_zeros();
                gaps.extend(runs_of(hull & !bits & within(word)).map(|gap| (at, gap)));
            }
        }
        gaps.sort_by_key(|(_, gap)| gap.count_ones());
        for (at, gap) in gaps {
            if let Some(less) = room.checked_sub(gap.count_ones()) {
                room = less;
                words[at].1 |= gap;
            }
        }
        words.iter().for_each(|&(word, bits)| self.add_bits(word, bits, leaf));
    }

    /// Gives bits of a word, which have no place yet, one in a leaf that has room for them.
    pub(crate) fn add_bits(&mut self, word: usize, bits: u64, leaf: u32) {
        assert!(self.unknown(word, bits) == bits && self.has_room(leaf, bits.count_ones()), "bits find a place once");
        self.known[word] |= bits;
        for run in runs_of(bits) {
            let (from, to) = (run.trailing_zeros(), self.used[leaf as usize]);
            self.runs[word].push(Run { from: from as u8, to: to as u8, leaf, mask: run >> from });
            self.used[leaf as usize] += run.count_ones();
        }
    }

    /// What a difference in a word, all of known bits, makes in the leaves.
    #[inline]
    pub(crate) fn pack(&self, word: usize, difference: u64, mut differs: impl FnMut(u32, u64)) {
        for run in &self.runs[word] {
            differs(run.leaf, ((difference >> run.from) & run.mask) << run.to);
        }
    }

    /// The state with these leaves.
    pub(crate) fn unpack(&self, leaves: &[u64], state: &mut State) {
        for ((word, base), runs) in state.iter_mut().zip(&self.base).zip(&self.runs) {
            let bits = |run: &Run| ((leaves[run.leaf as usize] >> run.to) & run.mask) << run.from;
            *word = runs.iter().fold(*base, |word, run| word ^ bits(run));
        }
    }
}

/// The runs of neighbouring ones among the bits.
fn runs_of(mut bits: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let lowest = bits & bits.wrapping_neg();
        // Adding one at the low end of a run turns it all to zeros.
        let run = bits & !bits.wrapping_add(lowest);
        bits &= !run;
        (run != 0).then_some(run)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_the_bits() {
        assert_eq!(runs_of(0b1101_1100).collect::<Vec<_>>(), [0b1_1100, 0b1100_0000]);
        assert_eq!(runs_of(u64::MAX).collect::<Vec<_>>(), [u64::MAX]);
        assert_eq!(runs_of(0).count(), 0);
    }

    #[test]
    fn a_state_comes_out_as_it_went_in() {
        let base = [7, 0, u64::MAX];
        let mut packing = Packing::new(&base);
        let leaves = [packing.add_leaf(), packing.add_leaf()];
        packing.fill_leaf(leaves[0], &[(0, 0xF0F), (1, 1 << 63)], |_| u64::MAX);
        assert_eq!(packing.runs.iter().map(Vec::len).collect::<Vec<_>>(), [1, 1, 0], "the gap is filled");
        packing.add_bits(2, 0xFF00_0000_0000_00FF, leaves[1]);
        packing.add_bits(1, 0b1010, leaves[1]);
        assert_eq!((packing.unknown(1, 3), packing.unknown(0, 0xFFF)), (1, 0));
        for state in [base, [0xFF0 ^ 7, 1 << 63 | 8, 0x00FF_FFFF_FFFF_FF00], [7, 2, u64::MAX << 8]] {
            let mut packed = vec![0; packing.leaves()];
            for word in 0..3 {
                packing.pack(word, state[word] ^ base[word], |leaf, bits| packed[leaf as usize] ^= bits);
            }
            let mut unpacked = [0; 3];
            packing.unpack(&packed, &mut unpacked);
            assert_eq!(unpacked, state);
        }
    }
}
