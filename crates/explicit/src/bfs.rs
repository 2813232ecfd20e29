//! Breadth-first search over an exact store.
//!
//! The store gives out dense handles in the order states are added, so it *is* the queue: the states not yet expanded are
//! those from the next handle on, and a level ends where the store ended when the level began. With a parent for every
//! state each failure's run is a shortest one of its kind. The first failure met has the shallowest state, but a dead end
//! at that depth has a run one step shorter than a fault: after a fault the rest of the level is looked through for dead
//! ends. So the run is always a shortest one, asked for or not. Successors are probed in batches; a batch is emptied
//! whenever the search stops, so that figures and verdict do not depend on its size.

use crate::failures::Failures;
use crate::leash::Leash;
use crate::parents::Parents;
use crate::trace::evidence;
use lariat_base::Id;
use lariat_engine::{
    Engine, EngineError, FailureKind, Options, Property, Refusal, Report, RunControl, Shortfall, Stats, StoreKind,
    Task, Verdict,
};
use lariat_exec::Program;
use lariat_space::{Move, Outcome, State, StateSpace, Step};
use lariat_store::{Answer, Batch, Exactness, FlatStore, Full, Handle, Origins, Recall, hash_state};
use lariat_system::{ActionId, Fault};
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

/// States in a batch.
const BATCH_LEN: usize = 256;
/// How many steps may pass between two looks at the clock.
const CHECK_INTERVAL: u64 = 1000;

/// The engine `bfs`: settles `safety` with a shortest counterexample.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bfs;

impl Engine for Bfs {
    fn name(&self) -> &'static str {
        "bfs"
    }

    fn admits(&self, task: &Task<'_>) -> Result<(), Refusal> {
        // Every one of these is honoured; a new one must be thought about here.
        let Property::Safety { invalid_ends: _ } = task.property;
        let Options { store: StoreKind::Flat, keep_going: _, shortest: _, pool_may_grow: _, depth_limit: _ } =
            task.options;
        Ok(())
    }

    fn run(&self, task: &Task<'_>, control: &RunControl) -> Result<Report, EngineError> {
        let space = Program::compile(task.system).map_err(|error| EngineError { reason: error.to_string() })?;
        match FlatStore::new(space.words_per_state(), &control.budget) {
            Ok(store) => Ok(search(&space, &store, &task.property, &task.options, control)),
            Err(full) => Ok(Report::at_once(full.into())),
        }
    }
}

/// The kernel. `store` is empty, gives out dense handles, and takes its memory from the budget of `control`.
pub fn search<S: StateSpace, T: Recall>(
    space: &S,
    store: &T,
    property: &Property,
    options: &Options,
    control: &RunControl,
) -> Report {
    let Property::Safety { invalid_ends } = *property;
    let mut search = Search::new(space.words_per_state(), store, options, control);
    let ended = search.run(space, invalid_ends);
    search.report(space, ended)
}

/// Why a search ends before it has seen everything.
enum Stop {
    Failure,
    Short(Shortfall),
}

impl From<Full> for Stop {
    fn from(full: Full) -> Self {
        Self::Short(full.into())
    }
}

struct Search<'a, T> {
    store: &'a T,
    control: &'a RunControl,
    options: &'a Options,
    batch: Batch,
    /// Of each state in the batch; `None` for an initial one.
    batch_parents: Vec<Option<Handle>>,
    batch_bytes: u64,
    parents: Parents<'a>,
    failures: Failures,
    /// How many states have been expanded: the first so many.
    expanded: u64,
    transitions: u64,
    depth: u64,
    digest: u64,
    /// By action: whether it was taken.
    taken: Vec<bool>,
    /// A fault was met; what is left to look for on this level is a failure with a shorter run.
    only_dead_ends: bool,
    steps_since_check: u64,
}

impl<'a, T: Recall> Search<'a, T> {
    fn new(words_per_state: usize, store: &'a T, options: &'a Options, control: &'a RunControl) -> Self {
        Self {
            store,
            control,
            options,
            batch: Batch::new(words_per_state),
            batch_parents: Vec::new(),
            batch_bytes: 0,
            parents: Parents::new(&control.budget),
            failures: Failures::default(),
            expanded: 0,
            transitions: 0,
            depth: 0,
            digest: 0,
            taken: Vec::new(),
            only_dead_ends: false,
            steps_since_check: 0,
        }
    }

