//! Settling the properties of a model.

use crate::fairness::FairnessOptions;
use crate::job::{Job, jobs, plan_jobs};
use crate::search::{Answer, PropertySearch, not_replayed};
use crate::select::{SAFETY, select};
use crate::unused::UnusedOption;
use crate::{Engines, Model};
use lariat_base::{Diagnostic, Span, stoppable};
use lariat_engine::{
    After, CheckPlan, Coverage, Options, PlanLimits, PlannedSearch, Property, PropertyPlan, Report, RunControl,
    Settled, Shortfall, StoreKind, SystemReplay, Unreached, Verdict,
};
use lariat_system::{DeadEnds, Simplifications, System};
use std::fmt;
use std::sync::Arc;
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
    /// Count how often statements are executed in the search for `safety`. That takes a profile, so the options must ask for one.
    pub coverage: CoverageWanted,
    /// The order of variables at the end of a search will be written, so some search must have one.
    pub writes_order: bool,
    /// Where the graph is large, leave out steps whose order makes no difference, if that is possible and nothing asks for the
    /// whole graph. Without it, [`Options::reduce`] decides.
    pub reduce_if_possible: bool,
    /// Which searches are of a system that does the same with fewer states.
    pub simplify: Simplify,
    /// Compare each reduced search with one of the whole graph; [`Options::reduce`] must be set. A difference is an internal error.
    pub audit: bool,
    /// For the engine.
    pub options: Options,
}

/// Which searches are of a simplified system.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Simplify {
    /// None.
    #[default]
    Never,
    /// Those of large graphs, where that is possible and nothing asks for the whole graph.
    WhereLarge(Simplifications),
    /// All that keep states in memory, one by one; what follows when memory is full is of the system. Refused where there is none.
    Always(Simplifications),
}

/// Whether to count how often statements are executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CoverageWanted {
    /// No.
    #[default]
    No,
    /// Yes; and the profile is for nothing else, and left out of the answer.
    Only,
    /// Yes.
    BesideProfile,
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
    /// On disk, if there is room and an engine that keeps states there supports the property; otherwise the search stops. It follows
    /// searches that keep states one by one.
    Disk,
}

impl WhenFull {
    /// The word for it on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Store(store) => store.name(),
            Self::Engine(name) => name,
            Self::Disk => "auto",
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
    /// How often statements are executed, if that was asked for.
    pub coverage: Option<Coverage>,
}

/// Why a model was not checked.
#[derive(Clone, PartialEq, Debug)]
pub enum CheckError {
    /// Something is wrong with the model; at least one error.
    Model(Vec<Diagnostic>),
    /// What was asked for cannot be done, and why.
    Refused(String),
    /// An option was given that makes no difference to what is checked.
    Unused(UnusedOption),
    /// A limit was met, or the run was stopped, before there was anything to search.
    Short(Shortfall),
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
            Self::Unused(option) => option.fmt(f),
            Self::Short(Shortfall::Time { .. }) => f.write_str("the time limit was reached"),
            Self::Short(Shortfall::Memory { .. }) => f.write_str("the memory limit was reached"),
            Self::Short(_) => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for CheckError {}

/// Hears of answers as soon as they are known.
pub trait Listener {
    /// The properties of these names will be settled, in this order.
    fn begins(&mut self, _model: &Model, _names: &[&str]) {}
    /// The search of the property of this number begins.
    fn searches(&mut self, _number: usize) {}
    /// Something is odd: about the request before the first search, about a property before it is settled, about the model
    /// at the end.
    fn warns(&mut self, _model: &Model, _warnings: &[Diagnostic]) {}
    /// The property of this number is settled; with the statements that are never executed if the search found those out.
    fn settles(&mut self, _model: &Model, _settled: &Settled, _unreached: Option<&[Unreached]>, _number: usize) {}
    /// Whether the answers that it heard of are out. If they come out later, [`RunControl::answered`] is to be called then: until
    /// then files stay that they could be found with again.
    fn has_told(&self) -> bool {
        true
    }
    /// `safety` was settled, and this is how often its statements were executed.
    fn covers(&mut self, _model: &Model, _coverage: &Coverage) {}
}

/// Hears nothing.
impl Listener for () {}

/// [`check_with`], for callers that wait for all answers.
pub fn check(model: &mut Model, options: &CheckOptions, control: &RunControl) -> Result<Checked, CheckError> {
    check_with(model, options, control, &mut ())
}

/// Settles the properties of `model` that `options` ask for. Every trace in the answer has been replayed by the
/// reference evaluator. The run is watched and stopped through `control`; its counters begin anew with each search. The
/// texts of formulas that `options` give are added to those of the model. The listener hears of each answer at once.
pub fn check_with(
    model: &mut Model,
    options: &CheckOptions,
    control: &RunControl,
    listener: &mut dyn Listener,
) -> Result<Checked, CheckError> {
    // Whatever is wrong with a property is reported before anything is searched.
    match within(control, || Questions::of(model, options)) {
        Err(CheckError::Short(shortfall)) => undecided(model, options, shortfall, listener),
        questions => questions?.settle_with(model, options, control, listener),
    }
}

/// What was asked about a model, read and lowered. It can be settled in several ways: by other engines, stores and limits.
pub struct Questions {
    jobs: Vec<Job>,
}

impl Questions {
    /// What `options` ask for. The texts of formulas that they give are added to those of the model.
    pub fn of(model: &mut Model, options: &CheckOptions) -> Result<Self, CheckError> {
        Ok(Self { jobs: jobs(model, options)? })
    }

