//! Marks on edges, and sets of them. There is no limit on how many.

use lariat_base::{Id, define_id};
use std::fmt;

define_id! {
    /// One mark that an edge may carry, as in HOA.
    Mark
}

/// A set of marks. Up to 64 marks take no memory beyond the value itself.
#[derive(Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MarkSet {
    low: u64,
    /// Marks 64 and up, without trailing zero words, so that equal sets are equal values.
    high: Vec<u64>,
}

/// The empty set, to borrow.
pub(crate) static NO_MARKS: MarkSet = MarkSet::EMPTY;

impl MarkSet {
    /// The empty set.
    pub const EMPTY: MarkSet = MarkSet { low: 0, high: Vec::new() };

    /// The empty set, to borrow for as long as one likes.
    pub fn none() -> &'static MarkSet {
        &NO_MARKS
    }
    /// The marks below 64, as bits.
    pub fn first_word(&self) -> u64 {
        self.low
    }
    /// The set of these marks below 64.
    pub fn of_word(marks: u64) -> Self {
        Self { low: marks, high: Vec::new() }
    }
    /// Adds `mark`.
    pub fn insert(&mut self, mark: Mark) {
        let (word, bit) = (mark.index() / 64, mark.index() % 64);
        if word == 0 {
            self.low |= 1 << bit;
        } else {
            if self.high.len() < word {
                self.high.resize(word, 0);
            }
            self.high[word - 1] |= 1 << bit;
        }
    }
    /// Whether `mark` is in the set.
    pub fn contains(&self, mark: Mark) -> bool {
        let (word, bit) = (mark.index() / 64, mark.index() % 64);
        let word = if word == 0 { self.low } else { self.high.get(word - 1).copied().unwrap_or(0) };
        word >> bit & 1 == 1
    }
    /// Adds every mark of `other`.
    pub fn union_with(&mut self, other: &MarkSet) {
        self.low |= other.low;
        if self.high.len() < other.high.len() {
            self.high.resize(other.high.len(), 0);
        }
        for (mine, theirs) in self.high.iter_mut().zip(&other.high) {
            *mine |= theirs;
        }
    }
    /// Removes every mark that is not in `other`.
    pub fn intersect_with(&mut self, other: &MarkSet) {
        self.low &= other.low;
        self.high.truncate(other.high.len());
        for (mine, theirs) in self.high.iter_mut().zip(&other.high) {
            *mine &= theirs;
        }
        self.trim();
    }
    /// Removes every mark of `other`.
    pub fn subtract(&mut self, other: &MarkSet) {
        self.low &= !other.low;
        for (mine, theirs) in self.high.iter_mut().zip(&other.high) {
            *mine &= !theirs;
        }
        self.trim();
    }
    /// The marks of both, as a new set.
    #[must_use]
    pub fn union(&self, other: &MarkSet) -> MarkSet {
        let mut union = self.clone();
        union.union_with(other);
        union
    }
    /// Whether every mark is in `other`.
    pub fn is_subset(&self, other: &MarkSet) -> bool {
        let beyond = |index: usize| other.high.get(index).copied().unwrap_or(0);
        self.low & !other.low == 0 && self.high.iter().enumerate().all(|(index, word)| word & !beyond(index) == 0)
    }
    /// How many marks are in the set.
    pub fn len(&self) -> usize {
        std::iter::once(&self.low).chain(&self.high).map(|word| word.count_ones() as usize).sum()
    }
    /// The first `count` marks.
    pub fn first(count: u32) -> MarkSet {
        (0..count).map(Mark).collect()
    }
    /// Removes every mark, keeping the memory.
    pub fn clear(&mut self) {
        self.low = 0;
        self.high.clear();
    }
    /// Whether no mark is in the set.
    pub fn is_empty(&self) -> bool {
        self.low == 0 && self.high.is_empty()
    }
    fn trim(&mut self) {
        let len = self.high.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
        self.high.truncate(len);
    }
    /// The marks, ascending.
    pub fn iter(&self) -> impl Iterator<Item = Mark> + '_ {
        std::iter::once(&self.low).chain(&self.high).enumerate().flat_map(|(index, &word)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| Mark::new(index * 64 + bit))
        })
    }
}

impl FromIterator<Mark> for MarkSet {
    fn from_iter<I: IntoIterator<Item = Mark>>(marks: I) -> Self {
        let mut set = MarkSet::EMPTY;
        marks.into_iter().for_each(|mark| set.insert(mark));
        set
    }
}

impl fmt::Debug for MarkSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(Mark::index)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
