//! How much several searches missed, measured by comparing what each of them saw.
//!
//! Searches with a lossy memory and other hash functions miss other states: what one saw and another did not is missing from
//! that other one, and how often this is seen tells how many states none of them saw (capture and recapture). To compare
//! all states would take the memory that is short, so only a sample is compared: the states whose hash, which has nothing
//! to do with that of any memory, ends in so many zeros; more zeros whenever the sample grows too large. They are kept as
//! fingerprints of 48 bits beside a bit for each search.
//!
//! If `f1` states were seen by one of `t` searches only and `f2` by two, then at least about `(t-1)/t · f1²/2f2` were seen
//! by none (Chao 1987; for two searches that is Lincoln's and Petersen's estimate). It would be exact if each state were
//! missed independently with the same probability. What hangs on few others is missed by all searches together more often,
//! so the estimate is too low rather than too high; the more searches there are, the less.

use crate::memory::{Receipt, Slab};
use crate::visited::hash_seeded;
use crate::{Budget, Full};
use lariat_space::State;
use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU64, Ordering};

/// The states of a sample, with the searches that saw them.
#[derive(Debug)]
pub struct Sample<'b> {
    _receipt: Receipt<'b>,
    /// A fingerprint in the upper bits and the searches below, zero where there is none. The length is a power of two.
    table: RefCell<Slab<AtomicU64>>,
    len: Cell<usize>,
    /// How many zeros the hash of a state of the sample ends in.
    zeros: Cell<u32>,
    search: Cell<u32>,
}

/// What was learned from a sample.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Recaptured {
    /// Of how many searches.
    pub searches: u32,
    /// How many states of the sample some search saw.
    pub seen: u64,
    /// How many of those the one search saw that is asked about.
    pub seen_by_one: u64,
    /// How many more there are expected to be that none saw.
    pub unseen: f64,
}

impl Recaptured {
    /// The share of all states that the one search is expected to have seen: at most, if states are missed together.
    pub fn coverage(&self) -> f64 {
        if self.seen == 0 { 1.0 } else { self.seen_by_one as f64 / (self.seen as f64 + self.unseen) }
    }

    /// How many states the one search is expected to have missed, if it saw so many.
    pub fn missed(&self, visited: u64) -> f64 {
        visited as f64 * (1.0 / self.coverage().max(f64::EPSILON) - 1.0)
    }
}

/// The hash functions of memories have small seeds.
const SEED: u64 = 0x5a4d_b1e5_5a4d_b1e5;
const SEARCHES: u64 = (1 << Sample::MOST_SEARCHES) - 1;
const MOST_LEN: usize = 1 << 18;

impl<'b> Sample<'b> {
    /// So many searches are compared; further ones are not looked at.
    pub const MOST_SEARCHES: u32 = 16;

    /// An empty sample that takes a small part of what is left of the budget.
    pub fn new(budget: &'b Budget) -> Result<Self, Full> {
        let left_bytes = budget.limit_bytes().saturating_sub(budget.used_bytes());
        let len = (left_bytes as usize / 64 / size_of::<u64>()).clamp(64, MOST_LEN);
        Self::with_len(1 << len.ilog2(), budget)
    }

    /// The same with a table of so many places, a power of two.
    pub fn with_len(len: usize, budget: &'b Budget) -> Result<Self, Full> {
        assert!(len.is_power_of_two(), "{len} places");
        let mut receipt = Receipt::new(budget);
        let table = receipt.buy_sparse(len)?;
        // There is another one for a moment when it gets too full.
        receipt.add(Slab::<AtomicU64>::cost_bytes(len))?;
        let (len, zeros, search) = (Cell::new(0), Cell::new(0), Cell::new(0));
        Ok(Self { _receipt: receipt, table: RefCell::new(table), len, zeros, search })
    }

    /// From now on it is the search of this number that sees states.
    pub fn begin(&self, search: u32) {
        self.search.set(search);
    }

    /// The search saw a state.
    #[inline]
    pub fn see(&self, state: &State) {
        let (upper, lower) = hash_seeded(state, SEED);
        if lower.trailing_zeros() >= self.zeros.get() && self.search.get() < Self::MOST_SEARCHES {
            self.add(upper, lower);
        }
    }

    #[cold]
    fn add(&self, upper: u64, lower: u64) {
        // The fingerprint knows how many zeros there were, which is asked for again when the sample is made smaller.
        let zeros = u64::from(lower.trailing_zeros().min(63));
        let fingerprint = upper >> 22 << 6 | zeros;
        let entry = fingerprint << Self::MOST_SEARCHES | 1 << self.search.get();
        {
            let table = self.table.borrow();
            let place = place_of(&table, entry);
            let before = table[place].load(Ordering::Relaxed);
            if before == 0 && self.len.get() + 1 == table.len() {
                return;
            }
            table[place].store(before | entry, Ordering::Relaxed);
            self.len.set(self.len.get() + usize::from(before == 0));
            if self.len.get() <= table.len() / 4 * 3 {
                return;
            }
        }
        self.thin_out();
    }

    /// Leaves about half of the sample out. If there is no memory for it, the sample stays, and grows until it is full.
    fn thin_out(&self) {
        let mut table = self.table.borrow_mut();
        while self.len.get() > table.len() / 4 * 3
            && let Some(smaller) = Slab::sparse(table.len())
        {
            self.zeros.set(self.zeros.get() + 1);
            self.len.set(0);
            for entry in table.iter().map(|cell| cell.load(Ordering::Relaxed)) {
                if entry != 0 && (entry >> Self::MOST_SEARCHES & 63) as u32 >= self.zeros.get() {
                    let place = place_of(&smaller, entry);
                    smaller[place].store(entry, Ordering::Relaxed);
                    self.len.set(self.len.get() + 1);
                }
            }
            *table = smaller;
        }
    }

    /// What the first `searches` searches tell about one of them, if there are several.
    pub fn recaptured(&self, searches: u32, one: u32) -> Option<Recaptured> {
        let searches = searches.min(Self::MOST_SEARCHES);
        if searches < 2 {
            return None;
        }
        let (mut of, mut by_count) = ([0_u64; Self::MOST_SEARCHES as usize], [0_u64; 3]);
        let mut seen = 0;
        for entry in self.table.borrow().iter().map(|cell| cell.load(Ordering::Relaxed)) {
            let by = entry & ((1 << searches) - 1);
            seen += u64::from(by != 0);
            by_count[by.count_ones().min(2) as usize] += u64::from(by.count_ones() <= 2);
            (0..searches).for_each(|search| of[search as usize] += by >> search & 1);
        }
        let [_, once, twice] = by_count.map(|count| count as f64);
        let share = f64::from(searches - 1) / f64::from(searches);
        // The form without bias, which does not divide by nothing.
        let unseen = share * once * (once - 1.0).max(0.0) / (2.0 * (twice + 1.0));
        // Of one that was not compared the best is believed.
        let seen_by_one = of.get(one as usize).copied().unwrap_or_else(|| of.into_iter().max().unwrap_or(0));
        Some(Recaptured { searches, seen, seen_by_one, unseen })
    }
}

/// Where the entry is, or else where it would be.
fn place_of(table: &Slab<AtomicU64>, entry: u64) -> usize {
    let mut place = (entry >> (u64::BITS - 32)) as usize & (table.len() - 1);
    loop {
        let there = table[place].load(Ordering::Relaxed);
        if there == 0 || (there ^ entry) & !SEARCHES == 0 {
            return place;
        }
        place = (place + 1) & (table.len() - 1);
    }
}
