//! Breadth-first search by all workers together, with the layers and the visited states of each on its disk: a level is a round.

use super::ground::Ground;
use super::others::{Broken, Others};
use super::place::{LAYERS, Place};
use crate::search::is_pause;
use crate::share::{Halt as WorkerHalt, Job};
use crate::trouble::Lost;
use crate::words::{Reader, common_stop, push_tally, stop_words, tally};
use lariat_engine::Shortfall;
use lariat_runs::error::{DiskError, Halt};
use lariat_runs::join::Joining;
use lariat_runs::reached::Reached;
use lariat_runs::run::RunInfo;
use lariat_runs::share::Shares;
use lariat_runs::sort::Same;
use lariat_runs::sorter::Sorter;
use lariat_space::StateSpace;
use lariat_subject::{Keep, StepLimits, Stop, Tally};
use std::cell::RefCell;
use std::time::Instant;

/// One worker's part of a search.
pub(crate) struct DiskSearch<'a, 'x, 'l, 'w, S: StateSpace> {
    pub(crate) space: &'a S,
    pub(crate) job: Job<'a>,
    pub(crate) shares: Shares,
    pub(crate) place: &'a Place,
    pub(crate) others: &'x Others<'l, 'w>,
    pub(super) scratch: S::Scratch,
    pub(super) limits: StepLimits<'a>,
    pub(super) tally: Tally,
    /// What was counted before the last layer was expanded.
    pub(super) tally_before: Vec<u64>,
    /// Given back when everything was met.
    pub(super) sorter: Option<Sorter<'a>>,
    /// Runs of the sorter that become a layer.
    pub(super) sorted: Vec<RunInfo>,
    pub(crate) reached: Reached<'a>,
    pub(super) masks: Vec<u64>,
    /// How many steps lead to the last level that has states.
    pub(crate) depth: u64,
    pub(super) kept: Kept,
    /// How many of its states the counters of the run show.
    pub(super) shown_states: u64,
    /// What went wrong with the disk.
    pub(super) trouble: RefCell<Option<String>>,
    pub(super) moved_before: (u64, u64),
    pub(super) expanded: u64,
    pub(super) is_resumed: bool,
}

/// The checkpoints of a worker.
pub(super) struct Kept {
    /// The number of the last one.
    pub(super) last: Option<u64>,
    /// Those before it, until all workers have the last one; and segments that only these need.
    pub(super) older: Vec<u64>,
    pub(super) outdated: Vec<String>,
    pub(super) written: Instant,
}

impl<'a, 'x, 'l, 'w, S: StateSpace> DiskSearch<'a, 'x, 'l, 'w, S> {
    /// At its beginning, or at the checkpoint that all have. All workers stop if one of them cannot begin.
    pub(crate) fn new(
        space: &'a S,
        job: Job<'a>,
        ground: &'a Ground<'_>,
        others: &'x Others<'l, 'w>,
    ) -> Result<Self, WorkerHalt> {
        let search = Self::begun(space, job, ground, others);
        let (stop, search) = match search {
            Ok(search) => (None, Ok(search)),
            Err(halt) => {
                let stop = match halt {
                    Halt::Stop(stop) => stop,
                    Halt::Disk(error) => {
                        job.control.notify(error.to_string());
                        Stop::Short(Shortfall::Disk)
                    }
                };
                (Some(stop), Err(stop))
            }
        };
        match (others.say(stop, &[]), search) {
            (Ok(_), Ok(search)) => Ok(search),
            (Err(_), _) if others.is_lost.get() => Err(WorkerHalt::Lost),
            (Err(Halt::Stop(stop)), _) | (_, Err(stop)) => Err(stop.into()),
            (Err(Halt::Disk(error)), _) => unreachable!("saying something needs no disk: {error}"),
        }
    }

