//! Automata of formulas, compared with the direct evaluator and with each other.

use crate::{Rng, random_word};
use lariat_automata::{
    Acceptance, Automaton, TooLarge, TranslateOptions, accepted_word, accepts, intersection, to_buchi, translate,
};
use lariat_logic::{Formula, LassoWord, Propositions, holds};

/// Checks the automata of `formula` and of its negation, generalised and state-based: each accepts exactly the words,
/// among `words` random ones and those it names itself, on which its formula holds; and an automaton of the formula and
/// one of the negation accept no word both. The inner error is a refusal, which is no failure.
pub fn check_automata(
    formula: &Formula,
    propositions: &Propositions,
    words: usize,
    seed: u64,
) -> Result<Result<(), TooLarge>, String> {
    let options = TranslateOptions { max_states: 3_000, max_reduction_steps: 1_000_000, ..TranslateOptions::default() };
    let negation = formula.negated();
    let built = || {
        Ok([
            (translate(formula, propositions, &options)?, true, "translate"),
            (to_buchi(formula, propositions, &options)?, true, "to_buchi"),
            (translate(&negation, propositions, &options)?, false, "translate of the negation"),
            (to_buchi(&negation, propositions, &options)?, false, "to_buchi of the negation"),
        ])
    };
    let automata = match built() {
        Ok(automata) => automata,
        Err(refusal) => return Ok(Err(refusal)),
    };
    for (automaton, _, name) in &automata {
        check_form(automaton, *name == "to_buchi" || *name == "to_buchi of the negation", name)?;
    }
    let mut rng = Rng::new(seed);
    let mut tried: Vec<LassoWord> = automata.iter().filter_map(|(automaton, ..)| accepted_word(automaton)).collect();
    tried.extend((0..words).map(|_| random_word(&mut rng, propositions.len() as u32, 4, 4)));
    for word in &tried {
        let expected = holds(formula, word);
        for (automaton, positive, name) in &automata {
            if accepts(automaton, word) != (expected == *positive) {
                return Err(format!("{name} is wrong about {}", word.display(propositions)));
            }
        }
    }
    for (automaton, _, name) in automata.iter().filter(|(_, positive, _)| *positive) {
        for (opposite, _, other) in automata.iter().filter(|(_, positive, _)| !*positive) {
            let Ok(both) = intersection(automaton, opposite, &options) else { continue };
            if let Some(word) = accepted_word(&both) {
                return Err(format!("{name} and {other} both accept {}", word.display(propositions)));
            }
        }
    }
    Ok(Ok(()))
}

fn check_form(automaton: &Automaton, buchi: bool, name: &str) -> Result<(), String> {
    if automaton.acceptance.as_generalized_buchi().is_none() {
        return Err(format!("{name} has the condition {:?}", automaton.acceptance));
    }
    if buchi && (automaton.acceptance != Acceptance::buchi() || !automaton.is_state_based()) {
        return Err(format!("{name} is not a state-based Büchi automaton"));
    }
    Ok(())
}
