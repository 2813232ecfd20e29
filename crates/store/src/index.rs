//! Finds the number of an item by its hash: open addressing, lock-free, shared by all that number things.
//!
//! An entry is some bits of the hash (the *tag*) and the number of the item plus one. Where the tag agrees, and only there,
//! the caller compares the items themselves. The tag is the high end of the hash and tells where the search begins, so
//! that entries stand about in the order of their tags: to grow is to copy them in order, and no item is looked at.
//!
//! A thread that finds an empty entry first *claims* room, then marks the entry *busy*, draws a number, writes the item
//! and publishes the entry; others with the same tag wait for that moment. So no number is drawn in vain, numbers are
//! dense, and an entry never becomes empty again.

use crate::memory::{Receipt, Slab, prefetch};
use crate::{Budget, Full};
use std::sync::atomic::{AtomicU64, Ordering};

const NUMBER_BITS: u32 = 34;
const TAG_BITS: u32 = 64 - NUMBER_BITS;
const NUMBER_MASK: u64 = (1 << NUMBER_BITS) - 1;
const EMPTY: u64 = 0;
/// In place of a number plus one: somebody is writing the item.
const BUSY: u64 = NUMBER_MASK;
const FIRST_BITS: u32 = 6;

/// No item can be added before there is more room. Nothing has changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NoRoom;

/// The number of an item, and whether it was given just now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Numbered {
    pub(crate) number: u64,
    pub(crate) is_new: bool,
}

#[derive(Debug)]
pub(crate) struct Index<'b> {
    /// Two to the power of `bits`.
    entries: Slab<AtomicU64>,
    bits: u32,
    /// The index grows, if it may, when it would hold more items than this.
    comfortable: u64,
    /// Items, and room claimed for items that are being added.
    claimed: AtomicU64,
    len: AtomicU64,
    receipt: Receipt<'b>,
}

impl<'b> Index<'b> {
    pub(crate) fn new(budget: &'b Budget) -> Result<Self, Full> {
        let mut receipt = Receipt::new(budget);
        let entries = receipt.buy(1 << FIRST_BITS)?;
        Ok(Self {
            entries,
            bits: FIRST_BITS,
            comfortable: comfortable(FIRST_BITS),
            claimed: AtomicU64::new(0),
            len: AtomicU64::new(0),
            receipt,
        })
    }
    /// The number of items.
    pub(crate) fn len(&self) -> u64 {
        self.len.load(Ordering::Relaxed)
    }
    /// How many items it may hold before it is to grow.
    pub(crate) fn comfortable(&self) -> u64 {
        self.comfortable
    }
    /// What was taken from the budget.
    pub(crate) fn bytes(&self) -> u64 {
        self.receipt.bytes()
    }
    /// The hash will be looked up soon.
    #[inline]
    pub(crate) fn prefetch(&self, hash: u64) {
        prefetch(&self.entries[self.home(hash)]);
    }

    /// The item that a look-up of the hash will probably compare first.
    #[inline]
    pub(crate) fn candidate(&self, hash: u64) -> Option<u64> {
        let mask = self.entries.len() - 1;
        let mut at = self.home(hash);
        loop {
            let entry = self.entries[at].load(Ordering::Acquire);
            if entry == EMPTY || entry & NUMBER_MASK == BUSY {
                return None;
            }
            if (entry ^ hash) >> NUMBER_BITS == 0 {
                return Some((entry & NUMBER_MASK) - 1);
            }
            at = (at + 1) & mask;
        }
    }

    /// Looks up the item with this hash, with no thought of adding it.
    #[inline]
    pub(crate) fn find(&self, hash: u64, is_item: impl Fn(u64) -> bool) -> Option<u64> {
        match self.find_or_add(hash, || 0, is_item, |_| unreachable!("there is no room")) {
            Ok(numbered) => Some(numbered.number),
            Err(NoRoom) => None,
        }
    }

