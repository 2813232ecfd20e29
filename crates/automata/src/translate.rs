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
use crate::reduce::{better_start_within, reduce_within};
use crate::{Automaton, TooLarge, TranslateOptions, degeneralize, minimize_obligation, simplify_acceptance};
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
    let (mut automata, weak) = candidates(formula, propositions, options, &mut options.max_reduction_steps.clone())?;
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
    let mut steps_left = options.max_reduction_steps;
    let (automata, weak) = candidates(formula, propositions, options, &mut steps_left)?;
    let mut best: Option<Automaton> = weak;
    let mut refusal = None;
    for automaton in automata {
        match degeneralize(&automaton, options) {
            Ok(mut buchi) => {
                reduce_within(&mut buchi, &mut steps_left);
                let buchi = buchi.checked()?;
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
    steps_left: &mut u64,
) -> Result<(Vec<Automaton>, Option<Automaton>), TooLarge> {
    let formula = decide_parts(&formula.simplified(), propositions, steps_left);
    let mut automata = ways::automata(&formula, propositions, options, steps_left)?;
    automata.sort_by_key(weight);
    let small = TranslateOptions {
        max_states: options.max_states.min(2_000),
        max_edges: options.max_edges.min(20_000),
        max_guard_nodes: options.max_guard_nodes.min(1 << 16),
        max_steps: options.max_steps.min(3_000_000),
        ..*options
    };
    if automata[0].edge_count() > small.max_edges {
        return Ok((automata, None));
    }
    let Ok(complement) = ways::any_automaton(&formula.negated().simplified(), propositions, &small, steps_left) else {
        return Ok((automata, None));
    };
    for automaton in &mut automata {
        better_start_within(automaton, &complement, &small, steps_left);
    }
    automata.sort_by_key(weight);
    let weak = minimize_obligation(&automata[0], &complement, &small).map(without_sink);
    Ok((automata, weak))
}
