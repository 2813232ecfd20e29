//! Breadth-first search by all workers together, with the layers and the visited states of each on its disk: a level is a round.

use super::others::{Broken, Others};
use super::place::{LAYERS, Place, Progress};
use crate::chain::walk_back;
use crate::link::Link;
use crate::parcel::WorkerId;
use crate::partition::Partition;
use crate::search::{Totals, is_pause, totals};
use crate::share::{Halt as WorkerHalt, Job, Outgoing, Taken};
use crate::trouble::{Lost, Trouble};
use crate::words::{Reader, common_stop, push_list, push_tally, stop_words, tally};
use lariat_engine::{DiskFigures, FailureKind, Shortfall};
use lariat_runs::error::{DiskError, Halt};
use lariat_runs::join::Joining;
use lariat_runs::reached::Reached;
use lariat_runs::run::{RunInfo, SortedRun};
use lariat_runs::share::Shares;
use lariat_runs::sort::Same;
use lariat_runs::sorter::Sorter;
use lariat_space::{Outcome, State, StateSpace};
use lariat_subject::{Keep, StepLimits, Stop, Tally};
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// So many states are expanded before what was received is looked at.
const PORTION_LEN: usize = 256;
/// How often checkpoints are made where nothing else is said.
const EVERY: Duration = Duration::from_secs(10);
/// Of what went wrong with a disk so many bytes are told to the others.
const MOST_TOLD_BYTES: usize = 1 << 10;

/// What a worker has before it searches, and what outlives its search.
pub(crate) struct Ground<'a> {
    pub(crate) place: Place,
    pub(crate) shares: Shares,
    partition: Partition,
    resumed: Option<(u64, Progress)>,
    /// Checkpoints of the worker that are damaged.
    bad: Vec<std::path::PathBuf>,
    _taken: Taken<'a>,
}

impl<'a> Ground<'a> {
    /// A worker's part, in its part of the memory: `free_bytes` are those of the process. All stop if one of them has no memory for it. They go
    /// on from the last checkpoint that all have; the first worker says how the states are shared.
    pub(crate) fn new<S: StateSpace>(
        space: &S,
        job: Job<'a>,
        free_bytes: u64,
        link: &mut Link<'_>,
        trouble: &Trouble,
    ) -> Result<Self, WorkerHalt> {
        let (me, workers, words) = (link.me(), link.peers(), space.words_per_state());
        let checkpoints = job.checkpoints.expect("a share on disk has a folder");
        let disk = job.options.disk.as_ref();
        let place = Place::new(checkpoints, disk, me);
        let of_links = Outgoing::most_bytes(words, workers);
        let mine = (free_bytes / job.options.threads.max(1) as u64).saturating_sub(of_links);
        let shares = Shares::within(mine, 1, words, disk);
        let needed_bytes = shares.fixed_bytes + of_links;
        let taken = match needed_bytes <= free_bytes / job.options.threads.max(1) as u64 || shares.is_for_tests {
            true => Taken::new(&job.control.budget, needed_bytes).map_err(Stop::from),
            false => Err(Stop::Short(Shortfall::Memory { limit_bytes: job.control.budget.limit_bytes() })),
        };
        if taken.is_err() && me == 0 {
            let mib = (needed_bytes >> 20) + 20;
            let why = format!("a share on disk needs about {mib} MiB for each worker: give it more with `--memory`");
            job.control.notify(why);
        }
        let (good, bad) = place.read();
        // What was kept of an older search may share the states in another way.
        let is_usable = |progress: &Progress| progress.masks.len() == words;
        let good: Vec<(u64, Progress)> = good.into_iter().filter(|(_, progress)| is_usable(progress)).collect();
        let mut said = stop_words(taken.as_ref().err().copied()).to_vec();
        push_list(&mut said, &good.iter().map(|(number, _)| *number).collect::<Vec<_>>());
        if me == 0 {
            let masks = good.last().map(|(_, progress)| progress.masks.clone());
            let kept = masks.and_then(|masks| Partition::of_masks(&masks, workers));
            push_list(&mut said, kept.unwrap_or_else(|| Partition::of_space(space, workers, job.control)).masks());
        }
        let said = link.gather(&said)?;
        if let Some(stop) = common_stop(&said).ok_or_else(|| trouble.damaged())? {
            return Err(stop.into());
        }
        let read = |words: &Vec<u64>| Some(Reader(words.get(2..)?).list()?.to_vec());
        let numbers: Option<Vec<Vec<u64>>> = said.iter().map(read).collect();
        let numbers = numbers.ok_or_else(|| trouble.damaged())?;
        let common = numbers[0].iter().copied().filter(|number| numbers.iter().all(|has| has.contains(number))).max();
        let masks = || {
            let mut reader = Reader(said[0].get(2..)?);
            reader.list()?;
            reader.list()
        };
        let masks = masks().filter(|masks| masks.len() == words).ok_or_else(|| trouble.damaged())?;
        let partition = Partition::of_masks(masks, workers).ok_or_else(|| trouble.damaged())?;
        let resumed = common.and_then(|common| good.into_iter().find(|(number, _)| *number == common));
        if let Some((_, progress)) = &resumed {
            place.names.store(progress.names, Ordering::Relaxed);
        }
        let _taken = taken.expect("who has no memory has said so");
        Ok(Self { place, shares, partition, resumed, bad, _taken })
    }
}

