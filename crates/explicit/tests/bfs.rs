//! The breadth-first kernel on random graphs, against a graph written out in full.

use lariat_automata::MarkSet;
use lariat_engine::{FailureKind, Options, Property, Report, RunControl, Shortfall, Verdict};
use lariat_explicit::search;
use lariat_space::{Enumerated, LabelSet, Move, Outcome, State, StateSpace, Step};
use lariat_store::{FlatStore, hash_state};
use lariat_system::{ActionId, Fault};
use std::ops::ControlFlow;

/// A graph with faults: step `n` of state `s` is action `1000 s + n`.
struct Graph {
    initial: Vec<u64>,
    steps: Vec<Vec<Target>>,
    proper: Vec<bool>,
}

#[derive(Clone, Copy, PartialEq)]
enum Target {
    State(u64),
    Fault(u32),
}

impl StateSpace for Graph {
    type Scratch = ();
    fn words_per_state(&self) -> usize {
        2
    }
    fn scratch(&self) {}
    fn initial<B>(&self, (): &mut (), mut sink: impl FnMut(&State) -> ControlFlow<B>) -> ControlFlow<B> {
        self.initial.iter().try_for_each(|&state| sink(&[state, !state]))
    }
    fn steps<B>(
        &self,
        source: &State,
        (): &mut (),
        mut sink: impl FnMut(Step<'_>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.steps[source[0] as usize].iter().enumerate().try_for_each(|(number, &target)| {
            let via = [Move { action: ActionId(1000 * source[0] as u32 + number as u32), actor: None, peer: None }];
            let marks = &MarkSet::EMPTY;
            match target {
                Target::State(state) => sink(Step { target: Outcome::State(&[state, !state]), marks, via: &via }),
                Target::Fault(fault) => {
                    let fault = Fault::Trap(ActionId(fault), 0);
                    sink(Step { target: Outcome::Fault(fault), marks, via: &via })
                }
            }
        })
    }
    fn labels(&self, _: &State, (): &mut ()) -> LabelSet {
        LabelSet::EMPTY
    }
    fn is_proper_end(&self, state: &State, (): &mut ()) -> bool {
        self.proper[state[0] as usize]
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

fn random_graph(seed: u64, faulty: bool) -> Graph {
    let mut random = Random(seed * 0x9e37_79b9 + 1);
    let size = 1 + random.below(400);
    let degree = 1 + random.below(4);
    let steps = (0..size)
        .map(|_| {
            (0..random.below(degree + 2))
                .map(|_| {
                    if faulty && random.below(40) == 0 {
                        Target::Fault(random.below(3) as u32)
                    } else {
                        Target::State(random.below(size))
                    }
                })
                .collect()
        })
        .collect();
    let mut initial: Vec<u64> = (0..random.below(4)).map(|_| random.below(size)).collect();
    initial.sort_unstable();
    initial.dedup();
    Graph { initial, steps, proper: (0..size).map(|_| !faulty || random.below(2) == 0).collect() }
}

fn run(graph: &Graph, options: &Options, memory_bytes: u64) -> Report {
    let control = RunControl::new(memory_bytes, None);
    let report = match FlatStore::new(2, &control.budget) {
        Ok(store) => search(graph, &store, &Property::Safety { invalid_ends: true }, options, &control),
        Err(full) => Report::at_once(full.into()),
    };
    assert_eq!(control.budget.used_bytes(), 0, "everything is given back");
    assert!(control.budget.peak_bytes() <= memory_bytes);
    report
}

/// Every failure with its state's depth: (kind, steps of its run).
fn failures_of(graph: &Graph, whole: &Enumerated) -> Vec<(FailureKind, usize)> {
    let mut depths: Vec<usize> =
        (0..whole.states.len()).map(|n| if n < whole.initial { 0 } else { usize::MAX }).collect();
    for state in 0..whole.states.len() {
        for &next in &whole.successors[state] {
            depths[next] = depths[next].min(depths[state] + 1);
        }
    }
    let mut failures = Vec::new();
    for (state, &depth) in whole.states.iter().zip(&depths) {
        let steps = &graph.steps[state[0] as usize];
        for step in steps {
            if let Target::Fault(fault) = step {
                failures.push((FailureKind::Fault(Fault::Trap(ActionId(*fault), 0)), depth + 1));
            }
        }
        if steps.is_empty() && !graph.proper[state[0] as usize] {
            failures.push((FailureKind::InvalidEnd, depth));
        }
    }
    failures
}

fn check_trace(graph: &Graph, evidence: &lariat_engine::Evidence) {
    assert!(graph.initial.contains(&evidence.trace.initial[0]));
    let mut at = evidence.trace.initial[0];
    for step in &evidence.trace.steps {
        let action = step.via[0].action.0;
        assert_eq!(u64::from(action / 1000), at);
        match (graph.steps[at as usize][action as usize % 1000], &step.target) {
            (Target::State(next), Some(target)) => {
                assert_eq!(next, target[0]);
                at = next;
            }
            (Target::Fault(fault), None) => {
                assert_eq!(evidence.kind, FailureKind::Fault(Fault::Trap(ActionId(fault), 0)));
            }
            _ => panic!("the step leads elsewhere"),
        }
    }
}

#[test]
fn counts_and_digest_are_those_of_the_whole_graph() {
    for seed in 1..200 {
        let graph = random_graph(seed, false);
        let whole = Enumerated::new(&graph, 1000).unwrap();
        let report = run(&graph, &Options::default(), 1 << 22);
        assert_eq!(report.verdict, Verdict::Holds);
        assert_eq!(report.stats.states, whole.states.len() as u64);
        assert_eq!(report.stats.transitions, whole.transitions() as u64);
        let digest = whole.states.iter().fold(0_u64, |sum, state| sum.wrapping_add(hash_state(state)));
        assert_eq!(report.stats.digest, Some(digest));
    }
}

#[test]
fn keeps_the_first_of_each_kind_and_counts_all() {
    for seed in 1..200 {
        let graph = random_graph(seed, true);
        let whole = Enumerated::new(&graph, 1000).unwrap();
        let expected = failures_of(&graph, &whole);
        let report = run(&graph, &Options { keep_going: true, ..Options::default() }, 1 << 22);
        assert_eq!(report.failure_count, expected.len() as u64);
        assert_eq!(report.stats.states, whole.states.len() as u64);
        assert_eq!(report.stats.transitions, whole.transitions() as u64);
        assert!(report.stats.digest.is_some());
        let mut kinds: Vec<FailureKind> = expected.iter().map(|&(kind, _)| kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        assert_eq!(report.failures.len(), kinds.len());
        for evidence in &report.failures {
            let of_kind = expected.iter().filter(|(kind, _)| *kind == evidence.kind);
            assert_eq!(Some(evidence.trace.steps.len()), of_kind.map(|&(_, steps)| steps).min(), "a shortest one");
            check_trace(&graph, evidence);
        }
        assert_eq!(matches!(report.verdict, Verdict::Holds), expected.is_empty());
    }
}

#[test]
fn the_first_failure_is_as_shallow_as_can_be() {
    for seed in 1..200 {
        let graph = random_graph(seed, true);
        let whole = Enumerated::new(&graph, 1000).unwrap();
        // A fault is met when its source is expanded, an invalid end when it is looked at: both at the source's depth.
        let depth = |&(kind, steps): &(FailureKind, usize)| steps - usize::from(kind != FailureKind::InvalidEnd);
        let shallowest = failures_of(&graph, &whole).iter().map(depth).min();
        match run(&graph, &Options::default(), 1 << 22).verdict {
            Verdict::Fails(evidence) => {
                assert_eq!(Some(depth(&(evidence.kind, evidence.trace.steps.len()))), shallowest);
                check_trace(&graph, &evidence);
            }
            verdict => assert!(verdict == Verdict::Holds && shallowest.is_none()),
        }
        let shortest = failures_of(&graph, &whole).iter().map(|&(_, steps)| steps).min();
        match run(&graph, &Options::default(), 1 << 22).verdict {
            Verdict::Fails(evidence) => {
                assert_eq!(Some(evidence.trace.steps.len()), shortest);
                check_trace(&graph, &evidence);
            }
            verdict => assert!(verdict == Verdict::Holds && shortest.is_none()),
        }
    }
}

#[test]
fn a_depth_bound_that_is_met_leaves_it_undecided() {
    for seed in 1..100 {
        let graph = random_graph(seed, true);
        let whole = Enumerated::new(&graph, 1000).unwrap();
        let expected = failures_of(&graph, &whole);
        for limit in [0, 1, 2, 3, 5, 1000] {
            let report = run(&graph, &Options { depth_limit: Some(limit), ..Options::default() }, 1 << 22);
            let within = expected.iter().any(|&(_, steps)| steps as u64 <= limit);
            match report.verdict {
                Verdict::Fails(evidence) => {
                    assert!(within);
                    check_trace(&graph, &evidence);
                }
                Verdict::Holds => assert!(expected.is_empty() && report.stats.states == whole.states.len() as u64),
                Verdict::Undecided(shortfall) => {
                    assert!(!within, "seed {seed}, limit {limit}");
                    assert_eq!(shortfall, Shortfall::Depth { limit });
                }
            }
            assert!(report.stats.depth <= limit);
        }
    }
}

#[test]
fn too_little_memory_is_a_verdict() {
    let size = 50_000;
    let chain = |n: u64| vec![Target::State((n + 1) % size), Target::State((n * 7) % size)];
    let graph = Graph { initial: vec![0], steps: (0..size).map(chain).collect(), proper: vec![true; size as usize] };
    assert_eq!(run(&graph, &Options::default(), 1 << 24).verdict, Verdict::Holds);
    let mut states_before = 0;
    for memory_bytes in [0, 100, 600, 5_000, 50_000, 100_000, 200_000, 500_000, 1_000_000] {
        let report = run(&graph, &Options::default(), memory_bytes);
        assert_eq!(report.verdict, Verdict::Undecided(Shortfall::Memory { limit_bytes: memory_bytes }));
        assert_eq!(report.stats.digest, None);
        assert!(report.stats.states >= states_before);
        states_before = report.stats.states;
    }
}

#[test]
fn who_is_cancelled_or_out_of_time_says_so_with_figures() {
    let size = 50_000;
    let graph = Graph {
        initial: vec![0],
        steps: (0..size).map(|n| vec![Target::State((n + 1) % size)]).collect(),
        proper: vec![true; size as usize],
    };
    let property = Property::Safety { invalid_ends: true };
    for (limit, expected) in [
        (None, Shortfall::Interrupted),
        (Some(std::time::Duration::ZERO), Shortfall::Time { limit: std::time::Duration::ZERO }),
    ] {
        let control = RunControl::new(1 << 24, limit);
        if limit.is_none() {
            control.cancel();
        }
        let store = FlatStore::new(2, &control.budget).unwrap();
        let report = search(&graph, &store, &property, &Options::default(), &control);
        assert_eq!(report.verdict, Verdict::Undecided(expected));
        assert!((1..2000).contains(&report.stats.states));
    }
}
