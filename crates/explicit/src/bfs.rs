//! Breadth-first search, level by level, by one thread or several.
//!
//! The states of a level wait by handle; threads draw portions of them, and what is new becomes the next level. A small
//! level is left to one thread. When a failure is met the level is still finished: so the same states and steps were
//! seen whatever the number of threads, the failure told is the least of the shallowest, and its run is a shortest one.
//! No parents are kept. Most searches meet no failure; for the others the run is found again by [`retrace`](crate::retrace).

use crate::failures::{Failures, Keep};
use crate::frontier::{Frontier, Level, PORTION_LEN};
use crate::record::Recorder;
use crate::report::{Ending, Traces, report};
use crate::retrace::retrace;
use crate::worker::{Job, Stop, Tally, Worker};
use lariat_engine::{FailureKind, Options, Report, RunControl, Shortfall};
use lariat_space::StateSpace;
use lariat_store::{Full, Recall};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A level of fewer states than this for each thread is not worth starting threads for.
const FEW_STATES: u64 = 512;

/// The kernel. `make_store` makes an empty store that takes its memory from the budget of `control`.
pub fn bfs<S: StateSpace, T: Recall, R: Recorder>(
    space: &S,
    make_store: impl Fn() -> Result<T, Full>,
    invalid_ends: bool,
    options: &Options,
    control: &RunControl,
    recorder: R,
) -> (Report, Vec<R>) {
    let job = Job { invalid_ends, options, control };
    let store = match make_store() {
        Ok(store) => store,
        Err(full) => return (Report::at_once(full.into()), Vec::new()),
    };
    let mut search = Search::new(&store, control);
    let mut crew = Vec::new();
    for _ in 0..options.threads.max(1) {
        match Worker::new(space, job, PORTION_LEN, Keep::Least, recorder.another()) {
            Ok(worker) => crew.push((worker, Frontier::new(&control.budget))),
            Err(full) if crew.is_empty() => return (Report::at_once(full.into()), Vec::new()),
            // There is no memory for more threads. The answer is the same with fewer.
            Err(_) => break,
        }
    }
    let ended = search.run(&mut crew, options);

    let depth = search.depth;
    let (mut tally, mut recorders) = (Tally::new(Keep::Least), Vec::new());
    for (worker, _) in crew {
        let (part, recorder) = worker.finish();
        tally.merge(part);
        recorders.push(recorder);
    }
    let ending = Ending::new(&store, depth, ended);
    // What the search took is free again for finding the runs.
    drop(store);
    let traces = match ending.pool_was_full {
        true => Traces::default(),
        false => traces(space, &make_store, &tally.failures, options, control),
    };
    (report(tally, traces, &ending, options, control), recorders)
}

/// The runs to the failures that are to be told, shortest first.
fn traces<S: StateSpace, T: Recall>(
    space: &S,
    make_store: &impl Fn() -> Result<T, Full>,
    failures: &Failures,
    options: &Options,
    control: &RunControl,
) -> Traces {
    let mut told: Vec<_> = failures.of_kind.iter().collect();
    let steps = |kind: FailureKind, depth: u64| depth + u64::from(kind != FailureKind::InvalidEnd);
    told.sort_by_key(|sighting| (steps(sighting.kind, sighting.depth), sighting.kind));
    if !options.keep_going {
        told.truncate(1);
    }
    Traces::of(told.into_iter().map(|sighting| Ok((sighting.kind, retrace(space, make_store, sighting, control)?))))
}

type Crew<'a, S, R> = [(Worker<'a, S, R>, Frontier<'a>)];

struct Search<'a, T> {
    store: &'a T,
    control: &'a RunControl,
    depth: u64,
    expanded: AtomicU64,
    halted: AtomicBool,
    why: Mutex<Option<Stop>>,
}

impl<'a, T: Recall> Search<'a, T> {
    fn new(store: &'a T, control: &'a RunControl) -> Self {
        Self {
            store,
            control,
            depth: 0,
            expanded: AtomicU64::new(0),
            halted: AtomicBool::new(false),
            why: Mutex::new(None),
        }
    }

    /// Searches everything, or up to the reason to stop.
    fn run<'c, S: StateSpace, R: Recorder>(&mut self, crew: &mut Crew<'c, S, R>, options: &Options) -> Result<(), Stop>
    where
        'a: 'c,
    {
        let (first, frontier) = crew.first_mut().expect("at least one thread");
        first.begin(self.store, |handle| frontier.push(handle))?;
        loop {
            let level = Level::of_parts(crew.iter_mut().map(|(_, frontier)| frontier), &self.control.budget);
            if level.len() == 0 {
                return options.depth_limit.map_or(Ok(()), |limit| Err(Stop::Short(Shortfall::Depth { limit })));
            }
            self.depth += u64::from(self.expanded.load(Ordering::Relaxed) > 0);
            self.control.counters.depth.store(self.depth, Ordering::Relaxed);
            let horizon = options.depth_limit == Some(self.depth);
            self.expand(&level, crew, horizon);
            if let Some(stop) = *self.why.lock().expect("nobody panics while holding it") {
                return Err(stop);
            }
            if !options.keep_going && crew.iter().any(|(worker, _)| worker.tally.failures.count > 0) {
                return Err(Stop::Failure);
            }
        }
    }

    /// Expands a level, with as many threads as are worth it.
    fn expand<S: StateSpace, R: Recorder>(&self, level: &Level<'_>, crew: &mut Crew<'_, S, R>, horizon: bool) {
        let worthwhile = (level.len() / FEW_STATES).max(1).min(crew.len() as u64) as usize;
        let (here, others) = crew[..worthwhile].split_first_mut().expect("at least one thread");
        std::thread::scope(|scope| {
            for (worker, next) in others {
                scope.spawn(move || self.work(level, worker, next, horizon));
            }
            self.work(level, &mut here.0, &mut here.1, horizon);
        });
    }

    fn work<S: StateSpace, R: Recorder>(
        &self,
        level: &Level<'_>,
        worker: &mut Worker<'_, S, R>,
        next: &mut Frontier<'_>,
        horizon: bool,
    ) {
        if let Err(stop) = self.work_until_stopped(level, worker, next, horizon) {
            self.halted.store(true, Ordering::Relaxed);
            self.why.lock().expect("nobody panics while holding it").get_or_insert(stop);
        }
        worker.rest();
    }

    fn work_until_stopped<S: StateSpace, R: Recorder>(
        &self,
        level: &Level<'_>,
        worker: &mut Worker<'_, S, R>,
        next: &mut Frontier<'_>,
        horizon: bool,
    ) -> Result<(), Stop> {
        while let Some(handles) = level.draw() {
            if self.halted.load(Ordering::Relaxed) {
                break;
            }
            for handles in handles.chunks(worker.portion_len) {
                worker.recall(self.store, handles);
                for number in 0..handles.len() {
                    worker.expand(self.store, number, self.depth, horizon, |handle| next.push(handle))?;
                }
                worker.probe(self.store, |handle| next.push(handle))?;
            }
            let expanded = self.expanded.fetch_add(handles.len() as u64, Ordering::Relaxed) + handles.len() as u64;
            self.control.counters.waiting.store(self.store.len().saturating_sub(expanded), Ordering::Relaxed);
        }
        Ok(())
    }
}