/// One worker's part of a search.
pub(crate) struct DiskSearch<'a, 'x, 'l, 'w, S: StateSpace> {
    pub(crate) space: &'a S,
    pub(crate) job: Job<'a>,
    pub(crate) shares: Shares,
    pub(crate) place: &'a Place,
    pub(crate) others: &'x Others<'l, 'w>,
    scratch: S::Scratch,
    limits: StepLimits<'a>,
    tally: Tally,
    /// What was counted before the last layer was expanded.
    tally_before: Vec<u64>,
    /// Given back when everything was met.
    sorter: Option<Sorter<'a>>,
    /// Runs of the sorter that become a layer.
    sorted: Vec<RunInfo>,
    pub(crate) reached: Reached<'a>,
    masks: Vec<u64>,
    /// How many steps lead to the last level that has states.
    pub(crate) depth: u64,
    kept: Kept,
    /// How many of its states the counters of the run show.
    shown_states: u64,
    /// What went wrong with the disk.
    trouble: RefCell<Option<String>>,
    moved_before: (u64, u64),
    expanded: u64,
    is_resumed: bool,
}

/// The checkpoints of a worker.
struct Kept {
    /// The number of the last one.
    last: Option<u64>,
    /// Those before it, until all workers have the last one; and segments that only these need.
    older: Vec<u64>,
    outdated: Vec<String>,
    written: Instant,
}

