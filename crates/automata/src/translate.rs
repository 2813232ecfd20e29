//! From formulas to automata.

mod expand;
mod from_formula;
mod history;
mod implication;
mod tableau;
mod term;

use crate::obligation::without_sink;
use crate::{
    Automaton, TooLarge, TranslateOptions, degeneralize, minimize_obligation, reduce, simplify_acceptance,
};
use history::History;
use lariat_logic::{Formula, Propositions};

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
    let general = reduced(formula, propositions, options)?;
    let weak = reduced(&formula.negated(), propositions, options)
        .ok()
        .and_then(|complement| minimize_obligation(&general, &complement, options))
        .map(without_sink);
    Ok((general, weak))
}

fn reduced(
    formula: &Formula,
    propositions: &Propositions,
    options: &TranslateOptions,
) -> Result<Automaton, TooLarge> {
    let mut automaton = translate_plainly(formula, propositions, options)?;
    reduce(&mut automaton, options);
    Ok(automaton)
}

/// The automaton as the construction gives it.
fn translate_plainly(
    formula: &Formula,
    propositions: &Propositions,
    options: &TranslateOptions,
) -> Result<Automaton, TooLarge> {
    let names: Vec<String> = propositions.entries().map(|(id, _)| propositions.text(id).into_owned()).collect();
    let (future, history) = History::split(formula, names.len());
    let mut extended = names;
    extended.resize(history.extended_count(), String::new());
    let mut terms = term::Terms::new();
    let term = from_formula::term(&future, false, &mut terms);
    let automaton = tableau::tableau(term, &mut terms, extended, options)?;
    if history.is_empty() { Ok(automaton) } else { history.product(automaton, options) }
}