    fn begun(space: &'a S, job: Job<'a>, ground: &'a Ground<'_>, others: &'x Others<'l, 'w>) -> Result<Self, Halt> {
        let Ground { place, shares, resumed, partition, bad, .. } = ground;
        let (words, control) = (space.words_per_state(), job.control);
        place.keep_only(resumed.as_ref().map(|(number, progress)| (*number, progress)))?;
        for path in bad {
            control.notify(format!("`{}` is damaged, and not used: some levels are searched again", path.display()));
        }
        let progress = resumed.as_ref().map(|(_, progress)| progress);
        let at = progress.map(|progress| &progress.layers);
        let mut reached = Reached::new(&place.folders, LAYERS, words, shares, &place.names, control, at)?;
        let (mut counted, mut moved_before, mut expanded) = (Tally::new(Keep::Least), (0, 0), 0);
        if let Some(progress) = progress {
            reached.layers.ensure_states(progress.states)?;
            // What is damaged is told before any work is done. Visited states are read as a whole below.
            let mut block = Vec::new();
            for number in 0..reached.layers.len() {
                let mut blocks = reached.layers.layer(number).blocks(&place.folders, words);
                while blocks.read(&mut block)?.is_some() {
                    control.check()?;
                }
            }
            reached.restore(progress.runs.clone(), progress.recent_from, progress.states)?;
            let unreadable = || DiskError::Corrupt {
                path: place.path().clone(),
                offset: 0,
                why: "the tally of a checkpoint cannot be read".to_owned(),
            };
            counted = tally(&mut Reader(&progress.tally), words).ok_or_else(unreadable)?;
            moved_before = (progress.read_bytes, progress.written_bytes);
            let last = reached.layers.len() - 1;
            expanded = progress.states - reached.layers.layer(last).states;
        }
        let sorter = Sorter::new(&place.folders, words, Same::One, shares.sorter, &place.names, &control.budget)?;
        let mut tally_before = Vec::new();
        push_tally(&mut tally_before, &counted);
        Ok(Self {
            space,
            job,
            shares: *shares,
            place,
            others,
            scratch: space.scratch(),
            limits: StepLimits::new(control),
            tally: counted,
            tally_before,
            sorter: Some(sorter),
            sorted: Vec::new(),
            reached,
            masks: partition.masks().to_vec(),
            depth: 0,
            kept: Kept {
                last: resumed.as_ref().map(|(number, _)| *number),
                older: Vec::new(),
                outdated: Vec::new(),
                written: Instant::now(),
            },
            shown_states: 0,
            trouble: RefCell::new(None),
            moved_before,
            expanded,
            is_resumed: progress.is_some(),
        })
    }

    pub(super) fn words(&self) -> usize {
        self.space.words_per_state()
    }

    /// Why the worker stops, as others are told it. What is wrong with the disk is kept.
    pub(crate) fn stop_of(&self, halt: Halt) -> Stop {
        match halt {
            Halt::Stop(stop) => stop,
            Halt::Disk(error) => {
                self.trouble.borrow_mut().get_or_insert_with(|| error.to_string());
                Stop::Short(Shortfall::Disk)
            }
        }
    }

