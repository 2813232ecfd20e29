//! Automata of random formulas agree with the direct evaluator. `cargo xtask automata` runs as many as you like.

use lariat_automata::{TranslateOptions, accepts, to_buchi, translate};
use lariat_logic::{ParseOptions, Propositions, holds, parse};
use lariat_testkit::{FormulaKnobs, Rng, check_automata, check_random_formulas, random_word};

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

/// Formulas on which something was wrong once.
#[test]
fn kept_from_earlier() {
    for text in [
        // `F b` must not be left to `G X F b`, which never promises it.
        "G (a & X F (b & X F c))",
        "G (a -> F (b & X F c))",
        // An initial state that can be left for one with the same language.
        "(G F a) xor (G F b)",
        // Future below past: the guess must be right for ever, not only once.
        "a S X b",
        "G (O (a U b) -> F c)",
        "H F a",
        "Y (a U Y b)",
    ] {
        let mut propositions = Propositions::named(["a", "b", "c"]);
        let formula = parse(text, ParseOptions::default(), &mut propositions).expect("a formula");
        let outcome = check_automata(&formula, &propositions, 60, 3);
        assert!(matches!(outcome, Ok(Ok(()))), "{text}: {outcome:?}");
    }
}

/// Too few nodes for the guards: a refusal, or the right automaton, whichever operation it was that ran out.
#[test]
fn an_overflow_is_never_an_answer() {
    let knobs = FormulaKnobs { operators: 6, props: 4, ..FormulaKnobs::default() };
    let propositions = knobs.propositions();
    let mut rng = Rng::new(9);
    let mut outcomes = [0, 0];
    check_random_formulas(0..50, &knobs, |formula| {
        for max_guard_nodes in [8, 12, 16, 24, 32, 48, 64, 100] {
            let options = TranslateOptions { max_guard_nodes, ..TranslateOptions::default() };
            for build in [translate, to_buchi] {
                let Ok(automaton) = build(formula, &propositions, &options) else {
                    outcomes[0] += 1;
                    continue;
                };
                outcomes[1] += 1;
                for _ in 0..4 {
                    let word = random_word(&mut rng, 4, 3, 3);
                    if accepts(&automaton, &word) != holds(formula, &word) {
                        return Err(format!("wrong with {max_guard_nodes} nodes: {}", word.display(&propositions)));
                    }
                }
            }
        }
        Ok(())
    });
    assert!(outcomes.iter().all(|&count| count > 50), "both happen: {outcomes:?}");
}
