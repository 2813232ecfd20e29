//! A set of keys, numbers of up to 63 bits, in about five bytes a key.
//!
//! A [`Table`] of entries of 32 bits where these suffice, of 64 bits otherwise: as an entry leaves out what its bucket tells,
//! a table that grows may come to do with 32. It grows by a half or a third at a time, so that it is never less than half
//! full, for long. With a note beside each key it grows in smaller steps.

mod cell_notes;
mod code;
mod division;
mod line;
mod lines;
mod table;

pub(crate) use code::{LEAST_LOW_BITS, MOST_LOW_BITS};
pub(crate) use division::{Division, Key, Mapped};
pub(crate) use lines::{Lines, cost_bytes};

use crate::bits::{BitWork, do_work};
use crate::index::NoRoom;
use crate::memory::Cell;
use crate::{Budget, Full, NoteWidth};
use code::{Code, LEAST_GROUP_BITS, Place, Places};
use line::Entry;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use table::Table;

/// For any number of threads.
#[derive(Debug)]
pub(crate) struct Keys<'b> {
    table: Width<'b>,
    /// The table grows, if it may, when it holds more keys than this.
    comfortable: u64,
    len: AtomicU64,
    width: Option<NoteWidth>,
    /// How often anything but keys was added.
    version: u64,
}

