//! Traces as engines write them, judged by the oracle, and broken on purpose.

use lariat_engine::{Trace, TraceStep};
use lariat_logic::Formula;
use lariat_system::LabelId;
use lariat_testkit::Rng;
use lariat_testkit::oracle::{RunGraph, RunLasso, RunStep};

/// Says which traces are fair and bad runs.
pub(super) struct Judge<'a> {
    pub(super) graph: &'a RunGraph<'a>,
    pub(super) labels: &'a [LabelId],
    pub(super) bad: &'a Formula,
}

impl Judge<'_> {
    /// Whether the trace is a run of the system that goes on for ever, is fair and bad.
    pub(super) fn accepts(&self, trace: &Trace) -> bool {
        let Some((initial, steps)) = self.steps(trace) else { return false };
        let Some(start) = trace.loop_start.filter(|&start| start < steps.len()) else { return false };
        if steps[steps.len() - 1].target != steps[start].source {
            return false;
        }
        let (stem, cycle) = steps.split_at(start);
        let lasso = RunLasso { initial, stem: stem.iter().collect(), cycle: cycle.iter().collect() };
        lasso.is_fair(&self.graph.system().fairness) && lasso.satisfies(self.bad, self.labels)
    }

    /// The steps of the trace, if they can be done.
    fn steps(&self, trace: &Trace) -> Option<(usize, Vec<RunStep>)> {
        let initial = self.graph.initial_at(&trace.initial)?;
        let mut at = initial;
        let mut steps = Vec::new();
        for step in &trace.steps {
            let (carried, target) = (step.labels.as_ref()?, step.target.as_ref()?);
            let done = self.graph.step_by(at, &step.via, carried, target)?;
            at = done.target;
            steps.push(done);
        }
        Some((initial, steps))
    }
}

/// A run as an engine would tell it.
pub(super) fn trace_of(graph: &RunGraph<'_>, lasso: &RunLasso<'_>) -> Trace {
    let steps = lasso.stem.iter().chain(&lasso.cycle).map(|step| trace_step(graph, step));
    Trace {
        initial: graph.packed(lasso.initial),
        steps: steps.collect(),
        loop_start: Some(lasso.stem.len()),
        decided: None,
    }
}

fn trace_step(graph: &RunGraph<'_>, step: &RunStep) -> TraceStep {
    TraceStep {
        via: step.via.clone(),
        choices: None,
        labels: Some(step.carried.iter().copied().collect()),
        target: Some(graph.packed(step.target)),
    }
}

/// Traces that differ from a right one in one respect, and in which. Most are wrong; some happen to be right.
pub(super) fn broken(trace: &Trace, graph: &RunGraph<'_>, rng: &mut Rng) -> Vec<(&'static str, Trace)> {
    let changed = |change: &dyn Fn(&mut Trace)| {
        let mut broken = trace.clone();
        // What is judged are actions, labels and states, whatever choices lead to them.
        broken.steps.iter_mut().for_each(|step| step.choices = None);
        change(&mut broken);
        broken
    };
    let at = rng.below(trace.steps.len());
    let start = rng.below(trace.steps.len() + 1);
    let label = LabelId(rng.below(graph.system().labels.len().max(1)) as u32);
    let other = trace_step(graph, rng.pick(&graph.steps));
    let state = graph.packed(rng.below(graph.states.len()));
    vec![
        ("whose loop begins elsewhere", changed(&|trace| trace.loop_start = Some(start))),
        ("that ends", changed(&|trace| trace.loop_start = None)),
        ("without one step", changed(&|trace| drop(trace.steps.remove(at)))),
        ("with one step twice", changed(&|trace| trace.steps.insert(at, trace.steps[at].clone()))),
        (
            "with other labels",
            changed(&|trace| {
                let labels = trace.steps[at].labels.get_or_insert_default();
                match labels.binary_search(&label) {
                    Ok(known) => drop(labels.remove(known)),
                    Err(place) => labels.insert(place, label),
                }
            }),
        ),
        ("with another step", changed(&|trace| trace.steps[at] = other.clone())),
        ("with one more step", changed(&|trace| trace.steps.push(other.clone()))),
        ("with other actions", changed(&|trace| trace.steps[at].via.clone_from(&other.via))),
        ("with another state", changed(&|trace| trace.steps[at].target = Some(state.clone()))),
        ("that begins elsewhere", changed(&|trace| trace.initial.clone_from(&state))),
    ]
}
