//! A small state space written out in full: the ground truth for engines.

use crate::{LabelSet, Outcome, Sink, State, StateSpace, Step, Underway};
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

/// A sink that calls one function for each step, and while the way to one is long.
struct Expanding<F>(F);

impl<B, F: FnMut(Result<Step<'_>, Underway>) -> ControlFlow<B>> Sink for Expanding<F> {
    type Break = B;

    fn step(&mut self, step: Step<'_>) -> ControlFlow<B> {
        (self.0)(Ok(step))
    }
    fn underway(&mut self, underway: Underway) -> ControlFlow<B> {
        (self.0)(Err(underway))
    }
}

/// There are more reachable states than the caller is ready to enumerate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooManyStates;

impl Enumerated {
    /// Enumerates at most `limit` states.
    pub fn new<S: StateSpace>(space: &S, limit: usize) -> Result<Self, TooManyStates> {
        Self::watched(space, |graph, _, _| if graph.states.len() > limit { Err(TooManyStates) } else { Ok(()) })
    }

    /// Enumerates all states. `watch` is shown the graph, with roughly the memory it takes, at each initial state and at each step,
    /// and may give up. It is also asked while the way to a step is long, with what [`Sink::underway`] is told.
    pub fn watched<S: StateSpace, E>(
        space: &S,
        watch: impl Fn(&Self, u64, Option<Underway>) -> Result<(), E>,
    ) -> Result<Self, E> {
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
        // Each state is kept twice, with its place in the table, its lists and its labels.
        let state_bytes = 16 * space.words_per_state() as u64 + 6 * size_of::<Vec<u64>>() as u64 + 64;
        let stopped = space.initial(&mut scratch, |state| {
            number(&mut graph.states, state);
            match watch(&graph, graph.states.len() as u64 * state_bytes, None) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => ControlFlow::Break(error),
            }
        });
        if let ControlFlow::Break(error) = stopped {
            return Err(error);
        }
        graph.initial = graph.states.len();
        let step_bytes = (size_of::<usize>() + size_of::<LabelSet>()) as u64;
        let mut steps = 0;
        while graph.successors.len() < graph.states.len() {
            let source = graph.states[graph.successors.len()].clone();
            let (mut successors, mut carried, mut faults) = (Vec::new(), Vec::new(), Vec::new());
            let expanding = Expanding(|found: Result<Step<'_>, Underway>| {
                let mut way = None;
                match found {
                    Err(underway) => way = Some(underway),
                    Ok(step) => {
                        steps += 1;
                        match step.target {
                            Outcome::State(target) => {
                                successors.push(number(&mut graph.states, target));
                                carried.push(step.labels.clone());
                            }
                            Outcome::Fault(fault) => faults.push(fault),
                        }
                    }
                }
                let scratch_bytes = way.map_or(0, |way| way.scratch_bytes);
                let bytes = graph.states.len() as u64 * state_bytes + steps * step_bytes + scratch_bytes;
                match watch(&graph, bytes, way) {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(error) => ControlFlow::Break(error),
                }
            });
            let stopped = space.steps(&source, &mut scratch, expanding);
            if let ControlFlow::Break(error) = stopped {
                return Err(error);
            }
            graph.successors.push(successors);
            graph.carried.push(carried);
            graph.faults.push(faults);
            graph.labels.push(space.labels(&source, &mut scratch));
            graph.proper_ends.push(space.is_proper_end(&source, &mut scratch));
        }
        Ok(graph)
    }

    /// The number of states whose steps are known.
    pub fn expanded(&self) -> usize {
        self.successors.len()
    }
    /// The most steps that a state takes at least.
    pub fn depth(&self) -> usize {
        let mut depths = vec![usize::MAX; self.states.len()];
        depths[..self.initial].fill(0);
        // States are numbered in breadth-first order.
        for state in 0..self.states.len() {
            for &target in &self.successors[state] {
                depths[target] = depths[target].min(depths[state] + 1);
            }
        }
        depths.into_iter().max().unwrap_or(0)
    }
    /// The number of steps.
    pub fn transitions(&self) -> usize {
        self.successors.iter().map(Vec::len).sum()
    }
}
