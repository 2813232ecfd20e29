//! Settling the properties of a model.

use crate::Model;
use lariat_base::{Diagnostic, Span, closest_name};
use lariat_engine::profile::Phase;
use lariat_engine::{
    Engine, Options, Property, Report, RunControl, Settled, Statement, SystemReplay, Task, Verdict, never_taken,
};
use lariat_explicit::{Bfs, Dfs};
use lariat_system::{MAX_POOL_SIZE, System};
use std::cell::{Cell, RefCell};
use std::fmt;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// The size of the pool to begin with where the model does not tell one.
const FIRST_POOL_SIZE: u16 = 8;
/// The property that every model has.
const SAFETY: &str = "safety";
/// Properties that every model has, but that we cannot settle yet.
const LATER: [(&str, &str); 2] = [("np_", "non-progress cycles"), ("accept", "acceptance cycles")];

/// What is to be checked, and how.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CheckOptions {
    /// Only the properties of these names; all if there are none.
    pub properties: Vec<String>,
    /// Which engine.
    pub engine: EngineChoice,
    /// Dead ends that are no proper ends are no failures.
    pub allow_deadlock: bool,
    /// How many threads search, in place of what the options say: as many as the engine can use and the machine has if
    /// this is not given.
    pub threads: Option<usize>,
    /// For the engine.
    pub options: Options,
}

/// Which engine is to be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EngineChoice {
    /// The one that suits best.
    #[default]
    Auto,
    /// Breadth-first search in memory.
    Bfs,
    /// Depth-first search in memory.
    Dfs,
}

/// A checked model.
#[derive(Debug)]
pub struct Checked {
    /// The system that was searched: traces are runs of this one.
    pub system: System,
    /// The properties that were asked for, each with its answer.
    pub settled: Vec<Settled>,
    /// Properties that the model states and that were not looked at, because this release cannot.
    pub unchecked: Vec<String>,
    /// What is odd.
    pub warnings: Vec<Diagnostic>,
    /// Statements that are never taken; `None` unless the whole graph was seen.
    pub unreached: Option<Vec<Statement>>,
}

