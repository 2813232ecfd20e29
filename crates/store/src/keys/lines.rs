//! A hash table of keys like [`Table`](super::table::Table), with as many entries of more than 32 bits in a line as there is
//! room for, and without notes.
//!
//! Such an entry cannot be written at once where it shall take no more room than it needs. So a line has the low halves
//! of its entries side by side, to be compared all at once, then the rest of each, then in its highest bit a lock. Who adds an
//! entry holds the lock of its line, writes the rest first and the low half, which is never 0, last. Who only looks takes no
//! lock: where there is a low half, the rest is there too.

use super::division::{Division, Home, MOST_AWAY, MOST_OFFSET, Mapped, away, offset};
use super::table::Filled;
use crate::Full;
use crate::bits::{BitWork, do_work};
use crate::index::NoRoom;
use crate::memory::{LARGE_PAGE_BYTES, Receipt, Slab, line_matches, prefetch};
use std::sync::atomic::{AtomicU32, Ordering, compiler_fence};

const LINE_BYTES: usize = 64;
/// Numbers of 32 bits in a line. The last one has the lock in its highest bit.
const UNITS: usize = LINE_BYTES / size_of::<AtomicU32>();
const LOCKED: u32 = 1 << 31;
/// Lines in a slab. Few in tests, that tables of several slabs may be small.
const SLAB_LINES: usize = if cfg!(test) { 32 } else { LARGE_PAGE_BYTES / LINE_BYTES };

type Line = [AtomicU32; UNITS];

/// Something like a number of 32 bits that threads share.
pub(super) trait Unit {
    fn get(&self, order: Ordering) -> u32;
    fn put(&self, value: u32, order: Ordering);
    /// Sets bits, and says what was there before.
    fn mark(&self, bits: u32, order: Ordering) -> u32;
    /// Sets bits that nobody else changes, while others may set what is set already.
    fn join(&self, bits: u32);
    /// Clears bits that nobody else clears, while others may set what is set already.
    fn clear(&self, bits: u32, order: Ordering);
    /// Somebody else holds the lock.
    fn wait();
}

impl Unit for AtomicU32 {
    #[inline(always)]
    fn get(&self, order: Ordering) -> u32 {
        self.load(order)
    }
    #[inline(always)]
    fn put(&self, value: u32, order: Ordering) {
        self.store(value, order);
    }
    #[inline(always)]
    fn mark(&self, bits: u32, order: Ordering) -> u32 {
        self.fetch_or(bits, order)
    }
    #[inline(always)]
    fn join(&self, bits: u32) {
        self.store(self.load(Ordering::Relaxed) | bits, Ordering::Relaxed);
    }
    #[inline(always)]
    fn clear(&self, bits: u32, order: Ordering) {
        self.store(self.load(Ordering::Relaxed) & !bits, order);
    }
    fn wait() {
        std::hint::spin_loop();
    }
}

/// How entries stand in a line of some units: `N` of them, with `H` bits each beside the low half.
#[derive(Debug)]
pub(super) struct Format<const N: usize, const H: usize>;

impl<const N: usize, const H: usize> Format<N, H> {
    const MASK: u32 = (1 << N) - 1;
    const HIGH_MASK: u32 = u32::MAX >> (32 - H);

    /// Where the upper half of an entry stands: the first of two units, and the first bit in these.
    #[inline(always)]
    fn high_at(units: usize, number: usize) -> (usize, u32) {
        let bit = 32 * N + H * number;
        let unit = (bit / 32).min(units - 2);
        (unit, (bit - 32 * unit) as u32)
    }
    /// The upper half of an entry that is there.
    #[inline(always)]
    fn high<U: Unit>(line: &[U], number: usize) -> u32 {
        let (unit, shift) = Self::high_at(line.len(), number);
        let (low, high) = (line[unit].get(Ordering::Relaxed), line[unit + 1].get(Ordering::Relaxed));
        ((u64::from(low) | u64::from(high) << 32) >> shift) as u32 & Self::HIGH_MASK
    }
    /// Writes it; by who holds the lock, where there was none.
    #[inline(always)]
    fn set_high<U: Unit>(line: &[U], number: usize, high: u32) {
        let (unit, shift) = Self::high_at(line.len(), number);
        let bits = u64::from(high) << shift;
        for (unit, bits) in [(unit, bits as u32), (unit + 1, (bits >> 32) as u32)] {
            line[unit].join(bits);
        }
    }