/// What connects a worker with the others while it searches.
pub(crate) fn others_of<'l, 'w>(
    ground: &Ground<'_>,
    words: usize,
    link: &'l mut Link<'w>,
    trouble: &'l Trouble,
) -> Others<'l, 'w> {
    let (me, workers): (WorkerId, usize) = (link.me(), link.peers());
    let mut outgoing = Outgoing::new(me, workers, words);
    outgoing.partition = ground.partition.clone();
    Others::new(link, trouble, outgoing)
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

    fn words(&self) -> usize {
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

    /// The first layer: the initial states that belong to it. Every worker lists them all.
    fn begin(&mut self) -> Result<(), Halt> {
        let Self { space, scratch, sorter, others, .. } = self;
        let sorter = sorter.as_mut().expect("the search has just begun");
        let traffic = others.traffic.borrow();
        let flow = space.initial(scratch, |state| {
            if traffic.outgoing.owner(state) != traffic.outgoing.me {
                return ControlFlow::Continue(());
            }
            sorter.push(state).map_or_else(ControlFlow::Break, ControlFlow::Continue)
        });
        drop(traffic);
        flow.break_value().map_or(Ok(()), Err)?;
        self.make_layer()
    }

    /// Expands a layer, and collects the successors: those that belong to others are sent.
    fn expand_layer(&mut self, depth: u64, horizon: bool) -> Result<(), Broken> {
        let words = self.words();
        let layer = self.reached.layers.layer(depth);
        self.job.control.counters.depth.store(self.depth, Ordering::Relaxed);
        let current = self.reached.current.take();
        let expanded = match &current {
            Some(states) => self.expand_states(states, depth, horizon).map(|_| ()),
            None => (|| {
                self.reached.layers.segment.flush().map_err(Halt::from)?;
                let mut blocks = layer.blocks(&self.place.folders, words);
                let mut block = Vec::new();
                while blocks.read(&mut block).map_err(Halt::from)?.is_some() {
                    if !self.expand_states(&block, depth, horizon)? {
                        break;
                    }
                }
                Ok(())
            })(),
        };
        self.reached.current = current;
        expanded?;
        let Self { others, sorter, .. } = self;
        others.traffic.borrow_mut().exchange(true, sorter.as_mut().expect("it is searched"))
    }

    /// Expands some states; false if another worker has a reason to stop.
    fn expand_states(&mut self, states: &[u64], depth: u64, horizon: bool) -> Result<bool, Broken> {
        let words = self.words();
        for portion in states.chunks(PORTION_LEN * words) {
            if self.others.traffic.borrow().link.is_halted() {
                return Ok(false);
            }
            for state in portion.chunks_exact(words) {
                self.expand(state, depth, horizon)?;
                let mut traffic = self.others.traffic.borrow_mut();
                // States with very many successors.
                if traffic.outgoing.is_crowded {
                    self.job.control.check().map_err(Halt::from)?;
                    traffic.exchange(false, self.sorter.as_mut().expect("it is searched"))?;
                }
            }
            self.job.control.check().map_err(Halt::from)?;
            self.others.traffic.borrow_mut().exchange(false, self.sorter.as_mut().expect("it is searched"))?;
            self.show();
        }
        Ok(true)
    }

    fn expand(&mut self, source: &State, depth: u64, horizon: bool) -> Result<(), Halt> {
        let Self { space, job, scratch, limits, tally, sorter, others, .. } = self;
        let sorter = sorter.as_mut().expect("it is searched");
        let outgoing = &mut others.traffic.borrow_mut().outgoing;
        let mut dead_end = true;
        let flow = space.steps(
            source,
            scratch,
            limits.limiting(
                |short| Some(Halt::from(short)),
                |step| {
                    dead_end = false;
                    if horizon {
                        return ControlFlow::Break(None);
                    }
                    let met = match step.target {
                        Outcome::State(target) => {
                            tally.take(step.via);
                            let owner = outgoing.owner(target);
                            if owner == outgoing.me {
                                sorter.push(target)
                            } else {
                                outgoing.push_new(owner, target, &[]);
                                Ok(())
                            }
                        }
                        Outcome::Fault(fault) => {
                            let kind = FailureKind::Fault(fault);
                            tally.fail(kind, depth, source, step.via, job.options).map_err(Halt::from)
                        }
                    };
                    met.map_or_else(|halt| ControlFlow::Break(Some(halt)), ControlFlow::Continue)
                },
            ),
        );
        // A break without a reason is the horizon.
        if let ControlFlow::Break(Some(halt)) = flow {
            return Err(halt);
        }
        if dead_end && job.invalid_ends && !space.is_proper_end(source, scratch) {
            tally.fail(FailureKind::InvalidEnd, depth, source, &[], job.options)?;
        }
        Ok(())
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
    fn make_layer(&mut self) -> Result<(), Halt> {
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

    /// Forgets what was collected of a layer that is expanded in part.
    fn forget_collected(&mut self) {
        let collected = self.sorter.as_mut().map_or(Vec::new(), Sorter::forget);
        self.reached.visited.discard(collected.into_iter().chain(self.sorted.drain(..).map(|run| run.segment)));
    }

    fn is_due(&self) -> bool {
        let disk = self.job.options.disk.as_ref();
        let every = disk.and_then(|disk| disk.checkpoint_ms).map_or(EVERY, Duration::from_millis);
        self.kept.written.elapsed() >= every
    }

    /// What was read and written, also before the search went on.
    fn moved(&self) -> (u64, u64) {
        let (moved, (read, written)) = (&self.place.folders.moved, self.moved_before);
        (read + moved.read.load(Ordering::Relaxed), written + moved.written.load(Ordering::Relaxed))
    }

    /// Makes a checkpoint with all layers; `counted` is what was counted before the last one is expanded.
    pub(crate) fn keep(&mut self, counted: Vec<u64>) -> Result<(), Halt> {
        let number = self.reached.layers.len();
        if self.kept.last == Some(number) {
            return Ok(());
        }
        let moved = self.moved();
        let Self { place, reached, masks, .. } = self;
        let layers = reached.layers.sync()?;
        let runs = reached.visited.runs.iter().map(|run| run.info.clone()).collect();
        let at = (reached.recent_from, reached.states);
        let progress = place.progress(masks, layers, runs, at, counted, moved);
        place.write(number, &progress)?;
        let Kept { last, older, outdated, written } = &mut self.kept;
        let is_first = last.is_none() && !self.is_resumed;
        older.extend(last.replace(number));
        outdated.append(&mut reached.visited.outdated);
        *written = Instant::now();
        if is_first {
            // What was kept of a search in memory is not needed any more.
            self.job.checkpoints.iter().for_each(|checkpoints| checkpoints.remove_parts(self.others.me()));
        }
        Ok(())
    }

    /// The same where everything was met, before accepting cycles are looked for.
    pub(crate) fn keep_all(&mut self) -> Result<(), Halt> {
        let counted = self.tally_before.clone();
        self.keep(counted)
    }

    /// All workers have the last checkpoint: removes what only the ones before it needed.
    fn confirm(&mut self) {
        let Kept { older, outdated, .. } = &mut self.kept;
        older.drain(..).for_each(|number| self.place.remove(number));
        for segment in outdated.drain(..) {
            // What stays takes room and does no harm.
            let _ = self.place.folders.remove(&segment);
        }
    }

    /// Shows progress.
    fn show(&mut self) {
        let counters = &self.job.control.counters;
        counters.states.fetch_add(self.reached.states - self.shown_states, Ordering::Relaxed);
        self.shown_states = self.reached.states;
        counters.transitions.fetch_add(self.tally.transitions - self.tally.shown, Ordering::Relaxed);
        self.tally.shown = self.tally.transitions;
    }

    /// The states that could be on an accepting cycle, as one run. What else the search needs of memory is given back.
    pub(crate) fn take_set(&mut self, is_wanted: impl Fn(&State) -> bool) -> Result<SortedRun, Halt> {
        self.sorter = None;
        self.reached.take_set(is_wanted)
    }

    /// The states of a run from an initial state to `last`, which so many steps lead to.
    pub(crate) fn chain(&mut self, last: &State, depth: u64) -> Result<Vec<Vec<u64>>, WorkerHalt> {
        let flushed = self.reached.layers.segment.flush().map_err(Halt::from);
        let mut flushed = flushed.map_err(|halt| self.stop_of(halt)).err();
        let (words, others, control) = (self.words(), self.others, self.job.control);
        let mut limits = StepLimits::reporting(control);
        let mut traffic = others.traffic.borrow_mut();
        let trouble = others.trouble();
        walk_back(traffic.link, trouble, words, (last, depth), |target, number| match flushed.take() {
            Some(stop) => Err(stop),
            None => self.least_predecessor(target, number, &mut limits).map_err(|halt| self.stop_of(halt)),
        })
    }

    /// The least of its states of this layer that has a step to the target: they are in order.
    fn least_predecessor(
        &mut self,
        target: &State,
        layer: u64,
        limits: &mut StepLimits<'_>,
    ) -> Result<Option<Vec<u64>>, Halt> {
        limits.check()?;
        if layer >= self.reached.layers.len() {
            return Ok(None);
        }
        let (words, mut block) = (self.words(), Vec::new());
        let mut blocks = self.reached.layers.layer(layer).blocks(&self.place.folders, words);
        while blocks.read(&mut block)?.is_some() {
            limits.check()?;
            for source in block.chunks_exact(words) {
                let flow = self.space.steps(
                    source,
                    &mut self.scratch,
                    limits.limiting(Some, |step| match step.target == Outcome::State(target) {
                        true => ControlFlow::Break(None),
                        false => ControlFlow::Continue(()),
                    }),
                );
                match flow {
                    ControlFlow::Continue(()) => {}
                    ControlFlow::Break(None) => return Ok(Some(source.to_vec())),
                    ControlFlow::Break(Some(shortfall)) => return Err(shortfall.into()),
                }
            }
        }
        Ok(None)
    }

    /// What all workers have counted and met.
    pub(crate) fn totals(&mut self) -> Result<Totals, Lost> {
        let Self { space, scratch, tally, reached, .. } = self;
        tally.passed(space.passed(scratch));
        let (states, bytes, words) = (reached.states, reached.layers.segment.bytes(), space.words_per_state());
        let mut traffic = self.others.traffic.borrow_mut();
        let sent_states = traffic.outgoing.sent_states;
        totals(traffic.link, self.others.trouble(), words, [states, bytes, sent_states], &self.tally)
    }

    /// What all workers did on their disks, and what went wrong there.
    pub(crate) fn disk_figures(&mut self) -> Result<DiskFigures, Lost> {
        let (bytes, (read_bytes, written_bytes)) = (self.reached.layers.segment.bytes(), self.moved());
        let mut traffic = self.others.traffic.borrow_mut();
        let told = self.trouble.borrow().clone().unwrap_or_default();
        let mut mine = vec![bytes, read_bytes, written_bytes, self.expanded, told.len().min(MOST_TOLD_BYTES) as u64];
        mine.extend(told.as_bytes()[..told.len().min(MOST_TOLD_BYTES)].chunks(8).map(|some| {
            let mut word = [0; 8];
            word[..some.len()].copy_from_slice(some);
            u64::from_le_bytes(word)
        }));
        let said = traffic.link.gather(&mine)?;
        let folder = self.job.checkpoints.map(|checkpoints| checkpoints.folder.clone()).unwrap_or_default();
        let layers = self.depth + u64::from(!self.reached.layers.is_empty());
        let is_resumed = self.is_resumed;
        let mut figures = DiskFigures { folder, layers, is_resumed, ..DiskFigures::default() };
        for (worker, words) in said.iter().enumerate() {
            let Some((&[layer_bytes, read, written, expanded, len], text)) = words.split_first_chunk::<5>() else {
                return Err(self.others.trouble().damaged());
            };
            figures.layer_bytes += layer_bytes;
            figures.read_bytes += read;
            figures.written_bytes += written;
            figures.expanded += expanded;
            let text: Vec<u8> = text.iter().flat_map(|word| word.to_le_bytes()).take(len as usize).collect();
            if !text.is_empty() && figures.trouble.is_none() {
                figures.trouble = Some(format!("worker {worker}: {}", String::from_utf8_lossy(&text)));
            }
        }
        Ok(figures)
    }
}
