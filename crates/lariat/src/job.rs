//! What is to be settled: each property with its system, and which engine will do it.

use crate::Model;
use crate::branching::BranchingProperty;
use crate::check::{CheckError, CheckOptions, CoverageWanted};
use crate::choice::Others;
use crate::engines::Engines;
use crate::moved::LEAST_MOVED;
use crate::plan::SearchRequest;
use crate::pool::may_grow;
use crate::select::{SAFETY, Selected, select};
use crate::temporal::{LinearProperty, Stated, ensure_fairness};
use crate::unused::ensure_options_used;
use lariat_engine::{Considered, NoSearch, Options, PlannedSearch, Property, PropertyPlan, Subject, Task, Temporal};
use lariat_system::System;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A property that is to be settled, with the system it speaks of.
pub(crate) struct Job {
    pub(crate) name: String,
    /// Whether it was asked for by itself.
    pub(crate) is_named: bool,
    pub(crate) kind: JobKind,
    /// For a pool of the first size.
    pub(crate) system: Arc<System>,
    /// How long making that took.
    pub(crate) making: Duration,
}

impl Job {
    fn new(
        model: &Model,
        name: String,
        is_named: bool,
        kind: JobKind,
        pool_size: Option<u16>,
    ) -> Result<Self, CheckError> {
        let began = Instant::now();
        let pool_size = pool_size.map_or_else(|| model.first_pool_size(), Ok)?;
        let system = Arc::new(kind.system(model, pool_size)?);
        Ok(Self { name, is_named, kind, system, making: began.elapsed() })
    }

    /// `safety`, asked for by itself.
    pub(crate) fn of_safety(model: &Model) -> Result<Self, CheckError> {
        Self::new(model, SAFETY.to_owned(), true, JobKind::Safety, None)
    }

    /// The same, left open if it is of branching time and no engine can settle it.
    fn or_open(self, engines: &Engines) -> Self {
        let JobKind::Branching(prepared) = &self.kind else { return self };
        let task = Task::of_system(&self.system, prepared.property.clone(), Options::default());
        let is_supported = engines.iter().any(|engine| engine.prepare(&task).is_ok());
        if is_supported { self } else { Self { kind: JobKind::Open(NoSearch::Branching), ..self } }
    }
}

/// What is to be settled.
pub(crate) enum JobKind {
    Safety,
    Temporal(Box<LinearProperty>, Box<Temporal>),
    /// A temporal property whose automaton would be too large.
    TooLarge(Box<LinearProperty>),
    /// A property of branching time.
    Branching(Box<BranchingProperty>),
    /// A property of branching time that is not settled, and why.
    Open(NoSearch),
}

impl JobKind {
    /// What an engine is asked, if one can be asked.
    pub(crate) fn property(&self, options: &CheckOptions) -> Option<Property> {
        match self {
            Self::Safety => Some(Property::Safety { invalid_ends: !options.allow_deadlock }),
            Self::Temporal(_, temporal) => Some(Property::Temporal(temporal.clone())),
            Self::Branching(prepared) => Some(prepared.property.clone()),
            Self::TooLarge(_) | Self::Open(_) => None,
        }
    }
    /// Why no engine is asked, where none can be.
    pub(crate) fn no_search(&self) -> Option<NoSearch> {
        match self {
            Self::TooLarge(_) => Some(NoSearch::Formula),
            Self::Open(reason) => Some(*reason),
            Self::Safety | Self::Temporal(..) | Self::Branching(_) => None,
        }
    }
    pub(crate) fn is_safety(&self) -> bool {
        matches!(self, Self::Safety)
    }
    /// Whether it makes no difference which infinite runs count.
    pub(crate) fn ignores_fairness(&self) -> bool {
        match self {
            Self::Safety | Self::Open(_) => true,
            Self::Branching(_) => false,
            Self::Temporal(prepared, _) | Self::TooLarge(prepared) => prepared.all_states(),
        }
    }
    /// The system for a pool of this size.
    pub(crate) fn system(&self, model: &Model, pool_size: u16) -> Result<System, CheckError> {
        match self {
            Self::Safety | Self::Open(_) => model.system(pool_size).map_err(CheckError::Model),
            Self::Branching(prepared) => prepared.system(pool_size),
            Self::Temporal(prepared, _) | Self::TooLarge(prepared) => prepared.system(pool_size),
        }
    }
}

/// What is asked for, each property with its system.
pub(crate) fn jobs(model: &mut Model, options: &CheckOptions) -> Result<Vec<Job>, CheckError> {
    let mut jobs: Vec<Job> = Vec::new();
    let resumed = options.resumed.as_ref();
    for Selected { name, is_named, stated } in select(model, options)? {
        if resumed.is_some_and(|resumed| resumed.property != name) {
            continue;
        }
        let is_named = is_named || resumed.is_some();
        let kind = match &stated {
            None => JobKind::Safety,
            Some(stated) => match kind_of(model, stated, options, LEAST_MOVED) {
                // All properties are settled but those that we cannot settle yet.
                Err(CheckError::Refused(_)) if !is_named && !stated.kind().is_of_linear_time() => {
                    JobKind::Open(NoSearch::Branching)
                }
                kind => kind?,
            },
        };
        let pool_size = resumed.map(|resumed| resumed.pool_size);
        let mut job = Job::new(model, name, is_named, kind, pool_size)?;
        if let (Some(stated), Some(property)) = (&stated, job.kind.property(options))
            && matches!(&job.kind, JobKind::Temporal(prepared, _) if prepared.has_moved_fairness())
            && !job.plan(model, options, &property, false).is_ok_and(|plan| is_by(&plan, options.engine))
        {
            // An engine that is asked for may do without strong fairness.
            let kind = kind_of(model, stated, options, usize::MAX)?;
            job = Job::new(model, job.name, is_named, kind, pool_size)?;
        }
        jobs.push(if is_named { job } else { job.or_open(&options.engines) });
    }
    if let Some(resumed) = resumed.filter(|_| jobs.is_empty()) {
        let reason = format!("the model has no property `{}` any more, which the run is about", resumed.property);
        return Err(CheckError::Refused(reason));
    }
    if !options.fairness.is_empty() && jobs.iter().all(|job| job.kind.ignores_fairness()) {
        // What is wrong with it is said all the same.
        ensure_fairness(model, &options.fairness)?;
    }
    Ok(jobs)
}

