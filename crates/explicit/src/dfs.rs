//! Depth-first search, by one thread.
//!
//! A stack of handles: the *open* ones, which are expanded, are the run to where the search stands; between two of them
//! wait the successors of the lower one that were new when it was expanded. A state is stored when it is met, not when
//! the search goes on from there: so each waits once at most, and the successors of a state are probed as one batch.

use crate::record::Recorder;
use crate::walk::Walk;
use crate::worker::{Job, Worker};
use lariat_engine::{FailureKind, Options, PoolTooSmall, Report, RunControl, Shortfall};
use lariat_space::StateSpace;
use lariat_store::{Budget, Full, Handle, Recall};
use lariat_subject::{Ending, Keep, Stop, Traces, report, trace_along};
use std::sync::atomic::Ordering;

/// The kernel. `make_store` makes an empty store that takes its memory from the budget of `control`.
pub fn dfs<S: StateSpace, T: Recall, R: Recorder>(
    space: &S,
    make_store: impl Fn() -> Result<T, Full>,
    invalid_ends: bool,
    options: &Options,
    control: &RunControl,
    recorder: R,
) -> Result<(Report, Vec<R>), PoolTooSmall> {
    let job = Job { invalid_ends, options, control };
    let made = make_store().and_then(|store| Ok((store, Worker::new(space, job, 1, Keep::First, recorder.another())?)));
    let (store, mut worker) = match made {
        Ok(made) => made,
        Err(full) => return Ok((Report::at_once(full.into()), Vec::new())),
    };
    let mut stack = Stack::new(&control.budget);
    let mut deepest = 0;
    let ended = run(&store, &mut worker, &mut stack, &mut deepest, options, control);
    worker.rest();
    drop(stack);
    let (tally, recorder) = worker.finish();
    let ending = Ending::new(&store, deepest, ended)?;
    let mut shown: Vec<_> = tally.failures.of_kind.iter().collect();
    shown.sort_by_key(|sighting| sighting.depth + u64::from(sighting.kind != FailureKind::InvalidEnd));
    if !options.keep_going {
        shown.truncate(1);
    }
    let traces = Traces::of(shown.into_iter().map(|sighting| {
        let mut walk = Walk::new(space, &store, control)?;
        let path = sighting.path.iter().flatten();
        let states = path.map(|&handle| walk.state(handle)).collect();
        Ok((sighting.kind, trace_along(space, states, sighting, control)?))
    }));
    Ok((report(tally, traces, &ending, options, control), vec![recorder]))
}

fn run<S: StateSpace, T: Recall, R: Recorder>(
    store: &T,
    worker: &mut Worker<'_, S, R>,
    stack: &mut Stack<'_>,
    deepest: &mut u64,
    options: &Options,
    control: &RunControl,
) -> Result<(), Stop> {
    worker.begin(store, |handle, _| stack.push(handle))?;
    while let Some(next) = stack.next_to_expand() {
        let depth = stack.open()? - 1;
        *deepest = depth.max(*deepest);
        let failures = worker.tally.failures.count;
        worker.recall(store, &[next]);
        let horizon = options.depth_limit == Some(depth);
        let expanded = worker
            .expand(store, 0, depth, horizon, |handle, _| stack.push(handle))
            .and_then(|()| worker.probe(store, |handle, _| stack.push(handle)));
        if worker.tally.failures.count > failures {
            let met = worker.tally.failures.of_kind.iter_mut();
            met.filter(|sighting| sighting.path.is_none()).for_each(|sighting| sighting.path = Some(stack.path()));
            if !options.keep_going {
                // That a guessed pool is full is no failure of anybody's.
                return Err(if let Err(Stop::PoolTooSmall) = expanded { Stop::PoolTooSmall } else { Stop::Failure });
            }
        }
        expanded?;
        control.counters.depth.store(depth, Ordering::Relaxed);
        control.counters.waiting.store(stack.waiting(), Ordering::Relaxed);
    }
    options.depth_limit.map_or(Ok(()), |limit| Err(Stop::Short(Shortfall::Depth { limit })))
}

/// Room is taken from the budget for so many entries at a time.
const GROWTH: usize = 1 << 10;

/// The states that were met and are not done with.
struct Stack<'a> {
    budget: &'a Budget,
    handles: Vec<Handle>,
    /// Which of them are open, ascending.
    open: Vec<usize>,
    paid_bytes: u64,
}

impl<'a> Stack<'a> {
    fn new(budget: &'a Budget) -> Self {
        Self { budget, handles: Vec::new(), open: Vec::new(), paid_bytes: 0 }
    }

    fn push(&mut self, handle: Handle) -> Result<(), Full> {
        self.paid_bytes += reserve(&mut self.handles, self.budget)?;
        self.handles.push(handle);
        Ok(())
    }

    /// Closes what is done with; the state to go on from, if any is left.
    fn next_to_expand(&mut self) -> Option<Handle> {
        while !self.handles.is_empty() && self.open.last() == Some(&(self.handles.len() - 1)) {
            self.open.pop();
            self.handles.pop();
        }
        self.handles.last().copied()
    }

    /// Opens the top of the stack; how many are open now.
    fn open(&mut self) -> Result<u64, Full> {
        self.paid_bytes += reserve(&mut self.open, self.budget)?;
        self.open.push(self.handles.len() - 1);
        Ok(self.open.len() as u64)
    }

    fn path(&self) -> Vec<Handle> {
        self.open.iter().map(|&number| self.handles[number]).collect()
    }

    fn waiting(&self) -> u64 {
        (self.handles.len() - self.open.len()) as u64
    }
}

impl Drop for Stack<'_> {
    fn drop(&mut self) {
        self.budget.give_back(self.paid_bytes);
    }
}

/// Makes room for one more; what was paid for it. While a vector grows, its old and new memory exist side by side.
pub(crate) fn reserve<X>(list: &mut Vec<X>, budget: &Budget) -> Result<u64, Full> {
    if list.len() < list.capacity() {
        return Ok(0);
    }
    let growth = list.capacity().max(GROWTH);
    let bytes = |count: usize| (count * size_of::<X>()) as u64;
    budget.take(bytes(list.capacity() + growth))?;
    let reserved = list.try_reserve_exact(growth);
    // The old memory is free again; if nothing was moved, so is the new.
    budget.give_back(if reserved.is_ok() { bytes(list.capacity() - growth) } else { bytes(list.capacity() + growth) });
    match reserved {
        Ok(()) => Ok(bytes(growth)),
        Err(_) => Err(Full { limit_bytes: budget.limit_bytes() }),
    }
}
