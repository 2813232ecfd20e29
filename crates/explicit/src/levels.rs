//! Going through a graph level by level, by one thread or several.
//!
//! The states of a level wait by handle; threads draw portions of them, and what is new becomes the next level. A small
//! level is left to one thread. States may be put aside, for somebody else to look at before the next level begins.

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
pub(crate) struct Hand<'a, S: StateSpace, R> {
    worker: Worker<'a, S, R>,
    /// States for the next level.
    next: Frontier<'a>,
    /// States for somebody else.
    aside: Frontier<'a>,
}

/// As many threads as are asked for, or as there is memory for; at least one, or an error. The answer is the same with
/// fewer.
pub(crate) fn crew<'a, S: StateSpace, R: Recorder>(
    space: &'a S,
    job: Job<'a>,
    recorder: &R,
) -> Result<Vec<Hand<'a, S, R>>, Full> {
    let budget = &job.control.budget;
    let mut crew = Vec::new();
    for _ in 0..job.options.threads.max(1) {
        match Worker::new(space, job, PORTION_LEN, Keep::Least, recorder.another()) {
            Ok(worker) => crew.push(Hand { worker, next: Frontier::new(budget), aside: Frontier::list(budget) }),
            Err(full) if crew.is_empty() => return Err(full),
            Err(_) => break,
        }
    }
    Ok(crew)
}

/// What all threads have met together, and what was recorded.
pub(crate) fn disband<S: StateSpace, R: Recorder>(crew: Vec<Hand<'_, S, R>>) -> (Tally, Vec<R>) {
    let (mut tally, mut recorders) = (Tally::new(Keep::Least), Vec::new());
    for hand in crew {
        let (part, recorder) = hand.worker.finish();
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
            halted: AtomicBool::new(false),
            why: Mutex::new(None),
        }
    }

    /// How many steps lead to the last level.
    pub(crate) fn depth(&self) -> u64 {
        self.depth
    }

    /// Goes through everything, or up to the reason to stop. States that are aside are not expanded: each is given once to
    /// `take`, before the next level, which may add to that level what is to be expanded for its sake.
    pub(crate) fn run<'c, S: StateSpace, R: Recorder>(
        &mut self,
        crew: &mut [Hand<'c, S, R>],
        options: &Options,
        scouts: Option<&Scouts<'_>>,
        is_aside: &(impl Fn(&State) -> bool + Sync),
        take: &mut impl FnMut(Handle, &mut Frontier<'c>) -> Result<(), Stop>,
    ) -> Result<(), Stop>
    where
        'a: 'c,
    {
        let Hand { worker, next, aside } = crew.first_mut().expect("at least one thread");
        worker.begin(
            self.store,
            |handle, state| {
                if is_aside(state) { aside.push(handle) } else { next.push(handle) }
            },
        )?;
        let mut told_work = 0;
        loop {
            hand_over(crew, take)?;
            let level = Level::of_parts(crew.iter_mut().map(|hand| &mut hand.next), &self.control.budget);
            if level.len() == 0 {
                return options.depth_limit.map_or(Ok(()), |limit| Err(Stop::Short(Shortfall::Depth { limit })));
            }
            self.depth += u64::from(self.expanded.load(Ordering::Relaxed) > 0);
            self.control.counters.depth.store(self.depth, Ordering::Relaxed);
            let horizon = options.depth_limit == Some(self.depth);
            self.expand(&level, crew, horizon, is_aside);
            if let Some(stop) = *self.why.lock().expect("nobody panics while holding it") {
                return Err(stop);
            }
            if !options.keep_going && crew.iter().any(|hand| hand.worker.tally.failures.count > 0) {
                return Err(Stop::Failure);
            }
            if let Some(scouts) = scouts {
                // Between two levels it is the same whatever the number of threads.
                let work = crew.iter().map(|hand| hand.worker.tally.work).sum();
                scouts.worked(work - std::mem::replace(&mut told_work, work))?;
            }
        }
    }

    /// Expands a level, with as many threads as are worth it.
    fn expand<S: StateSpace, R: Recorder>(
        &self,
        level: &Level<'_>,
        crew: &mut [Hand<'_, S, R>],
        horizon: bool,
        is_aside: &(impl Fn(&State) -> bool + Sync),
    ) {
        let worthwhile = (level.len() / FEW_STATES).max(1).min(crew.len() as u64) as usize;
        let (here, rest) = crew[..worthwhile].split_first_mut().expect("at least one thread");
        std::thread::scope(|scope| {
            for hand in rest {
                scope.spawn(move || self.work(level, hand, horizon, is_aside));
            }
            self.work(level, here, horizon, is_aside);
        });
    }

    fn work<S: StateSpace, R: Recorder>(
        &self,
        level: &Level<'_>,
        hand: &mut Hand<'_, S, R>,
        horizon: bool,
        is_aside: &(impl Fn(&State) -> bool + Sync),
    ) {
        if let Err(stop) = self.work_until_stopped(level, hand, horizon, is_aside) {
            self.halted.store(true, Ordering::Relaxed);
            self.why.lock().expect("nobody panics while holding it").get_or_insert(stop);
        }
        hand.worker.rest();
    }

    fn work_until_stopped<S: StateSpace, R: Recorder>(
        &self,
        level: &Level<'_>,
        hand: &mut Hand<'_, S, R>,
        horizon: bool,
        is_aside: &(impl Fn(&State) -> bool + Sync),
    ) -> Result<(), Stop> {
        let Hand { worker, next, aside } = hand;
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

/// Gives what was put aside to those who look at it.
fn hand_over<'c, S: StateSpace, R: Recorder>(
    crew: &mut [Hand<'c, S, R>],
    take: &mut impl FnMut(Handle, &mut Frontier<'c>) -> Result<(), Stop>,
) -> Result<(), Stop> {
    for hand in crew {
        let aside = hand.aside.take();
        for number in 0..aside.len() {
            take(aside.get(number).expect("there are so many"), &mut hand.next)?;
        }
    }
    Ok(())
}
