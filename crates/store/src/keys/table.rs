//! A hash table of keys: buckets of one line of memory each.
//!
//! How an entry is found and added is told in [`line`](super::line). Entries never change and never leave, but for
//! [`Table::move_to`], for which the table is borrowed alone.
//!
//! A table may keep a note [beside](super::cell_notes) each cell, in memory of its own, so that a bucket is a line all the same.

use super::cell_notes::CellNotes;
use super::code::{Code, MOST_AWAY, Mapped, Place, away};
use super::line::{EMPTY, Entry, Found, LINE_BYTES, find_or_add};
use crate::bits::{BitWork, do_work};
use crate::index::NoRoom;
use crate::memory::{Cell, LARGE_PAGE_BYTES, Receipt, Slab, prefetch};
use crate::{Budget, Full};
use std::sync::atomic::{AtomicU32, Ordering};

/// Buckets in a slab. Few in tests, that tables of several slabs may be small.
const SLAB_BUCKETS: usize = if cfg!(test) { 32 } else { LARGE_PAGE_BYTES / LINE_BYTES };

#[derive(Debug)]
pub(crate) struct Table<'b, E: Entry + Cell> {
    pub(crate) code: Code,
    /// All of `SLAB_BUCKETS` buckets but the last.
    slabs: Vec<Slab<E>>,
    /// Keys that another table had no place for near enough to home: none, unless the dice fall very strangely.
    strays: Vec<Mapped>,
    /// Of all cells, and of the strays after them.
    notes: CellNotes,
    stray_notes: Vec<AtomicU32>,
    receipt: Receipt<'b>,
}

