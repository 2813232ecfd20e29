//! One property is searched, its trace replayed, and what is odd about the answer told.

use crate::branching::BranchingProperty;
use crate::check::{CheckError, CheckOptions, Checked, CoverageWanted, Simplify, within};
use crate::job::{Job, JobKind};
use crate::machine::MemoryMeter;
use crate::plan::{self, Found};
use crate::pool::with_growing_pool;
use crate::select::SAFETY;
use crate::temporal::LinearProperty;
use crate::vacuity::Remarks;
use crate::{Model, misread, truncation, vacuity};
use lariat_base::{Diagnostic, Span};
use lariat_engine::profile::Phase;
use lariat_engine::{
    Coverage, Evidence, FailureKind, NoSearch, Plan, PlannedSearch, Property, Replay, Report, RunControl, Settled,
    Shortfall, Statement, Subject, SystemReplay, Temporal, Verdict, never_taken,
};
use lariat_subject::reduction_obstacle;
use lariat_system::System;
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Why everything holds of a model that cannot begin.
const NO_INITIAL_STATE: &str = "the model has no initial state";
/// What is reported in place of the engine's name where one of its scouts found the failure.
const SCOUT: &str = "scout";

/// How one property is searched.
pub(crate) struct PropertySearch<'a> {
    pub(crate) model: &'a Model,
    pub(crate) options: &'a CheckOptions,
    pub(crate) control: &'a RunControl,
    pub(crate) job: &'a Job,
    /// By these searches, made for the first system of the job; made when they are run if not given.
    pub(crate) searches: Option<&'a [PlannedSearch]>,
}

