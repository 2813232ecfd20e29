//! A set of states that are keys of a word or two.

use crate::bits::{BitWork, do_work};
use crate::index::NoRoom;
use crate::keys::{
    AHEAD, Code, Key, LEAST_GROUP_BITS, LEAST_LOW_BITS, Lines, MORE_PARTS, Mapped, Place, Places, cost_bytes, crowded,
};
use crate::memory::Receipt;
use crate::{Budget, Full};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

/// Exact, for any number of threads. A state is its own handle: nothing needs to be recalled.
#[derive(Debug)]
pub struct KeyStore<'b> {
    set: RwLock<Set<'b>>,
}

/// The keys, in entries of as many bits as they need.
#[derive(Debug)]
struct Set<'b> {
    table: Table<'b>,
    /// The table grows, if it may, when it holds more keys than this.
    comfortable: u64,
    len: AtomicU64,
    /// How often there was made room.
    version: u64,
}

/// Lines of so many entries, and how many bits these have beside 32: as many as there is room for.
#[derive(Debug)]
enum Table<'b> {
    Of15(Lines<'b, 15, 2>),
    Of13(Lines<'b, 13, 7>),
    Of12(Lines<'b, 12, 10>),
    Of11(Lines<'b, 11, 14>),
    Of10(Lines<'b, 10, 19>),
    Of9(Lines<'b, 9, 24>),
    Of8(Lines<'b, 8, 31>),
}

/// Does the same with a table, whatever its entries.
macro_rules! with_lines {
    ($table:expr, $lines:ident => $what:expr) => {
        match $table {
            Table::Of15($lines) => $what,
            Table::Of13($lines) => $what,
            Table::Of12($lines) => $what,
            Table::Of11($lines) => $what,
            Table::Of10($lines) => $what,
            Table::Of9($lines) => $what,
            Table::Of8($lines) => $what,
        }
    };
}

/// Entries in a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Width {
    Of15,
    Of13,
    Of12,
    Of11,
    Of10,
    Of9,
    Of8,
}

impl Width {
    const ALL: [Self; 7] = [Self::Of15, Self::Of13, Self::Of12, Self::Of11, Self::Of10, Self::Of9, Self::Of8];

    /// Bits of an entry.
    fn bits(self) -> u32 {
        [34, 39, 42, 46, 51, 56, 63][self as usize]
    }
    /// Entries in a line.
    fn per_line(self) -> usize {
        [15, 13, 12, 11, 10, 9, 8][self as usize]
    }
    /// An empty table that was paid for; the receipt if there is no memory for it.
    fn paid(self, code: Code, receipt: Receipt<'_>) -> Result<Table<'_>, Receipt<'_>> {
        Ok(match self {
            Self::Of15 => Table::Of15(Lines::paid(code, receipt)?),
            Self::Of13 => Table::Of13(Lines::paid(code, receipt)?),
            Self::Of12 => Table::Of12(Lines::paid(code, receipt)?),
            Self::Of11 => Table::Of11(Lines::paid(code, receipt)?),
            Self::Of10 => Table::Of10(Lines::paid(code, receipt)?),
            Self::Of9 => Table::Of9(Lines::paid(code, receipt)?),
            Self::Of8 => Table::Of8(Lines::paid(code, receipt)?),
        })
    }
}

/// The code of the table with the fewest lines for at least so many keys, which have so many bits, and the width of its entries.
fn code_for(entries: u64, low_bits: u32, key_bits: u32) -> Option<(Code, Width)> {
    let least = |width: Width| {
        let sizes = (LEAST_GROUP_BITS..).flat_map(|group_bits| MORE_PARTS.iter().map(move |&parts| (group_bits, parts)));
        let mut sizes = sizes.map_while(|(group_bits, parts)| Code::new(group_bits, parts, low_bits));
        let suffices = |code: &Code| code.key_bits(width.bits()).is_some_and(|most| most >= key_bits);
        let found = sizes.find(|code| (code.buckets() * width.per_line()) as u64 >= entries && suffices(code));
        found.map(|code| (code, width))
    };
    Width::ALL.into_iter().filter_map(least).min_by_key(|(code, _)| code.buckets())
}

impl<'b> KeyStore<'b> {
    /// An empty store for keys that have so many bits now. They may have more later.
    pub fn new(key_bits: u32, budget: &'b Budget) -> Result<Self, Full> {
        let low_bits = key_bits.clamp(LEAST_LOW_BITS, u64::BITS);
        let full = Full { limit_bytes: budget.limit_bytes() };
        let (code, width) = code_for(1, low_bits, key_bits).ok_or(full)?;
        let mut receipt = Receipt::new(budget);
        receipt.add(cost_bytes(code))?;
        let table = width.paid(code, receipt).map_err(|receipt| receipt.full())?;
        let comfortable = comfortable(table.capacity());
        Ok(Self { set: RwLock::new(Set { table, comfortable, len: AtomicU64::new(0), version: 0 }) })
    }

    /// Looks up all keys, one after the other in `words`, adds those that are absent, and tells their numbers. A key has
    /// `key_words` words, one or two, and at most `key_bits` bits. If the budget does not allow to add one, those after it
    /// were not looked up.
    pub fn probe(&self, words: &[u64], key_words: usize, key_bits: u32, new: &mut Vec<u32>) -> Result<(), Full> {
        match key_words {
            1 => self.probe_keys(words, key_bits, new),
            2 => self.probe_keys(words.as_chunks::<2>().0, key_bits, new),
            _ => panic!("keys of {key_words} words"),
        }
    }

    fn probe_keys<K: Key>(&self, keys: &[K], key_bits: u32, new: &mut Vec<u32>) -> Result<(), Full> {
        let mut done = 0;
        loop {
            let set = self.read();
            let version = set.version;
            let probed =
                with_lines!(&set.table, table => do_work(Probe { set: &set, table, keys, done: &mut done, new }));
            drop(set);
            match probed {
                Ok(()) => return Ok(()),
                Err(NoRoom) => self.grow(version, key_bits)?,
            }
        }
    }

    /// Makes room, unless somebody else has since this version.
    fn grow(&self, version: u64, key_bits: u32) -> Result<(), Full> {
        let mut set = self.set.write().unwrap_or_else(PoisonError::into_inner);
        if set.version == version { set.grow(key_bits) } else { Ok(()) }
    }

    // Poisoning is no news, as with the other stores.
    fn read(&self) -> RwLockReadGuard<'_, Set<'b>> {
        self.set.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of keys.
    pub fn len(&self) -> u64 {
        self.read().len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// What it takes of memory now.
    pub fn bytes(&self) -> u64 {
        with_lines!(&self.read().table, table => table.bytes())
    }
}

impl Table<'_> {
    fn capacity(&self) -> u64 {
        with_lines!(self, table => table.capacity())
    }
    fn code(&self) -> Code {
        with_lines!(self, table => table.code)
    }
    fn full(&self) -> Full {
        with_lines!(self, table => table.full())
    }
    /// How many bits the keys may have that it takes.
    fn key_bits(&self) -> u32 {
        with_lines!(self, table => key_bits_of(table))
    }
}

impl<'b> Table<'b> {
    /// A table of this code with all keys, which this one has no more.
    fn moved_to(&mut self, code: Code, width: Width) -> Result<Self, Full> {
        let from = self.code();
        let receipt = with_lines!(self, table => table.begin_move(code))?;
        let mut larger = match width.paid(code, receipt) {
            Ok(larger) => larger,
            Err(receipt) => return Err(with_lines!(self, table => table.stay(receipt, code))),
        };
        {
            let mut add: Box<dyn FnMut(&[Mapped])> = with_lines!(&mut larger, table => Box::new(table.adder()));
            with_lines!(self, table => table.drain(&mut *add));
        }
        with_lines!(&mut larger, table => table.end_move(from));
        Ok(larger)
    }
}

/// How many bits the keys may have that the table takes.
fn key_bits_of<const N: usize, const H: usize>(table: &Lines<'_, N, H>) -> u32 {
    table.code.key_bits(Lines::<'_, N, H>::ENTRY_BITS).expect("entries that suffice for the code")
}

impl Set<'_> {
    fn len(&self) -> u64 {
        self.len.load(Ordering::Relaxed)
    }

    /// Makes room for more keys, of up to so many bits.
    fn grow(&mut self, key_bits: u32) -> Result<(), Full> {
        // Where entries are too narrow, that is all there is to mend.
        let capacity = self.table.capacity();
        let wanted = if self.table.key_bits() < key_bits { capacity } else { capacity / 8 * 9 };
        let low_bits = self.table.code().low_bits();
        let grown = match code_for(wanted, low_bits, key_bits) {
            None => Err(self.table.full()),
            Some((code, width)) => self.table.moved_to(code, width),
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
        if self.comfortable >= crowded {
            return Err(full);
        }
        self.comfortable = crowded;
        Ok(())
    }
}

/// The table grows when it is fuller than this. Entries that are scattered find a place where others would not.
fn comfortable(capacity: u64) -> u64 {
    capacity / 100 * 90
}

/// The place of a key, which is asked of memory.
#[inline(always)]
fn ask<K: Key, const N: usize, const H: usize>(table: &Lines<'_, N, H>, places: &Places, key: K) -> Place {
    let place = places.of(key);
    table.prefetch(place);
    place
}

/// Looks keys up, from the first that was not `done`.
struct Probe<'a, 'b, K, const N: usize, const H: usize> {
    set: &'a Set<'b>,
    table: &'a Lines<'b, N, H>,
    keys: &'a [K],
    done: &'a mut usize,
    new: &'a mut Vec<u32>,
}

impl<K: Key, const N: usize, const H: usize> BitWork for Probe<'_, '_, K, N, H> {
    type Output = Result<(), NoRoom>;

    /// Shifts are most of what it takes to find the place of a key.
    #[inline(always)]
    fn run(self, _: impl Fn(u64, u64) -> u64, _: impl Fn(u64, u64) -> u64) -> Result<(), NoRoom> {
        let Self { set, table, keys, done, new } = self;
        let bits = key_bits_of(table);
        let first = *done;
        let rest = &keys[first..];
        let all_fit = rest.iter().fold(K::ZERO, |all, &key| all.or(key)).has_at_most(bits);
        let admitted = if all_fit { rest.len() } else { rest.iter().take_while(|key| key.has_at_most(bits)).count() };
        let (places, keys) = (table.code.places(), &rest[..admitted]);
        let mut asked = [Place { bucket: 0, entry: 0 }; AHEAD];
        for (place, &key) in asked.iter_mut().zip(keys) {
            *place = ask(table, &places, key);
        }
        // Several threads may all find that there is room, and together exceed it by a batch each: that is no harm, the
        // table says itself when it is too crowded.
        let may_add = set.len() < set.comfortable;
        // Whether a key is new cannot be guessed: it is written down in any case, and counts if it is.
        let begin = new.len();
        new.resize(begin + keys.len(), 0);
        let mut end = begin;
        let mut probed = if admitted == rest.len() { Ok(()) } else { Err(NoRoom) };
        for number in 0..keys.len() {
            let asked = &mut asked[number % AHEAD];
            let place = *asked;
            if let Some(&key) = keys.get(number + AHEAD) {
                *asked = ask(table, &places, key);
            }
            match table.find_or_add(place, may_add) {
                Ok(is_new) => {
                    new[end] = (first + number) as u32;
                    end += usize::from(is_new);
                    *done += 1;
                }
                Err(NoRoom) => {
                    probed = Err(NoRoom);
                    break;
                }
            }
        }
        new.truncate(end);
        if end > begin {
            set.len.fetch_add((end - begin) as u64, Ordering::Relaxed);
        }
        probed
    }
}
