//! The subset construction, and the smallest deterministic automaton for a partition of its states (Moore 1956).
//!
//! Subsets alone decide which *finite* words have a run. What the subsets of an automaton mean for infinite words is for
//! the users to say: for monitors, every word whose prefixes all have a run; for obligations, see `obligation`.

use crate::guards::{Guard, Guards};
use crate::hash::FastMap;
use crate::{Automaton, Edge, MarkSet, StateId, TooLarge};
use lariat_base::{Id, IdVec, safe_point};

/// A complete deterministic transition structure. The guards that leave a state are a partition of all letters.
#[derive(Clone, Debug)]
pub(crate) struct Subsets {
    pub(crate) guards: Guards,
    /// The states of the automaton that each subset has, ascending.
    pub(crate) members: Vec<Vec<StateId>>,
    pub(crate) moves: Vec<Vec<(Guard, usize)>>,
}

impl Subsets {
    /// The subsets reachable from the initial state's; among them, unless every word has a run, the empty one.
    pub(crate) fn of(automaton: &Automaton, max_states: usize, max_moves: usize) -> Result<Self, TooLarge> {
        let mut guards = automaton.guards.clone();
        let mut members = vec![vec![automaton.initial]];
        let mut place: FastMap<Vec<StateId>, usize> = FastMap::from_iter([(members[0].clone(), 0)]);
        let mut moves: Vec<Vec<(Guard, usize)>> = Vec::new();
        let mut move_count = 0;
        while moves.len() < members.len() {
            let subset = members[moves.len()].clone();
            let mut by_target: Vec<(StateId, Guard)> = Vec::new();
            let edges = subset.iter().flat_map(|&state| &automaton.edges[state]);
            let mut edges: Vec<(StateId, Guard)> = edges.map(|edge| (edge.target, edge.guard)).collect();
            edges.sort_unstable();
            for (target, guard) in edges {
                match by_target.last_mut() {
                    Some((last, joined)) if *last == target => *joined = guards.or(*joined, guard),
                    _ => by_target.push((target, guard)),
                }
            }
            let mut list = Vec::new();
            for (letters, targets) in split(&by_target, &mut guards, max_moves)? {
                let fresh = members.len();
                let next = *place.entry(targets.clone()).or_insert(fresh);
                if next == fresh {
                    members.push(targets);
                }
                list.push((letters, next));
            }
            move_count += list.len();
            moves.push(list);
            if members.len() > max_states {
                return Err(TooLarge::States { limit: max_states });
            }
            if move_count > max_moves {
                return Err(TooLarge::Edges { limit: max_moves });
            }
        }
        Ok(Self { guards, members, moves })
    }

    /// The class of each state in the coarsest partition that is finer than `colors` and respected by moves. Classes are
    /// numbered in the order of their first states.
    pub(crate) fn classes(&mut self, colors: &[u32]) -> Vec<usize> {
        let mut classes: Vec<usize> = number(colors.iter().copied());
        loop {
            let mut signatures = Vec::with_capacity(classes.len());
            for (state, moves) in self.moves.iter().enumerate() {
                let mut by_class: Vec<(usize, Guard)> = Vec::new();
                for &(guard, next) in moves {
                    match by_class.iter_mut().find(|(class, _)| *class == classes[next]) {
                        Some((_, joined)) => *joined = self.guards.or(*joined, guard),
                        None => by_class.push((classes[next], guard)),
                    }
                }
                by_class.sort_unstable();
                signatures.push((classes[state], by_class));
            }
            let finer = number(signatures.into_iter());
            if finer == classes {
                return classes;
            }
            classes = finer;
        }
    }

    /// The automaton whose states are the classes; `marks_of` says which marks the edges that leave a state carry.
    pub(crate) fn quotient(
        mut self,
        classes: &[usize],
        like: &Automaton,
        acceptance: crate::Acceptance,
        marks_of: impl Fn(usize) -> MarkSet,
    ) -> Automaton {
        let count = classes.iter().max().map_or(0, |last| last + 1);
        let mut edges: IdVec<StateId, Vec<Edge>> = (0..count).map(|_| Vec::new()).collect();
        for class in 0..count {
            let state = classes.iter().position(|&other| other == class).expect("classes are numbered without gaps");
            edges[StateId::new(class)] = std::mem::take(&mut self.moves[state])
                .into_iter()
                .map(|(guard, next)| Edge { target: StateId::new(classes[next]), guard, marks: marks_of(state) })
                .collect();
        }
        let initial = StateId::new(classes[0]);
        let mut automaton = Automaton::over(like.propositions.clone(), self.guards, edges, initial, acceptance);
        automaton.name.clone_from(&like.name);
        automaton.merge_edges();
        automaton
    }
}

/// Numbers values in the order of their first appearance.
fn number<T: std::hash::Hash + Eq>(values: impl Iterator<Item = T>) -> Vec<usize> {
    let mut seen: FastMap<T, usize> = FastMap::default();
    values
        .map(|value| {
            let fresh = seen.len();
            *seen.entry(value).or_insert(fresh)
        })
        .collect()
}

/// All letters, grouped by the set of targets they lead to.
pub(crate) fn split(
    by_target: &[(StateId, Guard)],
    guards: &mut Guards,
    limit: usize,
) -> Result<Vec<(Guard, Vec<StateId>)>, TooLarge> {
    safe_point();
    let mut groups = vec![(Guard::TRUE, Vec::new())];
    for &(target, guard) in by_target {
        let mut finer = Vec::with_capacity(groups.len());
        for (letters, targets) in groups {
            let with = guards.and(letters, guard);
            if with == Guard::FALSE {
                finer.push((letters, targets));
                continue;
            }
            let without = guards.minus(letters, guard);
            if without != Guard::FALSE {
                finer.push((without, targets.clone()));
            }
            let mut targets = targets;
            targets.push(target);
            finer.push((with, targets));
        }
        groups = finer;
        if groups.len() > limit {
            return Err(TooLarge::Edges { limit });
        }
        if guards.overflowed() {
            return Err(guards.refusal());
        }
    }
    Ok(groups)
}
