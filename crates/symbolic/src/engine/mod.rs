//! The engine `symbolic`: `safety`, temporal properties, formulas of CTL* and numbers of steps by sets of states.
//!
//! * `worker.rs`: the thread that searches, kept from one property of a model to the next.
//! * `session.rs`: what it does: reachable states, fair states, answers and the runs that show them.

mod session;
mod worker;

use crate::diagrams::Capacity;
use crate::sets::{MOST_BITS, NoSets, bindings_of, bits_of_lines};
use lariat_branching::{
    Extended, How, Invariant, constraints_of, ensure_ctl, ensure_linear, fair_search, is_about_sets,
};
use lariat_engine::{
    ConeFigures, Engine, Feature, Plan, Preference, Prepared, Property, Refusal, Report, RunControl, RunError,
    Shortfall, Stats, SymbolicFigures, Task, Verdict,
};
use lariat_system::{Cone, System};
use session::{Asked, Question, Reply};
use std::borrow::Cow;
use worker::Worker;

const NAME: &str = "symbolic";
/// What [`GivenUp`] is kept as.
const GIVEN_UP: &str = "symbolic, given up";
/// A part of a system is much smaller if it has so many times fewer bits.
const SMALLER: u64 = 2;

/// The engine `symbolic`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Symbolic;

impl Engine for Symbolic {
    fn name(&self) -> &'static str {
        NAME
    }

    fn about(&self) -> &'static str {
        "sets of states as decision diagrams: `safety`, temporal properties, formulas of CTL*, `COMPUTE`"
    }

    fn has_variable_order(&self) -> bool {
        true
    }

    fn preference(&self, task: &Task<'_>) -> Preference {
        if is_about_sets(task) { Preference::BestAtFirst } else { Preference::Usual }
    }

    fn prepare<'t>(&self, task: &'t Task<'t>) -> Result<Box<dyn Prepared + 't>, Refusal> {
        let asked = match &task.property {
            Property::Safety { invalid_ends } => Asked::Safety { invalid_ends: *invalid_ends },
            Property::Branching(property) => Asked::Ctl(property.clone()),
            Property::Distance(distance) => Asked::Distance(distance.clone()),
            Property::Temporal(temporal) => match Invariant::of(temporal, task.needed_system()?) {
                _ if let Some(extended) = Extended::of(task.needed_system()?, temporal, &task.options)? => {
                    Asked::Temporal(temporal.clone(), Some(extended))
                }
                Some(invariant) => Asked::Invariant(invariant),
                None => {
                    ensure_linear(temporal, &task.options)?;
                    Asked::Temporal(temporal.clone(), None)
                }
            },
        };
        let fair = fair_search(task)?;
        if let Some(feature) = task.options.unsupported_by_sets() {
            return Err(Refusal::of(feature));
        }
        if task.options.graph_limit.is_some() {
            return Err(Refusal::of_graph_limit());
        }
        let system = match &asked {
            Asked::Temporal(_, Some(extended)) => Cow::Owned(extended.system.clone()),
            _ => Cow::Borrowed(task.needed_system()?),
        };
        ensure_ctl(task)?;
        let layout = match bindings_of(&system) {
            Ok((layout, _)) => layout,
            Err(NoSets::TooLarge(too_large)) => {
                return Err(Refusal::because(Feature::Size, too_large.to_string()));
            }
            Err(NoSets::TooManyBits(bits)) => {
                let why = format!("a state has {bits} bits, and more than {MOST_BITS} are too many variables");
                return Err(Refusal::because(Feature::Size, why));
            }
            Err(NoSets::TooManyBindings(count)) => {
                let why = format!(
                    "its actions can be taken by processes at different positions in more than {count} ways, and each \
                     would be encoded"
                );
                return Err(Refusal::because(Feature::Choices, why));
            }
        };
        let lines = task.options.order.as_deref().unwrap_or_default();
        let order = bits_of_lines(&system, &layout, lines).map_err(|why| Refusal::because(Feature::OrderFile, why))?;
        let mut algorithm = "fixpoints over sets of states as decision diagrams".to_owned();
        if let Some(cone) = cone_of(&system, &asked) {
            let (part, all) = (cone.slots.len(), system.slots.len());
            algorithm.push_str(&format!("; if that takes long, over the {part} of {all} variables that matter"));
        }
        if let Asked::Temporal(_, Some(extended)) = &asked {
            algorithm.push_str(extended.about());
        }
        let plan = Plan::of_sets(self.name(), task, algorithm).with_fair_search(fair);
        Ok(Box::new(OnDiagrams { task, system, asked, order, plan }))
    }
}

/// A task, ready to be settled by decision diagrams.
struct OnDiagrams<'t> {
    task: &'t Task<'t>,
    system: Cow<'t, System>,
    asked: Asked,
    /// The bits of states whose variables are to stand on top to begin with.
    order: Vec<usize>,
    plan: Plan,
}

impl Prepared for OnDiagrams<'_> {
    fn plan(&self) -> &Plan {
        &self.plan
    }

    fn run(self: Box<Self>, control: &RunControl) -> Result<Report, RunError> {
        let mut report = self.settle(control)?;
        report.stats.elapsed = control.started.elapsed();
        report.stats.peak_memory_bytes = control.budget.peak_bytes();
        Ok(report)
    }
}

