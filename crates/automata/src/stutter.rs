//! Whether a language cares how often a letter is repeated (Michaud, Duret-Lutz, "Practical stutter-invariance checks for
//! omega-regular languages", SPIN 2015).
//!
//! An automaton is made to accept every word that repeats letters of a word it accepts. If two words that differ in
//! repetitions only are one inside and one outside of the language, then a word that repeats the letters of both is
//! accepted by the automaton so made and by that of the complement; and the other way round.

use crate::guards::{Guard, Guards};
use crate::hash::FastMap;
use crate::{Acceptance, Automaton, Edge, Mark, MarkSet, StateId, TooLarge, TranslateOptions, intersection, is_empty};
use lariat_base::{Id, IdVec};

/// Whether no word enters or leaves the language by repeating letters or leaving repetitions out. `complement` accepts
/// exactly the words that `automaton` does not, over the same propositions. Refused with many propositions: the test
/// needs a copy of each state for each letter.
pub fn is_stutter_invariant(
    automaton: &Automaton,
    complement: &Automaton,
    options: &TranslateOptions,
) -> Result<bool, TooLarge> {
    let (repeating, other) = (with_repetitions(automaton, options)?, with_repetitions(complement, options)?);
    Ok(is_empty(&intersection(&repeating, &other, options)?))
}

/// The automaton of all words that repeat letters, each at least once, of a word that `automaton` accepts.
fn with_repetitions(automaton: &Automaton, options: &TranslateOptions) -> Result<Automaton, TooLarge> {
    let used = automaton.all_edges().flat_map(|(_, edge)| automaton.guards.support(edge.guard)).max();
    let propositions = used.map_or(0, |last| last + 1);
    if propositions > MAX_PROPOSITIONS {
        return Err(TooLarge::States { limit: options.max_states });
    }
    let mut guards = Guards::default();
    let letters: Vec<Guard> =
        (0..1u32 << propositions).map(|letter| minterm(letter, propositions, &mut guards)).collect();
    // A repetition carries no mark; without a mark for real steps, repeating for ever would be accepting.
    let progress = Mark(automaton.mark_count());
    let mut states: Vec<(StateId, Option<u32>)> = vec![(automaton.initial, None)];
    let mut place: FastMap<(StateId, Option<u32>), StateId> = FastMap::from_iter([(states[0], StateId(0))]);
    let mut edges = IdVec::<StateId, Vec<Edge>>::new();
    let mut edge_count = 0;
    while edges.len() < states.len() {
        let at = StateId::new(edges.len());
        let (state, last) = states[at.index()];
        let mut list = Vec::new();
        if let Some(letter) = last {
            list.push(Edge { target: at, guard: letters[letter as usize], marks: MarkSet::EMPTY });
        }
        for edge in &automaton.edges[state] {
            let mut marks = edge.marks.clone();
            marks.insert(progress);
            for letter in (0..1u32 << propositions)
                .filter(|letter| automaton.guards.holds(edge.guard, |variable| letter >> variable & 1 == 1))
            {
                let copy = (edge.target, Some(letter));
                let fresh = StateId::new(states.len());
                let target = *place.entry(copy).or_insert(fresh);
                if target == fresh {
                    states.push(copy);
                }
                list.push(Edge { target, guard: letters[letter as usize], marks: marks.clone() });
            }
        }
        edge_count += list.len();
        if states.len() > options.max_states {
            return Err(TooLarge::States { limit: options.max_states });
        }
        if edge_count > options.max_edges {
            return Err(TooLarge::Edges { limit: options.max_edges });
        }
        edges.push(list);
    }
    let acceptance = Acceptance::join([automaton.acceptance.clone(), Acceptance::Inf(progress)], true);
    Ok(Automaton::over(automaton.propositions.clone(), guards, edges, StateId(0), acceptance))
}

fn minterm(letter: u32, propositions: u32, guards: &mut Guards) -> Guard {
    (0..propositions).rev().fold(Guard::TRUE, |minterm, variable| {
        let test = guards.variable(variable);
        if letter >> variable & 1 == 1 { guards.and(test, minterm) } else { guards.minus(minterm, test) }
    })
}

const MAX_PROPOSITIONS: u32 = 10;
