//! How a search by workers becomes a report.

use crate::checkpoint::Checkpoints;
use crate::disk::{DiskSearch, Ground, in_memory_or_on_disk, others_of};
use crate::search::{Search, Totals};
use crate::session::Session;
use crate::share::{Halt, Job};
use crate::trouble::Trouble;
use lariat_engine::{ClusterFigures, DiskFigures, Report, RunControl, RunError, Shortfall, Task, Verdict};
use lariat_space::{State, StateSpace};
use lariat_store::Exactness;
use lariat_subject::{Ending, Memory, Sighting, Stop, Traces, report, trace_along};
use std::sync::atomic::Ordering;

/// What the workers found together.
struct Found {
    totals: Totals,
    ended: Result<(), Stop>,
    depth: u64,
    /// Failures, with the states of the runs to them.
    chains: Vec<(Sighting, Vec<Vec<u64>>)>,
    /// Why the next one is missing.
    lost: Option<Shortfall>,
    /// Of shares on disk.
    disk: Option<DiskFigures>,
}

/// The report of a search that other processes were lost in: there is no verdict.
pub(crate) fn report_lost(trouble: &Trouble, processes: usize, control: &RunControl) -> Report {
    let mut report = Report::at_once(Shortfall::Cluster);
    report.stats.states = control.counters.states.load(Ordering::Relaxed);
    report.stats.transitions = control.counters.transitions.load(Ordering::Relaxed);
    report.stats.depth = control.counters.depth.load(Ordering::Relaxed);
    report.stats.elapsed = control.started.elapsed();
    report.stats.cluster =
        Some(ClusterFigures { processes: processes as u64, workers: Vec::new(), trouble: trouble.why() });
    report
}

/// How a search ended that did not find what it was to find out.
pub(crate) fn ended_of(halt: Halt) -> Result<Stop, Halt> {
    match halt {
        Halt::Stop(stop) => Ok(stop),
        Halt::Lost => Err(Halt::Lost),
    }
}

/// What is to be told of a search that ended so: with the runs to its failures.
fn told(
    totals: Totals,
    ended: Result<(), Stop>,
    depth: u64,
    job: Job<'_>,
    mut chain: impl FnMut(&State, u64) -> Result<Vec<Vec<u64>>, Halt>,
) -> Result<Found, Halt> {
    let mut shown = totals.tally.failures.shown(job.options.keep_going);
    if matches!(ended, Err(Stop::PoolTooSmall)) {
        shown.clear();
    }
    let (mut chains, mut lost) = (Vec::new(), None);
    for sighting in shown {
        match chain(&sighting.state, sighting.depth) {
            Ok(states) => chains.push((sighting, states)),
            Err(Halt::Stop(Stop::Short(shortfall))) => {
                lost = Some(shortfall);
                break;
            }
            Err(Halt::Stop(stop)) => unreachable!("a way back meets no failure: {stop:?}"),
            Err(Halt::Lost) => return Err(Halt::Lost),
        }
    }
    Ok(Found { totals, ended, depth, chains, lost, disk: None })
}

/// Searches a space for failures.
pub(crate) fn explore<S: StateSpace>(
    space: &S,
    task: &Task<'_>,
    invalid_ends: bool,
    control: &RunControl,
    mut session: Session,
    checkpoints: Option<&Checkpoints>,
) -> Result<Report, RunError> {
    let job = Job { invalid_ends, numbers_known: false, options: &task.options, control, checkpoints };
    let free_bytes = control.budget.limit_bytes().saturating_sub(control.budget.used_bytes());
    let found = session.run(|link, trouble| {
        in_memory_or_on_disk(
            job,
            link,
            trouble,
            |link| {
                let mut search = Search::new(space, job, link, trouble)?;
                let ended = match search.run() {
                    Ok(()) => Ok(()),
                    Err(halt) => Err(ended_of(halt)?),
                };
                let (totals, depth) = (search.totals()?, search.depth);
                told(totals, ended, depth, job, |state, depth| search.chain(state, depth))
            },
            |found| matches!(found.ended, Err(Stop::Short(Shortfall::Memory { .. }))),
            |link| {
                let ground = Ground::new(space, job, free_bytes, link, trouble)?;
                let others = others_of(&ground, space.words_per_state(), link, trouble);
                let mut search = DiskSearch::new(space, job, &ground, &others)?;
                let ended = match search.run() {
                    Ok(()) => Ok(()),
                    Err(halt) => Err(ended_of(halt)?),
                };
                let (totals, depth) = (search.totals()?, search.depth);
                let found = told(totals, ended, depth, job, |state, depth| search.chain(state, depth))?;
                Ok(Found { disk: Some(search.disk_figures()?), ..found })
            },
        )
    });
    let Found { totals, ended, depth, chains, lost, disk } = match found {
        Ok(found) => found,
        Err(Halt::Lost) => return Ok(report_lost(&session.trouble, session.processes, control)),
        Err(Halt::Stop(Stop::Short(shortfall))) => return Ok(Report::at_once(shortfall)),
        Err(Halt::Stop(stop)) => unreachable!("nothing was searched yet: {stop:?}"),
    };
    let runs = chains
        .into_iter()
        .map(|(sighting, states)| trace_along(space, states, &sighting, control).map(|trace| (sighting.kind, trace)));
    let traces = Traces::of(runs.chain(lost.map(Err)));
    let memory =
        Memory { states: totals.states, store_bytes: totals.store_bytes, exactness: Exactness::Exact, figures: None };
    let ending = Ending::of(memory, depth, ended)?;
    let mut report = report(totals.tally, traces, &ending, &task.options, control);
    report.stats.store = if disk.is_some() { "disk" } else { "shares" };
    report.stats.disk = disk;
    report.stats.cluster =
        Some(ClusterFigures { processes: session.processes as u64, workers: totals.workers, trouble: None });
    debug_assert!(ended.is_ok() || report.verdict != Verdict::Holds, "a search that stopped shows nothing");
    Ok(report)
}
