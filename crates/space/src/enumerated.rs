//! A small state space written out in full: the plain model of [`StateSets`], and the ground truth for engines.

use crate::{LabelSet, Outcome, State, StateSets, StateSpace};
use lariat_automata::Mark;
use lariat_system::LabelId;
use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;

/// The reachable part of a state space, as a graph.
#[derive(Clone, Debug)]
pub struct Enumerated {
    /// Every reachable state, in breadth-first order.
    pub states: Vec<Vec<u64>>,
    /// How many of them, from the beginning of the list, are initial.
    pub initial: usize,
    /// For each state its successors, one entry for each step.
    pub successors: Vec<Vec<usize>>,
    /// For each state its labels.
    pub labels: Vec<LabelSet>,
}

/// There are more reachable states than the caller is ready to enumerate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooManyStates;

impl Enumerated {
    /// Enumerates at most `limit` states.
    pub fn new<S: StateSpace>(space: &S, limit: usize) -> Result<Self, TooManyStates> {
        let mut scratch = space.scratch();
        let mut graph = Self { states: Vec::new(), initial: 0, successors: Vec::new(), labels: Vec::new() };
        let mut numbers: HashMap<Vec<u64>, usize> = HashMap::new();
        let mut number = |graph: &mut Self, state: &State| {
            *numbers.entry(state.to_vec()).or_insert_with(|| {
                graph.states.push(state.to_vec());
                graph.states.len() - 1
            })
        };
        let _ = space.initial(&mut scratch, |state| {
            number(&mut graph, state);
            ControlFlow::<()>::Continue(())
        });
        graph.initial = graph.states.len();
        while graph.successors.len() < graph.states.len() {
            let source = graph.states[graph.successors.len()].clone();
            let mut successors = Vec::new();
            let stopped = space.steps(&source, &mut scratch, |step| {
                if let Outcome::State(target) = step.target {
                    successors.push(number(&mut graph, target));
                }
                if graph.states.len() > limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            if stopped.is_break() {
                return Err(TooManyStates);
            }
            graph.successors.push(successors);
            graph.labels.push(space.labels(&source, &mut scratch));
        }
        Ok(graph)
    }

    /// The number of steps.
    pub fn transitions(&self) -> usize {
        self.successors.iter().map(Vec::len).sum()
    }
}

impl StateSets for Enumerated {
    type Set = BTreeSet<usize>;

    fn empty(&self) -> Self::Set {
        BTreeSet::new()
    }
    fn initial(&self) -> Self::Set {
        (0..self.initial).collect()
    }
    fn satisfying(&self, label: LabelId) -> Self::Set {
        (0..self.states.len()).filter(|&state| self.labels[state].contains(Mark(label.0))).collect()
    }
    fn union(&self, a: &Self::Set, b: &Self::Set) -> Self::Set {
        a | b
    }
    fn intersect(&self, a: &Self::Set, b: &Self::Set) -> Self::Set {
        a & b
    }
    fn minus(&self, a: &Self::Set, b: &Self::Set) -> Self::Set {
        a - b
    }
    fn post(&self, set: &Self::Set) -> Self::Set {
        set.iter().flat_map(|&state| &self.successors[state]).copied().collect()
    }
    fn pre(&self, set: &Self::Set) -> Self::Set {
        let leads_in = |state: &usize| self.successors[*state].iter().any(|target| set.contains(target));
        (0..self.states.len()).filter(leads_in).collect()
    }
    fn pick(&self, set: &Self::Set) -> Option<Vec<u64>> {
        set.first().map(|&state| self.states[state].clone())
    }
}
