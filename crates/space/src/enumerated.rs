//! A small state space written out in full: the ground truth for engines.

use crate::{LabelSet, Outcome, State, StateSpace};
use lariat_system::Fault;
use std::collections::HashMap;
use std::ops::ControlFlow;

/// The reachable part of a state space, as a graph.
#[derive(Clone, Debug, Default)]
pub struct Enumerated {
    /// Every reachable state, in breadth-first order.
    pub states: Vec<Vec<u64>>,
    /// How many of them, from the beginning of the list, are initial.
    pub initial: usize,
    /// For each state its successors, one entry for each step.
    pub successors: Vec<Vec<usize>>,
    /// For each state the labels of its steps, in the order of `successors`.
    pub carried: Vec<Vec<LabelSet>>,
    /// For each state its labels.
    pub labels: Vec<LabelSet>,
    /// For each state the run-time errors met in it or on the way from it, in the order of its steps.
    pub faults: Vec<Vec<Fault>>,
    /// For each state whether a run may properly end there.
    pub proper_ends: Vec<bool>,
}

/// There are more reachable states than the caller is ready to enumerate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooManyStates;

impl Enumerated {
    /// Enumerates at most `limit` states.
    pub fn new<S: StateSpace>(space: &S, limit: usize) -> Result<Self, TooManyStates> {
        let mut scratch = space.scratch();
        let mut graph = Self::default();
        let mut numbers: HashMap<Vec<u64>, usize> = HashMap::new();
        let mut number = |states: &mut Vec<Vec<u64>>, state: &State| {
            if let Some(&known) = numbers.get(state) {
                return known;
            }
            states.push(state.to_vec());
            numbers.insert(state.to_vec(), states.len() - 1);
            states.len() - 1
        };
        let _ = space.initial(&mut scratch, |state| {
            number(&mut graph.states, state);
            ControlFlow::<()>::Continue(())
        });
        graph.initial = graph.states.len();
        while graph.successors.len() < graph.states.len() {
            let source = graph.states[graph.successors.len()].clone();
            let (mut successors, mut carried, mut faults) = (Vec::new(), Vec::new(), Vec::new());
            let stopped = space.steps(&source, &mut scratch, |step| {
                match step.target {
                    Outcome::State(target) => {
                        successors.push(number(&mut graph.states, target));
                        carried.push(step.labels.clone());
                    }
                    Outcome::Fault(fault) => faults.push(fault),
                }
                if graph.states.len() > limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            if stopped.is_break() {
                return Err(TooManyStates);
            }
            graph.successors.push(successors);
            graph.carried.push(carried);
            graph.faults.push(faults);
            graph.labels.push(space.labels(&source, &mut scratch));
            graph.proper_ends.push(space.is_proper_end(&source, &mut scratch));
        }
        Ok(graph)
    }

    /// The number of steps.
    pub fn transitions(&self) -> usize {
        self.successors.iter().map(Vec::len).sum()
    }
}
