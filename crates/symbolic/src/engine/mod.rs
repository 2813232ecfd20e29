//! The engine `symbolic`: `safety`, temporal properties, formulas of CTL and numbers of steps by sets of states.
//!
//! * `worker.rs`: the thread that searches, kept from one property of a model to the next.
//! * `session.rs`: what it does: reachable states, fair states, answers and the runs that show them.

mod session;
mod worker;

use crate::diagrams::Capacity;
use crate::sets::{MOST_BITS, NoSets, bindings_of, bits_of_lines};
use lariat_branching::{Invariant, constraints_of, ensure_ctl, ensure_linear};
use lariat_engine::{
    Engine, Feature, Plan, Prepared, Property, Refusal, Report, RunControl, RunError, Shortfall, Task,
};
use lariat_system::System;
use session::{Asked, Question};
use worker::Worker;

const NAME: &str = "symbolic";

/// The engine `symbolic`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Symbolic;

impl Engine for Symbolic {
    fn name(&self) -> &'static str {
        NAME
    }

    fn about(&self) -> &'static str {
        "sets of states as decision diagrams: `safety`, temporal properties, formulas of CTL, `COMPUTE`"
    }

    fn prepare<'t>(&self, task: &'t Task<'t>) -> Result<Box<dyn Prepared + 't>, Refusal> {
        let asked = match &task.property {
            Property::Safety { invalid_ends } => Asked::Safety { invalid_ends: *invalid_ends },
            Property::Branching(property) => Asked::Ctl(property.clone()),
            Property::Distance(distance) => Asked::Distance(distance.clone()),
            Property::Temporal(temporal) => match Invariant::of(temporal, task.needed_system()?) {
                Some(invariant) => Asked::Invariant(invariant),
                None => {
                    ensure_linear(temporal, &task.options)?;
                    Asked::Temporal(temporal.clone())
                }
            },
        };
        if let Some(feature) = task.options.unsupported_by_sets() {
            return Err(Refusal::of(feature));
        }
        let system = task.needed_system()?;
        ensure_ctl(task)?;
        let layout = match bindings_of(system) {
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
        let order = bits_of_lines(system, &layout, lines).map_err(|why| Refusal::because(Feature::Order, why))?;
        let plan = Plan::of_sets(self.name(), task, "fixpoints over sets of states as decision diagrams");
        Ok(Box::new(OnDiagrams { task, system, asked, order, plan }))
    }
}

/// A task, ready to be settled by decision diagrams.
struct OnDiagrams<'t> {
    task: &'t Task<'t>,
    system: &'t System,
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
        let task = self.task;
        let (system, constraints) = constraints_of(self.system);
        let question = Question {
            system: system.into_owned(),
            constraints,
            labels: self.system.labels.len(),
            asked: self.asked,
            pool_may_grow: task.options.pool_may_grow,
            shortest: task.options.shortest,
            order: self.order,
        };
        let kept = control.take_kept::<Worker>(NAME).filter(|worker| worker.suits(&question));
        let worker = match kept {
            Some(worker) => worker,
            None => {
                let limit_bytes = control.budget.limit_bytes();
                let capacity = Capacity::within(limit_bytes.saturating_sub(control.budget.used_bytes()));
                Worker::start(&question, capacity, Shortfall::Memory { limit_bytes })?
            }
        };
        let (mut report, worker) = worker.ask(question, control)?;
        if let Some((worker, bytes)) = worker {
            control.keep(NAME, worker, bytes);
        }
        report.stats.elapsed = control.started.elapsed();
        report.stats.peak_budget_bytes = control.budget.peak_bytes();
        Ok(report)
    }
}
