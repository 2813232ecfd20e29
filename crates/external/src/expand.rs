//! Expanding a layer: all threads take blocks of it in turn, and collect the successors.

use crate::search::LayeredSearch;
use crate::worker::{At, Worker};
use lariat_runs::error::{DiskError, Halt};
use lariat_runs::run::RunInfo;
use lariat_runs::segment::BlockReader;
use lariat_space::StateSpace;
use lariat_subject::Stop;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// A layer of fewer states than this for each thread is not worth starting threads for; in tests it is.
pub(crate) const FEW_STATES: u64 = if cfg!(debug_assertions) { 8 } else { 1024 };

impl<S: StateSpace> LayeredSearch<'_, S> {
    /// Expands what is left of the last layer.
    pub(crate) fn expand_layer(&mut self) -> Result<(), Halt> {
        self.depth = self.reached.layers.len() - 1;
        let depth = self.depth;
        let layer = self.reached.layers.layer(depth);
        let blocks = layer.end - layer.first;
        self.job.control.counters.depth.store(self.at(depth).depth, Ordering::Relaxed);
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

    /// Goes back to where the last layer was not expanded at all. Failures that were met in it are kept for the report: they are met
    /// again if the search goes on.
    fn forget_layer(&mut self) {
        for worker in &mut self.workers {
            self.reached.visited.discard(worker.sorter.forget());
        }
        self.reached.visited.discard(self.sorted.drain(..).map(|run| run.segment));
        let met = std::mem::replace(&mut self.tally, self.tally_before.tally());
        self.failures_in_part = met.failures.of_kind;
        self.done_blocks = 0;
    }

    /// Expands blocks of the layer until the time comes: how many. On an error also whether all of these blocks were
    /// expanded as a whole.
    fn expand_until(&mut self, layer: &RunInfo, until: Instant) -> Result<u64, (u64, Halt, bool)> {
        let at = self.at(self.depth);
        let horizon = self.job.options.depth_limit == Some(at.depth);
        let folders = &self.directory.folders;
        let mut source = match &self.reached.current {
            Some(states) => LayerSource::Memory(states.chunks(folders.states_per_block(self.words) * self.words)),
            None => {
                self.reached.layers.segment.flush().map_err(|error| (0, error.into(), true))?;
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
                scope.spawn(move || round.work(worker, at, horizon));
            }
            round.work(here, at, horizon);
        });
        let given = round.given.into_inner();
        match round.why.into_inner().unwrap_or_else(PoisonError::into_inner) {
            None => Ok(given),
            Some((halt, is_whole)) => Err((given, halt, is_whole)),
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
    fn work<S: StateSpace>(&self, worker: &mut Worker<'_, S>, at: At, horizon: bool) {
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
            if let Err(halt) = worker.expand(at, horizon) {
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
