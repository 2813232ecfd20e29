//! Shorter runs to the failures of given ones.

use crate::find_run::RunSearch;
use crate::pool::may_grow;
use crate::{CheckError, Model};
use lariat_engine::find_run::FoundEnd;
use lariat_engine::{Evidence, Replay, ReplayError, RunControl, Shortfall, Story, SystemReplay, Trace};
use lariat_explicit::shorten as shorten_run;

/// A run that is no longer than the given one, and has been replayed.
#[derive(Debug)]
pub struct Shorter {
    /// The failure and the run to it.
    pub evidence: Evidence,
    /// What happens.
    pub story: Story,
    /// Whether no shorter run to the failure exists.
    pub proven: bool,
    /// Why the search stopped before it had nothing more to look for.
    pub stopped: Option<Shortfall>,
}

/// Looks for a shorter run to the failure that the found run of `model` ends in, as long as `control` allows.
pub fn shorten(model: &Model, search: &RunSearch, control: &RunControl) -> Result<Shorter, CheckError> {
    let RunSearch { system, temporal, found } = search;
    let refused = |reason: &str| CheckError::Refused(reason.to_owned());
    let found_run = found.as_ref().map_err(|_| refused("the trace does not replay, so there is nothing to shorten"))?;
    let kind = match found_run.ended {
        FoundEnd::Failure(kind) => kind,
        FoundEnd::Cycle => {
            return Err(refused("the trace does not say which property its cycle breaks; `--property NAME` does"));
        }
        FoundEnd::Properly | FoundEnd::Open => {
            return Err(refused("the trace ends in no failure, so there is nothing to shorten"));
        }
    };
    let bug = |error: &dyn std::fmt::Display| CheckError::Bug(error.to_string());
    let replay = match temporal {
        Some(temporal) => SystemReplay::of_temporal(system, temporal),
        None => SystemReplay::new(system),
    };
    let replay = replay.map_err(|error| bug(&error))?.within(control);
    let trace = found_run.trace.clone().ok_or_else(|| bug(&"a failure without a trace"))?;
    let given = Evidence { kind, trace };
    let may_grow = may_grow(system, model.has_fixed_pool());
    let mut is_bad = |trace: &Trace| replay.replay(trace, kind).is_ok();
    let found =
        shorten_run(system, &given, may_grow, control, &mut is_bad).map_err(|error| refused(&error.to_string()))?;
    let mut evidence = Evidence { kind, trace: found.trace };
    match replay.replay(&evidence.trace, kind) {
        Ok(story) => {
            evidence.trace.decided = replay.decided_after(&story);
            Ok(Shorter { evidence, story, proven: found.proven, stopped: found.stopped })
        }
        // The given run has been replayed, and is shown instead.
        Err(ReplayError { shortfall: Some(shortfall), .. }) => {
            Ok(Shorter { evidence: given, story: found_run.story.clone(), proven: false, stopped: Some(shortfall) })
        }
        Err(error) => Err(CheckError::Bug(format!("a trace does not replay: {error}"))),
    }
}
