//! Removes what no accepting run uses, and settles marks that cannot matter.

use crate::emptiness::Subgraph;
use crate::{Automaton, Components, MarkSet, StateId, accepting_part_of};

/// Which marks to put on edges that no cycle takes. Either is right; each lets simulation see other things.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OffCycles {
    /// None: such an edge asks nothing of the edge that answers it.
    Bare,
    /// All: such an edge answers any other.
    Marked,
}

/// Keeps the states that are reachable and from which some word is accepted. Same language.
pub fn trim(automaton: &mut Automaton) {
    let components = Components::of(automaton);
    let mut useful: Vec<bool> =
        components.members().iter().map(|members| accepting_part_of(automaton, members).is_some()).collect();
    // Components are numbered so that successors come first.
    for (number, members) in components.members().iter().enumerate() {
        useful[number] |= members
            .iter()
            .flat_map(|&state| &automaton.edges[state])
            .any(|edge| components.component(edge.target).is_some_and(|target| useful[target]));
    }
    automaton.retain(|state| components.component(state).is_some_and(|component| useful[component]));
}

/// Settles marks that cannot matter, for a generalised Büchi condition: none where no cycle is accepting, all where
/// every cycle is, and as `off_cycles` says on edges off all cycles. Same language; with `state_based` all edges that
/// leave a state are treated alike, and state-based automata stay so.
pub fn settle_marks(automaton: &mut Automaton, off_cycles: OffCycles, state_based: bool) {
    let Some(required) = automaton.acceptance.as_generalized_buchi() else { return };
    let components = Components::of(automaton);
    let marks_of: Vec<Option<MarkSet>> = components
        .members()
        .iter()
        .map(|members| match accepting_part_of(automaton, members) {
            None => Some(MarkSet::EMPTY),
            Some(_) if all_cycles_accept(automaton, members, &required) => Some(required.clone()),
            Some(_) => None,
        })
        .collect();
    let settled_off_cycles = if off_cycles == OffCycles::Marked { required } else { MarkSet::EMPTY };
    for state in automaton.edges.ids() {
        let Some(component) = components.component(state) else { continue };
        let on_cycle = |target: StateId| components.component(target) == Some(component);
        let any_on_cycle = automaton.edges[state].iter().any(|edge| on_cycle(edge.target));
        for edge in &mut automaton.edges[state] {
            let cycles = if state_based { any_on_cycle } else { on_cycle(edge.target) };
            match &marks_of[component] {
                _ if !cycles => edge.marks = settled_off_cycles.clone(),
                Some(marks) => edge.marks = marks.clone(),
                None => {}
            }
        }
    }
}

/// Whether every cycle among `members`, a component, sees all of `required`.
pub(crate) fn all_cycles_accept(automaton: &Automaton, members: &[StateId], required: &MarkSet) -> bool {
    let part = Subgraph::of(automaton, members);
    required.iter().all(|mark| part.without(mark).iter().all(|rest| rest.marks().is_none()))
}
