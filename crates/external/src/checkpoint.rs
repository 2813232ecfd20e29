//! Checkpoints of a search, and going on from one.
//!
//! At a checkpoint the search is somewhere in a layer: so many of its blocks are expanded, and their successors are in runs.
//! All that a checkpoint needs is durable before the manifest is, and stays until the next manifest is.

use crate::open::{BucketKey, Open};
use crate::saved::SavedTally;
use crate::search::{LAYERS, LayeredSearch};
use lariat_runs::error::Halt;
use lariat_runs::layers::LayersAt;
use lariat_runs::run::RunInfo;
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
        let control = self.job.control;
        self.tally = progress.tally.tally();
        control.counters.transitions.store(self.tally.transitions, Ordering::Relaxed);
        self.tally_before = progress.tally_before;
        self.scanned_states = progress.scanned_states;
        self.expanded_states = progress.expanded_states;
        self.buckets = progress.buckets;
        (self.depth, self.done_blocks, self.sorted) = (progress.depth, progress.done_blocks, progress.sorted);
        self.moved_before = (progress.read_bytes, progress.written_bytes);
        self.checkpointed_layers = Some(self.reached.layers.len());
        self.reached.layers.ensure_states(progress.states)?;
        self.verify(&progress.open)?;
        self.open.restore(progress.open);
        self.reached.restore(progress.runs, progress.recent_from, progress.states)
    }

    /// Reads what a search that goes on may never come to read, or only much later: so a damaged block is told before any work is
    /// done, wherever it is. Segments are read as a whole: their first blocks may be of runs that were merged and that nobody needs.
    /// Runs of visited states are read as a whole when they are loaded.
    fn verify(&self, open: &[(BucketKey, Vec<RunInfo>)]) -> Result<(), Halt> {
        let (folders, control) = (&self.directory.folders, self.job.control);
        let layers = (0..self.reached.layers.len()).map(|number| (self.reached.layers.layer(number), self.words));
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
            || self.job.guide.is_none() && self.directory.has_checkpoint && !self.reached.visited.outdated.is_empty()
    }

    /// Makes a checkpoint from which the search can go on, if there is anything worth one. Should the disk have no room for
    /// it, there is the one before.
    pub(crate) fn pause(&mut self) {
        let has_checkpoint = self.done_blocks == 0 && self.checkpointed_layers == Some(self.reached.layers.len());
        self.directory.folders.reserve.pause();
        if !self.reached.layers.is_empty() && !has_checkpoint {
            let _ = self.spill().and_then(|()| self.checkpoint());
        }
    }

    /// Writes the manifest, and removes what only the one before needed.
    pub(crate) fn checkpoint(&mut self) -> Result<(), Halt> {
        let mut open = std::mem::replace(&mut self.open, Open::new(0));
        let spilled = open.spill(&self.joining("open", self.words));
        self.open = open;
        spilled?;
        let layers = self.reached.layers.sync()?;
        let (read_bytes, written_bytes) = self.moved();
        let progress = Progress {
            layers,
            depth: self.depth,
            done_blocks: self.done_blocks,
            sorted: self.sorted.clone(),
            runs: self.reached.visited.runs.iter().map(|run| run.info.clone()).collect(),
            recent_from: self.reached.recent_from,
            tally: SavedTally::of(&self.tally),
            tally_before: self.tally_before.clone(),
            states: self.reached.states,
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
        self.checkpointed_layers = Some(self.reached.layers.len());
        self.reached.visited.remove_outdated();
        Ok(())
    }
}

/// The segments of these runs, each as one from its first block to the end of its last run. The runs of a segment follow each other.
fn whole(runs: &[RunInfo]) -> impl Iterator<Item = RunInfo> + '_ {
    let is_last = |number: usize| runs.get(number + 1).is_none_or(|next| next.segment != runs[number].segment);
    let last = runs.iter().enumerate().filter(move |(number, _)| is_last(*number));
    last.map(|(_, run)| RunInfo { first: 0, offsets: vec![0; run.offsets.len()], ..run.clone() })
}
