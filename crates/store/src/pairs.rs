//! A set of pairs of numbers in about five bytes a pair.
//!
//! A [`Table`] of entries of 32 bits for as long as these suffice, then one of 64 bits. It grows by a half or a third at
//! a time, so that it is never less than half full, for long.

mod code;
mod table;

pub(crate) use code::{Pair, Place};

use crate::index::NoRoom;
use crate::{Budget, Full};
use code::{Code, LEAST_GROUP_BITS};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use table::{Entry, Table};

/// For any number of threads.
#[derive(Debug)]
pub(crate) struct Pairs<'b> {
    table: Width<'b>,
    /// The table grows, if it may, when it holds more pairs than this.
    comfortable: u64,
    len: AtomicU64,
    /// How often anything but pairs was added.
    version: u64,
}

#[derive(Debug)]
enum Width<'b> {
    Narrow(Table<'b, AtomicU32>),
    Wide(Table<'b, AtomicU64>),
}

impl<'b> Pairs<'b> {
    /// An empty set for pairs whose halves are below the given numbers at first.
    pub(crate) fn new(lefts: u64, rights: u64, budget: &'b Budget) -> Result<Self, Full> {
        let (left_bits, right_bits) = (bits(lefts), bits(rights));
        let table = match Code::new(LEAST_GROUP_BITS, PARTS[0], AtomicU32::BITS, left_bits, right_bits) {
            Some(code) => Width::Narrow(Table::new(code, budget)?),
            None => Width::Wide(Table::new(wide(LEAST_GROUP_BITS, PARTS[0]), budget)?),
        };
        let comfortable = comfortable(table.capacity());
        Ok(Self { table, comfortable, len: AtomicU64::new(0), version: 0 })
    }
    /// The number of pairs.
    pub(crate) fn len(&self) -> u64 {
        self.len.load(Ordering::Relaxed)
    }
    /// What was taken from the budget.
    pub(crate) fn bytes(&self) -> u64 {
        match &self.table {
            Width::Narrow(table) => table.bytes(),
            Width::Wide(table) => table.bytes(),
        }
    }
    /// Changes whenever there is more room.
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// Looks the pairs up one after the other, adds those that are absent, and tells of each whether it was. Ends at
    /// the first that there is no room for. `places` is scratch.
    pub(crate) fn probe(
        &self,
        words: &[u64],
        places: &mut Vec<Place>,
        told: impl FnMut(Pair, bool),
    ) -> Result<(), NoRoom> {
        match &self.table {
            Width::Narrow(table) => self.probe_table(table, words, places, told),
            Width::Wide(table) => self.probe_table(table, words, places, told),
        }
    }

    fn probe_table<E: Entry>(
        &self,
        table: &Table<'_, E>,
        words: &[u64],
        places: &mut Vec<Place>,
        mut told: impl FnMut(Pair, bool),
    ) -> Result<(), NoRoom> {
        places.clear();
        let pairs = || words.iter().map(|&word| Pair::of_word(word));
        places.extend(pairs().take_while(|&pair| table.code.admits(pair)).map(|pair| {
            let place = table.code.place(pair);
            table.prefetch(place);
            place
        }));
        // Several threads may all find that there is room, and together exceed it by a batch each: that is no harm, the
        // table says itself when it is too crowded.
        let may_add = self.len() < self.comfortable;
        let mut added = 0;
        let probed = places.iter().zip(pairs()).try_for_each(|(&place, pair)| {
            let is_new = table.find_or_add(place, may_add)?;
            added += u64::from(is_new);
            told(pair, is_new);
            Ok(())
        });
        self.len.fetch_add(added, Ordering::Relaxed);
        if places.len() == words.len() { probed } else { probed.and(Err(NoRoom)) }
    }

    /// Makes room for more pairs, with halves below the given numbers.
    pub(crate) fn grow(&mut self, lefts: u64, rights: u64) -> Result<(), Full> {
        let most = Pair { left: (lefts.max(1) - 1) as u32, right: (rights.max(1) - 1) as u32 };
        let (left_bits, right_bits) = (bits(lefts), bits(rights));
        match &mut self.table {
            Width::Narrow(table) => {
                let fits = table.code.admits(most);
                let (group_bits, parts) =
                    if fits { larger(table.code) } else { (table.code.group_bits, table.code.parts) };
                let anew = || Code::new(group_bits, parts, AtomicU32::BITS, left_bits, right_bits);
                let kept = table.code.with_buckets(group_bits, parts, left_bits, right_bits).filter(|_| fits);
                match kept.or_else(anew) {
                    Some(code) if fits => match table.move_to_larger(code) {
                        Ok(larger) => self.table = Width::Narrow(larger),
                        Err(full) => self.crowd(full)?,
                    },
                    Some(code) => table.widen(code),
                    // A line holds half as many entries, so there are twice as many lines.
                    None => {
                        let code = wide(table.code.group_bits + 1, table.code.parts);
                        self.table = Width::Wide(table.move_to_larger(code)?);
                    }
                }
            }
            Width::Wide(table) => {
                let (group_bits, parts) = larger(table.code);
                match table.move_to_larger(wide(group_bits, parts)) {
                    Ok(larger) => self.table = Width::Wide(larger),
                    Err(full) => self.crowd(full)?,
                }
            }
        }
        self.comfortable = self.comfortable.max(comfortable(self.table.capacity()));
        self.version += 1;
        Ok(())
    }

    /// What is left to do where the table cannot grow: it is slow when it is crowded, but exact.
    fn crowd(&mut self, full: Full) -> Result<(), Full> {
        let crowded = crowded(self.table.capacity());
        if self.comfortable >= crowded {
            return Err(full);
        }
        self.comfortable = crowded;
        Ok(())
    }
}

impl Width<'_> {
    fn capacity(&self) -> u64 {
        match self {
            Self::Narrow(table) => table.capacity(),
            Self::Wide(table) => table.capacity(),
        }
    }
}

