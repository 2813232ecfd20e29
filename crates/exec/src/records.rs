//! What a listing leaves behind: one record for each firing, in order.
//!
//! A record is a fixed number of words, so that native code can write it without calling anybody: the *head*, which tells
//! who does what and how it ends; bits for the traps and the labels whose conditions hold; and the words of the next
//! state. Records are a stack: what is listed for a transient state stands above what is listed for the states below.
//!
//! Guard traps come as records of their own, in between, since they are found in the same pass.

use crate::compile::{ActionCode, Program};
use crate::head::Head;

/// Where the parts of a record are, in words. Parts that a program has no use for take none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RecordShape {
    /// Bit `n` is for the `n`th effect trap of the action; in a record of guard traps, for the `n`th guard trap.
    pub(crate) traps: usize,
    /// Bit `n` is for the `n`th conditional label of the action.
    pub(crate) labels: usize,
    /// The rank, where ranks differ.
    pub(crate) rank: usize,
    /// Where chains are followed while listing, how many hops the firing was followed by.
    pub(crate) hops: usize,
    /// Where runs are told, the values of the choices.
    pub(crate) choices: usize,
    /// The next state.
    pub(crate) state: usize,
    /// The whole record.
    pub(crate) width: usize,
}

impl RecordShape {
    /// The shape for the records of `program`.
    pub(crate) fn of(program: &Program) -> Self {
        let most = |parts: fn(&ActionCode) -> usize| program.actions.iter().map(parts).max().unwrap_or(0).div_ceil(64);
        let traps = 1;
        let labels = traps + most(|action| action.effect_traps.len().max(action.guard_traps.len()));
        let rank = labels + most(|action| action.label_conditions.len());
        let hops = rank + usize::from(program.common_rank.is_none());
        Self { traps, labels, rank, hops, choices: hops, state: hops, width: hops + program.layout.words }
    }
    /// The number of words of a state, or of a key in its place.
    #[inline]
    pub(crate) fn words(&self) -> usize {
        self.width - self.state
    }
    /// Whether chains are followed while listing.
    #[inline]
    pub(crate) fn has_hops(&self) -> bool {
        self.hops != self.choices
    }
    /// Whether records have the values of choices.
    #[inline]
    pub(crate) fn has_choices(&self) -> bool {
        self.choices != self.state
    }
    /// The same with room for the values of choices.
    pub(crate) fn with_choices(self, most: usize) -> Self {
        Self { state: self.state + most, width: self.width + most, ..self }
    }
    /// The same with keys of so many words in place of states.
    #[cfg(feature = "native")]
    pub(crate) fn with_keys(self, words: usize) -> Self {
        Self { width: self.state + words, ..self }
    }
    /// The same with room for hops.
    #[cfg(feature = "native")]
    pub(crate) fn with_hops(self) -> Self {
        Self { choices: self.choices + 1, state: self.state + 1, width: self.width + 1, ..self }
    }
}

/// The longest chain of atomic actions that is followed while listing.
#[cfg(feature = "native")]
pub(crate) const LONGEST_CHAIN: usize = 1024;

/// The stack of records.
#[derive(Clone, Debug)]
pub(crate) struct Records {
    pub(crate) shape: RecordShape,
    /// All of it may be written, but only what is below `end` means something.
    pub(crate) words: Vec<u64>,
    pub(crate) end: usize,
    /// The least rank that was listed since it was last set. Firings of a greater rank need not be listed.
    pub(crate) least: i64,
    /// Whether a guard trap was listed since this was last cleared.
    pub(crate) guard_traps: bool,
    /// Whether who lists may follow chains.
    pub(crate) chains: bool,
    /// Whether one process had several firings that leave it the holder, all others aside.
    pub(crate) rivals: bool,
    /// Whether all records of the last listing are known to be plain steps of one rank. They may be if it does not say so.
    pub(crate) all_plain: bool,
    /// Whether the last listing came to a state that has no key. Then its records mean nothing.
    #[cfg(feature = "native")]
    pub(crate) misfit: bool,
    /// The actions of the chains, for one record after the other. All of it may be written.
    pub(crate) hops: Vec<u32>,
    /// How many hops the last listing had, if that was by machine code.
    pub(crate) hops_end: usize,
}

