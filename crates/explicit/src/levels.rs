//! Going through a graph level by level, by one thread or several.
//!
//! The states of a level wait by handle; threads draw portions of them, and what is new becomes the next level. A small
//! level is left to one thread. States may be put aside: the caller gets them before the next level begins.

use crate::frontier::{Frontier, Level, PORTION_LEN};
use crate::record::Recorder;
use crate::scout::Scouts;
use crate::worker::{Job, Worker};
use lariat_engine::{Options, RunControl, Shortfall};
use lariat_space::{State, StateSpace};
use lariat_store::{Full, Handle, Recall};
use lariat_subject::{Keep, Stop, Tally};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A level of fewer states than this for each thread is not worth starting threads for; in tests it is.
const FEW_STATES: u64 = if cfg!(debug_assertions) { 8 } else { 512 };

/// A thread with what it found on the present level.
pub(crate) struct LevelThread<'a, S: StateSpace, R> {
    worker: Worker<'a, S, R>,
    /// States for the next level.
    next: Frontier<'a>,
    /// States that `is_aside` sorted out.
    aside: Frontier<'a>,
}

impl<S: StateSpace, R> LevelThread<'_, S, R> {
    /// Whether no state was put aside.
    pub(crate) fn has_nothing_aside(&self) -> bool {
        self.aside.len() == 0
    }
}

/// The requested number of threads, or fewer if memory is short; an error if there is no memory for one. The verdict does
/// not depend on the number.
pub(crate) fn level_threads<'a, S: StateSpace, R: Recorder>(
    space: &'a S,
    job: Job<'a>,
    recorder: &R,
) -> Result<Vec<LevelThread<'a, S, R>>, Full> {
    let budget = &job.control.budget;
    let mut threads = Vec::new();
    for _ in 0..job.options.threads.max(1) {
        match Worker::new(space, job, PORTION_LEN, Keep::Least, recorder.another()) {
            Ok(worker) => {
                threads.push(LevelThread { worker, next: Frontier::new(budget), aside: Frontier::list(budget) })
            }
            Err(full) if threads.is_empty() => return Err(full),
            Err(_) => break,
        }
    }
    Ok(threads)
}

/// The states of the next level, so far.
pub(crate) fn next_level<'t, S: StateSpace, R>(
    threads: &'t [LevelThread<'_, S, R>],
) -> impl Iterator<Item = Handle> + 't {
    threads.iter().flat_map(|thread| thread.next.iter())
}

/// How many steps were taken, long ones counting more.
pub(crate) fn steps_so_far<S: StateSpace, R>(threads: &[LevelThread<'_, S, R>]) -> u64 {
    threads.iter().map(|thread| thread.worker.tally.work).sum()
}

/// The merged tally of all threads, and their recorders.
pub(crate) fn merge_threads<S: StateSpace, R: Recorder>(threads: Vec<LevelThread<'_, S, R>>) -> (Tally, Vec<R>) {
    let (mut tally, mut recorders) = (Tally::new(Keep::Least), Vec::new());
    for thread in threads {
        let (part, recorder) = thread.worker.finish();
        tally.merge(part);
        recorders.push(recorder);
    }
    (tally, recorders)
}

/// A walk through a graph, level by level.
pub(crate) struct Levels<'a, T> {
    store: &'a T,
    control: &'a RunControl,
    depth: u64,
    expanded: AtomicU64,
    /// The work that scouts were told of.
    told_work: u64,
    halted: AtomicBool,
    why: Mutex<Option<Stop>>,
}

impl<'a, T: Recall> Levels<'a, T> {
    pub(crate) fn new(store: &'a T, control: &'a RunControl) -> Self {
        Self {
            store,
            control,
            depth: 0,
            expanded: AtomicU64::new(0),
            told_work: 0,
            halted: AtomicBool::new(false),
            why: Mutex::new(None),
        }
    }

    /// How many steps lead to the last level.
    pub(crate) fn depth(&self) -> u64 {
        self.depth
    }

