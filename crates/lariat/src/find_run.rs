//! Finding the run of a model that a saved trace describes.

use crate::branching::BranchingProperty;
use crate::moved::LEAST_MOVED;
use crate::pool::{NoAnswer, with_growing_pool};
use crate::select::select;
use crate::temporal::LinearProperty;
use crate::{CheckError, CheckOptions, Model};
use lariat_base::{Diagnostic, Span};
use lariat_engine::find_run::{ClaimedEnd, FoundEnd, FoundRun, NoRun, RunRecord, find_run as find_run_in};
use lariat_engine::{Evidence, FailureKind, Replay, RunControl, SystemReplay, Temporal, Trace};
use lariat_subject::{prolonged, too_many_ways};
use lariat_system::System;
use std::sync::Arc;

/// Traces are read from files no longer than this.
const MAX_TRACE_BYTES: u64 = 1 << 30;

/// The property that a saved run is said to violate.
#[derive(Debug)]
pub struct ClaimedProperty {
    prepared: Prepared,
}

#[derive(Debug)]
enum Prepared {
    /// `safety`, or nothing.
    Safety,
    Linear(Box<LinearProperty>),
    Branching(Box<BranchingProperty>),
}

impl ClaimedProperty {
    /// The property `safety`, or none at all.
    pub const SAFETY: ClaimedProperty = ClaimedProperty { prepared: Prepared::Safety };

    /// The first property that `options` ask for.
    pub fn new(model: &mut Model, options: &CheckOptions) -> Result<Self, CheckError> {
        let stated = select(model, options)?.into_iter().next().and_then(|request| request.stated);
        let prepared = match stated {
            None => Prepared::Safety,
            Some(stated) if stated.kind().is_of_linear_time() => {
                let mut prepared = LinearProperty::new(model, &stated, &options.fairness)?;
                // As where the trace was found: the automaton may be too large otherwise.
                let pool_size = model.first_pool_size()?;
                prepared.move_fairness(LEAST_MOVED, pool_size)?;
                if prepared.temporal().is_err() {
                    prepared.move_fairness(1, pool_size)?;
                }
                Prepared::Linear(Box::new(prepared))
            }
            Some(stated) => match BranchingProperty::new(model, &stated, &options.fairness)? {
                Some(prepared) => Prepared::Branching(Box::new(prepared)),
                None => return Err(too_large()),
            },
        };
        Ok(Self { prepared })
    }

    /// The system for a pool of this size.
    pub(crate) fn system(&self, model: &Model, pool_size: u16) -> Result<System, CheckError> {
        match &self.prepared {
            Prepared::Linear(prepared) => prepared.system(pool_size),
            Prepared::Branching(prepared) => prepared.system(pool_size),
            Prepared::Safety => model.system(pool_size).map_err(CheckError::Model),
        }
    }

    /// Which runs are bad, if it is a property of linear time.
    pub(crate) fn temporal(&self) -> Result<Option<Temporal>, CheckError> {
        match &self.prepared {
            Prepared::Linear(prepared) => prepared.temporal().map(Some).map_err(|_| too_large()),
            Prepared::Safety | Prepared::Branching(_) => Ok(None),
        }
    }
}

fn too_large() -> CheckError {
    CheckError::Refused("the automaton of the property is too large".to_owned())
}

/// The result of a search for the run of a saved trace.
#[derive(Debug)]
pub struct RunSearch {
    /// The system that was run.
    pub system: System,
    /// Which of its runs are bad, if that is known.
    pub temporal: Option<Temporal>,
    /// The run, or how far there is one.
    pub found: Result<FoundRun, Box<NoRun>>,
}

/// A saved trace of a model, before the size of the pool is known.
pub trait SavedTrace {
    /// How the run is said to end.
    fn claim(&self) -> ClaimedEnd;
    /// Whether a run that goes on for ever is said to be bad at some moment, whatever follows.
    fn is_decided(&self) -> bool;
    /// Whether the run may end where the property is violated, whatever follows, without saying how it goes on.
    fn may_stop_at_violation(&self) -> bool;
    /// The trace as a record of a run of `system`.
    fn record<'a>(&'a self, system: &'a System) -> Box<dyn RunRecord + 'a>;
}

/// Looks for a run of the model that matches the saved trace and ends as claimed. The pool of processes grows if the run
/// needs more room. The search keeps to the limits of `control`.
pub fn find_run(
    model: &Model,
    claimed: &ClaimedProperty,
    saved: &dyn SavedTrace,
    control: &RunControl,
) -> Result<RunSearch, CheckError> {
    let (claim, temporal) = (saved.claim(), claimed.temporal()?);
    let first = Arc::new(claimed.system(model, model.first_pool_size()?)?);
    let make = |pool_size| claimed.system(model, pool_size);
    let (system, found) = with_growing_pool(first, model.has_fixed_pool(), make, |system, may_grow| {
        let found = {
            let record = saved.record(system);
            if let Some(reason) = too_many_ways(system).filter(|_| record.known_states().is_none()) {
                return Err(CheckError::Refused(reason).into());
            }
            let wrong = |reason| CheckError::Model(vec![Diagnostic::error(Span::NONE, "C0010", reason)]);
            find_run_in(system, temporal.as_ref(), &*record, &claim, may_grow, control)
                .map_err(|error| NoAnswer::of(error, wrong))?
        };
        match &found {
            Err(_) => Ok(found),
            Ok(found_run) => match judged(system, temporal.as_ref(), found_run, may_grow, saved, control) {
                Some(judged) => Ok(Ok(judged)),
                None if may_grow => Err(NoAnswer::PoolTooSmall),
                None => Ok(found),
            },
        }
    })?;
    Ok(RunSearch { system: Arc::unwrap_or_clone(system), temporal, found })
}

/// The run with the moment at which it is bad whatever follows, if it is said to have one. One that stops there goes on in some
/// way; `None` if none was found, which may be for want of room for processes.
fn judged(
    system: &System,
    temporal: Option<&Temporal>,
    found_run: &FoundRun,
    may_grow: bool,
    saved: &dyn SavedTrace,
    control: &RunControl,
) -> Option<FoundRun> {
    let replay = temporal.and_then(|temporal| SystemReplay::of_temporal(system, temporal).ok());
    let replay = replay.map(|replay| replay.within(control));
    let (Some(replay), Some(trace)) = (replay, &found_run.trace) else { return Some(found_run.clone()) };
    let stops = match found_run.ended {
        FoundEnd::Failure(FailureKind::Cycle) if saved.is_decided() => false,
        FoundEnd::Open | FoundEnd::Properly | FoundEnd::Failure(FailureKind::InvalidEnd)
            if saved.may_stop_at_violation() =>
        {
            true
        }
        _ => return Some(found_run.clone()),
    };
    let Some(decided) = replay.decided_after(&found_run.story) else { return Some(found_run.clone()) };
    if !stops {
        let trace = Trace { decided: Some(decided), ..trace.clone() };
        return Some(FoundRun { trace: Some(trace), ..found_run.clone() });
    }
    let Evidence { kind, trace } = prolonged(system, trace.clone(), decided, may_grow, control)?;
    let story = replay.replay(&trace, kind).ok()?;
    Some(FoundRun { story, trace: Some(trace), ended: FoundEnd::Failure(kind) })
}

/// The text of a file that may be a trace.
pub fn read_trace(path: &std::path::Path) -> Result<String, Diagnostic> {
    crate::read::read_text_of(path, MAX_TRACE_BYTES, "traces")
}