/// Why a model was not checked.
#[derive(Clone, PartialEq, Debug)]
pub enum CheckError {
    /// Something is wrong with the model; at least one error.
    Model(Vec<Diagnostic>),
    /// What was asked for cannot be done, and why.
    Refused(String),
    /// A bug of ours.
    Bug(String),
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Model(diagnostics) => {
                f.write_str(diagnostics.first().map_or("not a model", |first| first.message.as_str()))
            }
            Self::Refused(reason) | Self::Bug(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for CheckError {}

/// Settles the properties of `model` that `options` ask for. Every trace in the answer has been replayed by the
/// reference evaluator. The run is watched and stopped through `control`; its counters begin anew when the search does.
pub fn check(model: &Model, options: &CheckOptions, control: &RunControl) -> Result<Checked, CheckError> {
    let unchecked = select(model, &options.properties)?;
    let (system, report, engine) = search(model, options, control)?;
    let bug = |error: &dyn fmt::Display| CheckError::Bug(error.to_string());
    let replay = SystemReplay::new(&system).map_err(|error| bug(&error))?;
    let settled = Settled::new(SAFETY, engine, report, &replay)
        .map_err(|error| CheckError::Bug(format!("a trace does not replay: {error}")))?;
    let mut warnings = Vec::new();
    if settled.report().verdict == Verdict::Holds && settled.report().stats.states == 0 {
        warnings.push(Diagnostic::warning(Span::NONE, "C0001", "the model has no initial state, so everything holds"));
    }
    let taken = settled.report().taken.as_deref();
    let unreached = taken.map(|taken| never_taken(&system, taken, model.statements(&system)));
    Ok(Checked { system, settled: vec![settled], unchecked, warnings, unreached })
}

/// Makes sure that what is asked for can be settled; returns the names of what the model states and cannot be.
fn select(model: &Model, wanted: &[String]) -> Result<Vec<String>, CheckError> {
    let stated: Vec<String> = model.properties().iter().map(|(name, _)| name.clone()).collect();
    for name in wanted {
        if name == SAFETY {
            continue;
        }
        let known = [SAFETY].into_iter().chain(stated.iter().map(String::as_str));
        return Err(CheckError::Refused(if stated.contains(name) {
            format!("the property `{name}` was read, but temporal properties cannot be checked in this release")
        } else if let Some((_, what)) = LATER.iter().find(|(later, _)| later == name) {
            format!("the property `{name}` ({what}) cannot be checked in this release")
        } else {
            let hint = match closest_name(name, known.clone()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("it has: {}", known.collect::<Vec<_>>().join(", ")),
            };
            format!("the model has no property `{name}`; {hint}")
        }));
    }
    Ok(if wanted.is_empty() { stated } else { Vec::new() })
}

/// Searches with the engine that was chosen.
fn search(
    model: &Model,
    options: &CheckOptions,
    control: &RunControl,
) -> Result<(System, Report, &'static str), CheckError> {
    let engine: &dyn Engine = match options.engine {
        EngineChoice::Auto | EngineChoice::Bfs => &Bfs,
        EngineChoice::Dfs => &Dfs,
    };
    let threads = options.threads.unwrap_or_else(|| match options.engine {
        EngineChoice::Auto | EngineChoice::Bfs => std::thread::available_parallelism().map_or(1, usize::from),
        EngineChoice::Dfs => 1,
    });
    let property = Property::Safety { invalid_ends: !options.allow_deadlock };
    let (making, runs) = (Cell::new(Duration::ZERO), RefCell::new(Vec::new()));
    let run = |system: &System, pool_may_grow: bool| {
        let options = Options { pool_may_grow, threads, ..options.options.clone() };
        let task = Task { system, property: property.clone(), options };
        engine.admits(&task).map_err(|refusal| {
            CheckError::Refused(format!("the engine `{}` cannot do this: {refusal}", engine.name()))
        })?;
        reset(control);
        let began = Instant::now();
        let report = engine.run(&task, control).map_err(|error| CheckError::Refused(error.to_string()));
        runs.borrow_mut().push(began.elapsed());
        report
    };
    let make = |pool_size| {
        let began = Instant::now();
        let system = model.system(pool_size).map_err(CheckError::Model);
        making.set(making.get() + began.elapsed());
        system
    };
    let (first, fixed) = (model.first_pool_size()?, model.has_fixed_pool());
    let (system, mut report) = with_growing_pool(first, fixed, make, run)?;
    if let Some(profile) = &mut report.profile {
        let earlier: Duration = runs.borrow().iter().rev().skip(1).sum();
        let before = [
            ("reading the model", model.reading()),
            ("making its system", making.get()),
            ("searching with too few processes", earlier),
        ];
        let before = before.into_iter().filter(|(_, time)| !time.is_zero());
        profile.phases.splice(..0, before.map(|(name, time)| Phase::new(name, time)));
    }
    Ok((system, report, engine.name()))
}

/// Runs the system that `make` makes for a pool size, beginning with `first`. Unless that is `fixed` the sizes are guesses:
/// a run that met a full pool says nothing about the model, and is run anew with a pool of twice the size.
fn with_growing_pool(
    first: u16,
    fixed: bool,
    make: impl Fn(u16) -> Result<System, CheckError>,
    mut run: impl FnMut(&System, bool) -> Result<Report, CheckError>,
) -> Result<(System, Report), CheckError> {
    let mut pool_size = first;
    loop {
        let system = make(pool_size)?;
        let may_grow = !fixed && pool_size < MAX_POOL_SIZE;
        let report = run(&system, may_grow)?;
        if !report.pool_was_full {
            return Ok((system, report));
        }
        pool_size = next_pool_size(pool_size);
    }
}

/// The size of the pool to begin with, if all processes of the beginning have room in it.
pub(crate) fn first_pool_size(at_once: u16, bound: Option<u16>) -> Result<u16, CheckError> {
    let pool_size = bound.unwrap_or(FIRST_POOL_SIZE.max(at_once));
    if at_once > pool_size.min(MAX_POOL_SIZE) {
        // An initial state that does not fit the pool would be no initial state, and everything would hold.
        let message =
            format!("{at_once} processes at the beginning are too many for a pool of {}", pool_size.min(MAX_POOL_SIZE));
        return Err(CheckError::Model(vec![Diagnostic::error(Span::NONE, "C0002", message)]));
    }
    Ok(pool_size)
}

/// The size to try after `pool_size`.
pub(crate) fn next_pool_size(pool_size: u16) -> u16 {
    (pool_size * 2).min(MAX_POOL_SIZE)
}

fn reset(control: &RunControl) {
    let counters = &control.counters;
    for counter in [&counters.states, &counters.transitions, &counters.depth, &counters.waiting] {
        counter.store(0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use lariat_engine::FailureKind;
    use lariat_system::Fault;
    use lariat_system::{Action, BinaryOp, Expr, Frame, FrameId, Update};

    /// One process that starts others until there are `wanted` of them; `at_once` begin.
    fn spawner(pool_size: u16, at_once: u16, wanted: i64) -> System {
        let mut system = System::empty("spawner");
        let frame = Frame { name: "P".into(), slots: Default::default(), control: None, span: Span::NONE };
        system.frames.push(frame);
        system.pool_size = pool_size;
        let spawn = || Update::Spawn { frame: FrameId(0), arguments: Vec::new() };
        system.init.updates = (0..at_once).map(|_| spawn()).collect();
        let mut action = Action::new("run P()", Vec::new());
        action.guard.condition.push(Expr::binary(BinaryOp::Lt, Expr::PoolCount, Expr::Const(wanted)));
        action.updates.push(spawn());
        system.actions.push(action);
        system
    }

    fn checked(bound: Option<u16>, at_once: u16, wanted: i64) -> Result<(System, Report), CheckError> {
        let control = Limits { memory_bytes: 1 << 26, time: None }.control();
        let run = |system: &System, pool_may_grow: bool| {
            system.validate().map_err(CheckError::Model)?;
            let property = Property::Safety { invalid_ends: true };
            let options = Options { pool_may_grow, keep_going: true, ..Options::default() };
            let task = Task { system, property, options };
            Bfs.run(&task, &control).map_err(|error| CheckError::Bug(error.to_string()))
        };
        let first = first_pool_size(at_once, bound)?;
        with_growing_pool(first, bound.is_some(), |pool_size| Ok(spawner(pool_size, at_once, wanted)), run)
    }

    #[test]
    fn a_pool_of_unknown_size_grows_until_it_suffices() {
        for (at_once, wanted, expected) in [(1, 8, 8), (1, 9, 16), (1, 100, 128), (1, 255, 255), (40, 41, 80)] {
            let (system, report) = checked(None, at_once, wanted).unwrap();
            assert_eq!(system.pool_size, expected);
            assert_eq!(report.verdict, Verdict::Holds);
            assert_eq!(report.stats.states, wanted as u64 - u64::from(at_once) + 1);
        }
    }

    #[test]
    fn more_than_can_be_is_a_failure() {
        for (bound, wanted) in [(None, 256), (Some(3), 4)] {
            let (_, report) = checked(bound, 1, wanted).unwrap();
            assert!(!report.pool_was_full);
            let kind = report.failures[0].kind;
            assert!(
                matches!(kind, FailureKind::Fault(Fault::PoolFull(_))) && matches!(report.verdict, Verdict::Fails(_))
            );
        }
        for (bound, at_once) in [(None, 256), (Some(3), 4)] {
            assert!(matches!(checked(bound, at_once, 1), Err(CheckError::Model(_))));
        }
    }

    #[test]
    fn properties_are_chosen_by_name() {
        let model = Model::of_system(spawner(3, 1, 2));
        let control = Limits { memory_bytes: 1 << 26, time: None }.control();
        let check_named = |name: &str| {
            let options = CheckOptions { properties: vec![name.to_owned()], ..CheckOptions::default() };
            check(&model, &options, &control)
        };
        assert_eq!(check_named("safety").unwrap().settled.len(), 1);
        for unknown in ["np_", "accept", "p1", ""] {
            assert!(matches!(check_named(unknown), Err(CheckError::Refused(_))), "{unknown}");
        }
    }
}