    /// Explores all states, or stops with the reason. States that are put aside are not expanded: each is passed once to
    /// `take` before the next level, and `take` may add states to that level.
    pub(crate) fn run<'c, S: StateSpace, R: Recorder>(
        &mut self,
        threads: &mut [LevelThread<'c, S, R>],
        options: &Options,
        scouts: Option<&Scouts<'_>>,
        is_aside: &(impl Fn(&State) -> bool + Sync),
        take: &mut impl FnMut(Handle, &mut Frontier<'c>) -> Result<(), Stop>,
    ) -> Result<(), Stop>
    where
        'a: 'c,
    {
        self.begin(threads, is_aside)?;
        while self.advance(threads, options, scouts, is_aside, take)? {}
        options.depth_limit.map_or(Ok(()), |limit| Err(Stop::Short(Shortfall::Depth { limit })))
    }

    /// Makes the initial states the first level.
    pub(crate) fn begin<S: StateSpace, R: Recorder>(
        &mut self,
        threads: &mut [LevelThread<'_, S, R>],
        is_aside: &(impl Fn(&State) -> bool + Sync),
    ) -> Result<(), Stop> {
        let LevelThread { worker, next, aside } = threads.first_mut().expect("at least one thread");
        worker.begin(self.store, |handle, state| if is_aside(state) { aside.push(handle) } else { next.push(handle) })
    }

    /// Explores the next level: whether there was one.
    pub(crate) fn advance<'c, S: StateSpace, R: Recorder>(
        &mut self,
        threads: &mut [LevelThread<'c, S, R>],
        options: &Options,
        scouts: Option<&Scouts<'_>>,
        is_aside: &(impl Fn(&State) -> bool + Sync),
        take: &mut impl FnMut(Handle, &mut Frontier<'c>) -> Result<(), Stop>,
    ) -> Result<bool, Stop>
    where
        'a: 'c,
    {
        give_aside(threads, take)?;
        let level = Level::of_parts(threads.iter_mut().map(|thread| &mut thread.next), &self.control.budget);
        if level.len() == 0 {
            return Ok(false);
        }
        self.depth += u64::from(self.expanded.load(Ordering::Relaxed) > 0);
        self.control.counters.depth.store(self.depth, Ordering::Relaxed);
        let horizon = options.depth_limit == Some(self.depth);
        self.expand(&level, threads, horizon, is_aside);
        if let Some(stop) = *self.why.lock().expect("nobody panics while holding it") {
            return Err(stop);
        }
        if !options.keep_going && threads.iter().any(|thread| thread.worker.tally.failures.count > 0) {
            return Err(Stop::Failure);
        }
        if let Some(scouts) = scouts {
            // Between two levels it is the same whatever the number of threads.
            let work = steps_so_far(threads);
            scouts.worked(work - std::mem::replace(&mut self.told_work, work))?;
        }
        Ok(true)
    }

    /// How many states were expanded.
    pub(crate) fn expanded(&self) -> u64 {
        self.expanded.load(Ordering::Relaxed)
    }

    /// Expands a level, with as many threads as are worth it.
    fn expand<S: StateSpace, R: Recorder>(
        &self,
        level: &Level<'_>,
        threads: &mut [LevelThread<'_, S, R>],
        horizon: bool,
        is_aside: &(impl Fn(&State) -> bool + Sync),
    ) {
        let worthwhile = (level.len() / FEW_STATES).max(1).min(threads.len() as u64) as usize;
        let (here, rest) = threads[..worthwhile].split_first_mut().expect("at least one thread");
        std::thread::scope(|scope| {
            for thread in rest {
                scope.spawn(move || self.work(level, thread, horizon, is_aside));
            }
            self.work(level, here, horizon, is_aside);
        });
    }

    fn work<S: StateSpace, R: Recorder>(
        &self,
        level: &Level<'_>,
        thread: &mut LevelThread<'_, S, R>,
        horizon: bool,
        is_aside: &(impl Fn(&State) -> bool + Sync),
    ) {
        if let Err(stop) = self.work_until_stopped(level, thread, horizon, is_aside) {
            self.halted.store(true, Ordering::Relaxed);
            self.why.lock().expect("nobody panics while holding it").get_or_insert(stop);
        }
        thread.worker.rest();
    }

    fn work_until_stopped<S: StateSpace, R: Recorder>(
        &self,
        level: &Level<'_>,
        thread: &mut LevelThread<'_, S, R>,
        horizon: bool,
        is_aside: &(impl Fn(&State) -> bool + Sync),
    ) -> Result<(), Stop> {
        let LevelThread { worker, next, aside } = thread;
        let mut keep = |handle: Handle, state: &State| {
            if is_aside(state) { aside.push(handle) } else { next.push(handle) }
        };
        while let Some(handles) = level.draw() {
            if self.halted.load(Ordering::Relaxed) {
                break;
            }
            for handles in handles.chunks(worker.portion_len) {
                worker.recall(self.store, handles);
                for number in 0..handles.len() {
                    worker.expand(self.store, number, self.depth, horizon, &mut keep)?;
                }
                worker.probe(self.store, &mut keep)?;
            }
            let expanded = self.expanded.fetch_add(handles.len() as u64, Ordering::Relaxed) + handles.len() as u64;
            self.control.counters.waiting.store(self.store.len().saturating_sub(expanded), Ordering::Relaxed);
        }
        Ok(())
    }
}

/// Passes the states that were put aside to `take`.
fn give_aside<'c, S: StateSpace, R: Recorder>(
    threads: &mut [LevelThread<'c, S, R>],
    take: &mut impl FnMut(Handle, &mut Frontier<'c>) -> Result<(), Stop>,
) -> Result<(), Stop> {
    for thread in threads {
        let aside = thread.aside.take();
        for number in 0..aside.len() {
            take(aside.get(number).expect("there are so many"), &mut thread.next)?;
        }
    }
    Ok(())
}
