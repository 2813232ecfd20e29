//! Settling the properties of a model.

use crate::branching::PreparedBranching;
use crate::engines::{Asked, Chosen, engine, engines, search_choice};
use crate::fairness::FairnessOptions;
use crate::pool::with_growing_pool;
use crate::select::{SAFETY, Selected, select};
use crate::temporal::{Prepared, Stated};
use crate::{Form, Model, vacuity};
use lariat_base::{Diagnostic, Span, closest_name};
use lariat_branching::Graph;
use lariat_engine::profile::Phase;
use lariat_engine::{
    Engine, Options, Property, PropertyPlan, Report, RunControl, Settled, Shortfall, StoreKind, SystemReplay, Temporal,
    Unreached, Verdict, never_taken,
};
use lariat_explicit::reduction_obstacle;
use lariat_system::System;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What is reported in place of the engine's name where one of its scouts found the failure.
const SCOUT: &str = "scout";

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
    /// The name of the engine to use, one of [`engines`](crate::engines); the first that supports the task if not given.
    pub engine: Option<&'static str>,
    /// Dead ends that are no proper ends are no failures.
    pub allow_deadlock: bool,
    /// How many threads search, in place of what the options say: as many as the engine can use and the machine has if
    /// this is not given.
    pub threads: Option<usize>,
    /// How to remember states when an exact store is full: the search begins anew. Without it, the search stops.
    pub next_rung: Option<StoreKind>,
    /// For the engine.
    pub options: Options,
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
    plan_jobs(model, options, &jobs, true)?;
    if !options.fairness.is_empty() && jobs.iter().all(|job| job.what.ignores_fairness()) {
        let message = match model.form() {
            Form::Smv(_) => {
                "fairness says which infinite runs count, and makes no difference to `safety` and `INVARSPEC`"
            }
            _ => "fairness says which infinite runs count, and makes no difference to `safety`",
        };
        checked.warnings.push(Diagnostic::warning(Span::NONE, "C0005", message));
    }
    for job in &jobs {
        let search = Search { model, options, control, job };
        match &job.what {
            What::Safety => search.check_safety(&mut checked)?,
            What::Temporal(prepared, temporal) => search.check_temporal(prepared, temporal, &mut checked)?,
            What::TooLarge(_) => search.report_at_once(Shortfall::Automaton, &mut checked)?,
            What::Branching(prepared) => search.check_branching(prepared, &mut checked)?,
            What::Open => search.report_at_once(Shortfall::Branching, &mut checked)?,
        }
    }
    if matches!(model.form(), Form::Smv(_)) && checked.settled.iter().any(|settled| settled.name() != SAFETY) {
        let remark = dead_ends(model, control, &checked)?;
        checked.warnings.extend(remark);
    }
    Ok(checked)
}

/// What [`check`] would do for each property, and what else it considered. Nothing is searched.
pub fn plan(model: &mut Model, options: &CheckOptions) -> Result<Vec<PropertyPlan>, CheckError> {
    let jobs = jobs(model, options)?;
    plan_jobs(model, options, &jobs, false)
}

/// A warning about runs that end, which do not count, or about a model that has none; if that is found out about as fast as
/// the answers were.
fn dead_ends(model: &Model, control: &RunControl, checked: &Checked) -> Result<Option<Diagnostic>, CheckError> {
    let took: Duration = checked.settled.iter().map(|settled| settled.report().stats.elapsed).sum();
    let patience = took.clamp(Duration::from_secs(1), Duration::from_secs(10));
    if control.check().is_err() {
        return Ok(None);
    }
    let aside = RunControl::new(control.budget.limit_bytes(), Some(patience));
    let plain = CheckOptions::default();
    let system = Arc::new(What::Safety.system(model, model.first_pool_size()?)?);
    let job = Job { name: SAFETY.to_owned(), is_named: true, what: What::Safety, system, making: Duration::ZERO };
    let search = Search { model, options: &plain, control: &aside, job: &job };
    let Ok((_, report, _)) = search.run(&Property::Safety { invalid_ends: true }) else { return Ok(None) };
    let warning = |code, message: &str| Some(Diagnostic::warning(Span::NONE, code, message));
    Ok(match report.verdict {
        Verdict::Holds if report.stats.states == 0 => {
            warning("C0001", "the model has no initial state, so everything holds")
        }
        Verdict::Fails(_) => warning(
            "C0011",
            "a state without a successor can be reached: runs that end there do not count, except for `INVARSPEC`; \
             `--property safety` shows one",
        ),
        Verdict::Holds | Verdict::Undecided(_) => None,
    })
}

