//! Settling the properties of a model.

use crate::fairness::FairnessOptions;
use crate::job::{Job, jobs, plan_jobs};
use crate::search::PropertySearch;
use crate::select::SAFETY;
use crate::{Engines, Model};
use lariat_base::{Diagnostic, Span};
use lariat_engine::{CheckPlan, Options, PlanLimits, Property, RunControl, Settled, StoreKind, Unreached, Verdict};
use lariat_system::DeadEnds;
use std::fmt;
use std::time::Duration;

/// What is to be checked, and how.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CheckOptions {
    /// The properties of these names.
    pub properties: Vec<String>,
    /// Further properties: formulas that are to hold on all runs.
    pub formulas: Vec<String>,
    /// Further properties: formulas of branching time.
    pub branching: Vec<String>,
    /// Further properties: files with automata that accept the bad runs.
    pub automata: Vec<String>,
    /// Which runs count, for temporal properties.
    pub fairness: FairnessOptions,
    /// The engines to choose from.
    pub engines: Engines,
    /// The name of the engine to use; the first that supports the task if not given.
    pub engine: Option<&'static str>,
    /// Dead ends that are no proper ends are no failures.
    pub allow_deadlock: bool,
    /// How many threads search, in place of what the options say: as many as the engine can use and the machine has if
    /// this is not given.
    pub threads: Option<usize>,
    /// What follows when memory is full: the search begins anew. Without it, the search stops.
    pub when_full: Option<WhenFull>,
    /// The run that is to go on, in place of everything that was asked for; its directory is in the options.
    pub resumed: Option<ResumedRun>,
    /// For the engine.
    pub options: Options,
}

/// What must be known of a run that goes on, beside what its directory says to the engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResumedRun {
    /// The name of its property.
    pub property: String,
    /// For how many processes there was room.
    pub pool_size: u16,
}

/// How a search begins anew when memory is full.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WhenFull {
    /// With this store, by any engine that works with it.
    Store(StoreKind),
    /// By the engine of this name.
    Engine(&'static str),
}

impl WhenFull {
    /// The word for it on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Store(store) => store.name(),
            Self::Engine(name) => name,
        }
    }
}

/// A checked model.
#[derive(Debug)]
pub struct Checked {
    /// The properties that were asked for, each with its answer.
    pub settled: Vec<Settled>,
    /// What is odd.
    pub warnings: Vec<Diagnostic>,
    /// Statements that are never executed; `None` unless the whole graph was seen.
    pub unreached: Option<Vec<Unreached>>,
}

/// Why a model was not checked.
#[derive(Clone, PartialEq, Debug)]
pub enum CheckError {
    /// Something is wrong with the model; at least one error.
    Model(Vec<Diagnostic>),
    /// What was asked for cannot be done, and why.
    Refused(String),
    /// A bug of ours.
    Bug(String),
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Model(diagnostics) => {
                f.write_str(diagnostics.first().map_or("not a model", |first| first.message.as_str()))
            }
            Self::Refused(reason) | Self::Bug(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for CheckError {}

/// Settles the properties of `model` that `options` ask for. Every trace in the answer has been replayed by the
/// reference evaluator. The run is watched and stopped through `control`; its counters begin anew with each search. The
/// texts of formulas that `options` give are added to those of the model.
pub fn check(model: &mut Model, options: &CheckOptions, control: &RunControl) -> Result<Checked, CheckError> {
    let mut checked = Checked { settled: Vec::new(), warnings: Vec::new(), unreached: None };
    // Whatever is wrong with a property, or cannot be done, is reported before anything is searched.
    let jobs = jobs(model, options)?;
    let plans = plan_jobs(model, options, &jobs, true)?;
    if !options.fairness.is_empty() && jobs.iter().all(|job| job.kind.ignores_fairness()) {
        let message = "fairness says which infinite runs count, and makes no difference to `safety` and invariants";
        checked.warnings.push(Diagnostic::warning(Span::NONE, "C0005", message));
    }
    for (job, plan) in jobs.iter().zip(&plans) {
        let searches = plan.as_ref().map(|plan| &plan.searches[..]);
        PropertySearch { model, options, control, job, searches }.settle(&mut checked)?;
    }
    if model.front().dead_ends() == DeadEnds::Cut && checked.settled.iter().any(|settled| settled.name() != SAFETY) {
        let remark = dead_ends(model, control, &checked)?;
        checked.warnings.extend(remark);
    }
    Ok(checked)
}

/// What [`check`] would do for each property, and what else it considered. Nothing is searched.
pub fn plan(model: &mut Model, options: &CheckOptions, control: &RunControl) -> Result<CheckPlan, CheckError> {
    let jobs = jobs(model, options)?;
    let plans = plan_jobs(model, options, &jobs, false)?;
    let seconds = control.time_limit.map(|time| time.as_secs_f64());
    let limits = PlanLimits { memory_bytes: control.budget.limit_bytes(), seconds };
    Ok(CheckPlan { plans: plans.into_iter().flatten().collect(), limits })
}

/// A warning about runs that end, which do not count, or about a model that has none; if that is found out about as fast as
/// the answers were.
fn dead_ends(model: &Model, control: &RunControl, checked: &Checked) -> Result<Option<Diagnostic>, CheckError> {
    let mut known = checked.settled.iter().filter_map(|settled| settled.report().dead_end);
    if let Some(dead_end) = known.next() {
        return Ok(dead_end.then(dead_end_warning));
    }
    let took: Duration = checked.settled.iter().map(|settled| settled.report().stats.elapsed).sum();
    let patience = took.clamp(Duration::from_secs(1), Duration::from_secs(10));
    if control.check().is_err() {
        return Ok(None);
    }
    let aside = RunControl::new(control.budget.limit_bytes(), Some(patience));
    let plain = CheckOptions::default();
    let job = Job::of_safety(model)?;
    let search = PropertySearch { model, options: &plain, control: &aside, job: &job, searches: None };
    let Ok(answer) = search.run(&Property::Safety { invalid_ends: true }) else { return Ok(None) };
    let report = answer.report;
    Ok(match report.verdict {
        Verdict::Holds if report.stats.states == 0 => {
            Some(Diagnostic::warning(Span::NONE, "C0001", "the model has no initial state, so everything holds"))
        }
        Verdict::Fails(_) => Some(dead_end_warning()),
        Verdict::Holds | Verdict::Computed(_) | Verdict::Undecided(_) => None,
    })
}

fn dead_end_warning() -> Diagnostic {
    let message = "a state without a successor can be reached: runs that end there do not count, except for invariants; \
                   `--property safety` shows one";
    Diagnostic::warning(Span::NONE, "C0011", message)
}
