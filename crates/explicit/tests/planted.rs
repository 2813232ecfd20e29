//! Failures planted at different depths of graphs that are ten times larger than what the budget has room for: searches with
//! a table of bits find them, if need be in another run.
//!
//! With `LARIAT_PLANTED_STATES` the graphs have so many states.

use lariat_automata::{Mark, MarkSet};
use lariat_engine::{Options, RunControl, Shortfall, Verdict};
use lariat_explicit::{NoRecorder, Pair, Spill, bfs, pair, safety};
use lariat_store::{Bitstate, FlatStore};
use lariat_testkit::{ToyGraph, toy_space};

/// A graph whose edges are computed: each state has three successors, which are near it, and a planted one.
struct Large {
    states: u64,
    marked: MarkSet,
    planted: Option<(u64, Planted)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Planted {
    /// The state ends there, and may not.
    End,
    /// The state is accepting, and comes back to itself by two more states that have no other edges.
    Cycle,
}

impl Large {
    /// States without edges of their own: the way back to the planted state.
    fn back(&self) -> [u64; 2] {
        [self.states, self.states + 1]
    }
    fn successors(&self, state: u64) -> ([u64; 3], usize, bool) {
        let [first, second] = self.back();
        match self.planted {
            Some((planted, Planted::End)) if planted == state => return ([0; 3], 0, false),
            Some((planted, Planted::Cycle)) if planted == state => return ([first, 0, 0], 1, true),
            Some((_, Planted::Cycle)) if state == first => return ([second, 0, 0], 1, false),
            Some((planted, Planted::Cycle)) if state == second => return ([planted, 0, 0], 1, false),
            _ => {}
        }
        let mixed = (state + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let near = |bits: u64| state + 1 + (mixed >> bits) % 64;
        // One edge leads back, so that paths do not get as long as the graph; the last states lead to the first.
        let back = state / 2 + (mixed >> 20) % (state / 2 + 1);
        ([near(8) % self.states, near(30) % self.states, back], 3, false)
    }
}

impl ToyGraph for Large {
    fn edges(&self, state: u64) -> impl Iterator<Item = (u64, MarkSet)> {
        let (successors, count, is_marked) = self.successors(state);
        let marks = if is_marked { self.marked.clone() } else { MarkSet::EMPTY };
        successors.into_iter().take(count).map(move |to| (to, marks.clone()))
    }
    fn may_end(&self, _: u64) -> bool {
        false
    }
}

toy_space!(Large);

/// By distance from the initial state: one of the states there, where so many per cent are nearer.
fn states_by_depth(graph: &Large, percents: &[u64]) -> (u64, Vec<(u64, u64)>) {
    let mut seen = vec![false; graph.states as usize];
    let (mut order, mut depths) = (vec![0_u64], vec![0_u64]);
    seen[0] = true;
    let mut at = 0;
    while at < order.len() {
        let (successors, count, _) = graph.successors(order[at]);
        for &to in &successors[..count] {
            if !std::mem::replace(&mut seen[to as usize], true) {
                order.push(to);
                depths.push(depths[at] + 1);
            }
        }
        at += 1;
    }
    let at = |percent: &u64| (order.len() as u64 - 1) * percent / 100;
    let picked = percents.iter().map(at).map(|place| (order[place as usize], depths[place as usize]));
    (order.len() as u64, picked.collect())
}

#[test]
fn planted_failures_are_found_in_a_tenth_of_the_memory() {
    let states = std::env::var("LARIAT_PLANTED_STATES").map_or(300_000, |text| text.parse().expect("a number"));
    let marked: MarkSet = [Mark(0)].into_iter().collect();
    let mut graph = Large { states, marked, planted: None };
    let (reachable, places) = states_by_depth(&graph, &[2, 25, 50, 75, 98, 100]);
    // What an exact search takes for all states; then a tenth of it.
    let needed = RunControl::new(1 << 34, None);
    let options = Options { threads: 1, ..Options::default() };
    let whole = bfs(&graph, || FlatStore::new(1, &needed.budget), true, &options, &needed, NoRecorder)
        .expect("the pool is no guess")
        .0;
    assert_eq!((whole.verdict, whole.stats.states), (Verdict::Holds, reachable));
    let limit_bytes = needed.budget.peak_bytes() / 10;
    let tenth = RunControl::new(limit_bytes, None);
    let part = bfs(&graph, || FlatStore::new(1, &tenth.budget), true, &options, &tenth, NoRecorder)
        .expect("the pool is no guess")
        .0;
    assert!(matches!(part.verdict, Verdict::Undecided(Shortfall::Memory { .. })));
    assert!(part.stats.states <= reachable / 9, "{} of {reachable}", part.stats.states);

    let folder = std::env::temp_dir().join(format!("lariat-planted-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let spill = Spill::new(&folder).unwrap();
    let (mut searches, mut first_runs, mut runs_in_all) = (0, 0, 0);
    for &(state, depth) in &places {
        for (planted, which) in
            [(Planted::End, None), (Planted::Cycle, Some(Pair::Interleaved)), (Planted::Cycle, Some(Pair::InTurn))]
        {
            graph.planted = Some((state, planted));
            let found = (0..20).find(|&seed| {
                let control = RunControl::new(limit_bytes, None);
                let bits = Bitstate::most_of(&control.budget, 3, seed);
                let found = match which {
                    None => {
                        let report =
                            safety(&graph, bits, true, &options, &control, Some(&spill)).expect("the pool is no guess");
                        if let Verdict::Fails(evidence) = &report.verdict {
                            let last = evidence.trace.steps.last().map_or(&evidence.trace.initial, |step| {
                                step.target.as_ref().expect("a step to a state")
                            });
                            assert_eq!(last[..], [state], "what was planted is what is found");
                        }
                        matches!(report.verdict, Verdict::Fails(_))
                    }
                    Some(which) => {
                        let (cycles, _) = pair(which, &graph, bits.expect("a small table"), &control, Some(&spill))
                            .expect("the pool is no guess");
                        assert_eq!(cycles.unfinished, None);
                        cycles.lasso.is_some_and(|lasso| lasso.cycle.contains(&vec![state]))
                    }
                };
                assert!(control.budget.peak_bytes() <= limit_bytes);
                found
            });
            let Some(run) = found else { panic!("{planted:?} at depth {depth} is not found by {which:?} in 20 runs") };
            searches += 1;
            first_runs += u64::from(run == 0);
            runs_in_all += run + 1;
        }
    }
    println!(
        "{reachable} states, {limit_bytes} bytes, {} states fit: {searches} failures planted, all found, {first_runs} in the \
         first run, {runs_in_all} runs in all",
        part.stats.states
    );
    std::fs::remove_dir(&folder).unwrap();
}
