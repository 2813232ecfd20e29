//! Checkpoints of a search, and going on from one.
//!
//! At a checkpoint the search is somewhere in a layer: so many of its blocks are expanded, and their successors are in runs.
//! All that a checkpoint needs is durable before the manifest is, and stays until the next manifest is.

use crate::error::Halt;
use crate::layers::LayersAt;
use crate::open::{BucketKey, Open};
use crate::run::{Index, RunInfo, SortedRun};
use crate::saved::SavedTally;
use crate::search::{LAYERS, LayeredSearch};
use lariat_space::StateSpace;
use serde::{Deserialize, Serialize};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How often a checkpoint is made where nothing else is said.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(10);

/// How far a search is, as a manifest says it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Progress {
    pub(crate) layers: LayersAt,
    /// The layer that was expanded last.
    depth: u64,
    /// How many blocks of the last layer were expanded.
    done_blocks: u64,
    /// Their successors.
    sorted: Vec<RunInfo>,
    /// All layers before the one of this number.
    runs: Vec<RunInfo>,
    recent_from: u64,
    tally: SavedTally,
    /// What was met before the last layer was expanded.
    tally_before: SavedTally,
    states: u64,
    expanded_states: u64,
    scanned_states: u64,
    /// Of a directed search: the bucket that each layer was, and those that wait.
    buckets: Vec<BucketKey>,
    open: Vec<(BucketKey, Vec<RunInfo>)>,
    pub(crate) names: u64,
    read_bytes: u64,
    written_bytes: u64,
}

impl Progress {
    /// The segments that it needs.
    pub(crate) fn segments(&self) -> Vec<&str> {
        let open = self.open.iter().flat_map(|(_, runs)| runs);
        let runs = self.sorted.iter().chain(&self.runs).chain(open).map(|run| run.segment.as_str());
        [LAYERS, "layers-marks"].into_iter().chain(runs).collect()
    }
}

