//! Rows of words for another worker, each written as its difference from the one before.
//!
//! What a worker sends in a row are successors of one state, or of states beside it, so that few of their words differ. A row is a word
//! with a bit for each word of the row, whether it differs from the same word of the row before it (the first: from zero), and those words
//! that do; of wide rows, a group of 64 words after the other. Reading checks that these are rows, to the last word.

/// Rows that wait to be sent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    words: Vec<u64>,
    /// The last row.
    last: Vec<u64>,
}

/// Words in a group of a row.
const GROUP: usize = u64::BITS as usize;

impl Rows {
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
    }

    /// Words that wait.
    pub(crate) fn len(&self) -> usize {
        self.words.len()
    }
    /// What waits, as it is sent.
    pub(crate) fn take(&mut self) -> Vec<u64> {
        let len = self.words.len();
        std::mem::replace(&mut self.words, Vec::with_capacity(len))
    }
    /// Words that are sent as they are.
    pub(crate) fn extend(&mut self, words: [u64; 2]) {
        self.words.extend(words);
    }
    pub(crate) fn clear(&mut self) {
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
            let (mut rows, mut expected) = (Rows::default(), Vec::new());
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
            assert_eq!(rows.len(), 0);
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
}
