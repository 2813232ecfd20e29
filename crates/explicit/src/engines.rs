//! The engines of this crate: what they take, and the one place where program, store and kernel are chosen.

use crate::profile::profiled;
use crate::reach::{self, Reach};
use crate::record::{Recorder, Silent};
use crate::reduction::{self, Reducing};
use crate::rung::{self, Abilities};
use crate::stack::{Spill, safety};
use crate::{bfs, dfs};
use lariat_engine::{
    CodeKind, Engine, EngineError, Options, Packing, Property, Refusal, Report, RunControl, StoreKind, Task,
};
use lariat_exec::{Backend, Use, with_program};
use lariat_space::{AnySpace, StateSpace};
use lariat_store::{Bitstate, Compact, FlatStore, Hybrid, Sample, TreeStore};
use lariat_system::Layout;
use std::time::Instant;

/// The engine `bfs`: settles `safety`, and formulas that fail at some moment, with a shortest counterexample, by any number
/// of threads.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bfs;

/// The engine `dfs`: settles the same by one thread; deep failures are met early.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dfs;

/// Why a formula of branching time is refused.
const BRANCHING: &str = "it follows single runs, and this formula speaks of branching time; `symbolic` checks it";

#[derive(Clone, Copy)]
pub(crate) enum Kernel {
    Bfs,
    Dfs,
}

impl Engine for Bfs {
    fn name(&self) -> &'static str {
        "bfs"
    }

    fn most_threads(&self) -> usize {
        usize::MAX
    }

    fn admits(&self, task: &Task<'_>) -> Result<(), Refusal> {
        // Every one of these is honoured; a new one must be thought about here.
        admits_property(task)?;
        let Options {
            store: _,
            keep_going: _,
            shortest: _,
            pool_may_grow: _,
            depth_limit: _,
            threads: _,
            code: _,
            profile: _,
            reduce: _,
            seed: _,
            runs: _,
            disk: _,
            acceptance: _,
        } = task.options;
        let reason = "it has no stack, and needs states back from the store; `dfs` has one";
        rung::admits(&task.options, Abilities { lossy: Err(reason), cache: Err(reason), own_stack: false })
    }

    fn run(&self, task: &Task<'_>, control: &RunControl) -> Result<Report, EngineError> {
        run(Kernel::Bfs, task, control)
    }
}

impl Engine for Dfs {
    fn name(&self) -> &'static str {
        "dfs"
    }

    fn admits(&self, task: &Task<'_>) -> Result<(), Refusal> {
        let refuse = |reason: &str| Err(Refusal { reason: reason.to_owned() });
        admits_property(task)?;
        let Options {
            store: _,
            keep_going: _,
            shortest,
            pool_may_grow: _,
            depth_limit,
            threads,
            code: _,
            profile: _,
            reduce: _,
            seed: _,
            runs: _,
            disk: _,
            acceptance: _,
        } = task.options;
        match () {
            _ if shortest => refuse("a depth-first search does not find a shortest run; `bfs` does"),
            _ if depth_limit.is_some() => {
                refuse("a depth-first search with a bound misses part of what lies within it; `bfs` does not")
            }
            _ if threads > 1 => refuse("a depth-first search has one thread; `bfs` takes several"),
            () => rung::admits(&task.options, Abilities { lossy: Ok(()), cache: Ok(()), own_stack: false }),
        }
    }

    fn run(&self, task: &Task<'_>, control: &RunControl) -> Result<Report, EngineError> {
        run(Kernel::Dfs, task, control)
    }
}

/// How the system is to be run.
pub(crate) fn backend_of(options: &Options) -> Backend {
    match options.code {
        CodeKind::Auto | CodeKind::Native => Backend::Native,
        CodeKind::Bytecode => Backend::Bytecode,
    }
}

/// An error if native code was asked for and there is none.
pub(crate) fn insist_on_code(options: &Options, backend: Backend) -> Result<(), EngineError> {
    if options.code == CodeKind::Native && backend != Backend::Native {
        let reason = "there is no native code for this model on this machine; `--code bytecode` runs it".to_owned();
        return Err(EngineError { reason });
    }
    Ok(())
}

/// Whether the property is one of reaching a state or not, and can be settled by what a reduction leaves.
fn admits_property(task: &Task<'_>) -> Result<(), Refusal> {
    reduction::admits(task)?;
    match &task.property {
        Property::Safety { invalid_ends: _ } => Ok(()),
        Property::Temporal(temporal) => reach::admits(task, temporal),
        Property::Branching(_) => Err(Refusal { reason: BRANCHING.to_owned() }),
    }
}

fn run(kernel: Kernel, task: &Task<'_>, control: &RunControl) -> Result<Report, EngineError> {
    let began = Instant::now();
    let backend = backend_of(&task.options);
    let run = match &task.property {
        Property::Safety { .. } => {
            with_program(task.system, backend, Reducing { task, what: Run { kernel, task, control, began } })
        }
        Property::Branching(_) => return Err(EngineError { reason: BRANCHING.to_owned() }),
        Property::Temporal(temporal) => {
            with_program(task.system, backend, Reducing { task, what: Reach { kernel, task, temporal, control } })
        }
    };
    run.map_err(|error| EngineError { reason: error.to_string() })?
}

