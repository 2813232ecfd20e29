//! The engines `bfs` and `dfs`: what they take, and the one place where program, store and kernel are chosen for them.

use crate::bfs::scouted_bfs;
use crate::dfs;
use crate::keyed::keyed_bfs;
use crate::lasso;
use crate::profile::profiled;
use crate::record::{NoRecorder, Recorder};
use crate::repeat::{self, lossy_runs};
use crate::scout::{Order, Scouts, search_as_scout};
use crate::stack::{Spill, safety};
use crate::storage::{Keeping, Storage, Visiting, ensure_fits_store};
use crate::temporal::CycleSearch;
use crate::worker::Job;
use lariat_automata::LassoReader;
use lariat_engine::{
    Engine, EngineError, Feature, Options, Packing, Plan, PoolTooSmall, Prepared, Property, Refusal, Report,
    RunControl, RunError, Task, Temporal,
};
use lariat_space::{AnySpace, StateSpace};
use lariat_store::{Bitstate, Compact, FlatStore, Hybrid, Sample, TreeStore};
use lariat_subject::{
    OverSpace, bad_prefix, ensure_search_options, ensure_searchable, ensure_undirected, shortest, state_bits,
    with_space,
};
use std::time::Instant;

/// The engine `bfs`: settles `safety`, and formulas that fail at some moment, with a shortest counterexample, by any number
/// of threads.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bfs;

/// The engine `dfs`: settles the same by one thread; deep failures are met early.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dfs;

/// In which order states are looked at that a store keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SearchOrder {
    BreadthFirst,
    DepthFirst,
}

/// A search for failures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exploration {
    /// Of states that a store keeps.
    Kept(SearchOrder, Keeping),
    /// Depth first, with whole states on a stack.
    OnStack(Visiting),
}

impl Engine for Bfs {
    fn name(&self) -> &'static str {
        "bfs"
    }
    fn about(&self) -> &'static str {
        "breadth-first search: `safety`, and formulas that fail at some moment; shortest traces, with `--shortest` also lassos"
    }
    fn most_threads(&self) -> usize {
        usize::MAX
    }
    fn prepare<'t>(&self, task: &'t Task<'t>) -> Result<Box<dyn Prepared + 't>, Refusal> {
        let objective = Objective::of(task, task.options.shortest)?;
        let store = task.options.store;
        let Storage::Keeping(keeping) = Storage::of(store) else {
            return Err(Refusal::because(Feature::Store(store), "it needs every state back from the store"));
        };
        ensure_fits_store(&task.options, false)?;
        Ok(prepared(
            self.name(),
            task,
            objective,
            Exploration::Kept(SearchOrder::BreadthFirst, keeping),
            "breadth first",
        ))
    }
}

impl Engine for Dfs {
    fn name(&self) -> &'static str {
        "dfs"
    }
    fn about(&self) -> &'static str {
        "depth-first search: the same properties; meets deep failures early, and works with every store"
    }
    fn prepare<'t>(&self, task: &'t Task<'t>) -> Result<Box<dyn Prepared + 't>, Refusal> {
        let objective = Objective::of(task, false)?;
        let Options { store, shortest, depth_limit, threads, .. } = task.options;
        match () {
            _ if shortest => return Err(Refusal::of(Feature::Shortest)),
            _ if depth_limit.is_some() => {
                let why = "a bounded depth-first search can miss states within the bound";
                return Err(Refusal::because(Feature::DepthLimit, why));
            }
            _ if threads > 1 => return Err(Refusal::of(Feature::Threads)),
            () => {}
        }
        let exploration = match Storage::of(store) {
            Storage::Keeping(keeping) => Exploration::Kept(SearchOrder::DepthFirst, keeping),
            Storage::Visiting(visiting) => Exploration::OnStack(visiting),
        };
        ensure_fits_store(&task.options, matches!(exploration, Exploration::OnStack(_)))?;
        Ok(prepared(self.name(), task, objective, exploration, "depth first"))
    }
}