    /// Whether the entry is in the line; `matches` are the places with its low half, and perhaps others behind all entries.
    #[inline(always)]
    fn contains<U: Unit>(line: &[U], matches: u32, entry: u64) -> bool {
        let mut matches = matches & Self::MASK;
        // The low halves were read first.
        compiler_fence(Ordering::Acquire);
        while matches != 0 {
            if Self::high(line, matches.trailing_zeros() as usize) == (entry >> 32) as u32 {
                return true;
            }
            matches &= matches - 1;
        }
        false
    }

    /// Adds an entry, unless somebody else has: whether it was this thread. `None` if there is no room.
    #[inline(never)]
    fn add<U: Unit>(line: &[U], entry: u64, matches: impl Fn(&[U], u32) -> u32) -> Option<bool> {
        let lock = &line[line.len() - 1];
        while lock.mark(LOCKED, Ordering::Acquire) & LOCKED != 0 {
            U::wait();
        }
        let added = if Self::contains(line, matches(line, entry as u32), entry) {
            Some(false)
        } else {
            Self::write(line, entry, matches).then_some(true)
        };
        lock.clear(LOCKED, Ordering::Release);
        added
    }
    /// Writes an entry that is not there; by who holds the lock, or has the line alone. Whether there was room.
    #[inline(always)]
    fn write<U: Unit>(line: &[U], entry: u64, matches: impl Fn(&[U], u32) -> u32) -> bool {
        let empty = matches(line, 0) & Self::MASK;
        if empty != 0 {
            let first = empty.trailing_zeros() as usize;
            Self::set_high(line, first, (entry >> 32) as u32);
            line[first].put(entry as u32, Ordering::Release);
        }
        empty != 0
    }

    /// Looks up the key whose home is given, and adds it if it is absent and `may_add`: whether it is new; `None` if all
    /// lines that it may stand in are full of others. If the caller is `alone`, nobody else adds meanwhile.
    #[inline(always)]
    fn find_or_add<'t, U: Unit + 't>(
        first: &'t [U],
        line: impl Fn(usize) -> &'t [U],
        matches: impl Fn(&[U], u32) -> u32,
        home: Home,
        may_add: bool,
        alone: bool,
    ) -> Option<Result<bool, NoRoom>> {
        let (mut here, mut wanted) = (first, home.entry);
        for away in 1..=MOST_AWAY + 1 {
            // Asked before the search: were it asked after, another thread could put the very key into the last place in
            // between, and this one would pass it and add it to the next line, too.
            let has_room = here[N - 1].get(Ordering::Acquire) == 0;
            if Self::contains(here, matches(here, wanted as u32), wanted) {
                return Some(Ok(false));
            }
            if has_room {
                if !may_add {
                    return Some(Err(NoRoom));
                }
                if alone {
                    Self::write(here, wanted, &matches);
                    return Some(Ok(true));
                }
                if let Some(is_new) = Self::add(here, wanted, &matches) {
                    return Some(Ok(is_new));
                }
            }
            if away <= MOST_AWAY {
                wanted += 1;
                here = line(home.line + offset(wanted));
            }
        }
        None
    }
}

#[inline(always)]
fn matches(line: &[AtomicU32], low: u32) -> u32 {
    line_matches(line.try_into().expect("a line"), low)
}

/// Lines of `N` entries with `H` bits each beside 32.
#[derive(Debug)]
pub(crate) struct Lines<'b, const N: usize, const H: usize> {
    pub(crate) division: Division,
    /// All of `SLAB_LINES` lines but the last.
    slabs: Vec<Slab<AtomicU32>>,
    /// Keys that another table had no place for near enough to home: none, unless the dice fall very strangely.
    strays: Vec<Mapped>,
    receipt: Receipt<'b>,
}

