//! The graph of states of a small model, or the part of it around a run, by the reference evaluator.

use crate::check::within;
use crate::pool::{NoAnswer, with_growing_pool};
use crate::{CheckError, Model};
use lariat_engine::{RunControl, Story};
use lariat_subject::too_many_ways;
use lariat_system::reference::{ControlIndex, Evaluator, Firing, Outcome, Valuation};
use lariat_system::{Fault, System};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// A graph of states. States are numbered in the order in which breadth-first search meets them.
#[derive(Debug)]
pub struct StateGraph {
    /// The system whose states they are.
    pub system: Arc<System>,
    /// The states.
    pub states: Vec<Valuation>,
    /// Those in which runs begin.
    pub initial: BTreeSet<usize>,
    /// The steps.
    pub steps: Vec<GraphStep>,
    /// The states whose steps are not part of the graph.
    pub open: BTreeSet<usize>,
    /// The states on the run that the graph was made around.
    pub on_run: BTreeSet<usize>,
}

/// A step of a graph of states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GraphStep {
    /// The state it leaves.
    pub from: usize,
    /// Where it leads.
    pub to: StepEnd,
    /// The actions of it.
    pub path: Vec<Firing>,
    /// Whether it is one of the run that the graph was made around.
    pub is_on_run: bool,
}

/// Where a step of a graph of states leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StepEnd {
    /// To a state.
    State(usize),
    /// To a run-time error.
    Fault(Fault),
}

/// The whole graph of a model, which must have at most `limit` states, within the time of `control`.
pub fn state_graph(model: &Model, limit: usize, control: &RunControl) -> Result<StateGraph, CheckError> {
    let first = model.system(model.first_pool_size()?).map_err(CheckError::Model)?;
    let make = |pool_size| model.system(pool_size).map_err(CheckError::Model);
    let run = |system: &Arc<System>, may_grow: bool| {
        let mut growing = Growing::new(system, limit)?;
        for state in Evaluator::new(system).initial() {
            let number = growing.number(state)?;
            growing.graph.initial.insert(number);
        }
        growing.expand(usize::MAX, may_grow)?;
        Ok(growing.graph)
    };
    within(control, || with_growing_pool(Arc::new(first), model.has_fixed_pool(), make, run)).map(|(_, graph)| graph)
}

/// The part of the graph of a system that is at most `distance` steps away from a run of it, at most `limit` states, within the time
/// of `control`.
pub fn state_graph_around(
    system: &Arc<System>,
    story: &Story,
    distance: usize,
    limit: usize,
    control: &RunControl,
) -> Result<StateGraph, CheckError> {
    within(control, || {
        around(system, story, distance, limit).map_err(|none| match none {
            NoAnswer::Error(error) => error,
            NoAnswer::PoolTooSmall => CheckError::Bug("the pool of a run that was found is no guess".to_owned()),
        })
    })
}

fn around(system: &Arc<System>, story: &Story, distance: usize, limit: usize) -> Result<StateGraph, NoAnswer> {
    let mut growing = Growing::new(system, limit)?;
    let begins = Evaluator::new(system).initial().contains(story.initial());
    let mut at = growing.number(Valuation::clone(story.initial()))?;
    growing.graph.initial.extend(begins.then_some(at));
    growing.graph.on_run.insert(at);
    let mut taken: BTreeSet<(usize, usize)> = BTreeSet::new();
    for step in story.in_full(system) {
        let Some(after) = step.events.last().and_then(|event| event.after.as_ref()) else { continue };
        let next = growing.number(Valuation::clone(after))?;
        taken.insert((at, next));
        growing.graph.on_run.insert(next);
        at = next;
    }
    growing.expand(distance, false)?;
    for step in &mut growing.graph.steps {
        step.is_on_run = matches!(step.to, StepEnd::State(to) if taken.contains(&(step.from, to)));
    }
    Ok(growing.graph)
}

/// A graph while it is made.
struct Growing {
    graph: StateGraph,
    index: ControlIndex,
    numbers: HashMap<Valuation, usize>,
    limit: usize,
}

impl Growing {
    fn new(system: &Arc<System>, limit: usize) -> Result<Self, NoAnswer> {
        if let Some(reason) = too_many_ways(system) {
            return Err(NoAnswer::Error(CheckError::Refused(format!("the graph cannot be listed: {reason}"))));
        }
        let graph = StateGraph {
            system: Arc::clone(system),
            states: Vec::new(),
            initial: BTreeSet::new(),
            steps: Vec::new(),
            open: BTreeSet::new(),
            on_run: BTreeSet::new(),
        };
        Ok(Self { graph, index: ControlIndex::new(system), numbers: HashMap::new(), limit })
    }

    /// The number of a state, which is new or known.
    fn number(&mut self, state: Valuation) -> Result<usize, NoAnswer> {
        if let Some(&number) = self.numbers.get(&state) {
            return Ok(number);
        }
        let number = self.graph.states.len();
        if number == self.limit {
            let reason = format!(
                "the graph has more than {} states; use `--states` to allow more, or `--from TRACE` for the part around a trace",
                self.limit
            );
            return Err(NoAnswer::Error(CheckError::Refused(reason)));
        }
        self.numbers.insert(state.clone(), number);
        self.graph.states.push(state);
        Ok(number)
    }

    /// Follows the steps of all states, and of those they lead to, up to a distance.
    fn expand(&mut self, distance: usize, pool_may_grow: bool) -> Result<(), NoAnswer> {
        let system = Arc::clone(&self.graph.system);
        let (mut done, mut away) = (0, 0);
        while done < self.graph.states.len() && away < distance {
            let layer = done..self.graph.states.len();
            done = layer.end;
            for from in layer {
                let found = Evaluator::with_index(&system, &self.index).steps(&self.graph.states[from]);
                for step in found {
                    let to = match step.outcome {
                        Outcome::Fault(Fault::PoolFull(_)) if pool_may_grow => return Err(NoAnswer::PoolTooSmall),
                        Outcome::Fault(fault) => StepEnd::Fault(fault),
                        Outcome::State(state) => StepEnd::State(self.number(state)?),
                    };
                    let path = step.path;
                    self.graph.steps.push(GraphStep { from, to, path, is_on_run: false });
                }
            }
            away += 1;
        }
        let evaluator = Evaluator::with_index(&system, &self.index);
        let goes_on = |number: &usize| !evaluator.firings(&self.graph.states[*number], None).0.is_empty();
        self.graph.open = (done..self.graph.states.len()).filter(goes_on).collect();
        Ok(())
    }
}
