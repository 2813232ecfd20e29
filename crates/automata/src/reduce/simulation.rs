//! Reduction by direct simulation, forward and backward (Etessami, Wilke, Schuller, ICALP 2001; Somenzi, Bloem, CAV 2000;
//! Clemente, Mayr, POPL 2013 for which edges may go).
//!
//! A state simulates another if it can answer each of its edges, letter by letter, with an edge whose marks are as good
//! and which leads to a state that simulates in turn. Backward it is the same on reversed edges, and an initial state is
//! simulated by initial states only. States that simulate each other are merged; when there are no such states the
//! relation is an order, and the letters of an edge that a strictly better edge has too are taken from it. The two
//! steps are never done on one relation.
//!
//! Marks are compared as they stand: with `Inf` only, more are better; with `Fin` in the condition only equal ones are
//! comparable. Tempting and wrong: to let an edge off all cycles ask nothing *and* answer everything at once. The relation
//! is then not transitive, and merging is unsound; see [`OffCycles`](super::OffCycles) for the sound way.

use crate::guards::{Guard, Guards};
use crate::hash::FastMap;
use crate::{Automaton, Edge, MarkSet, StateId};
use lariat_base::{Id, safe_point};

/// Which way edges are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// From sources to targets: states are compared by what can follow.
    Forward,
    /// From targets to sources: states are compared by what can have been before.
    Backward,
}

/// Merges states and removes edges as simulation in one direction allows. Same language. Takes the work from
/// `steps_left` and gives up, changing nothing more, when nothing is left.
pub fn reduce_by_simulation(automaton: &mut Automaton, direction: Direction, state_based: bool, steps_left: &mut u64) {
    // Of two edges that are the same each would make the other superfluous.
    automaton.merge_edges();
    while !automaton.guards.overflowed() {
        let Some(relation) = simulation(automaton, direction, state_based, steps_left) else { return };
        if !merge(automaton, &relation) {
            remove_edges(automaton, &relation, direction, steps_left);
            return;
        }
    }
}

/// The other states that simulate `state` forward; none if that takes too much work.
pub(super) fn simulators(automaton: &mut Automaton, state: StateId, steps_left: &mut u64) -> Vec<StateId> {
    let Some(relation) = simulation(automaton, Direction::Forward, false, steps_left) else { return Vec::new() };
    automaton.edges.ids().filter(|&other| other != state && relation.holds(state, other)).collect()
}

/// `relation[worse][better]`.
struct Relation(Vec<Vec<bool>>);

impl Relation {
    fn holds(&self, worse: StateId, better: StateId) -> bool {
        self.0[worse.index()][better.index()]
    }
}

/// For each state, its edges in one direction, each with the state at its far end.
type Ends<'a> = Vec<Vec<(&'a Edge, StateId)>>;

fn simulation(
    automaton: &mut Automaton,
    direction: Direction,
    state_based: bool,
    steps_left: &mut u64,
) -> Option<Relation> {
    let node_count = automaton.guards.node_count();
    let relation = largest_simulation(automaton, direction, state_based, steps_left);
    // Comparing leaves nothing behind, above all no overflow.
    automaton.guards.rollback(node_count);
    relation
}

fn largest_simulation(
    automaton: &mut Automaton,
    direction: Direction,
    state_based: bool,
    steps_left: &mut u64,
) -> Option<Relation> {
    let inf_only = automaton.acceptance.polarities().1.is_empty();
    let as_good = |better: &MarkSet, worse: &MarkSet| match inf_only {
        true => worse.is_subset(better),
        false => worse == better,
    };
    let state_marks = |state| automaton.state_marks(state).unwrap_or(MarkSet::none());
    let count = automaton.state_count();
    if (count * count) as u64 > *steps_left {
        *steps_left = 0;
        return None;
    }
    let mut relation = Relation(vec![vec![true; count]; count]);
    for worse in automaton.edges.ids() {
        for better in automaton.edges.ids() {
            let admissible =
                (direction == Direction::Forward || worse != automaton.initial || better == automaton.initial)
                    && (!state_based || as_good(state_marks(better), state_marks(worse)));
            relation.0[worse.index()][better.index()] = admissible;
        }
    }
    let guards = &mut automaton.guards;
    let mut ends: Ends<'_> = vec![Vec::new(); count];
    for (source, edges) in automaton.edges.entries() {
        for edge in edges {
            match direction {
                Direction::Forward => ends[source.index()].push((edge, edge.target)),
                Direction::Backward => ends[edge.target.index()].push((edge, source)),
            }
        }
    }
    loop {
        let mut changed = false;
        for worse in 0..count {
            for better in 0..count {
                if worse == better || !relation.0[worse][better] {
                    continue;
                }
                let cost = (ends[worse].len() * ends[better].len()) as u64 + 1;
                if cost > *steps_left || guards.overflowed() {
                    *steps_left = 0;
                    return None;
                }
                *steps_left -= cost;
                if !answers(&ends[worse], &ends[better], &relation, &as_good, guards) {
                    relation.0[worse][better] = false;
                    changed = true;
                }
            }
        }
        if !changed {
            return (!guards.overflowed()).then_some(relation);
        }
    }
}

