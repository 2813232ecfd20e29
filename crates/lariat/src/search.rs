//! One property is searched, its trace replayed, and what is odd about the answer told.

use crate::branching::PreparedBranching;
use crate::check::{CheckError, CheckOptions, Checked};
use crate::job::{Job, What};
use crate::pool::{NoAnswer, with_growing_pool};
use crate::select::SAFETY;
use crate::stage::SearchStage;
use crate::temporal::Prepared;
use crate::{Model, misread, vacuity};
use lariat_base::{Diagnostic, Span};
use lariat_branching::Graph;
use lariat_engine::profile::Phase;
use lariat_engine::{
    Engine, Property, Report, RunControl, Settled, Shortfall, SystemReplay, Temporal, Verdict, never_taken,
};
use lariat_subject::reduction_obstacle;
use lariat_symbolic::Symbolic;
use lariat_system::System;
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What is reported in place of the engine's name where one of its scouts found the failure.
const SCOUT: &str = "scout";

/// How one property is searched.
pub(crate) struct PropertySearch<'a> {
    pub(crate) model: &'a Model,
    pub(crate) options: &'a CheckOptions,
    pub(crate) control: &'a RunControl,
    pub(crate) job: &'a Job,
}

impl PropertySearch<'_> {
    /// Settles the property; the answer and what is odd about it are added to `checked`.
    pub(crate) fn settle(&self, checked: &mut Checked) -> Result<(), CheckError> {
        match &self.job.what {
            What::Safety => self.check_safety(checked),
            What::Temporal(prepared, temporal) => self.check_temporal(prepared, temporal, checked),
            What::TooLarge(_) => self.report_at_once(Shortfall::Automaton, checked),
            What::Branching(prepared) => self.check_branching(prepared, checked),
            What::Open => self.report_at_once(Shortfall::Branching, checked),
        }
    }

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
        let (system, report, engine) = self.run(&prepared.property)?;
        let replay = prepared.replay(&system)?.within(self.control);
        let settled =
            Settled::new(&self.job.name, engine, Arc::clone(&system), report, &replay).map_err(not_replayed)?;
        let message = match settled.report().verdict {
            Verdict::Holds => Some("the model has no initial state, so everything holds"),
            Verdict::Computed(_) => Some("the model has no initial state, so there are no steps to count"),
            Verdict::Fails(_) | Verdict::Undecided(_) => None,
        };
        match message {
            Some(message) if settled.report().stats.states == 0 => {
                checked.warnings.push(Diagnostic::warning(Span::NONE, "C0001", message));
            }
            _ if settled.report().is_vacuous => checked.warnings.push(vacuity::without_runs(&settled)),
            _ => {}
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
        checked.warnings.extend(misread::remark(name, prepared, &settled, self.control));
        // Nobody waits much longer for a remark than for the answer.
        let patience = took.clamp(Duration::from_secs(1), Duration::from_secs(10));
        let aside = RunControl::new(self.control.budget.limit_bytes(), Some(patience));
        let remarks = vacuity::remarks(name, prepared, &settled, |temporal| {
            self.control.check().map_err(|_| CheckError::Refused("there is no time left".to_owned()))?;
            // Where there are too many states for other engines, the same one answers.
            let same = (engine == Symbolic.name()).then_some(engine);
            let plain = CheckOptions { engine: same, ..CheckOptions::default() };
            let search = PropertySearch { options: &plain, control: &aside, ..*self };
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
    pub(crate) fn run(&self, property: &Property) -> Result<(Arc<System>, Report, &'static str), CheckError> {
        let Self { model, control, options, job } = *self;
        let name = Cell::new("none");
        let (making, runs) = (Cell::new(job.making), RefCell::new(Vec::new()));
        let search = |stage: SearchStage, system: &System, pool_may_grow: bool| {
            let ran = options.choose(stage, property, job, pool_may_grow, system, |chosen| {
                name.set(chosen.engine);
                // A small search leaves room for what another engine keeps for its next one.
                if stage != SearchStage::Small {
                    control.drop_kept_by_others(chosen.engine);
                }
                reset(control);
                Ok(chosen.prepared.run(control))
            })?;
            ran.map_err(|error| NoAnswer::of(error, CheckError::Refused))
        };
        let run = |system: &Arc<System>, pool_may_grow: bool| {
            let search = |stage: SearchStage| search(stage, system, pool_may_grow);
            let first = options.first_stage(property, job);
            let mut report = search(first)?;
            if name.get() == Graph::SMALL.name()
                && first == SearchStage::Small
                && let Verdict::Undecided(Shortfall::Memory { .. }) = report.verdict
            {
                // There are too many states to write them out.
                report = search(SearchStage::First)?;
            }
            if let Some(next) = options.when_full
                && let Verdict::Undecided(Shortfall::Memory { .. }) = report.verdict
            {
                report = search(SearchStage::WhenFull(next))?;
            }
            if report.scouted {
                name.set(SCOUT);
            }
            Ok(report)
        };
        let timed = |system: &Arc<System>, pool_may_grow: bool| {
            let began = Instant::now();
            let ran = run(system, pool_may_grow);
            runs.borrow_mut().push(began.elapsed());
            ran.map(|mut report| {
                report.stats.elapsed = began.elapsed();
                report
            })
        };
        let make = |pool_size| {
            let began = Instant::now();
            let system = job.what.system(model, pool_size);
            making.set(making.get() + began.elapsed());
            system
        };
        let (system, mut report) = with_growing_pool(Arc::clone(&job.system), model.has_fixed_pool(), make, timed)?;
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
        let next = self.options.when_full.filter(|next| next.name() == used && used != asked_for)?;
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
