//! What is to be settled: each property with its system, and which engine will do it.

use crate::Model;
use crate::branching::PreparedBranching;
use crate::check::{CheckError, CheckOptions};
use crate::engines::search_choice;
use crate::select::{SAFETY, Selected, select};
use crate::stage::{SearchStage, not_when_full};
use crate::temporal::{Prepared, Stated, ensure_fairness};
use lariat_branching::ensure_ctl;
use lariat_engine::{Options, Property, PropertyPlan, Task, Temporal};
use lariat_system::System;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A property that is to be settled, with the system it speaks of.
pub(crate) struct Job {
    pub(crate) name: String,
    /// Whether it was asked for by itself.
    pub(crate) is_named: bool,
    pub(crate) what: What,
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
        what: What,
        pool_size: Option<u16>,
    ) -> Result<Self, CheckError> {
        let began = Instant::now();
        let pool_size = pool_size.map_or_else(|| model.first_pool_size(), Ok)?;
        let system = Arc::new(what.system(model, pool_size)?);
        Ok(Self { name, is_named, what, system, making: began.elapsed() })
    }

    /// `safety`, asked for by itself.
    pub(crate) fn of_safety(model: &Model) -> Result<Self, CheckError> {
        Self::new(model, SAFETY.to_owned(), true, What::Safety, None)
    }

    /// The same, left open if it is of branching time and no engine for sets of states can settle.
    fn or_open(self) -> Self {
        let What::Branching(prepared) = &self.what else { return self };
        let task = Task::of_system(&self.system, prepared.property.clone(), Options::default());
        if ensure_ctl(&task).is_ok() { self } else { Self { what: What::Open, ..self } }
    }
}

/// What is to be settled.
pub(crate) enum What {
    Safety,
    Temporal(Box<Prepared>, Box<Temporal>),
    /// A temporal property whose automaton would be too large.
    TooLarge(Box<Prepared>),
    /// A property of branching time.
    Branching(Box<PreparedBranching>),
    /// A property of branching time that none of our engines settles.
    Open,
}

impl What {
    /// What an engine is asked, if one can be asked.
    pub(crate) fn property(&self, options: &CheckOptions) -> Option<Property> {
        match self {
            Self::Safety => Some(Property::Safety { invalid_ends: !options.allow_deadlock }),
            Self::Temporal(_, temporal) => Some(Property::Temporal(temporal.clone())),
            Self::Branching(prepared) => Some(prepared.property.clone()),
            Self::TooLarge(_) | Self::Open => None,
        }
    }
    /// Whether it makes no difference which infinite runs count.
    pub(crate) fn ignores_fairness(&self) -> bool {
        match self {
            Self::Safety | Self::Open => true,
            Self::Branching(_) => false,
            Self::Temporal(prepared, _) | Self::TooLarge(prepared) => prepared.all_states(),
        }
    }
    /// The system for a pool of this size.
    pub(crate) fn system(&self, model: &Model, pool_size: u16) -> Result<System, CheckError> {
        match self {
            Self::Safety | Self::Open => model.system(pool_size).map_err(CheckError::Model),
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
        let what = match &stated {
            None => What::Safety,
            Some(stated) => match what(model, stated, options) {
                // All properties are settled but those that we cannot settle yet.
                Err(CheckError::Refused(_)) if !is_named && !stated.kind().is_of_linear_time() => What::Open,
                what => what?,
            },
        };
        let job = Job::new(model, name, is_named, what, resumed.map(|resumed| resumed.pool_size))?;
        jobs.push(if is_named { job } else { job.or_open() });
    }
    if let Some(resumed) = resumed.filter(|_| jobs.is_empty()) {
        let reason = format!("the model has no property `{}` any more, which the run is about", resumed.property);
        return Err(CheckError::Refused(reason));
    }
    if !options.fairness.is_empty() && jobs.iter().all(|job| job.what.ignores_fairness()) {
        // What is wrong with it is said all the same.
        ensure_fairness(model, &options.fairness)?;
    }
    Ok(jobs)
}

fn what(model: &mut Model, stated: &Stated, options: &CheckOptions) -> Result<What, CheckError> {
    if !stated.kind().is_of_linear_time() {
        return Ok(What::Branching(Box::new(PreparedBranching::new(model, stated, &options.fairness)?)));
    }
    let prepared = Box::new(Prepared::new(model, stated, &options.fairness)?);
    Ok(match prepared.temporal() {
        Ok(temporal) => What::Temporal(prepared, Box::new(temporal)),
        Err(_) => What::TooLarge(prepared),
    })
}

/// What will be done for each job; an error if something cannot be done, or if `ready` is asked for and the machine lacks
/// something.
pub(crate) fn plan_jobs(
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
        let choose = |stage: SearchStage| {
            options.choose(stage, &property, job, !model.has_fixed_pool(), &job.system, |chosen| {
                if ready {
                    chosen.prepared.ensure_ready().map_err(|error| CheckError::Refused(error.to_string()))?;
                }
                Ok(search_choice(&chosen))
            })
        };
        let first = choose(options.first_stage(&property, job)).map_err(named)?;
        let next = options.when_full.map(SearchStage::WhenFull);
        let when_full = next.map(|stage| choose(stage).map_err(|error| not_when_full(stage, error))).transpose();
        if let Some(asked_for) = options.engine
            && first.plan.engine != asked_for
        {
            left.push((first.considered[0].clone(), first.plan.engine.clone()));
        }
        plans.push(PropertyPlan { property: job.name.clone(), first, when_full: when_full.map_err(named)? });
    }
    match (options.engine, left.first()) {
        // An engine that is asked for and has nothing to do is a mistake.
        (Some(engine), Some((considered, other))) if left.len() == plans.len() => {
            let why = considered.why.as_ref().map_or(String::new(), |why| format!(": {why}"));
            let unsupported = &considered.unsupported;
            Err(CheckError::Refused(format!(
                "the engine `{engine}` does not support {unsupported}{why}; `{other}` does"
            )))
        }
        _ => Ok(plans),
    }
}
