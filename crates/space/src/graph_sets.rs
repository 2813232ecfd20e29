//! Sets of states of a graph that is written out: a bit for each state. The plain model of [`StateSets`], and fast where
//! the graph is small.

use crate::{DirectWay, Enumerated, Faults, Natural, State, StateSets, Steps};
use lariat_system::{Fault, LabelId};
use std::cell::Cell;
use std::collections::HashMap;
use std::convert::Infallible;
use std::rc::Rc;

/// A set of states of a graph: bit `n` is state `n`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BitSet {
    words: Box<[u64]>,
    counted: Counted,
}

/// How many sets there are at the moment: each has one of these, and all share the number.
struct Counted(Rc<Cell<usize>>);

impl Clone for Counted {
    fn clone(&self) -> Self {
        self.0.set(self.0.get() + 1);
        Self(Rc::clone(&self.0))
    }
}
impl Drop for Counted {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}
/// It is no part of what a set is.
impl PartialEq for Counted {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
impl Eq for Counted {}
impl std::fmt::Debug for Counted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("counted")
    }
}

impl BitSet {
    fn empty(states: usize, counted: Counted) -> Self {
        Self { words: vec![0; states.div_ceil(64)].into_boxed_slice(), counted }
    }
    fn insert(&mut self, state: usize) {
        self.words[state / 64] |= 1 << (state % 64);
    }
    fn remove(&mut self, state: usize) {
        self.words[state / 64] &= !(1 << (state % 64));
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
    fn of(states: usize, counted: Counted, members: impl IntoIterator<Item = usize>) -> Self {
        let mut set = Self::empty(states, counted);
        members.into_iter().for_each(|state| set.insert(state));
        set
    }
    fn with(&self, other: &Self, join: impl Fn(u64, u64) -> u64) -> Self {
        let words = self.words.iter().zip(&other.words).map(|(&a, &b)| join(a, b)).collect();
        Self { words, counted: self.counted.clone() }
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

/// What a state takes beside its edges: where these begin, its number by its value, and what a search for a way or for what lasts
/// needs.
const STATE_BYTES: usize = 80;

/// The sets of states of a graph. `watch` is asked at safe points whether to go on, and told how many bytes all sets take.
#[derive(Debug)]
pub struct GraphSets<'g, W> {
    graph: &'g Enumerated,
    backwards: Edges,
    numbers: HashMap<&'g State, usize>,
    watch: W,
    /// Stands for one set more than there are.
    counted: Counted,
}

impl<'g> GraphSets<'g, fn(u64) -> Result<(), Infallible>> {
    /// The sets of states of `graph`, computed to the end.
    pub fn new(graph: &'g Enumerated) -> Self {
        Self::watched(graph, |_| Ok(()))
    }
}

/// What [`GraphSets`] of the graph take before there is a set.
pub fn graph_sets_bytes(graph: &Enumerated) -> u64 {
    (graph.states.len() * STATE_BYTES + graph.transitions() * size_of::<(usize, usize)>()) as u64
}

impl<'g, E, W: Fn(u64) -> Result<(), E>> GraphSets<'g, W> {
    /// The sets of states of `graph`; an error of `watch` stops the computation.
    pub fn watched(graph: &'g Enumerated, watch: W) -> Self {
        let numbers = graph.states.iter().enumerate().map(|(number, state)| (state.as_slice(), number)).collect();
        let counted = Counted(Rc::new(Cell::new(1)));
        Self { graph, backwards: Edges::backwards(graph), numbers, watch, counted }
    }
    /// The graph.
    pub fn graph(&self) -> &'g Enumerated {
        self.graph
    }
    /// The set of these states, given by number.
    pub fn of(&self, members: impl IntoIterator<Item = usize>) -> BitSet {
        BitSet::of(self.graph.states.len(), self.counted.clone(), members)
    }
    /// How many bytes all sets take that there are.
    pub fn set_bytes(&self) -> u64 {
        ((self.counted.0.get() - 1) * self.graph.states.len().div_ceil(64) * size_of::<u64>()) as u64
    }

    fn is_among(&self, source: usize, step: usize, steps: &Steps) -> bool {
        *steps == Steps::All || steps.contain(|label| self.graph.carried[source][step].contains(label))
    }
}

impl<E, W: Fn(u64) -> Result<(), E>> StateSets for GraphSets<'_, W> {
    type Set = BitSet;
    type Error = E;

