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

    /// Gives bits of a word, which have no place yet, one in a leaf that has room for them.
    pub(crate) fn add_bits(&mut self, word: usize, bits: u64, leaf: u32) {
        assert!(self.unknown(word, bits) == bits && self.has_room(leaf, bits.count_ones()), "bits find a place once");
        self.known[word] |= bits;
        let mut left = bits;
        while left != 0 {
            let from = left.trailing_zeros();
            let len = (left >> from).trailing_ones();
            let mask = u64::MAX >> (64 - len);
            let to = self.used[leaf as usize];
            self.runs[word].push(Run { from: from as u8, to: to as u8, leaf, mask });
            self.used[leaf as usize] += len;
            left &= !(mask << from);
        }
    }

    /// What a difference in a word, all of known bits, makes in the leaves.
    #[inline]
    pub(crate) fn pack(&self, word: usize, difference: u64, mut differs: impl FnMut(u32, u64)) {
        for run in &self.runs[word] {
            let bits = ((difference >> run.from) & run.mask) << run.to;
            if bits != 0 {
                differs(run.leaf, bits);
            }
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