/// The home of a key, which is asked of memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'t> {
    home: Home,
    line: &'t Line,
}

impl<'b, const N: usize, const H: usize> Lines<'b, N, H> {
    pub(crate) const ENTRY_BITS: u32 = 32 + H as u32;

    /// An empty table that was paid for; the receipt if there is no memory for it.
    pub(crate) fn paid(division: Division, receipt: Receipt<'b>) -> Result<Self, Receipt<'b>> {
        match slab_lens(division).map(Slab::new).collect() {
            Some(slabs) => Ok(Self { division, slabs, strays: Vec::new(), receipt }),
            None => Err(receipt),
        }
    }
    /// How many entries there are, full and empty.
    pub(crate) fn capacity(&self) -> u64 {
        (self.division.lines() * N) as u64
    }
    /// What was taken from the budget.
    pub(crate) fn bytes(&self) -> u64 {
        self.receipt.bytes()
    }
    /// There is no room in the budget.
    pub(crate) fn full(&self) -> Full {
        self.receipt.full()
    }

    #[inline(always)]
    fn line(&self, number: usize) -> &Line {
        &self.slabs[number / SLAB_LINES].as_chunks::<UNITS>().0[number % SLAB_LINES]
    }
    /// Some line, of nobody.
    pub(crate) fn nothing(&self) -> Asked<'_> {
        Asked { home: Home { line: 0, entry: 1 }, line: self.line(0) }
    }
    /// The line that a key belongs in will be needed soon.
    #[inline(always)]
    pub(crate) fn ask(&self, home: Home) -> Asked<'_> {
        let line = self.line(home.line);
        prefetch(&line[0]);
        Asked { home, line }
    }
    /// Looks up a key, and adds it if it is absent and `may_add`: whether it is new. If the caller is `alone`, nobody else adds
    /// meanwhile.
    #[inline(always)]
    pub(crate) fn find_or_add(&self, asked: Asked<'_>, may_add: bool, alone: bool) -> Result<bool, NoRoom> {
        let Asked { home, line } = asked;
        let found = Format::<N, H>::find_or_add(&line[..], |number| self.line(number), matches, home, may_add, alone);
        found.unwrap_or_else(|| self.find_stray(home))
    }
    #[cold]
    fn find_stray(&self, Home { line, entry }: Home) -> Result<bool, NoRoom> {
        let key = self.division.mapped(self.division.begin(line), entry);
        if self.strays.contains(&key) { Ok(false) } else { Err(NoRoom) }
    }

    /// What it takes to move the keys to a table of this division, beside what this one takes. At no time is there much more memory
    /// in use than the larger of the two tables takes.
    ///
    /// Lines keep their order: when the first so many slabs of this table are emptied and freed, only about as great a share of
    /// the other has been touched. What is not touched is not there.
    pub(crate) fn begin_move(&mut self, to: Division) -> Result<Receipt<'b>, Full> {
        let old_bytes = cost_bytes(self.division);
        self.receipt.add(peak_bytes(self.division, to) - old_bytes)?;
        let nothing = Receipt::new(self.receipt.budget());
        Ok(std::mem::replace(&mut self.receipt, nothing))
    }
    /// There was no memory for the other table: all remains as it is.
    pub(crate) fn stay(&mut self, receipt: Receipt<'b>, to: Division) -> Full {
        self.receipt = receipt;
        self.receipt.subtract(peak_bytes(self.division, to) - cost_bytes(self.division));
        self.receipt.full()
    }
    /// All keys of a table of that division are here.
    pub(crate) fn end_move(&mut self, from: Division) {
        self.receipt.subtract(peak_bytes(from, self.division) - cost_bytes(self.division));
    }

    /// Gives all keys away, in order, and frees its memory meanwhile.
    pub(crate) fn drain(&mut self, take: &mut dyn FnMut(&[Mapped])) {
        let mut keys = vec![Mapped { high: 0, number: 0 }; SLAB_LINES.min(MOVED_LINES) * N];
        let mut number = 0;
        for slab in std::mem::take(&mut self.slabs) {
            for lines in slab.as_chunks::<UNITS>().0.chunks(MOVED_LINES) {
                let mut count = 0;
                do_work(Draining { from: self, lines, number, keys: &mut keys, count: &mut count });
                take(&keys[..count]);
                number += lines.len();
            }
        }
        take(&std::mem::take(&mut self.strays));
    }
    /// Adds keys that come in order, and are not there.
    pub(crate) fn adder(&mut self) -> impl FnMut(&[Mapped]) {
        let mut filled = Filled::default();
        move |keys| do_work(Adding { to: &mut *self, keys, filled: &mut filled })
    }

    /// Adds a key that is not there, alone.
    #[inline(always)]
    fn add_alone(&mut self, home: Home, filled: &mut Filled) {
        if !self.add_to(home.line, home.entry, filled) {
            self.add_away(home, filled);
        }
    }
    /// The same for a key whose home is full.
    #[inline(never)]
    fn add_away(&mut self, home: Home, filled: &mut Filled) {
        let mut entries = (1..=MOST_AWAY as u64).map(|away| home.entry + away);
        if !entries.any(|entry| self.add_to(home.line + offset(entry), entry, filled)) {
            self.strays.push(self.division.mapped(self.division.begin(home.line), home.entry));
        }
    }
    /// Writes an entry into a line, unless that is full.
    #[inline(always)]
    fn add_to(&self, number: usize, entry: u64, filled: &mut Filled) -> bool {
        let line = self.line(number);
        let first =
            filled.cells(number, || (matches(line, 0) & Format::<N, H>::MASK).trailing_zeros().min(N as u32) as usize);
        if *first >= N {
            return false;
        }
        Format::<N, H>::set_high(line, *first, (entry >> 32) as u32);
        line[*first].store(entry as u32, Ordering::Relaxed);
        *first += 1;
        true
    }
}

