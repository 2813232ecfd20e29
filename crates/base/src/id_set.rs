//! Sets of typed numbers. There is no limit on how many.

use crate::Id;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

/// A set of ids of one type. Ids below 64 take no memory beyond the value itself.
#[derive(Clone, Eq, PartialOrd, Ord)]
pub struct IdSet<I> {
    low: u64,
    /// Ids 64 and up, without trailing zero words, so that equal sets are equal values.
    high: Vec<u64>,
    id: PhantomData<fn(I) -> I>,
}

impl<I: Id> IdSet<I> {
    /// The empty set.
    pub const EMPTY: Self = Self { low: 0, high: Vec::new(), id: PhantomData };

    /// The empty set, to borrow for as long as one likes.
    pub fn none() -> &'static Self
    where
        I: 'static,
    {
        const { &Self::EMPTY }
    }
    /// The ids below 64, as bits.
    pub fn first_word(&self) -> u64 {
        self.low
    }
    /// The set of these ids below 64.
    pub fn of_word(low: u64) -> Self {
        Self { low, ..Self::EMPTY }
    }
    /// Adds `id`.
    pub fn insert(&mut self, id: I) {
        let (word, bit) = (id.index() / 64, id.index() % 64);
        if word == 0 {
            self.low |= 1 << bit;
        } else {
            if self.high.len() < word {
                self.high.resize(word, 0);
            }
            self.high[word - 1] |= 1 << bit;
        }
    }
    /// Whether `id` is in the set.
    pub fn contains(&self, id: I) -> bool {
        let (word, bit) = (id.index() / 64, id.index() % 64);
        let word = if word == 0 { self.low } else { self.high.get(word - 1).copied().unwrap_or(0) };
        word >> bit & 1 == 1
    }
    /// Adds every id of `other`.
    pub fn union_with(&mut self, other: &Self) {
        self.low |= other.low;
        if self.high.len() < other.high.len() {
            self.high.resize(other.high.len(), 0);
        }
        for (mine, theirs) in self.high.iter_mut().zip(&other.high) {
            *mine |= theirs;
        }
    }
    /// Removes every id that is not in `other`.
    pub fn intersect_with(&mut self, other: &Self) {
        self.low &= other.low;
        self.high.truncate(other.high.len());
        for (mine, theirs) in self.high.iter_mut().zip(&other.high) {
            *mine &= theirs;
        }
        self.trim();
    }
    /// Removes every id of `other`.
    pub fn subtract(&mut self, other: &Self) {
        self.low &= !other.low;
        for (mine, theirs) in self.high.iter_mut().zip(&other.high) {
            *mine &= !theirs;
        }
        self.trim();
    }
    /// The ids of both, as a new set.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let mut union = self.clone();
        union.union_with(other);
        union
    }
    /// Whether every id is in `other`.
    pub fn is_subset(&self, other: &Self) -> bool {
        let beyond = |index: usize| other.high.get(index).copied().unwrap_or(0);
        self.low & !other.low == 0 && self.high.iter().enumerate().all(|(index, word)| word & !beyond(index) == 0)
    }
    /// How many ids are in the set.
    pub fn len(&self) -> usize {
        std::iter::once(&self.low).chain(&self.high).map(|word| word.count_ones() as usize).sum()
    }
    /// The first `count` ids.
    pub fn first(count: u32) -> Self {
        (0..count as usize).map(I::new).collect()
    }
    /// Removes every id, keeping the memory.
    pub fn clear(&mut self) {
        self.low = 0;
        self.high.clear();
    }
    /// Whether no id is in the set.
    pub fn is_empty(&self) -> bool {
        self.low == 0 && self.high.is_empty()
    }
    fn trim(&mut self) {
        let len = self.high.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
        self.high.truncate(len);
    }
    /// The ids, ascending.
    pub fn iter(&self) -> impl Iterator<Item = I> + '_ {
        std::iter::once(&self.low).chain(&self.high).enumerate().flat_map(|(index, &word)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| I::new(index * 64 + bit))
        })
    }
}

impl<I> PartialEq for IdSet<I> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        // Most have no high words. To compare none with none is left to `memcmp`, which takes a hundred nanoseconds on some
        // processors: it reads, by a masked load, where nothing is mapped.
        self.low == other.low
            && self.high.len() == other.high.len()
            && (self.high.is_empty() || self.high == other.high)
    }
}

impl<I> Hash for IdSet<I> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.low.hash(state);
        self.high.hash(state);
    }
}

impl<I: Id> Default for IdSet<I> {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl<I: Id> FromIterator<I> for IdSet<I> {
    fn from_iter<T: IntoIterator<Item = I>>(ids: T) -> Self {
        let mut set = Self::EMPTY;
        ids.into_iter().for_each(|id| set.insert(id));
        set
    }
}

impl<I: Id> fmt::Debug for IdSet<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(I::index)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
    struct Mark(u32);

    impl Id for Mark {
        fn new(index: usize) -> Self {
            Self(index as u32)
        }
        fn index(self) -> usize {
            self.0 as usize
        }
    }

    type MarkSet = IdSet<Mark>;

    #[test]
    fn a_set_is_what_was_inserted_across_word_boundaries() {
        for width in [1usize, 31, 32, 33, 63, 64, 65, 128, 200] {
            let mut set = MarkSet::EMPTY;
            (0..width).step_by(3).for_each(|mark| set.insert(Mark::new(mark)));
            let expected: Vec<usize> = (0..width).step_by(3).collect();
            assert_eq!(set.iter().map(Mark::index).collect::<Vec<_>>(), expected);
            assert!((0..width + 70).all(|mark| set.contains(Mark::new(mark)) == (mark < width && mark % 3 == 0)));
        }
    }

    #[test]
    fn what_is_left_of_a_long_set_is_a_short_one() {
        let long: MarkSet = [Mark(1), Mark(130)].into_iter().collect();
        let short: MarkSet = [Mark(1)].into_iter().collect();
        let (mut both, mut less) = (long.clone(), long.clone());
        both.intersect_with(&short);
        less.subtract(&short);
        assert_eq!(both, short);
        assert!(short.is_subset(&long) && !long.is_subset(&short) && less.is_subset(&long) && less.len() == 1);
    }

    #[test]
    fn union_of_short_and_long_is_the_same_either_way() {
        let short: MarkSet = [Mark(1)].into_iter().collect();
        let long: MarkSet = [Mark(130)].into_iter().collect();
        let (mut a, mut b) = (short.clone(), long.clone());
        a.union_with(&long);
        b.union_with(&short);
        assert_eq!(a, b);
    }
}