impl OnDiagrams<'_> {
    /// Asks about the whole system. Where that takes long, and much less of it matters to the property, asks about that part
    /// first: if the answer has no run to be shown, it is the answer.
    ///
    /// Where reaching all states was given up before, it is given up at once.
    fn settle(&self, control: &RunControl) -> Result<Report, RunError> {
        let gives_up = self.task.options.graph_instead.is_some();
        let system = || self.question(&self.system, false).system.unlabelled();
        if gives_up && let Some(GivenUp(known)) = control.take_kept::<GivenUp>(GIVEN_UP) {
            let is_known = known == system();
            control.keep(GIVEN_UP, GivenUp(known), 0);
            if is_known {
                return Ok(Report::at_once(Shortfall::Effort));
            }
        }
        let report = self.settle_anew(control)?;
        if is_given_up(&report) && report.stats.symbolic.as_ref().is_some_and(|figures| !figures.complete) {
            control.keep(GIVEN_UP, GivenUp(system()), 0);
        }
        Ok(report)
    }

    fn settle_anew(&self, control: &RunControl) -> Result<Report, RunError> {
        let cone = cone_of(&self.system, &self.asked);
        let mut given_up = None;
        let so_far = match ask(self.question(&self.system, cone.is_some()), control)? {
            Reply::Report(report) if cone.is_none() || !is_given_up(&report) => return Ok(*report),
            Reply::Report(report) => given_up.insert(report).stats.clone(),
            Reply::OutOfPatience(stats) => *stats,
        };
        let cone = cone.expect("without one there is patience");
        if let Some(report) = decided_by_cone(&cone, self.question(&cone.system, false), so_far, control)? {
            return Ok(report);
        }
        if let Some(report) = given_up {
            return Ok(*report);
        }
        match ask(self.question(&self.system, false), control)? {
            Reply::Report(report) => Ok(*report),
            Reply::OutOfPatience(_) => unreachable!("there is patience"),
        }
    }

    fn question(&self, system: &System, is_impatient: bool) -> Question {
        // Those of a tester are nobody's business.
        let labels = self.task.needed_system().map_or(0, |system| system.labels.len());
        let how = How::of(self.task, system);
        let (system, constraints) = constraints_of(system);
        Question {
            system: system.into_owned(),
            constraints,
            labels,
            asked: self.asked.clone(),
            pool_may_grow: self.task.options.pool_may_grow,
            shortest: self.task.options.shortest,
            order: self.order.clone(),
            how,
            is_impatient,
            graph_instead: self.task.options.graph_instead,
        }
    }
}

/// A system whose states were not reached to the end, since listing them seems to cost less.
struct GivenUp(System);

fn is_given_up(report: &Report) -> bool {
    report.verdict == Verdict::Undecided(Shortfall::Effort)
}

/// Asks the thread that is kept, if it knows the system, or else another one, which is kept then.
fn ask(question: Question, control: &RunControl) -> Result<Reply, RunError> {
    let kept = control.take_kept::<Worker>(NAME).filter(|worker| worker.suits(&question));
    let worker = kept.map_or_else(|| start(&question, control), Ok)?;
    let (reply, worker) = worker.ask(question, control)?;
    if let Some((worker, bytes)) = worker {
        control.keep(NAME, worker, bytes);
    }
    Ok(reply)
}

fn start(question: &Question, control: &RunControl) -> Result<Worker, RunError> {
    let limit_bytes = control.budget.limit_bytes();
    let capacity = Capacity::within(limit_bytes.saturating_sub(control.budget.used_bytes()));
    Ok(Worker::start(question, capacity, Shortfall::Memory { limit_bytes })?)
}

/// The part of the system that matters to what is asked, if it is much smaller.
fn cone_of(system: &System, asked: &Asked) -> Option<Cone> {
    let cone = match asked {
        // How a state is come to depends on all of it.
        Asked::Ctl(property) if property.recalls() => return None,
        Asked::Ctl(property) => system.cone(&property.labels)?,
        Asked::Invariant(invariant) => system.cone(invariant.labels())?,
        Asked::Temporal(temporal, None) => system.cone(&temporal.labels)?,
        // Others look at everything that can go wrong, are about a system that was extended for them, or show a run whatever the
        // answer is.
        Asked::Safety { .. } | Asked::Temporal(_, Some(_)) | Asked::Distance(_) => return None,
    };
    let all: u64 = system.slots.ids().map(|slot| system.bits_of(slot)).sum();
    (SMALLER * cone_bits(system, &cone) <= all).then_some(cone)
}

fn cone_bits(system: &System, cone: &Cone) -> u64 {
    cone.slots.iter().map(|slot| system.bits_of(*slot)).sum()
}

/// The report if the part of the system decides the question and no run is to be shown: runs are those of the whole system.
/// The figures are those of the whole system `so_far`.
fn decided_by_cone(
    cone: &Cone,
    question: Question,
    so_far: Stats,
    control: &RunControl,
) -> Result<Option<Report>, RunError> {
    let of_whole = cone_bits(&question.system, cone);
    let worker = start(&question, control)?;
    let (Reply::Report(mut report), _) = worker.ask(question, control)? else {
        unreachable!("there is patience");
    };
    if report.verdict != Verdict::Holds || !report.witnesses.is_empty() {
        return Ok(None);
    }
    let states = report.stats.symbolic.take().map(|figures| figures.states).unwrap_or_default();
    let cone = Some(ConeFigures { variables: of_whole, states });
    report.stats = Stats { symbolic: so_far.symbolic.map(|figures| SymbolicFigures { cone, ..figures }), ..so_far };
    Ok(Some(*report))
}
