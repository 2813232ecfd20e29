//! Numbers for words: equal words have equal numbers, and a number gives its word back.

use crate::arena::Arena;
use crate::index::{Index, NoRoom};
use crate::{Budget, Full};

/// A dense numbering of words, for any number of threads.
#[derive(Debug)]
pub(crate) struct Interner<'b> {
    index: Index<'b>,
    words: Arena<'b>,
}

impl<'b> Interner<'b> {
    pub(crate) fn new(budget: &'b Budget) -> Result<Self, Full> {
        let mut words = Arena::new(1, budget);
        words.grow()?;
        Ok(Self { index: Index::new(budget)?, words })
    }
    /// How many words have numbers.
    pub(crate) fn len(&self) -> u64 {
        self.index.len()
    }
    /// How many words there is room for.
    pub(crate) fn room(&self) -> u64 {
        self.words.capacity().min(self.index.comfortable()).min(u64::from(u32::MAX >> 1))
    }
    /// What it takes of memory.
    pub(crate) fn bytes(&self) -> u64 {
        self.index.bytes() + self.words.bytes()
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
        self.words.prefetch_word(number);
        Some(number as u32)
    }
    /// The number of a word with this hash, a new one if it has none.
    #[inline]
    pub(crate) fn number(&self, word: u64, hash: u64) -> Result<u32, NoRoom> {
        let is_word = |number| self.words.word(number) == word;
        let write = |number| self.words.write(number, &[word]);
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
        self.index.find(mix(word), |number| self.words.word(number) == word).map(|number| number as u32)
    }
    /// The word with this number.
    #[inline]
    pub(crate) fn word(&self, number: u32) -> u64 {
        self.words.word(number.into())
    }
    /// Makes room for more words, unless there is already more than the `room` that somebody found wanting.
    pub(crate) fn grow(&mut self, room: u64) -> Result<(), Full> {
        if self.room() > room {
            return Ok(());
        }
        if self.index.comfortable() <= room {
            self.index.grow()?;
        }
        while self.words.capacity() <= room {
            self.words.grow()?;
        }
        if self.room() > room { Ok(()) } else { Err(self.words.full()) }
    }
}

/// A hash: the two halves of a long product, folded. Every bit of the word moves bits of both.
#[inline]
pub(crate) fn mix(word: u64) -> u64 {
    let product = u128::from(word ^ 0x9E37_79B9_7F4A_7C15) * 0xD6E8_FEB8_6659_FD93_u128;
    (product >> 64) as u64 ^ product as u64
}
