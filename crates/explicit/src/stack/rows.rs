//! A long list of states that is used at its end, or from the beginning on: a stack, or a queue that is filled first.
//!
//! In blocks. Where memory runs short and there is a disk, the blocks that were written first go there, and come back when
//! the end of the list does. Whoever reads the list from the beginning sees one block of those at a time.

use lariat_engine::Shortfall;
use lariat_space::State;
use lariat_store::{Budget, Full};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// About what a block takes.
const BLOCK_BYTES: usize = 1 << 16;

/// With a disk, one part in so many of the memory is for a list, but no less than some blocks.
const MEMORY_SHARE: u64 = 16;
const LEAST_BLOCKS: u64 = 4;

/// A folder for what memory has no room for.
#[derive(Clone, Debug)]
pub struct Spill {
    folder: PathBuf,
}

impl Spill {
    /// The folder. An error if nothing can be written there.
    pub fn new(folder: &Path) -> io::Result<Self> {
        let spill = Self { folder: folder.to_path_buf() };
        spill.file()?.0.write_all(&[0])?;
        Ok(spill)
    }

    /// A new file, which is removed when nobody uses it any more.
    fn file(&self) -> io::Result<(File, TemporaryFile)> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = self.folder.join(format!("lariat-{}-{number}.stack", std::process::id()));
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path)?;
        // Most systems let go of a file's name while it is in use: then nothing stays, however the program ends.
        let name = std::fs::remove_file(&path).is_err().then_some(path);
        Ok((file, TemporaryFile(name)))
    }
}

/// The name of a file that is removed in the end, if it still has one.
#[derive(Debug)]
struct TemporaryFile(Option<PathBuf>);

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        if let Some(path) = &self.0 {
            // If it cannot be removed, nobody can be helped.
            let _ = std::fs::remove_file(path);
        }
    }
}

/// A list of states, each with a word of notes.
pub(crate) struct Rows<'a> {
    budget: &'a Budget,
    spill: Option<&'a Spill>,
    row_words: usize,
    rows_per_block: usize,
    /// With a disk no more than this stays in memory, of which others have better use.
    most_blocks: usize,
    /// From block `out` on, all full but the last ones.
    blocks: Vec<Vec<u64>>,
    /// How many blocks, the first ones, are on the disk.
    out: usize,
    file: Option<(File, TemporaryFile)>,
    /// One of those, for who reads.
    window: Option<(usize, Vec<u64>)>,
    len: usize,
}

impl<'a> Rows<'a> {
    pub(crate) fn new(words_per_state: usize, budget: &'a Budget, spill: Option<&'a Spill>) -> Self {
        let row_words = words_per_state + 1;
        let rows_per_block = (BLOCK_BYTES / (row_words * size_of::<u64>())).max(1);
        let most_blocks = match spill {
            Some(_) => (budget.limit_bytes() / MEMORY_SHARE / BLOCK_BYTES as u64).max(LEAST_BLOCKS) as usize,
            None => usize::MAX,
        };
        let (blocks, out, file, window, len) = (Vec::new(), 0, None, None, 0);
        Self { budget, spill, row_words, rows_per_block, most_blocks, blocks, out, file, window, len }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }
    fn block_words(&self) -> usize {
        self.rows_per_block * self.row_words
    }
    fn block_bytes(&self) -> u64 {
        (self.block_words() * size_of::<u64>() + 2 * size_of::<Vec<u64>>()) as u64
    }

    /// Takes as much memory as it needs at least to go on with a disk, before others take it.
    pub(crate) fn reserve(&mut self) -> Result<(), Shortfall> {
        while self.blocks.len() < 2 {
            let block = self.buy()?;
            self.blocks.push(block);
        }
        Ok(())
    }

    pub(crate) fn push(&mut self, note: u64, state: &State) -> Result<(), Shortfall> {
        let block = self.len / self.rows_per_block;
        if block == self.out + self.blocks.len() {
            self.add_block()?;
        }
        let words = &mut self.blocks[block - self.out];
        words.push(note);
        words.extend_from_slice(state);
        self.len += 1;
        Ok(())
    }

    /// The last row.
    #[inline]
    pub(crate) fn last(&self) -> Option<(u64, &State)> {
        let last = self.len.checked_sub(1)?;
        let words = &self.blocks[last / self.rows_per_block - self.out];
        let row = &words[words.len() - self.row_words..];
        Some((row[0], &row[1..]))
    }
    /// Writes another note with the last row.
    #[inline]
    pub(crate) fn set_last_note(&mut self, note: u64) {
        let last = self.len - 1;
        let words = &mut self.blocks[last / self.rows_per_block - self.out];
        let place = words.len() - self.row_words;
        words[place] = note;
    }

