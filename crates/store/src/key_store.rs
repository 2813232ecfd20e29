//! A set of states that are keys of a word or two.

use crate::bits::{BitWork, do_work};
use crate::index::NoRoom;
use crate::keys::{AHEAD, Division, Key, Lines, Mapped, cost_bytes, crowded};
use crate::memory::Receipt;
use crate::{Budget, Full};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

/// Exact, for any number of threads. A state is its own handle: nothing needs to be recalled.
#[derive(Debug)]
pub struct KeyStore<'b> {
    set: RwLock<Set<'b>>,
}

/// The least number of lines.
const FEWEST_LINES: u64 = 64;
/// How full a table may be, in percent.
const COMFORTABLE_PERCENT: u64 = 86;
/// A table that has grown takes no more bytes than this for each of its keys, if that can be.
const ROOMY_BYTES: f64 = 7.7;
const LINE_BYTES: f64 = 64.0;

/// How many entries, at most so many, a table of so many keys may have that has just grown.
fn most_roomy(keys: u64, most: u64, low_bits: u32, key_bits: u32) -> u64 {
    let mut entries = most;
    // With fewer lines entries have more bits, and there are fewer in a line.
    for _ in 0..3 {
        let Some((_, width)) = table_for(entries, low_bits, key_bits) else { return 0 };
        entries = most.min((keys as f64 * ROOMY_BYTES / LINE_BYTES) as u64 * width.per_line() as u64);
    }
    entries
}

/// The keys, in entries of as many bits as they need.
#[derive(Debug)]
struct Set<'b> {
    table: Table<'b>,
    /// The table grows, if it may, when it holds more keys than this.
    comfortable: u64,
    len: AtomicU64,
    /// Whether only one thread adds keys.
    alone: bool,
    /// How often there was made room.
    version: u64,
}

