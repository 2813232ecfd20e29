//! Which engine can do with which way of remembering states, and the runs of a search that may miss some.

use crate::stack::Spill;
use lariat_engine::{EngineError, Options, Refusal, Report, Shortfall, StoreKind, Verdict};
use lariat_store::Exactness;

/// What an engine can do with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Abilities {
    /// It can do with a memory that takes new states for known ones.
    pub(crate) lossy: Result<(), &'static str>,
    /// It can do with a memory that forgets.
    pub(crate) cache: Result<(), &'static str>,
    /// It keeps a stack of whole states with stores that keep all, too.
    pub(crate) own_stack: bool,
}

/// Whether an engine of these abilities honours what is said about remembering states.
pub(crate) fn admits(options: &Options, abilities: Abilities) -> Result<(), Refusal> {
    let Options { store, keep_going, profile, runs, ref disk, seed: _, .. } = *options;
    let able = match store {
        StoreKind::Tree | StoreKind::Flat => Ok(()),
        StoreKind::Hybrid { .. } if abilities.own_stack => Err("it keeps a stack of whole states"),
        StoreKind::Hybrid { .. } => Ok(()),
        StoreKind::Bitstate { .. } | StoreKind::Compact => abilities.lossy,
        StoreKind::Cache { .. } => abilities.cache,
    };
    let has_stack = abilities.own_stack || !store.keeps_all();
    let refused = match able {
        Err(reason) => Some(format!("the store `{}` is not for it: {reason}", store.name())),
        Ok(()) if runs > 1 && !store.is_lossy() => Some(format!(
            "with the store `{}` no state is missed, and further runs would find nothing new",
            store.name()
        )),
        Ok(()) if disk.is_some() && !has_stack => {
            Some(format!("with the store `{}` it has nothing to put on a disk", store.name()))
        }
        Ok(()) if profile && !store.keeps_all() => {
            Some(format!("`--profile` needs to know all states, and the store `{}` does not", store.name()))
        }
        Ok(()) if keep_going && matches!(store, StoreKind::Cache { .. }) => {
            Some("a failure in a state that was forgotten would be counted each time it is met".to_owned())
        }
        Ok(()) => None,
    };
    refused.map_or(Ok(()), |reason| Err(Refusal { reason }))
}

/// The folder for the stack, if one was given.
pub(crate) fn spill_of(options: &Options) -> Result<Option<Spill>, EngineError> {
    let Some(folder) = &options.disk else { return Ok(None) };
    Spill::new(folder).map(Some).map_err(|error| {
        let reason = format!("nothing can be written to the folder `{}`: {error}", folder.display());
        EngineError { reason }
    })
}

/// Searches as often as is asked for, each time with another seed, up to the first failure. Without one, the report of the
/// search that is expected to have missed least.
pub(crate) fn in_runs(options: &Options, mut search: impl FnMut(u64) -> Report) -> Report {
    let mut best: Option<(f64, Report)> = None;
    let mut runs = 0;
    let mut unfinished = None;
    while runs < options.runs {
        let mut report = search(options.seed.wrapping_add(u64::from(runs)));
        runs += 1;
        match (&report.verdict, report.exactness) {
            (Verdict::Undecided(Shortfall::Lossy { .. }), Exactness::Lossy { coverage }) if !report.pool_was_full => {
                if best.as_ref().is_none_or(|(most, _)| coverage > *most) {
                    best = Some((coverage, report));
                }
            }
            // A limit was met, but an earlier search came to its end.
            (Verdict::Undecided(shortfall), _) if best.is_some() && !report.pool_was_full => {
                unfinished = Some(*shortfall);
                break;
            }
            _ => {
                tell_runs(&mut report, runs);
                return report;
            }
        }
    }
    let (_, mut report) = best.expect("there is at least one run");
    report.unfinished = unfinished;
    tell_runs(&mut report, runs);
    report
}

fn tell_runs(report: &mut Report, runs: u32) {
    if let Some(remembered) = &mut report.stats.remembered {
        remembered.runs = runs;
    }
}
