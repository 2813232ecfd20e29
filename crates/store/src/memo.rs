//! What was looked up last, by one thread.
//!
//! Of the values of a part of a state a few come again and again, and their numbers never change. So each thread remembers
//! some: one place for each hash, and who comes last has it.

use crate::interner::mix;

const BITS: u32 = 12;

#[derive(Clone, Copy, Debug)]
struct Remembered {
    value: u64,
    node: u32,
    number: u32,
}

/// Nodes and values with their numbers, as they are in one store.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    /// The store.
    store: u64,
    remembered: Vec<Remembered>,
}

impl Memo {
    /// What it takes of memory, at most.
    pub(crate) const MOST_BYTES: usize = size_of::<Remembered>() << BITS;

    /// Forgets everything if it is about another store.
    pub(crate) fn expect(&mut self, store: u64) {
        if self.store != store || self.remembered.is_empty() {
            self.store = store;
            self.remembered.clear();
            self.remembered.resize(1 << BITS, Remembered { value: 0, node: u32::MAX, number: 0 });
        }
    }
    /// Where a value with this hash may be found.
    #[inline(always)]
    fn at(&self, node: u32, hash: u64) -> usize {
        (hash.wrapping_add(u64::from(node)) >> (64 - BITS)) as usize ^ (node as usize & ((1 << BITS) - 1))
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
        memo.expect(1);
        for value in 0..10_000_u64 {
            let node = (value % 7) as u32;
            let (hash, found) = memo.find(node, value / 3);
            assert!(found.is_none_or(|number| u64::from(number) == value / 3 * 7 + u64::from(node)));
            memo.remember(node, value / 3, hash, (value / 3 * 7) as u32 + node);
            assert!(memo.find(node, value / 3).1.is_some());
        }
        assert!(memo.find(3, 3333).1.is_some());
        memo.expect(2);
        assert!((0..10_000).all(|value| (0..7).all(|node| memo.find(node, value).1.is_none())));
        assert!(memo.bytes() <= Memo::MOST_BYTES);
    }
}
