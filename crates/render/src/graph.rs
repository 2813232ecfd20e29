//! The states of a small model, or those around a run, as rows of a document.

use crate::documents::{GraphRows, GraphStateRow, GraphStepRow, Rows};
use crate::limit::WriteLimit;
use crate::standing::Standing;
use crate::{EntryView, Shown, StateView, fault_message};
use lariat_base::{SourceMap, stoppable};
use lariat_engine::{Event, GraphLimits, GraphRun, GraphTooLarge, StateGraph, StepEnd};
use lariat_system::System;
use lariat_system::reference::{Evaluator, Firing, Valuation};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// In a document, all states are listed of models with at most as many states and steps.
const WHOLE: GraphLimits = GraphLimits { states: 60, steps: 240, has_fixed_pool: false };
/// Of larger ones, those around a run, if they are not more than this.
const AROUND: GraphLimits = GraphLimits { states: 120, steps: 400, has_fixed_pool: false };
/// Else those around the last steps of the run: as many as there is room for.
const LAST_STEPS: [usize; 3] = [60, 30, 12];
/// If there are too many even for that, these last steps alone.
const BARE_STEPS: usize = 40;
/// What can begin or go on in more ways is not listed.
const MOST_WAYS: u64 = 1_000;
/// As many lines distinguish a state from the others, at most.
const MOST_LINES: usize = 8;
/// The time that is taken for the graph of a run.
const PATIENCE: Duration = Duration::from_secs(1);

/// The states around a run; or why they are not listed.
pub(crate) fn run_graph(
    system: &System,
    sources: &SourceMap,
    run: GraphRun<'_>,
    limit: Option<&WriteLimit<'_>>,
) -> Result<GraphRows, String> {
    const SLOW: &str = "listing them takes too long";
    if has_many_ways(system) {
        return Err(format!("a step can be taken in more than {MOST_WAYS} ways"));
    }
    if limit.is_some_and(WriteLimit::is_over) {
        return Err("a limit of the run was met".to_owned());
    }
    let began = Instant::now();
    let watch = move || if began.elapsed() < PATIENCE { Ok(()) } else { Err(SLOW.to_owned()) };
    stoppable(watch, || {
        around(system, run).map(|(graph, whole)| graph_rows(system, sources, &graph, whole, MOST_LINES))
    })?
    .map_err(|_| "there are too many".to_owned())
}

fn around(system: &System, run: GraphRun<'_>) -> Result<(StateGraph, bool), GraphTooLarge> {
    if let Ok(graph) = StateGraph::whole(system, Some(run), WHOLE) {
        let is_whole = !graph.is_pool_too_small;
        return Ok((graph, is_whole));
    }
    let count = run.story.step_count();
    let skips = LAST_STEPS.iter().map(|last| count.saturating_sub(*last));
    for skipped in std::iter::once(0).chain(skips) {
        // More states than may be listed are not worth a try.
        if count - skipped < AROUND.states
            && let Ok(graph) = StateGraph::around(system, run, skipped, 1, AROUND)
        {
            return Ok((graph, false));
        }
    }
    StateGraph::around(system, run, count.saturating_sub(BARE_STEPS), 0, AROUND).map(|graph| (graph, false))
}

/// Whether the steps of a state can be too many to list.
fn has_many_ways(system: &System) -> bool {
    let actions = system.actions.iter();
    let init = &system.init;
    let ways = actions.map(|action| system.free_valuations(&action.choices, action.guard.conjuncts()));
    let begins =
        [system.free_valuations(&init.choices, &init.guard), system.most_valuations(&init.choices, &init.guard)];
    ways.chain(begins).any(|ways| ways > MOST_WAYS)
}

