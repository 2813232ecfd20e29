//! Fewer marks: a mark goes if, in every component, it says nothing that the others do not say already.
//!
//! For generalised Büchi conditions. A mark is superfluous if each cycle that sees all the other marks sees it too. That
//! is asked exactly: no strongly connected part without edges of this mark has all the others.

use crate::{Acceptance, Automaton, Components, Mark, MarkSet, StateId};

/// Removes superfluous marks from a generalised Büchi condition and from the edges, and numbers the rest from 0; other
/// conditions lose the marks that they do not mention. Same language.
pub fn simplify_acceptance(automaton: &mut Automaton) {
    let mentioned = automaton.acceptance.marks();
    let kept = match automaton.acceptance.as_generalized_buchi() {
        Some(required) => {
            let components = Components::of(automaton);
            necessary_marks(automaton, components.members(), &required)
        }
        None => mentioned.clone(),
    };
    let order: Vec<Mark> = kept.iter().collect();
    let rename = |mark: Mark| order.iter().position(|&other| other == mark).map(|at| Mark(at as u32));
    if automaton.acceptance.as_generalized_buchi().is_some() {
        automaton.acceptance = Acceptance::all_of(&MarkSet::first(order.len() as u32));
    } else {
        automaton.acceptance = automaton.acceptance.rename(|mark| rename(mark).unwrap_or(mark));
    }
    for edge in automaton.edges.iter_mut().flatten() {
        edge.marks = edge.marks.iter().filter_map(rename).collect();
    }
}

/// A smallest set of marks (none can be left out) that, within `components`, requires what `required` does.
pub(crate) fn necessary_marks(automaton: &Automaton, components: &[Vec<StateId>], required: &MarkSet) -> MarkSet {
    let mut kept = required.clone();
    for mark in required.iter() {
        let mut others = kept.clone();
        others.subtract(&std::iter::once(mark).collect());
        if components.iter().all(|members| !some_part_without(automaton, members, mark, &others)) {
            kept = others;
        }
    }
    kept
}

/// Whether a cycle in `members` sees all of `others` without seeing `mark`.
pub(crate) fn some_part_without(automaton: &Automaton, members: &[StateId], mark: Mark, others: &MarkSet) -> bool {
    let mut inside = vec![false; automaton.state_count()];
    members.iter().for_each(|state| inside[state.0 as usize] = true);
    let parts = Components::within(automaton, members.iter().copied(), |_, edge| {
        inside[edge.target.0 as usize] && !edge.marks.contains(mark)
    });
    parts.members().iter().any(|part| {
        let edges = part.iter().flat_map(|&state| &automaton.edges[state]).filter(|edge| {
            !edge.marks.contains(mark)
                && inside[edge.target.0 as usize]
                && parts.together(part[0], edge.target)
        });
        let (mut seen, mut any) = (MarkSet::EMPTY, false);
        for edge in edges {
            seen.union_with(&edge.marks);
            any = true;
        }
        any && others.is_subset(&seen)
    })
}
