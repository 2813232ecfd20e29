//! The engines of this crate: what they take, and the one place where program, store and kernel are chosen.

use crate::profile::profiled;
use crate::record::{Recorder, Silent};
use crate::{bfs, dfs};
use lariat_engine::{Engine, EngineError, Options, Property, Refusal, Report, RunControl, StoreKind, Task};
use lariat_exec::Program;
use lariat_space::StateSpace;
use lariat_store::FlatStore;
use std::time::Instant;

/// The engine `bfs`: settles `safety` with a shortest counterexample, by any number of threads.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bfs;

/// The engine `dfs`: settles `safety` by one thread; deep failures are met early.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dfs;

#[derive(Clone, Copy)]
enum Kernel {
    Bfs,
    Dfs,
}

impl Engine for Bfs {
    fn name(&self) -> &'static str {
        "bfs"
    }

    fn admits(&self, task: &Task<'_>) -> Result<(), Refusal> {
        // Every one of these is honoured; a new one must be thought about here.
        let Property::Safety { invalid_ends: _ } = task.property;
        let Options { store, keep_going: _, shortest: _, pool_may_grow: _, depth_limit: _, threads: _, profile: _ } =
            task.options;
        match store {
            StoreKind::Flat => Ok(()),
        }
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
        let Property::Safety { invalid_ends: _ } = task.property;
        let Options { store, keep_going: _, shortest, pool_may_grow: _, depth_limit: _, threads, profile: _ } =
            task.options;
        match store {
            StoreKind::Flat if shortest => refuse("a depth-first search does not find a shortest run; `bfs` does"),
            StoreKind::Flat if threads > 1 => refuse("a depth-first search has one thread; `bfs` takes several"),
            StoreKind::Flat => Ok(()),
        }
    }

    fn run(&self, task: &Task<'_>, control: &RunControl) -> Result<Report, EngineError> {
        run(Kernel::Dfs, task, control)
    }
}

fn run(kernel: Kernel, task: &Task<'_>, control: &RunControl) -> Result<Report, EngineError> {
    let began = Instant::now();
    let space = Program::compile(task.system).map_err(|error| EngineError { reason: error.to_string() })?;
    let compiling = began.elapsed();
    Ok(if task.options.profile {
        profiled(task, control, compiling, |recorder| run_over(kernel, &space, task, control, recorder))
    } else {
        run_over(kernel, &space, task, control, Silent).0
    })
}

fn run_over<S: StateSpace, R: Recorder>(
    kernel: Kernel,
    space: &S,
    task: &Task<'_>,
    control: &RunControl,
    recorder: R,
) -> (Report, Vec<R>) {
    let words = space.words_per_state();
    let (property, options) = (&task.property, &task.options);
    match (kernel, options.store) {
        (Kernel::Bfs, StoreKind::Flat) => {
            bfs(space, || FlatStore::new(words, &control.budget), property, options, control, recorder)
        }
        (Kernel::Dfs, StoreKind::Flat) => {
            dfs(space, || FlatStore::new(words, &control.budget), property, options, control, recorder)
        }
    }
}
