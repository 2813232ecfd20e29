//! Going through a set of states on disk once, by all threads, and collecting what their steps lead to.

use crate::error::Halt;
use crate::exchange::{Among, Push};
use crate::join::Joining;
use crate::run::{Index, RunInfo, RunWriter, SortedRun};
use crate::segment::{Folders, SegmentWriter};
use crate::share::Shares;
use crate::sort::Same;
use crate::sorter::Sorter;
use crate::union::Union;
use lariat_automata::MarkSet;
use lariat_engine::RunControl;
use lariat_space::{Outcome, State, StateSpace};
use lariat_store::Full;
use lariat_subject::{CycleGoal, StepLimits};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// What all passes need.
pub struct PassGround<'a, S> {
    /// Where steps come from.
    pub space: &'a S,
    /// Where runs are.
    pub folders: &'a Folders,
    /// Numbers for names of segments.
    pub names: &'a AtomicU64,
    /// How the memory is divided.
    pub shares: Shares,
    /// Limits of the run.
    pub control: &'a RunControl,
    /// Words of a record of a set behind those of its state.
    pub bit_words: usize,
    /// The workers that the set is spread over. One that is not alone has one thread.
    pub among: Among<'a>,
}

impl<S> Clone for PassGround<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for PassGround<'_, S> {}

impl<'a, S> PassGround<'a, S> {
    /// Words of a record of a set.
    pub fn record_words(&self) -> usize
    where
        S: StateSpace,
    {
        self.space.words_per_state() + self.bit_words
    }
    /// How runs of such records are joined.
    pub fn joining(&self, words: usize, same: Same) -> Joining<'a> {
        let Self { folders, names, control, shares, .. } = *self;
        Joining { folders, names, control, prefix: "set", words, same, fan_in: shares.fan_in }
    }
}

/// A step as a pass sees it.
pub struct Seen<'s> {
    /// The record of its source in the set: the state, then its bits.
    pub record: &'s [u64],
    /// Where it comes from.
    pub source: &'s State,
    /// What it carries.
    pub marks: &'s MarkSet,
    /// Where it leads.
    pub target: &'s State,
}

impl Seen<'_> {
    /// Whether a cycle may use the step.
    pub fn is_allowed(&self, goal: &CycleGoal) -> bool {
        goal.allows(self.source, self.marks, self.target, &self.record[self.source.len()..])
    }
}

/// Threads with sorters for records.
pub struct Pass<'a, S: StateSpace> {
    ground: PassGround<'a, S>,
    /// Of what is collected.
    words: usize,
    same: Same,
    workers: Vec<PassWorker<'a, S>>,
    spilled: Vec<RunInfo>,
}

struct PassWorker<'a, S: StateSpace> {
    states: Expanded<'a, S>,
    sorter: Sorter<'a>,
}

/// States that are expanded.
struct Expanded<'a, S: StateSpace> {
    scratch: S::Scratch,
    limits: StepLimits<'a>,
    portion: Vec<u64>,
    record: Vec<u64>,
}

impl<'a, S: StateSpace> Pass<'a, S> {
    /// Collects records of so many words.
    pub fn new(ground: PassGround<'a, S>, words: usize, same: Same) -> Result<Self, Full> {
        let PassGround { space, folders, names, shares, control, .. } = ground;
        let mut workers = Vec::new();
        for _ in 0..shares.threads {
            workers.push(PassWorker {
                states: Expanded {
                    scratch: space.scratch(),
                    limits: StepLimits::new(control),
                    portion: Vec::new(),
                    record: Vec::new(),
                },
                sorter: Sorter::new(folders, words, same, shares.sorter, names, &control.budget)?,
            });
        }
        Ok(Self { ground, words, same, workers, spilled: Vec::new() })
    }

