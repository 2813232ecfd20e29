//! From formulas to automata.
//!
//! A formula is simplified; its past becomes history bits; what remains is expanded step by step into a generalised Büchi
//! automaton, in several ways; that is reduced. If the language is an obligation its smallest weak deterministic automaton
//! competes, and the smallest of all wins.

mod always;
mod decide;
mod expand;
mod from_formula;
mod history;
mod implication;
mod lift;
mod tableau;
mod term;
mod ways;

use crate::obligation::without_sink;
use crate::{
    Automaton, TooLarge, TranslateOptions, better_start, degeneralize, minimize_obligation, reduce, simplify_acceptance,
};
use decide::decide_parts;
use lariat_logic::{Formula, Propositions};
use ways::weight;

/// The automaton of a formula of linear time, with generalised Büchi acceptance, reduced. It accepts a word iff the
/// formula holds at its first position; proposition `n` of a letter is the formula's `PropId(n)`.
///
/// # Panics
///
/// If the formula has a path quantifier.
pub fn translate(
    formula: &Formula,
    propositions: &Propositions,
    options: &TranslateOptions,
) -> Result<Automaton, TooLarge> {
    let (mut automata, weak) = candidates(formula, propositions, options)?;
    // Of two with the same number of states the deterministic one.
    automata.extend(weak.map(|mut weak| {
        simplify_acceptance(&mut weak);
        weak
    }));
    let smallest = automata.into_iter().rev().min_by_key(Automaton::state_count);
    Ok(smallest.expect("there is at least one candidate"))
}

/// A small state-based Büchi automaton of a formula: the smallest that the means at hand find.
///
/// # Panics
///
/// If the formula has a path quantifier.
pub fn to_buchi(
    formula: &Formula,
    propositions: &Propositions,
    options: &TranslateOptions,
) -> Result<Automaton, TooLarge> {
    let (automata, weak) = candidates(formula, propositions, options)?;
    let mut best: Option<Automaton> = weak;
    let mut refusal = None;
    for automaton in automata {
        match degeneralize(&automaton, options) {
            Ok(mut buchi) => {
                reduce(&mut buchi, options);
                // A weak deterministic automaton goes before others with as many states.
                if best.as_ref().is_none_or(|best| buchi.state_count() < best.state_count()) {
                    best = Some(buchi);
                }
            }
            Err(limit) => refusal = Some(limit),
        }
    }
    best.ok_or_else(|| refusal.expect("without an automaton there was a refusal"))
}

/// Reduced automata, smallest first, and, for an obligation, the smallest weak deterministic one.
fn candidates(
    formula: &Formula,
    propositions: &Propositions,
    options: &TranslateOptions,
) -> Result<(Vec<Automaton>, Option<Automaton>), TooLarge> {
    let formula = decide_parts(&formula.simplified(), propositions, options);
    let mut automata = ways::automata(&formula, propositions, options)?;
    automata.sort_by_key(weight);
    let Ok(complement) = ways::any_automaton(&formula.negated().simplified(), propositions, options) else {
        return Ok((automata, None));
    };
    for automaton in &mut automata {
        better_start(automaton, &complement, options);
    }
    automata.sort_by_key(weight);
    let weak = minimize_obligation(&automata[0], &complement, options).map(without_sink);
    Ok((automata, weak))
}
