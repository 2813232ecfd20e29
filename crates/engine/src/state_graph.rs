//! Graphs of states: all of a small model, or those around a run, by the reference evaluator.

use crate::{Event, Story};
use lariat_system::reference::{ControlIndex, Evaluator, Firing, Outcome, Valuation};
use lariat_system::{Fault, MAX_POOL_SIZE, System};
use std::collections::{BTreeSet, HashMap};

/// A graph of states. States are numbered in the order in which they are met.
#[derive(Debug, Default)]
pub struct StateGraph {
    /// The states.
    pub states: Vec<Valuation>,
    /// Those in which runs begin.
    pub initial: BTreeSet<usize>,
    /// The steps.
    pub steps: Vec<GraphStep>,
    /// The states that have steps which are not part of the graph.
    pub open: BTreeSet<usize>,
    /// How many steps of the run lead to the first state of `run`.
    pub skipped: usize,
    /// The states that the run goes through from there on: one more than steps, but for a last step that stops in an error.
    pub run: Vec<usize>,
    /// Whether steps were left out because the pool, whose size is a guess, has no room for another process.
    pub is_pool_too_small: bool,
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
    /// Whether it is one of the run.
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

/// A run that a graph of states is made around.
#[derive(Clone, Copy, Debug)]
pub struct GraphRun<'s> {
    /// The run.
    pub story: &'s Story,
    /// The error that it ends in, even if it could go on past it.
    pub ends_in: Option<Fault>,
}

/// How large a graph of states may be.
#[derive(Clone, Copy, Debug)]
pub struct GraphLimits {
    /// The most states.
    pub states: usize,
    /// The most steps, and the most ways that are tried to leave one state.
    pub steps: usize,
    /// Whether the size of the pool is that of the model. If it is a guess, steps that need more room are left out.
    pub has_fixed_pool: bool,
}

/// A graph of states is larger than it may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GraphTooLarge {
    /// It has more states.
    States,
    /// It has more steps.
    Steps,
}

impl StateGraph {
    /// All states of a system, with the run if there is one. The work can be [stopped](lariat_base::stoppable).
    pub fn whole(system: &System, run: Option<GraphRun<'_>>, limits: GraphLimits) -> Result<Self, GraphTooLarge> {
        let mut growing = Growing::new(system, limits);
        for state in Evaluator::new(system).initial() {
            let number = growing.number(state)?;
            growing.graph.initial.insert(number);
        }
        // A run may begin in another state.
        if let Some(run) = run {
            growing.number(Valuation::clone(run.story.initial()))?;
        }
        growing.expand(usize::MAX)?;
        let expanded = growing.graph.states.len();
        if let Some(run) = run {
            growing.follow(run, 0)?;
        }
        Ok(growing.finish(expanded))
    }

    /// The states of a run after so many steps of it, and those at most `distance` steps away from them. The work can be
    /// [stopped](lariat_base::stoppable).
    pub fn around(
        system: &System,
        run: GraphRun<'_>,
        skipped: usize,
        distance: usize,
        limits: GraphLimits,
    ) -> Result<Self, GraphTooLarge> {
        let mut growing = Growing::new(system, limits);
        growing.follow(run, skipped)?;
        let is_first = skipped == 0 && Evaluator::new(system).initial().contains(run.story.initial());
        growing.graph.initial.extend(is_first.then_some(0));
        let expanded = growing.expand(distance)?;
        Ok(growing.finish(expanded))
    }
}

/// A graph while it is made.
struct Growing<'s> {
    system: &'s System,
    graph: StateGraph,
    index: ControlIndex,
    numbers: HashMap<Valuation, usize>,
    limits: GraphLimits,
    /// The steps of the run, each once.
    taken: Vec<GraphStep>,
    /// By their two states, the numbers of these.
    known: HashMap<(usize, usize), Vec<usize>>,
    /// The step that stops in an error: where, the actions, and the errors.
    stopped: Option<(usize, Vec<Firing>, Vec<Fault>)>,
}

impl<'s> Growing<'s> {
    fn new(system: &'s System, limits: GraphLimits) -> Self {
        Self {
            system,
            graph: StateGraph::default(),
            index: ControlIndex::new(system),
            numbers: HashMap::new(),
            limits,
            taken: Vec::new(),
            known: HashMap::new(),
            stopped: None,
        }
    }

    /// The number of a state, which is new or known.
    fn number(&mut self, state: Valuation) -> Result<usize, GraphTooLarge> {
        if let Some(&number) = self.numbers.get(&state) {
            return Ok(number);
        }
        let number = self.graph.states.len();
        if number == self.limits.states {
            return Err(GraphTooLarge::States);
        }
        self.numbers.insert(state.clone(), number);
        self.graph.states.push(state);
        Ok(number)
    }