impl<'b, E: Entry + Cell> Table<'b, E> {
    /// An empty table with notes of so many bytes.
    pub(crate) fn new(code: Code, note_bytes: usize, budget: &'b Budget) -> Result<Self, Full> {
        let mut receipt = Receipt::new(budget);
        receipt.add(cost_bytes::<E>(code, note_bytes))?;
        Self::paid(code, note_bytes, receipt).map_err(|receipt| receipt.full())
    }
    /// An empty table that was paid for; the receipt if there is no memory for it.
    fn paid(code: Code, note_bytes: usize, receipt: Receipt<'b>) -> Result<Self, Receipt<'b>> {
        match new_slabs(code).zip(CellNotes::new(all_cells::<E>(code), note_bytes)) {
            Some((slabs, notes)) => {
                Ok(Self { code, slabs, strays: Vec::new(), notes, stray_notes: Vec::new(), receipt })
            }
            None => Err(receipt),
        }
    }
    /// How many entries there are, full and empty.
    pub(crate) fn capacity(&self) -> u64 {
        (self.code.buckets() * E::PER_BUCKET) as u64
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
    pub(crate) fn prefetch(&self, place: Place) {
        prefetch(&self.bucket(place.bucket)[0]);
    }

    /// The notes where the place is will be needed soon.
    #[inline(always)]
    pub(crate) fn prefetch_notes(&self, place: Place) {
        self.notes.prefetch(place.bucket * E::PER_BUCKET, E::PER_BUCKET);
    }
    /// How many bytes a note has; 0 if there are none.
    #[inline]
    pub(crate) fn note_bytes(&self) -> usize {
        self.notes.note_bytes()
    }
    /// Makes room for notes of so many bytes where there was none.
    pub(crate) fn begin_notes(&mut self, note_bytes: usize) -> Result<(), Full> {
        let cells = all_cells::<E>(self.code);
        let cost_bytes = CellNotes::cost_bytes(cells, note_bytes);
        self.receipt.add(cost_bytes)?;
        match CellNotes::new(cells, note_bytes) {
            Some(notes) => self.notes = notes,
            None => {
                self.receipt.subtract(cost_bytes);
                return Err(self.receipt.full());
            }
        }
        Ok(())
    }
    /// The note of the key that is in this cell.
    #[inline(always)]
    pub(crate) fn note(&self, cell: usize) -> u32 {
        match cell.checked_sub(all_cells::<E>(self.code)) {
            None => self.notes.get(cell),
            Some(stray) => self.stray_notes[stray].load(Ordering::Relaxed),
        }
    }
    #[inline]
    pub(crate) fn set_note(&self, cell: usize, note: u32) {
        match cell.checked_sub(all_cells::<E>(self.code)) {
            None => self.notes.set(cell, note),
            Some(stray) => self.stray_notes[stray].store(note, Ordering::Relaxed),
        }
    }

    /// Looks up the key that belongs at the place, and adds it if it is absent and `may_add`.
    #[inline(always)]
    pub(crate) fn find_or_add(&self, place: Place, may_add: bool) -> Result<Found, NoRoom> {
        if let Some(found) = find_or_add(|bucket| self.bucket(bucket), place, may_add) {
            return found;
        }
        let key = self.code.mapped(place.bucket, place.entry);
        match self.strays.iter().position(|&stray| stray == key) {
            Some(stray) => Ok(Found { cell: all_cells::<E>(self.code) + stray, is_new: false }),
            None => Err(NoRoom),
        }
    }

    /// The same keys under another code with as many low bits and at least as many entries, and their notes in so many bytes
    /// each. At no time is there much more memory in use than the larger of the two tables takes.
    pub(crate) fn move_to<F: Entry + Cell>(&mut self, code: Code, note_bytes: usize) -> Result<Table<'b, F>, Full> {
        let (old_bytes, new_bytes) = (cost_bytes::<E>(self.code, self.note_bytes()), cost_bytes::<F>(code, note_bytes));
        // Buckets keep their order: when the first so many slabs of this table are emptied and freed, only about as great
        // a share of the other has been touched. What is not touched is not there.
        let slabs_bytes = slab_bytes::<E>(self.code, self.note_bytes()) + slab_bytes::<F>(code, note_bytes);
        let peak_bytes = old_bytes.max(new_bytes) + slabs_bytes;
        self.receipt.add(peak_bytes - old_bytes)?;
        let nothing = Receipt::new(self.receipt.budget());
        let receipt = std::mem::replace(&mut self.receipt, nothing);
        let mut larger = match Table::paid(code, note_bytes, receipt) {
            Ok(larger) => larger,
            Err(receipt) => {
                self.receipt = receipt;
                self.receipt.subtract(peak_bytes - old_bytes);
                return Err(self.receipt.full());
            }
        };
        if note_bytes > 0 {
            do_work(Moving::<_, _, true> { from: self, to: &mut larger });
        } else {
            do_work(Moving::<_, _, false> { from: self, to: &mut larger });
        }
        let mut filled = Filled::default();
        for (key, note) in self.strays.drain(..).zip(self.stray_notes.drain(..)) {
            larger.add_alone::<true>(code.place_of(key), note.into_inner(), &mut filled);
        }
        self.notes = CellNotes::default();
        larger.receipt.subtract(peak_bytes - new_bytes);
        Ok(larger)
    }

    #[inline(always)]
    fn move_entries<F: Entry + Cell, const NOTED: bool>(&mut self, larger: &mut Table<'b, F>) {
        let (places, from) = (larger.code.places(), self.code);
        let (mut bucket, mut filled) = (0, Filled::default());
        for slab in std::mem::take(&mut self.slabs) {
            for cells in slab.chunks_exact(E::PER_BUCKET) {
                let entries = cells.iter().map(Entry::load).take_while(|&entry| entry != EMPTY);
                // Most entries are at home: one division for all of these.
                let group = from.group(bucket);
                for (cell, entry) in (bucket * E::PER_BUCKET..).zip(entries) {
                    let note = if NOTED { self.notes.get(cell) } else { 0 };
                    let key = match away(entry) {
                        0 => from.mapped_in(group, entry),
                        _ => from.mapped(bucket, entry),
                    };
                    larger.add_alone::<NOTED>(places.of_mapped(key), note, &mut filled);
                }
                bucket += 1;
            }
            self.notes.free_before(bucket * E::PER_BUCKET);
        }
    }

    /// Adds a key that is not there.
    #[inline(always)]
    fn add_alone<const NOTED: bool>(&mut self, place: Place, note: u32, filled: &mut Filled) {
        if !self.add_to::<NOTED>(place.bucket, place.entry, note, filled) {
            self.add_away::<NOTED>(place, note, filled);
        }
    }
    /// The same for a key whose home is full.
    #[inline(never)]
    fn add_away<const NOTED: bool>(&mut self, place: Place, note: u32, filled: &mut Filled) {
        let fits = |away: usize| self.add_to::<NOTED>(place.bucket + away, place.entry + away as u64, note, filled);
        if !(1..=MOST_AWAY).any(fits) {
            self.strays.push(self.code.mapped(place.bucket, place.entry));
            self.stray_notes.push(AtomicU32::new(note));
        }
    }
    /// Writes an entry into a bucket, unless that is full.
    #[inline(always)]
    fn add_to<const NOTED: bool>(&mut self, number: usize, entry: u64, note: u32, filled: &mut Filled) -> bool {
        let bucket = self.bucket_mut(number);
        let first = filled.cells(number, || E::position(bucket, EMPTY).unwrap_or(E::PER_BUCKET));
        let Some(cell) = bucket.get_mut(*first) else { return false };
        cell.set(entry);
        if NOTED && note != 0 {
            self.notes.set(number * E::PER_BUCKET + *first, note);
        }
        *first += 1;
        true
    }

    #[inline(always)]
    fn bucket_mut(&mut self, bucket: usize) -> &mut [E] {
        E::bucket_mut(&mut self.slabs[bucket / SLAB_BUCKETS], bucket % SLAB_BUCKETS)
    }
    #[inline(always)]
    fn bucket(&self, bucket: usize) -> &[E] {
        E::bucket(&self.slabs[bucket / SLAB_BUCKETS], bucket % SLAB_BUCKETS)
    }
}

/// Moves the entries of a table to a larger one.
struct Moving<'a, 'b, E: Entry + Cell, F: Entry + Cell, const NOTED: bool> {
    from: &'a mut Table<'b, E>,
    to: &'a mut Table<'b, F>,
}

impl<E: Entry + Cell, F: Entry + Cell, const NOTED: bool> BitWork for Moving<'_, '_, E, F, NOTED> {
    type Output = ();

