//! How an entry is found in lines of memory, and added: the part that several threads do at once.
//!
//! A bucket is a line, filled from its beginning. A key stands in the first bucket from its home on that was not full when it
//! came, so a search ends at the first empty entry. Entries never change and never leave. One comparison of integers decides
//! whether an entry is a given key: what is written differs for different keys of the same bucket.
//!
//! That of several threads one adds a key and the others find it is checked below under all schedules of a few threads.

use super::code::{MOST_AWAY, Place};
use crate::index::NoRoom;
use crate::memory::line_matches;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

pub(crate) const LINE_BYTES: usize = 64;
pub(crate) const EMPTY: u64 = 0;

/// What can be an entry.
pub(crate) trait Entry: Sized {
    const BITS: u32;
    /// Entries in a bucket.
    const PER_BUCKET: usize = LINE_BYTES / size_of::<Self>();
    fn load(&self) -> u64;
    /// Writes an entry where there was none; what is there instead if somebody else was faster.
    fn fill(&self, entry: u64) -> Result<(), u64>;
    fn set(&mut self, entry: u64);
    /// The bucket with this number in a row of buckets.
    fn bucket(cells: &[Self], number: usize) -> &[Self];
    fn bucket_mut(cells: &mut [Self], number: usize) -> &mut [Self];
    /// The first cell of a bucket with this entry.
    #[inline(always)]
    fn position(bucket: &[Self], entry: u64) -> Option<usize> {
        bucket.iter().position(|cell| cell.load() == entry)
    }
}

impl Entry for AtomicU32 {
    const BITS: u32 = 32;
    #[inline(always)]
    fn bucket(cells: &[Self], number: usize) -> &[Self] {
        &cells.as_chunks::<{ Self::PER_BUCKET }>().0[number]
    }
    #[inline(always)]
    fn bucket_mut(cells: &mut [Self], number: usize) -> &mut [Self] {
        &mut cells.as_chunks_mut::<{ Self::PER_BUCKET }>().0[number]
    }
    #[inline(always)]
    fn load(&self) -> u64 {
        self.load(Ordering::Acquire).into()
    }
    fn fill(&self, entry: u64) -> Result<(), u64> {
        match self.compare_exchange(0, entry as u32, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => Ok(()),
            Err(now) => Err(now.into()),
        }
    }
    fn set(&mut self, entry: u64) {
        *self.get_mut() = entry as u32;
    }
    #[inline(always)]
    fn position(bucket: &[Self], entry: u64) -> Option<usize> {
        let matches = line_matches(bucket.try_into().expect("a bucket is a line"), entry as u32);
        (matches != 0).then(|| matches.trailing_zeros() as usize)
    }
}

impl Entry for AtomicU64 {
    const BITS: u32 = 64;
    #[inline(always)]
    fn bucket(cells: &[Self], number: usize) -> &[Self] {
        &cells.as_chunks::<{ Self::PER_BUCKET }>().0[number]
    }
    #[inline(always)]
    fn bucket_mut(cells: &mut [Self], number: usize) -> &mut [Self] {
        &mut cells.as_chunks_mut::<{ Self::PER_BUCKET }>().0[number]
    }
    #[inline(always)]
    fn load(&self) -> u64 {
        self.load(Ordering::Acquire)
    }
    fn fill(&self, entry: u64) -> Result<(), u64> {
        self.compare_exchange(0, entry, Ordering::AcqRel, Ordering::Acquire).map(|_| ())
    }
    fn set(&mut self, entry: u64) {
        *self.get_mut() = entry;
    }
}

/// Where a key is, and whether it was added just now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Found {
    pub(crate) cell: usize,
    pub(crate) is_new: bool,
}

/// Looks up the key that belongs at the place, and adds it if it is absent and `may_add`; `None` if all buckets that it may
/// stand in are full of others. `bucket` gives a bucket by its number.
#[inline(always)]
pub(crate) fn find_or_add<'t, E: Entry + 't>(
    bucket: impl Fn(usize) -> &'t [E],
    place: Place,
    may_add: bool,
) -> Option<Result<Found, NoRoom>> {
    for away in 0..=MOST_AWAY {
        let wanted = place.entry + away as u64;
        let bucket = bucket(place.bucket + away);
        // Asked before the search: were it asked after, another thread could put the very key into the last cell in
        // between, and this one would pass it and add it to the next bucket, too.
        let has_room = bucket[E::PER_BUCKET - 1].load() == EMPTY;
        let found = |position, is_new| Found { cell: (place.bucket + away) * E::PER_BUCKET + position, is_new };
        if let Some(position) = E::position(bucket, wanted) {
            return Some(Ok(found(position, false)));
        }
        if has_room {
            if !may_add {
                return Some(Err(NoRoom));
            }
            if let Some((position, is_new)) = add(bucket, wanted) {
                return Some(Ok(found(position, is_new)));
            }
        }
    }
    None
}

