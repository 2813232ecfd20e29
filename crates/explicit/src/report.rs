//! From what a search has met to its report.

use crate::worker::{Stop, Tally};
use lariat_base::Id;
use lariat_engine::{Evidence, FailureKind, Options, Report, RunControl, Shortfall, Stats, Trace, Verdict};
use lariat_store::{Exactness, Recall};
use lariat_system::ActionId;

/// How a search ended, while its store was still there to be asked.
pub(crate) struct Ending {
    states: u64,
    store_bytes: u64,
    exactness: Exactness,
    depth: u64,
    complete: bool,
    unfinished: Option<Shortfall>,
    pub(crate) pool_was_full: bool,
}

impl Ending {
    pub(crate) fn new<T: Recall>(store: &T, depth: u64, ended: Result<(), Stop>) -> Self {
        let unfinished = match ended {
            Err(Stop::Short(shortfall)) => Some(shortfall),
            // Nobody is told of a run with too small a pool, but it did not see everything.
            Err(Stop::PoolFull) => Some(Shortfall::Interrupted),
            Ok(()) | Err(Stop::Failure) => None,
        };
        Self {
            states: store.len(),
            store_bytes: store.bytes(),
            exactness: store.exactness(),
            depth,
            complete: ended.is_ok(),
            pool_was_full: matches!(ended, Err(Stop::PoolFull)),
            unfinished,
        }
    }
}

/// The runs to failures, the verdict's own first; if some could not be found, why.
#[derive(Default)]
pub(crate) struct Traces {
    pub(crate) found: Vec<(FailureKind, Trace)>,
    pub(crate) lost: Option<Shortfall>,
}

impl Traces {
    /// Looks for one after the other, up to the first that cannot be found. What was found is kept.
    pub(crate) fn of(looked_for: impl Iterator<Item = Result<(FailureKind, Trace), Shortfall>>) -> Self {
        let mut traces = Self::default();
        for trace in looked_for {
            match trace {
                Ok(trace) => traces.found.push(trace),
                Err(shortfall) => {
                    traces.lost = Some(shortfall);
                    break;
                }
            }
        }
        traces
    }
}

/// The report. Without a run to show there is no failure that anybody could believe.
pub(crate) fn report(tally: Tally, traces: Traces, ending: &Ending, options: &Options, control: &RunControl) -> Report {
    let Traces { found, lost } = traces;
    let failures: Vec<Evidence> = found.into_iter().map(|(kind, trace)| Evidence { kind, trace }).collect();
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
        pool_was_full: ending.pool_was_full,
        unfinished,
        taken: ending.complete.then(|| taken.map(|(action, _)| ActionId::new(action)).collect()),
        stats: Stats {
            states: ending.states,
            transitions: tally.transitions,
            depth: ending.depth,
            bytes_per_state: ending.store_bytes as f64 / ending.states.max(1) as f64,
            peak_budget_bytes: control.budget.peak_bytes(),
            digest: (ending.complete && ending.exactness == Exactness::Exact).then_some(tally.digest),
            elapsed: control.started.elapsed(),
            refinements: 0,
            packing: None,
        },
        profile: None,
        watched: None,
    }
}
