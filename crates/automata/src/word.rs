//! Words and automata: whether a word is accepted, and a word that is.

use crate::guards::Guard;
use crate::{AcceptingPart, Automaton, Edge, MarkSet, StateId, accepting_part};
use lariat_base::{Id, IdVec};
use lariat_logic::{LassoWord, Letter, PropId};
use std::collections::VecDeque;

/// Whether the automaton accepts the word: whether its product with the word's positions has an accepting run. For any
/// acceptance condition; slow and plain, for tests and for checking what others found.
pub fn accepts(automaton: &Automaton, word: &LassoWord) -> bool {
    let positions = word.prefix.len() + word.cycle.len();
    let place = |state: StateId, position: usize| StateId::new(state.index() * positions + position);
    let mut product = Automaton::empty(Vec::new(), automaton.acceptance.clone());
    product.edges = IdVec::new();
    for state in automaton.edges.ids() {
        for position in 0..positions {
            let next = if position + 1 == positions { word.prefix.len() } else { position + 1 };
            let letter = word.letter(position);
            let moves = automaton.moves(state, |variable| letter.contains(PropId(variable)));
            let list = moves.map(|edge| Edge { target: place(edge.target, next), ..edge.clone() }).collect();
            product.edges.push(list);
        }
    }
    product.initial = place(automaton.initial, 0);
    accepting_part(&product).is_some()
}

/// A word that the automaton accepts, if there is one. Propositions that do not matter are false.
pub fn accepted_word(automaton: &Automaton) -> Option<LassoWord> {
    let part = accepting_part(automaton)?;
    let entry = *part.states.first()?;
    let prefix = match entry == automaton.initial {
        true => Vec::new(),
        false => path(automaton, automaton.initial, &|_| true, &|edge| edge.target == entry)?.0,
    };
    let inside =
        |edge: &Edge| part.states.contains(&edge.target) && !part.without.iter().any(|mark| edge.marks.contains(mark));
    let (mut cycle, mut at) = (Vec::new(), entry);
    for mark in marks_of(automaton, &part, &inside).iter() {
        let (guards, end) = path(automaton, at, &inside, &|edge| edge.marks.contains(mark))?;
        cycle.extend(guards);
        at = end;
    }
    if at != entry || cycle.is_empty() {
        cycle.extend(path(automaton, at, &inside, &|edge| edge.target == entry)?.0);
    }
    let letters = |guards: &[Guard]| guards.iter().map(|&guard| letter(automaton, guard)).collect();
    Some(LassoWord::new(letters(&prefix), letters(&cycle)))
}

fn marks_of(automaton: &Automaton, part: &AcceptingPart, inside: &dyn Fn(&Edge) -> bool) -> MarkSet {
    let edges = part.states.iter().flat_map(|&state| &automaton.edges[state]).filter(|edge| inside(edge));
    edges.fold(MarkSet::EMPTY, |all, edge| all.union(&edge.marks))
}

/// The guards of a shortest path of at least one edge, by edges of `follow`, whose last one is `wanted`; and its end.
fn path(
    automaton: &Automaton,
    start: StateId,
    follow: &dyn Fn(&Edge) -> bool,
    wanted: &dyn Fn(&Edge) -> bool,
) -> Option<(Vec<Guard>, StateId)> {
    let mut before: IdVec<StateId, Option<(StateId, Guard)>> = automaton.edges.ids().map(|_| None).collect();
    let mut queue = VecDeque::from([start]);
    while let Some(state) = queue.pop_front() {
        for edge in automaton.edges[state].iter().filter(|edge| follow(edge)) {
            if wanted(edge) {
                let mut guards = vec![edge.guard];
                let mut at = state;
                while at != start {
                    let (previous, guard) = before[at]?;
                    guards.push(guard);
                    at = previous;
                }
                guards.reverse();
                return Some((guards, edge.target));
            }
            if edge.target != start && before[edge.target].is_none() {
                before[edge.target] = Some((state, edge.guard));
                queue.push_back(edge.target);
            }
        }
    }
    None
}

/// A letter that satisfies the guard, with as few propositions as the diagram shows.
fn letter(automaton: &Automaton, mut guard: Guard) -> Letter {
    let mut letter = Letter::empty();
    while let Some((variable, low, high)) = automaton.guards.branch(guard) {
        if low == Guard::FALSE {
            letter.insert(PropId(variable));
            guard = high;
        } else {
            guard = low;
        }
    }
    letter
}
