//! The engine `symbolic`: `safety`, invariants, formulas of CTL and numbers of steps by sets of states.
//!
//! Operations on decision diagrams cannot be stopped from outside, so the search has a thread of its own. The thread that
//! called looks at limits and interruption; if the search does not stop soon after it is asked to, it is left behind, and
//! ends with the operation it is in.

mod aside;
mod solve;

use crate::diagrams::Capacity;
use crate::sets::{NoSets, bindings_of};
use aside::Aside;
use lariat_branching::{Invariant, ensure_ctl};
use lariat_engine::{
    Engine, Feature, Plan, Prepared, Property, Refusal, Report, RunControl, RunError, Shortfall, Task,
};
use lariat_system::System;
use solve::Asked;

/// The engine `symbolic`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Symbolic;

impl Engine for Symbolic {
    fn name(&self) -> &'static str {
        "symbolic"
    }

    fn about(&self) -> &'static str {
        "sets of states as decision diagrams: `safety`, invariants, formulas of CTL, `COMPUTE`"
    }

    fn prepare<'t>(&self, task: &'t Task<'t>) -> Result<Box<dyn Prepared + 't>, Refusal> {
        let asked = match &task.property {
            Property::Safety { invalid_ends } => Asked::Safety { invalid_ends: *invalid_ends },
            Property::Branching(property) => Asked::Ctl(property.clone()),
            Property::Distance(distance) => Asked::Distance(distance.clone()),
            Property::Temporal(temporal) => match Invariant::of(temporal, task.needed_system()?) {
                Some(invariant) => Asked::Invariant(invariant),
                None => {
                    let why = "it checks `safety`, invariants, formulas of CTL and `COMPUTE`";
                    return Err(Refusal::because(Feature::Temporal, why));
                }
            },
        };
        if let Some(feature) = task.options.unsupported_by_sets() {
            return Err(Refusal::of(feature));
        }
        let system = task.needed_system()?;
        ensure_ctl(task)?;
        match bindings_of(system) {
            Ok(_) => {}
            Err(NoSets::TooLarge(too_large)) => {
                return Err(Refusal::because(Feature::Choices, too_large.to_string()));
            }
            Err(NoSets::TooManyBindings(count)) => {
                let why = format!(
                    "its actions can be taken by processes at different positions in more than {count} ways, and each \
                     would be encoded"
                );
                return Err(Refusal::because(Feature::Choices, why));
            }
        }
        let plan = Plan::new(self.name(), task, "fixpoints over sets of states as decision diagrams");
        Ok(Box::new(OnDiagrams { task, system, asked, plan }))
    }
}

/// A task, ready to be settled by decision diagrams.
struct OnDiagrams<'t> {
    task: &'t Task<'t>,
    system: &'t System,
    asked: Asked,
    plan: Plan,
}

impl Prepared for OnDiagrams<'_> {
    fn plan(&self) -> &Plan {
        &self.plan
    }

    fn run(self: Box<Self>, control: &RunControl) -> Result<Report, RunError> {
        let task = self.task;
        let limit_bytes = control.budget.limit_bytes();
        let capacity = Capacity::within(limit_bytes.saturating_sub(control.budget.used_bytes()));
        let full = Shortfall::Memory { limit_bytes };
        let question = solve::Question {
            system: self.system.clone(),
            asked: self.asked,
            pool_may_grow: task.options.pool_may_grow,
            shortest: task.options.shortest,
        };
        let mut report = Aside::run(control, move |shared| solve::solve(&question, capacity, full, &shared))?;
        report.stats.elapsed = control.started.elapsed();
        report.stats.peak_budget_bytes = control.budget.peak_bytes();
        Ok(report)
    }
}
