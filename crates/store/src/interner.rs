//! Numbers for words: equal words have equal numbers, and a number gives its word back.

use crate::index::{Index, NoRoom};
use crate::memory::{Receipt, Slab, prefetch};
use crate::{Budget, Full};
use std::sync::atomic::{AtomicU64, Ordering};

const FIRST_WORDS: usize = 64;
/// Numbers that others stand beside shall fit 31 bits together with those.
const MOST_WORDS: u64 = 1 << 30;

/// A dense numbering of words, for any number of threads.
#[derive(Debug)]
pub(crate) struct Interner<'b> {
    index: Index<'b>,
    /// By number. They are few, or the tree is a bad one: to grow is to copy them, and to read one is to look in one place.
    words: Slab<AtomicU64>,
    receipt: Receipt<'b>,
}

impl<'b> Interner<'b> {
    pub(crate) fn new(budget: &'b Budget) -> Result<Self, Full> {
        let mut receipt = Receipt::new(budget);
        let words = receipt.buy(FIRST_WORDS)?;
        Ok(Self { index: Index::new(budget)?, words, receipt })
    }
    /// How many words have numbers.
    pub(crate) fn len(&self) -> u64 {
        self.index.len()
    }
    /// How many words there is room for.
    pub(crate) fn room(&self) -> u64 {
        (self.words.len() as u64).min(self.index.comfortable()).min(MOST_WORDS)
    }
    /// What it takes of memory.
    pub(crate) fn bytes(&self) -> u64 {
        self.index.bytes() + self.receipt.bytes()
    }
    /// The hash will be looked up soon.
    #[inline]
    pub(crate) fn prefetch(&self, hash: u64) {
        self.index.prefetch(hash);
    }
    /// What will probably turn out to be the number of the word with this hash.
    #[inline]
    pub(crate) fn candidate(&self, hash: u64) -> Option<u32> {
        let number = self.index.candidate(hash)?;
        prefetch(&self.words[number as usize]);
        Some(number as u32)
    }
    /// The number of a word with this hash, a new one if it has none.
    #[inline]
    pub(crate) fn number(&self, word: u64, hash: u64) -> Result<u32, NoRoom> {
        let is_word = |number: u64| self.word(number as u32) == word;
        let write = |number: u64| self.words[number as usize].store(word, Ordering::Relaxed);
        self.index.find_or_add(hash, || self.room(), is_word, write).map(|numbered| numbered.number as u32)
    }
    /// The number of a word, a new one if it has none, with more room if that takes it.
    pub(crate) fn number_alone(&mut self, word: u64) -> Result<u32, Full> {
        loop {
            match self.number(word, mix(word)) {
                Ok(number) => return Ok(number),
                Err(NoRoom) => self.grow(self.room())?,
            }
        }
    }
    /// The number of a word, if it has one.
    pub(crate) fn find(&self, word: u64) -> Option<u32> {
        self.index.find(mix(word), |number| self.word(number as u32) == word).map(|number| number as u32)
    }
    /// The word with this number.
    #[inline]
    pub(crate) fn word(&self, number: u32) -> u64 {
        self.words[number as usize].load(Ordering::Relaxed)
    }
    /// Every word becomes another one, by a map that is one to one. Numbers stay what they are.
    pub(crate) fn rewrite(&mut self, change: impl Fn(u64) -> u64) {
        let len = self.len() as usize;
        let words = &mut self.words[..len];
        words.iter_mut().for_each(|word| *word.get_mut() = change(*word.get_mut()));
        self.index.rebuild(|number| mix(words[number as usize].load(Ordering::Relaxed)));
    }
    /// Makes room for more words, unless there is already more than the `room` that somebody found wanting.
    pub(crate) fn grow(&mut self, room: u64) -> Result<(), Full> {
        if self.room() > room {
            return Ok(());
        }
        if self.index.comfortable() <= room {
            self.index.grow()?;
        }
        if self.words.len() as u64 <= room {
            let mut larger: Slab<AtomicU64> = self.receipt.buy(self.words.len() * 2)?;
            for (new, old) in larger.iter_mut().zip(self.words.iter_mut()) {
                *new.get_mut() = *old.get_mut();
            }
            let old = std::mem::replace(&mut self.words, larger);
            self.receipt.subtract(Slab::<AtomicU64>::cost_bytes(old.len()));
        }
        if self.room() > room { Ok(()) } else { Err(self.receipt.full()) }
    }
}

/// A hash: the two halves of a long product, folded. Every bit of the word moves bits of both.
#[inline]
pub(crate) fn mix(word: u64) -> u64 {
    let product = u128::from(word ^ 0x9E37_79B9_7F4A_7C15) * 0xD6E8_FEB8_6659_FD93_u128;
    (product >> 64) as u64 ^ product as u64
}
