//! The search for accepting cycles on random graphs, against every set of edges tried in turn.

use lariat_automata::{Acceptance, Mark, MarkSet};
use lariat_engine::{Options, RunControl};
use lariat_explicit::{Nested, every_magic, every_scc, kosaraju, layered_scc, magic, nested, scc};
use lariat_space::{Degeneralized, State};
use lariat_store::{FlatStore, Hybrid, NoteWidth, Noted, NotedTree, Store, TailWord};
use lariat_subject::{Cycles, Lasso};
use lariat_testkit::{Rng, ToyGraph, toy_space};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// A graph with marks on its edges.
#[derive(Clone, Debug)]
struct Graph {
    initial: Vec<u64>,
    edges: Vec<(u64, u64, MarkSet)>,
}

impl ToyGraph for Graph {
    fn roots(&self) -> Vec<u64> {
        self.initial.clone()
    }
    fn edges(&self, state: u64) -> impl Iterator<Item = (u64, MarkSet)> {
        self.edges.iter().filter(move |(from, _, _)| *from == state).map(|(_, to, marks)| (*to, marks.clone()))
    }
}

toy_space!(Graph);

const MARKS: u64 = 4;

fn random_graph(random: &mut Rng) -> Graph {
    let states = 1 + random.below_u64(6);
    let marks = |random: &mut Rng| (0..MARKS as u32).filter(|_| random.below_u64(3) == 0).map(Mark).collect();
    let edges = (0..random.below_u64(11))
        .map(|_| (random.below_u64(states), random.below_u64(states), marks(random)))
        .collect();
    let initial = (0..states).filter(|&state| state == 0 || random.below_u64(5) == 0).collect();
    Graph { initial, edges }
}