    #[inline(always)]
    fn run(self, _: impl Fn(u64, u64) -> u64, _: impl Fn(u64, u64) -> u64) {
        self.from.move_entries::<F, NOTED>(self.to);
    }
}

/// How full some buckets are to which entries are being added by one thread. To ask the bucket itself would be to read a
/// line that was written a moment ago, cell by cell, for which the processor waits.
pub(super) struct Filled {
    buckets: [usize; Self::LEN],
    cells: [usize; Self::LEN],
}

impl Filled {
    /// A table that is moved to a larger one fills buckets of that about in order.
    const LEN: usize = 64;

    /// How many cells of a bucket are filled, of which `count` says so if that is not known.
    #[inline]
    pub(super) fn cells(&mut self, bucket: usize, count: impl FnOnce() -> usize) -> &mut usize {
        let at = bucket % Self::LEN;
        if self.buckets[at] != bucket {
            self.buckets[at] = bucket;
            self.cells[at] = count();
        }
        &mut self.cells[at]
    }
}

impl Default for Filled {
    fn default() -> Self {
        Self { buckets: [usize::MAX; Self::LEN], cells: [0; Self::LEN] }
    }
}

/// All buckets, and as many after the last as an entry may stand away from it.
fn all_buckets(code: Code) -> usize {
    code.buckets() + MOST_AWAY
}

fn all_cells<E: Entry>(code: Code) -> usize {
    all_buckets(code) * E::PER_BUCKET
}

fn slab_lens<E: Entry>(code: Code) -> impl Iterator<Item = usize> {
    let buckets = all_buckets(code);
    (0..buckets).step_by(SLAB_BUCKETS).map(move |first| (buckets - first).min(SLAB_BUCKETS) * E::PER_BUCKET)
}

fn new_slabs<E: Entry + Cell>(code: Code) -> Option<Vec<Slab<E>>> {
    slab_lens::<E>(code).map(Slab::new).collect()
}

fn cost_bytes<E: Entry + Cell>(code: Code, note_bytes: usize) -> u64 {
    let notes_bytes = CellNotes::cost_bytes(all_cells::<E>(code), note_bytes);
    slab_lens::<E>(code).map(Slab::<E>::cost_bytes).sum::<u64>() + notes_bytes
}

/// What the largest slabs cost.
fn slab_bytes<E: Entry + Cell>(code: Code, note_bytes: usize) -> u64 {
    let notes_bytes = CellNotes::slab_bytes(all_cells::<E>(code), note_bytes);
    slab_lens::<E>(code).map(Slab::<E>::cost_bytes).max().unwrap_or(0) + notes_bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

    #[test]
    fn strays_are_not_lost() {
        let budget = Budget::new(u64::MAX);
        let code = Code::new(4, 4, 36).unwrap();
        let mut table: Table<'_, AtomicU64> = Table::new(code, 3, &budget).unwrap();
        let crowd: Vec<u64> = (0..1 << 20).filter(|&key| code.place(key).bucket == 63).take(400).collect();
        let (there, absent) = crowd.split_at(300);
        let mut filled = Filled::default();
        there.iter().zip(1..).for_each(|(&key, note)| table.add_alone::<true>(code.place(key), note, &mut filled));
        assert_eq!(table.strays.len(), 300 - 8 * (MOST_AWAY + 1));
        let is_there = |found: Result<Found, NoRoom>| found.is_ok_and(|found| !found.is_new);
        assert!(there.iter().all(|&key| is_there(table.find_or_add(code.place(key), true))));
        assert_eq!(table.find_or_add(code.place(absent[0]), true), Err(NoRoom));
        for (&key, note) in there.iter().zip(1..) {
            let cell = table.find_or_add(code.place(key), false).unwrap().cell;
            assert_eq!(table.note(cell), note);
            table.set_note(cell, 1000 * note);
        }

        let code = Code::new(12, 6, 36).unwrap();
        let larger: Table<'_, AtomicU32> = table.move_to(code, 4).unwrap();
        assert!(larger.strays.is_empty());
        for (&key, note) in there.iter().zip(1..) {
            let found = larger.find_or_add(code.place(key), false).unwrap();
            assert_eq!((found.is_new, larger.note(found.cell)), (false, 1000 * note));
        }
        assert!(absent.iter().all(|&key| larger.find_or_add(code.place(key), true).unwrap().is_new));
        drop((table, larger));
        assert_eq!(budget.used_bytes(), 0);
    }
}
