//! The search for accepting cycles on random graphs, against every set of edges tried in turn.

use lariat_automata::{Acceptance, Mark, MarkSet};
use lariat_engine::RunControl;
use lariat_explicit::{Cycles, Lasso, Nested, magic, nested, scc};
use lariat_space::{Degeneralized, LabelSet, Outcome, State, StateSpace, Step};
use lariat_store::{FlatStore, Noted};
use std::ops::ControlFlow;

/// A graph with marks on its edges.
#[derive(Debug)]
struct Graph {
    initial: Vec<u64>,
    edges: Vec<(u64, u64, MarkSet)>,
}

impl StateSpace for Graph {
    type Scratch = ();
    fn words_per_state(&self) -> usize {
        1
    }
    fn scratch(&self) {}
    fn initial<B>(&self, (): &mut (), mut sink: impl FnMut(&State) -> ControlFlow<B>) -> ControlFlow<B> {
        self.initial.iter().try_for_each(|&state| sink(&[state]))
    }
    fn steps<B>(
        &self,
        source: &State,
        (): &mut (),
        mut sink: impl FnMut(Step<'_>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.edges.iter().filter(|(from, _, _)| *from == source[0]).try_for_each(|(_, to, marks)| {
            sink(Step { target: Outcome::State(&[*to]), labels: &LabelSet::EMPTY, marks, via: &[] })
        })
    }
    fn labels(&self, _: &State, (): &mut ()) -> LabelSet {
        LabelSet::EMPTY
    }
    fn is_proper_end(&self, _: &State, (): &mut ()) -> bool {
        true
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

const MARKS: u64 = 4;

fn random_graph(random: &mut Random) -> Graph {
    let states = 1 + random.below(6);
    let marks = |random: &mut Random| (0..MARKS as u32).filter(|_| random.below(3) == 0).map(Mark).collect();
    let edges = (0..random.below(11)).map(|_| (random.below(states), random.below(states), marks(random))).collect();
    let initial = (0..states).filter(|&state| state == 0 || random.below(5) == 0).collect();
    Graph { initial, edges }
}

fn random_acceptance(random: &mut Random, depth: u32) -> Acceptance {
    let mark = Mark(random.below(MARKS) as u32);
    match random.below(if depth == 0 { 4 } else { 10 }) {
        0 | 1 => Acceptance::Inf(mark),
        2 | 3 => Acceptance::Fin(mark),
        n => {
            let parts = (0..2 + random.below(2)).map(|_| random_acceptance(random, depth - 1)).collect();
            if n < 7 { Acceptance::And(parts) } else { Acceptance::Or(parts) }
        }
    }
}

fn reachable(graph: &Graph) -> Vec<u64> {
    let mut found = graph.initial.clone();
    let mut next = 0;
    while next < found.len() {
        for (from, to, _) in &graph.edges {
            if *from == found[next] && !found.contains(to) {
                found.push(*to);
            }
        }
        next += 1;
    }
    found
}

/// Whether some set of reachable edges is what a cycle takes, and accepted.
fn has_accepting_cycle(graph: &Graph, acceptance: &Acceptance) -> bool {
    let reachable = reachable(graph);
    let edges: Vec<_> = graph.edges.iter().filter(|(from, _, _)| reachable.contains(from)).collect();
    (1_u32..1 << edges.len()).any(|set| {
        let chosen: Vec<_> = (0..edges.len()).filter(|bit| set >> bit & 1 == 1).map(|bit| edges[bit]).collect();
        let mut marks = MarkSet::EMPTY;
        chosen.iter().for_each(|(_, _, own)| marks.union_with(own));
        acceptance.accepts(&marks) && is_cycle(&chosen)
    })
}

/// Whether a cycle can take all of these edges: from each one there is a way to each other.
fn is_cycle(edges: &[&(u64, u64, MarkSet)]) -> bool {
    edges.iter().all(|(_, from, _)| {
        let mut found = vec![*from];
        let mut next = 0;
        while next < found.len() {
            for (source, to, _) in edges {
                if *source == found[next] && !found.contains(to) {
                    found.push(*to);
                }
            }
            next += 1;
        }
        edges.iter().all(|(source, _, _)| found.contains(source))
    })
}

fn check_lasso(graph: &Graph, acceptance: &Acceptance, lasso: &Lasso) {
    let states: Vec<u64> = lasso.stem.iter().chain(&lasso.cycle).map(|state| state[0]).collect();
    assert!(graph.initial.contains(&states[0]));
    let edge = |from: u64, to: u64| graph.edges.iter().any(|edge| (edge.0, edge.1) == (from, to));
    assert!(states.windows(2).all(|pair| edge(pair[0], pair[1])));
    let cycle: Vec<u64> = lasso.cycle.iter().map(|state| state[0]).collect();
    assert_eq!(cycle.len(), lasso.marks.len());
    let mut seen = MarkSet::EMPTY;
    for (number, marks) in lasso.marks.iter().enumerate() {
        let target = cycle[(number + 1) % cycle.len()];
        assert!(graph.edges.contains(&(cycle[number], target, marks.clone())), "each step is an edge with these marks");
        seen.union_with(marks);
    }
    assert!(acceptance.accepts(&seen), "the loop is accepting");
}

#[test]
fn a_cycle_is_found_just_if_there_is_one() {
    let (mut with, mut without, mut refined) = (0, 0, 0);
    for seed in 1..3000 {
        let mut random = Random(seed * 0x9e37_79b9);
        let graph = random_graph(&mut random);
        let acceptance = random_acceptance(&mut random, 2);
        let control = RunControl::new(1 << 24, None);
        {
            let store = Noted::new(FlatStore::new(1, &control.budget).unwrap(), &control.budget);
            let cycles = scc(&graph, &acceptance, &store, &control);
            assert_eq!(cycles.unfinished, None);
            let expected = has_accepting_cycle(&graph, &acceptance);
            assert_eq!(cycles.lasso.is_some(), expected, "seed {seed}: {acceptance:?} in {graph:?}");
            if let Some(lasso) = &cycles.lasso {
                check_lasso(&graph, &acceptance, lasso);
            }
            with += u32::from(expected);
            without += u32::from(!expected);
            refined += u32::from(cycles.refinements > 0);
        }
        assert_eq!(control.budget.used_bytes(), 0, "everything is given back");
    }
    assert!(with > 300 && without > 300 && refined > 100, "{with} with, {without} without, {refined} refined");
}

/// The same graph with mark 0 on the edges out of some states and no other marks.
fn with_accepting_states(graph: &mut Graph, random: &mut Random) {
    let accepting: Vec<u64> = (0..6).filter(|_| random.below(3) == 0).collect();
    for (from, _, marks) in &mut graph.edges {
        *marks = accepting.contains(from).then_some(Mark(0)).into_iter().collect();
    }
}

type NestedSearch = fn(&Graph, &Noted<'_, FlatStore<'_>>, &RunControl) -> Cycles;

#[test]
fn nested_searches_find_a_cycle_just_if_there_is_one() {
    let searches: [(&str, NestedSearch); 4] = [
        ("cvwy-a", |graph, store, control| nested(Nested::CvwyA, graph, store, control)),
        ("cvwy-b", |graph, store, control| nested(Nested::CvwyB, graph, store, control)),
        ("ndfs", |graph, store, control| nested(Nested::Ndfs, graph, store, control)),
        ("magic", |graph, store, control| magic(graph, store, control)),
    ];
    let mut with = 0;
    for seed in 1..2000 {
        let mut random = Random(seed * 0x9e37_79b9);
        let mut graph = random_graph(&mut random);
        with_accepting_states(&mut graph, &mut random);
        let expected = has_accepting_cycle(&graph, &Acceptance::buchi());
        with += u32::from(expected);
        for (name, search) in searches {
            let control = RunControl::new(1 << 24, None);
            let cycles = {
                let store = Noted::new(FlatStore::new(1, &control.budget).unwrap(), &control.budget);
                search(&graph, &store, &control)
            };
            assert_eq!(cycles.lasso.is_some(), expected, "{name}, seed {seed}: {graph:?}");
            if let Some(lasso) = &cycles.lasso {
                check_lasso(&graph, &Acceptance::buchi(), lasso);
            } else {
                let reachable = reachable(&graph);
                let edges = graph.edges.iter().filter(|(from, _, _)| reachable.contains(from)).count();
                assert_eq!(cycles.transitions, edges as u64, "{name}, seed {seed}");
            }
            assert_eq!(control.budget.used_bytes(), 0, "everything is given back");
        }
    }
    assert!((300..1700).contains(&with), "{with} with a cycle");
}

#[test]
fn copies_accept_what_several_marks_do() {
    let mut with = 0;
    for seed in 1..2000 {
        let mut random = Random(seed * 0x9e37_79b9);
        let graph = random_graph(&mut random);
        let acceptance = Acceptance::generalized_buchi(random.below(MARKS + 1) as u32);
        let copies = Degeneralized::new(&graph, &acceptance).unwrap();
        let expected = has_accepting_cycle(&graph, &acceptance);
        with += u32::from(expected);
        let control = RunControl::new(1 << 24, None);
        let store = Noted::new(FlatStore::new(2, &control.budget).unwrap(), &control.budget);
        let cycles = nested(Nested::Ndfs, &copies, &store, &control);
        assert_eq!(cycles.lasso.is_some(), expected, "seed {seed}: {acceptance:?} in {graph:?}");
    }
    assert!((300..1700).contains(&with), "{with} with a cycle");
}