/// The numbers of buckets in a group that are used in turn.
const PARTS: [u32; 2] = [4, 6];

/// The next larger number of groups and of buckets in each.
fn larger(code: Code) -> (u32, u32) {
    match PARTS.iter().find(|&&parts| parts > code.parts) {
        Some(&parts) => (code.group_bits, parts),
        None => (code.group_bits + 1, PARTS[0]),
    }
}

/// The code that admits all pairs.
fn wide(group_bits: u32, parts: u32) -> Code {
    Code::new(group_bits, parts, AtomicU64::BITS, 32, 32).expect("64 bits less 4 suffice for 32 and 32 less a group's")
}

/// How many bits it takes to tell numbers below `count` apart.
fn bits(count: u64) -> u32 {
    u64::BITS - count.saturating_sub(1).leading_zeros()
}

fn comfortable(capacity: u64) -> u64 {
    capacity / 100 * 85
}

/// Full enough that no more pairs are let in.
fn crowded(capacity: u64) -> u64 {
    capacity / 100 * 95
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interner::mix;
    use std::collections::HashSet;

    /// Adds a pair, making room for it if need be.
    fn add(pairs: &mut Pairs<'_>, pair: Pair, most: Pair) -> Result<bool, Full> {
        loop {
            let mut added = None;
            match pairs.probe(&[pair.word()], &mut Vec::new(), |_, is_new| added = Some(is_new)) {
                Ok(()) => return Ok(added.expect("told of the pair")),
                Err(NoRoom) => pairs.grow(u64::from(most.left) + 1, u64::from(most.right) + 1)?,
            }
        }
    }

    fn check(budget_bytes: u64, count: u64, next: impl Fn(u64) -> Pair) -> (usize, bool) {
        let budget = Budget::new(budget_bytes);
        let mut pairs = Pairs::new(1, 1, &budget).unwrap();
        let mut known = HashSet::new();
        let mut most = Pair { left: 0, right: 0 };
        for number in 0..count {
            let pair = next(number);
            most = Pair { left: most.left.max(pair.left), right: most.right.max(pair.right) };
            match add(&mut pairs, pair, most) {
                Ok(added) => assert_eq!(added, known.insert(pair.word()), "{pair:?}"),
                Err(_) => {
                    assert!(!known.contains(&pair.word()), "there is always room for what is there");
                    break;
                }
            }
            assert_eq!(pairs.len(), known.len() as u64);
            assert_eq!(pairs.bytes(), budget.used_bytes());
            assert!(budget.peak_bytes() <= budget_bytes);
        }
        for &word in &known {
            assert_eq!(add(&mut pairs, Pair::of_word(word), most), Ok(false));
        }
        let is_wide = matches!(pairs.table, Width::Wide(_));
        drop(pairs);
        assert_eq!(budget.used_bytes(), 0);
        (known.len(), is_wide)
    }

    #[test]
    fn a_set_of_pairs_is_a_set() {
        // Halves of these many bits, as far as there are numbers for them.
        for (left, right) in [(1, 14), (14, 1), (7, 7), (9, 12), (16, 16), (31, 4), (4, 31), (31, 31)] {
            let pair = |number: u64| {
                let grown = 2 + number;
                Pair {
                    left: (mix(number) % grown.min(1 << left)) as u32,
                    right: (mix(!number) % (grown * grown).min(1 << right)) as u32,
                }
            };
            let (_, is_wide) = check(u64::MAX, 30_000, pair);
            assert_eq!(is_wide, left + right > 40, "{left} {right}");
            for budget_bytes in [10_000, 20_000, 50_000] {
                check(budget_bytes, 30_000, pair);
            }
        }
    }

    #[test]
    fn a_small_budget_holds_a_good_many() {
        let pair = |number: u64| Pair { left: (number % 100) as u32, right: (number / 100) as u32 };
        let (count, _) = check(200_000, 1_000_000, pair);
        assert!(count > 200_000 / 9, "{count}");
    }

    /// Pairs that all want the same bucket need more buckets than there are in reach.
    #[test]
    fn a_crowd_at_one_place_makes_the_table_grow() {
        let code = Code::new(LEAST_GROUP_BITS, PARTS[0], 32, 10, 10).unwrap();
        let all = (0..1 << 20).map(|word: u32| Pair { left: word >> 10, right: word % 1024 });
        let crowd: Vec<Pair> = all.filter(|&pair| code.place(pair).bucket == 5).take(1000).collect();
        check(u64::MAX, crowd.len() as u64, |number| crowd[number as usize]);
    }
}