fn random_acceptance(random: &mut Rng, depth: u32) -> Acceptance {
    let mark = Mark(random.below_u64(MARKS) as u32);
    match random.below_u64(if depth == 0 { 4 } else { 10 }) {
        0 | 1 => Acceptance::Inf(mark),
        2 | 3 => Acceptance::Fin(mark),
        n => {
            let parts = (0..2 + random.below_u64(2)).map(|_| random_acceptance(random, depth - 1)).collect();
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
        let mut random = Rng::new(seed * 0x9e37_79b9);
        let graph = random_graph(&mut random);
        let acceptance = random_acceptance(&mut random, 2);
        let control = RunControl::new(1 << 24, None);
        {
            let store = Noted::new(FlatStore::new(1, &control.budget).unwrap(), &control.budget);
            let cycles = scc(&graph, &acceptance, &store, &control).expect("the pool is no guess");
            assert_eq!(cycles.unfinished, None);
            let expected = has_accepting_cycle(&graph, &acceptance);
            assert_eq!(cycles.lasso.is_some(), expected, "seed {seed}: {acceptance:?} in {graph:?}");
            if let Some(lasso) = &cycles.lasso {
                check_lasso(&graph, &acceptance, lasso);
            }
            with += u32::from(expected);
            without += u32::from(!expected);
            refined += u32::from(cycles.refinements > 0);

            let tree = NotedTree::learning_from(2, 1, &control.budget, NoteWidth::Number).unwrap();
            let same = scc(&graph, &acceptance, &tree, &control).expect("the pool is no guess");
            assert_eq!(same.lasso, cycles.lasso, "seed {seed}: whatever the store");
            assert_eq!((same.transitions, same.refinements), (cycles.transitions, cycles.refinements));
        }
        assert_eq!(control.budget.used_bytes(), 0, "everything is given back");
    }
    assert!(with > 300 && without > 300 && refined > 100, "{with} with, {without} without, {refined} refined");
}

/// The components of the part that can be reached, as sets of states.
fn components(graph: &Graph) -> Vec<Vec<u64>> {
    let from = |state: u64| reachable(&Graph { initial: vec![state], edges: graph.edges.clone() });
    let all = reachable(graph);
    let mut components: Vec<Vec<u64>> = all
        .iter()
        .map(|&state| {
            let mut component: Vec<u64> =
                from(state).into_iter().filter(|&other| from(other).contains(&state)).collect();
            component.sort_unstable();
            component
        })
        .collect();
    components.sort();
    components.dedup();
    components
}

#[test]
fn who_keeps_going_counts_every_accepting_component() {
    let mut most = 0;
    for seed in 1..3000 {
        let mut random = Rng::new(seed * 0x9e37_79b9);
        let graph = random_graph(&mut random);
        let acceptance = random_acceptance(&mut random, 2);
        let is_accepting = |component: &Vec<u64>| {
            let edges = graph.edges.iter().filter(|edge| component.contains(&edge.0) && component.contains(&edge.1));
            has_accepting_cycle(&Graph { initial: component.clone(), edges: edges.cloned().collect() }, &acceptance)
        };
        let expected = components(&graph).into_iter().filter(is_accepting).count() as u64;
        let control = RunControl::new(1 << 24, None);
        {
            let store = NotedTree::learning_from(3, 1, &control.budget, NoteWidth::Number).unwrap();
            let cycles = every_scc(&graph, &acceptance, &store, &control).expect("the pool is no guess");
            assert_eq!((cycles.unfinished, cycles.count), (None, expected), "seed {seed}: {acceptance:?} in {graph:?}");
            assert_eq!(cycles.lasso.is_some(), expected > 0);
            if let Some(lasso) = &cycles.lasso {
                check_lasso(&graph, &acceptance, lasso);
            }
            let seen = reachable(&graph);
            let edges = graph.edges.iter().filter(|(from, _, _)| seen.contains(from)).count();
            assert_eq!(cycles.transitions, edges as u64, "seed {seed}: everything is looked at once");
        }
        assert_eq!(control.budget.used_bytes(), 0, "everything is given back");
        most = most.max(expected);
    }
    assert!(most >= 3, "{most} in one graph");
}

/// A torus of states, `side` by `side`, where rows and columns carry marks.
struct Torus {
    side: u64,
    constraints: u32,
}

impl ToyGraph for Torus {
    /// Row `r` is left with what is asked by constraint `r`; only in the next row is it answered. So each round of
    /// refinement takes a row away.
    fn edges(&self, state: u64) -> impl Iterator<Item = (u64, MarkSet)> {
        let (row, column) = (state / self.side, state % self.side);
        let asked = Mark(2 * (row as u32 % self.constraints));
        let answered = Mark(2 * ((row as u32 + self.constraints - 1) % self.constraints) + 1);
        let there: MarkSet =
            if row == 0 { [asked].into_iter().collect() } else { [asked, answered].into_iter().collect() };
        let right = row * self.side + (column + 1) % self.side;
        let down = (row + 1) % self.side * self.side + column;
        let up = (row + self.side - 1) % self.side * self.side + column;
        [right, down, up].into_iter().map(move |target| (target, there.clone()))
    }
}

toy_space!(Torus);

/// If the last row is asked and never answered, it is to be avoided; then the one before it is not answered, and so on.
#[test]
fn many_rounds_on_many_states_take_no_time() {
    let torus = Torus { side: 200, constraints: 200 };
    let fair =
        |number: u32| Acceptance::Or(vec![Acceptance::Fin(Mark(2 * number)), Acceptance::Inf(Mark(2 * number + 1))]);
    let acceptance = Acceptance::And((0..200).map(fair).collect());
    let control = RunControl::new(1 << 26, None);
    let store = NotedTree::learning_from(1000, 1, &control.budget, NoteWidth::Number).unwrap();
    let begun = Instant::now();
    let cycles = scc(&torus, &acceptance, &store, &control).expect("the pool is no guess");
    assert_eq!((cycles.unfinished, cycles.lasso), (None, None));
    assert_eq!((cycles.transitions, cycles.refinements), (120_000, 200));
    // A hundred times what it takes, on a machine that has other things to do.
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
}

/// The same graph with mark 0 on the edges out of some states and no other marks.
fn with_accepting_states(graph: &mut Graph, random: &mut Rng) {
    let accepting: Vec<u64> = (0..6).filter(|_| random.below_u64(3) == 0).collect();
    for (from, _, marks) in &mut graph.edges {
        *marks = accepting.contains(from).then_some(Mark(0)).into_iter().collect();
    }
}

type NestedSearch = fn(&Graph, &NotedTree<'_>, &RunControl) -> Cycles;

#[test]
fn nested_searches_find_a_cycle_just_if_there_is_one() {
    let searches: [(&str, NestedSearch); 5] = [
        ("cvwy-a", |graph, store, control| nested(Nested::CvwyA, graph, store, control).expect("the pool is no guess")),
        ("cvwy-b", |graph, store, control| nested(Nested::CvwyB, graph, store, control).expect("the pool is no guess")),
        ("ndfs", |graph, store, control| nested(Nested::Ndfs, graph, store, control).expect("the pool is no guess")),
        ("magic", |graph, store, control| magic(graph, store, control).expect("the pool is no guess")),
        ("every magic", |graph, store, control| every_magic(graph, store, control).expect("the pool is no guess")),
    ];
    let mut with = 0;
    for seed in 1..2000 {
        let mut random = Rng::new(seed * 0x9e37_79b9);
        let mut graph = random_graph(&mut random);
        with_accepting_states(&mut graph, &mut random);
        let expected = has_accepting_cycle(&graph, &Acceptance::buchi());
        with += u32::from(expected);
        for (name, search) in searches {
            let control = RunControl::new(1 << 24, None);
            let cycles = {
                let store = NotedTree::learning_from(2, 1, &control.budget, NoteWidth::Byte).unwrap();
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

/// Who goes on past a cycle has searched every state once, and everything that an accepting state reaches once more.
#[test]
fn magic_that_goes_on_searches_everything() {
    let mut cyclic = 0;
    for seed in 1..2000 {
        let mut random = Rng::new(seed * 0x9e37_79b9);
        let mut graph = random_graph(&mut random);
        with_accepting_states(&mut graph, &mut random);
        let seen = reachable(&graph);
        let is_accepting = |state: u64| graph.edges.iter().any(|edge| edge.0 == state && !edge.2.is_empty());
        let accepting: Vec<u64> = seen.iter().copied().filter(|&state| is_accepting(state)).collect();
        let again = reachable(&Graph { initial: accepting, edges: graph.edges.clone() });
        let edges = graph.edges.iter().filter(|(from, _, _)| seen.contains(from)).count() as u64;
        let control = RunControl::new(1 << 24, None);
        let tree = NotedTree::learning_from(2, 1, &control.budget, NoteWidth::Byte).unwrap();
        let cycles = every_magic(&graph, &tree, &control).expect("the pool is no guess");
        assert_eq!(cycles.searched, [seen.len() as u64, again.len() as u64], "seed {seed}: {graph:?}");
        assert_eq!((cycles.unfinished, cycles.transitions), (None, edges), "seed {seed}: {graph:?}");
        assert_eq!(cycles.count > 0, cycles.lasso.is_some());
        cyclic += u32::from(cycles.count > 0);

        let tail = vec![TailWord { place: 0, values: 6 }];
        let hybrid = Hybrid::new(1, tail, 3, &control.budget).unwrap();
        let same = every_magic(&graph, &hybrid, &control).expect("the pool is no guess");
        assert_eq!((same.lasso, same.count, same.searched), (cycles.lasso, cycles.count, cycles.searched));
        assert_eq!(hybrid.packets(), 1, "all of a state is in its tail");
    }
    assert!((300..1700).contains(&cyclic), "{cyclic} with a cycle");
}

#[test]
fn components_by_predecessors_are_the_same() {
    let mut most = 0;
    for seed in 1..3000 {
        let mut random = Rng::new(seed * 0x9e37_79b9);
        let graph = random_graph(&mut random);
        let wanted = (0..random.below_u64(4)).map(|_| Acceptance::Inf(Mark(random.below_u64(MARKS) as u32)));
        let acceptance = Acceptance::And(wanted.collect());
        let control = RunControl::new(1 << 24, None);
        {
            let store = NotedTree::learning_from(3, 1, &control.budget, NoteWidth::Number).unwrap();
            let expected = every_scc(&graph, &acceptance, &store, &control).expect("the pool is no guess");
            let flat = Noted::new(FlatStore::new(1, &control.budget).unwrap(), &control.budget);
            let cycles = kosaraju(&graph, &acceptance, &flat, true, &control).expect("the pool is no guess");
            assert_eq!(cycles.unfinished, None);
            let figures = |cycles: &Cycles| (cycles.count, cycles.transitions, cycles.digest);
            assert_eq!(figures(&cycles), figures(&expected), "seed {seed}: {acceptance:?} in {graph:?}");
            let hybrid = Hybrid::new(1, vec![TailWord { place: 0, values: 6 }], u32::MAX - 1, &control.budget).unwrap();
            let first = kosaraju(&graph, &acceptance, &hybrid, false, &control).expect("the pool is no guess");
            assert_eq!(first.count, expected.count.min(1));
            for lasso in cycles.lasso.iter().chain(&first.lasso) {
                check_lasso(&graph, &acceptance, lasso);
            }
            assert_eq!((cycles.lasso.is_some(), first.lasso.is_some()), (expected.count > 0, expected.count > 0));
            most = most.max(cycles.count);
        }
        assert_eq!(control.budget.used_bytes(), 0, "everything is given back");
    }
    assert!(most >= 3, "{most} in one graph");
}

#[test]
fn copies_accept_what_several_marks_do() {
    let mut with = 0;
    for seed in 1..2000 {
        let mut random = Rng::new(seed * 0x9e37_79b9);
        let graph = random_graph(&mut random);
        let acceptance = Acceptance::generalized_buchi(random.below_u64(MARKS + 1) as u32);
        let copies = Degeneralized::new(&graph, &acceptance).unwrap();
        let expected = has_accepting_cycle(&graph, &acceptance);
        with += u32::from(expected);
        let control = RunControl::new(1 << 24, None);
        let store = Noted::new(FlatStore::new(2, &control.budget).unwrap(), &control.budget);
        let cycles = nested(Nested::Ndfs, &copies, &store, &control).expect("the pool is no guess");
        assert_eq!(cycles.lasso.is_some(), expected, "seed {seed}: {acceptance:?} in {graph:?}");
    }
    assert!((300..1700).contains(&with), "{with} with a cycle");
}

/// Whether the search that looks only where cycles are allowed finds one just if there is one there, by one thread or two.
#[test]
fn cycles_are_found_where_they_are_allowed() {
    let (mut with, mut without, mut elsewhere) = (0, 0, 0);
    for seed in 1..3000 {
        let mut random = Rng::new(seed * 0x9e37_79b9);
        let graph = random_graph(&mut random);
        let acceptance = random_acceptance(&mut random, 2);
        // Whole components, so that every cycle is allowed or not.
        let allowed: Vec<u64> = components(&graph).into_iter().filter(|_| random.below_u64(2) == 0).flatten().collect();
        let edges = graph.edges.iter().filter(|(from, to, _)| allowed.contains(from) && allowed.contains(to)).cloned();
        let inside = Graph { initial: allowed.clone(), edges: edges.collect() };
        let expected = has_accepting_cycle(&inside, &acceptance);
        elsewhere += u32::from(!expected && has_accepting_cycle(&graph, &acceptance));
        for threads in [1, 2] {
            let control = RunControl::new(1 << 24, None);
            {
                let options = Options { threads, ..Options::default() };
                let store = NotedTree::learning_from(2, 1, &control.budget, NoteWidth::Number).unwrap();
                let can_accept = |state: &State| allowed.contains(&state[0]);
                let cycles = layered_scc(&graph, &can_accept, &acceptance, &store, &options, &control)
                    .expect("the pool is no guess");
                assert_eq!(cycles.unfinished, None);
                assert_eq!(cycles.lasso.is_some(), expected, "seed {seed}: {acceptance:?} in {allowed:?} of {graph:?}");
                match &cycles.lasso {
                    // The way there is left to others.
                    Some(lasso) => {
                        let begin = lasso.stem.first().unwrap_or(&lasso.cycle[0])[0];
                        check_lasso(&Graph { initial: vec![begin], edges: inside.edges.clone() }, &acceptance, lasso);
                    }
                    None => {
                        let reachable = reachable(&graph);
                        let edges = graph.edges.iter().filter(|(from, _, _)| reachable.contains(from)).count();
                        assert_eq!((store.len(), cycles.transitions), (reachable.len() as u64, edges as u64));
                    }
                }
            }
            assert_eq!(control.budget.used_bytes(), 0, "everything is given back");
        }
        with += u32::from(expected);
        without += u32::from(!expected);
    }
    assert!(with > 300 && without > 300 && elsewhere > 100, "{with} with, {without} without, {elsewhere} elsewhere");
}

/// A line of states is as deep as it is long, and that is what progress shows.
#[test]
fn every_search_tells_how_deep_it_is() {
    const LENGTH: u64 = 40;
    let edges = (0..LENGTH).map(|state| (state, (state + 1).min(LENGTH - 1), MarkSet::EMPTY)).collect();
    let line = Graph { initial: vec![0], edges };
    let buchi = Acceptance::buchi();
    type CycleSearch<'s> = &'s dyn Fn(&NotedTree<'_>, &RunControl) -> Cycles;
    let searches: [(&str, CycleSearch<'_>); 6] = [
        ("cvwy-a", &|store, control| nested(Nested::CvwyA, &line, store, control).expect("the pool is no guess")),
        ("cvwy-b", &|store, control| nested(Nested::CvwyB, &line, store, control).expect("the pool is no guess")),
        ("ndfs", &|store, control| nested(Nested::Ndfs, &line, store, control).expect("the pool is no guess")),
        ("magic", &|store, control| magic(&line, store, control).expect("the pool is no guess")),
        ("scc", &|store, control| scc(&line, &buchi, store, control).expect("the pool is no guess")),
        ("kosaraju", &|store, control| kosaraju(&line, &buchi, store, false, control).expect("the pool is no guess")),
    ];
    for (name, search) in searches {
        let control = RunControl::new(1 << 24, None);
        let store = NotedTree::learning_from(2, 1, &control.budget, NoteWidth::Number).unwrap();
        assert_eq!(search(&store, &control).lasso, None, "{name}");
        let depth = control.counters.depth.load(Ordering::Relaxed);
        assert!((LENGTH - 1..=LENGTH).contains(&depth), "{name}: {depth}");
    }
}
