//! The engines `external` and `astar`: what they take, and what they will do.

use crate::cycles::ensure_cycles;
use crate::directory::ensure_writable;
use crate::searches::{Objective, Searches};
use lariat_engine::{
    Engine, EngineError, Feature, HeuristicKind, ObjectivePlan, Options, Plan, Prepared, ProductPlan, Property,
    Refusal, Report, RunControl, RunError, StoreKind, Task,
};
use lariat_runs::files::{Files, RealFiles};
use lariat_subject::{bad_prefix, ensure_search_options, ensure_searchable, ensure_undirected, shortest, with_space};
use std::sync::Arc;

/// The engine `external`: breadth-first search.
#[derive(Clone, Default)]
pub struct External {
    files: Option<Arc<dyn Files>>,
}

/// The engine `astar`: directed search.
#[derive(Clone, Default)]
pub struct Astar {
    files: Option<Arc<dyn Files>>,
}

impl External {
    /// On the file system of the machine.
    pub const REAL: Self = Self { files: None };

    /// On another file system.
    pub fn on(files: Arc<dyn Files>) -> Self {
        Self { files: Some(files) }
    }
}

impl Astar {
    /// On the file system of the machine.
    pub const REAL: Self = Self { files: None };

    /// On another file system.
    pub fn on(files: Arc<dyn Files>) -> Self {
        Self { files: Some(files) }
    }
}

impl Engine for External {
    fn name(&self) -> &'static str {
        "external"
    }
    fn about(&self) -> &'static str {
        "breadth-first search on disk: `safety`, and temporal properties with any fairness; constant memory, can be resumed"
    }
    fn most_threads(&self) -> usize {
        usize::MAX
    }
    fn has_run_directory(&self) -> bool {
        true
    }
    fn prepare<'t>(&self, task: &'t Task<'t>) -> Result<Box<dyn Prepared + 't>, Refusal> {
        ensure_undirected(task)?;
        prepared(self.name(), task, None, &self.files)
    }
}

impl Engine for Astar {
    fn name(&self) -> &'static str {
        "astar"
    }
    fn about(&self) -> &'static str {
        "directed search (A*) on disk: the same, guided by `--heuristic`; shortest counterexamples, few states where one exists"
    }
    fn most_threads(&self) -> usize {
        usize::MAX
    }
    fn has_run_directory(&self) -> bool {
        true
    }
    fn prepare<'t>(&self, task: &'t Task<'t>) -> Result<Box<dyn Prepared + 't>, Refusal> {
        let Options { keep_going, depth_limit, reduce, heuristic, .. } = task.options;
        match () {
            _ if keep_going => return Err(Refusal::because(Feature::KeepGoing, "it ends at the first failure")),
            _ if depth_limit.is_some() => {
                return Err(Refusal::because(Feature::DepthLimit, "it does not go level by level"));
            }
            _ if reduce => {
                let why = "a shortest run may be among those that are left out";
                return Err(Refusal::because(Feature::Reduction, why));
            }
            () => {}
        }
        prepared(self.name(), task, Some(heuristic.unwrap_or_default()), &self.files)
    }
}

fn prepared<'t>(
    name: &str,
    task: &'t Task<'t>,
    heuristic: Option<HeuristicKind>,
    files: &Option<Arc<dyn Files>>,
) -> Result<Box<dyn Prepared + 't>, Refusal> {
    ensure_searchable(task)?;
    ensure_search_options(task)?;
    let Options { store, profile, runs, .. } = task.options;
    match () {
        _ if store != StoreKind::Tree => {
            return Err(Refusal::because(Feature::Store(store), "it keeps states on disk"));
        }
        _ if profile => return Err(Refusal::because(Feature::Profile, "it keeps states on disk")),
        _ if runs > 1 => return Err(Refusal::because(Feature::Runs, "it misses no state")),
        () => {}
    }
    let objective = match &task.property {
        Property::Safety { invalid_ends } => Objective::Safety { invalid_ends: *invalid_ends },
        Property::Temporal(temporal) => match bad_prefix::ensure_bad_prefix(task, temporal) {
            Ok(()) => Objective::BadPrefix(temporal),
            Err(_) => {
                ensure_cycles(task, temporal)?;
                match task.options.shortest || heuristic.is_some() {
                    true => Objective::Lasso(temporal, Box::new(shortest::ensure_shortest(task, temporal)?)),
                    false => Objective::Cycles(temporal),
                }
            }
        },
        Property::Branching(_) | Property::Distance(_) => {
            return Err(Refusal::because(Feature::of_property(&task.property), "it follows single runs"));
        }
    };
    let meaningless = match (&objective, task.options.heuristic) {
        (Objective::Safety { .. }, Some(HeuristicKind::Automaton)) => Some("`safety` has no automaton"),
        (Objective::BadPrefix(_), Some(HeuristicKind::Control)) => Some("only the automaton guides it here"),
        _ => None,
    };
    if let Some(why) = meaningless {
        return Err(Refusal::because(Feature::Heuristic, why));
    }
    let order = if heuristic.is_some() { "A*, buckets on disk" } else { "breadth first, layers on disk" };
    let owcty = "sets without cycles are dropped (OWCTY)";
    let algorithm = match &objective {
        Objective::Safety { .. } | Objective::BadPrefix(_) => order.to_owned(),
        Objective::Cycles(_) => format!("{order}; then {owcty}"),
        Objective::Lasso(..) => {
            let notion = shortest::NOTION;
            format!(
                "pairs of states for a shortest lasso ({notion}): {order}; if there are many of them, {owcty} first"
            )
        }
    };
    let mut plan = Plan::new(name, task, algorithm);
    plan.search.store = None;
    plan.search.heuristic = heuristic;
    plan.product = objective.temporal().map(|temporal| ProductPlan {
        objective: match objective {
            Objective::Cycles(_) | Objective::Lasso(..) => ObjectivePlan::AcceptingCycle,
            Objective::Safety { .. } | Objective::BadPrefix(_) => ObjectivePlan::BadPrefix,
        },
        ..bad_prefix::product_plan(task, temporal)
    });
    let files = files.clone().unwrap_or_else(|| Arc::new(RealFiles));
    Ok(Box::new(PreparedExternal { task, objective, heuristic, plan, files }))
}

struct PreparedExternal<'t> {
    task: &'t Task<'t>,
    objective: Objective<'t>,
    heuristic: Option<HeuristicKind>,
    plan: Plan,
    files: Arc<dyn Files>,
}

impl Prepared for PreparedExternal<'_> {
    fn plan(&self) -> &Plan {
        &self.plan
    }
    fn ensure_ready(&self) -> Result<(), EngineError> {
        ensure_writable(self.task.options.disk.as_ref(), &*self.files)
    }
    fn run(self: Box<Self>, control: &RunControl) -> Result<Report, RunError> {
        let Self { task, objective, heuristic, plan: _, files } = *self;
        with_space(task, Searches::new(task, objective, heuristic, files, control))
    }
}