/// A search of whatever the system becomes.
struct Run<'a> {
    kernel: Kernel,
    task: &'a Task<'a>,
    control: &'a RunControl,
    /// When making the program began.
    began: Instant,
}

impl Use for Run<'_> {
    type Output = Result<Report, EngineError>;

    fn of<S: StateSpace>(self, space: &S, backend: Backend) -> Self::Output {
        let Self { kernel, task, control, began } = self;
        insist_on_code(&task.options, backend)?;
        let spill = rung::spill_of(&task.options)?;
        let spill = spill.as_ref();
        let mut report = if task.options.profile {
            let space = AnySpace::new(space);
            profiled(task, control, began.elapsed(), |recorder| {
                run_over_any(kernel, space, task, control, recorder, spill)
            })
        } else {
            run_over(kernel, space, task, control, spill)
        };
        if matches!(task.options.store, StoreKind::Hybrid { .. }) {
            // Without an automaton and a second search a state has no tail.
            let states = report.stats.states;
            report.stats.packing = Some(Packing { packets: states, states, head_bits: state_bits(task)?, tails: 1 });
        }
        Ok(report)
    }
}

/// How many bits of a state of the system carry information.
pub(crate) fn state_bits(task: &Task<'_>) -> Result<u64, EngineError> {
    let layout = Layout::new(task.system).map_err(|error| EngineError { reason: error.to_string() })?;
    Ok(layout.used_bits() as u64)
}

/// Searches with whatever store is asked for. What most people ask for has code of its own for each kind of space; the rest
/// goes by a pointer to it.
pub(crate) fn run_over<S: StateSpace>(
    kernel: Kernel,
    space: &S,
    task: &Task<'_>,
    control: &RunControl,
    spill: Option<&Spill>,
) -> Report {
    let (words, budget) = (space.words_per_state(), &control.budget);
    let tree = || TreeStore::new(words, budget);
    let (invalid_ends, options) = (looks_for_invalid_ends(task), &task.options);
    match (kernel, options.store) {
        (Kernel::Bfs, StoreKind::Tree) => bfs(space, tree, invalid_ends, options, control, Silent).0,
        (Kernel::Dfs, StoreKind::Tree) => dfs(space, tree, invalid_ends, options, control, Silent).0,
        _ => run_over_any(kernel, AnySpace::new(space), task, control, Silent, spill).0,
    }
}

fn looks_for_invalid_ends(task: &Task<'_>) -> bool {
    !matches!(task.property, Property::Safety { invalid_ends: false })
}

fn run_over_any<R: Recorder>(
    kernel: Kernel,
    space: AnySpace<'_>,
    task: &Task<'_>,
    control: &RunControl,
    recorder: R,
    spill: Option<&Spill>,
) -> (Report, Vec<R>) {
    let space = &space;
    let words = space.words_per_state();
    let invalid_ends = looks_for_invalid_ends(task);
    let options = &task.options;
    let budget = &control.budget;
    let (tree, flat) = (|| TreeStore::new(words, budget), || FlatStore::new(words, budget));
    let hybrid = || Hybrid::new(words, Vec::new(), 0, budget);
    match (kernel, options.store) {
        (Kernel::Bfs, StoreKind::Tree) => bfs(space, tree, invalid_ends, options, control, recorder),
        (Kernel::Bfs, StoreKind::Flat) => bfs(space, flat, invalid_ends, options, control, recorder),
        (Kernel::Bfs, StoreKind::Hybrid { .. }) => bfs(space, hybrid, invalid_ends, options, control, recorder),
        (Kernel::Dfs, StoreKind::Hybrid { .. }) => dfs(space, hybrid, invalid_ends, options, control, recorder),
        (Kernel::Dfs, StoreKind::Tree) => dfs(space, tree, invalid_ends, options, control, recorder),
        (Kernel::Dfs, StoreKind::Flat) => dfs(space, flat, invalid_ends, options, control, recorder),
        (Kernel::Dfs, StoreKind::Bitstate { hashes }) => {
            let report = rung::in_runs(options, budget, true, |seed, sample| {
                let bits = Bitstate::most_of(budget, hashes, seed).map(|bits| bits.with_sample(sample));
                safety(space, bits, invalid_ends, options, control, spill)
            });
            (report, vec![recorder])
        }
        (Kernel::Dfs, StoreKind::Compact) => {
            let report = rung::in_runs(options, budget, false, |seed, _| {
                let fingerprints = Compact::new(Compact::MAX_FINGERPRINT_BITS, seed, budget);
                safety(space, fingerprints, invalid_ends, options, control, spill)
            });
            (report, vec![recorder])
        }
        (Kernel::Dfs, StoreKind::Cache { replacement }) => {
            let sample = Sample::new(budget);
            let cache = rung::cache(words, replacement, options.seed, &sample, budget);
            (safety(space, cache, invalid_ends, options, control, spill), vec![recorder])
        }
        (Kernel::Bfs, StoreKind::Bitstate { .. } | StoreKind::Compact | StoreKind::Cache { .. }) => {
            unreachable!("it refuses what does not keep all states")
        }
    }
}
