//! The profile of a search: where its states come from.
//!
//! [`Profiler`] is a [`Recorder`](crate::Recorder) for each thread, over a [`Plan`](plan::Plan) that they share; what they
//! wrote down is put together by `summary`.

mod figures;
mod memory;
mod plan;
mod recorder;
mod sketch;
mod stopwatch;
mod summary;
mod values;
mod variables;

pub(crate) use recorder::Profiler;

use lariat_engine::profile::Phase;
use lariat_engine::{PoolTooSmall, Report, RunControl, RunError, Task};
use memory::{ProfileBudget, ProfileMemory};
use plan::Plan;
use std::time::Duration;

/// Runs a search with a recorder, and adds the profile to its report. `compiling` is what making the program took.
pub(crate) fn profiled(
    task: &Task<'_>,
    control: &RunControl,
    compiling: Duration,
    search: impl FnOnce(Profiler<'_>) -> Result<(Report, Vec<Profiler<'_>>), PoolTooSmall>,
) -> Result<Report, RunError> {
    let share = ProfileBudget::new(&control.budget);
    let mut memory = ProfileMemory::new(&share);
    let system = task.system().expect("only systems are profiled: others are refused");
    let plan = Plan::new(system, &mut memory).expect("the state fits: the program was compiled");
    let (mut report, recorders) = search(Profiler::first(&plan, memory.another()))?;
    let ended = control.started.elapsed();
    let mut profile = summary::profile(&plan, recorders, &report);
    profile.phases.insert(0, Phase::new("compiling the model", compiling));
    if !report.failures.is_empty() {
        // The time of a search is taken when it ends; finding the runs comes after that.
        profile.phases.push(Phase::new("finding the runs again", ended.saturating_sub(report.stats.elapsed)));
    }
    report.profile = Some(profile);
    Ok(report)
}
