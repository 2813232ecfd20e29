//! Smallest weak deterministic Büchi automata, for languages that have one: the obligations.
//!
//! The subset construction gives the transitions. Whether a component of subsets accepts is decided by one of its cycles:
//! for an obligation all its cycles are accepted or none is (Dax, Eisinger, Klaedtke, "Mechanizing the powerset
//! construction for restricted classes of omega-automata", ATVA 2007). Löding's colours ("Efficient minimization of
//! deterministic weak omega-automata", IPL 2001) settle states off all cycles, and then minimisation is that of finite
//! automata. If the language is no obligation the result accepts something else, so it is compared with the automata of
//! the language and of its complement.

use crate::determinize::Subsets;
use crate::guards::Guard;
use crate::{
    Acceptance, Automaton, Components, Edge, Mark, MarkSet, StateId, TooLarge, TranslateOptions, intersection,
    is_empty, trim,
};
use lariat_base::{Id, IdVec};

/// The smallest weak deterministic Büchi automaton of the language of `automaton`, complete and state-based; nothing if
/// the language has none, or if a limit was met. `complement` accepts exactly the words that `automaton` does not.
pub fn minimize_obligation(
    automaton: &Automaton,
    complement: &Automaton,
    options: &TranslateOptions,
) -> Option<Automaton> {
    decide_obligation(automaton, complement, options).ok().flatten()
}

/// The same; nothing just if the language has none.
pub(crate) fn decide_obligation(
    automaton: &Automaton,
    complement: &Automaton,
    options: &TranslateOptions,
) -> Result<Option<Automaton>, TooLarge> {
    let weak = candidate(automaton, options)?;
    let mut opposite = weak.clone();
    opposite.acceptance = weak.acceptance.complement();
    let nothing_in = |a: &Automaton, b: &Automaton| Ok(is_empty(&intersection(a, b, options)?));
    Ok((nothing_in(automaton, &opposite)? && nothing_in(complement, &weak)?).then_some(weak))
}

/// The automaton that is the language's smallest weak deterministic one if the language is an obligation.
fn candidate(automaton: &Automaton, options: &TranslateOptions) -> Result<Automaton, TooLarge> {
    let max_states = options.max_states.min(MAX_SUBSETS_EACH * automaton.state_count() + 100);
    let mut subsets = Subsets::of(automaton, max_states, options.max_edges)?;
    let graph = as_graph(&subsets);
    let components = Components::of(&graph);
    let mut colors = vec![0; subsets.members.len()];
    // Successors first. Even colours accept; no state has a larger colour than its successors.
    for members in components.members() {
        let successors = members.iter().flat_map(|&state| &graph.edges[state]);
        let beyond = successors.filter(|edge| !components.together(members[0], edge.target));
        let least = beyond.map(|edge| colors[edge.target.index()]).min().unwrap_or(TOP_COLOR);
        let color = match cycle_from(&graph, &components, members[0]) {
            None => least,
            Some(cycle) => {
                let accepts = accepts_cycle(automaton, &subsets, members[0], &cycle);
                if accepts == (least % 2 == 0) { least } else { least - 1 }
            }
        };
        members.iter().for_each(|state| colors[state.index()] = color);
    }
    let accepting: Vec<u32> = colors.iter().map(|color| 1 - color % 2).collect();
    let classes = subsets.classes(&accepting);
    let marks = |state: usize| if accepting[state] == 1 { MarkSet::first(1) } else { MarkSet::EMPTY };
    let mut weak = subsets.quotient(&classes, automaton, Acceptance::Inf(Mark(0)), marks);
    weak.renumber();
    weak.compact_guards();
    weak.checked()
}

/// How many subsets are tried for each state before the construction is given up.
const MAX_SUBSETS_EACH: usize = 50;

/// An even number larger than any chain of components.
const TOP_COLOR: u32 = 1 << 30;

fn as_graph(subsets: &Subsets) -> Automaton {
    let edges = subsets.moves.iter().map(|moves| {
        let edge = |&(guard, next): &(Guard, usize)| Edge { target: StateId::new(next), guard, marks: MarkSet::EMPTY };
        moves.iter().map(edge).collect()
    });
    let mut graph = Automaton::empty(Vec::new(), Acceptance::True);
    graph.edges = edges.collect();
    graph
}

/// Guards along a cycle from `start` back to it, if there is one.
fn cycle_from(graph: &Automaton, components: &Components, start: StateId) -> Option<Vec<Guard>> {
    let mut before: IdVec<StateId, Option<(StateId, Guard)>> = graph.edges.ids().map(|_| None).collect();
    let mut queue = std::collections::VecDeque::from([start]);
    while let Some(state) = queue.pop_front() {
        for edge in graph.edges[state].iter().filter(|edge| components.together(start, edge.target)) {
            if edge.target == start {
                let mut cycle = vec![edge.guard];
                let mut at = state;
                while at != start {
                    let (previous, guard) = before[at].expect("states of the queue were reached");
                    cycle.push(guard);
                    at = previous;
                }
                cycle.reverse();
                return Some(cycle);
            }
            if before[edge.target].is_none() {
                before[edge.target] = Some((state, edge.guard));
                queue.push_back(edge.target);
            }
        }
    }
    None
}

/// Whether the automaton accepts, from some state of the subset, the word that repeats the cycle for ever. Any letter of
/// a guard will do: all of them lead from subset to subset alike, but not from state to state, so one is picked.
fn accepts_cycle(automaton: &Automaton, subsets: &Subsets, subset: StateId, cycle: &[Guard]) -> bool {
    let letters: Vec<Vec<u32>> = cycle.iter().map(|&guard| one_letter(subsets, guard)).collect();
    let length = cycle.len();
    let place = |state: StateId, at: usize| StateId::new(state.index() * length + at);
    let mut product = Automaton::empty(Vec::new(), automaton.acceptance.clone());
    product.edges = IdVec::new();
    for state in automaton.edges.ids() {
        for (at, letter) in letters.iter().enumerate() {
            let moves = automaton.moves(state, |variable| letter.contains(&variable));
            let edge = |edge: &Edge| Edge { target: place(edge.target, (at + 1) % length), ..edge.clone() };
            let list = moves.map(edge).collect();
            product.edges.push(list);
        }
    }
    subsets.members[subset.index()].iter().any(|&state| {
        product.initial = place(state, 0);
        !is_empty(&product)
    })
}

/// The true variables of some letter that satisfies the guard.
fn one_letter(subsets: &Subsets, mut guard: Guard) -> Vec<u32> {
    let mut letter = Vec::new();
    while let Some((variable, low, high)) = subsets.guards.branch(guard) {
        if low == Guard::FALSE {
            letter.push(variable);
        }
        guard = if low == Guard::FALSE { high } else { low };
    }
    letter
}

/// Removes what a complete automaton has for the words it rejects. Same language.
pub(crate) fn without_sink(mut weak: Automaton) -> Automaton {
    trim(&mut weak);
    weak.renumber();
    weak
}
