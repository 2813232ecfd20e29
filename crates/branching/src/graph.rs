//! The engine `graph`: formulas of CTL by sets of states of a graph that is written out. Where there are not very many
//! states, that is faster than decision diagrams, and it does not depend on an order of variables.

use crate::{SpaceStepper, answer, justice_of};
use lariat_engine::{
    AcceptanceKind, CodeKind, Engine, EngineError, Evidence, Options, Property, Refusal, Report, RunControl, Shortfall,
    Stats, StoreKind, Task, Verdict,
};
use lariat_exec::Program;
use lariat_space::{Enumerated, GraphSets};
use lariat_system::{Fault, LabelId, LabelMeaning};
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

/// Why a task is refused by every engine for formulas of CTL, if it is.
pub fn refusal_of_formula(task: &Task<'_>) -> Option<String> {
    let Property::Branching(property) = &task.property else { return None };
    if let Err(unsupported) = justice_of(task.system) {
        let name = task.system.fairness_name(unsupported.0);
        return Some(format!("CTL is checked under justice only, and there is {name}"));
    }
    let of_steps = |label: &&LabelId| !matches!(task.system.labels[**label].meaning, LabelMeaning::State(_));
    let label = property.labels.iter().find(of_steps)?;
    Some(format!("`{}` speaks of steps, and formulas of CTL speak of states", task.system.labels[*label].name))
}

impl Engine for Graph {
    fn name(&self) -> &'static str {
        "graph"
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
            _ if !matches!(task.property, Property::Branching(_)) => refuse("it checks formulas of CTL only"),
            _ if store != StoreKind::Tree => refuse("it keeps the whole graph, and has no store"),
            _ if keep_going => refuse("a formula of CTL has one answer"),
            _ if depth_limit.is_some() => {
                refuse("a part of the graph does not tell what a formula of CTL says of runs")
            }
            _ if threads > 1 => refuse("it uses one thread"),
            _ if code != CodeKind::Auto => refuse("it has no choice of code"),
            _ if profile => refuse("`--profile` is for `safety`"),
            _ if reduce => refuse("a formula of branching time may tell steps apart that a reduction leaves out"),
            _ if runs > 1 => refuse("it misses no states, and further runs would find nothing new"),
            _ if on_disk.is_some() => refuse("it has nothing to put on a disk"),
            _ if acceptance != AcceptanceKind::Auto => refuse("`--acceptance` is for searches with an automaton"),
            () => refusal_of_formula(task).map_or(Ok(()), |reason| refuse(&reason)),
        }
    }

    fn run(&self, task: &Task<'_>, control: &RunControl) -> Result<Report, EngineError> {
        let Property::Branching(property) = &task.property else {
            return Err(EngineError { reason: "it checks formulas of CTL only".to_owned() });
        };
        let program = Program::compile(task.system).map_err(|error| EngineError { reason: error.to_string() })?;
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
        let report = graph.map(|graph| {
            let mut report = match pool_was_full(&graph, task) {
                true => Report { pool_was_full: true, ..Report::at_once(Shortfall::Interrupted) },
                false => settle(&graph, &program, task, property, control),
            };
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
    task: &Task<'_>,
    property: &lariat_engine::Branching,
    control: &RunControl,
) -> Report {
    let sets = GraphSets::watched(graph, || control.check());
    let all = sets.of(0..graph.states.len());
    let stepper = SpaceStepper::new(program, task.system);
    match answer(&sets, property, task.system, all, &stepper) {
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
                ..Report::at_once(Shortfall::Interrupted)
            }
        }
    }
}
