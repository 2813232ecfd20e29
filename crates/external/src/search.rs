//! Breadth-first search on disk (External BFS of Edelkamp and Jabbar, section 4.1), made dependable.
//!
//! A layer is read in order and expanded by all threads, which collect the successors in sorters. What they collected is
//! merged, without repetitions and without the states of *all* earlier layers (the paper's two do not do for directed graphs,
//! ERRATA D6), into the next layer. A layer is a sorted set: however many threads there are and however small the buffers,
//! it has the same bytes.
//!
//! A directed search (External A*, section 4.2) is the same with a guide: what was collected goes to buckets ([`Open`]) by the steps
//! and the estimate of each state, and the next layer is the bucket for which both together are least.

use crate::chain::chain;
use crate::checkpoint::Progress;
use crate::directory::Directory;
use crate::open::{BucketKey, Open};
use crate::saved::SavedTally;
use crate::worker::{At, Job, Worker};
use lariat_engine::{FailureKind, GraphLimit, Shortfall, Trace};
use lariat_runs::error::{DiskError, Halt};
use lariat_runs::reached::Reached;
use lariat_runs::run::{RunInfo, SortedRun};
use lariat_runs::share::Shares;
use lariat_runs::sort::Same;
use lariat_runs::sorter::Sorter;
use lariat_space::{State, StateSpace};
use lariat_store::{Budget, Full};
use lariat_subject::{Keep, Sighting, Stop, Tally, trace_along};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// The segment with all layers.
pub(crate) const LAYERS: &str = "layers";

/// Names for segments, and memory for what has no owner; outlives the search.
pub(crate) struct Ground<'a> {
    names: AtomicU64,
    budget: &'a Budget,
    taken_bytes: u64,
}

impl<'a> Ground<'a> {
    pub(crate) fn names(&self) -> &AtomicU64 {
        &self.names
    }
    pub(crate) fn new(shares: &Shares, progress: Option<&Progress>, budget: &'a Budget) -> Result<Self, Full> {
        budget.take(shares.fixed_bytes)?;
        let names = progress.map_or(0, |progress| progress.names);
        Ok(Self { names: AtomicU64::new(names), budget, taken_bytes: shares.fixed_bytes })
    }
}

impl Drop for Ground<'_> {
    fn drop(&mut self) {
        self.budget.give_back(self.taken_bytes);
    }
}

/// The steps of the run to a failure: the step to a fault counts.
pub(crate) fn steps_to(sighting: &Sighting) -> u64 {
    sighting.depth + u64::from(sighting.kind != FailureKind::InvalidEnd)
}

/// A search that is going on.
pub(crate) struct LayeredSearch<'a, S: StateSpace> {
    pub(crate) space: &'a S,
    pub(crate) job: Job<'a>,
    pub(crate) words: usize,
    /// Words of what is collected: a directed search has the estimate before each state.
    pub(crate) record_words: usize,
    pub(crate) shares: Shares,
    pub(crate) directory: &'a mut Directory,
    pub(crate) names: &'a AtomicU64,
    pub(crate) reached: Reached<'a>,
    pub(crate) workers: Vec<Worker<'a, S>>,
    /// Of a directed search: what waits, and the bucket that each layer was.
    pub(crate) open: Open,
    pub(crate) buckets: Vec<BucketKey>,
    /// The number of the layer that is or was expanded last.
    pub(crate) depth: u64,
    pub(crate) done_blocks: u64,
    pub(crate) sorted: Vec<RunInfo>,
    pub(crate) tally: Tally,
    /// What was met before the last layer was expanded.
    pub(crate) tally_before: SavedTally,
    /// Failures of a layer that was expanded in part and is forgotten: they are there all the same.
    pub(crate) failures_in_part: Vec<Sighting>,
    pub(crate) expanded_states: u64,
    pub(crate) scanned_states: u64,
    pub(crate) moved_before: (u64, u64),
    pub(crate) checkpointed: Instant,
    /// The layer of the last checkpoint.
    pub(crate) checkpointed_layers: Option<u64>,
}

