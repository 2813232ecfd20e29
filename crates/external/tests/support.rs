//! What is compared.

use crate::sim_files::SimFiles;
use lariat_engine::{Disk, Engine, Options, Property, Report, RunControl, Settled, SystemReplay, Task, Verdict};
use lariat_explicit::Bfs;
use lariat_external::External;
use lariat_system::System;
use lariat_testkit::{Knobs, RandomSystem};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::Arc;

pub(crate) const MEMORY_BYTES: u64 = 64 << 20;

/// What two engines must agree on: verdict, the steps of the run and its kind, states, transitions, depth, failures, digest.
pub(crate) fn essence(report: &Report) -> String {
    let verdict = match &report.verdict {
        Verdict::Holds => "holds".to_owned(),
        Verdict::Fails(evidence) => format!("{:?} after {} steps", evidence.kind, evidence.trace.steps.len()),
        other => format!("{other:?}"),
    };
    let stats = &report.stats;
    let kinds: Vec<_> = report.failures.iter().map(|found| (found.kind, found.trace.steps.len())).collect();
    format!(
        "{verdict}; {} states, {} transitions, depth {}, {} failures {kinds:?}, digest {:?}, taken {:?}",
        stats.states, stats.transitions, stats.depth, report.failure_count, stats.digest, report.taken
    )
}

pub(crate) fn safety(options: Options, system: &System) -> Task<'_> {
    Task::of_system(system, Property::Safety { invalid_ends: true }, options)
}

/// Buffers for so many states, and a checkpoint whenever that is possible.
pub(crate) fn small_disk(buffer_states: usize, folders: usize) -> Disk {
    Disk {
        folders: (0..folders).map(|number| PathBuf::from(format!("/disk{number}"))).collect(),
        buffer_states: Some(buffer_states),
        checkpoint_ms: Some(0),
        ..Disk::default()
    }
}

pub(crate) fn control() -> RunControl {
    RunControl::new(MEMORY_BYTES, None)
}

pub(crate) fn in_memory(system: &System, options: &Options) -> Report {
    let options = Options { disk: None, ..options.clone() };
    Bfs.settle(&safety(options, system), &control()).expect("it runs")
}

pub(crate) fn on_disk(system: &System, options: &Options, files: &SimFiles) -> Report {
    answered(&External::on(Arc::new(files.clone())), &safety(options.clone(), system))
}

/// What the engine says; its run directory is removed as if the answer had been printed.
pub(crate) fn answered(engine: &dyn Engine, task: &Task<'_>) -> Report {
    let control = control();
    let report = engine.settle(task, &control).expect("it runs");
    control.answered();
    report
}

/// The runs of a report must be runs of the system.
pub(crate) fn replay(system: &System, report: Report) -> Result<(), String> {
    let replay = SystemReplay::new(system).map_err(|error| error.to_string())?;
    let settled = Settled::new("safety", "external", Arc::new(system.clone()), report, &replay);
    settled.map(|_| ()).map_err(|error| error.to_string())
}

/// How many calls of each run fail: `LARIAT_FAULT_CALLS`, or few.
pub(crate) fn fault_calls(few: u64) -> u64 {
    std::env::var("LARIAT_FAULT_CALLS").ok().and_then(|text| text.parse().ok()).unwrap_or(few)
}

/// Random systems with so many states.
pub(crate) fn systems(count: usize, states: RangeInclusive<usize>) -> Vec<System> {
    systems_with(&Knobs::default(), count, states)
}

pub(crate) fn systems_with(knobs: &Knobs, count: usize, states: RangeInclusive<usize>) -> Vec<System> {
    let mut found = Vec::new();
    let mut seed = 0;
    while found.len() < count {
        found.extend(RandomSystem::of_size(seed, knobs, states.clone()));
        seed += 1;
        assert!(seed < 100_000, "there are such systems");
    }
    found
}