/// Adds an entry to a bucket, if others have not filled it in the meantime. Where it is, and whether it was this thread
/// that put it there.
#[inline(never)]
fn add<E: Entry>(bucket: &[E], wanted: u64) -> Option<(usize, bool)> {
    // What lies before the first empty cell stays as it is: there it is looked for once more, in case somebody put it there,
    // be it into the last cell.
    let first = E::position(bucket, EMPTY).unwrap_or(E::PER_BUCKET);
    if let Some(position) = E::position(bucket, wanted) {
        return Some((position, false));
    }
    for (position, cell) in bucket.iter().enumerate().skip(first) {
        let mut entry = cell.load();
        if entry == EMPTY {
            match cell.fill(wanted) {
                Ok(()) => return Some((position, true)),
                Err(now) => entry = now,
            }
        }
        if entry == wanted {
            return Some((position, false));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Slab;

    /// Between looking for an entry and adding it, another thread may add the same one, be it as the last of the bucket.
    #[test]
    fn what_somebody_else_has_added_is_found_in_any_cell() {
        let bucket = Slab::<AtomicU32>::new(AtomicU32::PER_BUCKET).expect("memory");
        for entry in 1..=16 {
            assert_eq!(add(&bucket, entry), Some((entry as usize - 1, true)));
            assert!((1..=entry).all(|there| add(&bucket, there) == Some((there as usize - 1, false))), "{entry}");
        }
        assert_eq!(add(&bucket, 17), None);
    }
}

/// With `--features loom`: what several threads do, under all schedules.
#[cfg(all(test, feature = "loom"))]
mod schedules {
    use super::super::code::AWAY_BITS;
    use super::*;
    use loom::sync::Arc;
    use loom::sync::atomic::AtomicU32 as Watched;

    /// An entry that `loom` watches, in buckets of two.
    impl Entry for Watched {
        const BITS: u32 = 32;
        const PER_BUCKET: usize = 2;
        fn bucket(cells: &[Self], number: usize) -> &[Self] {
            &cells[number * 2..][..2]
        }
        fn bucket_mut(cells: &mut [Self], number: usize) -> &mut [Self] {
            &mut cells[number * 2..][..2]
        }
        fn load(&self) -> u64 {
            self.load(Ordering::Acquire).into()
        }
        fn fill(&self, entry: u64) -> Result<(), u64> {
            match self.compare_exchange(0, entry as u32, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => Ok(()),
                Err(now) => Err(now.into()),
            }
        }
        fn set(&mut self, entry: u64) {
            self.with_mut(|now| *now = entry as u32);
        }
    }

    /// The entry of a key at home in bucket 0.
    fn at_home(key: u64) -> Place {
        Place { bucket: 0, entry: key << AWAY_BITS | 1 }
    }

    /// Under every schedule of two threads, and of three those that interrupt them twice: threads add these keys, all at home in one bucket that has so many others already. Each key is new
    /// to one thread, all find it at the same place, and it is there once.
    fn under_all_schedules(others: usize, threads: &'static [&'static [u64]]) {
        let mut model = loom::model::Builder::new();
        // With three threads all schedules are too many.
        model.preemption_bound = (threads.len() > 2).then_some(2);
        model.check(move || {
            let cells: Arc<Vec<Watched>> = Arc::new((0..8).map(|_| Watched::new(0)).collect());
            for key in 0..others as u64 {
                cells[key as usize].store(at_home(100 + key).entry as u32 + key as u32 / 2, Ordering::Relaxed);
            }
            let ask = |cells: Arc<Vec<Watched>>, keys: &'static [u64]| {
                let look = |key: &u64| {
                    let found = find_or_add(|bucket| Watched::bucket(&cells, bucket), at_home(*key), true);
                    (*key, found.expect("there are buckets enough").expect("it may be added"))
                };
                keys.iter().map(look).collect::<Vec<_>>()
            };
            let (first, rest) = threads.split_first().expect("some threads");
            let others: Vec<_> = rest
                .iter()
                .map(|&keys| {
                    let cells = cells.clone();
                    loom::thread::spawn(move || ask(cells, keys))
                })
                .collect();
            let mut told = ask(cells.clone(), first);
            others.into_iter().for_each(|thread| told.extend(thread.join().expect("no panic")));
            for &(key, found) in &told {
                let of_key = || told.iter().filter(|(other, _)| *other == key);
                assert_eq!(of_key().filter(|(_, found)| found.is_new).count(), 1, "new once");
                assert!(of_key().all(|(_, other)| other.cell == found.cell), "at one place");
                let entries = cells.iter().enumerate().filter(|(cell, entry)| {
                    u64::from(entry.load(Ordering::Relaxed)) == at_home(key).entry + *cell as u64 / 2
                });
                assert_eq!(entries.count(), 1, "there once");
            }
        });
    }

    #[test]
    fn one_thread_adds_a_key_and_the_others_find_it() {
        for others in 0..4 {
            under_all_schedules(others, &[&[1], &[1]]);
            under_all_schedules(others, &[&[1, 2], &[2, 1]]);
        }
        under_all_schedules(1, &[&[1], &[1], &[1]]);
        under_all_schedules(1, &[&[1], &[2], &[1]]);
    }
}