/// A graph of states as a document has it. What has the same value in all states is left out.
pub fn graph_rows(
    system: &System,
    sources: &SourceMap,
    graph: &StateGraph,
    whole: bool,
    most_lines: usize,
) -> GraphRows {
    let standing = Standing::new(system, sources);
    let views: Vec<StateView> = graph.states.iter().map(|state| StateView::new(system, sources, state)).collect();
    let is_shown = differing(&views);
    let evaluator = Evaluator::new(system);
    let has_steps: BTreeSet<usize> = graph.steps.iter().map(|step| step.from).collect();
    let mut states: Vec<GraphStateRow> = Vec::new();
    for (number, (state, view)) in graph.states.iter().zip(&views).enumerate() {
        let shown = contents(view).filter(|(name, _)| is_shown.contains(*name));
        let mut lines: Vec<String> = shown.map(|(name, value)| format!("{name} = {value}")).collect();
        lines.extend(standing.short(system, state));
        if lines.len() > most_lines {
            let more = lines.len() + 1 - most_lines;
            lines.truncate(most_lines - 1);
            lines.push(format!("… and {more} more"));
        }
        let kind = match number {
            _ if graph.open.contains(&number) => Some("open"),
            _ if has_steps.contains(&number) => None,
            _ if evaluator.is_proper_end(state) => Some("end"),
            _ => Some("deadlock"),
        };
        let text = if lines.is_empty() { format!("state {number}") } else { lines.join("\n") };
        let initial = graph.initial.contains(&number).then_some(true);
        states.push(GraphStateRow { text, initial, kind: kind.map(str::to_owned) });
    }
    let mut steps: Vec<GraphStepRow> = Vec::new();
    let mut run = graph.run.clone();
    for step in &graph.steps {
        let state = Arc::new(graph.states[step.from].clone());
        let actions: Vec<String> =
            step.path.iter().map(|firing| action_text(system, sources, &state, firing)).collect();
        let to = match step.to {
            StepEnd::State(to) => to,
            StepEnd::Fault(fault) => {
                let text = fault_message(system, fault).to_owned();
                states.push(GraphStateRow { text, initial: None, kind: Some("error".to_owned()) });
                if step.is_on_run {
                    run.push(states.len() - 1);
                }
                states.len() - 1
            }
        };
        let text = actions.join("\n");
        let taken = step.is_on_run.then_some(true);
        match steps.iter_mut().find(|known| (known.from, known.to, &known.text) == (step.from, to, &text)) {
            Some(known) => known.taken = known.taken.or(taken),
            None => steps.push(GraphStepRow { from: step.from, to, text, taken }),
        }
    }
    let skipped = (graph.skipped > 0).then_some(graph.skipped);
    GraphRows { whole, states: Rows(states), steps: Rows(steps), skipped, run }
}

/// The names of what is not the same in all states.
fn differing(views: &[StateView]) -> BTreeSet<String> {
    let mut values: BTreeMap<&str, (BTreeSet<String>, usize)> = BTreeMap::new();
    for (name, value) in views.iter().flat_map(contents) {
        let (known, count) = values.entry(name).or_default();
        known.insert(value.to_string());
        *count += 1;
    }
    let differs = |(known, count): &(BTreeSet<String>, usize)| known.len() > 1 || *count < views.len();
    values.iter().filter(|(_, found)| differs(found)).map(|(name, _)| (*name).to_owned()).collect()
}

/// Variables and channels by name.
fn contents(view: &StateView) -> impl Iterator<Item = (&str, &Shown)> {
    let channels = view.channels.iter().map(|(name, value, _)| (name.as_str(), value));
    view.variables.iter().map(|(name, value)| (name.as_str(), value)).chain(channels)
}

/// An action as it is written beside an edge: `P(1): x = 1`.
fn action_text(system: &System, sources: &SourceMap, before: &Arc<Valuation>, firing: &Firing) -> String {
    let event = Event { firing: firing.clone(), before: before.clone(), after: None, faults: Vec::new() };
    let entry = EntryView::new(system, sources, &event);
    let mut text = match entry.actor.pid {
        Some(pid) => format!("{}({pid}): {}", entry.actor.process, entry.actor.text),
        None => entry.actor.text,
    };
    if let Some(peer) = entry.peer {
        let pid = peer.pid.map(|pid| format!("({pid})")).unwrap_or_default();
        text.push_str(&format!(" → {}{pid}: {}", peer.process, peer.text));
    }
    for (name, value) in entry.choices {
        text.push_str(&format!(" [{name} = {value}]"));
    }
    text
}
