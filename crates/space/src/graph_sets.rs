//! Sets of states of a graph that is written out: a bit for each state. The plain model of [`StateSets`], and fast where
//! the graph is small.

use crate::{Enumerated, Faults, Natural, State, StateSets, Steps};
use lariat_system::{Fault, LabelId};
use std::collections::HashMap;
use std::convert::Infallible;

/// A set of states of a graph: bit `n` is state `n`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BitSet {
    words: Box<[u64]>,
}

impl BitSet {
    fn empty(states: usize) -> Self {
        Self { words: vec![0; states.div_ceil(64)].into_boxed_slice() }
    }
    fn insert(&mut self, state: usize) {
        self.words[state / 64] |= 1 << (state % 64);
    }
    /// Whether the state with this number is in the set.
    pub fn contains(&self, state: usize) -> bool {
        self.words[state / 64] >> (state % 64) & 1 == 1
    }
    /// The numbers of the states in the set, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        self.words.iter().enumerate().flat_map(|(place, &word)| {
            std::iter::successors(Some(word), |rest| Some(rest & rest.wrapping_sub(1)))
                .take_while(|rest| *rest != 0)
                .map(move |rest| place * 64 + rest.trailing_zeros() as usize)
        })
    }
    fn of(states: usize, members: impl IntoIterator<Item = usize>) -> Self {
        let mut set = Self::empty(states);
        members.into_iter().for_each(|state| set.insert(state));
        set
    }
    fn with(&self, other: &Self, join: impl Fn(u64, u64) -> u64) -> Self {
        Self { words: self.words.iter().zip(&other.words).map(|(&a, &b)| join(a, b)).collect() }
    }
}

/// The edges of a graph in one direction, one after the other.
#[derive(Debug)]
struct Edges {
    /// For each state where its edges begin; then where the last ones end.
    starts: Vec<usize>,
    /// For each edge the state at its other end, and its number among the steps of the state it leaves.
    ends: Vec<(usize, usize)>,
}

impl Edges {
    fn backwards(graph: &Enumerated) -> Self {
        let mut starts = vec![0; graph.states.len() + 1];
        graph.successors.iter().flatten().for_each(|&target| starts[target + 1] += 1);
        (1..starts.len()).for_each(|state| starts[state] += starts[state - 1]);
        let mut next = starts.clone();
        let mut ends = vec![(0, 0); graph.transitions()];
        for (source, targets) in graph.successors.iter().enumerate() {
            for (step, &target) in targets.iter().enumerate() {
                ends[next[target]] = (source, step);
                next[target] += 1;
            }
        }
        Self { starts, ends }
    }
    fn leading_to(&self, state: usize) -> &[(usize, usize)] {
        &self.ends[self.starts[state]..self.starts[state + 1]]
    }
}

/// The sets of states of a graph. `watch` is asked at safe points whether to go on.
#[derive(Debug)]
pub struct GraphSets<'g, W> {
    graph: &'g Enumerated,
    backwards: Edges,
    numbers: HashMap<&'g State, usize>,
    watch: W,
}

impl<'g> GraphSets<'g, fn() -> Result<(), Infallible>> {
    /// The sets of states of `graph`, computed to the end.
    pub fn new(graph: &'g Enumerated) -> Self {
        Self::watched(graph, || Ok(()))
    }
}

impl<'g, E, W: Fn() -> Result<(), E>> GraphSets<'g, W> {
    /// The sets of states of `graph`; an error of `watch` stops the computation.
    pub fn watched(graph: &'g Enumerated, watch: W) -> Self {
        let numbers = graph.states.iter().enumerate().map(|(number, state)| (state.as_slice(), number)).collect();
        Self { graph, backwards: Edges::backwards(graph), numbers, watch }
    }
    /// The graph.
    pub fn graph(&self) -> &'g Enumerated {
        self.graph
    }
    /// The set of these states, given by number.
    pub fn of(&self, members: impl IntoIterator<Item = usize>) -> BitSet {
        BitSet::of(self.graph.states.len(), members)
    }

    fn is_among(&self, source: usize, step: usize, steps: &Steps) -> bool {
        *steps == Steps::All || steps.contain(|label| self.graph.carried[source][step].contains(label))
    }
}

impl<E, W: Fn() -> Result<(), E>> StateSets for GraphSets<'_, W> {
    type Set = BitSet;
    type Error = E;

    fn empty(&self) -> BitSet {
        BitSet::empty(self.graph.states.len())
    }
    fn initial(&self) -> Result<BitSet, E> {
        Ok(self.of(0..self.graph.initial))
    }
    fn satisfying(&self, label: LabelId) -> Result<BitSet, E> {
        let labels = self.graph.labels.iter().enumerate();
        Ok(self.of(labels.filter(|(_, labels)| labels.contains(label)).map(|(state, _)| state)))
    }
    fn proper_ends(&self) -> Result<BitSet, E> {
        Ok(self.of((0..self.graph.states.len()).filter(|&state| self.graph.proper_ends[state])))
    }
    fn dead_ends(&self, of: &BitSet) -> Result<BitSet, E> {
        Ok(self.of(of.iter().filter(|&state| self.graph.successors[state].is_empty())))
    }
    fn faulty(&self, of: &BitSet, faults: Faults) -> Result<BitSet, E> {
        let is_meant = |fault: &Fault| match faults {
            Faults::Any => true,
            Faults::PoolFull => matches!(fault, Fault::PoolFull(_)),
        };
        Ok(self.of(of.iter().filter(|&state| self.graph.faults[state].iter().any(is_meant))))
    }
    fn union(&self, a: &BitSet, b: &BitSet) -> Result<BitSet, E> {
        Ok(a.with(b, |a, b| a | b))
    }
    fn intersect(&self, a: &BitSet, b: &BitSet) -> Result<BitSet, E> {
        Ok(a.with(b, |a, b| a & b))
    }
    fn minus(&self, a: &BitSet, b: &BitSet) -> Result<BitSet, E> {
        Ok(a.with(b, |a, b| a & !b))
    }
    fn post(&self, set: &BitSet, steps: Steps) -> Result<BitSet, E> {
        let mut targets = self.empty();
        for source in set.iter() {
            for (step, &target) in self.graph.successors[source].iter().enumerate() {
                if self.is_among(source, step, &steps) {
                    targets.insert(target);
                }
            }
        }
        Ok(targets)
    }
    fn pre(&self, set: &BitSet, steps: Steps) -> Result<BitSet, E> {
        let mut sources = self.empty();
        for target in set.iter() {
            for &(source, step) in self.backwards.leading_to(target) {
                if self.is_among(source, step, &steps) {
                    sources.insert(source);
                }
            }
        }
        Ok(sources)
    }
    fn pick(&self, set: &BitSet) -> Result<Option<Vec<u64>>, E> {
        Ok(set.iter().next().map(|state| self.graph.states[state].clone()))
    }
    fn only(&self, state: &State) -> Result<BitSet, E> {
        Ok(self.of(self.numbers.get(state).copied()))
    }
    fn count(&self, set: &BitSet) -> Result<Natural, E> {
        Ok(Natural::from(set.words.iter().map(|word| u64::from(word.count_ones())).sum::<u64>()))
    }
    fn safe_point(&self) -> Result<(), E> {
        (self.watch)()
    }
}
