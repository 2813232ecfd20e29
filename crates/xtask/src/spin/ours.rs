//! Lariat, asked the same.

use super::pan::{Figures, Unreached};
use lariat::{
    CheckError, CheckOptions, FairnessOptions, Limits, Model, Options, ProcessFairness, ReadOptions, Verdict,
};
use lariat_engine::Story;
use lariat_system::{System, Who};
use std::path::Path;
use std::time::Duration;

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum NoAnswer {
    /// We refuse the model or the property.
    Refused(String),
    /// An internal error.
    Bug(String),
    /// A limit was met.
    Unfinished,
}

/// What Lariat says about a temporal property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Cycles {
    pub(super) bad: bool,
    /// The run that shows it has ended: nothing moves on its cycle.
    pub(super) ended: bool,
    /// A process that lives on its cycle can never move there.
    pub(super) blocks: bool,
}

const LIMITS: Limits = Limits { memory_bytes: 1 << 28, time: Some(Duration::from_secs(10)) };

/// Reads a model.
pub(super) fn read(path: &Path) -> Result<Model, NoAnswer> {
    Model::read(path, &ReadOptions::default()).map_err(|rejected| {
        let errors = rejected.diagnostics.iter().filter(|diagnostic| diagnostic.is_error());
        NoAnswer::Refused(errors.map(|error| error.message.as_str()).collect::<Vec<_>>().join("; "))
    })
}

/// Searches the whole model, on beyond failures.
pub(super) fn safety(model: &mut Model) -> Result<Figures, NoAnswer> {
    let checked = check(model, "safety", FairnessOptions::default(), true)?;
    let settled = &checked.settled[0];
    let report = settled.report();
    if let (Verdict::Undecided(_), _) | (_, Some(_)) = (&report.verdict, report.unfinished) {
        return Err(NoAnswer::Unfinished);
    }
    let failures = report.failures.iter().map(|failure| failure.kind.word(settled.system()).to_owned()).collect();
    let sources = model.sources();
    // SPIN counts what blocks as reached.
    let unreached = checked.unreached.unwrap_or_default().into_iter().filter(|one| !one.blocked);
    let unreached = unreached.map(|one| Unreached {
        line: sources.line(one.statement.span),
        process: one.statement.process,
        text: one.statement.text,
    });
    let (states, transitions) = (report.stats.states, report.stats.transitions);
    Ok(Figures { failures, states, transitions, unreached: unreached.collect() })
}

/// Settles the temporal property of this name.
pub(super) fn cycles(model: &mut Model, name: &str, fair: bool) -> Result<Cycles, NoAnswer> {
    let processes = if fair { ProcessFairness::Weak } else { ProcessFairness::None };
    let checked = check(model, name, FairnessOptions { processes, ..FairnessOptions::default() }, false)?;
    let settled = &checked.settled[0];
    match &settled.report().verdict {
        Verdict::Holds => Ok(Cycles { bad: false, ended: false, blocks: false }),
        Verdict::Undecided(_) => Err(NoAnswer::Unfinished),
        Verdict::Computed(_) => unreachable!("nobody asked for a number"),
        Verdict::Fails(evidence) => {
            let trace = &evidence.trace;
            let stands_still = |start: usize| trace.steps[start..].iter().all(|step| step.via.is_empty());
            let blocks = settled.failures().next().is_some_and(|(_, story)| blocks(settled.system(), story));
            Ok(Cycles { bad: true, ended: trace.loop_start.is_some_and(stands_still), blocks })
        }
    }
}

/// Whether a process lives on the loop of the run, and can move nowhere on it.
fn blocks(system: &System, story: &Story) -> bool {
    let constraints = story.cycle.iter().flat_map(|cycle| cycle.fairness.iter().zip(&system.fairness));
    constraints.into_iter().any(|(steps, constraint)| match constraint.as_fairness_for() {
        Some(Who::Process(position)) => steps.asked.is_empty() && usize::from(position) < story.last().pool.len(),
        _ => false,
    })
}

fn check(
    model: &mut Model,
    name: &str,
    fairness: FairnessOptions,
    keep_going: bool,
) -> Result<lariat::Checked, NoAnswer> {
    let options = Options { keep_going, ..Options::default() };
    let (properties, threads) = (vec![name.to_owned()], Some(1));
    let options = CheckOptions { properties, fairness, threads, options, ..CheckOptions::default() };
    lariat::check(model, &options, &LIMITS.control()).map_err(|error| match error {
        CheckError::Bug(bug) => NoAnswer::Bug(bug),
        refused => NoAnswer::Refused(refused.to_string()),
    })
}