/// Whether each letter of each edge of `worse` is answered by an edge of `better`.
fn answers(
    worse: &[(&Edge, StateId)],
    better: &[(&Edge, StateId)],
    relation: &Relation,
    as_good: &dyn Fn(&MarkSet, &MarkSet) -> bool,
    guards: &mut Guards,
) -> bool {
    safe_point();
    worse.iter().all(|&(edge, end)| {
        let mut unanswered = edge.guard;
        for &(other, other_end) in better {
            if unanswered == Guard::FALSE {
                break;
            }
            if relation.holds(end, other_end) && as_good(&other.marks, &edge.marks) {
                unanswered = guards.minus(unanswered, other.guard);
            }
        }
        unanswered == Guard::FALSE
    })
}

/// Merges states that simulate each other; says whether there were any.
fn merge(automaton: &mut Automaton, relation: &Relation) -> bool {
    let count = automaton.state_count();
    let class = |state: usize| {
        let first = (0..=state).find(|&other| relation.0[state][other] && relation.0[other][state]);
        StateId::new(first.expect("a state simulates itself"))
    };
    let classes: Vec<StateId> = (0..count).map(class).collect();
    if classes.iter().enumerate().all(|(state, class)| class.index() == state) {
        return false;
    }
    for state in (0..count).map(StateId::new) {
        let mut edges = std::mem::take(&mut automaton.edges[state]);
        edges.iter_mut().for_each(|edge| edge.target = classes[edge.target.index()]);
        automaton.edges[classes[state.index()]].append(&mut edges);
    }
    automaton.initial = classes[automaton.initial.index()];
    automaton.merge_edges();
    automaton.retain(|state| classes[state.index()] == state);
    true
}

/// Takes from each edge the letters that a strictly better edge between the same two ends' one side has.
fn remove_edges(automaton: &mut Automaton, relation: &Relation, direction: Direction, steps_left: &mut u64) {
    let inf_only = automaton.acceptance.polarities().1.is_empty();
    let mut near: FastMap<StateId, Vec<(StateId, usize)>> = FastMap::default();
    for (source, edges) in automaton.edges.entries() {
        for (at, edge) in edges.iter().enumerate() {
            let key = if direction == Direction::Forward { source } else { edge.target };
            near.entry(key).or_default().push((source, at));
        }
    }
    let cost: u64 = near.values().map(|group| (group.len() * group.len()) as u64).sum();
    if cost > *steps_left {
        *steps_left = 0;
        return;
    }
    *steps_left -= cost;
    let node_count = automaton.guards.node_count();
    let mut smaller: Vec<(StateId, usize, Guard)> = Vec::new();
    for group in near.values() {
        for &(source, at) in group {
            let edge = &automaton.edges[source][at];
            let mut left = edge.guard;
            for &(other_source, other_at) in group {
                let other = &automaton.edges[other_source][other_at];
                let (end, other_end) = match direction {
                    Direction::Forward => (edge.target, other.target),
                    Direction::Backward => (source, other_source),
                };
                let as_good = edge.marks == other.marks || (inf_only && edge.marks.is_subset(&other.marks));
                // Edges between the same ends with the same marks are one edge, so this is strict.
                if (source, at) != (other_source, other_at) && as_good && relation.holds(end, other_end) {
                    left = automaton.guards.minus(left, other.guard);
                }
            }
            if left != edge.guard {
                smaller.push((source, at, left));
            }
        }
    }
    if automaton.guards.overflowed() {
        return automaton.guards.rollback(node_count);
    }
    for (source, at, left) in smaller {
        automaton.edges[source][at].guard = left;
    }
    automaton.merge_edges();
}
