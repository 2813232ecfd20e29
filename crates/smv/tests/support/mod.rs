//! Small systems by the reference evaluator alone.

#![allow(dead_code, reason = "not every test needs all of it")]

use lariat_base::{Diagnostic, SourceMap};
use lariat_smv::{CheckedModel, Condition, Property, read_model};
use lariat_system::reference::{Evaluator, Outcome, Valuation};
use lariat_system::{LabelId, System};
use std::collections::HashSet;

/// The model, which must be in order.
pub(crate) fn model(text: &str) -> CheckedModel {
    let mut sources = SourceMap::default();
    read_model(&mut sources, "test.smv", text).unwrap_or_else(|found| panic!("{text}\n{}", messages(&sources, &found)))
}

/// What is told, a line each: place, code, message, help.
pub(crate) fn messages(sources: &SourceMap, found: &[Diagnostic]) -> String {
    let lines = found.iter().map(|diagnostic| {
        let place = sources.location(diagnostic.span).map(|at| format!("{}:{} ", at.line, at.column));
        let label = if diagnostic.label.is_empty() { String::new() } else { format!(" ({})", diagnostic.label) };
        let help = diagnostic.help.as_ref().map(|help| format!(" / {help}"));
        format!(
            "{}{} {}{label}{}",
            place.unwrap_or_default(),
            diagnostic.code,
            diagnostic.message,
            help.unwrap_or_default()
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// What a wrong text is told.
pub(crate) fn complaints(text: &str) -> String {
    let mut sources = SourceMap::default();
    match read_model(&mut sources, "test.smv", text) {
        Ok(model) => match model.system() {
            Ok(_) => String::new(),
            Err(found) => messages(&sources, &found),
        },
        Err(found) => messages(&sources, &found),
    }
}

/// All states that can be reached, with whether each has a successor, and the labels of all steps.
pub(crate) struct Graph {
    pub(crate) states: Vec<Valuation>,
    pub(crate) dead_ends: usize,
    /// For each step the labels it carries.
    pub(crate) steps: Vec<HashSet<LabelId>>,
}

/// The graph of a system; `None` if it has more states than `most`.
pub(crate) fn graph(system: &System, most: usize) -> Option<Graph> {
    let evaluator = Evaluator::new(system);
    let mut graph = Graph { states: evaluator.initial(), dead_ends: 0, steps: Vec::new() };
    let mut known: HashSet<Valuation> = graph.states.iter().cloned().collect();
    let mut at = 0;
    while at < graph.states.len() {
        let steps = evaluator.steps(&graph.states[at]);
        graph.dead_ends += usize::from(steps.is_empty());
        for step in steps {
            let Outcome::State(next) = step.outcome else { panic!("an SMV model has no run-time errors") };
            graph.steps.push(step.marks.labels.iter().copied().collect());
            if known.insert(next.clone()) {
                graph.states.push(next);
            }
        }
        if graph.states.len() > most {
            return None;
        }
        at += 1;
    }
    Some(graph)
}

/// Whether the condition holds in every state, or in every step.
pub(crate) fn is_invariant(model: &CheckedModel, condition: &Condition, most: usize) -> Option<bool> {
    let system = model.observing(vec![condition.clone()]).system().expect("a model that can be lowered");
    let graph = graph(&system, most)?;
    let label = LabelId(0);
    let evaluator = Evaluator::new(&system);
    Some(match condition.term.reach.is_step() {
        true => graph.steps.iter().all(|labels| labels.contains(&label)),
        false => graph.states.iter().all(|state| evaluator.state_labels(state).contains(&label)),
    })
}

/// Number of states, of dead ends, and for each invariant whether it holds.
pub(crate) fn meaning(text: &str) -> (usize, usize, String) {
    let model = model(text);
    let system = model.system().unwrap_or_else(|found| panic!("{text}\n{found:?}"));
    let graph = graph(&system, 100_000).expect("a small model");
    let invariants = model.specifications().iter().filter_map(|spec| match &spec.property {
        Property::Invariant(condition, _) => Some(condition),
        _ => None,
    });
    let truth = |condition: &Condition| if is_invariant(&model, condition, 100_000) == Some(true) { '+' } else { '-' };
    (graph.states.len(), graph.dead_ends, invariants.map(truth).collect())
}
