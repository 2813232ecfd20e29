//! Breadth-first search on disk (External BFS of Edelkamp and Jabbar, section 4.1), made dependable.
//!
//! A layer is read in order and expanded by all threads, which collect the successors in sorters. What they collected is
//! merged, without repetitions and without the states of *all* earlier layers (the paper's two do not do for directed graphs,
//! ERRATA D6), into the next layer. A layer is a sorted set: however many threads there are and however small the buffers,
//! it has the same bytes.
//!
//! At a checkpoint the search is somewhere in a layer: so many of its blocks are expanded, and their successors are in runs.
//! All that a checkpoint needs is durable before the manifest is, and stays until the next manifest is.

use crate::chain::chain;
use crate::directory::Directory;
use crate::error::{DiskError, Halt};
use crate::layers::{Layers, LayersAt};
use crate::run::{Index, Run, RunCursor, RunInfo, RunWriter};
use crate::saved::SavedTally;
use crate::segment::{BlockReader, SegmentWriter};
use crate::share::Shares;
use crate::sort::{Same, gallop};
use crate::sorter::Sorter;
use crate::union::{Source, Union};
use crate::visited::Visited;
use crate::worker::{Job, Worker};
use lariat_engine::{FailureKind, Shortfall, Trace};
use lariat_space::{State, StateSpace};
use lariat_store::{Budget, Full, hash_state};
use lariat_subject::{Keep, Sighting, Stop, Tally, trace_along};
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A layer of fewer states than this for each thread is not worth starting threads for; in tests it is.
const FEW_STATES: u64 = if cfg!(debug_assertions) { 8 } else { 1024 };
/// More runs than this are not merged at once.
const MOST_RUNS: usize = 32;
/// How often a checkpoint is made where nothing else is said.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(10);

/// How far a search is, as a manifest says it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Progress {
    layers: LayersAt,
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
    states: u64,
    scanned_states: u64,
    names: u64,
    read_bytes: u64,
    written_bytes: u64,
}

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

/// A search that is going on.
pub(crate) struct Search<'a, S: StateSpace> {
    space: &'a S,
    job: Job<'a>,
    words: usize,
    shares: Shares,
    directory: &'a mut Directory,
    names: &'a AtomicU64,
    layers: Layers<'a>,
    visited: Visited<'a>,
    workers: Vec<Worker<'a, S>>,
    /// The last layer, if it is in memory.
    current: Option<Vec<u64>>,
    /// The number of the layer that is or was expanded last.
    pub(crate) depth: u64,
    done_blocks: u64,
    sorted: Vec<RunInfo>,
    recent_from: u64,
    pub(crate) tally: Tally,
    /// What was met before the last layer was expanded.
    tally_before: SavedTally,
    pub(crate) states: u64,
    scanned_states: u64,
    moved_before: (u64, u64),
    checkpointed: Instant,
    /// The layer of the last checkpoint.
    checkpointed_layers: Option<u64>,
}

