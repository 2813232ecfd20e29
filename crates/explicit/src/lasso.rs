//! Shortest lassos in memory: the engine `bfs` with `--shortest`, for properties that only infinite runs violate.
//!
//! There are as many pairs of states as the square of the number of states. So the components of the product are searched first:
//! a property that holds costs no pairs. Where it fails, the pairs are searched breadth first, up to the first lasso.

use crate::engines::{Exploration, explore};
use crate::temporal::CycleSearch;
use lariat_automata::LassoReader;
use lariat_engine::{
    Engine, ObjectivePlan, Options, Plan, ProductPlan, Report, RunControl, RunError, Task, Temporal, Verdict,
};
use lariat_space::{AnySpace, StateSpace};
use lariat_subject::{OverSpace, bad_prefix, shortest, with_space};

/// The task of the first search: whether there is a bad run at all.
pub(crate) fn deciding<'t>(task: &'t Task<'t>) -> Task<'t> {
    let options = Options { shortest: false, scout: false, ..task.options.clone() };
    Task { subject: task.subject, property: task.property.clone(), options }
}

pub(crate) fn planned(mut plan: Plan, task: &Task<'_>, temporal: &Temporal) -> Plan {
    plan.product =
        Some(ProductPlan { objective: ObjectivePlan::AcceptingCycle, ..bad_prefix::product_plan(task, temporal) });
    plan.search.algorithm =
        format!("components; if it fails, pairs of states breadth first for a shortest lasso ({})", shortest::NOTION);
    plan
}

/// Decides the property; if it fails, looks for a shortest lasso. Without time or memory for that, the lasso that shows the
/// failure is some lasso, and a notice says so.
pub(crate) fn run(
    task: &Task<'_>,
    temporal: &Temporal,
    reader: &LassoReader,
    exploration: Exploration,
    control: &RunControl,
) -> Result<Report, RunError> {
    let mut decided = CycleSearch::SCC.settle(&deciding(task), control)?;
    let Verdict::Fails(evidence) = &decided.verdict else { return Ok(decided) };
    let steps = evidence.trace.steps.len();
    let found = with_space(task, LassoRun { task, temporal, reader, exploration, control })?;
    match found.unfinished {
        Some(shortfall) if !matches!(found.verdict, Verdict::Fails(_)) => {
            let least = found.stats.depth + 1;
            control.notify(format!(
                "the run has {steps} steps and may not be a shortest one: the search for lassos of {least} steps was stopped"
            ));
            decided.unfinished = Some(shortfall);
            Ok(decided)
        }
        _ => Ok(found),
    }
}

struct LassoRun<'a> {
    task: &'a Task<'a>,
    temporal: &'a Temporal,
    reader: &'a LassoReader,
    exploration: Exploration,
    control: &'a RunControl,
}

impl OverSpace for LassoRun<'_> {
    type Output = Report;

    fn over<S: StateSpace>(self, space: &S) -> Result<Report, RunError> {
        let Self { task, temporal, reader, exploration, control } = self;
        shortest::search(space, task, temporal, reader, None, |pairs| {
            explore(exploration, &AnySpace::new(pairs), task, control)
        })
    }
}
