//! Parts of a formula that are always true or always false, found by translating them.
//!
//! Formulas are put together by programs and by hand from parts that are tautologies, or contradict each other, in ways no
//! rewriting rule sees. Emptiness of the part's automaton sees it. Done for operands of the Boolean operators at the top,
//! as long as they are small.

use super::ways::any_automaton;
use crate::{TranslateOptions, is_empty};
use lariat_logic::{Formula, Propositions};

/// The same formula, with parts replaced by constants where their automata tell.
pub(super) fn decide_parts(formula: &Formula, propositions: &Propositions, steps_left: &mut u64) -> Formula {
    let small = TranslateOptions {
        max_states: 200,
        max_edges: 2_000,
        max_guard_nodes: 1 << 14,
        max_steps: 200_000,
        ..TranslateOptions::default()
    };
    match formula {
        Formula::Not(_) | Formula::And(_) | Formula::Or(_) | Formula::Implies(..) | Formula::Iff(..)
            if formula.size() <= MAX_SIZE =>
        {
            formula.map_operands(|part| decide(part, propositions, &small, steps_left)).simplified()
        }
        _ => formula.clone(),
    }
}

fn decide(formula: &Formula, propositions: &Propositions, options: &TranslateOptions, steps_left: &mut u64) -> Formula {
    let mut operators = 0;
    formula.visit(&mut |part| operators += usize::from(part.is_future_operator() || part.is_past_operator()));
    if operators < 2 {
        return formula.clone();
    }
    let mut never = |formula: &Formula| {
        any_automaton(formula, propositions, options, steps_left).is_ok_and(|automaton| is_empty(&automaton))
    };
    match () {
        _ if never(formula) => Formula::False,
        _ if never(&formula.negated()) => Formula::True,
        _ => formula.clone(),
    }
}

/// Larger formulas are left as they are.
const MAX_SIZE: usize = 60;
