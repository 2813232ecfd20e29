//! How many processes there is room for: told by the model, or guessed and doubled.

use crate::CheckError;
use crate::front::Pool;
use lariat_base::{Diagnostic, Span};
use lariat_engine::RunError;
use lariat_system::{MAX_POOL_SIZE, System};
use std::sync::Arc;

/// The size of the pool to begin with where the model does not tell one.
const FIRST_POOL_SIZE: u16 = 8;

/// Why a run of a system has no answer.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum NoAnswer {
    /// The pool was only a guess, and too small.
    PoolTooSmall,
    /// Something is wrong.
    Error(CheckError),
}

impl From<CheckError> for NoAnswer {
    fn from(error: CheckError) -> Self {
        Self::Error(error)
    }
}

impl NoAnswer {
    /// Why an engine has no report.
    pub(crate) fn of(error: RunError, other: impl FnOnce(String) -> CheckError) -> Self {
        match error {
            RunError::PoolTooSmall => Self::PoolTooSmall,
            RunError::Engine(error) => Self::Error(other(error.to_string())),
        }
    }
}

/// Whether the size of the system's pool is a guess that can be made again.
pub(crate) fn may_grow(system: &System, fixed: bool) -> bool {
    !fixed && system.pool_size < MAX_POOL_SIZE
}

/// Runs a system, beginning with `first`. Unless the size of its pool is `fixed` it is a guess, of which `run` is told: if it
/// is too small, the system that `make` makes for a pool of twice the size is run.
pub(crate) fn with_growing_pool<T>(
    first: Arc<System>,
    fixed: bool,
    make: impl Fn(u16) -> Result<System, CheckError>,
    mut run: impl FnMut(&Arc<System>, bool) -> Result<T, NoAnswer>,
) -> Result<(Arc<System>, T), CheckError> {
    let mut system = first;
    loop {
        let may_grow = may_grow(&system, fixed);
        match run(&system, may_grow) {
            Ok(answer) => return Ok((system, answer)),
            Err(NoAnswer::Error(error)) => return Err(error),
            Err(NoAnswer::PoolTooSmall) if may_grow => {
                system = Arc::new(make(next_pool_size(system.pool_size))?);
            }
            Err(NoAnswer::PoolTooSmall) => {
                let reason = format!("a pool of {} was said to be too small, and is no guess", system.pool_size);
                return Err(CheckError::Bug(reason));
            }
        }
    }
}

/// The size of the pool to begin with, if all processes of the beginning have room in it.
pub(crate) fn first_pool_size(pool: Pool) -> Result<u16, CheckError> {
    let (pool_size, at_once) = match pool {
        Pool::Fixed { size, at_beginning } => (size, at_beginning),
        Pool::Guessed { bound, at_beginning } => (bound.unwrap_or(FIRST_POOL_SIZE.max(at_beginning)), at_beginning),
    };
    if at_once > pool_size.min(MAX_POOL_SIZE) {
        // An initial state that does not fit the pool would be no initial state, and everything would hold.
        let message =
            format!("{at_once} processes at the beginning are too many for a pool of {}", pool_size.min(MAX_POOL_SIZE));
        return Err(CheckError::Model(vec![Diagnostic::error(Span::NONE, "C0002", message)]));
    }
    Ok(pool_size)
}

/// The size to try after `pool_size`.
fn next_pool_size(pool_size: u16) -> u16 {
    (pool_size * 2).min(MAX_POOL_SIZE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use lariat_engine::{Engine, FailureKind, Options, Property, Report, Task, Verdict};
    use lariat_explicit::Bfs;
    use lariat_system::Fault;
    use lariat_system::{Action, BinaryOp, Expr, Frame, FrameId, Update};

    /// One process that starts others until there are `wanted` of them; `at_once` begin.
    pub(crate) fn spawner(pool_size: u16, at_once: u16, wanted: i64) -> System {
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

    fn checked(bound: Option<u16>, at_once: u16, wanted: i64) -> Result<(Arc<System>, Report), CheckError> {
        let control = Limits { memory_bytes: 1 << 26, time: None }.control();
        let run = |system: &Arc<System>, pool_may_grow: bool| {
            system.validate().map_err(CheckError::Model)?;
            let property = Property::Safety { invalid_ends: true };
            let options = Options { pool_may_grow, keep_going: true, ..Options::default() };
            let task = Task::of_system(system, property, options);
            Bfs.settle(&task, &control).map_err(|error| NoAnswer::of(error, CheckError::Bug))
        };
        let first =
            Arc::new(spawner(first_pool_size(Pool::Guessed { bound, at_beginning: at_once })?, at_once, wanted));
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
        let mut model = crate::Model::of_system(spawner(3, 1, 2));
        let control = Limits { memory_bytes: 1 << 26, time: None }.control();
        let mut check_named = |name: &str| {
            let options = crate::CheckOptions { properties: vec![name.to_owned()], ..crate::CheckOptions::default() };
            crate::check(&mut model, &options, &control)
        };
        assert_eq!(check_named("safety").unwrap().settled.len(), 1);
        for unknown in ["np_", "accept", "p1", ""] {
            assert!(matches!(check_named(unknown), Err(CheckError::Refused(_))), "{unknown}");
        }
    }
}