/// Whether the engine that was asked for, if one was, is the first to search.
fn is_by(plan: &PropertyPlan, engine: Option<&str>) -> bool {
    engine.is_none_or(|name| plan.searches.first().is_some_and(|first| first.plan.engine == name))
}

/// What is to be settled. Fairness that a formula asks for is moved into the system if at least `least_moved` constraints are
/// compassion, or if the automaton is too large otherwise.
fn kind_of(
    model: &mut Model,
    stated: &Stated,
    options: &CheckOptions,
    least_moved: usize,
) -> Result<JobKind, CheckError> {
    if !stated.kind().is_of_linear_time() {
        let prepared = BranchingProperty::new(model, stated, &options.fairness)?;
        let open = JobKind::Open(NoSearch::Formula);
        return Ok(prepared.map_or(open, |prepared| JobKind::Branching(Box::new(prepared))));
    }
    let mut prepared = Box::new(LinearProperty::new(model, stated, &options.fairness)?);
    let pool_size = model.first_pool_size()?;
    prepared.move_fairness(least_moved, pool_size)?;
    let mut temporal = prepared.temporal();
    if temporal.is_err() && prepared.move_fairness(1, pool_size)? {
        temporal = prepared.temporal();
    }
    Ok(match temporal {
        Ok(temporal) => JobKind::Temporal(prepared, Box::new(temporal)),
        Err(_) => JobKind::TooLarge(prepared),
    })
}

/// What will be done for each job; an error if it cannot be done, or if `ready` is asked for and the machine lacks something.
pub(crate) fn plan_jobs(
    model: &Model,
    options: &CheckOptions,
    jobs: &[Job],
    ready: bool,
) -> Result<Vec<PropertyPlan>, CheckError> {
    let mut plans = Vec::new();
    for job in jobs {
        plans.push(match job.kind.property(options) {
            Some(property) => job.plan(model, options, &property, ready)?,
            None => PropertyPlan { property: job.name.clone(), searches: Vec::new(), no_search: job.kind.no_search() },
        });
    }
    // An engine that is asked for and has nothing to do is a mistake.
    let searched = || plans.iter().filter_map(|plan| plan.searches.first());
    if let Some(engine) = options.engine
        && searched().all(|search| search.plan.engine != engine)
        && let Some(PlannedSearch { plan, considered, .. }) = searched().next()
        && let Some(Considered { unsupported, why, .. }) = considered.first()
    {
        let why = why.as_ref().map_or(String::new(), |why| format!(": {why}"));
        return Err(CheckError::Refused(format!(
            "the engine `{engine}` does not support {unsupported}{why}; `{}` does",
            plan.engine
        )));
    }
    ensure_options_used(model, options, jobs, &plans)?;
    Ok(plans)
}

impl Job {
    /// The searches that settle its property.
    pub(crate) fn plan(
        &self,
        model: &Model,
        options: &CheckOptions,
        property: &Property,
        ready: bool,
    ) -> Result<PropertyPlan, CheckError> {
        let pool_may_grow = may_grow(&self.system, model.has_fixed_pool());
        let request = options.request(property, self, pool_may_grow);
        let searches = SearchRequest { ready, ..request }.searches(Subject::System(&self.system));
        let searches = searches.map_err(|error| match error {
            CheckError::Refused(reason) => {
                // What was asked for is to be named.
                let reason = if options.audit { reason.replace("`--por on`", "`--audit`") } else { reason };
                CheckError::Refused(format!("`{}`: {reason}{}", self.name, self.hint(model)))
            }
            other => other,
        })?;
        Ok(PropertyPlan { property: self.name.clone(), searches, no_search: None })
    }

    /// What else can be asked for if this cannot be done.
    fn hint(&self, model: &Model) -> &'static str {
        let is_of_runs = matches!(self.kind, JobKind::Temporal(..));
        if is_of_runs && !self.is_named && model.front().settles_safety() {
            "; `--property safety` asks for safety alone"
        } else {
            ""
        }
    }
}

impl CheckOptions {
    /// The searches that are wanted for a property.
    pub(crate) fn request<'a>(&'a self, property: &'a Property, job: &Job, pool_may_grow: bool) -> SearchRequest<'a> {
        // An engine that is asked for works alone.
        let mut options = Options { pool_may_grow, scout: self.engine.is_none(), ..self.options.clone() };
        // What counts statements in the search for `safety` is no business of others.
        options.profile &= self.coverage != CoverageWanted::Only || job.kind.is_safety();
        if let Some(disk) = &mut options.disk {
            disk.property.clone_from(&job.name);
        }
        SearchRequest {
            engines: &self.engines,
            property,
            options,
            threads: self.threads,
            engine: self.engine,
            others: if job.is_named { Others::Never } else { Others::ForOtherProperties },
            when_full: self.when_full,
            reduce_if_possible: self.reduce_if_possible && !self.options.reduce,
            simplify: self.simplify,
            ready: false,
        }
    }
}