    /// Goes along the run, from the state after so many steps on.
    fn follow(&mut self, GraphRun { story, ends_in }: GraphRun<'_>, skipped: usize) -> Result<(), GraphTooLarge> {
        self.graph.skipped = skipped;
        let mut at = None;
        if skipped == 0 {
            at = Some(self.number(Valuation::clone(story.initial()))?);
        }
        self.graph.run.extend(at);
        let system = self.system;
        let mut items = story.events(system).peekable();
        let mut path = Vec::new();
        while let Some(item) = items.next() {
            let is_last = items.peek().is_none_or(|next| next.step != item.step);
            if item.step + 1 < skipped {
                continue;
            }
            let after = match &item.event {
                // Nothing happens.
                None => Some(&item.before),
                Some(event) => event.after.as_ref(),
            };
            path.extend(item.event.as_ref().map(|event: &Event| event.firing.clone()));
            if !is_last {
                continue;
            }
            let path = std::mem::take(&mut path);
            let faults = item.event.as_ref().map(|event| event.faults.clone()).unwrap_or_default();
            let is_end = items.peek().is_none() && ends_in.is_some_and(|fault| faults.contains(&fault));
            let Some(after) = after.filter(|_| !is_end) else {
                self.stopped = at.map(|at| (at, path, faults));
                break;
            };
            let to = self.number(Valuation::clone(after))?;
            if let Some(from) = at.filter(|_| !path.is_empty()) {
                self.take(from, to, path);
            }
            at = Some(to);
            self.graph.run.push(to);
        }
        Ok(())
    }

    fn take(&mut self, from: usize, to: usize, path: Vec<Firing>) {
        let same = self.known.entry((from, to)).or_default();
        if !same.iter().any(|&number| self.taken[number].path == path) {
            same.push(self.taken.len());
            self.taken.push(GraphStep { from, to: StepEnd::State(to), path, is_on_run: true });
        }
    }

    /// Follows the steps of all states, and of those they lead to, up to a distance. Returns how many states were left by all
    /// their steps.
    fn expand(&mut self, distance: usize) -> Result<usize, GraphTooLarge> {
        let (mut done, mut away) = (0, 0);
        while done < self.graph.states.len() && away < distance {
            let layer = done..self.graph.states.len();
            done = layer.end;
            for from in layer {
                let evaluator = Evaluator::with_index(self.system, &self.index);
                let found = evaluator.steps_within(&self.graph.states[from], self.limits.steps);
                for step in found.ok_or(GraphTooLarge::Steps)? {
                    let to = match step.outcome {
                        Outcome::Fault(Fault::PoolFull(_)) if self.is_guess() => {
                            self.graph.is_pool_too_small = true;
                            self.graph.open.insert(from);
                            continue;
                        }
                        Outcome::Fault(fault) => StepEnd::Fault(fault),
                        Outcome::State(state) => StepEnd::State(self.number(state)?),
                    };
                    if self.graph.steps.len() == self.limits.steps {
                        return Err(GraphTooLarge::Steps);
                    }
                    self.graph.steps.push(GraphStep { from, to, path: step.path, is_on_run: false });
                }
            }
            away += 1;
        }
        Ok(done)
    }

    fn is_guess(&self) -> bool {
        !self.limits.has_fixed_pool && self.system.pool_size < MAX_POOL_SIZE
    }

    /// Marks the steps of the run, and the states behind the first `expanded` that go on.
    fn finish(mut self, expanded: usize) -> StateGraph {
        let steps = &mut self.graph.steps;
        for taken in self.taken {
            match steps.iter_mut().find(|step| (step.from, step.to, &step.path) == (taken.from, taken.to, &taken.path))
            {
                Some(step) => step.is_on_run = true,
                None => steps.push(taken),
            }
        }
        if let Some((from, path, faults)) = self.stopped {
            let is_it = |step: &&mut GraphStep| {
                let is_its = matches!(step.to, StepEnd::Fault(fault) if faults.contains(&fault));
                step.from == from && is_its && step.path.last() == path.last()
            };
            match (steps.iter_mut().find(is_it), faults.first()) {
                (Some(step), _) => step.is_on_run = true,
                (None, Some(&fault)) => {
                    steps.push(GraphStep { from, to: StepEnd::Fault(fault), path, is_on_run: true });
                }
                (None, None) => {}
            }
        }
        let evaluator = Evaluator::with_index(self.system, &self.index);
        let goes_on = |number: &usize| !evaluator.firings(&self.graph.states[*number], None).0.is_empty();
        let open: Vec<usize> = (expanded..self.graph.states.len()).filter(goes_on).collect();
        self.graph.open.extend(open);
        self.graph
    }
}
