//! Notes beside the cells of a table: a few bytes for each cell, or none at all.

use crate::memory::{LARGE_PAGE_BYTES, Slab, prefetch};
use std::sync::atomic::{AtomicU8, Ordering};

/// Cells whose notes are in one slab. Few in tests, that notes in several slabs may be few.
const SLAB_CELLS: usize = if cfg!(test) { 512 } else { LARGE_PAGE_BYTES };

/// A number for each cell, 0 at first. One thread writes those of a cell, and no other reads them meanwhile.
#[derive(Debug, Default)]
pub(crate) struct CellNotes {
    /// 0 if there are no notes.
    note_bytes: usize,
    /// All of `SLAB_CELLS` cells but the last.
    slabs: Vec<Slab<AtomicU8>>,
}

impl CellNotes {
    /// Notes of so many bytes for so many cells; `None` if there is no memory left.
    pub(crate) fn new(cells: usize, note_bytes: usize) -> Option<Self> {
        Some(Self { note_bytes, slabs: slab_lens(cells, note_bytes).map(Slab::new).collect::<Option<_>>()? })
    }
    /// What notes of so many bytes cost for so many cells.
    pub(crate) fn cost_bytes(cells: usize, note_bytes: usize) -> u64 {
        slab_lens(cells, note_bytes).map(Slab::<AtomicU8>::cost_bytes).sum()
    }
    /// What the largest slab of them costs.
    pub(crate) fn slab_bytes(cells: usize, note_bytes: usize) -> u64 {
        slab_lens(cells, note_bytes).map(Slab::<AtomicU8>::cost_bytes).max().unwrap_or(0)
    }
    /// How many bytes a note has; 0 if there are none.
    pub(crate) fn note_bytes(&self) -> usize {
        self.note_bytes
    }

    #[inline(always)]
    pub(crate) fn get(&self, cell: usize) -> u32 {
        let bytes = self.bytes(cell);
        // The widths by name, so that each is a few instructions and no loop.
        match bytes.len() {
            1 => note_of(&bytes[..1]),
            3 => note_of(&bytes[..3]),
            _ => note_of(bytes),
        }
    }
    #[inline]
    pub(crate) fn set(&self, cell: usize, note: u32) {
        debug_assert!(u64::from(note) >> (8 * self.note_bytes) == 0, "a note of {} bytes", self.note_bytes);
        self.bytes(cell).iter().zip(note.to_le_bytes()).for_each(|(cell, byte)| cell.store(byte, Ordering::Relaxed));
    }
    /// The notes of some of these cells, no more than a line, will be needed soon.
    #[inline]
    pub(crate) fn prefetch(&self, first: usize, cells: usize) {
        prefetch(&self.bytes(first)[0]);
        // Notes of three bytes may lie in two lines.
        prefetch(&self.bytes(first + cells - 1)[0]);
    }
    /// The notes of the cells before this one are of no interest any more.
    pub(crate) fn free_before(&mut self, cell: usize) {
        for slab in self.slabs.iter_mut().take(cell / SLAB_CELLS) {
            if !slab.is_empty()
                && let Some(nothing) = Slab::new(0)
            {
                *slab = nothing;
            }
        }
    }

    #[inline(always)]
    fn bytes(&self, cell: usize) -> &[AtomicU8] {
        &self.slabs[cell / SLAB_CELLS][cell % SLAB_CELLS * self.note_bytes..][..self.note_bytes]
    }
}

#[inline(always)]
fn note_of(bytes: &[AtomicU8]) -> u32 {
    bytes.iter().rev().fold(0, |note, byte| note << 8 | u32::from(byte.load(Ordering::Relaxed)))
}

fn slab_lens(cells: usize, note_bytes: usize) -> impl Iterator<Item = usize> {
    let cells = if note_bytes == 0 { 0 } else { cells };
    (0..cells).step_by(SLAB_CELLS).map(move |first| (cells - first).min(SLAB_CELLS) * note_bytes)
}
