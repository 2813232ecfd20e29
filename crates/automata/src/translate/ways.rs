//! The ways to write a formula and to expand it, each with its automaton. None is always the best, all are cheap.

use super::from_formula;
use super::history::History;
use super::tableau::tableau;
use super::term::Terms;
use crate::{Automaton, TooLarge, TranslateOptions, reduce};
use lariat_logic::{Formula, Propositions};

/// Reduced automata of `formula`, at least one; more only as long as they are small.
pub(super) fn automata(
    formula: &Formula,
    propositions: &Propositions,
    options: &TranslateOptions,
) -> Result<Vec<Automaton>, TooLarge> {
    let mut names: Vec<String> = propositions.entries().map(|(id, _)| propositions.text(id).into_owned()).collect();
    let (future, history) = History::split(formula, names.len());
    names.resize(history.extended_count(), String::new());
    let mut terms = Terms::new();
    let plain = from_formula::term(&future, false, &mut terms);
    let lifted = terms.lifted(plain);
    let mut ways = vec![(plain, false), (plain, true), (lifted, false), (lifted, true)];
    if lifted == plain {
        ways.truncate(2);
    }
    let mut found = Vec::new();
    let mut refusal = None;
    for (term, whole_disjunctions) in ways {
        let mut build = || {
            let mut automaton = tableau(term, &mut terms, names.clone(), whole_disjunctions, options)?;
            if !history.is_empty() {
                automaton = history.product(automaton, options)?;
            }
            Ok(automaton)
        };
        match build() {
            Ok(mut automaton) => {
                let large = automaton.state_count() > MAX_STATES_FOR_MORE || automaton.edge_count() > MAX_EDGES_FOR_MORE;
                reduce(&mut automaton, options);
                found.push(automaton);
                if large {
                    break;
                }
            }
            Err(limit) => refusal = Some(limit),
        }
    }
    match refusal {
        Some(limit) if found.is_empty() => Err(limit),
        _ => Ok(found),
    }
}

/// An automaton of the formula, for a question whose answer does not depend on which.
pub(super) fn any_automaton(
    formula: &Formula,
    propositions: &Propositions,
    options: &TranslateOptions,
) -> Result<Automaton, TooLarge> {
    let smallest = automata(formula, propositions, options)?.into_iter().min_by_key(weight);
    Ok(smallest.expect("there is at least one way"))
}

/// What is smaller: fewer states, then fewer edges.
pub(super) fn weight(automaton: &Automaton) -> (usize, usize) {
    (automaton.state_count(), automaton.edge_count())
}

/// Beyond these sizes, before reduction, no further way is tried.
const MAX_STATES_FOR_MORE: usize = 300;
const MAX_EDGES_FOR_MORE: usize = 3_000;
