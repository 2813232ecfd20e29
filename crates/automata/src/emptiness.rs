//! Emptiness for any acceptance condition.
//!
//! A component is accepting if the marks of all its edges satisfy the condition: one cycle can take them all. If not,
//! some `Fin` is in the way: either a cycle avoids that mark (look at the component without those edges), or it does not
//! (look again with that `Fin` false). Baier, Blahoudek, Duret-Lutz, Klein, Müller, Strejček: "Generic emptiness check for
//! fun and profit", ATVA 2019. Exponential in the number of `Fin` marks only; linear for generalised Büchi.

use crate::hash::FastMap;
use crate::{Acceptance, Automaton, Components, Edge, Mark, MarkSet, StateId};
use lariat_base::Id;

/// Part of a component: strongly connected by its edges, whose marks together satisfy the condition. A cycle through all
/// of its edges is accepting.
#[derive(Clone, Debug)]
pub struct AcceptingPart {
    /// The states.
    pub states: Vec<StateId>,
    /// Edges with one of these marks are not part of it.
    pub without: MarkSet,
}

/// Whether no word is accepted.
pub fn is_empty(automaton: &Automaton) -> bool {
    accepting_part(automaton).is_none()
}

/// A reachable accepting part, if there is one.
pub fn accepting_part(automaton: &Automaton) -> Option<AcceptingPart> {
    let components = Components::of(automaton);
    components.members().iter().find_map(|members| accepting_part_of(automaton, members))
}

/// An accepting part among `members`, a component of the automaton.
pub fn accepting_part_of(automaton: &Automaton, members: &[StateId]) -> Option<AcceptingPart> {
    search(&Subgraph::of(automaton, members), &MarkSet::EMPTY, &automaton.acceptance)
}

/// A component cut out of its automaton: states numbered from 0, edges between them as targets and marks. What is asked
/// of a component then costs what the component is large, not what the automaton is.
#[derive(Clone, Debug)]
pub(crate) struct Subgraph {
    states: Vec<StateId>,
    edges: Vec<Vec<(usize, MarkSet)>>,
}

impl Subgraph {
    pub(crate) fn of(automaton: &Automaton, members: &[StateId]) -> Self {
        let place: FastMap<StateId, usize> = members.iter().enumerate().map(|(at, &state)| (state, at)).collect();
        let inside = |edge: &Edge| place.get(&edge.target).map(|&target| (target, edge.marks.clone()));
        let edges = members.iter().map(|&state| automaton.edges[state].iter().filter_map(inside).collect()).collect();
        Self { states: members.to_vec(), edges }
    }
    /// The marks of all edges; nothing if there are no edges.
    pub(crate) fn marks(&self) -> Option<MarkSet> {
        self.edges.iter().flatten().fold(None, |seen: Option<MarkSet>, (_, marks)| {
            let mut seen = seen.unwrap_or_default();
            seen.union_with(marks);
            Some(seen)
        })
    }
    /// The components that remain without the edges that carry `mark`.
    pub(crate) fn without(&self, mark: Mark) -> Vec<Subgraph> {
        let components = Components::explore(self.edges.len(), 0..self.edges.len(), |state, at| {
            let (target, marks) = self.edges[state].get(at)?;
            Some((!marks.contains(mark)).then_some(*target))
        });
        let cut_out = |members: &Vec<StateId>| {
            let place: FastMap<usize, usize> =
                members.iter().enumerate().map(|(at, state)| (state.index(), at)).collect();
            let inside = |(target, marks): &(usize, MarkSet)| {
                let target = place.get(target)?;
                (!marks.contains(mark)).then(|| (*target, marks.clone()))
            };
            let edges = members.iter().map(|state| self.edges[state.index()].iter().filter_map(inside).collect());
            let states = members.iter().map(|state| self.states[state.index()]).collect();
            Subgraph { edges: edges.collect(), states }
        };
        components.members().iter().map(cut_out).collect()
    }
}

fn search(part: &Subgraph, without: &MarkSet, acceptance: &Acceptance) -> Option<AcceptingPart> {
    let seen = part.marks()?;
    if acceptance.accepts(&seen) {
        return Some(AcceptingPart { states: part.states.clone(), without: without.clone() });
    }
    let possible = acceptance.map(&|condition| match condition {
        Acceptance::Inf(mark) if !seen.contains(*mark) => Acceptance::False,
        Acceptance::Fin(mark) if !seen.contains(*mark) => Acceptance::True,
        other => other.clone(),
    });
    let without_fin = |mark: Mark| {
        possible.map(&|condition| match condition {
            Acceptance::Fin(other) if *other == mark => Acceptance::False,
            other => other.clone(),
        })
    };
    // A mark whose `Fin` is indispensable leaves no choice; with those first, Streett conditions take no second try.
    let mut fins = Vec::new();
    list_fins(&possible, &mut fins);
    let forced = fins.iter().find(|&&mark| without_fin(mark) == Acceptance::False);
    let mark = *forced.or(fins.first())?;

    let mut fewer = without.clone();
    fewer.insert(mark);
    let avoided = possible.map(&|condition| match condition {
        Acceptance::Fin(other) if *other == mark => Acceptance::True,
        Acceptance::Inf(other) if *other == mark => Acceptance::False,
        other => other.clone(),
    });
    let found = part.without(mark).iter().find_map(|smaller| search(smaller, &fewer, &avoided));
    found.or_else(|| if forced.is_some() { None } else { search(part, without, &without_fin(mark)) })
}

/// The marks whose `Fin` occurs, in the order they do.
fn list_fins(acceptance: &Acceptance, fins: &mut Vec<Mark>) {
    match acceptance {
        Acceptance::Fin(mark) if !fins.contains(mark) => fins.push(*mark),
        Acceptance::And(parts) | Acceptance::Or(parts) => parts.iter().for_each(|part| list_fins(part, fins)),
        _ => {}
    }
}