    /// Searches everything, or up to the reason to stop.
    fn run<S: StateSpace>(&mut self, space: &S, invalid_ends: bool) -> Result<(), Stop> {
        // The batch; the parents, in a vector that grows too; the state being expanded.
        let words = space.words_per_state();
        let parents_bytes = 2 * BATCH_LEN * size_of::<Option<Handle>>();
        let batch_bytes = Batch::most_bytes(words, BATCH_LEN) + (parents_bytes + words * size_of::<u64>()) as u64;
        self.control.budget.take(batch_bytes)?;
        self.batch_bytes = batch_bytes;

        let ended = self.explore(space, invalid_ends);
        // What was met before the end still counts, whatever the end was. Should there be no memory for it, the reason
        // to stop that came first is the one to tell.
        let emptied = self.empty_batch();
        self.show_progress();
        ended.and(emptied.map_err(Stop::from))
    }

    fn explore<S: StateSpace>(&mut self, space: &S, invalid_ends: bool) -> Result<(), Stop> {
        let mut leash = Leash::new(self.control);
        let mut scratch = space.scratch();
        as_result(space.initial(&mut scratch, |state| as_flow(self.tick().and_then(|()| self.offer(state, None)))))?;
        self.empty_batch()?;

        let mut origins = Origins::new(space.words_per_state());
        let mut level_end = self.store.len();
        while self.expanded < level_end {
            let at_limit = self.options.depth_limit == Some(self.depth);
            for source in (self.expanded..level_end).map(Handle) {
                self.store.recall(&[source], &mut origins);
                let source_words = origins.state(0);
                let mut dead_end = true;
                let watch = |underway| as_flow(leash.allow(underway).map_err(Stop::Short));
                as_result(space.watched_steps(source_words, &mut scratch, watch, |step| {
                    dead_end = false;
                    if at_limit || self.only_dead_ends {
                        return ControlFlow::Break(None);
                    }
                    as_flow(self.take(step, source))
                }))?;
                if dead_end && invalid_ends && !space.is_proper_end(source_words, &mut scratch) {
                    self.fail(FailureKind::InvalidEnd, source, &[])?;
                }
                self.expanded += 1;
                self.tick()?;
            }
            if self.only_dead_ends {
                return Err(Stop::Failure);
            }
            self.empty_batch()?;
            level_end = self.store.len();
            self.depth += u64::from(self.expanded < level_end);
        }
        match self.options.depth_limit {
            Some(limit) => Err(Stop::Short(Shortfall::Depth { limit })),
            None => Ok(()),
        }
    }

    fn take(&mut self, step: Step<'_>, source: Handle) -> Result<(), Stop> {
        self.tick()?;
        match step.target {
            _ if self.only_dead_ends => Ok(()),
            Outcome::State(target) => {
                self.transitions += 1;
                self.note_taken(step.via);
                self.offer(target, Some(source))
            }
            Outcome::Fault(fault) => self.fail(FailureKind::Fault(fault), source, step.via),
        }
    }

    fn note_taken(&mut self, via: &[Move]) {
        for action in via.iter().map(|step| step.action.index()) {
            if action >= self.taken.len() {
                self.taken.resize(action + 1, false);
            }
            self.taken[action] = true;
        }
    }

    fn fail(&mut self, kind: FailureKind, state: Handle, via: &[Move]) -> Result<(), Stop> {
        self.failures.add(kind, state, via);
        let guessed_wrong = self.options.pool_may_grow && matches!(kind, FailureKind::Fault(Fault::PoolFull(_)));
        if guessed_wrong {
            Err(Stop::Failure)
        } else if self.options.keep_going {
            Ok(())
        } else if kind != FailureKind::InvalidEnd {
            self.only_dead_ends = true;
            Ok(())
        } else {
            Err(Stop::Failure)
        }
    }

