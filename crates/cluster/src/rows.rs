//! Rows of words for another worker, each written as its difference from the one before.
//!
//! What a worker sends in a row are successors of one state, or of states beside it, so that few of their words differ. A row is a word
//! with a bit for each word of the row, whether it differs from the same word of the row before it (the first: from zero), and those words
//! that do; of wide rows, a group of 64 words after the other. Reading checks that these are rows, to the last word.
//!
//! Rows are sent in parcels, each of which can be read alone: its first row differs from zero.

use std::collections::VecDeque;

/// Rows that wait to be sent.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    /// What is full, in the order in which it is sent.
    full: VecDeque<Vec<u64>>,
    /// So many words, and the end of a row, fill a parcel.
    enough: usize,
    words: Vec<u64>,
    /// The last row.
    last: Vec<u64>,
}

/// Words in a group of a row.
const GROUP: usize = u64::BITS as usize;

impl Rows {
    /// Nothing yet; a parcel has about this many words.
    pub(crate) fn new(parcel_words: usize) -> Self {
        Self { full: VecDeque::new(), enough: parcel_words, words: Vec::new(), last: Vec::new() }
    }

    /// Adds a row, which is a state and some words beside it. All rows that wait together are equally long.
    #[inline]
    pub(crate) fn push(&mut self, state: &[u64], more: &[u64]) {
        let width = state.len() + more.len();
        if self.words.is_empty() {
            self.last.clear();
            self.last.resize(width, 0);
        }
        debug_assert_eq!(self.last.len(), width, "rows that wait together are equally long");
        let (mut place, mut number) = (0, 0);
        for &word in state.iter().chain(more) {
            if number % GROUP == 0 {
                place = self.words.len();
                self.words.push(0);
            }
            if self.last[number] != word {
                self.last[number] = word;
                self.words[place] |= 1 << (number % GROUP);
                self.words.push(word);
            }
            number += 1;
        }
        self.fill();
    }
    /// Adds words that are sent as they are.
    pub(crate) fn extend(&mut self, words: [u64; 2]) {
        self.words.extend(words);
        self.fill();
    }
    #[inline]
    fn fill(&mut self) {
        if self.words.len() >= self.enough {
            let next = Vec::with_capacity(self.words.len());
            self.full.push_back(std::mem::replace(&mut self.words, next));
        }
    }

    /// How many full parcels wait.
    pub(crate) fn len_full(&self) -> usize {
        self.full.len()
    }
    pub(crate) fn is_empty(&self) -> bool {
        self.full.is_empty() && self.words.is_empty()
    }
    /// The next parcel; the last one may not be full.
    pub(crate) fn take(&mut self) -> Vec<u64> {
        self.full.pop_front().unwrap_or_else(|| std::mem::take(&mut self.words))
    }
    pub(crate) fn clear(&mut self) {
        self.full.clear();
        self.words.clear();
    }
}

/// Reads what was sent.
pub(crate) struct RowReader<'w> {
    words: &'w [u64],
    row: Vec<u64>,
}

/// What was sent are no rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NoRows;

impl<'w> RowReader<'w> {
    /// Rows of so many words.
    pub(crate) fn new(words: &'w [u64], width: usize) -> Self {
        Self { words, row: vec![0; width] }
    }

    /// The next row; `None` if there are no more.
    pub(crate) fn next(&mut self) -> Result<Option<&[u64]>, NoRows> {
        if self.words.is_empty() {
            return Ok(None);
        }
        for group in self.row.chunks_mut(GROUP) {
            let (&differing, rest) = self.words.split_first().ok_or(NoRows)?;
            let (new, rest) = rest.split_at_checked(differing.count_ones() as usize).ok_or(NoRows)?;
            if group.len() < GROUP && differing >> group.len() != 0 {
                return Err(NoRows);
            }
            self.words = rest;
            let mut left = differing;
            for &word in new {
                group[left.trailing_zeros() as usize] = word;
                left &= left - 1;
            }
        }
        Ok(Some(&self.row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_as_they_were_written() {
        for width in [1, 2, 7, 64, 65, 130] {
            let mut random = 7_u64;
            let mut state = vec![0; width];
            let (mut rows, mut expected) = (Rows::new(usize::MAX), Vec::new());
            for _ in 0..50 {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                // Now and then a row is repeated.
                if random >> 60 != 0 {
                    state[(random >> 33) as usize % width] = random >> (random % 50);
                }
                let (first, more) = state.split_at(width - width / 3);
                rows.push(first, more);
                expected.push(state.clone());
            }
            let sent = rows.take();
            assert!(rows.is_empty());
            let mut reader = RowReader::new(&sent, width);
            let mut read = Vec::new();
            while let Some(row) = reader.next().expect("they are rows") {
                read.push(row.to_vec());
            }
            assert_eq!(read, expected);
            // Cut off, it is no rows, or fewer.
            for len in 0..sent.len() {
                let (mut reader, mut count) = (RowReader::new(&sent[..len], width), 0);
                while let Ok(Some(_)) = reader.next() {
                    count += 1;
                }
                assert!(count < expected.len());
            }
        }
        assert_eq!(RowReader::new(&[0b100, 1], 2).next(), Err(NoRows), "a word that a row does not have");
    }

    #[test]
    fn parcels_are_read_one_by_one() {
        let mut rows = Rows::new(10);
        let expected: Vec<[u64; 3]> = (0..100).map(|number| [number / 7, 5, number]).collect();
        expected.iter().for_each(|[first, second, third]| rows.push(&[*first, *second], &[*third]));
        assert!(rows.len_full() > 10);
        let mut read = Vec::new();
        while !rows.is_empty() {
            let parcel = rows.take();
            assert!(!parcel.is_empty() && parcel.len() < 14, "{parcel:?}");
            let mut reader = RowReader::new(&parcel, 3);
            while let Some(row) = reader.next().expect("they are rows") {
                read.push(<[u64; 3]>::try_from(row).expect("three words"));
            }
        }
        assert_eq!(read, expected);
    }

    /// Whatever is received: there are rows of the right length, or there are none.
    #[test]
    fn garbage_is_read_to_its_end_or_refused() {
        let mut random = 1_u64;
        let mut next = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            random >> 16
        };
        let (mut whole, mut refused) = (0, 0);
        for _ in 0..20_000 {
            let (width, len) = (1 + next() as usize % 140, next() as usize % 60);
            // Words with few bits are rows more often.
            let few = next() % 3;
            let words: Vec<u64> =
                (0..len).map(|_| if few > 0 { next() & next() & next() & next() } else { next() }).collect();
            let mut reader = RowReader::new(&words, width);
            let mut rows = 0;
            let is_whole = loop {
                match reader.next() {
                    Ok(Some(row)) => assert_eq!(row.len(), width),
                    end => break end == Ok(None),
                }
                rows += 1;
            };
            assert!(rows <= len, "each row has a word at least");
            if is_whole { whole += 1 } else { refused += 1 }
        }
        assert!(whole > 100 && refused > 1000, "{whole} {refused}");
    }
}