impl Records {
    pub(crate) fn new(shape: RecordShape) -> Self {
        Self {
            shape,
            words: Vec::new(),
            end: 0,
            least: i64::MAX,
            guard_traps: false,
            chains: false,
            rivals: false,
            all_plain: false,
            #[cfg(feature = "native")]
            misfit: false,
            hops: Vec::new(),
            hops_end: 0,
        }
    }
    /// Before a state is listed: firings of a greater rank than `least` do not matter.
    pub(crate) fn expect(&mut self, least: i64) {
        self.least = least;
        (self.guard_traps, self.chains, self.rivals, self.all_plain) = (false, false, false, false);
    }
    /// How many hops the firing at `at` was followed by while listing.
    #[inline]
    pub(crate) fn hops_after(&self, at: usize) -> usize {
        if self.shape.has_hops() { self.words[at + self.shape.hops] as usize } else { 0 }
    }
    /// Makes room for one more record.
    pub(crate) fn make_room(&mut self) {
        if self.words.len() < self.end + self.shape.width {
            self.grow();
        }
    }
    /// Doubles the room.
    #[cold]
    pub(crate) fn grow(&mut self) {
        let len = (self.words.len() * 2).max(self.end + 16 * self.shape.width);
        self.words.resize(len, 0);
    }
    /// Doubles the room for hops.
    #[cold]
    #[cfg(feature = "native")]
    pub(crate) fn grow_hops(&mut self) {
        self.hops.resize((self.hops.len() * 2).max(4 * LONGEST_CHAIN), 0);
    }
    /// Whether chains of one process that were followed while listing, or one of them and a sequence that was not, may
    /// come to the same transient state. Chains that meet go on together, so their last actions and states are the same.
    #[cold]
    pub(crate) fn chains_may_meet(&self) -> bool {
        let width = self.shape.width;
        let is_sequence = |at: usize| {
            let head = self.head(at);
            self.hops_after(at) > 0 || head.holder().is_some() && !head.has(Head::GUARD | Head::HAS_PEER)
        };
        let mut hops_end = 0;
        for at in (0..self.end).step_by(width) {
            let hops = self.hops_after(at);
            hops_end += hops;
            let mut other_end = hops_end;
            let mut other = at + width;
            while is_sequence(at) && other < self.end && self.head(other).has_actor_of(self.head(at)) {
                let other_hops = self.hops_after(other);
                other_end += other_hops;
                let meet = match (hops, other_hops) {
                    // Both are still to be followed, by one who looks out.
                    (0, 0) => false,
                    (0, _) | (_, 0) => true,
                    _ => self.hops[hops_end - 1] == self.hops[other_end - 1] && self.state(at) == self.state(other),
                };
                if is_sequence(other) && meet {
                    return true;
                }
                other += width;
            }
        }
        false
    }
    /// Takes the record for which room was made last, without hops.
    pub(crate) fn commit(&mut self, head: u64) {
        if self.shape.has_hops() {
            self.words[self.end + self.shape.hops] = 0;
        }
        self.words[self.end] = head;
        self.end += self.shape.width;
    }
    /// The head of the record at `at`.
    pub(crate) fn head(&self, at: usize) -> Head {
        Head(self.words[at])
    }
    /// The values of the first choices of the record at `at`.
    pub(crate) fn choices(&self, at: usize, count: usize) -> impl Iterator<Item = i64> {
        let at = at + self.shape.choices;
        self.words[at..at + count].iter().map(|&value| value as i64)
    }
    /// The next state of the record at `at`.
    #[inline]
    pub(crate) fn state(&self, at: usize) -> &[u64] {
        &self.words[at + self.shape.state..at + self.shape.width]
    }
    /// Whether the firing at `at` is of the rank.
    pub(crate) fn is_of_rank(&self, at: usize, rank: i64) -> bool {
        self.shape.rank == self.shape.hops || self.words[at + self.shape.rank] as i64 == rank
    }
    /// Whether the `number`th trap of the record at `at` holds.
    pub(crate) fn traps(&self, at: usize, number: usize) -> bool {
        self.words[at + self.shape.traps + number / 64] >> (number % 64) & 1 != 0
    }
    /// Whether the `number`th conditional label of the record at `at` holds.
    pub(crate) fn labels(&self, at: usize, number: usize) -> bool {
        self.words[at + self.shape.labels + number / 64] >> (number % 64) & 1 != 0
    }
    /// What the stack will hold at most when it has as many more records.
    pub(crate) fn bytes_with(&self, more: usize) -> u64 {
        let wanted = self.end.saturating_add(more.saturating_mul(self.shape.width));
        let len = if wanted <= self.words.len() { self.words.len() } else { wanted.max(2 * self.words.len()) };
        (len as u64).saturating_mul(size_of::<u64>() as u64) + (self.hops.len() * size_of::<u32>()) as u64
    }
}
