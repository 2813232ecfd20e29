//! From what a search has met to its report.

use crate::worker::{Stop, Tally};
use lariat_base::Id;
use lariat_engine::{Evidence, FailureKind, Options, Report, RunControl, Shortfall, Stats, Trace, Verdict};
use lariat_store::{Exactness, Recall};
use lariat_system::ActionId;
use std::time::Duration;

/// How a search ended, while its store was still there to be asked.
pub(crate) struct Ending {
    states: u64,
    store_bytes: u64,
    exactness: Exactness,
    depth: u64,
    complete: bool,
    unfinished: Option<Shortfall>,
    peak_budget_bytes: u64,
    elapsed: Duration,
}

impl Ending {
    pub(crate) fn new<T: Recall>(store: &T, depth: u64, ended: Result<(), Stop>, control: &RunControl) -> Self {
        let unfinished = match ended {
            Err(Stop::Short(shortfall)) => Some(shortfall),
            Ok(()) | Err(Stop::Failure) => None,
        };
        Self {
            states: store.len(),
            store_bytes: store.bytes(),
            exactness: store.exactness(),
            depth,
            complete: ended.is_ok(),
            unfinished,
            peak_budget_bytes: control.budget.peak_bytes(),
            elapsed: control.started.elapsed(),
        }
    }
}

/// The report. `traces` are those of the failures to be told, the verdict's own first; if they could not be found, why.
pub(crate) fn report(
    tally: Tally,
    traces: Result<Vec<(FailureKind, Trace)>, Shortfall>,
    ending: &Ending,
    options: &Options,
) -> Report {
    let (traces, lost) = match traces {
        Ok(traces) => (traces, None),
        // Without a run to show there is no failure that anybody could believe.
        Err(shortfall) => (Vec::new(), Some(shortfall)),
    };
    let failures: Vec<Evidence> = traces.into_iter().map(|(kind, trace)| Evidence { kind, trace }).collect();
    debug_assert!(options.keep_going || failures.len() <= 1, "one failure ends a search");
    let unfinished = lost.or(ending.unfinished);
    let verdict = match (failures.first(), unfinished) {
        (Some(first), _) => Verdict::Fails(first.clone()),
        (None, Some(shortfall)) => Verdict::Undecided(shortfall),
        (None, None) => Verdict::of_exhausted(ending.exactness),
    };
    let taken = tally.taken.iter().enumerate().filter(|&(_, &taken)| taken);
    Report {
        verdict,
        exactness: ending.exactness,
        failures,
        failure_count: tally.failures.count,
        unfinished,
        taken: ending.complete.then(|| taken.map(|(action, _)| ActionId::new(action)).collect()),
        stats: Stats {
            states: ending.states,
            transitions: tally.transitions,
            depth: ending.depth,
            bytes_per_state: ending.store_bytes as f64 / ending.states.max(1) as f64,
            peak_budget_bytes: ending.peak_budget_bytes,
            digest: (ending.complete && ending.exactness == Exactness::Exact).then_some(tally.digest),
            elapsed: ending.elapsed,
        },
        profile: None,
    }
}