impl PropertySearch<'_> {
    /// Settles the property; the answer and what is odd about it are added to `checked`.
    pub(crate) fn settle(&self, checked: &mut Checked) -> Result<(), CheckError> {
        let settled = match &self.job.kind {
            JobKind::Safety => self.check_safety(checked),
            JobKind::Temporal(prepared, temporal) => self.check_temporal(prepared, temporal, checked),
            JobKind::TooLarge(_) => self.report_at_once(NoSearch::Formula.shortfall(), checked),
            JobKind::Branching(prepared) => self.check_branching(prepared, checked),
            JobKind::Open(reason) => self.report_at_once(reason.shortfall(), checked),
        };
        match settled {
            // With room for more processes the system takes longer to make.
            Err(CheckError::Short(shortfall)) => self.report_at_once(shortfall, checked),
            settled => settled,
        }
    }

    fn check_safety(&self, checked: &mut Checked) -> Result<(), CheckError> {
        let property = Property::Safety { invalid_ends: !self.options.allow_deadlock };
        let answer = self.answer(&property)?;
        checked.warnings.extend(self.remark(&answer));
        let Answer { system, mut report, engine, .. } = answer;
        let counted = match self.options.coverage {
            CoverageWanted::No => None,
            CoverageWanted::Only => report.profile.take(),
            CoverageWanted::BesideProfile => report.profile.clone(),
        };
        checked.warnings.extend(self.in_vain(&system, &property));
        let replay = SystemReplay::new(&system).map_err(|error| CheckError::Bug(error.to_string()))?;
        let replay = replay.within(self.control);
        let settled = Settled::new(SAFETY, engine, Arc::clone(&system), report, &replay).map_err(not_replayed)?;
        keep_room(&settled, self.control);
        let is_empty = settled.report().verdict == Verdict::Holds && settled.report().stats.states == 0;
        if is_empty {
            let message = "the model has no initial state, so everything holds";
            checked.warnings.push(Diagnostic::warning(Span::NONE, "C0001", message));
        }
        let settled = if is_empty { settled.vacuously(NO_INITIAL_STATE) } else { settled };
        checked.warnings.extend(truncation::warnings(self.model.sources(), &system, &settled.report().cuts));
        let taken = settled.report().taken.as_ref();
        checked.unreached = taken.map(|taken| never_taken(&system, taken, self.model.statements(&system)));
        checked.coverage = counted.map(|profile| {
            let shares = profile.statements.into_iter().map(|share| (share.statement, share.taken));
            let counts: HashMap<Statement, u64> = shares.collect();
            let statements = self.model.statements(&system);
            let taken = |statement: &Statement| counts.get(statement).copied().unwrap_or(0);
            Coverage::new(statements, checked.unreached.as_deref(), taken)
        });
        checked.settled.push(settled);
        Ok(())
    }

    fn check_branching(&self, prepared: &BranchingProperty, checked: &mut Checked) -> Result<(), CheckError> {
        let Answer { system, report, engine, .. } = self.run(&prepared.property)?;
        let took = report.stats.elapsed;
        let replay = prepared.replay(&system)?.within(self.control);
        let settled =
            Settled::new(&self.job.name, engine, Arc::clone(&system), report, &replay).map_err(not_replayed)?;
        let message = match settled.report().verdict {
            Verdict::Holds => Some("the model has no initial state, so everything holds"),
            Verdict::Computed(_) => Some("the model has no initial state, so there are no steps to count"),
            Verdict::Fails(_) | Verdict::Undecided(_) => None,
        };
        let settled = match message {
            Some(message) if settled.report().stats.states == 0 => {
                checked.warnings.push(Diagnostic::warning(Span::NONE, "C0001", message));
                settled.vacuously(NO_INITIAL_STATE)
            }
            _ if settled.report().is_vacuous => {
                checked.warnings.push(vacuity::without_runs(&settled));
                let why = vacuity::why_no_run(!settled.system().fairness.is_empty());
                settled.vacuously(why)
            }
            _ => {
                let find = |run: &dyn Fn(&Temporal) -> Result<Report, CheckError>| {
                    vacuity::remarks_of_branching(prepared, &settled, run)
                };
                let remarks = self.remarks(engine, &settled, took, find);
                checked.warnings.extend(remarks.warnings);
                match remarks.vacuous {
                    Some(why) => settled.vacuously(why),
                    None => settled,
                }
            }
        };
        checked.settled.push(settled);
        Ok(())
    }

    fn check_temporal(
        &self,
        prepared: &LinearProperty,
        temporal: &Temporal,
        checked: &mut Checked,
    ) -> Result<(), CheckError> {
        let name = self.job.name.as_str();
        let property = Property::Temporal(Box::new(temporal.clone()));
        let answer = self.answer(&property)?;
        checked.warnings.extend(self.remark(&answer));
        let Answer { system, report, engine, .. } = answer;
        checked.warnings.extend(self.in_vain(&system, &property));
        let took = report.stats.elapsed;
        let replay =
            SystemReplay::of_temporal(&system, temporal).map_err(|error| CheckError::Bug(error.to_string()))?;
        let replay = replay.within(self.control);
        let report = if prepared.all_states() { ended_where_violated(report, &replay) } else { report };
        let settled = Settled::new(name, engine, Arc::clone(&system), report, &replay).map_err(not_replayed)?;
        let settled = if settled.failures().len() > 0 { settled.judged_by(temporal) } else { settled };
        keep_room(&settled, self.control);
        let remark = within(self.control, || Ok(misread::remark(name, prepared, &settled, self.control)));
        checked.warnings.extend(remark.ok().into_iter().flatten());
        let remarks = self.remarks(engine, &settled, took, |run| vacuity::remarks(name, prepared, &settled, run));
        checked.warnings.extend(remarks.warnings);
        checked.settled.push(match remarks.vacuous {
            Some(why) => settled.vacuously(why),
            None => settled,
        });
        Ok(())
    }

    /// What is said about an answer that took so long; `find` is given what searches for a run that an automaton accepts.
    fn remarks(
        &self,
        engine: &'static str,
        settled: &Settled,
        took: Duration,
        find: impl FnOnce(&dyn Fn(&Temporal) -> Result<Report, CheckError>) -> Remarks,
    ) -> Remarks {
        // Nobody waits much longer for a remark than for the answer.
        let patience = took.clamp(Duration::from_secs(1), Duration::from_secs(10));
        // What was reached for the answer serves the remark, and what comes after it.
        let aside = self.control.beside(patience);
        let run = |temporal: &Temporal| {
            self.control.check().map_err(|_| CheckError::Refused("there is no time left".to_owned()))?;
            // Where sets of states were counted there may be too many for other engines: the same one answers.
            let same = settled.report().stats.symbolic.as_ref().map(|_| engine);
            let plain = CheckOptions { engine: same, ..CheckOptions::default() };
            let search = PropertySearch { options: &plain, control: &aside, searches: None, ..*self };
            search.run(&Property::Temporal(Box::new(temporal.clone()))).map(|answer| answer.report)
        };
        let remarks = within(self.control, || Ok(find(&run)));
        aside.move_kept(self.control);
        remarks.unwrap_or_else(|_| Remarks::left_out(settled))
    }

    /// The answer where nothing is searched.
    pub(crate) fn report_at_once(&self, shortfall: Shortfall, checked: &mut Checked) -> Result<(), CheckError> {
        let system = &self.job.system;
        let replay = SystemReplay::new(system).map_err(|error| CheckError::Bug(error.to_string()))?;
        let report = Report::at_once(shortfall);
        let engine = self.options.engine.unwrap_or("none");
        let settled = Settled::new(&self.job.name, engine, Arc::clone(system), report, &replay);
        checked.settled.push(settled.map_err(not_replayed)?);
        Ok(())
    }

    /// Settles the property of the system, and compares if that is asked for.
    fn answer(&self, property: &Property) -> Result<Answer, CheckError> {
        if self.options.audit { self.audited(property) } else { self.run(property) }
    }

    /// Settles the property of the system.
    pub(crate) fn run(&self, property: &Property) -> Result<Answer, CheckError> {
        let Self { model, control, options, job, searches } = *self;
        let (making, runs) = (Cell::new(job.making), RefCell::new(Vec::new()));
        let run = |system: &Arc<System>, pool_may_grow: bool| {
            let subject = Subject::System(system);
            let searches = match searches {
                Some(planned) if Arc::ptr_eq(system, &job.system) => Cow::Borrowed(planned),
                _ => {
                    let mut request = options.request(property, job, pool_may_grow);
                    // With more room for processes a search on disk begins anew.
                    if let Some(disk) = &mut request.options.disk {
                        disk.resume = None;
                    }
                    Cow::Owned(request.searches(subject)?)
                }
            };
            plan::run(&searches, &options.engines, property, subject, control)
        };
        let timed = |system: &Arc<System>, pool_may_grow: bool| {
            let (began, memory) = (Instant::now(), MemoryMeter::begin(&control.budget));
            let ran = run(system, pool_may_grow);
            runs.borrow_mut().push(began.elapsed());
            ran.map(|mut found| {
                found.report.stats.elapsed = began.elapsed();
                found.report.stats.peak_memory_bytes = memory.peak_bytes();
                found
            })
        };
        let make = |pool_size| {
            let began = Instant::now();
            let system = within(control, || job.kind.system(model, pool_size));
            making.set(making.get() + began.elapsed());
            system
        };
        let (system, mut found) = with_growing_pool(Arc::clone(&job.system), model.has_fixed_pool(), make, timed)?;
        if let Some(profile) = &mut found.report.profile {
            let earlier: Duration = runs.borrow().iter().rev().skip(1).sum();
            let before = [
                ("reading the model", model.reading()),
                ("making its system", making.get()),
                ("searching with too few processes", earlier),
            ];
            let before = before.into_iter().filter(|(_, time)| !time.is_zero());
            profile.phases.splice(..0, before.map(|(name, time)| Phase::new(name, time)));
        }
        let Found { report, engine, when_full, no_room } = found;
        Ok(Answer { system, engine: if report.scouted { SCOUT } else { engine }, report, when_full, no_room })
    }

    /// A warning if fewer states were asked for and there is nothing to leave out or to forget.
    fn in_vain(&self, system: &System, property: &Property) -> Option<Diagnostic> {
        if let Simplify::Always(what) = self.options.simplify
            && system.simplified(what).is_none()
        {
            let message = format!("`{}`: `--simplify` has no effect: there is no such variable", self.job.name);
            return Some(Diagnostic::warning(Span::NONE, "C0009", message));
        }
        let obstacle = self.options.options.reduce.then(|| reduction_obstacle(system, property))??;
        let option = if self.options.audit { "--audit" } else { "--por on" };
        let message = format!("`{}`: `{option}` has no effect: {obstacle}", self.job.name);
        Some(Diagnostic::warning(Span::NONE, "C0009", message))
    }

    /// A warning if memory was full and another search followed, or did not for want of room.
    fn remark(&self, answer: &Answer) -> Option<Diagnostic> {
        if let Some(why) = &answer.no_room {
            let message = format!(
                "`{}`: memory was full, and the search could not continue on disk: {why}; `--disk DIR` names another folder",
                self.job.name
            );
            return Some(Diagnostic::warning(Span::NONE, "C0008", message));
        }
        let (used, before) = answer.when_full.as_ref()?;
        let before = match before.search.store {
            Some(store) => format!("store `{}`", store.name()),
            None => format!("engine `{}`", before.engine),
        };
        let anew = match used.search.store {
            Some(store) if store.is_lossy() => {
                format!("store `{}` and engine `{}`: states may be missed", store.name(), used.engine)
            }
            Some(store) if !store.keeps_all() => format!(
                "store `{}` and engine `{}`: what is forgotten is searched again, and no state is missed",
                store.name(),
                used.engine
            ),
            _ => format!("engine `{}`", used.engine),
        };
        let message = format!("`{}`: memory was full ({before}); restarted with {anew}", self.job.name);
        Some(Diagnostic::warning(Span::NONE, "C0008", message))
    }
}