    /// Collects what `collect` makes of the steps from the states of a run; it says whether that is to be collected.
    pub fn expand(
        &mut self,
        run: &RunInfo,
        collect: &(impl Fn(&Seen<'_>, &mut Vec<u64>) -> bool + Sync),
    ) -> Result<(), Halt> {
        let words = self.ground.record_words();
        if let Among(Some(others)) = self.ground.among {
            let PassGround { space, folders, control, .. } = self.ground;
            let PassWorker { states, sorter } = &mut self.workers[0];
            let mut blocks = run.blocks(folders, words);
            others.collect(sorter, &mut |push| {
                while blocks.read(&mut states.portion)?.is_some() {
                    control.check()?;
                    states.expand(space, words, collect, push)?;
                }
                Ok(())
            })?;
            sorter.sort();
            return Ok(());
        }
        let blocks = Mutex::new(run.blocks(self.ground.folders, words));
        let (why, is_halted) = (Mutex::new(None), AtomicBool::new(false));
        let PassGround { space, control, .. } = self.ground;
        let work = |worker: &mut PassWorker<'a, S>| {
            let mut run = || -> Result<(), Halt> {
                while !is_halted.load(Ordering::Relaxed) {
                    control.check()?;
                    let read =
                        blocks.lock().unwrap_or_else(PoisonError::into_inner).read(&mut worker.states.portion)?;
                    if read.is_none() {
                        break;
                    }
                    let PassWorker { states, sorter } = &mut *worker;
                    states.expand(space, words, collect, &mut |record| sorter.push(record))?;
                }
                worker.sorter.sort();
                Ok(())
            };
            if let Err(halt) = run() {
                is_halted.store(true, Ordering::Relaxed);
                why.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(halt);
            }
        };
        let (here, rest) = self.workers.split_first_mut().expect("at least one thread");
        let rest = if run.end - run.first > 1 { rest } else { &mut [] };
        std::thread::scope(|scope| {
            for worker in rest {
                scope.spawn(|| work(worker));
            }
            work(here);
        });
        why.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    /// What was collected, in order. To be followed by [`Pass::clear`].
    pub fn collected(&mut self) -> Result<Union<'_>, Halt> {
        for worker in &mut self.workers {
            worker.sorter.sort();
            self.spilled.append(&mut worker.sorter.take_spilled()?);
        }
        let joining = Joining { prefix: "sort", ..self.ground.joining(self.words, self.same) };
        for outdated in joining.join(&mut self.spilled)? {
            // What stays takes room and does no harm.
            let _ = self.ground.folders.remove(&outdated);
        }
        joining.union(&self.spilled, self.workers.iter().map(|worker| worker.sorter.buffered()))
    }

    /// Forgets what was collected.
    pub fn clear(&mut self) {
        self.workers.iter_mut().for_each(|worker| worker.sorter.reset());
        for run in self.spilled.drain(..) {
            // What stays takes room and does no harm.
            let _ = self.ground.folders.remove(&run.segment);
        }
    }
}

impl<S: StateSpace> Expanded<'_, S> {
    fn expand(
        &mut self,
        space: &S,
        words: usize,
        collect: &impl Fn(&Seen<'_>, &mut Vec<u64>) -> bool,
        push: &mut Push<'_>,
    ) -> Result<(), Halt> {
        let Self { scratch, limits, portion, record: made } = self;
        for record in portion.chunks_exact(words) {
            let source = &record[..space.words_per_state()];
            let flow = space.steps(
                source,
                scratch,
                limits.limiting(Halt::from, |step| {
                    let Outcome::State(target) = step.target else { return ControlFlow::Continue(()) };
                    made.clear();
                    let seen = Seen { record, source, marks: step.marks, target };
                    if !collect(&seen, made) {
                        return ControlFlow::Continue(());
                    }
                    push(made).map_or_else(ControlFlow::Break, ControlFlow::Continue)
                }),
            );
            if let ControlFlow::Break(halt) = flow {
                return Err(halt);
            }
        }
        Ok(())
    }
}

/// A run of records that is being written to a segment of its own.
pub fn write_run<'a>(
    ground: PassGround<'a, impl StateSpace>,
    words: usize,
    write: impl FnOnce(&mut RunWriter<'_>) -> Result<(), Halt>,
) -> Result<SortedRun, Halt> {
    let name = format!("set-{:06}", ground.names.fetch_add(1, Ordering::Relaxed));
    let mut segment = SegmentWriter::new(ground.folders, &name, words);
    let index = Index::new(words, ground.folders, ground.shares.index_bytes);
    let mut writer = RunWriter::new(&mut segment, words, Some(index));
    write(&mut writer)?;
    let (_, run) = writer.finish()?;
    segment.flush()?;
    Ok(run.expect("it has an index"))
}