#[derive(Debug)]
enum Width<'b> {
    Narrow(Table<'b, AtomicU32>),
    Wide(Table<'b, AtomicU64>),
}

impl<'b> Keys<'b> {
    /// An empty set for keys of which so many bits are low, see [`Code`], and which have `key_bits` now. Its notes are of this
    /// width, as those of so many states.
    pub(crate) fn new(
        low_bits: u32,
        key_bits: u32,
        width: Option<NoteWidth>,
        states: u64,
        budget: &'b Budget,
    ) -> Result<Self, Full> {
        let full = Full { limit_bytes: budget.limit_bytes() };
        let (code, narrow) = code_for(1, low_bits, key_bits, width).ok_or(full)?;
        let note_bytes = note_bytes(width, states);
        let table = if narrow {
            Width::Narrow(Table::new(code, note_bytes, budget)?)
        } else {
            Width::Wide(Table::new(code, note_bytes, budget)?)
        };
        let comfortable = comfortable(table.capacity());
        Ok(Self { table, comfortable, len: AtomicU64::new(0), width, version: 0 })
    }
    /// The number of keys.
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

    /// Looks the keys up one after the other, adds those that are absent, and tells of each whether it was, and of its
    /// note if there are notes. Ends at the first that there is no room for.
    pub(crate) fn probe(&self, keys: &[u64], told: impl FnMut(u64, bool, Option<u32>)) -> Result<(), NoRoom> {
        match (&self.table, self.width.is_some()) {
            (Width::Narrow(table), false) => self.probe_table::<_, false>(table, keys, told),
            (Width::Narrow(table), true) => self.probe_table::<_, true>(table, keys, told),
            (Width::Wide(table), false) => self.probe_table::<_, false>(table, keys, told),
            (Width::Wide(table), true) => self.probe_table::<_, true>(table, keys, told),
        }
    }

    #[inline]
    fn probe_table<E: Entry + Cell, const NOTED: bool>(
        &self,
        table: &Table<'b, E>,
        keys: &[u64],
        told: impl FnMut(u64, bool, Option<u32>),
    ) -> Result<(), NoRoom> {
        do_work(Probe::<_, _, NOTED> { set: self, table, keys, told })
    }

    /// Does so. Shifts are most of what it takes to find the place of a key.
    #[inline(always)]
    fn probe_each<E: Entry + Cell, const NOTED: bool>(
        &self,
        table: &Table<'_, E>,
        keys: &[u64],
        mut told: impl FnMut(u64, bool, Option<u32>),
    ) -> Result<(), NoRoom> {
        let bits = table.code.key_bits(E::BITS).expect("entries that suffice for the code");
        let fits = |key: u64| key.checked_shr(bits).unwrap_or(0) == 0;
        let all_fit = fits(keys.iter().fold(0, |all, key| all | key));
        let admitted = if all_fit { keys.len() } else { keys.iter().take_while(|&&key| fits(key)).count() };
        let places = table.code.places();
        let keys_admitted = &keys[..admitted];
        let mut asked = [Place { bucket: 0, entry: 0 }; AHEAD];
        for (place, &key) in asked.iter_mut().zip(keys_admitted) {
            *place = ask::<E, NOTED>(table, &places, key);
        }
        // Several threads may all find that there is room, and together exceed it by a batch each: that is no harm, the
        // table says itself when it is too crowded.
        let may_add = self.len() < self.comfortable && (!NOTED || self.len() < most_states(table.note_bytes()));
        let (mut added, mut probed) = (0, Ok(()));
        for (number, &key) in keys_admitted.iter().enumerate() {
            let asked = &mut asked[number % AHEAD];
            let place = *asked;
            if let Some(&key) = keys_admitted.get(number + AHEAD) {
                *asked = ask::<E, NOTED>(table, &places, key);
            }
            match table.find_or_add(place, may_add) {
                Ok(found) => {
                    added += u64::from(found.is_new);
                    told(key, found.is_new, NOTED.then(|| table.note(found.cell)));
                }
                Err(NoRoom) => {
                    probed = Err(NoRoom);
                    break;
                }
            }
        }
        if added > 0 {
            self.len.fetch_add(added, Ordering::Relaxed);
        }
        if admitted == keys.len() { probed } else { Err(NoRoom) }
    }

    /// Every key has a note of this width from now on, which is 0.
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

    /// The note of a key that is in the set, and what it is from now on, if that shall change.
    #[inline]
    pub(crate) fn note(&self, key: u64, change: impl FnOnce(u32) -> Option<u32>) -> u32 {
        match &self.table {
            Width::Narrow(table) => note_in(table, key, change),
            Width::Wide(table) => note_in(table, key, change),
        }
    }

    /// Makes room for more keys, of up to so many bits.
    pub(crate) fn grow(&mut self, key_bits: u32) -> Result<(), Full> {
        let note_bytes = note_bytes(self.width, self.len()).max(self.table.note_bytes());
        // Where entries are too narrow, that is all there is to mend.
        let capacity = self.table.capacity();
        let wanted = if self.table.key_bits() < key_bits { capacity } else { capacity / 8 * 9 };
        let low_bits = self.table.code().low_bits();
        let grown = match (&mut self.table, code_for(wanted, low_bits, key_bits, self.width)) {
            (table, None) => Err(table.full()),
            (Width::Narrow(table), Some((code, true))) => table.move_to(code, note_bytes).map(Width::Narrow),
            (Width::Narrow(table), Some((code, false))) => table.move_to(code, note_bytes).map(Width::Wide),
            (Width::Wide(table), Some((code, true))) => table.move_to(code, note_bytes).map(Width::Narrow),
            (Width::Wide(table), Some((code, false))) => table.move_to(code, note_bytes).map(Width::Wide),
        };
        match grown {
            Ok(table) => self.table = table,
            Err(full) => self.crowd(full)?,
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
    fn code(&self) -> Code {
        match self {
            Self::Narrow(table) => table.code,
            Self::Wide(table) => table.code,
        }
    }
    /// How many bits the keys may have that it takes.
    fn key_bits(&self) -> u32 {
        match self {
            Self::Narrow(table) => table.code.key_bits(AtomicU32::BITS),
            Self::Wide(table) => table.code.key_bits(AtomicU64::BITS),
        }
        .expect("entries that suffice for the code")
    }
    fn full(&self) -> Full {
        match self {
            Self::Narrow(table) => table.full(),
            Self::Wide(table) => table.full(),
        }
    }
}

#[inline]
fn note_in<E: Entry + Cell>(table: &Table<'_, E>, key: u64, change: impl FnOnce(u32) -> Option<u32>) -> u32 {
    assert!(table.note_bytes() > 0, "a set with notes");
    let found = table.find_or_add(table.code.place(key), false).expect("the key is there");
    let note = table.note(found.cell);
    if let Some(changed) = change(note) {
        table.set_note(found.cell, changed);
    }
    note
}

/// The place of a key, which is asked of memory.
#[inline(always)]
fn ask<E: Entry + Cell, const NOTED: bool>(table: &Table<'_, E>, places: &Places, key: u64) -> Place {
    let place = places.of(key);
    table.prefetch(place);
    if NOTED {
        table.prefetch_notes(place);
    }
    place
}

/// Looks keys up in a table: see [`Keys::probe`].
struct Probe<'a, 'b, E: Entry + Cell, F, const NOTED: bool> {
    set: &'a Keys<'b>,
    table: &'a Table<'b, E>,
    keys: &'a [u64],
    told: F,
}

impl<E: Entry + Cell, F: FnMut(u64, bool, Option<u32>), const NOTED: bool> BitWork for Probe<'_, '_, E, F, NOTED> {
    type Output = Result<(), NoRoom>;

    #[inline(always)]
    fn run(self, _: impl Fn(u64, u64) -> u64, _: impl Fn(u64, u64) -> u64) -> Result<(), NoRoom> {
        self.set.probe_each::<E, NOTED>(self.table, self.keys, self.told)
    }
}

/// The bytes of a note that is no greater than the number of keys, as long as there are not too many.
const FEW_BYTES: usize = 3;
/// Not too many: with some to spare, for threads that add a batch each. Few in tests, that more bytes be met there.
const FEW_STATES: u64 = if cfg!(test) { 8000 } else { (1 << (8 * FEW_BYTES)) - (1 << 20) };

/// How many bytes notes have in a set that has grown to so many keys.
fn note_bytes(width: Option<NoteWidth>, len: u64) -> usize {
    match width {
        None => 0,
        Some(NoteWidth::Byte) => 1,
        // The next step comes late enough.
        Some(NoteWidth::Number) if len < FEW_STATES / 4 * 3 => FEW_BYTES,
        Some(NoteWidth::Number) => size_of::<u32>(),
    }
}

/// How many keys notes of so many bytes are wide enough for.
#[inline]
fn most_states(note_bytes: usize) -> u64 {
    if note_bytes == FEW_BYTES { FEW_STATES } else { u64::MAX }
}

/// How many keys are asked of memory before the first of them is looked at: no more than a processor waits for at a time.
pub(crate) const AHEAD: usize = 16;

/// The numbers of buckets in a group that are used in turn.
const PARTS: &[u32] = &[4, 6];
/// The same where cells are larger, so that there shall be fewer to spare: with notes, or entries of 64 bits.
const MORE_PARTS: &[u32] = &[4, 5, 6, 7];

/// The code of the least table of at least so many entries for keys of so many bits, and whether these are narrow.
fn code_for(entries: u64, low_bits: u32, key_bits: u32, width: Option<NoteWidth>) -> Option<(Code, bool)> {
    let least = |per_bucket: usize, entry_bits: u32, parts: &[u32]| {
        let sizes = (LEAST_GROUP_BITS..).flat_map(|group_bits| parts.iter().map(move |&parts| (group_bits, parts)));
        let mut sizes = sizes.map_while(|(group_bits, parts)| Code::new(group_bits, parts, low_bits));
        let suffices = |code: &Code| code.key_bits(entry_bits).is_some_and(|most| most >= key_bits);
        sizes.find(|code| (code.buckets() * per_bucket) as u64 >= entries && suffices(code))
    };
    let parts = if width.is_some() { MORE_PARTS } else { PARTS };
    let narrow = least(AtomicU32::PER_BUCKET, AtomicU32::BITS, parts).map(|code| (code, true));
    let wide = least(AtomicU64::PER_BUCKET, AtomicU64::BITS, MORE_PARTS).map(|code| (code, false));
    narrow.into_iter().chain(wide).min_by_key(|(code, _)| code.buckets())
}

fn comfortable(capacity: u64) -> u64 {
    capacity / 100 * 80
}

/// Full enough that no more keys are let in.
pub(crate) fn crowded(capacity: u64) -> u64 {
    capacity / 100 * 95
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interner::mix;
    use std::collections::HashMap;

    const WIDTHS: [Option<NoteWidth>; 3] = [None, Some(NoteWidth::Byte), Some(NoteWidth::Number)];

    /// Adds a key, making room for it if need be. Whether it is new, and its note.
    fn add(keys: &mut Keys<'_>, key: u64, key_bits: u32) -> Result<(bool, Option<u32>), Full> {
        loop {
            let mut added = None;
            match keys.probe(&[key], |_, is_new, note| added = Some((is_new, note))) {
                Ok(()) => return Ok(added.expect("told of the key")),
                Err(NoRoom) => keys.grow(key_bits)?,
            }
        }
    }

    /// Adds keys and compares with a map. How many were added, and how often entries became wider or narrower.
    fn check(
        width: Option<NoteWidth>,
        low_bits: u32,
        budget_bytes: u64,
        count: u64,
        next: impl Fn(u64) -> u64,
    ) -> (usize, [u32; 2]) {
        let budget = Budget::new(budget_bytes);
        let mut key_bits = 1;
        let mut keys = Keys::new(low_bits, key_bits, width, 0, &budget).unwrap();
        let mut known: HashMap<u64, u32> = HashMap::new();
        let mut changes = [0; 2];
        for number in 0..count {
            let key = next(number);
            key_bits = key_bits.max(64 - key.leading_zeros());
            let expected = (!known.contains_key(&key), known.get(&key).copied().unwrap_or(0));
            let was_narrow = matches!(keys.table, Width::Narrow(_));
            match add(&mut keys, key, key_bits) {
                Ok((added, note)) => assert_eq!((added, note), (expected.0, width.map(|_| expected.1)), "{key:x}"),
                Err(_) => {
                    assert!(expected.0, "there is always room for what is there");
                    break;
                }
            }
            let is_narrow = matches!(keys.table, Width::Narrow(_));
            changes[usize::from(is_narrow)] += u32::from(was_narrow != is_narrow);
            known.entry(key).or_insert(0);
            if let Some(width) = width {
                let note = match width {
                    NoteWidth::Byte => mix(number) as u8 as u32,
                    NoteWidth::Number => (mix(number) % (known.len() as u64 + 1)) as u32,
                };
                assert_eq!(keys.note(key, |_| Some(note)), expected.1);
                known.insert(key, note);
            }
            assert_eq!(keys.len(), known.len() as u64);
            assert_eq!(keys.bytes(), budget.used_bytes());
            assert!(budget.peak_bytes() <= budget_bytes);
        }
        for (&key, &note) in &known {
            assert_eq!(add(&mut keys, key, key_bits), Ok((false, width.map(|_| note))));
            assert!(width.is_none() || keys.note(key, |_| None) == note);
        }
        drop(keys);
        assert_eq!(budget.used_bytes(), 0);
        (known.len(), changes)
    }

    #[test]
    fn a_set_of_keys_is_a_set() {
        let mut changed = [0; 2];
        for (low_bits, key_bits) in [(36, 10), (36, 36), (36, 38), (36, 63), (44, 63), (60, 60)] {
            // Keys grow in bits as they become more.
            let key =
                |number: u64| mix(number % 20_000) & ((1 << key_bits.min(if number < 20_000 { 32 } else { 63 })) - 1);
            for width in WIDTHS {
                let (_, changes) = check(width, low_bits, u64::MAX, 30_000, key);
                changed = [changed[0] + changes[0], changed[1] + changes[1]];
                for budget_bytes in [15_000, 20_000, 50_000, 90_000] {
                    check(width, low_bits, budget_bytes, 30_000, key);
                }
            }
        }
        assert!(changed.iter().all(|&times| times > 0), "entries became wider and narrower: {changed:?}");
    }

    #[test]
    fn a_small_budget_holds_a_good_many() {
        let (count, _) = check(None, 36, 200_000, 1_000_000, |number| number);
        assert!(count > 200_000 / 9, "{count}");
    }

    /// Keys that all want the same bucket need more buckets than there are in reach.
    #[test]
    fn a_crowd_at_one_place_makes_the_table_grow() {
        let code = Code::new(LEAST_GROUP_BITS, 4, 36).unwrap();
        let crowd: Vec<u64> = (0..1 << 20).filter(|&key| code.place(key).bucket == 5).take(1000).collect();
        for width in WIDTHS {
            check(width, 36, u64::MAX, crowd.len() as u64, |number| crowd[number as usize]);
        }
    }
}
