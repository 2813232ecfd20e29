//! Monitors: the smallest deterministic automaton that notices, as early as possible, that a word can no longer be
//! accepted (d'Amorim, Roşu, CAV 2005). It accepts the safety closure of the language: the words all of whose prefixes
//! can be continued to a word of the language.

use crate::determinize::Subsets;
use crate::{Acceptance, Automaton, MarkSet, TooLarge, TranslateOptions, trim};
use lariat_base::Id;

/// The monitor of the language of `automaton`. Every run is accepting; a word without a run has a bad prefix, and the
/// run ends at the earliest one.
pub fn monitor(automaton: &Automaton, options: &TranslateOptions) -> Result<Automaton, TooLarge> {
    let mut useful = automaton.clone();
    trim(&mut useful);
    let mut subsets = Subsets::of(&useful, options.max_states, options.max_edges)?;
    // After trimming every state can still accept something, unless nothing is accepted at all.
    let nothing = useful.edges[useful.initial].is_empty();
    let alive: Vec<u32> = subsets.members.iter().map(|members| u32::from(!members.is_empty() && !nothing)).collect();
    let classes = subsets.classes(&alive);
    let alive_of_class: Vec<bool> = {
        let count = classes.iter().max().map_or(0, |last| last + 1);
        (0..count)
            .map(|class| classes.iter().zip(&alive).any(|(&other, &alive)| other == class && alive == 1))
            .collect()
    };
    let mut monitor = subsets.quotient(&classes, automaton, Acceptance::True, |_| MarkSet::EMPTY);
    monitor.retain(|state| alive_of_class[state.index()]);
    monitor.renumber();
    monitor.compact_guards();
    monitor.checked()
}
