//! Numbers for the values of a node.
//!
//! Small values may be numbers themselves: then nothing is looked up, and nothing kept, for those. All others are numbered in
//! the order they come. What bits begin to vary later stand above those that did, so small values stay what they are.

use crate::index::NoRoom;
use crate::interner::Interner;
use crate::{Budget, Full};

/// A pair of numbers of two nodes, as a value of the node above. Where the right one is 0 it is the left one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Pair {
    pub(crate) left: u32,
    pub(crate) right: u32,
}

impl Pair {
    pub(crate) fn of_word(word: u64) -> Self {
        Self { left: word as u32, right: (word >> 32) as u32 }
    }
    pub(crate) fn word(self) -> u64 {
        u64::from(self.right) << 32 | u64::from(self.left)
    }
}

/// For any number of threads.
#[derive(Debug)]
pub(crate) struct Numbering<'b> {
    /// Values below this are their own numbers.
    direct: u32,
    /// The others, numbered from there on.
    others: Interner<'b>,
}

impl<'b> Numbering<'b> {
    /// A numbering in which values below `direct` are their own numbers.
    pub(crate) fn new(direct: u32, budget: &'b Budget) -> Result<Self, Full> {
        Ok(Self { direct, others: Interner::new(budget)? })
    }
    /// All numbers are below this.
    pub(crate) fn top(&self) -> u32 {
        self.direct + self.others.len() as u32
    }
    /// How many values there is room for that are looked up.
    pub(crate) fn room(&self) -> u64 {
        self.others.room()
    }
    pub(crate) fn bytes(&self) -> u64 {
        self.others.bytes()
    }
    /// Values below this are their own numbers.
    #[inline(always)]
    pub(crate) fn direct_values(&self) -> u64 {
        self.direct.into()
    }
    /// The number of a value that is its own.
    #[inline(always)]
    pub(crate) fn direct(&self, value: u64) -> Option<u32> {
        (value < u64::from(self.direct)).then_some(value as u32)
    }
    /// The value with this hash will be looked up soon.
    #[inline]
    pub(crate) fn prefetch(&self, hash: u64) {
        self.others.prefetch(hash);
    }
    /// What will probably turn out to be the number of a value with this hash that is not its own.
    #[inline]
    pub(crate) fn candidate(&self, hash: u64) -> Option<u32> {
        self.others.candidate(hash).map(|number| self.direct + number)
    }
    /// The number of a value with this hash, a new one if it has none.
    #[inline]
    pub(crate) fn number(&self, value: u64, hash: u64) -> Result<u32, NoRoom> {
        match self.direct(value) {
            Some(number) => Ok(number),
            None => self.others.number(value, hash).map(|number| self.direct + number),
        }
    }
    /// The same, with more room if that takes it.
    pub(crate) fn number_alone(&mut self, value: u64) -> Result<u32, Full> {
        match self.direct(value) {
            Some(number) => Ok(number),
            None => Ok(self.direct + self.others.number_alone(value)?),
        }
    }
    /// The value with this number.
    #[inline(always)]
    pub(crate) fn value(&self, number: u32) -> u64 {
        match number.checked_sub(self.direct) {
            None => u64::from(number),
            Some(other) => self.others.word(other),
        }
    }
    /// Every value but 0 becomes another one, by a map that is one to one. Numbers stay what they are, so there must not be
    /// values that are their own numbers, but for 0.
    pub(crate) fn rewrite(&mut self, change: impl Fn(u64) -> u64) {
        assert!(self.direct <= 1, "no value but 0 is its own number");
        self.others.rewrite(change);
    }
    /// Makes room for more values, unless there is already more than the `room` that somebody found wanting.
    pub(crate) fn grow(&mut self, room: u64) -> Result<(), Full> {
        self.others.grow(room)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interner::mix;
    use std::collections::HashMap;

    #[test]
    fn a_number_gives_its_value_back() {
        for direct in [0, 1, 100] {
            let budget = Budget::new(u64::MAX);
            let mut numbering = Numbering::new(direct, &budget).unwrap();
            let mut known = HashMap::new();
            for round in 0..3000_u64 {
                let value = mix(round) >> (round % 64);
                let number = loop {
                    match numbering.number(value, mix(value)) {
                        Ok(number) => break number,
                        Err(NoRoom) => numbering.grow(numbering.room()).unwrap(),
                    }
                };
                assert_eq!(*known.entry(value).or_insert(number), number);
                assert_eq!(numbering.value(number), value);
                assert!(number < numbering.top());
            }
            let distinct: std::collections::HashSet<u32> = known.values().copied().collect();
            assert_eq!(distinct.len(), known.len());
        }
        let budget = Budget::new(u64::MAX);
        let mut numbering = Numbering::new(1, &budget).unwrap();
        numbering.grow(64).unwrap();
        let numbers: Vec<u32> = (0..60).map(|value| numbering.number(value, mix(value)).unwrap()).collect();
        numbering.rewrite(|value| value.rotate_left(13));
        for (value, number) in (0..60_u64).zip(numbers) {
            let value = value.rotate_left(13);
            assert_eq!((numbering.number(value, mix(value)), numbering.value(number)), (Ok(number), value));
        }
        assert_eq!(Pair::of_word(Pair { left: 7, right: 0 }.word()), Pair { left: 7, right: 0 });
        assert_eq!(Pair { left: 7, right: 0 }.word(), 7);
        assert_eq!(Pair::of_word(Pair { left: 7, right: 9 }.word()), Pair { left: 7, right: 9 });
    }
}
