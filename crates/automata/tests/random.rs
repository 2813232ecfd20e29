//! Automata of random formulas agree with the direct evaluator. `cargo xtask automata` runs as many as you like.

use lariat_testkit::{FormulaKnobs, check_automata, check_random_formulas};

fn check(seeds: std::ops::Range<u64>, knobs: &FormulaKnobs) {
    let propositions = knobs.propositions();
    check_random_formulas(seeds, knobs, |formula| check_automata(formula, &propositions, 10, 7).map(|_| ()));
}

#[test]
fn formulas_with_past() {
    check(0..100, &FormulaKnobs { operators: 6, ..FormulaKnobs::default() });
}

#[test]
fn formulas_without_past() {
    check(0..150, &FormulaKnobs { past: false, ..FormulaKnobs::default() });
}