    fn empty(&self) -> BitSet {
        BitSet::empty(self.graph.states.len(), self.counted.clone())
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
    fn contains(&self, set: &BitSet, state: &State) -> Result<bool, E> {
        Ok(self.numbers.get(state).is_some_and(|&number| set.contains(number)))
    }
    fn count(&self, set: &BitSet) -> Result<Natural, E> {
        Ok(Natural::from(set.words.iter().map(|word| u64::from(word.count_ones())).sum::<u64>()))
    }
    // To the end, each edge once: ring by ring a long chain would take the square of its length.
    fn grown(&self, set: &BitSet) -> Result<BitSet, E> {
        let mut grown = set.clone();
        let mut waiting: Vec<usize> = set.iter().collect();
        while let Some(state) = waiting.pop() {
            for &target in &self.graph.successors[state] {
                if !grown.contains(target) {
                    grown.insert(target);
                    waiting.push(target);
                }
            }
        }
        Ok(grown)
    }
    fn grown_back(&self, set: &BitSet, within: &BitSet) -> Result<BitSet, E> {
        let mut grown = set.clone();
        let mut waiting: Vec<usize> = set.iter().collect();
        while let Some(state) = waiting.pop() {
            for &(source, _) in self.backwards.leading_to(state) {
                if within.contains(source) && !grown.contains(source) {
                    grown.insert(source);
                    waiting.push(source);
                }
            }
        }
        Ok(grown)
    }
    fn lasting(&self, set: &BitSet, stuttering: &BitSet) -> Result<Option<BitSet>, E> {
        self.safe_point()?;
        let mut left = set.clone();
        let inside = |left: &BitSet, state: usize| {
            self.graph.successors[state].iter().filter(|&&target| left.contains(target)).count()
        };
        let mut steps = vec![0_usize; self.graph.states.len()];
        let mut waiting = Vec::new();
        for state in set.iter() {
            steps[state] = inside(set, state) + usize::from(stuttering.contains(state));
            if steps[state] == 0 {
                left.remove(state);
                waiting.push(state);
            }
        }
        while let Some(state) = waiting.pop() {
            for &(source, _) in self.backwards.leading_to(state) {
                if left.contains(source) {
                    steps[source] -= 1;
                    if steps[source] == 0 {
                        left.remove(source);
                        waiting.push(source);
                    }
                }
            }
        }
        Ok(Some(left))
    }
    fn direct_way(&self, from: &BitSet, within: &BitSet, goal: &BitSet) -> Result<DirectWay, E> {
        self.safe_point()?;
        let mut seen = from.clone();
        let mut found: Vec<(usize, usize)> = from.iter().map(|state| (state, usize::MAX)).collect();
        let mut next = 0;
        while next < found.len() {
            let (state, _) = found[next];
            if goal.contains(state) {
                let mut way = Vec::new();
                let mut place = next;
                while let Some(&(state, before)) = found.get(place) {
                    way.push(self.graph.states[state].clone());
                    place = before;
                }
                way.reverse();
                return Ok(DirectWay::Found(way));
            }
            if within.contains(state) {
                for &target in &self.graph.successors[state] {
                    if !seen.contains(target) {
                        seen.insert(target);
                        found.push((target, next));
                    }
                }
            }
            next += 1;
        }
        Ok(DirectWay::None)
    }
    fn safe_point(&self) -> Result<(), E> {
        (self.watch)(self.set_bytes())
    }
}