    fn offer(&mut self, state: &State, parent: Option<Handle>) -> Result<(), Stop> {
        self.batch.push(state, None);
        self.batch_parents.push(parent);
        if self.batch.len() == BATCH_LEN { Ok(self.empty_batch()?) } else { Ok(()) }
    }

    fn empty_batch(&mut self) -> Result<(), Full> {
        let probed =
            self.parents.reserve(self.batch.len()).and_then(|()| self.store.probe(&mut self.batch, &Origins::new(0)));
        for (number, answer) in self.batch.answers.iter().enumerate() {
            if let Answer::New(handle) = *answer {
                debug_assert_eq!(handle.0, self.parents.len(), "the store's handles are dense");
                self.parents.push(self.batch_parents[number].unwrap_or(handle));
                self.digest = self.digest.wrapping_add(hash_state(self.batch.state(number)));
            }
        }
        self.batch.clear();
        self.batch_parents.clear();
        probed
    }

    /// One more step was looked at.
    fn tick(&mut self) -> Result<(), Stop> {
        self.steps_since_check += 1;
        if self.steps_since_check < CHECK_INTERVAL {
            return Ok(());
        }
        self.steps_since_check = 0;
        self.show_progress();
        self.control.check().map_err(Stop::Short)
    }

    fn show_progress(&self) {
        let counters = &self.control.counters;
        counters.states.store(self.store.len(), Ordering::Relaxed);
        counters.transitions.store(self.transitions, Ordering::Relaxed);
        counters.depth.store(self.depth, Ordering::Relaxed);
        counters.waiting.store(self.store.len() - self.expanded, Ordering::Relaxed);
    }

    fn report<S: StateSpace>(&self, space: &S, ended: Result<(), Stop>) -> Report {
        let mut failures: Vec<_> = self
            .failures
            .first_of_kind
            .iter()
            .map(|sighting| evidence(space, self.store, &self.parents, sighting))
            .collect();
        failures.sort_by_key(|evidence| evidence.trace.steps.len());
        if !self.options.keep_going {
            failures.truncate(1);
        }
        let (complete, unfinished) = match ended {
            Ok(()) => (true, None),
            Err(Stop::Failure) => (false, None),
            Err(Stop::Short(shortfall)) => (false, Some(shortfall)),
        };
        let verdict = match (failures.first(), unfinished) {
            (Some(first), _) => Verdict::Fails(first.clone()),
            (None, Some(shortfall)) => Verdict::Undecided(shortfall),
            (None, None) => Verdict::of_exhausted(self.store.exactness()),
        };
        let states = self.store.len();
        let budget = &self.control.budget;
        Report {
            verdict,
            exactness: self.store.exactness(),
            failures,
            failure_count: self.failures.count,
            unfinished,
            taken: complete.then(|| {
                let taken = self.taken.iter().enumerate().filter(|&(_, &taken)| taken);
                taken.map(|(action, _)| ActionId::new(action)).collect()
            }),
            stats: Stats {
                states,
                transitions: self.transitions,
                depth: self.depth,
                bytes_per_state: (self.store.bytes() + self.parents.bytes()) as f64 / states.max(1) as f64,
                peak_budget_bytes: budget.peak_bytes(),
                digest: (complete && self.store.exactness() == Exactness::Exact).then_some(self.digest),
                elapsed: self.control.started.elapsed(),
            },
        }
    }
}

impl<T> Drop for Search<'_, T> {
    fn drop(&mut self) {
        self.control.budget.give_back(self.batch_bytes);
    }
}

/// A break without a reason is the sink's own business and no reason to stop.
fn as_result(flow: ControlFlow<Option<Stop>>) -> Result<(), Stop> {
    match flow {
        ControlFlow::Break(Some(stop)) => Err(stop),
        ControlFlow::Break(None) | ControlFlow::Continue(()) => Ok(()),
    }
}

fn as_flow(result: Result<(), Stop>) -> ControlFlow<Option<Stop>> {
    match result {
        Ok(()) => ControlFlow::Continue(()),
        Err(stop) => ControlFlow::Break(Some(stop)),
    }
}