/// Lines whose keys are moved together.
const MOVED_LINES: usize = 64;

/// Takes the keys out of some lines, of which the first has this number.
struct Draining<'a, 'b, const N: usize, const H: usize> {
    from: &'a Lines<'b, N, H>,
    lines: &'a [Line],
    number: usize,
    keys: &'a mut [Mapped],
    count: &'a mut usize,
}

impl<const N: usize, const H: usize> BitWork for Draining<'_, '_, N, H> {
    type Output = ();

    #[inline(always)]
    fn run(self, _: impl Fn(u64, u64) -> u64, _: impl Fn(u64, u64) -> u64) {
        let Self { from, lines, number, keys, count } = self;
        let division = from.division;
        let mut end = 0;
        for (number, line) in (number..).zip(lines) {
            // Most entries are at home.
            let at_home = division.begin(number);
            for (place, low) in line[..N].iter().enumerate() {
                let low = low.load(Ordering::Relaxed);
                if low == 0 {
                    break;
                }
                let entry = u64::from(low) | u64::from(Format::<N, H>::high(line, place)) << 32;
                let begin = match away(entry) {
                    0 => at_home,
                    _ => division.begin(number - offset(entry)),
                };
                keys[end] = division.mapped(begin, entry);
                end += 1;
            }
        }
        *count = end;
    }
}

/// Adds keys to a table that does not have them.
struct Adding<'a, 'b, const N: usize, const H: usize> {
    to: &'a mut Lines<'b, N, H>,
    keys: &'a [Mapped],
    filled: &'a mut Filled,
}

impl<const N: usize, const H: usize> BitWork for Adding<'_, '_, N, H> {
    type Output = ();

    #[inline(always)]
    fn run(self, _: impl Fn(u64, u64) -> u64, _: impl Fn(u64, u64) -> u64) {
        let division = self.to.division;
        for &key in self.keys {
            self.to.add_alone(division.home_of(key), self.filled);
        }
    }
}