    /// Writes another note with a row. What lies above it is no more than what one state has led to.
    pub(crate) fn set_note(&mut self, number: usize, note: u64) -> Result<(), Shortfall> {
        let block = number / self.rows_per_block;
        let place = number % self.rows_per_block * self.row_words;
        if block >= self.out {
            self.blocks[block - self.out][place] = note;
            return Ok(());
        }
        let offset = (block * self.block_words() + place) as u64 * size_of::<u64>() as u64;
        if self.window.as_ref().is_some_and(|(there, _)| *there == block) {
            self.window = None;
            self.budget.give_back(self.block_bytes());
        }
        let (file, _) = self.file.as_mut().expect("what is on the disk is in a file");
        let written = file.seek(SeekFrom::Start(offset)).and_then(|_| file.write_all(&note.to_le_bytes()));
        written.map_err(|_| Shortfall::Disk)
    }

    pub(crate) fn pop(&mut self) -> Result<(), Shortfall> {
        let last = self.len - 1;
        let block = last / self.rows_per_block - self.out;
        let words = &mut self.blocks[block];
        words.truncate(words.len() - self.row_words);
        self.len = last;
        // An empty block is kept for a while: a stack may go up and down where two of them meet.
        if block + 2 < self.blocks.len() {
            self.blocks.pop();
            self.budget.give_back(self.block_bytes());
        }
        if self.out > 0 && self.len == self.out * self.rows_per_block {
            self.bring_back()?;
        }
        Ok(())
    }

    /// The note and the state of a row. To be asked for in ascending order, if some are on the disk.
    pub(crate) fn row(&mut self, number: usize) -> Result<(u64, &State), Shortfall> {
        let (block, place) = (number / self.rows_per_block, number % self.rows_per_block * self.row_words);
        if block < self.out && self.window.as_ref().is_none_or(|(there, _)| *there != block) {
            let mut words = match self.window.take() {
                Some((_, words)) => words,
                None => self.find_window()?,
            };
            if self.read(block, &mut words).is_err() {
                self.budget.give_back(self.block_bytes());
                return Err(Shortfall::Disk);
            }
            self.window = Some((block, words));
        }
        let words = match &self.window {
            Some((there, words)) if *there == block && block < self.out => words,
            _ => &self.blocks[block - self.out],
        };
        let row = &words[place..place + self.row_words];
        Ok((row[0], &row[1..]))
    }

    pub(crate) fn clear(&mut self) {
        let blocks = self.blocks.len() + usize::from(self.window.take().is_some());
        self.blocks.clear();
        self.budget.give_back(blocks as u64 * self.block_bytes());
        (self.out, self.len) = (0, 0);
    }

    fn buy(&self) -> Result<Vec<u64>, Full> {
        self.budget.take(self.block_bytes())?;
        let mut words = Vec::new();
        if words.try_reserve_exact(self.block_words()).is_err() {
            self.budget.give_back(self.block_bytes());
            return Err(Full { limit_bytes: self.budget.limit_bytes() });
        }
        Ok(words)
    }

    #[inline(never)]
    fn add_block(&mut self) -> Result<(), Shortfall> {
        let block = self.find_memory()?;
        self.blocks.push(block);
        Ok(())
    }

    /// Memory for a block, be it that another goes to the disk.
    fn find_memory(&mut self) -> Result<Vec<u64>, Shortfall> {
        let bought = if self.blocks.len() < self.most_blocks { Some(self.buy()) } else { None };
        match (bought, self.spill) {
            (Some(Ok(block)), _) => Ok(block),
            // The end of the list stays: it is what is used.
            (_, Some(spill)) if self.blocks.len() > 1 => self.send_out(spill).map_err(|_| Shortfall::Disk),
            (Some(Err(full)), _) => Err(full.into()),
            (None, _) => Ok(self.buy()?),
        }
    }

    /// The same for who reads, and does not care whether there is room at the end.
    fn find_window(&mut self) -> Result<Vec<u64>, Shortfall> {
        if self.blocks.len() > 1 && self.blocks.last().is_some_and(Vec::is_empty) {
            return Ok(self.blocks.pop().expect("there are some"));
        }
        self.find_memory()
    }

    /// Writes the first block that is in memory, a full one, to the disk; its memory is free for another.
    fn send_out(&mut self, spill: &Spill) -> io::Result<Vec<u64>> {
        let offset = self.out as u64 * (self.block_words() * size_of::<u64>()) as u64;
        if self.file.is_none() {
            self.file = Some(spill.file()?);
        }
        let (file, _) = self.file.as_mut().expect("it was just made");
        file.seek(SeekFrom::Start(offset))?;
        let mut bytes = [0; 1 << 13];
        for words in self.blocks[0].chunks(bytes.len() / size_of::<u64>()) {
            let bytes = &mut bytes[..size_of_val(words)];
            bytes.chunks_exact_mut(8).zip(words).for_each(|(chunk, word)| chunk.copy_from_slice(&word.to_le_bytes()));
            file.write_all(bytes)?;
        }
        let mut block = self.blocks.remove(0);
        block.clear();
        self.out += 1;
        Ok(block)
    }