    /// Does something of which rounds with all workers are a part, and says whether all have done it: if one has met something that ends the
    /// search, all stop.
    pub(crate) fn together<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, Halt>) -> Result<T, WorkerHalt> {
        let done = work(self);
        let over = |others: &Others<'_, '_>, halt: Halt| match halt {
            _ if others.is_lost.get() => WorkerHalt::Lost,
            Halt::Stop(stop) => WorkerHalt::Stop(stop),
            Halt::Disk(error) => unreachable!("what all were told is no error of this disk: {error}"),
        };
        let done = match done {
            Err(halt) if self.others.is_over.get() => Err(over(self.others, halt)),
            done => {
                let done = done.map_err(|halt| self.stop_of(halt));
                match (self.others.say(done.as_ref().err().copied(), &[]), done) {
                    (Ok(_), Ok(done)) => Ok(done),
                    (Err(halt), _) => Err(over(self.others, halt)),
                    (Ok(_), Err(stop)) => unreachable!("all were told of it: {stop:?}"),
                }
            }
        };
        if !self.others.is_lost.get() {
            // A further round tells what all have counted.
            self.others.is_over.set(false);
        }
        done
    }

    /// Searches everything, or up to the first level with a failure.
    pub(crate) fn run(&mut self) -> Result<(), WorkerHalt> {
        let options = self.job.options;
        let (mut stop, mut first_depth) = (None, 0);
        match self.reached.layers.len().checked_sub(1) {
            Some(last) => {
                first_depth = last;
                self.depth = last.saturating_sub(1);
                if self.others.me() == 0 {
                    let folder = self.job.checkpoints.map(|checkpoints| checkpoints.folder.display().to_string());
                    let folder = folder.unwrap_or_default();
                    self.job.control.notify(format!("goes on from level {last} on disk, of `{folder}`"));
                }
            }
            None => stop = self.begin().map_err(|halt| self.stop_of(halt)).err(),
        }
        for depth in first_depth.. {
            self.note_tally();
            let has_layer = stop.is_none();
            if stop.is_none() {
                let expanded = self.expand_layer(depth, options.depth_limit == Some(depth));
                match expanded {
                    Ok(()) => {}
                    Err(Broken::Lost) => return Err(WorkerHalt::Lost),
                    Err(Broken::Here(halt)) => stop = Some(self.stop_of(halt)),
                }
            }
            let mine = if has_layer { self.reached.layers.layer(depth).states } else { 0 };
            let [why, detail] = stop_words(stop);
            let failures = self.tally.failures.count;
            let summary = [why, detail, mine, failures, u64::from(self.is_due()), u64::from(has_layer)];
            let said = self.end_round(&summary, &mut stop)?;
            self.show();
            let damaged = || WorkerHalt::from(self.others.trouble().damaged());
            let sum = |place: usize| said.iter().map(|words| words.get(place)).sum::<Option<u64>>();
            let [Some(level), Some(failures), Some(due), Some(with_layer)] = [sum(2), sum(3), sum(4), sum(5)] else {
                return Err(damaged());
            };
            if let Some(stop) = common_stop(&said).ok_or_else(damaged)? {
                if with_layer == said.len() as u64 && matches!(stop, Stop::Short(shortfall) if is_pause(shortfall)) {
                    self.forget_collected();
                    let before = self.tally_before.clone();
                    // Without room for it there is the one before.
                    let _ = self.keep(before);
                }
                return Err(stop.into());
            }
            self.expanded += mine;
            // All have made what was to be made after the round before.
            self.confirm();
            if level == 0 {
                let bounded = options.depth_limit.map(|limit| Shortfall::Depth { limit });
                return bounded.map_or(Ok(()), |shortfall| Err(Stop::Short(shortfall).into()));
            }
            self.depth = depth;
            if stop.is_none() {
                stop = self.make_layer().map_err(|halt| self.stop_of(halt)).err();
            }
            if failures > 0 && !options.keep_going {
                self.agree(stop)?;
                return Err(Stop::Failure.into());
            }
            if due > 0 && stop.is_none() {
                let mut counted = Vec::new();
                self.tally.passed(self.space.passed(&self.scratch));
                push_tally(&mut counted, &self.tally);
                stop = self.keep(counted).map_err(|halt| self.stop_of(halt)).err();
            }
        }
        unreachable!("a search ends before its levels are counted to the end")
    }

    /// All stop if one of them has a reason to.
    fn agree(&mut self, stop: Option<Stop>) -> Result<(), WorkerHalt> {
        self.together(|_| stop.map_or(Ok(()), |stop| Err(Halt::Stop(stop))))
    }

    fn note_tally(&mut self) {
        self.tally.passed(self.space.passed(&self.scratch));
        self.tally_before.clear();
        push_tally(&mut self.tally_before, &self.tally);
    }

    /// Ends the round of a level. What goes wrong while the rest is received is told in the next one.
    fn end_round(&mut self, summary: &[u64], stop: &mut Option<Stop>) -> Result<Vec<Vec<u64>>, WorkerHalt> {
        let Self { others, sorter, .. } = self;
        let mut traffic = others.traffic.borrow_mut();
        if stop.is_some() {
            traffic.outgoing.clear();
            traffic.link.halt();
        }
        let sorter = sorter.as_mut().filter(|_| stop.is_none());
        let closed = traffic.close(summary, sorter);
        drop(traffic);
        let (said, late) = closed.map_err(|Lost| WorkerHalt::Lost)?;
        *stop = stop.or(late.map(|halt| self.stop_of(halt)));
        Ok(said)
    }

    /// The next layer: what was collected, without what was visited.
    pub(super) fn make_layer(&mut self) -> Result<(), Halt> {
        let Self { place, job, shares, sorter, sorted, reached, tally, kept, .. } = self;
        let sorter = sorter.as_mut().expect("it is searched");
        sorter.sort();
        sorted.append(&mut sorter.take_spilled()?);
        let joining = Joining {
            folders: &place.folders,
            names: &place.names,
            control: job.control,
            prefix: "sort",
            words: self.space.words_per_state(),
            same: Same::One,
            fan_in: shares.fan_in,
        };
        reached.visited.discard(joining.join(sorted)?);
        let layer = reached.write_layer(joining.union(sorted, [sorter.buffered()])?, 1, true, &|_| ())?;
        sorter.clear();
        reached.visited.discard(sorted.drain(..).map(|run| run.segment));
        tally.digest = tally.digest.wrapping_add(layer.digest);
        reached.settle(layer)?;
        if kept.last.is_none() {
            reached.visited.remove_outdated();
        }
        Ok(())
    }
}