impl<'a, S: StateSpace> LayeredSearch<'a, S> {
    /// A search at its beginning, or where a checkpoint says.
    pub(crate) fn new(
        space: &'a S,
        job: Job<'a>,
        shares: Shares,
        directory: &'a mut Directory,
        ground: &'a Ground<'_>,
        progress: Option<Progress>,
    ) -> Result<Self, Halt> {
        let (words, names, control) = (space.words_per_state(), &ground.names, job.control);
        let folders = directory.folders.clone();
        let record_words = words + usize::from(job.guide.is_some());
        let mut share = shares.sorter;
        if job.guide.is_some() {
            // A state that came by may come by again with fewer steps.
            share.cache_bytes = 0;
        }
        let mut workers = Vec::new();
        for _ in 0..shares.threads {
            let sorter = Sorter::new(&folders, record_words, Same::One, share, names, &control.budget)?;
            workers.push(Worker::new(space, job, sorter));
        }
        let at = progress.as_ref().map(|progress| &progress.layers);
        let reached = Reached::new(&folders, LAYERS, words, &shares, names, control, at)?;
        let mut search = Self {
            space,
            job,
            words,
            record_words,
            open: Open::new(shares.layer_words),
            buckets: Vec::new(),
            shares,
            directory,
            names,
            reached,
            workers,
            depth: 0,
            done_blocks: 0,
            sorted: Vec::new(),
            tally: Tally::new(Keep::Least),
            tally_before: SavedTally::default(),
            failures_in_part: Vec::new(),
            expanded_states: 0,
            scanned_states: 0,
            moved_before: (0, 0),
            checkpointed: Instant::now(),
            checkpointed_layers: None,
        };
        if let Some(progress) = progress {
            search.restore(progress)?;
        }
        Ok(search)
    }

    /// What the layers take on disk.
    pub(crate) fn layer_bytes(&self) -> u64 {
        self.reached.layers.segment.bytes()
    }
    /// How many states the paper's algorithm would read and write: each successor once to a run and once from it, each
    /// layer once to the disk and once from it, and for each layer all earlier ones.
    pub(crate) fn bound_states_with(&self, transitions: u64) -> u64 {
        2 * transitions + 2 * self.reached.states + self.scanned_states
    }
    /// Whether the search could be resumed.
    pub(crate) fn has_manifest(&self) -> bool {
        self.directory.has_manifest()
    }
    /// What was read and written, also before the run was resumed.
    pub(crate) fn moved(&self) -> (u64, u64) {
        let moved = &self.directory.folders.moved;
        let (read, written) = self.moved_before;
        (read + moved.read.load(Ordering::Relaxed), written + moved.written.load(Ordering::Relaxed))
    }

    /// Searches until everything is seen or there is a reason to stop. With such a reason a checkpoint is made, so that the
    /// search can go on from there.
    pub(crate) fn run(&mut self) -> Result<(), Halt> {
        let ended = self.run_on();
        match &ended {
            Ok(()) | Err(Halt::Stop(Stop::Failure | Stop::PoolTooSmall)) => {}
            Err(Halt::Stop(Stop::Short(Shortfall::Depth { .. } | Shortfall::GraphSize { .. }))) => {}
            Err(Halt::Disk(DiskError::Corrupt { .. })) => {}
            Err(_) => self.pause(),
        }
        ended
    }

    fn run_on(&mut self) -> Result<(), Halt> {
        if self.reached.layers.is_empty() {
            self.workers[0].begin()?;
            if !self.next_layer()? {
                return self.at_the_end();
            }
        }
        loop {
            // A search that is resumed may have to expand the rest of a layer first.
            if self.has_failed() && self.done_blocks == 0 {
                return Err(Halt::Stop(Stop::Failure));
            }
            self.expand_layer()?;
            let expanded = self.reached.layers.layer(self.depth).states;
            if !self.next_layer()? {
                self.expanded_states += expanded;
                return if self.has_failures() { Err(Halt::Stop(Stop::Failure)) } else { self.at_the_end() };
            }
            self.expanded_states += expanded;
            if self.job.most_states.is_some_and(|most| self.reached.states > most) {
                let limit = GraphLimit {
                    states: self.reached.states as usize,
                    steps: usize::MAX,
                    ways: u64::MAX,
                    evaluated: None,
                };
                return Err(Shortfall::GraphSize { limit }.into());
            }
            if self.is_checkpoint_due() {
                self.checkpoint()?;
            }
        }
    }