/// A property that is to be settled, with the system it speaks of.
struct Job {
    name: String,
    /// Whether it was asked for by itself.
    is_named: bool,
    what: What,
    /// For a pool of the first size.
    system: Arc<System>,
    /// How long making that took.
    making: Duration,
}

/// What is to be settled.
enum What {
    Safety,
    Temporal(Box<Prepared>, Box<Temporal>),
    /// A temporal property whose automaton would be too large.
    TooLarge(Box<Prepared>),
    /// A formula of branching time.
    Branching(Box<PreparedBranching>),
    /// A property of branching time that none of our engines settles.
    Open,
}

impl What {
    /// What an engine is asked, if one can be asked.
    fn property(&self, options: &CheckOptions) -> Option<Property> {
        match self {
            Self::Safety => Some(Property::Safety { invalid_ends: !options.allow_deadlock }),
            Self::Temporal(_, temporal) => Some(Property::Temporal(temporal.clone())),
            Self::Branching(prepared) => Some(Property::Branching(Box::new(prepared.property.clone()))),
            Self::TooLarge(_) | Self::Open => None,
        }
    }
    /// Whether it makes no difference which infinite runs count.
    fn ignores_fairness(&self) -> bool {
        match self {
            Self::Safety | Self::Open => true,
            Self::Branching(_) => false,
            Self::Temporal(prepared, _) | Self::TooLarge(prepared) => prepared.all_states(),
        }
    }
    /// The system for a pool of this size.
    fn system(&self, model: &Model, pool_size: u16) -> Result<System, CheckError> {
        match self {
            Self::Safety | Self::Open => model.system(pool_size),
            Self::Branching(prepared) => prepared.system(pool_size),
            Self::Temporal(prepared, _) | Self::TooLarge(prepared) => prepared.system(pool_size),
        }
        .map_err(CheckError::Model)
    }
}

fn jobs(model: &mut Model, options: &CheckOptions) -> Result<Vec<Job>, CheckError> {
    let mut jobs = Vec::new();
    for Selected { name, is_named, stated } in select(model, options)? {
        let what = match stated {
            None => What::Safety,
            Some(Stated::Branching(text)) => {
                What::Branching(Box::new(PreparedBranching::of_text(model, &text, &options.fairness)?))
            }
            Some(Stated::Specification(own)) if model.is_branching(&own) => {
                match PreparedBranching::of_specification(model, &own, &options.fairness) {
                    Ok(prepared) if is_named || prepared.is_supported(model)? => What::Branching(Box::new(prepared)),
                    Err(CheckError::Refused(reason)) if is_named => return Err(CheckError::Refused(reason)),
                    Ok(_) | Err(CheckError::Refused(_)) => What::Open,
                    Err(error) => return Err(error),
                }
            }
            Some(stated) => {
                let prepared = Box::new(Prepared::new(model, &stated, &options.fairness)?);
                match prepared.temporal() {
                    Ok(temporal) => What::Temporal(prepared, Box::new(temporal)),
                    Err(_) => What::TooLarge(prepared),
                }
            }
        };
        let began = Instant::now();
        let system = Arc::new(what.system(model, model.first_pool_size()?)?);
        jobs.push(Job { name, is_named, what, system, making: began.elapsed() });
    }
    Ok(jobs)
}

