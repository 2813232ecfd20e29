//! Emptiness for any acceptance condition.
//!
//! A component is accepting if the marks of all its edges satisfy the condition: one cycle can take them all. If not,
//! some `Fin` is in the way: either a cycle avoids that mark (look at the component without those edges), or it does not
//! (look again with that `Fin` false). Baier, Blahoudek, Duret-Lutz, Klein, Müller, Strejček: "Generic emptiness check for
//! fun and profit", ATVA 2019. Exponential in the number of `Fin` marks only; linear for generalised Büchi.

use crate::{Acceptance, Automaton, Components, Edge, Mark, MarkSet, StateId};

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
    search(automaton, members, &MarkSet::EMPTY, &automaton.acceptance)
}

fn search(
    automaton: &Automaton,
    members: &[StateId],
    without: &MarkSet,
    acceptance: &Acceptance,
) -> Option<AcceptingPart> {
    let mut inside = vec![false; automaton.state_count()];
    members.iter().for_each(|state| inside[state.0 as usize] = true);
    let stays = |edge: &Edge| {
        inside[edge.target.0 as usize] && !without.iter().any(|mark| edge.marks.contains(mark))
    };
    let (mut seen, mut has_edge) = (MarkSet::EMPTY, false);
    for edge in members.iter().flat_map(|&state| &automaton.edges[state]).filter(|edge| stays(edge)) {
        seen.union_with(&edge.marks);
        has_edge = true;
    }
    if !has_edge {
        return None;
    }
    if acceptance.accepts(&seen) {
        return Some(AcceptingPart { states: members.to_vec(), without: without.clone() });
    }
    let possible = acceptance.map(&|part| match part {
        Acceptance::Inf(mark) if !seen.contains(*mark) => Acceptance::False,
        Acceptance::Fin(mark) if !seen.contains(*mark) => Acceptance::True,
        other => other.clone(),
    });
    let mark = first_fin(&possible)?;

    let mut fewer = without.clone();
    fewer.insert(mark);
    let avoided = possible.map(&|part| match part {
        Acceptance::Fin(other) if *other == mark => Acceptance::True,
        Acceptance::Inf(other) if *other == mark => Acceptance::False,
        other => other.clone(),
    });
    let smaller = Components::within(automaton, members.iter().copied(), |source, edge| {
        inside[source.0 as usize] && stays(edge) && !edge.marks.contains(mark)
    });
    let found = smaller.members().iter().find_map(|part| search(automaton, part, &fewer, &avoided));
    found.or_else(|| {
        let taken = possible.map(&|part| match part {
            Acceptance::Fin(other) if *other == mark => Acceptance::False,
            other => other.clone(),
        });
        search(automaton, members, without, &taken)
    })
}

fn first_fin(acceptance: &Acceptance) -> Option<Mark> {
    match acceptance {
        Acceptance::Fin(mark) => Some(*mark),
        Acceptance::And(parts) | Acceptance::Or(parts) => parts.iter().find_map(first_fin),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guards::Guard;

    /// One state with a loop for each set of marks.
    fn loops(acceptance: Acceptance, loops: &[&[u32]]) -> Automaton {
        let mut automaton = Automaton::empty(Vec::new(), acceptance);
        automaton.edges[StateId(0)] = loops
            .iter()
            .map(|marks| Edge {
                target: StateId(0),
                guard: Guard::TRUE,
                marks: marks.iter().map(|&mark| Mark(mark)).collect(),
            })
            .collect();
        automaton
    }

    #[test]
    fn a_streett_condition_is_met_by_leaving_edges_out() {
        let inf = |mark| Acceptance::Inf(Mark(mark));
        let fin = |mark| Acceptance::Fin(Mark(mark));
        let rabin = Acceptance::And(vec![fin(0), inf(1)]);
        assert!(is_empty(&loops(rabin.clone(), &[&[0, 1], &[0]])));
        assert!(is_empty(&loops(rabin.clone(), &[&[0, 1], &[]])));
        let part = accepting_part(&loops(rabin, &[&[0, 1], &[1]])).unwrap();
        assert!(part.without.contains(Mark(0)));
        let streett = Acceptance::And(vec![Acceptance::Or(vec![fin(0), inf(1)]), inf(2)]);
        assert!(is_empty(&loops(streett.clone(), &[&[0, 2]])));
        assert!(!is_empty(&loops(streett, &[&[0, 2], &[1]])));
    }
}
