//! Finding the run of a model that somebody wrote down.

use crate::pool::{NoAnswer, with_growing_pool};
use crate::select::select;
use crate::temporal::Prepared;
use crate::{CheckError, CheckOptions, Model};
use lariat_base::{Diagnostic, Span};
use lariat_engine::retell::{Account, Claim, Ended, Lost, Retold, retell as retell_in};
use lariat_engine::{FailureKind, Replay, RunControl, SystemReplay, Temporal, Trace};
use lariat_subject::{prolonged, too_many_ways};
use lariat_system::System;
use std::sync::Arc;

/// Traces are read from files no longer than this.
const MAX_TRACE_BYTES: u64 = 1 << 30;

/// The property that a run is said to break, ready to be judged by.
#[derive(Debug)]
pub struct Asked {
    prepared: Option<Prepared>,
}

impl Asked {
    /// The property `safety`, or none at all.
    pub const SAFETY: Asked = Asked { prepared: None };

    /// The first property that `options` ask for.
    pub fn new(model: &mut Model, options: &CheckOptions) -> Result<Self, CheckError> {
        let stated = select(model, options)?.into_iter().next().and_then(|request| request.stated);
        let prepared = stated.map(|stated| Prepared::new(model, &stated, &options.fairness)).transpose()?;
        Ok(Self { prepared })
    }

    /// The system for a pool of this size.
    pub(crate) fn system(&self, model: &Model, pool_size: u16) -> Result<System, CheckError> {
        match &self.prepared {
            Some(prepared) => prepared.system(pool_size),
            None => model.system(pool_size).map_err(CheckError::Model),
        }
    }

    /// Which runs are bad, unless it is `safety`.
    pub(crate) fn temporal(&self) -> Result<Option<Temporal>, CheckError> {
        let too_large = |_| CheckError::Refused("the automaton of the property is too large".to_owned());
        self.prepared.as_ref().map(|prepared| prepared.temporal().map_err(too_large)).transpose()
    }
}

/// What became of an account.
#[derive(Debug)]
pub struct Retelling {
    /// The system that was run.
    pub system: System,
    /// Which of its runs are bad, if that is known.
    pub temporal: Option<Temporal>,
    /// The run, or how far there is one.
    pub told: Result<Retold, Box<Lost>>,
}

/// What can be told of a run of any system that a model is.
pub trait Told {
    /// How the run is said to end.
    fn claim(&self) -> Claim;
    /// Whether a run that goes on for ever is said to be bad at some moment, whatever follows.
    fn is_decided(&self) -> bool;
    /// Whether the run may end where the property is violated, whatever follows, without saying how it goes on.
    fn may_stop_at_violation(&self) -> bool;
    /// What is told of a run of `system`.
    fn account<'a>(&'a self, system: &'a System) -> Box<dyn Account + 'a>;
}

/// Looks for a run of the model that fits what is told and ends as claimed. The pool of processes grows where the run needs
/// more room. The search keeps to the limits of `control`.
pub fn retell(model: &Model, asked: &Asked, account: &dyn Told, control: &RunControl) -> Result<Retelling, CheckError> {
    let (claim, temporal) = (account.claim(), asked.temporal()?);
    let first = Arc::new(asked.system(model, model.first_pool_size()?)?);
    let make = |pool_size| asked.system(model, pool_size);
    let (system, told) = with_growing_pool(first, model.has_fixed_pool(), make, |system, may_grow| {
        if let Some(reason) = too_many_ways(system) {
            return Err(CheckError::Refused(reason).into());
        }
        let told = {
            let account = account.account(system);
            let wrong = |reason| CheckError::Model(vec![Diagnostic::error(Span::NONE, "C0010", reason)]);
            retell_in(system, temporal.as_ref(), &*account, &claim, may_grow, control)
                .map_err(|error| NoAnswer::of(error, wrong))?
        };
        match &told {
            Err(_) => Ok(told),
            Ok(retold) => match judged(system, temporal.as_ref(), retold, may_grow, account, control) {
                Some(judged) => Ok(Ok(judged)),
                None if may_grow => Err(NoAnswer::PoolTooSmall),
                None => Ok(told),
            },
        }
    })?;
    Ok(Retelling { system: Arc::unwrap_or_clone(system), temporal, told })
}

/// The run with the moment at which it is bad whatever follows, if it is said to have one. One that stops there goes on in some
/// way; `None` if none was found, which may be for want of room for processes.
fn judged(
    system: &System,
    temporal: Option<&Temporal>,
    retold: &Retold,
    may_grow: bool,
    told: &dyn Told,
    control: &RunControl,
) -> Option<Retold> {
    let replay = temporal.and_then(|temporal| SystemReplay::of_temporal(system, temporal).ok());
    let replay = replay.map(|replay| replay.within(control));
    let (Some(replay), Some(trace)) = (replay, &retold.trace) else { return Some(retold.clone()) };
    let stops = match retold.ended {
        Ended::Failure(FailureKind::Cycle) if told.is_decided() => false,
        Ended::Open | Ended::Properly | Ended::Failure(FailureKind::InvalidEnd) if told.may_stop_at_violation() => true,
        _ => return Some(retold.clone()),
    };
    let Some(decided) = replay.decided_after(&retold.story) else { return Some(retold.clone()) };
    if !stops {
        let trace = Trace { decided: Some(decided), ..trace.clone() };
        return Some(Retold { trace: Some(trace), ..retold.clone() });
    }
    let trace = prolonged(system, trace.clone(), may_grow, control)?;
    let story = replay.replay(&trace, FailureKind::Cycle).ok()?;
    let trace = Some(Trace { decided: Some(decided), ..trace });
    Some(Retold { story, trace, ended: Ended::Failure(FailureKind::Cycle) })
}

/// The text of a file that may be a trace.
pub fn read_trace(path: &std::path::Path) -> Result<String, Diagnostic> {
    crate::read::read_text_of(path, MAX_TRACE_BYTES, "traces")
}