fn slab_lens(division: Division) -> impl Iterator<Item = usize> {
    // As many lines after the last as an entry may stand away from it.
    let lines = division.lines() + MOST_OFFSET;
    (0..lines).step_by(SLAB_LINES).map(move |first| (lines - first).min(SLAB_LINES) * UNITS)
}

pub(crate) fn cost_bytes(division: Division) -> u64 {
    slab_lens(division).map(Slab::<AtomicU32>::cost_bytes).sum()
}

/// What is in use at most while keys are moved.
fn peak_bytes(from: Division, to: Division) -> u64 {
    let slab_bytes = |division| slab_lens(division).map(Slab::<AtomicU32>::cost_bytes).max().unwrap_or(0);
    cost_bytes(from).max(cost_bytes(to)) + slab_bytes(from) + slab_bytes(to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Budget;

    fn fills_a_line<const N: usize, const H: usize>() {
        let slab = Slab::<AtomicU32>::new(UNITS).expect("memory");
        let line = &slab[..];
        // The low halves of two of them are the same.
        let entry = |number: usize| {
            let low = if number == 1 { 1 } else { number as u64 + 1 };
            let high = 0x9E37_79B9_7F4A_7C15_u64.rotate_left(5 * number as u32) as u32 >> (32 - H);
            low | u64::from(if number < 2 { number as u32 } else { high }) << 32
        };
        for number in 0..N {
            let is_there = |number| Format::<N, H>::contains(line, matches(line, entry(number) as u32), entry(number));
            assert!(!is_there(number), "{H} {number}");
            assert_eq!(Format::<N, H>::add(line, entry(number), matches), Some(true));
            assert_eq!(Format::<N, H>::add(line, entry(number), matches), Some(false));
            assert!((0..=number).all(is_there), "{H} {number}");
        }
        assert_eq!(Format::<N, H>::add(line, 0x7777, matches), None);
        assert_eq!(line[UNITS - 1].load(Ordering::Relaxed) & LOCKED, 0, "the lock is free");
    }

    #[test]
    fn lines_take_as_many_entries_as_they_shall() {
        fills_a_line::<15, 2>();
        fills_a_line::<14, 4>();
        fills_a_line::<13, 7>();
        fills_a_line::<12, 10>();
        fills_a_line::<11, 14>();
        fills_a_line::<10, 19>();
        fills_a_line::<9, 24>();
        fills_a_line::<8, 31>();
    }

    #[test]
    fn strays_are_not_lost() {
        let budget = Budget::new(u64::MAX);
        let division = Division::new(64, 36).expect("enough low bits");
        let mut receipt = Receipt::new(&budget);
        receipt.add(cost_bytes(division)).expect("memory");
        let mut table: Lines<'_, 12, 10> = Lines::paid(division, receipt).expect("memory");
        let crowd: Vec<u64> = (0..1 << 20).filter(|&key: &u64| division.home(key).line == 63).take(1200).collect();
        let (there, absent) = crowd.split_at(1000);
        let mut filled = Filled::default();
        there.iter().for_each(|&key| table.add_alone(division.home(key), &mut filled));
        assert!(table.strays.len() >= 1000 - 12 * (MOST_OFFSET + 1));
        let found = |key: u64, may_add| table.find_or_add(table.ask(division.home(key)), may_add, false);
        assert!(there.iter().all(|&key| found(key, true) == Ok(false)));
        assert!(absent.iter().all(|&key| found(key, false) == Err(NoRoom)));
        let (from, to) = (division, Division::new(24_000, 36).expect("enough low bits"));
        let receipt = table.begin_move(to).expect("memory");
        let mut larger: Lines<'_, 10, 19> = Lines::paid(to, receipt).expect("memory");
        table.drain(&mut larger.adder());
        larger.end_move(from);
        assert!(larger.strays.is_empty());
        let found = |key: u64, may_add, alone| larger.find_or_add(larger.ask(to.home(key)), may_add, alone);
        assert!(there.iter().all(|&key| found(key, false, false) == Ok(false)));
        assert!(absent.iter().all(|&key| found(key, true, key % 2 == 0) == Ok(true)));
        assert!(absent.iter().all(|&key| found(key, true, key % 3 == 0) == Ok(false)));
        drop((table, larger));
        assert_eq!(budget.used_bytes(), 0);
    }
}

/// With `--features loom`: what several threads do, under all schedules.
#[cfg(all(test, feature = "loom"))]
mod schedules {
    use super::super::division::AWAY_BITS;
    use super::*;
    use loom::sync::Arc;
    use loom::sync::atomic::AtomicU32 as Watched;

    impl Unit for Watched {
        fn get(&self, order: Ordering) -> u32 {
            self.load(order)
        }
        fn put(&self, value: u32, order: Ordering) {
            self.store(value, order);
        }
        fn mark(&self, bits: u32, order: Ordering) -> u32 {
            self.fetch_or(bits, order)
        }
        // Loom also tries plain stores as if nobody ever saw them, even what is stored later by the same thread. Then a thread that
        // waits for the lock does so forever, so both ways to change the unit with the lock are one operation here.
        fn join(&self, bits: u32) {
            self.fetch_or(bits, Ordering::Relaxed);
        }
        fn clear(&self, bits: u32, order: Ordering) {
            self.fetch_and(!bits, order);
        }
        fn wait() {
            loom::thread::yield_now();
        }
    }

    /// Two entries of 48 bits: their low halves, the rest of both, the lock.
    const LINE: usize = 4;

    fn line(units: &[Watched], number: usize) -> &[Watched] {
        &units[number * LINE..][..LINE]
    }
    fn matching(line: &[Watched], low: u32) -> u32 {
        (0..2).filter(|&number| line[number].load(Ordering::Acquire) == low).map(|number| 1 << number).sum()
    }
    /// The entry of a key at home in line 0. Keys differ above 32 bits only.
    fn at_home(key: u64) -> Home {
        Home { line: 0, entry: key << 32 | 5 << AWAY_BITS | 1 }
    }

    /// Under schedules of some threads that add these keys, all at home in a line that has so many others already, each key is new to
    /// one thread, and is there once.
    fn under_all_schedules(others: usize, threads: &'static [&'static [u64]]) {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = (threads.len() > 2).then_some(2);
        // Who waits for a lock looks again and again.
        model.max_branches = 20_000;
        model.check(move || {
            let units: Arc<Vec<Watched>> = Arc::new((0..3 * LINE).map(|_| Watched::new(0)).collect());
            let ask = |units: &[Watched], key: u64| {
                let lines = |number| line(units, number);
                let found = Format::<2, 16>::find_or_add(lines(0), lines, matching, at_home(key), true, false);
                found.expect("there are lines enough").expect("it may be added")
            };
            (0..others as u64).for_each(|key| assert!(ask(&units, 100 + key)));
            let (first, rest) = threads.split_first().expect("some threads");
            let asks = move |units: &[Watched], keys: &'static [u64]| {
                keys.iter().map(|&key| (key, ask(units, key))).collect::<Vec<_>>()
            };
            let others: Vec<_> = rest
                .iter()
                .map(|&keys| {
                    let units = units.clone();
                    loom::thread::spawn(move || asks(&units, keys))
                })
                .collect();
            let mut told = asks(&units, first);
            others.into_iter().for_each(|thread| told.extend(thread.join().expect("no panic")));
            for &(key, _) in &told {
                let new = told.iter().filter(|(other, is_new)| *other == key && *is_new);
                assert_eq!(new.count(), 1, "new once");
                assert!(!ask(&units, key), "and there");
            }
        });
    }

    #[test]
    fn one_thread_adds_an_entry_and_the_others_find_it() {
        for others in 0..3 {
            under_all_schedules(others, &[&[1], &[1]]);
        }
        // The last place of a line, and one in the next.
        under_all_schedules(1, &[&[1], &[2, 1]]);
    }
}