impl<S: StateSpace> LayeredSearch<'_, S> {
    /// Goes back to where a checkpoint was made.
    pub(crate) fn restore(&mut self, progress: Progress) -> Result<(), Halt> {
        let folders = self.directory.folders.clone();
        let control = self.job.control;
        self.tally = progress.tally.tally();
        control.counters.transitions.store(self.tally.transitions, Ordering::Relaxed);
        self.tally_before = progress.tally_before;
        (self.states, self.scanned_states) = (progress.states, progress.scanned_states);
        self.expanded_states = progress.expanded_states;
        self.buckets = progress.buckets;
        (self.depth, self.done_blocks, self.sorted) = (progress.depth, progress.done_blocks, progress.sorted);
        self.moved_before = (progress.read_bytes, progress.written_bytes);
        self.checkpointed_layers = Some(self.layers.len());
        self.layers.ensure_states(self.states)?;
        self.verify(&progress.open)?;
        let (words, index_bytes) = (self.words, self.shares.index_bytes);
        let index = || Index::new(words, &folders, index_bytes);
        for info in progress.runs {
            control.check()?;
            self.visited.runs.push(SortedRun::load(info, &folders, index())?);
        }
        self.open.restore(progress.open);
        self.recent_from = progress.recent_from;
        for number in progress.recent_from..self.layers.len() {
            control.check()?;
            let info = self.layers.layer(number);
            let is_last = number + 1 == self.layers.len();
            if info.states as usize * self.words > self.shares.layer_words {
                let run = SortedRun::load(info, &folders, index())?;
                self.visited.add_run(run)?;
                // Earlier layers that are in memory must be among the runs that the next manifest speaks of.
                self.visited.flush()?;
                self.recent_from = number + 1;
                continue;
            }
            let (mut states, mut block) = (Vec::new(), Vec::new());
            let mut blocks = info.blocks(&folders, self.words);
            while blocks.read(&mut block)?.is_some() {
                states.extend_from_slice(&block);
            }
            if is_last {
                self.current = Some(states);
            } else if self.visited.add(states)? {
                self.recent_from = number + 1;
            }
        }
        Ok(())
    }

    /// Reads what a search that goes on may never come to read, or only much later: so a damaged block is told before any work is
    /// done, wherever it is. Segments are read as a whole: their first blocks may be of runs that were merged and that nobody needs.
    /// Runs of visited states are read as a whole when they are loaded.
    fn verify(&self, open: &[(BucketKey, Vec<RunInfo>)]) -> Result<(), Halt> {
        let (folders, control) = (&self.directory.folders, self.job.control);
        let layers = (0..self.layers.len()).map(|number| (self.layers.layer(number), self.words));
        let sorted = whole(&self.sorted).map(|run| (run, self.record_words));
        let waiting = open.iter().flat_map(|(_, runs)| whole(runs)).map(|run| (run, self.words));
        let mut states = Vec::new();
        for (run, words) in layers.chain(sorted).chain(waiting) {
            let mut blocks = run.blocks(folders, words);
            while blocks.read(&mut states)?.is_some() {
                control.check()?;
            }
        }
        Ok(())
    }

    pub(crate) fn checkpoint_every(&self) -> Duration {
        let disk = self.job.options.disk.as_ref();
        disk.and_then(|disk| disk.checkpoint_ms).map_or(CHECKPOINT_EVERY, Duration::from_millis)
    }
    pub(crate) fn is_checkpoint_due(&self) -> bool {
        self.checkpointed.elapsed() >= self.checkpoint_every()
            || self.job.guide.is_none() && self.directory.has_checkpoint && !self.visited.outdated.is_empty()
    }

    /// Makes a checkpoint from which the search can go on, if there is anything worth one. Should the disk have no room for
    /// it, there is the one before.
    pub(crate) fn pause(&mut self) {
        let has_checkpoint = self.done_blocks == 0 && self.checkpointed_layers == Some(self.layers.len());
        self.directory.folders.reserve.pause();
        if self.layers.len() > 0 && !has_checkpoint {
            let _ = self.spill().and_then(|()| self.checkpoint());
        }
    }

    /// Writes the manifest, and removes what only the one before needed.
    pub(crate) fn checkpoint(&mut self) -> Result<(), Halt> {
        let mut open = std::mem::replace(&mut self.open, Open::new(0));
        let spilled = open.spill(&self.joining("open", self.words));
        self.open = open;
        spilled?;
        let layers = self.layers.sync()?;
        let (read_bytes, written_bytes) = self.moved();
        let progress = Progress {
            layers,
            depth: self.depth,
            done_blocks: self.done_blocks,
            sorted: self.sorted.clone(),
            runs: self.visited.runs.iter().map(|run| run.info.clone()).collect(),
            recent_from: self.recent_from,
            tally: SavedTally::of(&self.tally),
            tally_before: self.tally_before.clone(),
            states: self.states,
            expanded_states: self.expanded_states,
            scanned_states: self.scanned_states,
            buckets: self.buckets.clone(),
            open: self.open.saved(),
            names: self.names.load(Ordering::Relaxed),
            read_bytes,
            written_bytes,
        };
        self.directory.folders.make_durable(&progress.segments())?;
        let is_first = !self.directory.has_checkpoint;
        self.directory.write_manifest(&progress)?;
        if is_first {
            self.job.control.notify(format!("run directory: {}", self.directory.path().display()));
        }
        self.checkpointed = Instant::now();
        self.checkpointed_layers = Some(self.layers.len());
        self.visited.remove_outdated();
        Ok(())
    }
}

/// The segments of these runs, each as one from its first block to the end of its last run. The runs of a segment follow each other.
fn whole(runs: &[RunInfo]) -> impl Iterator<Item = RunInfo> + '_ {
    let is_last = |number: usize| runs.get(number + 1).is_none_or(|next| next.segment != runs[number].segment);
    let last = runs.iter().enumerate().filter(move |(number, _)| is_last(*number));
    last.map(|(_, run)| RunInfo { first: 0, offsets: vec![0; run.offsets.len()], ..run.clone() })
}
