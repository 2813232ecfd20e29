//! Rows of words already met, for the short while of one call.
//!
//! Rows are kept in the order they came, all of one width, and found again through an open-addressing table. Forgetting
//! costs what was remembered, not what the table could hold.

/// What is known of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Met {
    /// Not met yet. The hash is for [`Seen::insert`].
    Not { hash: u64 },
    /// Met, and still being followed.
    Open,
    /// Met, and done with.
    Closed,
}

/// A set of rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    width: usize,
    words: Vec<u64>,
    rows: Vec<Row>,
    /// Row numbers plus one; 0 is free. The length is a power of two, at least twice the number of rows.
    table: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    hash: u64,
    /// Where in the table.
    slot: u32,
    open: bool,
}

impl Seen {
    /// Forgets all rows; those to come have `width` words.
    pub(crate) fn reset(&mut self, width: usize) {
        for row in &self.rows {
            self.table[row.slot as usize] = 0;
        }
        self.rows.clear();
        self.words.clear();
        self.width = width;
    }
    /// What is known of `row`.
    pub(crate) fn find(&self, row: &[u64]) -> Met {
        let hash = hash(row);
        if self.table.is_empty() {
            return Met::Not { hash };
        }
        let mask = self.table.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            match self.table[slot] {
                0 => return Met::Not { hash },
                number => {
                    let number = number - 1;
                    let known = self.rows[number as usize];
                    if known.hash == hash && self.row(number) == row {
                        return if known.open { Met::Open } else { Met::Closed };
                    }
                }
            }
            slot = (slot + 1) & mask;
        }
    }
    /// Adds a row that is not there, open, and returns its number. `hash` is what [`find`](Self::find) gave.
    pub(crate) fn insert(&mut self, row: &[u64], hash: u64) -> u32 {
        debug_assert_eq!(row.len(), self.width, "all rows have one width");
        if self.table.len() < 2 * (self.rows.len() + 1) {
            self.grow();
        }
        let number = u32::try_from(self.rows.len()).expect("fewer than 2^32 rows fit memory");
        let slot = self.free_slot(hash);
        self.table[slot as usize] = number + 1;
        self.rows.push(Row { hash, slot, open: true });
        self.words.extend_from_slice(row);
        number
    }
    /// The row is done with.
    pub(crate) fn close(&mut self, number: u32) {
        self.rows[number as usize].open = false;
    }
    /// The words of a row.
    pub(crate) fn row(&self, number: u32) -> &[u64] {
        &self.words[number as usize * self.width..][..self.width]
    }

    /// What the set will hold at most when it has as many more rows.
    pub(crate) fn bytes_with(&self, more_rows: usize) -> u64 {
        let slots = if self.table.len() < 2 * (self.rows.len() + more_rows) {
            (2 * (self.rows.len() + more_rows)).next_power_of_two()
        } else {
            self.table.len()
        };
        bytes_with(&self.words, more_rows * self.width)
            + bytes_with(&self.rows, more_rows)
            + (slots * size_of::<u32>()) as u64
    }

    fn free_slot(&self, hash: u64) -> u32 {
        let mask = self.table.len() - 1;
        let mut slot = hash as usize & mask;
        while self.table[slot] != 0 {
            slot = (slot + 1) & mask;
        }
        slot as u32
    }
    fn grow(&mut self) {
        let len = (self.table.len() * 2).max(64);
        self.table.clear();
        self.table.resize(len, 0);
        for number in 0..self.rows.len() {
            let slot = self.free_slot(self.rows[number].hash);
            self.table[slot as usize] = number as u32 + 1;
            self.rows[number].slot = slot;
        }
    }
}

/// What a vector will hold at most when it has as many more items.
pub(crate) fn bytes_with<T>(items: &Vec<T>, more: usize) -> u64 {
    let wanted = items.len() + more;
    let capacity = if wanted <= items.capacity() { items.capacity() } else { wanted.max(2 * items.capacity()) };
    (capacity * size_of::<T>()) as u64
}

/// Never leaves this process. Four lanes, so that no product waits for the one before.
fn hash(row: &[u64]) -> u64 {
    const LANES: usize = 4;
    const MULTIPLIER: u64 = 0xd6e8_feb8_6659_fd93;
    let fold = |lane: u64, word: u64| {
        let product = u128::from(lane ^ word ^ 0x9e37_79b9_7f4a_7c15) * u128::from(MULTIPLIER);
        (product as u64) ^ (product >> 64) as u64 ^ lane.rotate_left(23)
    };
    let mut lanes = [0, 1, 2, 3];
    let (whole, rest) = row.as_chunks::<LANES>();
    for words in whole {
        for (lane, &word) in lanes.iter_mut().zip(words) {
            *lane = fold(*lane, word);
        }
    }
    for (lane, &word) in lanes.iter_mut().zip(rest) {
        *lane = fold(*lane, word);
    }
    let mixed = lanes[1..].iter().fold(lanes[0], |mixed, &lane| fold(mixed, lane));
    mixed ^ mixed >> 32
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn a_row_is_found_again_just_if_it_was_inserted() {
        let mut seen = Seen::default();
        for round in 1..4u64 {
            seen.reset(2);
            let mut model: HashMap<[u64; 2], (u32, bool)> = HashMap::new();
            let mut random = round;
            for _ in 0..3000 {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let row = [random >> 60, random >> 40 & 63];
                match (seen.find(&row), model.get(&row)) {
                    (Met::Not { hash }, None) => {
                        model.insert(row, (seen.insert(&row, hash), true));
                    }
                    (Met::Open, Some(&(number, true))) => {
                        seen.close(number);
                        model.insert(row, (number, false));
                    }
                    (Met::Closed, Some((_, false))) => {}
                    other => panic!("{row:?}: {other:?}"),
                }
            }
            assert!(model.iter().all(|(row, (number, _))| seen.row(*number) == row));
        }
    }
}