/// What will be done for each job; an error if something cannot be done, or if `ready` is asked for and the machine lacks
/// something.
fn plan_jobs(
    model: &Model,
    options: &CheckOptions,
    jobs: &[Job],
    ready: bool,
) -> Result<Vec<PropertyPlan>, CheckError> {
    let mut plans = Vec::new();
    let mut left = Vec::new();
    for job in jobs {
        let Some(property) = job.what.property(options) else { continue };
        let named = |error| match error {
            CheckError::Refused(reason) => CheckError::Refused(format!("`{}`: {reason}", job.name)),
            other => other,
        };
        let choose = |rung: Rung| {
            options.choose(rung, &property, job, !model.has_fixed_pool(), &job.system, |chosen| {
                if ready {
                    chosen.prepared.ensure_ready().map_err(|error| CheckError::Refused(error.to_string()))?;
                }
                Ok(search_choice(&chosen))
            })
        };
        let first = choose(options.first_rung(&property)).map_err(named)?;
        let next = options.next_rung.map(Rung::WhenFull);
        let when_full = next.map(|rung| choose(rung).map_err(|error| not_when_full(rung, error))).transpose();
        if let Some(asked_for) = options.engine
            && first.plan.engine != asked_for
        {
            left.push(first.considered[0].clone());
        }
        plans.push(PropertyPlan { property: job.name.clone(), first, when_full: when_full.map_err(named)? });
    }
    match (options.engine, left.first()) {
        // An engine that is asked for and has nothing to do is a mistake.
        (Some(engine), Some(considered)) if left.len() == plans.len() => {
            let why = considered.why.as_ref().map_or(String::new(), |why| format!(": {why}"));
            let unsupported = &considered.unsupported;
            Err(CheckError::Refused(format!("the engine `{engine}` does not support {unsupported}{why}")))
        }
        _ => Ok(plans),
    }
}

/// Which search of a property: the one that is made first, or the one that follows when memory is full.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Rung {
    /// On a graph that is small enough to be written out in a moment.
    Small,
    First,
    WhenFull(StoreKind),
}

fn not_when_full(rung: Rung, error: CheckError) -> CheckError {
    match (rung, error) {
        (Rung::WhenFull(store), CheckError::Refused(reason)) => {
            CheckError::Refused(format!("`--when-full {}` is not possible: {reason}", store.name()))
        }
        (_, error) => error,
    }
}

impl CheckOptions {
    /// Which search of a property comes first.
    fn first_rung(&self, property: &Property) -> Rung {
        match property {
            Property::Branching(_) if self.engine.is_none() => Rung::Small,
            _ => Rung::First,
        }
    }

    /// Finds the engine that settles the property of a system, and goes on with it.
    fn choose<R>(
        &self,
        rung: Rung,
        property: &Property,
        job: &Job,
        pool_may_grow: bool,
        system: &System,
        then: impl FnOnce(Chosen<'_>) -> Result<R, CheckError>,
    ) -> Result<R, CheckError> {
        // An engine that is asked for works alone.
        let scout = self.engine.is_none();
        let mut options = Options { pool_may_grow, scout, ..self.options.clone() };
        match rung {
            Rung::WhenFull(store) => options.store = store,
            // These are for what follows.
            Rung::First | Rung::Small if self.next_rung.is_some() => (options.runs, options.disk) = (1, None),
            Rung::First | Rung::Small => {}
        }
        // Below the exact stores others may have to do the work.
        let engine = match rung {
            Rung::First => self.engine.map(|name| engine(name).ok_or_else(|| no_engine(name))).transpose()?,
            Rung::Small => Some(&Graph::SMALL as &dyn Engine),
            Rung::WhenFull(_) => None,
        };
        let threads = if rung == Rung::Small { Some(1) } else { self.threads };
        let may_leave_it = !job.is_named;
        let asked = Asked { property, options: &options, threads, engine, may_leave_it };
        asked.choose(system, then).map_err(|error| match error {
            CheckError::Refused(mut reason) => {
                if matches!(property, Property::Temporal(_)) && !job.is_named {
                    reason.push_str("; `--property safety` asks for safety alone");
                }
                CheckError::Refused(reason)
            }
            other => other,
        })
    }
}

fn no_engine(name: &str) -> CheckError {
    let names: Vec<&str> = engines().iter().map(|engine| engine.name()).collect();
    let hint = match closest_name(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are: {}", names.join(", ")),
    };
    CheckError::Refused(format!("there is no engine `{name}`; {hint}"))
}

/// How one property is searched.
struct Search<'a> {
    model: &'a Model,
    options: &'a CheckOptions,
    control: &'a RunControl,
    job: &'a Job,
}

