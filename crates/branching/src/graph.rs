//! The engine `graph`: formulas of CTL by sets of states of a graph that is written out. Where there are not very many
//! states, that is faster than decision diagrams, and it does not depend on an order of variables.

use crate::{SpaceStepper, answer, justice_of};
use lariat_engine::{
    Engine, EngineError, Evidence, Feature, Plan, Prepared, Property, Refusal, Report, RunControl, RunError, Shortfall,
    Stats, Task, Verdict,
};
use lariat_exec::Program;
use lariat_space::{Enumerated, GraphSets};
use lariat_system::{Fault, System};
use std::cell::Cell;
use std::sync::atomic::Ordering;

/// The engine `graph`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Graph {
    /// Larger graphs are left undecided; `None` for any that memory has room for.
    pub most_states: Option<usize>,
}

impl Graph {
    /// The engine for graphs that memory has room for.
    pub const ANY: Graph = Graph { most_states: None };
    /// The engine for graphs that are written out in a moment.
    pub const SMALL: Graph = Graph { most_states: Some(100_000) };
}

/// A refusal if the formula or the fairness of the task is none that sets of states can settle.
pub fn ensure_ctl(task: &Task<'_>) -> Result<(), Refusal> {
    let Property::Branching(property) = &task.property else { return Ok(()) };
    let system = task.needed_system()?;
    if let Err(unsupported) = justice_of(system) {
        let name = system.fairness_name(unsupported.0);
        let why = format!("CTL is checked under justice only, and there is {name}");
        return Err(Refusal::because(Feature::Fairness, why));
    }
    match property.labels.iter().find(|label| !task.subject.is_of_states(**label)) {
        Some(label) => {
            let name = &system.labels[*label].name;
            let why = format!("`{name}` speaks of steps, and formulas of CTL speak of states");
            Err(Refusal::because(Feature::Branching, why))
        }
        None => Ok(()),
    }
}

impl Engine for Graph {
    fn name(&self) -> &'static str {
        "graph"
    }

    fn about(&self) -> &'static str {
        "formulas of CTL on a graph that is written out"
    }

    fn prepare<'t>(&self, task: &'t Task<'t>) -> Result<Box<dyn Prepared + 't>, Refusal> {
        let Property::Branching(property) = &task.property else {
            return Err(Refusal::because(Feature::of_property(&task.property), "it checks formulas of CTL"));
        };
        if let Some(feature) = task.options.unsupported_by_sets() {
            return Err(Refusal::of(feature));
        }
        let system = task.needed_system()?;
        ensure_ctl(task)?;
        let plan = Plan::new(self.name(), task, "fixpoints over sets of states of a graph that is written out");
        Ok(Box::new(OnGraph { most_states: self.most_states, task, system, property, plan }))
    }
}

/// A formula of CTL, ready to be checked on a graph.
struct OnGraph<'t> {
    most_states: Option<usize>,
    task: &'t Task<'t>,
    system: &'t System,
    property: &'t lariat_engine::Branching,
    plan: Plan,
}

impl Prepared for OnGraph<'_> {
    fn plan(&self) -> &Plan {
        &self.plan
    }

    fn run(self: Box<Self>, control: &RunControl) -> Result<Report, RunError> {
        let (task, system, property) = (self.task, self.system, self.property);
        let program = Program::compile(system).map_err(|error| EngineError { reason: error.to_string() })?;
        let taken = Cell::new(0);
        let limit_bytes = control.budget.limit_bytes();
        let graph = Enumerated::watched(&program, |graph, bytes| {
            if graph.expanded() % 256 == 0 {
                control.check()?;
                control.counters.states.store(graph.states.len() as u64, Ordering::Relaxed);
            }
            if bytes > taken.get() {
                let more = (bytes - taken.get()).max(1 << 16);
                control.budget.take(more)?;
                taken.set(taken.get() + more);
            }
            match self.most_states {
                Some(most) if graph.states.len() > most => Err(Shortfall::Memory { limit_bytes }),
                _ => Ok(()),
            }
        });
        if graph.as_ref().is_ok_and(|graph| pool_was_full(graph, task)) {
            control.budget.give_back(taken.get());
            return Err(RunError::PoolTooSmall);
        }
        let report = graph.map(|graph| {
            let mut report = settle(&graph, &program, system, property, control);
            report.stats = Stats {
                states: graph.states.len() as u64,
                transitions: graph.transitions() as u64,
                depth: graph.depth() as u64,
                bytes_per_state: taken.get() as f64 / graph.states.len().max(1) as f64,
                ..Stats::default()
            };
            report
        });
        let mut report = report.unwrap_or_else(Report::at_once);
        control.budget.give_back(taken.get());
        report.stats.peak_budget_bytes = control.budget.peak_bytes();
        report.stats.elapsed = control.started.elapsed();
        Ok(report)
    }
}

fn pool_was_full(graph: &Enumerated, task: &Task<'_>) -> bool {
    task.options.pool_may_grow && graph.faults.iter().flatten().any(|fault| matches!(fault, Fault::PoolFull(_)))
}

fn settle(
    graph: &Enumerated,
    program: &Program,
    system: &System,
    property: &lariat_engine::Branching,
    control: &RunControl,
) -> Report {
    let sets = GraphSets::watched(graph, || control.check());
    let all = sets.of(0..graph.states.len());
    let stepper = SpaceStepper::new(program, system);
    match answer(&sets, property, system, all, &stepper) {
        Err(shortfall) => Report::at_once(shortfall),
        Ok(found) => {
            let failures: Vec<Evidence> =
                if let Verdict::Fails(evidence) = &found.verdict { vec![evidence.clone()] } else { Vec::new() };
            Report {
                verdict: found.verdict,
                failure_count: failures.len() as u64,
                failures,
                unfinished: None,
                witnesses: found.witnesses,
                dead_end: found.dead_end,
                ..Report::at_once(Shortfall::Interrupted)
            }
        }
    }
}
