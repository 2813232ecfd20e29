//! How a search for failures becomes a report.

use crate::checkpoint::Progress;
use crate::directory::Directory;
use crate::search::{Ground, LayeredSearch, steps_to};
use crate::worker::Job;
use lariat_engine::{DiskFigures, Report, RunError, Shortfall, Task};
use lariat_runs::error::{DiskError, Halt};
use lariat_runs::share::Shares;
use lariat_space::StateSpace;
use lariat_store::Exactness;
use lariat_subject::{Ending, Keep, Memory, Stop, Tally, Traces, report};

/// Whether a search that ended so can go on.
pub(crate) fn is_pause(unfinished: Option<Shortfall>) -> bool {
    matches!(
        unfinished,
        Some(Shortfall::Interrupted | Shortfall::Time { .. } | Shortfall::Memory { .. } | Shortfall::Disk)
    )
}

/// Why a search could not begin whose buffers do not fit.
pub(crate) const FEW_BYTES: &str = "its buffers need about 20 MiB: give it more with `--memory`";

/// The report of a search that could not begin.
pub(crate) fn not_begun(shortfall: Shortfall, figures: DiskFigures) -> Report {
    let mut report = Report::at_once(shortfall);
    report.stats.disk = Some(figures);
    report
}

/// Searches a space for failures.
pub(crate) fn explore<S: StateSpace>(
    space: &S,
    task: &Task<'_>,
    job: Job<'_>,
    directory: &mut Directory,
    progress: Option<Progress>,
) -> Result<Report, RunError> {
    let control = job.control;
    let mut shares = Shares::of(task, space.words_per_state(), control);
    if job.guide.is_some() {
        shares = shares.with_buckets();
    }
    let (path, is_resumed) = (directory.path().to_owned(), directory.has_manifest());
    let ground = match Ground::new(&shares, progress.as_ref(), &control.budget) {
        Ok(ground) => ground,
        Err(full) => {
            let trouble = Some(FEW_BYTES.to_owned());
            let figures =
                DiskFigures { folder: path, is_paused: is_resumed, is_resumed, trouble, ..DiskFigures::default() };
            return Ok(not_begun(full.into(), figures));
        }
    };
    let mut trouble = None;
    let mut short = |halt: Halt| match halt {
        Halt::Stop(stop) => stop,
        Halt::Disk(error) => {
            trouble = Some(error);
            Stop::Short(Shortfall::Disk)
        }
    };
    let mut search = match LayeredSearch::new(space, job, shares, directory, &ground, progress) {
        Ok(search) => search,
        Err(halt) => match short(halt) {
            Stop::Short(shortfall) => {
                let trouble = trouble.as_ref().map(DiskError::to_string);
                let figures = DiskFigures { folder: path, is_paused: is_resumed, trouble, ..DiskFigures::default() };
                return Ok(not_begun(shortfall, figures));
            }
            stop => unreachable!("nothing was searched yet: {stop:?}"),
        },
    };
    let ended = search.run().map_err(&mut short);
    let in_part = std::mem::take(&mut search.failures_in_part);
    let met = if in_part.is_empty() { search.tally.failures.of_kind.clone() } else { in_part };
    let mut shown = met.clone();
    shown.sort_by_key(|sighting| (steps_to(sighting), sighting.kind));
    // A search that was stopped has met some failure, and there may be nearer ones among what it has not expanded.
    let may_be_longer = matches!(ended, Err(Stop::Short(_)))
        && shown.first().is_some_and(|nearest| steps_to(nearest) > search.fewest_steps());
    if !task.options.keep_going {
        shown.truncate(1);
    }
    let traces = Traces::of(shown.iter().map(|sighting| search.trace(sighting, &mut trouble)));
    if traces.lost.is_some() {
        search.pause();
    }
    let mut tally = std::mem::replace(&mut search.tally, Tally::new(Keep::Least));
    tally.failures.count = tally.failures.count.max(met.len() as u64);
    tally.failures.of_kind = met;
    let (read_bytes, written_bytes) = search.moved();
    let layer_bytes = search.layer_bytes();
    let states = search.reached.states;
    let of_state = layer_bytes as f64 / states.max(1) as f64;
    let mut figures = DiskFigures {
        folder: path,
        layers: search.depth + u64::from(states > 0),
        expanded: search.expanded_states,
        layer_bytes,
        read_bytes,
        written_bytes,
        bound_bytes: (search.bound_states_with(tally.transitions) as f64 * of_state) as u64,
        is_resumed,
        is_paused: false,
        may_be_longer,
        trouble: trouble.as_ref().map(DiskError::to_string),
    };
    let memory = Memory { states, store_bytes: layer_bytes, exactness: Exactness::Exact, figures: None };
    let ending = Ending::of(memory, search.most_steps(), ended)?;
    let has_manifest = search.has_manifest();
    drop(search);
    let mut report = report(tally, traces, &ending, &task.options, control);
    report.stats.store = "disk";
    figures.is_paused = has_manifest && is_pause(report.unfinished);
    report.stats.disk = Some(figures);
    Ok(report)
}
