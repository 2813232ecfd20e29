//! What searches with a stack of states share: the folder for it, and the repeated runs of a search that may miss states.

use crate::stack::Spill;
use lariat_engine::{Disk, EngineError, Options, PoolTooSmall, Report, Shortfall, Verdict};
use lariat_store::{Budget, Cache, Exactness, Full, Recaptured, Replacement, Sample};

/// The folder for the stack, if one was given; an error if nothing can be written there.
pub(crate) fn spill_of(options: &Options) -> Result<Option<Spill>, EngineError> {
    let Some(folder) = options.disk.as_ref().and_then(|disk| disk.folders.first()) else { return Ok(None) };
    Spill::new(folder).map(Some).map_err(|error| Disk::unusable(folder, &error))
}

/// A cache of states of so many words, that counts in a sample how often each is new.
pub(crate) fn cache<'s>(
    words: usize,
    replacement: Replacement,
    seed: u64,
    sample: &'s Result<Sample<'s>, Full>,
    budget: &'s Budget,
) -> Result<Cache<'s>, Full> {
    let sample = sample.as_ref().map_err(|full| *full)?;
    Ok(Cache::new(words, None, replacement, seed, budget)?.with_sample(Some(sample)))
}

/// Searches as often as is asked for, each time with another seed, up to the first failure. Without one, the report of the
/// search that saw most, and what it missed is measured by comparing the searches, if `compare` says that they can tell a
/// sample what they see.
pub(crate) fn lossy_runs(
    options: &Options,
    budget: &Budget,
    compare: bool,
    mut search: impl FnMut(u64, Option<&Sample<'_>>) -> Result<Report, PoolTooSmall>,
) -> Result<Report, PoolTooSmall> {
    let sample = match (compare && options.runs > 1).then(|| Sample::new(budget)).transpose() {
        Ok(sample) => sample,
        Err(full) => return Ok(Report::at_once(full.into())),
    };
    let mut best: Option<(u32, Report)> = None;
    let (mut runs, mut complete) = (0, 0);
    let mut unfinished = None;
    while runs < options.runs {
        if let Some(sample) = &sample {
            sample.begin(runs);
        }
        let mut report = search(options.seed.wrapping_add(u64::from(runs)), sample.as_ref())?;
        runs += 1;
        match report.verdict {
            Verdict::Undecided(Shortfall::Lossy { .. }) => {
                complete = runs;
                if best.as_ref().is_none_or(|(_, best)| report.stats.states > best.stats.states) {
                    best = Some((runs - 1, report));
                }
            }
            // A limit was met, but an earlier search came to its end.
            Verdict::Undecided(shortfall) if best.is_some() => {
                unfinished = Some(shortfall);
                break;
            }
            _ => {
                tell_runs(&mut report, runs, None);
                return Ok(report);
            }
        }
    }
    let (number, mut report) = best.expect("there is at least one run");
    report.unfinished = unfinished;
    tell_runs(&mut report, runs, sample.and_then(|sample| sample.recaptured(complete, number)));
    Ok(report)
}

fn tell_runs(report: &mut Report, runs: u32, recaptured: Option<Recaptured>) {
    let Some(remembered) = &mut report.stats.remembered else { return };
    remembered.runs = runs;
    let Some(recaptured) = recaptured else { return };
    let visited = report.stats.states;
    remembered.runs_compared = Some(recaptured.searches);
    // Where hardly anything is missed, nothing of it is in the sample; and neither estimate tells too much.
    let missed = recaptured.missed(visited).max(remembered.missed_states.unwrap_or(0.0));
    remembered.missed_states = Some(missed);
    let coverage = visited as f64 / (visited as f64 + missed);
    report.exactness = Exactness::Lossy { coverage };
    report.verdict = Verdict::of_exhausted(report.exactness);
}
