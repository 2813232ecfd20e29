//! The state space of a task.

use crate::choices::ensure_listable;
use crate::fairness::with_labelled_actors;
use crate::reduction::{self, ample_of};
use lariat_engine::{CodeKind, EngineError, Feature, Options, Property, Refusal, RunError, Subject, Task, TemporalBy};
use lariat_exec::{Backend, SpaceVisitor, native_obstacle, with_program, with_program_noting_cuts};
use lariat_space::StateSpace;
use lariat_system::Layout;

/// What is done with the space of a task, whichever kind it is of.
pub trait OverSpace {
    /// What comes of it.
    type Output;

    /// Does it.
    fn over<S: StateSpace>(self, space: &S) -> Result<Self::Output, RunError>;
}

/// A refusal if no search from state to state can do what the task asks for.
pub fn ensure_searchable(task: &Task<'_>) -> Result<(), Refusal> {
    let Options { code, profile, .. } = task.options;
    match task.subject {
        Subject::System(system) => {
            ensure_listable(system)?;
            if let Some(why) = (code == CodeKind::Native).then(|| native_obstacle(system)).flatten() {
                return Err(Refusal::because(Feature::Native, format!("{why}; `--code bytecode` runs it")));
            }
        }
        Subject::Space(_) if code != CodeKind::Auto => {
            return Err(Refusal::because(Feature::Code, "a model written in Rust is compiled already"));
        }
        Subject::Space(_) if profile => {
            return Err(Refusal::because(Feature::Profile, "it names variables, and a model written in Rust has none"));
        }
        Subject::Space(_) => {}
    }
    reduction::ensure_sound(task)
}

/// A refusal of options that mean nothing to a search from state to state. Such an engine honours the others, or refuses them
/// by itself.
pub fn ensure_search_options(task: &Task<'_>) -> Result<(), Refusal> {
    // All are listed: a new option must be thought about here, for every engine that goes from state to state.
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
        // Engines that go deep, and those that are asked for where memory is short, send none.
        scout: _,
        seed: _,
        runs: _,
        disk: _,
        acceptance: _,
        order,
        temporal_by,
        fair,
        // Engines that are not directed refuse it: `ensure_undirected`.
        heuristic: _,
        graph_limit,
        graph_instead,
        // The facade refuses it where no card is used.
        gpu_memory_bytes: _,
    } = &task.options;
    match () {
        _ if order.is_some() => Err(Refusal::of_order()),
        _ if *temporal_by == TemporalBy::Tester && matches!(task.property, Property::Temporal(_)) => {
            Err(Refusal::of_tester())
        }
        _ if let Some(option) = fair.given() => Err(Refusal::of_fair_search(option)),
        _ if graph_limit.is_some() => Err(Refusal::of_graph_limit()),
        _ if graph_instead.is_some() => Err(Refusal::of_graph_instead()),
        () => Ok(()),
    }
}

/// A refusal of `--heuristic` by an engine that is not directed.
pub fn ensure_undirected(task: &Task<'_>) -> Result<(), Refusal> {
    if task.options.heuristic.is_some() { Err(Refusal::of_heuristic()) } else { Ok(()) }
}

/// Makes the space of the task, which is [searchable](ensure_searchable), and does something with it.
pub fn with_space<U: OverSpace>(task: &Task<'_>, what: U) -> Result<U::Output, RunError> {
    let system = match task.subject {
        Subject::Space(given) => return what.over(&given.space),
        Subject::System(system) => system,
    };
    let backend = match task.options.code {
        CodeKind::Auto => Backend::Tiered,
        CodeKind::Native => Backend::Native,
        CodeKind::Bytecode => Backend::Bytecode,
    };
    let ample = ample_of(task, system)?;
    let run = Compiled { what, code: task.options.code };
    let ran = match task.property {
        // One search looks for truncated values: the other properties would find the same ones again.
        Property::Safety { .. } => with_program_noting_cuts(system, backend, ample.as_ref(), run),
        Property::Temporal(_) => with_program(&with_labelled_actors(system), backend, ample.as_ref(), run),
        Property::Branching(_) | Property::Distance(_) => with_program(system, backend, ample.as_ref(), run),
    };
    ran.map_err(|error| EngineError { reason: error.to_string() })?
}

/// What is done with a compiled system.
struct Compiled<U> {
    what: U,
    code: CodeKind,
}

impl<U: OverSpace> SpaceVisitor for Compiled<U> {
    type Output = Result<U::Output, RunError>;

    fn visit<S: StateSpace>(self, space: &S, backend: Backend) -> Self::Output {
        if self.code == CodeKind::Native && backend != Backend::Native {
            let reason = "there is no native code for this model on this machine; `--code bytecode` runs it".to_owned();
            return Err(EngineError { reason }.into());
        }
        self.what.over(space)
    }
}

/// How many bits of a state carry information.
pub fn state_bits(task: &Task<'_>) -> Result<u64, EngineError> {
    match task.subject {
        Subject::Space(given) => Ok(given.state_bits),
        Subject::System(system) => {
            let layout = Layout::new(system).map_err(|error| EngineError { reason: error.to_string() })?;
            Ok(layout.used_bits() as u64)
        }
    }
}
