//! The kernels on random graphs, against a graph written out in full.

use lariat_engine::{FailureKind, Options, Report, RunControl, Shortfall, Verdict};
use lariat_explicit::{NoRecorder, bfs, dfs};
use lariat_space::{Enumerated, LabelSet, Move, Outcome, Sink, State, StateSpace, Step};
use lariat_store::{FlatStore, TreeStore, hash_state};
use lariat_system::{ActionId, Fault};
use lariat_testkit::Rng;
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
    fn steps<K: Sink>(&self, source: &State, (): &mut (), mut sink: K) -> ControlFlow<K::Break> {
        self.steps[source[0] as usize].iter().enumerate().try_for_each(|(number, &target)| {
            let via = [Move { action: ActionId(1000 * source[0] as u32 + number as u32), actor: None, peer: None }];
            let labels = &LabelSet::EMPTY;
            match target {
                Target::State(state) => sink.step(Step::new(Outcome::State(&[state, !state]), labels, &via)),
                Target::Fault(fault) => {
                    let fault = Fault::Trap(ActionId(fault), 0);
                    sink.step(Step::new(Outcome::Fault(fault), labels, &via))
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

fn random_graph(seed: u64, faulty: bool) -> Graph {
    let mut random = Rng::new(seed * 0x9e37_79b9 + 1);
    let size = 1 + random.below_u64(400);
    sized_graph(size, random, if faulty { Some(40) } else { None })
}

/// A graph of `size` states; about one step of so many is a fault.
fn sized_graph(size: u64, mut random: Rng, steps_per_fault: Option<u64>) -> Graph {
    let degree = 1 + random.below_u64(4);
    let steps = (0..size)
        .map(|_| {
            (0..random.below_u64(degree + 2))
                .map(|_| {
                    if steps_per_fault.is_some_and(|steps| random.below_u64(steps) == 0) {
                        Target::Fault(random.below_u64(3) as u32)
                    } else {
                        Target::State(random.below_u64(size))
                    }
                })
                .collect()
        })
        .collect();
    let mut initial: Vec<u64> = (0..random.below_u64(4)).map(|_| random.below_u64(size)).collect();
    initial.sort_unstable();
    initial.dedup();
    Graph {
        initial,
        steps,
        proper: (0..size).map(|_| steps_per_fault.is_none_or(|_| random.below_u64(2) == 0)).collect(),
    }
}

/// Searches by a kernel.
fn run_by(kernel: Kernel, graph: &Graph, options: &Options, control: &RunControl) -> Report {
    let flat = || FlatStore::new(2, &control.budget);
    // Whole states are kept for a short while only.
    let tree = || TreeStore::learning_from(8, 2, &control.budget);
    let alone = Options { threads: 1, ..options.clone() };
    let (report, _) =
        match kernel {
            Kernel::Bfs { threads } => bfs(graph, flat, true, &Options { threads, ..alone }, control, NoRecorder)
                .expect("the pool is no guess"),
            Kernel::BfsTree { threads } => bfs(graph, tree, true, &Options { threads, ..alone }, control, NoRecorder)
                .expect("the pool is no guess"),
            Kernel::Dfs => dfs(graph, flat, true, &alone, control, NoRecorder).expect("the pool is no guess"),
            Kernel::DfsTree => dfs(graph, tree, true, &alone, control, NoRecorder).expect("the pool is no guess"),
        };
    assert_eq!(control.budget.used_bytes(), 0, "everything is given back");
    report
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Kernel {
    Bfs { threads: usize },
    BfsTree { threads: usize },
    Dfs,
    DfsTree,
}

impl Kernel {
    fn is_bfs(self) -> bool {
        matches!(self, Self::Bfs { .. } | Self::BfsTree { .. })
    }
}

const KERNELS: [Kernel; 6] = [
    Kernel::Bfs { threads: 1 },
    Kernel::Bfs { threads: 3 },
    Kernel::BfsTree { threads: 1 },
    Kernel::BfsTree { threads: 3 },
    Kernel::Dfs,
    Kernel::DfsTree,
];

fn run(kernel: Kernel, graph: &Graph, options: &Options, memory_bytes: u64) -> Report {
    let control = RunControl::new(memory_bytes, None);
    let report = run_by(kernel, graph, options, &control);
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
        for kernel in KERNELS {
            let report = run(kernel, &graph, &Options::default(), 1 << 22);
            assert_eq!(report.verdict, Verdict::Holds);
            assert_eq!(report.stats.states, whole.states.len() as u64);
            assert_eq!(report.stats.transitions, whole.transitions() as u64);
            let digest = whole.states.iter().fold(0_u64, |sum, state| sum.wrapping_add(hash_state(state)));
            assert_eq!(report.stats.digest, Some(digest));
        }
    }
}

#[test]
fn keeps_one_of_each_kind_and_counts_all() {
    for seed in 1..200 {
        let graph = random_graph(seed, true);
        let whole = Enumerated::new(&graph, 1000).unwrap();
        let expected = failures_of(&graph, &whole);
        for kernel in KERNELS {
            let report = run(kernel, &graph, &Options { keep_going: true, ..Options::default() }, 1 << 22);
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
                let shortest = of_kind.map(|&(_, steps)| steps).min();
                assert!(!kernel.is_bfs() || Some(evidence.trace.steps.len()) == shortest, "a shortest one");
                check_trace(&graph, evidence);
            }
            assert_eq!(matches!(report.verdict, Verdict::Holds), expected.is_empty());
        }
    }
}

#[test]
fn a_failure_that_can_be_met_is_met_and_breadth_first_by_a_shortest_run() {
    for seed in 1..200 {
        let graph = random_graph(seed, true);
        let whole = Enumerated::new(&graph, 1000).unwrap();
        let shortest = failures_of(&graph, &whole).iter().map(|&(_, steps)| steps).min();
        for kernel in KERNELS {
            match run(kernel, &graph, &Options::default(), 1 << 22).verdict {
                Verdict::Fails(evidence) => {
                    assert!(!kernel.is_bfs() || Some(evidence.trace.steps.len()) == shortest);
                    check_trace(&graph, &evidence);
                }
                verdict => assert!(verdict == Verdict::Holds && shortest.is_none()),
            }
        }
    }
}

#[test]
fn a_depth_bound_leaves_it_undecided() {
    for seed in 1..100 {
        let graph = random_graph(seed, true);
        let whole = Enumerated::new(&graph, 1000).unwrap();
        let expected = failures_of(&graph, &whole);
        for limit in [0, 1, 2, 3, 5, 1000] {
            for kernel in KERNELS {
                let report = run(kernel, &graph, &Options { depth_limit: Some(limit), ..Options::default() }, 1 << 22);
                let within = expected.iter().any(|&(_, steps)| steps as u64 <= limit);
                match report.verdict {
                    Verdict::Fails(evidence) => {
                        assert!(within);
                        assert!(evidence.trace.steps.len() as u64 <= limit);
                        check_trace(&graph, &evidence);
                    }
                    Verdict::Holds | Verdict::Computed(_) => panic!("with a bound nothing holds"),
                    Verdict::Undecided(shortfall) => {
                        assert!(!within || !kernel.is_bfs(), "seed {seed}, limit {limit}");
                        assert_eq!(shortfall, Shortfall::Depth { limit });
                    }
                }
                assert!(report.stats.depth <= limit);
            }
        }
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let mut wide = 0;
    for seed in 1..25 {
        // Wide levels: several threads have something to do.
        let states = if cfg!(debug_assertions) { 10_000 } else { 20_000 };
        let steps_per_fault = (seed > 3).then_some(seed * states / 5);
        let mut graph = sized_graph(states, Rng::new(seed * 7919), steps_per_fault);
        graph.proper.fill(true);
        for keep_going in [false, true] {
            let options = Options { keep_going, ..Options::default() };
            let report = |kernel| {
                let mut report = run(kernel, &graph, &options, 1 << 26);
                report.stats.elapsed = std::time::Duration::ZERO;
                // Each thread has buffers of its own.
                report.stats.peak_memory_bytes = 0;
                report
            };
            let alone = report(Kernel::Bfs { threads: 1 });
            wide += u32::from(alone.stats.states > 5_000);
            assert_eq!(alone, report(Kernel::Bfs { threads: 2 }), "seed {seed}");
            assert_eq!(alone, report(Kernel::Bfs { threads: 4 }), "seed {seed}");
            for threads in [1, 4] {
                let mut tree = report(Kernel::BfsTree { threads });
                tree.stats.bytes_per_state = alone.stats.bytes_per_state;
                assert_eq!(alone, tree, "seed {seed}");
            }
        }
    }
    assert!(wide > 10, "only {wide} searches of wide levels");
}

/// Every state leads to the next, and to another one.
fn chain(size: u64) -> Graph {
    let steps = |n: u64| vec![Target::State((n + 1) % size), Target::State((n * 7) % size)];
    Graph { initial: vec![0], steps: (0..size).map(steps).collect(), proper: vec![true; size as usize] }
}

#[test]
fn too_little_memory_is_a_verdict() {
    let graph = chain(50_000);
    for kernel in KERNELS {
        assert_eq!(run(kernel, &graph, &Options::default(), 1 << 24).verdict, Verdict::Holds);
        let mut states_before = 0;
        for memory_bytes in [0, 100, 600, 5_000, 50_000, 100_000, 200_000] {
            let report = run(kernel, &graph, &Options::default(), memory_bytes);
            assert_eq!(report.verdict, Verdict::Undecided(Shortfall::Memory { limit_bytes: memory_bytes }));
            assert_eq!(report.stats.digest, None);
            let regular = matches!(kernel, Kernel::Bfs { threads: 1 } | Kernel::Dfs);
            assert!(report.stats.states >= states_before || !regular);
            states_before = report.stats.states;
        }
    }
}

#[test]
fn a_failure_met_with_little_memory_is_told_by_a_shortest_run() {
    for kernel in [Kernel::Bfs { threads: 1 }, Kernel::BfsTree { threads: 1 }, Kernel::BfsTree { threads: 3 }] {
        find_with_little_memory(kernel);
    }
}

fn find_with_little_memory(kernel: Kernel) {
    // The failure is met last of all: a search that has just enough memory has none for parents.
    let size = 45_000;
    let line = |last: Vec<Target>| {
        let mut steps: Vec<_> = (1..size).map(|next| vec![Target::State(next - 1), Target::State(next)]).collect();
        steps.push(last);
        Graph { initial: vec![0], steps, proper: vec![true; size as usize] }
    };
    let graph = line(vec![Target::Fault(1)]);
    let roomy = RunControl::new(1 << 24, None);
    let whole = run_by(kernel, &graph, &Options::default(), &roomy);
    let Verdict::Fails(expected) = whole.verdict else { panic!("it fails") };
    // What the search itself took, without what finding the run took.
    let alone = RunControl::new(1 << 24, None);
    assert_eq!(run_by(kernel, &line(Vec::new()), &Options::default(), &alone).verdict, Verdict::Holds);
    // A table that grows, or the buffers of several threads, may take as much for a moment.
    let parents_show = kernel == Kernel::Bfs { threads: 1 };
    assert!(!parents_show || alone.budget.peak_bytes() < roomy.budget.peak_bytes(), "parents take memory");
    let report = run(kernel, &graph, &Options::default(), alone.budget.peak_bytes());
    let Verdict::Fails(evidence) = report.verdict else { panic!("{:?}", report.verdict) };
    check_trace(&graph, &evidence);
    assert_eq!(evidence.trace, expected.trace);
}

#[test]
fn who_is_cancelled_or_out_of_time_says_so_with_figures() {
    let graph = chain(50_000);
    for kernel in KERNELS {
        for (limit, expected) in [
            (None, Shortfall::Interrupted),
            (Some(std::time::Duration::ZERO), Shortfall::Time { limit: std::time::Duration::ZERO }),
        ] {
            let control = RunControl::new(1 << 24, limit);
            if limit.is_none() {
                control.cancel();
            }
            let report = run_by(kernel, &graph, &Options::default(), &control);
            assert_eq!(report.verdict, Verdict::Undecided(expected));
            assert!((1..2000).contains(&report.stats.states));
        }
    }
}

/// Thousands of searches by several threads, each so small that its threads ask about the same states at the same time:
/// whatever the schedule, they see what one thread sees. `LARIAT_RACES` asks for more of them.
#[test]
fn many_small_searches_by_several_threads_see_the_same() {
    let graphs = std::env::var("LARIAT_RACES").ok().and_then(|count| count.parse().ok()).unwrap_or(300);
    for seed in 0..graphs {
        let random = Rng::new(seed * 0x9e37_79b9 + 7);
        let graph = sized_graph(1 + seed % 150, random, None);
        let seen = |report: &Report| (report.stats.states, report.stats.transitions, report.stats.digest);
        let alone = run(Kernel::BfsTree { threads: 1 }, &graph, &Options::default(), 64 << 20);
        for threads in 2..=8 {
            let several = run(Kernel::BfsTree { threads }, &graph, &Options::default(), 64 << 20);
            assert_eq!(seen(&several), seen(&alone), "graph {seed}, {threads} threads");
        }
    }
}
