//! What was looked up last, by one thread.
//!
//! Of the values of a part of a state a few come again and again, and their numbers never change. So each thread remembers
//! some: one place for each hash, and who comes last has it.

use crate::interner::mix;

/// At first there are two to this power places.
const BITS: u32 = 12;
/// At most to this power.
const MOST_BITS: u32 = 16;
/// More than so many misses for each place, and there should be more places, by a factor of two to the power of `MORE_BITS`.
const MANY_MISSES: u64 = 32;
const MORE_BITS: u32 = 2;

#[derive(Clone, Copy, Debug)]
struct Remembered {
    value: u64,
    node: u32,
    number: u32,
}

/// Nodes and values with their numbers, as they are in one store.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    /// The store, and what its numbers mean.
    store: u64,
    meaning: u64,
    /// There are two to this power places.
    bits: u32,
    remembered: Vec<Remembered>,
    /// How often a value was not found since there are as many places.
    misses: u64,
}

impl Memo {
    /// What it takes of memory, at most, unless a store lets it [grow](Self::grow).
    pub(crate) const MOST_BYTES: usize = size_of::<Remembered>() << BITS;

    /// Forgets everything if it is about another store or about what numbers do not mean any more.
    pub(crate) fn expect(&mut self, store: u64, meaning: u64) {
        if self.store != store || self.remembered.is_empty() {
            // A store that is gone has paid for no more than that.
            *self = Self { store, meaning, bits: BITS, remembered: Vec::new(), misses: 0 };
            self.forget();
        }
        if self.meaning != meaning {
            self.meaning = meaning;
            self.forget();
        }
    }
    fn forget(&mut self) {
        self.remembered.clear();
        self.remembered.resize(1 << self.bits, Remembered { value: 0, node: u32::MAX, number: 0 });
    }
    /// How many bytes more it would take to remember enough; 0 if it does.
    #[inline]
    pub(crate) fn wanted_bytes(&self) -> u64 {
        if self.misses <= MANY_MISSES << self.bits || self.bits >= MOST_BITS {
            return 0;
        }
        (size_of::<Remembered>() as u64) << (self.bits + MORE_BITS)
    }
    /// Takes so much more memory, if `granted`; otherwise it does not ask again soon.
    pub(crate) fn grow(&mut self, granted: bool) {
        self.misses = 0;
        if granted {
            self.bits += MORE_BITS;
            self.remembered = Vec::new();
            self.forget();
        }
    }
    /// A value was not found.
    #[inline]
    pub(crate) fn missed(&mut self) {
        self.misses += 1;
    }
    /// Where a value with this hash may be found.
    #[inline(always)]
    fn at(&self, node: u32, hash: u64) -> usize {
        (hash >> (64 - self.bits)) as usize ^ (node as usize & ((1 << BITS) - 1))
    }
    /// The hash of a value, and its number if it is remembered.
    #[inline(always)]
    pub(crate) fn find(&self, node: u32, value: u64) -> (u64, Option<u32>) {
        let hash = mix(value);
        let found = self.remembered[self.at(node, hash)];
        (hash, (found.value == value && found.node == node).then_some(found.number))
    }
    #[inline]
    pub(crate) fn remember(&mut self, node: u32, value: u64, hash: u64, number: u32) {
        let at = self.at(node, hash);
        self.remembered[at] = Remembered { value, node, number };
    }
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        self.remembered.capacity() * size_of::<Remembered>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_is_right() {
        let mut memo = Memo::default();
        memo.expect(1, 1);
        for value in 0..10_000_u64 {
            let node = (value % 7) as u32;
            let (hash, found) = memo.find(node, value / 3);
            assert!(found.is_none_or(|number| u64::from(number) == value / 3 * 7 + u64::from(node)));
            memo.remember(node, value / 3, hash, (value / 3 * 7) as u32 + node);
            assert!(memo.find(node, value / 3).1.is_some());
        }
        assert!(memo.find(3, 3333).1.is_some());
        let knows_nothing =
            |memo: &Memo| (0..10_000).all(|value| (0..7).all(|node| memo.find(node, value).1.is_none()));
        memo.expect(1, 2);
        assert!(knows_nothing(&memo));
        memo.expect(2, 2);
        assert!(memo.bytes() <= Memo::MOST_BYTES);
        assert_eq!(memo.wanted_bytes(), 0);
        for bits in (BITS..MOST_BITS).step_by(MORE_BITS as usize) {
            (0..=MANY_MISSES << bits).for_each(|_| memo.missed());
            memo.grow(false);
            assert_eq!(memo.wanted_bytes(), 0);
            (0..=MANY_MISSES << bits).for_each(|_| memo.missed());
            let (before, wanted_bytes) = (memo.bytes(), memo.wanted_bytes());
            assert!(wanted_bytes > 0);
            memo.grow(true);
            assert!(memo.bytes() as u64 <= before as u64 + wanted_bytes);
            memo.remember(5, 77, mix(77), 9);
            assert_eq!(memo.find(5, 77).1, Some(9));
        }
        (0..=MANY_MISSES << MOST_BITS).for_each(|_| memo.missed());
        assert_eq!(memo.wanted_bytes(), 0);
        memo.expect(3, 2);
        assert!(knows_nothing(&memo) && memo.bytes() <= Memo::MOST_BYTES);
    }
}
