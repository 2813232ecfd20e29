//! From formulas to automata.

mod always;
mod expand;
mod from_formula;
mod history;
mod implication;
mod lift;
mod tableau;
mod term;

use crate::obligation::without_sink;
use crate::{
    Automaton, TooLarge, TranslateOptions, degeneralize, minimize_obligation, reduce, simplify_acceptance,
};
use history::History;
use lariat_logic::{Formula, Propositions};
use tableau::tableau;
use term::{TermId, Terms};

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
    let (general, weak) = candidates(formula, propositions, options)?;
    Ok(match weak {
        Some(mut weak) if weak.state_count() <= general.state_count() => {
            simplify_acceptance(&mut weak);
            weak
        }
        _ => general,
    })
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
    let (general, weak) = candidates(formula, propositions, options)?;
    let mut buchi = degeneralize(&general, options)?;
    reduce(&mut buchi, options);
    Ok(match weak {
        Some(weak) if weak.state_count() <= buchi.state_count() => weak,
        _ => buchi,
    })
}

/// The reduced automaton and, for an obligation, the smallest weak deterministic one.
fn candidates(
    formula: &Formula,
    propositions: &Propositions,
    options: &TranslateOptions,
) -> Result<(Automaton, Option<Automaton>), TooLarge> {
    let formula = formula.simplified();
    let general = reduced(&formula, propositions, options)?;
    let weak = reduced(&formula.negated().simplified(), propositions, options)
        .ok()
        .and_then(|complement| minimize_obligation(&general, &complement, options))
        .map(without_sink);
    Ok((general, weak))
}

/// The smallest reduced automaton among those of the ways to write the formula.
fn reduced(
    formula: &Formula,
    propositions: &Propositions,
    options: &TranslateOptions,
) -> Result<Automaton, TooLarge> {
    let names: Vec<String> = propositions.entries().map(|(id, _)| propositions.text(id).into_owned()).collect();
    let (future, history) = History::split(formula, names.len());
    let mut extended = names;
    extended.resize(history.extended_count(), String::new());
    let mut terms = Terms::new();
    let plain = from_formula::term(&future, false, &mut terms);
    let lifted = terms.lifted(plain);
    let mut build = |term: TermId| {
        let mut automaton = tableau(term, &mut terms, extended.clone(), options)?;
        if !history.is_empty() {
            automaton = history.product(automaton, options)?;
        }
        reduce(&mut automaton, options);
        Ok(automaton)
    };
    let first = build(plain);
    match &first {
        Ok(automaton) if automaton.state_count() > MAX_STATES_FOR_SECOND_WAY => return first,
        _ if lifted == plain => return first,
        _ => {}
    }
    match (first, build(lifted)) {
        (Ok(first), Ok(second)) => Ok(if weight(&second) < weight(&first) { second } else { first }),
        (first, second) => second.or(first),
    }
}

/// A second way to write a formula is tried only if the first led to no more states than this.
const MAX_STATES_FOR_SECOND_WAY: usize = 500;

fn weight(automaton: &Automaton) -> (usize, usize) {
    (automaton.state_count(), automaton.edge_count())
}