/// What the searches of a property found, and in which system.
pub(crate) struct Answer {
    pub(crate) system: Arc<System>,
    pub(crate) report: Report,
    /// By whom.
    engine: &'static str,
    when_full: Option<(Plan, Plan)>,
    no_room: Option<String>,
}

/// The report on a condition that is to hold in all states: its runs end at the first state that violates the condition.
/// To engines it is a property of infinite runs, and they go on.
fn ended_where_violated(mut report: Report, replay: &SystemReplay<'_>) -> Report {
    for Evidence { kind, trace } in &mut report.failures {
        let found = |replay: &SystemReplay<'_>| replay.decided_after(&replay.replay(trace, *kind).ok()?);
        if let Some(decided) = trace.decided.or_else(|| found(replay)) {
            trace.steps.truncate(decided);
            (*kind, trace.loop_start, trace.decided) = (FailureKind::BadPrefix, None, Some(decided));
        }
    }
    if let (Verdict::Fails(first), Some(ended)) = (&mut report.verdict, report.failures.first()) {
        first.clone_from(ended);
    }
    report
}

/// Takes from the budget what the runs of a property that was settled keep. Should that be more than there is, then it
/// is there all the same.
fn keep_room(settled: &Settled, control: &RunControl) {
    let _ = control.budget.take(settled.story_bytes());
}

pub(crate) fn not_replayed(error: lariat_engine::ReplayError) -> CheckError {
    CheckError::Bug(format!("a trace does not replay: {error}"))
}

pub(crate) fn reset(control: &RunControl) {
    control.counters.show([0; 5]);
}