/// What is to be reached or not.
enum Objective<'t> {
    /// A failure of `safety`.
    Safety,
    /// A state from which every run is bad.
    BadPrefix(&'t Temporal),
    /// The end of a shortest lasso.
    Lasso(&'t Temporal, Box<LassoReader>),
}

impl<'t> Objective<'t> {
    /// What the property asks for, if that is a matter of reaching a state, and what a reduction leaves settles it.
    fn of(task: &'t Task<'t>, lassos: bool) -> Result<Self, Refusal> {
        ensure_searchable(task)?;
        let objective = match &task.property {
            Property::Safety { invalid_ends: _ } => Self::Safety,
            Property::Temporal(temporal) => Self::BadPrefix(temporal),
            Property::Branching(_) | Property::Distance(_) => {
                return Err(Refusal::because(Feature::of_property(&task.property), "it follows single runs"));
            }
        };
        ensure_search_options(task)?;
        ensure_undirected(task)?;
        let Self::BadPrefix(temporal) = objective else { return Ok(objective) };
        match bad_prefix::ensure_bad_prefix(task, temporal) {
            Ok(()) => Ok(objective),
            Err(refusal) if !lassos => Err(refusal),
            Err(_) => {
                let reader = shortest::ensure_shortest(task, temporal)?;
                CycleSearch::SCC.prepare(&lasso::deciding(task))?;
                Ok(Self::Lasso(temporal, Box::new(reader)))
            }
        }
    }
}

fn prepared<'t>(
    engine: &str,
    task: &'t Task<'t>,
    objective: Objective<'t>,
    exploration: Exploration,
    algorithm: &str,
) -> Box<dyn Prepared + 't> {
    let mut plan = Plan::new(engine, task, algorithm);
    if let Exploration::Kept(SearchOrder::BreadthFirst, _) = exploration {
        plan = plan.with_scouts(task);
    }
    match &objective {
        Objective::Safety => {}
        Objective::BadPrefix(temporal) => plan.product = Some(bad_prefix::product_plan(task, temporal)),
        Objective::Lasso(temporal, _) => plan = lasso::planned(plan, task, temporal),
    }
    Box::new(PreparedReachability { task, objective, exploration, plan })
}

/// A search for failures, ready to run.
struct PreparedReachability<'t> {
    task: &'t Task<'t>,
    objective: Objective<'t>,
    exploration: Exploration,
    plan: Plan,
}

impl Prepared for PreparedReachability<'_> {
    fn plan(&self) -> &Plan {
        &self.plan
    }

    fn ensure_ready(&self) -> Result<(), EngineError> {
        repeat::spill_of(&self.task.options).map(|_| ())
    }

    fn run(self: Box<Self>, control: &RunControl) -> Result<Report, RunError> {
        let Self { task, objective, exploration, plan: _ } = *self;
        match objective {
            Objective::Safety => with_space(task, SafetyRun { exploration, task, control, began: Instant::now() }),
            Objective::BadPrefix(temporal) => with_space(task, BadPrefixRun { exploration, task, temporal, control }),
            Objective::Lasso(temporal, reader) => lasso::run(task, temporal, &reader, exploration, control),
        }
    }
}

/// A search of whatever the system becomes, for `safety`.
struct SafetyRun<'a> {
    exploration: Exploration,
    task: &'a Task<'a>,
    control: &'a RunControl,
    /// When making the program began.
    began: Instant,
}

impl OverSpace for SafetyRun<'_> {
    type Output = Report;

    fn over<S: StateSpace>(self, space: &S) -> Result<Report, RunError> {
        let Self { exploration, task, control, began } = self;
        let mut report = match exploration {
            Exploration::Kept(order, keeping) if task.options.profile => {
                let space = AnySpace::new(space);
                profiled(task, control, began.elapsed(), |recorder| {
                    kept_over_any(order, keeping, space, task, control, recorder, None)
                })?
            }
            _ => explore(exploration, space, task, control)?,
        };
        if matches!(exploration, Exploration::Kept(_, Keeping::Hybrid(_))) && !report.scouted {
            // Without an automaton and a second search a state has no tail.
            let states = report.stats.states;
            report.stats.packing = Some(Packing { packets: states, states, head_bits: state_bits(task)?, tails: 1 });
        }
        Ok(report)
    }
}

/// A search for bad prefixes of a temporal property.
struct BadPrefixRun<'a> {
    exploration: Exploration,
    task: &'a Task<'a>,
    temporal: &'a Temporal,
    control: &'a RunControl,
}

impl OverSpace for BadPrefixRun<'_> {
    type Output = Report;

    fn over<S: StateSpace>(self, space: &S) -> Result<Report, RunError> {
        let Self { exploration, task, temporal, control } = self;
        bad_prefix::search(space, task, temporal, control, |ending| match exploration {
            // Rare enough to go by a pointer.
            Exploration::Kept(SearchOrder::DepthFirst, Keeping::Tree) => {
                explore(exploration, &AnySpace::new(ending), task, control)
            }
            _ => explore_levels(exploration, ending, task, control),
        })
    }
}

/// Searches in whatever order and with whatever store is asked for. What most people ask for has code of its own for each kind
/// of space; the rest goes by a pointer to it.
pub(crate) fn explore<S: StateSpace>(
    exploration: Exploration,
    space: &S,
    task: &Task<'_>,
    control: &RunControl,
) -> Result<Report, RunError> {
    match exploration {
        Exploration::Kept(SearchOrder::DepthFirst, Keeping::Tree) => {
            let tree = || TreeStore::new(space.words_per_state(), &control.budget);
            Ok(dfs(space, tree, looks_for_invalid_ends(task), &task.options, control, NoRecorder)?.0)
        }
        _ => explore_levels(exploration, space, task, control),
    }
}