/// Lines of so many entries, and how many bits these have beside 32: as many as there is room for.
#[derive(Debug)]
enum Table<'b> {
    Of15(Lines<'b, 15, 2>),
    Of14(Lines<'b, 14, 4>),
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
            Table::Of14($lines) => $what,
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
    Of14,
    Of13,
    Of12,
    Of11,
    Of10,
    Of9,
    Of8,
}

impl Width {
    const ALL: [Self; 8] =
        [Self::Of15, Self::Of14, Self::Of13, Self::Of12, Self::Of11, Self::Of10, Self::Of9, Self::Of8];

    /// Bits of an entry.
    fn bits(self) -> u32 {
        [34, 36, 39, 42, 46, 51, 56, 63][self as usize]
    }
    /// Entries in a line.
    fn per_line(self) -> usize {
        [15, 14, 13, 12, 11, 10, 9, 8][self as usize]
    }
    /// An empty table that was paid for; the receipt if there is no memory for it.
    fn paid(self, division: Division, receipt: Receipt<'_>) -> Result<Table<'_>, Receipt<'_>> {
        Ok(match self {
            Self::Of15 => Table::Of15(Lines::paid(division, receipt)?),
            Self::Of14 => Table::Of14(Lines::paid(division, receipt)?),
            Self::Of13 => Table::Of13(Lines::paid(division, receipt)?),
            Self::Of12 => Table::Of12(Lines::paid(division, receipt)?),
            Self::Of11 => Table::Of11(Lines::paid(division, receipt)?),
            Self::Of10 => Table::Of10(Lines::paid(division, receipt)?),
            Self::Of9 => Table::Of9(Lines::paid(division, receipt)?),
            Self::Of8 => Table::Of8(Lines::paid(division, receipt)?),
        })
    }
}

/// The table with the fewest lines for at least so many keys, which have so many bits: how these are divided, and the width of its
/// entries.
fn table_for(entries: u64, low_bits: u32, key_bits: u32) -> Option<(Division, Width)> {
    let narrowest = |entries: u64| {
        Width::ALL.into_iter().find_map(|width| {
            let lines = entries.div_ceil(width.per_line() as u64).max(FEWEST_LINES);
            let division = Division::new(lines, low_bits)?;
            (division.key_bits(width.bits())? >= key_bits).then_some((division, width))
        })
    };
    // Of a few lines each would tell too little of its keys.
    let mut enough = std::iter::successors(Some(entries.max(1)), |entries| Some(entries * 2)).take(40);
    enough.find_map(narrowest)
}

impl<'b> KeyStore<'b> {
    /// An empty store for keys that have so many bits now. They may have more later. If it is to be used by one thread `alone`, nothing
    /// is done to keep threads apart.
    pub fn new(key_bits: u32, alone: bool, budget: &'b Budget) -> Result<Self, Full> {
        let low_bits = Division::low_bits_for(key_bits);
        let full = Full { limit_bytes: budget.limit_bytes() };
        let (division, width) = table_for(1, low_bits, key_bits).ok_or(full)?;
        let mut receipt = Receipt::new(budget);
        receipt.add(cost_bytes(division))?;
        let table = width.paid(division, receipt).map_err(|receipt| receipt.full())?;
        let comfortable = comfortable(table.capacity());
        Ok(Self { set: RwLock::new(Set { table, comfortable, len: AtomicU64::new(0), alone, version: 0 }) })
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
    fn division(&self) -> Division {
        with_lines!(self, table => table.division)
    }
    fn full(&self) -> Full {
        with_lines!(self, table => table.full())
    }
    /// How many bits the keys may have that it takes.
    fn key_bits(&self) -> u32 {
        with_lines!(self, table => key_bits_of(table))
    }
}

/// Takes keys that are moved.
type Take<'t> = dyn FnMut(&[Mapped]) + 't;

impl<'b> Table<'b> {
    /// A table of this division with all keys, which this one has no more.
    fn moved_to(&mut self, to: Division, width: Width) -> Result<Self, Full> {
        let from = self.division();
        let receipt = with_lines!(self, table => table.begin_move(to))?;
        let mut larger = match width.paid(to, receipt) {
            Ok(larger) => larger,
            Err(receipt) => return Err(with_lines!(self, table => table.stay(receipt, to))),
        };
        {
            let mut add: Box<Take<'_>> = with_lines!(&mut larger, table => Box::new(table.adder()));
            with_lines!(self, table => table.drain(&mut *add));
        }
        with_lines!(&mut larger, table => table.end_move(from));
        Ok(larger)
    }
}

/// How many bits the keys may have that the table takes.
fn key_bits_of<const N: usize, const H: usize>(table: &Lines<'_, N, H>) -> u32 {
    table.division.key_bits(Lines::<'_, N, H>::ENTRY_BITS).expect("entries that suffice for the keys")
}

impl Set<'_> {
    fn len(&self) -> u64 {
        self.len.load(Ordering::Relaxed)
    }

    /// Makes room for more keys, of up to so many bits.
    fn grow(&mut self, key_bits: u32) -> Result<(), Full> {
        let (capacity, low_bits) = (self.table.capacity(), self.table.division().low_bits());
        let least = match self.table.key_bits() < key_bits {
            // Entries are too narrow: that is all there is to mend.
            true => capacity,
            false => capacity / 8 * 9 + 1,
        };
        let most = (capacity * 2).max(least);
        let roomy = most_roomy(self.len(), most, low_bits, key_bits).max(least);
        // Small budgets have better uses for what is to spare.
        let (full, roomy) = (self.table.full(), table_for(roomy, low_bits, key_bits));
        let roomy = roomy.filter(|(division, _)| cost_bytes(*division) <= full.limit_bytes / 4);
        let grown = match roomy.or_else(|| table_for(least, low_bits, key_bits)) {
            Some((division, width)) => self.table.moved_to(division, width),
            None => Err(full),
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
    capacity / 100 * COMFORTABLE_PERCENT
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
        let (division, keys) = (table.division, &rest[..admitted]);
        let mut asked = [table.nothing(); AHEAD];
        for (asked, &key) in asked.iter_mut().zip(keys) {
            *asked = table.ask(division.home(key));
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
            let here = *asked;
            if let Some(&key) = keys.get(number + AHEAD) {
                *asked = table.ask(division.home(key));
            }
            match table.find_or_add(here, may_add, set.alone) {
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