    /// Looks up the item with this hash, and adds it with `write` if it is absent and there are fewer than `room` says.
    /// `is_item` says whether it is the one with this number.
    #[inline]
    pub(crate) fn find_or_add(
        &self,
        hash: u64,
        room: impl Fn() -> u64,
        is_item: impl Fn(u64) -> bool,
        write: impl Fn(u64),
    ) -> Result<Numbered, NoRoom> {
        let mask = self.entries.len() - 1;
        let mut at = self.home(hash);
        let mut entry = self.entries[at].load(Ordering::Acquire);
        loop {
            if entry == EMPTY {
                match self.add(at, hash, room(), &write)? {
                    Ok(number) => return Ok(Numbered { number, is_new: true }),
                    Err(now) => entry = now,
                }
            } else if (entry ^ hash) >> NUMBER_BITS != 0 {
                at = (at + 1) & mask;
                entry = self.entries[at].load(Ordering::Acquire);
            } else if entry & NUMBER_MASK == BUSY {
                std::hint::spin_loop();
                entry = self.entries[at].load(Ordering::Acquire);
            } else {
                let number = (entry & NUMBER_MASK) - 1;
                if is_item(number) {
                    return Ok(Numbered { number, is_new: false });
                }
                at = (at + 1) & mask;
                entry = self.entries[at].load(Ordering::Acquire);
            }
        }
    }

    /// Adds the item at an entry that was empty; what is there instead if somebody else was faster.
    #[inline(never)]
    fn add(&self, at: usize, hash: u64, room: u64, write: &impl Fn(u64)) -> Result<Result<u64, u64>, NoRoom> {
        let one_more = |claimed: u64| (claimed < room).then_some(claimed + 1);
        self.claimed.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).map_err(|_| NoRoom)?;
        let tag = hash & !NUMBER_MASK;
        match self.entries[at].compare_exchange(EMPTY, tag | BUSY, Ordering::Acquire, Ordering::Acquire) {
            Ok(_) => {
                let number = self.len.fetch_add(1, Ordering::Relaxed);
                write(number);
                self.entries[at].store(tag | (number + 1), Ordering::Release);
                Ok(Ok(number))
            }
            Err(now) => {
                self.claimed.fetch_sub(1, Ordering::Relaxed);
                Ok(Err(now))
            }
        }
    }

    /// Makes room for more items. Where the budget does not allow for that, for some more in a crowd.
    pub(crate) fn grow(&mut self) -> Result<(), Full> {
        let before = self.receipt.bytes();
        let mut larger: Slab<AtomicU64> = match self.receipt.buy(self.entries.len() * 2) {
            Ok(larger) => larger,
            // A crowded index is slow, but exact.
            Err(full) if self.comfortable >= crowded(self.bits) => return Err(full),
            Err(_) => {
                self.comfortable = crowded(self.bits);
                return Ok(());
            }
        };
        self.bits += 1;
        self.comfortable = comfortable(self.bits);
        let mask = larger.len() - 1;
        for entry in self.entries.iter_mut().map(|entry| *entry.get_mut()).filter(|&entry| entry != EMPTY) {
            let mut at = home(entry, self.bits);
            while *larger[at].get_mut() != EMPTY {
                at = (at + 1) & mask;
            }
            *larger[at].get_mut() = entry;
        }
        self.entries = larger;
        self.receipt.subtract(before);
        Ok(())
    }

    /// The hashes of all items have changed: they are these now, by number.
    pub(crate) fn rebuild(&mut self, hash: impl Fn(u64) -> u64) {
        let (bits, mask) = (self.bits, self.entries.len() - 1);
        self.entries.iter_mut().for_each(|entry| *entry.get_mut() = EMPTY);
        for number in 0..*self.len.get_mut() {
            let hash = hash(number);
            let mut at = home(hash, bits);
            while *self.entries[at].get_mut() != EMPTY {
                at = (at + 1) & mask;
            }
            *self.entries[at].get_mut() = hash & !NUMBER_MASK | (number + 1);
        }
    }

    #[inline]
    fn home(&self, hash: u64) -> usize {
        home(hash, self.bits)
    }
}

/// Where the search begins in an index of `1 << bits` entries: what the tag tells, and no more.
#[inline]
fn home(hash: u64, bits: u32) -> usize {
    ((hash & !NUMBER_MASK) >> (64 - bits)) as usize
}

fn comfortable(bits: u32) -> u64 {
    let entries = 1 << bits;
    (entries - entries / 4_u64).min(NUMBER_MASK - 1)
}

/// Full enough that no more items are let in.
fn crowded(bits: u32) -> u64 {
    let entries = 1 << bits;
    (entries - entries / 16_u64).min(NUMBER_MASK - 1)
}

const _: () = assert!(TAG_BITS >= FIRST_BITS, "the tag tells where a search begins");
