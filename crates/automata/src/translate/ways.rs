//! The ways to write a formula and to expand it, each with its automaton. None is always the best, all are cheap.

use super::expand::Style;
use super::from_formula;
use super::history::History;
use super::tableau::tableau;
use super::term::{TermId, Terms};
use crate::reduce::reduce_within;
use crate::{Automaton, TooLarge, TranslateOptions};
use lariat_logic::{Formula, Propositions};

/// Reduced automata of `formula`, at least one; more only as long as they are small.
pub(super) fn automata(
    formula: &Formula,
    propositions: &Propositions,
    options: &TranslateOptions,
    steps_left: &mut u64,
) -> Result<Vec<Automaton>, TooLarge> {
    let mut names: Vec<String> = propositions.entries().map(|(id, _)| propositions.text(id).into_owned()).collect();
    let (future, history) = History::split(formula, names.len());
    names.resize(history.extended_count(), String::new());
    let mut terms = Terms::new();
    let plain = from_formula::term(&future, false, &mut terms);
    let lifted = terms.lifted(plain);
    let mut ways =
        vec![(plain, Style::Choices), (plain, Style::Whole), (lifted, Style::Choices), (lifted, Style::Whole)];
    if lifted == plain {
        ways.truncate(2);
    }
    let mut build = |term: TermId, style: Style, means: &TranslateOptions| {
        let mut automaton = tableau(term, &mut terms, names.clone(), style, means)?;
        automaton.guards.set_limit(options.max_guard_nodes);
        if !history.is_empty() {
            automaton = history.product(automaton, means)?;
        }
        let large = automaton.state_count() > MAX_STATES_FOR_MORE || automaton.edge_count() > MAX_EDGES_FOR_MORE;
        reduce_within(&mut automaton, steps_left);
        Ok((automaton.checked()?, large))
    };
    let modest = TranslateOptions {
        max_states: options.max_states.min(MODEST.max_states),
        max_edges: options.max_edges.min(MODEST.max_edges),
        max_guard_nodes: options.max_guard_nodes.min(MODEST.max_guard_nodes),
        max_steps: options.max_steps.min(MODEST.max_steps),
        ..*options
    };
    let mut found = Vec::new();
    for (term, style) in ways {
        match build(term, style, &modest) {
            Ok((automaton, large)) => {
                found.push(automaton);
                if large {
                    break;
                }
            }
            // If one is too much for modest means, so are the others, most likely.
            Err(_) if found.is_empty() => return Ok(vec![build(plain, Style::Covered, options)?.0]),
            Err(_) => break,
        }
    }
    Ok(found)
}

/// An automaton of the formula, for a question whose answer does not depend on which.
pub(super) fn any_automaton(
    formula: &Formula,
    propositions: &Propositions,
    options: &TranslateOptions,
    steps_left: &mut u64,
) -> Result<Automaton, TooLarge> {
    let smallest = automata(formula, propositions, options, steps_left)?.into_iter().min_by_key(weight);
    Ok(smallest.expect("there is at least one way"))
}

/// What is smaller: fewer states, then fewer edges.
pub(super) fn weight(automaton: &Automaton) -> (usize, usize) {
    (automaton.state_count(), automaton.edge_count())
}

/// What telling letters apart may cost.
const MODEST: TranslateOptions = TranslateOptions {
    max_states: 10_000,
    max_edges: 30_000,
    max_guard_nodes: 1 << 16,
    max_steps: 2_000_000,
    max_reduction_steps: 0,
};

/// Beyond these sizes, before reduction, no further way is tried.
const MAX_STATES_FOR_MORE: usize = 300;
const MAX_EDGES_FOR_MORE: usize = 3_000;