impl Search<'_> {
    fn check_safety(&self, checked: &mut Checked) -> Result<(), CheckError> {
        let property = Property::Safety { invalid_ends: !self.options.allow_deadlock };
        let (system, report, engine) = self.run(&property)?;
        checked.warnings.extend(self.remark(&report, engine));
        checked.warnings.extend(self.in_vain(&system, &property));
        let replay = SystemReplay::new(&system).map_err(|error| CheckError::Bug(error.to_string()))?;
        let replay = replay.within(self.control);
        let settled = Settled::new(SAFETY, engine, Arc::clone(&system), report, &replay).map_err(not_replayed)?;
        keep_room(&settled, self.control);
        if settled.report().verdict == Verdict::Holds && settled.report().stats.states == 0 {
            let message = "the model has no initial state, so everything holds";
            checked.warnings.push(Diagnostic::warning(Span::NONE, "C0001", message));
        }
        let taken = settled.report().taken.as_ref();
        checked.unreached = taken.map(|taken| never_taken(&system, taken, self.model.statements(&system)));
        checked.settled.push(settled);
        Ok(())
    }

    fn check_branching(&self, prepared: &PreparedBranching, checked: &mut Checked) -> Result<(), CheckError> {
        let property = Property::Branching(Box::new(prepared.property.clone()));
        let (system, report, engine) = self.run(&property)?;
        let replay = SystemReplay::of_branching(&system, &prepared.property);
        let replay = replay.map_err(|error| CheckError::Bug(error.to_string()))?.within(self.control);
        let settled =
            Settled::new(&self.job.name, engine, Arc::clone(&system), report, &replay).map_err(not_replayed)?;
        if settled.report().verdict == Verdict::Holds && settled.report().stats.states == 0 {
            let message = "the model has no initial state, so everything holds";
            checked.warnings.push(Diagnostic::warning(Span::NONE, "C0001", message));
        }
        checked.settled.push(settled);
        Ok(())
    }

    fn check_temporal(
        &self,
        prepared: &Prepared,
        temporal: &Temporal,
        checked: &mut Checked,
    ) -> Result<(), CheckError> {
        let name = self.job.name.as_str();
        let property = Property::Temporal(Box::new(temporal.clone()));
        let (system, report, engine) = self.run(&property)?;
        checked.warnings.extend(self.remark(&report, engine));
        checked.warnings.extend(self.in_vain(&system, &property));
        let took = report.stats.elapsed;
        let replay =
            SystemReplay::of_temporal(&system, temporal).map_err(|error| CheckError::Bug(error.to_string()))?;
        let replay = replay.within(self.control);
        let settled = Settled::new(name, engine, Arc::clone(&system), report, &replay).map_err(not_replayed)?;
        keep_room(&settled, self.control);
        // Nobody waits much longer for a remark than for the answer.
        let patience = took.clamp(Duration::from_secs(1), Duration::from_secs(10));
        let aside = RunControl::new(self.control.budget.limit_bytes(), Some(patience));
        let remarks = vacuity::remarks(name, prepared, &settled, |temporal| {
            self.control.check().map_err(|_| CheckError::Refused("there is no time left".to_owned()))?;
            let plain = CheckOptions::default();
            let search = Search { options: &plain, control: &aside, ..*self };
            search.run(&Property::Temporal(Box::new(temporal.clone()))).map(|(_, report, _)| report)
        });
        checked.warnings.extend(remarks);
        checked.settled.push(settled);
        Ok(())
    }

    /// The answer where nothing is searched.
    fn report_at_once(&self, shortfall: Shortfall, checked: &mut Checked) -> Result<(), CheckError> {
        let system = &self.job.system;
        let replay = SystemReplay::new(system).map_err(|error| CheckError::Bug(error.to_string()))?;
        let report = Report::at_once(shortfall);
        let engine = self.options.engine.unwrap_or("none");
        let settled = Settled::new(&self.job.name, engine, Arc::clone(system), report, &replay);
        checked.settled.push(settled.map_err(not_replayed)?);
        Ok(())
    }

    /// Settles the property of the system, and says by which engine.
    fn run(&self, property: &Property) -> Result<(Arc<System>, Report, &'static str), CheckError> {
        let Self { model, control, options, job } = *self;
        let name = Cell::new("none");
        let (making, runs) = (Cell::new(job.making), RefCell::new(Vec::new()));
        let run = |system: &System, pool_may_grow: bool| {
            let began = Instant::now();
            let search = |rung: Rung| {
                options.choose(rung, property, job, pool_may_grow, system, |chosen| {
                    name.set(engine(&chosen.prepared.plan().engine).map_or("none", Engine::name));
                    reset(control);
                    chosen.prepared.run(control).map_err(|error| CheckError::Refused(error.to_string()))
                })
            };
            let mut report = search(options.first_rung(property))?;
            if options.first_rung(property) == Rung::Small
                && let Verdict::Undecided(Shortfall::Memory { .. }) = report.verdict
            {
                // There are too many states to write them out.
                report = search(Rung::First)?;
            }
            if let Some(next) = options.next_rung
                && let Verdict::Undecided(Shortfall::Memory { .. }) = report.verdict
            {
                report = search(Rung::WhenFull(next))?;
            }
            if report.scouted {
                name.set(SCOUT);
            }
            report.stats.elapsed = began.elapsed();
            runs.borrow_mut().push(began.elapsed());
            Ok(report)
        };
        let make = |pool_size| {
            let began = Instant::now();
            let system = job.what.system(model, pool_size);
            making.set(making.get() + began.elapsed());
            system
        };
        let (system, mut report) = with_growing_pool(Arc::clone(&job.system), model.has_fixed_pool(), make, run)?;
        if let Some(profile) = &mut report.profile {
            let earlier: Duration = runs.borrow().iter().rev().skip(1).sum();
            let before = [
                ("reading the model", model.reading()),
                ("making its system", making.get()),
                ("searching with too few processes", earlier),
            ];
            let before = before.into_iter().filter(|(_, time)| !time.is_zero());
            profile.phases.splice(..0, before.map(|(name, time)| Phase::new(name, time)));
        }
        Ok((system, report, name.get()))
    }

    /// A warning if a reduction was asked for and there is nothing to leave out.
    fn in_vain(&self, system: &System, property: &Property) -> Option<Diagnostic> {
        let obstacle = self.options.options.reduce.then(|| reduction_obstacle(system, property))??;
        let message = format!("`{}`: `--por on` leaves nothing out: {obstacle}", self.job.name);
        Some(Diagnostic::warning(Span::NONE, "C0009", message))
    }

    /// A warning if the search did not come to its end with the store that was asked for.
    fn remark(&self, report: &Report, engine: &str) -> Option<Diagnostic> {
        let (asked_for, used) = (self.options.options.store.name(), report.stats.store);
        let next = self.options.next_rung.filter(|next| next.name() == used && used != asked_for)?;
        let exactness = if next.is_lossy() {
            "states may be missed"
        } else {
            "what is forgotten is searched again, and none is missed"
        };
        let message = format!(
            "`{}`: the memory was full with the store `{asked_for}`, and the search began anew with `{used}` and the engine \
             `{engine}`: {exactness}",
            self.job.name
        );
        Some(Diagnostic::warning(Span::NONE, "C0008", message))
    }
}

/// Takes from the budget what the runs of a property that was settled keep. Should that be more than there is, then it
/// is there all the same.
fn keep_room(settled: &Settled, control: &RunControl) {
    let _ = control.budget.take(settled.story_bytes());
}

fn not_replayed(error: lariat_engine::ReplayError) -> CheckError {
    CheckError::Bug(format!("a trace does not replay: {error}"))
}

pub(crate) fn reset(control: &RunControl) {
    control.counters.show([0; 5]);
}
