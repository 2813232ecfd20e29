//! What is printed reads back as what it was.

use lariat_logic::{Dialect, Formula, ParseOptions, Propositions, holds, parse, print};
use lariat_testkit::{FormulaKnobs, Rng, check_random_formulas, random_word};

fn read_back(formula: &Formula, props: &Propositions, dialect: Dialect, quantifiers: bool) -> Result<(), String> {
    let text = print(formula, props, dialect);
    let mut known = props.clone();
    let options = ParseOptions { dialect, quantifiers, ..ParseOptions::default() };
    let again = parse(&text, options, &mut known).map_err(|error| format!("{text}: {}", error.message))?;
    if known.len() != props.len() {
        return Err(format!("{text}: a new proposition"));
    }
    if again == *formula { Ok(()) } else { Err(format!("{text} reads as {}", print(&again, props, dialect))) }
}

/// Names of all kinds, some of them the names of operators.
fn odd_names() -> Propositions {
    Propositions::named([
        "x", "U", "x > 3", "P[1]@cs", "a b", "G", "Fp", "q?[m, 1]", "\"\\", "-y == 2", "true", "1", "S", "always",
    ])
}

#[test]
fn in_our_own_spelling() {
    let knobs = FormulaKnobs { operators: 12, props: 14, quantifiers: true, ..FormulaKnobs::default() };
    check_random_formulas(0..20_000, &knobs, |formula| read_back(formula, &odd_names(), Dialect::Auto, true));
}

#[test]
fn in_spots_spelling() {
    let knobs = FormulaKnobs { operators: 12, props: 14, past: false, ..FormulaKnobs::default() };
    check_random_formulas(0..20_000, &knobs, |formula| read_back(formula, &odd_names(), Dialect::Spot, false));
}

#[test]
fn in_nusmvs_spelling() {
    let knobs = FormulaKnobs { operators: 12, props: 14, quantifiers: true, ..FormulaKnobs::default() };
    check_random_formulas(0..20_000, &knobs, |formula| {
        let lacks = |part: &Formula| matches!(part, Formula::WeakUntil(..) | Formula::StrongRelease(..));
        if formula.any(&lacks) { Ok(()) } else { read_back(formula, &odd_names(), Dialect::Nusmv, true) }
    });
}

#[test]
fn in_spins_spelling() {
    let knobs = FormulaKnobs { operators: 12, props: 14, past: false, ..FormulaKnobs::default() };
    check_random_formulas(0..20_000, &knobs, |formula| {
        let lacks = |part: &Formula| matches!(part, Formula::Xor(..) | Formula::StrongRelease(..));
        if formula.any(&lacks) { Ok(()) } else { read_back(formula, &odd_names(), Dialect::Spin, false) }
    });
}

#[test]
fn what_a_dialect_lacks_is_said_otherwise() {
    let knobs = FormulaKnobs { operators: 10, past: false, ..FormulaKnobs::default() };
    let mut rng = Rng::new(3);
    for dialect in [Dialect::Spin, Dialect::Nusmv] {
        check_random_formulas(0..5_000, &knobs, |formula| {
            let mut props = knobs.propositions();
            let text = print(formula, &props, dialect);
            let options = ParseOptions { dialect, ..ParseOptions::default() };
            let again = parse(&text, options, &mut props).map_err(|error| format!("{text}: {}", error.message))?;
            for _ in 0..5 {
                let word = random_word(&mut rng, knobs.props, 4, 4);
                if holds(formula, &word) != holds(&again, &word) {
                    return Err(format!("{text} differs on {word:?}"));
                }
            }
            Ok(())
        });
    }
}
