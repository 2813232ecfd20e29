//! The engine `symbolic`: `safety` and formulas of CTL by sets of states.
//!
//! Operations on decision diagrams cannot be stopped from outside, so the search has a thread of its own. The thread that
//! called looks at limits and interruption; if the search does not stop soon after it is asked to, it is left behind, and
//! ends with the operation it is in.

mod aside;
mod solve;

use crate::diagrams::Capacity;
use crate::sets::{NoSets, bindings_of};
use aside::Aside;
use lariat_branching::refusal_of_formula;
use lariat_engine::{
    AcceptanceKind, CodeKind, Engine, EngineError, Options, Property, Refusal, Report, RunControl, Shortfall,
    StoreKind, Task,
};

/// The engine `symbolic`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Symbolic;

impl Engine for Symbolic {
    fn name(&self) -> &'static str {
        "symbolic"
    }

    fn admits(&self, task: &Task<'_>) -> Result<(), Refusal> {
        let refuse = |reason: &str| Err(Refusal { reason: reason.to_owned() });
        let Options {
            store,
            keep_going,
            shortest: _,
            pool_may_grow: _,
            depth_limit,
            threads,
            code,
            profile,
            reduce,
            seed: _,
            runs,
            disk: ref on_disk,
            acceptance,
        } = task.options;
        match () {
            _ if store != StoreKind::Tree => refuse("it keeps sets of states as decision diagrams, and has no store"),
            _ if keep_going => refuse("it does not count failures; `bfs` does"),
            _ if depth_limit.is_some() => refuse("it does not bound the depth; `bfs` does"),
            _ if threads > 1 => refuse("it uses one thread"),
            _ if code != CodeKind::Auto => refuse("it does not run the model, so there is no code to choose"),
            _ if profile => refuse("`--profile` looks at single states; `bfs` does"),
            _ if reduce => refuse("it takes no single steps that a reduction could leave out"),
            _ if runs > 1 => refuse("it misses no states, and further runs would find nothing new"),
            _ if on_disk.is_some() => refuse("it has nothing to put on a disk"),
            _ if acceptance != AcceptanceKind::Auto => refuse("`--acceptance` is for searches with an automaton"),
            () => Ok(()),
        }?;
        match &task.property {
            Property::Safety { invalid_ends: _ } => {}
            Property::Temporal(_) => return refuse("it checks `safety` and formulas of CTL; for LTL there is `scc`"),
            Property::Branching(_) => {
                if let Some(reason) = refusal_of_formula(task) {
                    return refuse(&reason);
                }
            }
        }
        match bindings_of(task.system) {
            Ok(_) => Ok(()),
            Err(NoSets::TooLarge(too_large)) => refuse(&too_large.to_string()),
            Err(NoSets::TooManyBindings(count)) => refuse(&format!(
                "its actions can be taken by processes at different positions in more than {count} ways, and each would \
                 be encoded"
            )),
        }
    }

    fn run(&self, task: &Task<'_>, control: &RunControl) -> Result<Report, EngineError> {
        let limit_bytes = control.budget.limit_bytes();
        let capacity = Capacity::within(limit_bytes.saturating_sub(control.budget.used_bytes()));
        let full = Shortfall::Memory { limit_bytes };
        let question = solve::Question {
            system: task.system.clone(),
            property: task.property.clone(),
            pool_may_grow: task.options.pool_may_grow,
            shortest: task.options.shortest,
        };
        let mut report = Aside::run(control, move |shared| solve::solve(&question, capacity, full, &shared))?;
        report.stats.elapsed = control.started.elapsed();
        report.stats.peak_budget_bytes = control.budget.peak_bytes();
        Ok(report)
    }
}
