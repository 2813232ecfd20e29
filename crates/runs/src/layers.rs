//! The layers of a breadth-first search: one segment with all of them in order, and where each begins.
//!
//! A layer is written once, read once when it is expanded, and once more if a run is to be found by going back. It stays until
//! the search is over.

use crate::error::{DiskError, Halt};
use crate::run::RunInfo;
use crate::segment::{BlockReader, Folders, SegmentReader, SegmentWriter};
use lariat_engine::RunControl;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// The layers that were written.
pub struct Layers<'a> {
    folders: Folders,
    control: &'a RunControl,
    name: String,
    words: usize,
    /// Where layers are written.
    pub segment: SegmentWriter,
    marks: SegmentWriter,
    /// Of each layer: how many states it has, its first block, and the offsets of the folders there.
    rows: Vec<u64>,
    written_rows: usize,
    /// The block behind the last layer, and the offsets of the folders there: what follows is no layer yet.
    end: (u64, Vec<u64>),
    taken_bytes: u64,
}

/// How far the files of the layers are filled.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct LayersAt {
    blocks: u64,
    lens: Vec<u64>,
    mark_blocks: u64,
    mark_lens: Vec<u64>,
    layers: u64,
}

impl<'a> Layers<'a> {
    /// None yet.
    pub fn new(folders: &Folders, name: &str, words: usize, control: &'a RunControl) -> Self {
        let stride = 2 + folders.paths.len();
        Self {
            segment: SegmentWriter::new(folders, name, words),
            marks: SegmentWriter::new(folders, &format!("{name}-marks"), stride + 1),
            folders: folders.clone(),
            control,
            name: name.to_owned(),
            words,
            rows: Vec::new(),
            written_rows: 0,
            end: (0, vec![0; folders.paths.len()]),
            taken_bytes: 0,
        }
    }

    /// The layers that a checkpoint has; what was written after it is removed.
    pub fn reopen(
        folders: &Folders,
        name: &str,
        words: usize,
        at: &LayersAt,
        control: &'a RunControl,
    ) -> Result<Self, Halt> {
        let mut layers = Self::new(folders, name, words, control);
        let stride = layers.stride();
        let marks = format!("{name}-marks");
        let reader = SegmentReader::new(folders, &marks, stride + 1);
        let mut blocks = BlockReader::new(reader, 0, at.mark_blocks, vec![0; folders.paths.len()]);
        let mut records = Vec::new();
        while blocks.read(&mut records)?.is_some() {
            for record in records.chunks_exact(stride + 1) {
                // A row may have been written twice, after an error in between.
                match record[0].cmp(&layers.len()) {
                    Ordering::Less => {}
                    Ordering::Equal => layers.push_row(&record[1..])?,
                    Ordering::Greater => return Err(layers.damaged("a layer is missing").into()),
                }
            }
        }
        if layers.len() != at.layers {
            return Err(layers.damaged(&format!("it has {} layers, not {}", layers.len(), at.layers)).into());
        }
        layers.written_rows = layers.len() as usize;
        layers.end = (at.blocks, at.lens.clone());
        layers.segment = SegmentWriter::reopen(folders, name, words, at.blocks, &at.lens)?;
        layers.marks = SegmentWriter::reopen(folders, &marks, stride + 1, at.mark_blocks, &at.mark_lens)?;
        Ok(layers)
    }

    /// An error unless the layers have so many states together.
    pub fn ensure_states(&self, states: u64) -> Result<(), Halt> {
        let found: u64 = self.rows.chunks_exact(self.stride()).map(|row| row[0]).sum();
        if found == states { Ok(()) } else { Err(self.damaged(&format!("{found} states instead of {states}")).into()) }
    }
    fn damaged(&self, why: &str) -> DiskError {
        DiskError::Corrupt {
            path: self.folders.path(&format!("{}-marks", self.name), 0),
            offset: 0,
            why: why.to_owned(),
        }
    }

    fn stride(&self) -> usize {
        2 + self.folders.paths.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
    /// How many there are.
    pub fn len(&self) -> u64 {
        (self.rows.len() / self.stride()) as u64
    }

    fn push_row(&mut self, row: &[u64]) -> Result<(), Halt> {
        if self.rows.len() + row.len() > self.rows.capacity() {
            let more = (self.rows.len() / row.len()).max(16) * row.len();
            self.control.budget.take(8 * more as u64)?;
            self.taken_bytes += 8 * more as u64;
            self.rows.reserve_exact(more);
        }
        self.rows.extend_from_slice(row);
        Ok(())
    }

    /// Adds a layer that was written to the end of the segment.
    pub fn add(&mut self, layer: &RunInfo) -> Result<(), Halt> {
        let row: Vec<u64> = [layer.states, layer.first].into_iter().chain(layer.offsets.iter().copied()).collect();
        self.push_row(&row)?;
        self.end = (self.segment.next(), self.segment.lens());
        Ok(())
    }

    /// The layer that so many steps lead to.
    pub fn layer(&self, depth: u64) -> RunInfo {
        let stride = self.stride();
        let row = &self.rows[depth as usize * stride..][..stride];
        let next = self.rows.get((depth as usize + 1) * stride..);
        // Blocks follow each other without gaps, so the blocks of a layer are known from its number of states.
        let blocks = row[0].div_ceil(self.folders.states_per_block(self.words) as u64);
        let ends = next.filter(|next| !next.is_empty()).map_or(self.end.1.clone(), |next| next[2..stride].to_vec());
        let bytes = ends.iter().sum::<u64>() - row[2..].iter().sum::<u64>();
        RunInfo {
            segment: self.name.clone(),
            first: row[1],
            end: row[1] + blocks,
            offsets: row[2..].to_vec(),
            states: row[0],
            bytes,
        }
    }

    /// Makes everything durable, and says how far the files are filled then.
    pub fn sync(&mut self) -> Result<LayersAt, DiskError> {
        self.segment.sync()?;
        let stride = self.stride();
        let most = self.folders.states_per_block(stride + 1);
        let mut records = Vec::new();
        while self.written_rows < self.rows.len() / stride {
            records.clear();
            for (number, row) in self.rows.chunks_exact(stride).enumerate().skip(self.written_rows).take(most) {
                records.push(number as u64);
                records.extend_from_slice(row);
            }
            self.marks.append(&records)?;
            self.written_rows += records.len() / (stride + 1);
        }
        self.marks.sync()?;
        Ok(LayersAt {
            blocks: self.end.0,
            lens: self.end.1.clone(),
            mark_blocks: self.marks.next(),
            mark_lens: self.marks.lens(),
            layers: self.len(),
        })
    }
}

impl Drop for Layers<'_> {
    fn drop(&mut self) {
        self.control.budget.give_back(self.taken_bytes);
    }
}