impl<'a, S: StateSpace> Search<'a, S> {
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
        let mut workers = Vec::new();
        for _ in 0..shares.threads {
            let sorter = Sorter::new(&folders, words, Same::One, shares.sorter, names, &control.budget)?;
            workers.push(Worker::new(space, job, sorter));
        }
        let visited = Visited::new(&folders, words, shares.recent_words, names, control);
        let layers = match &progress {
            None => Layers::new(&folders, "layers", words, control),
            Some(progress) => Layers::reopen(&folders, "layers", words, &progress.layers, control)?,
        };
        let mut search = Self {
            space,
            job,
            words,
            shares,
            directory,
            names,
            layers,
            visited,
            workers,
            current: None,
            depth: 0,
            done_blocks: 0,
            sorted: Vec::new(),
            recent_from: 0,
            tally: Tally::new(Keep::Least),
            tally_before: SavedTally::default(),
            states: 0,
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

    /// Goes back to where a checkpoint was made.
    fn restore(&mut self, progress: Progress) -> Result<(), Halt> {
        let folders = self.directory.folders.clone();
        let control = self.job.control;
        self.tally = progress.tally.tally();
        control.counters.transitions.store(self.tally.transitions, Ordering::Relaxed);
        self.tally_before = progress.tally;
        (self.states, self.scanned_states) = (progress.states, progress.scanned_states);
        (self.depth, self.done_blocks, self.sorted) = (progress.depth, progress.done_blocks, progress.sorted);
        self.moved_before = (progress.read_bytes, progress.written_bytes);
        self.checkpointed_layers = Some(self.layers.len());
        for info in progress.runs {
            self.visited.runs.push(Run::load(info, &folders, self.words, &control.budget)?);
        }
        self.recent_from = progress.recent_from;
        for number in progress.recent_from..self.layers.len() {
            let info = self.layers.layer(number);
            let is_last = number + 1 == self.layers.len();
            if info.states as usize * self.words > self.shares.layer_words {
                let run = Run::load(info, &folders, self.words, &control.budget)?;
                self.visited.add_run(run)?;
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

    /// What the layers take on disk.
    pub(crate) fn layer_bytes(&self) -> u64 {
        self.layers.segment.bytes()
    }
    /// How many states the paper's algorithm would read and write: each successor once to a run and once from it, each
    /// layer once to the disk and once from it, and for each layer all earlier ones.
    pub(crate) fn bound_states_with(&self, transitions: u64) -> u64 {
        2 * transitions + 2 * self.states + self.scanned_states
    }
    /// Whether the search could be resumed.
    pub(crate) fn has_manifest(&self) -> bool {
        self.directory.has_manifest
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
            Err(Halt::Stop(Stop::Short(Shortfall::Depth { .. }))) => {}
            Err(Halt::Disk(DiskError::Corrupt { .. })) => {}
            Err(_) => self.pause(),
        }
        ended
    }

    fn run_on(&mut self) -> Result<(), Halt> {
        if self.layers.len() == 0 {
            self.workers[0].begin()?;
            self.workers[0].sorter.sort();
            if !self.make_layer()? {
                return self.at_the_end();
            }
        }
        loop {
            // A search that is resumed may have to expand the rest of a layer first.
            if self.has_failed() && self.done_blocks == 0 {
                return Err(Halt::Stop(Stop::Failure));
            }
            self.expand_layer()?;
            if !self.make_layer()? {
                return if self.has_failed() { Err(Halt::Stop(Stop::Failure)) } else { self.at_the_end() };
            }
            if self.is_checkpoint_due() {
                self.checkpoint()?;
            }
        }
    }

    /// Whether a failure was met that ends the search. The layer is finished and its successors are counted, so that the
    /// figures are the same for any number of threads, and in memory.
    fn has_failed(&self) -> bool {
        !self.job.options.keep_going && self.tally.failures.count > 0
    }

    fn at_the_end(&self) -> Result<(), Halt> {
        self.job.options.depth_limit.map_or(Ok(()), |limit| Err(Shortfall::Depth { limit }.into()))
    }

    fn checkpoint_every(&self) -> Duration {
        let disk = self.job.options.disk.as_ref();
        disk.and_then(|disk| disk.checkpoint_ms).map_or(CHECKPOINT_EVERY, Duration::from_millis)
    }
    fn is_checkpoint_due(&self) -> bool {
        self.checkpointed.elapsed() >= self.checkpoint_every()
            || self.directory.has_manifest && !self.visited.outdated.is_empty()
    }

    /// Expands what is left of the last layer.
    fn expand_layer(&mut self) -> Result<(), Halt> {
        self.depth = self.layers.len() - 1;
        let depth = self.depth;
        let layer = self.layers.layer(depth);
        let blocks = layer.end - layer.first;
        self.job.control.counters.depth.store(depth, Ordering::Relaxed);
        while self.done_blocks < blocks {
            let until = Instant::now() + self.checkpoint_every();
            let expanded = self.expand_until(&layer, until);
            for worker in &mut self.workers {
                self.tally.merge(worker.take_tally());
            }
            match expanded {
                Ok(more) => self.done_blocks += more,
                Err((more, Halt::Stop(Stop::Short(shortfall)), true)) => {
                    self.done_blocks += more;
                    return Err(shortfall.into());
                }
                Err((_, halt, _)) => {
                    // Some block was expanded in part: the layer has to be expanded anew.
                    self.forget_layer();
                    return Err(halt);
                }
            }
            if self.done_blocks < blocks {
                self.spill()?;
                self.checkpoint()?;
            }
        }
        Ok(())
    }

    /// Goes back to where the last layer was not expanded at all.
    fn forget_layer(&mut self) {
        for worker in &mut self.workers {
            worker.sorter.clear();
            self.sorted.append(&mut worker.sorter.take_spilled());
        }
        self.visited.outdated.extend(self.sorted.drain(..).map(|run| run.segment));
        self.tally = self.tally_before.tally();
        self.done_blocks = 0;
    }

    /// Expands blocks of the layer until the time comes: how many. On an error also whether all of these blocks were
    /// expanded as a whole.
    fn expand_until(&mut self, layer: &RunInfo, until: Instant) -> Result<u64, (u64, Halt, bool)> {
        let (depth, limit) = (self.depth, self.job.options.depth_limit);
        let horizon = limit == Some(depth);
        let folders = &self.directory.folders;
        let mut source = match &self.current {
            Some(states) => LayerSource::Memory(states.chunks(folders.states_per_block(self.words) * self.words)),
            None => {
                self.layers.segment.flush().map_err(|error| (0, error.into(), true))?;
                LayerSource::Disk(layer.blocks(folders, self.words))
            }
        };
        source.skip(self.done_blocks).map_err(|error| (0, error.into(), true))?;
        let round = Round {
            source: Mutex::new(source),
            control: self.job.control,
            until,
            given: AtomicU64::new(0),
            is_halted: AtomicBool::new(false),
            why: Mutex::new(None),
        };
        let worthwhile = (layer.states / FEW_STATES).max(1).min(self.workers.len() as u64) as usize;
        let (here, rest) = self.workers[..worthwhile].split_first_mut().expect("at least one thread");
        std::thread::scope(|scope| {
            for worker in rest {
                let round = &round;
                scope.spawn(move || round.work(worker, depth, horizon));
            }
            round.work(here, depth, horizon);
        });
        let given = round.given.into_inner();
        match round.why.into_inner().unwrap_or_else(PoisonError::into_inner) {
            None => Ok(given),
            Some((halt, is_whole)) => Err((given, halt, is_whole)),
        }
    }

    /// Puts everything that was collected into runs.
    fn spill(&mut self) -> Result<(), Halt> {
        for worker in &mut self.workers {
            worker.sorter.spill()?;
            self.sorted.append(&mut worker.sorter.take_spilled());
        }
        Ok(())
    }

    /// Merges what was collected into a new layer; false if there is nothing new.
    fn make_layer(&mut self) -> Result<bool, Halt> {
        for worker in &mut self.workers {
            worker.sorter.sort();
            self.sorted.append(&mut worker.sorter.take_spilled());
        }
        while self.sorted.len() > MOST_RUNS {
            self.merge_sorted()?;
        }
        let folders = self.directory.folders.clone();
        let (words, control) = (self.words, self.job.control);
        let on_disk = self.sorted.iter().map(|info| RunCursor::new(info, &folders, words));
        let mut sources = on_disk.map(|cursor| cursor.map(Source::Disk)).collect::<Result<Vec<_>, _>>()?;
        sources.extend(self.workers.iter().map(|worker| Source::memory(worker.sorter.buffered(), words)));
        let mut collected = Union::new(sources);
        let mut lookups = self.visited.lookups(self.current.as_deref().unwrap_or(&[]));
        let index = Index::new(words, &control.budget);
        let mut writer = RunWriter::new(&mut self.layers.segment, words, Some(index));
        // A copy in memory, as long as it is small.
        let mut copy = Some(Vec::new());
        let (mut state, mut digest, mut new, mut met) = (Vec::with_capacity(words), 0_u64, 0_u64, 0_u32);
        while collected.next(&mut state)? {
            met = met.wrapping_add(1);
            if met & 0xfff == 0 {
                control.check()?;
            }
            if lookups.contain(&state)? {
                continue;
            }
            new += 1;
            digest = digest.wrapping_add(hash_state(&state));
            if let Some(states) = &mut copy {
                if states.len() + words <= self.shares.layer_words {
                    states.extend_from_slice(&state);
                } else {
                    copy = None;
                }
            }
            if writer.push(&state)? {
                control.counters.states.store(self.states + new, Ordering::Relaxed);
            }
        }
        let (info, run) = writer.finish()?;
        // From here on the new layer is the last one, whatever happens.
        self.scanned_states += self.states;
        let before = self.layers.len();
        for worker in &mut self.workers {
            worker.sorter.clear();
        }
        self.visited.outdated.extend(self.sorted.drain(..).map(|run| run.segment));
        if new == 0 {
            return Ok(false);
        }
        self.layers.add(&info)?;
        self.states += new;
        control.counters.states.store(self.states, Ordering::Relaxed);
        control.counters.waiting.store(new, Ordering::Relaxed);
        self.tally.digest = self.tally.digest.wrapping_add(digest);
        self.tally_before = SavedTally::of(&self.tally);
        self.done_blocks = 0;
        let old = std::mem::replace(&mut self.current, copy);
        if let Some(old) = old
            && self.visited.add(old)?
        {
            self.recent_from = before;
        }
        if self.current.is_none() {
            self.layers.segment.flush()?;
            self.visited.add_run(run.expect("it has an index"))?;
            self.visited.flush()?;
            self.recent_from = before + 1;
        }
        if !self.directory.has_manifest {
            self.remove_outdated();
        }
        Ok(true)
    }

    /// Makes one run of many.
    fn merge_sorted(&mut self) -> Result<(), Halt> {
        let folders = self.directory.folders.clone();
        let words = self.words;
        let first: Vec<RunInfo> = self.sorted[..MOST_RUNS].to_vec();
        let cursors = first.iter().map(|info| RunCursor::new(info, &folders, words).map(Source::Disk));
        let mut union = Union::new(cursors.collect::<Result<Vec<_>, _>>()?);
        let name = format!("sort-{:06}", self.names.fetch_add(1, Ordering::Relaxed));
        let mut segment = SegmentWriter::new(&folders, &name, words);
        let mut writer = RunWriter::new(&mut segment, words, None);
        let mut state = Vec::with_capacity(words);
        while union.next(&mut state)? {
            if writer.push(&state)? {
                self.job.control.check()?;
            }
        }
        let (info, _) = writer.finish()?;
        segment.sync()?;
        self.sorted.drain(..MOST_RUNS);
        self.sorted.push(info);
        self.visited.outdated.extend(first.into_iter().map(|run| run.segment));
        Ok(())
    }

    /// Makes a checkpoint from which the search can go on, if there is anything worth one. Should the disk have no room for
    /// it, there is the one before.
    pub(crate) fn pause(&mut self) {
        let has_checkpoint = self.done_blocks == 0 && self.checkpointed_layers == Some(self.layers.len());
        if self.layers.len() > 0 && !has_checkpoint {
            let _ = self.spill().and_then(|()| self.checkpoint());
        }
    }

    /// Writes the manifest, and removes what only the one before needed.
    fn checkpoint(&mut self) -> Result<(), Halt> {
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
            states: self.states,
            scanned_states: self.scanned_states,
            names: self.names.load(Ordering::Relaxed),
            read_bytes,
            written_bytes,
        };
        let is_first = !self.directory.has_manifest;
        self.directory.write_manifest(&progress)?;
        if is_first {
            self.job.control.notify(format!("run directory: {}", self.directory.path().display()));
        }
        self.checkpointed = Instant::now();
        self.checkpointed_layers = Some(self.layers.len());
        self.remove_outdated();
        Ok(())
    }

    fn remove_outdated(&mut self) {
        for name in self.visited.outdated.drain(..) {
            // What stays takes room and does no harm.
            let _ = self.directory.folders.remove(&name);
        }
    }

    /// Everything that was seen, where `is_wanted` says so, as one run; what the search itself needs of memory is given back.
    /// It can be paused still.
    pub(crate) fn take_set(&mut self, is_wanted: impl Fn(&State) -> bool) -> Result<Run<'a>, Halt> {
        self.workers.clear();
        self.layers.segment.flush()?;
        let current = self.current.take().unwrap_or_default();
        let set = self.visited.collect(&current, is_wanted)?;
        self.visited.forget();
        Ok(set)
    }
    /// The number of the layer that a state is in.
    pub(crate) fn layer_of(&self, state: &State) -> Result<u64, Halt> {
        let mut block = Vec::new();
        for number in 0..self.layers.len() {
            let mut blocks = self.layers.layer(number).blocks(&self.directory.folders, self.words);
            while blocks.read(&mut block)?.is_some() {
                let place = gallop(&block, self.words, 0, state);
                if block.get(place * self.words..(place + 1) * self.words) == Some(state) {
                    return Ok(number);
                }
                if block[block.len() - self.words..] > *state {
                    break;
                }
            }
        }
        unreachable!("a state that was seen is in a layer")
    }
    /// The states of a shortest run to a state in the layer of this number.
    pub(crate) fn way_to(&self, state: &State, depth: u64) -> Result<Vec<Vec<u64>>, Halt> {
        chain(self.space, &self.layers, &self.directory.folders, state, depth, self.job.control)
    }

    /// A shortest run to a failure. A disk error is told by `trouble`.
    pub(crate) fn trace(
        &mut self,
        sighting: &Sighting,
        trouble: &mut Option<DiskError>,
    ) -> Result<(FailureKind, Trace), Shortfall> {
        let control = self.job.control;
        let states = self.layers.segment.flush().map_err(Halt::from).and_then(|()| {
            chain(self.space, &self.layers, &self.directory.folders, &sighting.state, sighting.depth, control)
        });
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

/// The states of a layer that wait.
enum LayerSource<'s> {
    Memory(std::slice::Chunks<'s, u64>),
    Disk(BlockReader),
}

impl LayerSource<'_> {
    fn skip(&mut self, blocks: u64) -> Result<(), DiskError> {
        let mut states = Vec::new();
        (0..blocks).try_for_each(|_| self.take(&mut states).map(|_| ()))
    }
    /// The next block; false if there is none.
    fn take(&mut self, states: &mut Vec<u64>) -> Result<bool, DiskError> {
        match self {
            Self::Disk(blocks) => Ok(blocks.read(states)?.is_some()),
            Self::Memory(chunks) => {
                let Some(chunk) = chunks.next() else { return Ok(false) };
                states.clear();
                states.extend_from_slice(chunk);
                Ok(true)
            }
        }
    }
}

/// What the threads share while a layer is expanded.
struct Round<'r> {
    source: Mutex<LayerSource<'r>>,
    control: &'r lariat_engine::RunControl,
    until: Instant,
    given: AtomicU64,
    is_halted: AtomicBool,
    /// And whether no block was expanded in part.
    why: Mutex<Option<(Halt, bool)>>,
}

impl Round<'_> {
    fn work<S: StateSpace>(&self, worker: &mut Worker<'_, S>, depth: u64, horizon: bool) {
        let mut is_first = true;
        while !self.is_halted.load(Ordering::Relaxed) && (is_first || Instant::now() < self.until) {
            if let Err(shortfall) = self.control.check() {
                return self.halt(shortfall.into(), true);
            }
            let taken = self.source.lock().unwrap_or_else(PoisonError::into_inner).take(&mut worker.portion);
            match taken {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => return self.halt(error.into(), false),
            }
            self.given.fetch_add(1, Ordering::Relaxed);
            if let Err(halt) = worker.expand(depth, horizon) {
                return self.halt(halt, false);
            }
            is_first = false;
        }
        worker.sorter.sort();
    }

    fn halt(&self, halt: Halt, is_whole: bool) {
        self.is_halted.store(true, Ordering::Relaxed);
        let mut why = self.why.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *why {
            None => *why = Some((halt, is_whole)),
            // The worst counts: a pool that is too small ends everything, a block in part spoils the layer.
            Some((known, whole)) => {
                *whole &= is_whole;
                if matches!(halt, Halt::Stop(Stop::PoolTooSmall)) || matches!(halt, Halt::Disk(_)) {
                    *known = halt;
                }
            }
        }
    }
}