    /// Reads the last block that is on the disk into memory again. What is in memory is empty.
    fn bring_back(&mut self) -> Result<(), Shortfall> {
        let mut block = match self.blocks.pop() {
            Some(block) => block,
            None => self.buy()?,
        };
        let read = self.read(self.out - 1, &mut block);
        self.blocks.insert(0, block);
        self.out -= 1;
        if self.window.as_ref().is_some_and(|(there, _)| *there >= self.out) {
            self.window = None;
            self.budget.give_back(self.block_bytes());
        }
        read.map_err(|_| Shortfall::Disk)
    }

    fn read(&mut self, block: usize, words: &mut Vec<u64>) -> io::Result<()> {
        let offset = block as u64 * (self.block_words() * size_of::<u64>()) as u64;
        let mut left = self.block_words();
        let (file, _) = self.file.as_mut().expect("what is on the disk is in a file");
        file.seek(SeekFrom::Start(offset))?;
        words.clear();
        let mut bytes = [0; 1 << 13];
        while left > 0 {
            let some = left.min(bytes.len() / size_of::<u64>());
            let bytes = &mut bytes[..some * size_of::<u64>()];
            file.read_exact(bytes)?;
            words.extend(bytes.chunks_exact(8).map(|chunk| u64::from_le_bytes(chunk.try_into().expect("8 bytes"))));
            left -= some;
        }
        Ok(())
    }
}

impl Drop for Rows<'_> {
    fn drop(&mut self) {
        self.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Up for a while, then down, beside a vector.
    fn walk(rows: &mut Rows<'_>, steps: u64) {
        let mut twin: Vec<(u64, [u64; 3])> = Vec::new();
        let mut random = 1_u64;
        for number in 0..steps {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            if random >> 60 < if number < steps / 2 { 11 } else { 5 } {
                rows.push(number, &[number, random, 0]).unwrap();
                twin.push((number, [number, random, 0]));
            } else if twin.pop().is_some() {
                rows.pop().unwrap();
            }
            if random >> 40 & 7 == 0
                && let Some(last) = twin.last_mut()
            {
                last.0 += 1;
                rows.set_last_note(last.0);
            }
            // Any row, be it on the disk, and be it the one that was read last.
            if random >> 50 & 63 == 0 && !twin.is_empty() {
                let place = (random >> 20) as usize % twin.len();
                if random >> 56 & 1 == 0 {
                    assert_eq!(rows.row(place).unwrap(), (twin[place].0, &twin[place].1[..]), "row {place}");
                }
                twin[place].0 += 7;
                rows.set_note(place, twin[place].0).unwrap();
            }
            assert_eq!(rows.len(), twin.len());
            assert_eq!(rows.last(), twin.last().map(|(note, state)| (*note, &state[..])));
            if number % 9973 == 0 {
                for (place, (note, state)) in twin.iter().enumerate() {
                    assert_eq!(rows.row(place).unwrap(), (*note, &state[..]), "row {place}");
                }
            }
        }
    }

    #[test]
    fn rows_are_a_vector() {
        let budget = Budget::new(1 << 23);
        let mut rows = Rows::new(3, &budget, None);
        walk(&mut rows, 60_000);
        rows.clear();
        assert_eq!((budget.used_bytes(), rows.len()), (0, 0));
    }

    #[test]
    fn what_memory_has_no_room_for_goes_to_the_disk_and_comes_back() {
        let folder = std::env::temp_dir().join(format!("lariat-rows-{}", std::process::id()));
        assert!(Spill::new(&folder).is_err(), "a missing folder is not made");
        std::fs::create_dir_all(&folder).unwrap();
        let spill = Spill::new(&folder).unwrap();
        // Five blocks.
        let budget = Budget::new(5 * ((BLOCK_BYTES + 64) as u64));
        let mut rows = Rows::new(3, &budget, Some(&spill));
        walk(&mut rows, 60_000);
        drop(rows);
        assert_eq!(budget.used_bytes(), 0);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0, "nothing is left behind");
        std::fs::remove_dir(&folder).unwrap();
    }

    #[test]
    fn without_a_disk_the_budget_is_the_limit() {
        let budget = Budget::new(1 << 18);
        let mut rows = Rows::new(1, &budget, None);
        let mut pushed = 0;
        while rows.push(0, &[pushed]).is_ok() {
            pushed += 1;
        }
        assert!(pushed >= 3 * BLOCK_BYTES as u64 / 16, "{pushed}");
        assert_eq!(rows.last(), Some((0, &[pushed - 1][..])));
    }
}
