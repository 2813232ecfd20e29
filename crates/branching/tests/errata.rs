//! Where the algorithm WITNESS does not do what it promises, as it is printed (Kesten, Pnueli, Raviv and Shahar 2006, figure
//! 3): on the smallest graphs that show it, ours does.

use lariat_branching::{Checker, Condition, Constraint, Explainer, FairStates, How, Stepper, path_between};
use lariat_engine::{Branching, TraceStep, Witness};
use lariat_logic::Formula;
use lariat_space::{Enumerated, GraphSets, LabelSet, Move, State, Steps};
use lariat_system::{ActionId, DeadEnds, Fault, LabelId};

const P: LabelId = LabelId(0);
const Q: LabelId = LabelId(1);

/// A graph with these edges, whose state 0 is the initial one; labels of states by number, and of edges.
pub(crate) fn graph(edges: &[(usize, usize, &[LabelId])], labels: &[&[LabelId]]) -> Enumerated {
    let count = labels.len();
    let mut graph = Enumerated {
        states: (0..count as u64).map(|number| vec![number]).collect(),
        initial: 1,
        successors: vec![Vec::new(); count],
        carried: vec![Vec::new(); count],
        labels: labels.iter().map(|labels| labels.iter().copied().collect::<LabelSet>()).collect(),
        faults: vec![Vec::new(); count],
        proper_ends: vec![true; count],
    };
    for (from, to, carried) in edges {
        graph.successors[*from].push(*to);
        graph.carried[*from].push(carried.iter().copied().collect());
    }
    graph
}

struct Plain<'a>(&'a Enumerated);

impl Stepper for Plain<'_> {
    fn step(&self, from: &State, to: &State, steps: &Steps) -> Option<TraceStep> {
        let from = from[0] as usize;
        let all = self.0.successors[from].iter().zip(&self.0.carried[from]);
        let mut fitting = all.filter(|(target, carried)| {
            self.0.states[**target] == to && steps.contain(|label| carried.contains(label))
        });
        let (_, carried) = fitting.next()?;
        let via = vec![Move { action: ActionId(0), actor: None, peer: None }];
        Some(TraceStep { via, choices: None, labels: Some(carried.iter().collect()), target: Some(to.to_vec()) })
    }
    fn fault(&self, _: &State) -> Option<(TraceStep, Fault)> {
        None
    }
}

/// A fair run from state 0, the same by all ways of searching, as the states that it passes and where it goes on after the last one;
/// `None` if there is none.
pub(crate) fn fair_run(graph: &Enumerated, constraints: &[Constraint]) -> Option<(Vec<u64>, usize)> {
    let found = fair_run_by(graph, constraints, How::default());
    for how in How::all() {
        assert_eq!(fair_run_by(graph, constraints, how), found, "{how:?}");
    }
    found
}

/// A fair run from state 0, as the states that it passes and where it goes on after the last one; `None` if there is none.
fn fair_run_by(graph: &Enumerated, constraints: &[Constraint], how: How) -> Option<(Vec<u64>, usize)> {
    let sets = GraphSets::new(graph);
    let property =
        Branching::new(Formula::for_some(Formula::globally(Formula::True)), Vec::new()).expect("it is of CTL");
    let Ok(states) = FairStates::new(&sets, sets.of(0..graph.states.len()), DeadEnds::Cut, constraints, how);
    let mut checker = Checker::new(&sets, &property, states);
    let Ok(fair) = checker.value(property.root());
    if !fair.contains(0) {
        return None;
    }
    let Ok(witnesses) = Explainer::new(&mut checker, &Plain(graph)).explain(property.root(), true, &[0]);
    let [Witness { start, steps, loop_start, .. }] = &witnesses[..] else { panic!("one run shows it") };
    let targets = steps.iter().map(|step| step.target.as_ref().expect("it leads somewhere")[0]);
    let states: Vec<u64> = [start[0]].into_iter().chain(targets).collect();
    let loop_start = loop_start.expect("it goes on for ever");
    assert_eq!(states[loop_start], states[states.len() - 1], "the loop closes");
    Some((states, loop_start))
}

#[test]
fn the_loop_is_where_no_step_leads_out_not_where_none_leads_in() {
    // D1: the only component without a step into it is {0}, and there is no way back to it.
    let graph = graph(&[(0, 1, &[]), (1, 1, &[])], &[&[], &[P]]);
    assert_eq!(fair_run(&graph, &[Constraint::justice(Condition::State(P))]), Some((vec![0, 1, 1], 1)));
    // Between two components either of which is fair to one constraint only.
    let graph =
        self::graph(&[(0, 1, &[]), (1, 0, &[]), (1, 2, &[]), (2, 3, &[]), (3, 2, &[])], &[&[P], &[], &[Q], &[P]]);
    let both = [Constraint::justice(Condition::State(P)), Constraint::justice(Condition::State(Q))];
    let (states, start) = fair_run(&graph, &both).expect("there is one");
    assert!(states[start..].iter().all(|state| *state >= 2), "{states:?}");
}

#[test]
fn a_way_of_no_step_is_no_loop() {
    // D2: without edges from a state to itself.
    let graph = graph(&[(0, 1, &[]), (1, 0, &[])], &[&[], &[]]);
    assert_eq!(fair_run(&graph, &[]), Some((vec![0, 1, 0], 0)));
    // Nothing is asked for, so that there is nothing to go to.
    assert_eq!(
        fair_run(&graph, &[Constraint::compassion(Condition::State(P), Condition::State(Q))]),
        Some((vec![0, 1, 0], 0))
    );
    let graph = self::graph(&[(0, 1, &[])], &[&[], &[]]);
    assert_eq!(fair_run(&graph, &[]), None);
}

#[test]
fn looking_for_a_way_ends_where_there_is_none() {
    // D3: state 0 is not reached from the loop, and more than one step away from its goal.
    let graph = graph(&[(0, 1, &[]), (1, 2, &[]), (2, 1, &[])], &[&[], &[], &[P]]);
    let sets = GraphSets::new(&graph);
    let way = |from: usize, to: usize| {
        let Ok(way) = path_between(&sets, &sets.of([from]), &sets.of(0..3), &sets.of([to]));
        way.map(|states| states.into_iter().map(|state| state[0]).collect::<Vec<u64>>())
    };
    assert_eq!(way(2, 0), None);
    assert_eq!(way(0, 2), Some(vec![0, 1, 2]));
}

#[test]
fn what_is_asked_for_by_steps_is_taken_away_by_steps() {
    // The loop at 0 asks by one of its two edges, and what answers is behind it.
    let edges: &[(usize, usize, &[LabelId])] = &[(0, 0, &[P]), (0, 0, &[]), (0, 1, &[]), (1, 1, &[])];
    let compassion = [Constraint::compassion(Condition::Step(P), Condition::Step(Q))];
    let plain = graph(edges, &[&[], &[]]);
    assert!(fair_run(&plain, &compassion).is_some());
    // Without the edge that does not ask, it must be left.
    let asking = graph(&[edges[0], edges[2], edges[3]], &[&[], &[]]);
    assert_eq!(fair_run(&asking, &compassion), Some((vec![0, 1, 1], 1)));
    let only_asking = graph(&[edges[0]], &[&[]]);
    assert_eq!(fair_run(&only_asking, &compassion), None);
    // Unless it is answered on the same loop.
    let answered = graph(&[(0, 0, &[P]), (0, 0, &[Q])], &[&[]]);
    let justice = Constraint::justice(Condition::Step(P));
    assert_eq!(fair_run(&answered, &[compassion[0].clone(), justice]), Some((vec![0, 0, 0], 0)));
}
