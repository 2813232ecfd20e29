//! What is compared.

use lariat_automata::{TranslateOptions, translate};
use lariat_engine::{
    Demand, Engine, Options, Property, Report, RunControl, Settled, SystemReplay, Task, Temporal, Verdict,
};
use lariat_logic::{Formula, Propositions};
use lariat_system::{LabelId, System};
use lariat_testkit::{Knobs, RandomSystem};
use std::sync::Arc;

pub(crate) const MEMORY_BYTES: u64 = 256 << 20;

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

/// The same for a product: what was seen where it fails depends on the search.
pub(crate) fn temporal_essence(report: &Report) -> String {
    match &report.verdict {
        Verdict::Fails(_) => "fails".to_owned(),
        verdict => {
            let stats = &report.stats;
            format!("{verdict:?}: {} states, {} transitions, {:?}", stats.states, stats.transitions, stats.digest)
        }
    }
}

pub(crate) fn control() -> RunControl {
    RunControl::new(MEMORY_BYTES, None)
}

pub(crate) fn safety(options: Options, system: &System) -> Task<'_> {
    Task::of_system(system, Property::Safety { invalid_ends: true }, options)
}

/// What the engine says; nothing may be left of the budget.
pub(crate) fn settled(engine: &dyn Engine, task: &Task<'_>) -> Report {
    let control = control();
    let report = engine.settle(task, &control).expect("it runs");
    assert_eq!(control.budget.used_bytes(), 0, "all memory is given back");
    report
}

/// The runs of a report must be runs of the system.
pub(crate) fn replay(system: &System, temporal: Option<&Temporal>, report: Report) -> Result<(), String> {
    let replay = match temporal {
        None => SystemReplay::new(system),
        Some(temporal) => SystemReplay::of_temporal(system, temporal),
    };
    let replay = replay.map_err(|error| error.to_string())?;
    let settled = Settled::new("case", "cluster", Arc::new(system.clone()), report, &replay);
    settled.map(|_| ()).map_err(|error| format!("a trace does not replay: {error}"))
}

pub(crate) fn temporal(formula: &Formula, propositions: &Propositions, labels: Vec<LabelId>) -> Option<Temporal> {
    let bad = formula.negated();
    let automaton = translate(&bad, propositions, &TranslateOptions::default()).ok()?;
    let names: Vec<String> = propositions.entries().map(|(_, proposition)| proposition.text.clone()).collect();
    let bad_runs = automaton.over_propositions(&names);
    Some(Temporal { bad: bad_runs, labels, demands: vec![Demand::Satisfies(bad)], is_of_all_states: false })
}

/// Random systems with so many states.
pub(crate) fn systems(count: usize, states: std::ops::RangeInclusive<usize>) -> Vec<System> {
    let mut found = Vec::new();
    let mut seed = 0;
    while found.len() < count {
        found.extend(RandomSystem::of_size(seed, &Knobs::default(), states.clone()));
        seed += 1;
        assert!(seed < 100_000, "there are such systems");
    }
    found
}