    /// Settles them, as [`check`] does. The model and what is asked for are those that they were read from.
    pub fn settle(&self, model: &Model, options: &CheckOptions, control: &RunControl) -> Result<Checked, CheckError> {
        self.settle_with(model, options, control, &mut ())
    }

    fn settle_with(
        &self,
        model: &Model,
        options: &CheckOptions,
        control: &RunControl,
        listener: &mut dyn Listener,
    ) -> Result<Checked, CheckError> {
        let Self { jobs } = self;
        let mut checked = Checked { settled: Vec::new(), warnings: Vec::new(), unreached: None, coverage: None };
        // What cannot be done is reported before anything is searched, too.
        let plans = within(control, || {
            let plans = plan_jobs(model, options, jobs, true)?;
            control.take_program().map_err(CheckError::Short)?;
            Ok(plans)
        });
        let plans = match plans {
            Err(CheckError::Short(shortfall)) => return undecided(model, options, shortfall, listener),
            plans => plans?,
        };
        if !options.fairness.is_empty() && jobs.iter().all(|job| job.kind.ignores_fairness()) {
            let message = "fairness says which infinite runs count, and makes no difference to `safety` and invariants";
            checked.warnings.push(Diagnostic::warning(Span::NONE, "C0005", message));
        }
        checked.warnings.extend(model.unused_defines());
        let names: Vec<&str> = jobs.iter().map(|job| job.name.as_str()).collect();
        listener.begins(model, &names);
        let mut heard = 0;
        for (number, (job, plan)) in jobs.iter().zip(&plans).enumerate() {
            let searches = Some(&plan.searches[..]);
            let search = PropertySearch { model, options, control, job, searches };
            // The first one meets the limits by itself: it began when its text was read.
            let begun = if number == 0 { Ok(()) } else { control.begin_property() };
            match begun {
                Ok(()) => {
                    listener.searches(number);
                    // Without an answer what was searched stays on disk.
                    search.settle(&mut checked).inspect_err(|_| control.unanswered())?;
                }
                Err(shortfall) => search.report_at_once(shortfall, &mut checked)?,
            }
            listener.warns(model, &checked.warnings[heard..]);
            heard = checked.warnings.len();
            if let Some(settled) = checked.settled.last() {
                let unreached = settled.report().taken.as_ref().and(checked.unreached.as_deref());
                listener.settles(model, settled, unreached, number);
                match settled.report().verdict {
                    // A run that was found could not be replayed within the limits: it can be found again.
                    Verdict::Undecided(_) => control.unanswered(),
                    _ => control.known(),
                }
                if listener.has_told() {
                    control.answered();
                }
            }
            if let Some(coverage) = checked.coverage.as_ref().filter(|_| job.name == SAFETY) {
                listener.covers(model, coverage);
            }
        }
        let is_cut = model.front().dead_ends() == DeadEnds::Cut;
        if is_cut && checked.settled.iter().any(|settled| settled.name() != SAFETY) {
            let remark = dead_ends(model, control, &checked)?;
            checked.warnings.extend(remark);
        }
        listener.warns(model, &checked.warnings[heard..]);
        Ok(checked)
    }
}

/// Does work that comes before a search, within the limits of the run.
pub(crate) fn within<T>(control: &RunControl, work: impl FnOnce() -> Result<T, CheckError>) -> Result<T, CheckError> {
    stoppable(control.preparing(), work).map_err(CheckError::Short)?
}

/// The answers where there was not even something to search.
fn undecided(
    model: &Model,
    options: &CheckOptions,
    shortfall: Shortfall,
    listener: &mut dyn Listener,
) -> Result<Checked, CheckError> {
    let system = Arc::new(System::empty("not made"));
    let replay = SystemReplay::new(&system).map_err(|error| CheckError::Bug(error.to_string()))?;
    let resumed = options.resumed.as_ref();
    let mut selected = select(model, options)?;
    selected.retain(|selected| resumed.is_none_or(|resumed| resumed.property == selected.name));
    let settled = selected.into_iter().map(|selected| {
        let report = Report::at_once(shortfall);
        Settled::new(&selected.name, "none", Arc::clone(&system), report, &replay).map_err(not_replayed)
    });
    let settled = settled.collect::<Result<Vec<_>, _>>()?;
    listener.begins(model, &settled.iter().map(Settled::name).collect::<Vec<_>>());
    settled.iter().enumerate().for_each(|(number, settled)| listener.settles(model, settled, None, number));
    Ok(Checked { settled, warnings: Vec::new(), unreached: None, coverage: None })
}

/// What [`check`] would do for each property, and what else it considered. Nothing is searched.
pub fn plan(model: &mut Model, options: &CheckOptions, control: &RunControl) -> Result<CheckPlan, CheckError> {
    let plans = within(control, || {
        let jobs = jobs(model, options)?;
        plan_jobs(model, options, &jobs, false)
    })?;
    let seconds = |limit: Option<Duration>| limit.map(|time| time.as_secs_f64());
    let limits = PlanLimits {
        memory_bytes: control.budget.limit_bytes(),
        seconds: seconds(control.time_limit),
        seconds_per_property: seconds(control.property_time_limit),
    };
    Ok(CheckPlan { plans, limits })
}

/// Whether a run can end is found out if so many states are enough for it, or as many as the answers took.
const LEAST_REMARK_STATES: u64 = 50_000;

/// A warning about runs that end, which do not count, or about a model that has none; or that this was not found out about as fast
/// as the answers were.
fn dead_ends(model: &Model, control: &RunControl, checked: &Checked) -> Result<Option<Diagnostic>, CheckError> {
    let mut known = checked.settled.iter().filter_map(|settled| settled.report().dead_end);
    if let Some(dead_end) = known.next() {
        return Ok(dead_end.then(dead_end_warning));
    }
    let took: Duration = checked.settled.iter().map(|settled| settled.report().stats.elapsed).sum();
    let patience = took.clamp(Duration::from_secs(1), Duration::from_secs(10));
    let unknown = || {
        let message = "whether a run can end was not found out: that takes longer than the answers, or than the limits allow; \
                       `--property safety` tells";
        Ok(Some(Diagnostic::warning(Span::NONE, "C0014", message)))
    };
    let is_open = |settled: &Settled| matches!(settled.report().verdict, Verdict::Undecided(_));
    if checked.settled.iter().filter(|settled| settled.name() != SAFETY).all(is_open) {
        return Ok(None);
    }
    if control.check().is_err() {
        return unknown();
    }
    let aside = control.beside(patience);
    let plain = CheckOptions::default();
    let Ok(job) = Job::of_safety(model) else { return unknown() };
    let property = Property::Safety { invalid_ends: true };
    let Ok(PropertyPlan { searches, .. }) = job.plan(model, &plain, &property, false) else { return unknown() };
    // What it may take is counted in states, where they are seen one by one: it is the same on every machine.
    let seen = |report: &Report| if report.stats.symbolic.is_some() { 0 } else { report.stats.states };
    let most_states =
        checked.settled.iter().map(|settled| seen(settled.report())).sum::<u64>().max(LEAST_REMARK_STATES);
    let searches = limited(searches, most_states);
    let search = PropertySearch { model, options: &plain, control: &aside, job: &job, searches: Some(&searches) };
    let answer = search.run(&property);
    aside.move_kept(control);
    let Ok(Answer { report, .. }) = answer else { return unknown() };
    // Whether the limit was noticed in time makes no difference.
    if seen(&report) > most_states {
        return unknown();
    }
    Ok(match report.verdict {
        Verdict::Holds if report.stats.states == 0 => {
            Some(Diagnostic::warning(Span::NONE, "C0001", "the model has no initial state, so everything holds"))
        }
        Verdict::Fails(_) => Some(dead_end_warning()),
        Verdict::Holds | Verdict::Computed(_) => None,
        Verdict::Undecided(_) => return unknown(),
    })
}

/// The same searches of at most so many states, where states are seen one by one; none follows because there are more.
fn limited(mut searches: Vec<PlannedSearch>, most_states: u64) -> Vec<PlannedSearch> {
    let mut is_limited = false;
    searches.retain_mut(|search| {
        let follows = search.after.contains(&After::GraphSize);
        if follows && is_limited {
            return false;
        }
        if search.plan.search.store.is_some() && search.states_limit.is_none_or(|limit| limit > most_states) {
            search.states_limit = Some(most_states);
            is_limited = true;
        }
        true
    });
    searches
}

fn dead_end_warning() -> Diagnostic {
    let message = "a state without a successor can be reached: runs that end there do not count, except for invariants; \
                   `--property safety` shows one";
    Diagnostic::warning(Span::NONE, "C0011", message)
}