    fn has_failures(&self) -> bool {
        !self.job.options.keep_going && self.tally.failures.count > 0
    }

    /// Whether a failure was met that ends the search: no state that waits can lead to one by fewer steps. The layer is
    /// finished and its successors are counted, so that the figures are the same for any number of threads, and in memory.
    fn has_failed(&self) -> bool {
        let fewest = self.tally.failures.of_kind.iter().map(steps_to).min();
        self.has_failures() && fewest.is_some_and(|fewest| fewest <= self.fewest_steps())
    }

    /// No run to a failure that was not met yet has fewer steps than this: estimates are never too large, and what waits comes after
    /// the last layer in the order of the search.
    pub(crate) fn fewest_steps(&self) -> u64 {
        let At { depth, estimate } = self.at(self.reached.layers.len().saturating_sub(1));
        depth + estimate
    }

    /// Where the states of a layer stand.
    pub(crate) fn at(&self, layer: u64) -> At {
        match self.buckets.get(layer as usize) {
            None => At { depth: layer, estimate: 0 },
            Some(key) => At { depth: key.steps, estimate: key.estimate() },
        }
    }
    /// The most steps that lead to a state that was expanded.
    pub(crate) fn most_steps(&self) -> u64 {
        self.buckets.iter().map(|key| key.steps).max().unwrap_or(self.depth)
    }

    fn at_the_end(&self) -> Result<(), Halt> {
        self.job.options.depth_limit.map_or(Ok(()), |limit| Err(Shortfall::Depth { limit }.into()))
    }

    /// Everything that was seen, where `is_wanted` says so, as one run; what the search itself needs of memory is given back.
    /// It can be paused still.
    pub(crate) fn take_set(&mut self, is_wanted: impl Fn(&State) -> bool) -> Result<SortedRun, Halt> {
        self.workers.clear();
        self.reached.take_set(is_wanted)
    }
    /// The number of the layer that a state is in.
    pub(crate) fn layer_of(&self, state: &State) -> Result<u64, Halt> {
        Ok(self.reached.layer_of(state)?.expect("a state that was seen is in a layer"))
    }
    /// The states of a shortest run to a state in the layer of this number.
    pub(crate) fn way_to(&self, state: &State, depth: u64) -> Result<Vec<Vec<u64>>, Halt> {
        self.chain(state, depth)
    }

    fn chain(&self, state: &State, depth: u64) -> Result<Vec<Vec<u64>>, Halt> {
        let layers_at = |steps: u64| -> Vec<u64> {
            let of_bucket = |number: &u64| self.buckets[*number as usize].steps == steps;
            if self.buckets.is_empty() {
                vec![steps]
            } else {
                (0..self.reached.layers.len()).filter(of_bucket).collect()
            }
        };
        chain(self.space, &self.reached.layers, &self.directory.folders, &layers_at, (state, depth), self.job.control)
    }

    /// A shortest run to a failure. A disk error is told by `trouble`.
    pub(crate) fn trace(
        &mut self,
        sighting: &Sighting,
        trouble: &mut Option<DiskError>,
    ) -> Result<(FailureKind, Trace), Shortfall> {
        let control = self.job.control;
        let flushed = self.reached.layers.segment.flush().map_err(Halt::from);
        let states = flushed.and_then(|()| self.chain(&sighting.state, sighting.depth));
        match states {
            Ok(states) => Ok((sighting.kind, trace_along(self.space, states, sighting, control)?)),
            Err(Halt::Stop(Stop::Short(shortfall))) => Err(shortfall),
            Err(Halt::Stop(stop)) => unreachable!("a way back meets no failure: {stop:?}"),
            Err(Halt::Disk(error)) => {
                *trouble = Some(error);
                Err(Shortfall::Disk)
            }
        }
    }
}
