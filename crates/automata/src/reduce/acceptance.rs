//! Fewer marks: a mark goes if, in every component, it says nothing that the others do not say already.
//!
//! For generalised Büchi conditions. A mark is superfluous if each cycle that sees all the other marks sees it too. That
//! is asked exactly: no strongly connected part without edges of this mark has all the others.

use crate::emptiness::Subgraph;
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
    let parts: Vec<Subgraph> = components.iter().map(|members| Subgraph::of(automaton, members)).collect();
    let mut kept = required.clone();
    for mark in required.iter() {
        let mut others = kept.clone();
        others.subtract(&std::iter::once(mark).collect());
        let avoidable = |part: &Subgraph| {
            part.without(mark).iter().any(|rest| rest.marks().is_some_and(|seen| others.is_subset(&seen)))
        };
        if !parts.iter().any(avoidable) {
            kept = others;
        }
    }
    kept
}