/// The same, with code of its own for breadth-first search alone.
fn explore_levels<S: StateSpace>(
    exploration: Exploration,
    space: &S,
    task: &Task<'_>,
    control: &RunControl,
) -> Result<Report, RunError> {
    let options = &task.options;
    let (any, job) = (AnySpace::new(space), Job { invalid_ends: looks_for_invalid_ends(task), options, control });
    let send = |order: Order, work: u64| search_as_scout(any, job, order, work);
    let scouts = options.sends_scouts().then(|| Scouts::new(&Order::ALL, &send, control));
    let report = match exploration {
        Exploration::Kept(SearchOrder::BreadthFirst, Keeping::Tree)
            if let Some(report) = keyed_bfs(space, job, scouts.as_ref())? =>
        {
            report
        }
        Exploration::Kept(SearchOrder::BreadthFirst, Keeping::Tree) => {
            let tree = || TreeStore::new(space.words_per_state(), &control.budget);
            scouted_bfs(space, tree, job, NoRecorder, scouts.as_ref())?.0
        }
        Exploration::Kept(order, keeping) => {
            kept_over_any(order, keeping, any, task, control, NoRecorder, scouts.as_ref())?.0
        }
        Exploration::OnStack(visiting) => {
            let spill = repeat::spill_of(options)?;
            on_stack(visiting, any, task, control, spill.as_ref())?
        }
    };
    Ok(scouts.and_then(|scouts| scouts.take_found()).unwrap_or(Ok(report))?)
}

fn looks_for_invalid_ends(task: &Task<'_>) -> bool {
    !matches!(task.property, Property::Safety { invalid_ends: false })
}

fn kept_over_any<R: Recorder>(
    order: SearchOrder,
    keeping: Keeping,
    space: AnySpace<'_>,
    task: &Task<'_>,
    control: &RunControl,
    recorder: R,
    scouts: Option<&Scouts<'_>>,
) -> Result<(Report, Vec<R>), PoolTooSmall> {
    let (space, words) = (&space, space.words_per_state());
    let (invalid_ends, options) = (looks_for_invalid_ends(task), &task.options);
    let job = Job { invalid_ends, options, control };
    let budget = &control.budget;
    let (tree, flat) = (|| TreeStore::new(words, budget), || FlatStore::new(words, budget));
    let hybrid = || Hybrid::new(words, Vec::new(), 0, budget);
    match (order, keeping) {
        (SearchOrder::BreadthFirst, Keeping::Tree) => scouted_bfs(space, tree, job, recorder, scouts),
        (SearchOrder::BreadthFirst, Keeping::Flat) => scouted_bfs(space, flat, job, recorder, scouts),
        (SearchOrder::BreadthFirst, Keeping::Hybrid(_)) => scouted_bfs(space, hybrid, job, recorder, scouts),
        (SearchOrder::DepthFirst, Keeping::Tree) => dfs(space, tree, invalid_ends, options, control, recorder),
        (SearchOrder::DepthFirst, Keeping::Flat) => dfs(space, flat, invalid_ends, options, control, recorder),
        (SearchOrder::DepthFirst, Keeping::Hybrid(_)) => dfs(space, hybrid, invalid_ends, options, control, recorder),
    }
}

fn on_stack(
    visiting: Visiting,
    space: AnySpace<'_>,
    task: &Task<'_>,
    control: &RunControl,
    spill: Option<&Spill>,
) -> Result<Report, PoolTooSmall> {
    let (space, words) = (&space, space.words_per_state());
    let (invalid_ends, options) = (looks_for_invalid_ends(task), &task.options);
    let budget = &control.budget;
    match visiting {
        Visiting::Bitstate { hashes } => lossy_runs(options, budget, true, |seed, sample| {
            let bits = Bitstate::most_of(budget, hashes, seed).map(|bits| bits.with_sample(sample));
            safety(space, bits, invalid_ends, options, control, spill)
        }),
        Visiting::Compact => lossy_runs(options, budget, false, |seed, _| {
            let fingerprints = Compact::new(Compact::MAX_FINGERPRINT_BITS, seed, budget);
            safety(space, fingerprints, invalid_ends, options, control, spill)
        }),
        Visiting::Cache(replacement) => {
            let sample = Sample::new(budget);
            let cache = repeat::cache(words, replacement, options.seed, &sample, budget);
            safety(space, cache, invalid_ends, options, control, spill)
        }
    }
}
