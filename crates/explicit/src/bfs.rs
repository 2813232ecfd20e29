//! Breadth-first search, level by level, by one thread or several.
//!
//! When a failure is met the level is still finished: so the same states and steps were seen whatever the number of
//! threads, the failure told is the least of the shallowest, and its run is a shortest one.
//! No parents are kept. Most searches meet no failure; for the others the run is found again by [`retrace`](crate::retrace).

use crate::levels::{Levels, level_threads, merge_threads};
use crate::record::Recorder;
use crate::retrace::retrace;
use crate::scout::Scouts;
use crate::worker::Job;
use lariat_engine::{FailureKind, Options, PoolTooSmall, Report, RunControl};
use lariat_space::StateSpace;
use lariat_store::{Full, Recall};
use lariat_subject::{Ending, Failures, Traces, report};

/// The kernel. `make_store` makes an empty store that takes its memory from the budget of `control`.
pub fn bfs<S: StateSpace, T: Recall, R: Recorder>(
    space: &S,
    make_store: impl Fn() -> Result<T, Full>,
    invalid_ends: bool,
    options: &Options,
    control: &RunControl,
    recorder: R,
) -> Result<(Report, Vec<R>), PoolTooSmall> {
    scouted_bfs(space, make_store, Job { invalid_ends, options, control }, recorder, None)
}

/// The same, by a search that sends scouts. If one of them finds something, this report says only that the search was
/// stopped.
pub(crate) fn scouted_bfs<S: StateSpace, T: Recall, R: Recorder>(
    space: &S,
    make_store: impl Fn() -> Result<T, Full>,
    job: Job<'_>,
    recorder: R,
    scouts: Option<&Scouts<'_>>,
) -> Result<(Report, Vec<R>), PoolTooSmall> {
    let Job { invalid_ends: _, options, control } = job;
    let store = match make_store() {
        Ok(store) => store,
        Err(full) => return Ok((Report::at_once(full.into()), Vec::new())),
    };
    let mut threads = match level_threads(space, job, &recorder) {
        Ok(threads) => threads,
        Err(full) => return Ok((Report::at_once(full.into()), Vec::new())),
    };
    let mut levels = Levels::new(&store, control);
    let ended = levels.run(&mut threads, options, scouts, &|_| false, &mut |_, _| Ok(()));
    let depth = levels.depth();
    let (tally, recorders) = merge_threads(threads);
    let ending = Ending::new(&store, depth, ended)?;
    // What the search took is free again for finding the runs.
    drop(store);
    let traces = traces(space, &make_store, &tally.failures, options, control);
    Ok((report(tally, traces, &ending, options, control), recorders))
}

/// The runs to the failures that are to be told, shortest first.
pub(crate) fn traces<S: StateSpace, T: Recall>(
    space: &S,
    make_store: &impl Fn() -> Result<T, Full>,
    failures: &Failures,
    options: &Options,
    control: &RunControl,
) -> Traces {
    let mut shown: Vec<_> = failures.of_kind.iter().collect();
    let steps = |kind: FailureKind, depth: u64| depth + u64::from(kind != FailureKind::InvalidEnd);
    shown.sort_by_key(|sighting| (steps(sighting.kind, sighting.depth), sighting.kind));
    if !options.keep_going {
        shown.truncate(1);
    }
    Traces::of(shown.into_iter().map(|sighting| Ok((sighting.kind, retrace(space, make_store, sighting, control)?))))
}
