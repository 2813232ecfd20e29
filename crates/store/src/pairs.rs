//! A set of pairs of numbers in about five bytes a pair.
//!
//! A [`Table`] of entries of 32 bits for as long as these suffice, then one of 64 bits. It grows by a half or a third at
//! a time, so that it is never less than half full, for long. With a note beside each pair it grows in smaller steps.

mod cell_notes;
mod code;
mod table;

pub(crate) use code::{Pair, Place};

use crate::index::NoRoom;
use crate::{Budget, Full, NoteWidth};
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
    width: Option<NoteWidth>,
    /// How often anything but pairs was added.
    version: u64,
}

#[derive(Debug)]
enum Width<'b> {
    Narrow(Table<'b, AtomicU32>),
    Wide(Table<'b, AtomicU64>),
}

impl<'b> Pairs<'b> {
    /// An empty set. Its notes are of this width, as those of so many states.
    pub(crate) fn new(width: Option<NoteWidth>, states: u64, budget: &'b Budget) -> Result<Self, Full> {
        let code = Code::new(LEAST_GROUP_BITS, LEAST_PARTS, AtomicU32::BITS, 0, 0).expect("32 bits suffice for none");
        let table = Width::Narrow(Table::new(code, note_bytes(width, states), budget)?);
        let comfortable = comfortable(table.capacity());
        Ok(Self { table, comfortable, len: AtomicU64::new(0), width, version: 0 })
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

    /// Looks the pairs up one after the other, adds those that are absent, and tells of each whether it was, and of its
    /// note if there are notes. Ends at the first that there is no room for. `places` is scratch.
    pub(crate) fn probe(
        &self,
        words: &[u64],
        places: &mut Vec<Place>,
        told: impl FnMut(Pair, bool, Option<u32>),
    ) -> Result<(), NoRoom> {
        match (&self.table, self.width.is_some()) {
            (Width::Narrow(table), false) => self.probe_table::<_, false>(table, words, places, told),
            (Width::Narrow(table), true) => self.probe_table::<_, true>(table, words, places, told),
            (Width::Wide(table), false) => self.probe_table::<_, false>(table, words, places, told),
            (Width::Wide(table), true) => self.probe_table::<_, true>(table, words, places, told),
        }
    }

    #[inline]
    fn probe_table<E: Entry, const NOTED: bool>(
        &self,
        table: &Table<'_, E>,
        words: &[u64],
        places: &mut Vec<Place>,
        mut told: impl FnMut(Pair, bool, Option<u32>),
    ) -> Result<(), NoRoom> {
        places.clear();
        let mut admitted = words.iter().map(|&word| Pair::of_word(word)).take_while(|&pair| table.code.admits(pair));
        let mut asked = admitted.by_ref().map(|pair| {
            let place = table.code.place(pair);
            table.prefetch(place);
            if NOTED {
                table.prefetch_notes(place);
            }
            place
        });
        places.extend(asked.by_ref().take(AHEAD));
        // Several threads may all find that there is room, and together exceed it by a batch each: that is no harm, the
        // table says itself when it is too crowded.
        let may_add = self.len() < self.comfortable && (!NOTED || self.len() < most_states(table.note_bytes()));
        let (mut added, mut probed) = (0, Ok(()));
        let mut number = 0;
        while let Some(&place) = places.get(number) {
            places.extend(asked.next());
            match table.find_or_add(place, may_add) {
                Ok(found) => {
                    added += u64::from(found.is_new);
                    told(Pair::of_word(words[number]), found.is_new, NOTED.then(|| table.note(found.cell)));
                }
                Err(NoRoom) => {
                    probed = Err(NoRoom);
                    break;
                }
            }
            number += 1;
        }
        self.len.fetch_add(added, Ordering::Relaxed);
        if number == words.len() { probed } else { Err(NoRoom) }
    }

    /// Every pair has a note of this width from now on, which is 0.
    pub(crate) fn begin_notes(&mut self, width: NoteWidth) -> Result<(), Full> {
        if self.width.is_some() {
            return Ok(());
        }
        let note_bytes = note_bytes(Some(width), self.len());
        match &mut self.table {
            Width::Narrow(table) => table.begin_notes(note_bytes)?,
            Width::Wide(table) => table.begin_notes(note_bytes)?,
        }
        self.width = Some(width);
        self.version += 1;
        Ok(())
    }

    /// The note of a pair that is in the set, and what it is from now on, if that shall change.
    #[inline]
    pub(crate) fn note(&self, pair: Pair, change: impl FnOnce(u32) -> Option<u32>) -> u32 {
        match &self.table {
            Width::Narrow(table) => note_in(table, pair, change),
            Width::Wide(table) => note_in(table, pair, change),
        }
    }

    /// Makes room for more pairs, with halves below the given numbers.
    pub(crate) fn grow(&mut self, lefts: u64, rights: u64) -> Result<(), Full> {
        let most = Pair { left: (lefts.max(1) - 1) as u32, right: (rights.max(1) - 1) as u32 };
        let (left_bits, right_bits) = (bits(lefts), bits(rights));
        let note_bytes = note_bytes(self.width, self.len()).max(self.table.note_bytes());
        match &mut self.table {
            Width::Narrow(table) => {
                let fits = table.code.admits(most);
                let (group_bits, parts) =
                    if fits { larger(table.code, self.width) } else { (table.code.group_bits, table.code.parts) };
                let anew = || Code::new(group_bits, parts, AtomicU32::BITS, left_bits, right_bits);
                let kept = table.code.with_buckets(group_bits, parts, left_bits, right_bits).filter(|_| fits);
                match kept.or_else(anew) {
                    Some(code) if fits => match table.move_to_larger(code, note_bytes) {
                        Ok(larger) => self.table = Width::Narrow(larger),
                        Err(full) => self.crowd(full)?,
                    },
                    Some(code) => table.widen(code),
                    // A line holds half as many entries, so there are twice as many lines.
                    None => {
                        let code = wide(table.code.group_bits + 1, table.code.parts);
                        self.table = Width::Wide(table.move_to_larger(code, note_bytes)?);
                    }
                }
            }
            Width::Wide(table) => {
                let (group_bits, parts) = larger(table.code, self.width);
                match table.move_to_larger(wide(group_bits, parts), note_bytes) {
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
        if self.comfortable >= crowded || self.len() >= most_states(self.table.note_bytes()) {
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
    fn note_bytes(&self) -> usize {
        match self {
            Self::Narrow(table) => table.note_bytes(),
            Self::Wide(table) => table.note_bytes(),
        }
    }
}

#[inline]
fn note_in<E: Entry>(table: &Table<'_, E>, pair: Pair, change: impl FnOnce(u32) -> Option<u32>) -> u32 {
    assert!(table.note_bytes() > 0, "a set with notes");
    let found = table.find_or_add(table.code.place(pair), false).expect("the pair is there");
    let note = table.note(found.cell);
    if let Some(changed) = change(note) {
        table.set_note(found.cell, changed);
    }
    note
}

/// The bytes of a note that is no greater than the number of pairs, as long as there are not too many.
const FEW_BYTES: usize = 3;
/// Not too many: with some to spare, for threads that add a batch each. Few in tests, that more bytes be met there.
const FEW_STATES: u64 = if cfg!(test) { 8000 } else { (1 << (8 * FEW_BYTES)) - (1 << 20) };

/// How many bytes notes have in a set that has grown to so many pairs.
fn note_bytes(width: Option<NoteWidth>, len: u64) -> usize {
    match width {
        None => 0,
        Some(NoteWidth::Byte) => 1,
        // The next step comes late enough.
        Some(NoteWidth::Number) if len < FEW_STATES / 4 * 3 => FEW_BYTES,
        Some(NoteWidth::Number) => size_of::<u32>(),
    }
}

/// How many pairs notes of so many bytes are wide enough for.
#[inline]
fn most_states(note_bytes: usize) -> u64 {
    if note_bytes == FEW_BYTES { FEW_STATES } else { u64::MAX }
}

/// How many pairs are asked of memory before the first of them is looked at: no more than a processor waits for at a time.
const AHEAD: usize = 16;

const LEAST_PARTS: u32 = 4;
/// The numbers of buckets in a group that are used in turn.
const PARTS: &[u32] = &[LEAST_PARTS, 6];
/// The same where there are notes: a cell is larger, so there shall be fewer to spare.
const PARTS_WITH_NOTES: &[u32] = &[LEAST_PARTS, 5, 6, 7];

/// The next larger number of groups and of buckets in each.
fn larger(code: Code, width: Option<NoteWidth>) -> (u32, u32) {
    let parts_in_turn = if width.is_some() { PARTS_WITH_NOTES } else { PARTS };
    match parts_in_turn.iter().find(|&&parts| parts > code.parts) {
        Some(&parts) => (code.group_bits, parts),
        None => (code.group_bits + 1, LEAST_PARTS),
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
    use std::collections::HashMap;

    const WIDTHS: [Option<NoteWidth>; 3] = [None, Some(NoteWidth::Byte), Some(NoteWidth::Number)];

    /// Adds a pair, making room for it if need be. Whether it is new, and its note.
    fn add(pairs: &mut Pairs<'_>, pair: Pair, most: Pair) -> Result<(bool, Option<u32>), Full> {
        loop {
            let mut added = None;
            match pairs.probe(&[pair.word()], &mut Vec::new(), |_, is_new, note| added = Some((is_new, note))) {
                Ok(()) => return Ok(added.expect("told of the pair")),
                Err(NoRoom) => pairs.grow(u64::from(most.left) + 1, u64::from(most.right) + 1)?,
            }
        }
    }

    fn check(width: Option<NoteWidth>, budget_bytes: u64, count: u64, next: impl Fn(u64) -> Pair) -> (usize, bool) {
        let budget = Budget::new(budget_bytes);
        let mut pairs = Pairs::new(width, 0, &budget).unwrap();
        let mut known: HashMap<u64, u32> = HashMap::new();
        let mut most = Pair { left: 0, right: 0 };
        for number in 0..count {
            let pair = next(number);
            most = Pair { left: most.left.max(pair.left), right: most.right.max(pair.right) };
            let expected = (!known.contains_key(&pair.word()), known.get(&pair.word()).copied().unwrap_or(0));
            match add(&mut pairs, pair, most) {
                Ok((added, note)) => assert_eq!((added, note), (expected.0, width.map(|_| expected.1)), "{pair:?}"),
                Err(_) => {
                    assert!(expected.0, "there is always room for what is there");
                    break;
                }
            }
            known.entry(pair.word()).or_insert(0);
            if let Some(width) = width {
                let note = match width {
                    NoteWidth::Byte => mix(number) as u8 as u32,
                    NoteWidth::Number => (mix(number) % (known.len() as u64 + 1)) as u32,
                };
                assert_eq!(pairs.note(pair, |_| Some(note)), expected.1);
                known.insert(pair.word(), note);
            }
            assert_eq!(pairs.len(), known.len() as u64);
            assert_eq!(pairs.bytes(), budget.used_bytes());
            assert!(budget.peak_bytes() <= budget_bytes);
        }
        for (&word, &note) in &known {
            assert_eq!(add(&mut pairs, Pair::of_word(word), most), Ok((false, width.map(|_| note))));
            assert!(width.is_none() || pairs.note(Pair::of_word(word), |_| None) == note);
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
            for width in WIDTHS {
                let (_, is_wide) = check(width, u64::MAX, 30_000, pair);
                assert_eq!(is_wide, left + right > 40, "{left} {right}");
                for budget_bytes in [10_000, 20_000, 50_000, 90_000] {
                    check(width, budget_bytes, 30_000, pair);
                }
            }
        }
    }

    #[test]
    fn a_small_budget_holds_a_good_many() {
        let pair = |number: u64| Pair { left: (number % 100) as u32, right: (number / 100) as u32 };
        let (count, _) = check(None, 200_000, 1_000_000, pair);
        assert!(count > 200_000 / 9, "{count}");
    }

    /// Pairs that all want the same bucket need more buckets than there are in reach.
    #[test]
    fn a_crowd_at_one_place_makes_the_table_grow() {
        let code = Code::new(LEAST_GROUP_BITS, LEAST_PARTS, 32, 10, 10).unwrap();
        let all = (0..1 << 20).map(|word: u32| Pair { left: word >> 10, right: word % 1024 });
        let crowd: Vec<Pair> = all.filter(|&pair| code.place(pair).bucket == 5).take(1000).collect();
        for width in WIDTHS {
            check(width, u64::MAX, crowd.len() as u64, |number| crowd[number as usize]);
        }
    }
}
