//! Large formulas get an answer or a refusal, never a hang.

use lariat_automata::{TooLarge, TranslateOptions, to_buchi};
use lariat_logic::{Dialect, ParseOptions, Propositions, parse};
use lariat_testkit::{FormulaKnobs, random_formula};

fn states(text: &str, options: &TranslateOptions) -> Result<usize, TooLarge> {
    let mut propositions = Propositions::default();
    let dialect = ParseOptions { dialect: Dialect::Spot, ..ParseOptions::default() };
    let formula = parse(text, dialect, &mut propositions).expect("a formula");
    to_buchi(&formula, &propositions, options).map(|automaton| automaton.state_count())
}

fn nested(operator: &str, rightwards: bool) -> String {
    (1..21).fold("p0".to_owned(), |inner, at| match rightwards {
        true => format!("p{at} {operator} ({inner})"),
        false => format!("({inner}) {operator} p{at}"),
    })
}

#[test]
fn nested_untils() {
    let options = TranslateOptions::default();
    assert_eq!(states(&nested("U", true), &options), Ok(21));
    assert_eq!(states(&nested("R", false), &options), Ok(21));
    let small = TranslateOptions { max_guard_nodes: 1 << 14, max_edges: 5_000, ..options };
    assert!(states(&nested("U", false), &small).is_err());
    assert!(states(&format!("!({})", nested("U", true)), &small).is_err());
}

#[test]
fn the_formula_that_takes_spin_nine_seconds() {
    assert_eq!(states("G(p -> (a | (b W c) | (d W c) | (e W c)))", &TranslateOptions::default()), Ok(4));
}

#[test]
fn many_propositions_and_operators() {
    let options = TranslateOptions {
        max_states: 500,
        max_edges: 5_000,
        max_guard_nodes: 1 << 14,
        max_steps: 200_000,
        max_reduction_steps: 50_000,
    };
    let wide = (0..64).map(|at| format!("p{at}")).collect::<Vec<_>>().join(" | ");
    assert_eq!(states(&format!("G F ({wide})"), &options), Ok(2));
    let every = (0..20).map(|at| format!("F p{at}")).collect::<Vec<_>>().join(" & ");
    assert!(states(&every, &options).is_err());
    let knobs = FormulaKnobs { operators: 50, props: 64, ..FormulaKnobs::default() };
    let propositions = knobs.propositions();
    let answers = (0..20).filter(|&seed| to_buchi(&random_formula(seed, &knobs), &propositions, &options).is_ok());
    assert!(answers.count() > 5);
}

#[test]
fn refusals_say_what_was_too_large() {
    let options = TranslateOptions { max_states: 3, ..TranslateOptions::default() };
    let refusal = states("F a & F b & F c", &options).unwrap_err();
    assert_eq!(refusal.to_string(), "the automaton would have more than 3 states");
}

#[test]
fn deep_formulas_fit_the_stack() {
    let options = TranslateOptions { max_edges: 2_000, max_guard_nodes: 1 << 12, ..TranslateOptions::default() };
    assert_eq!(states(&format!("{}a", "X ".repeat(400)), &options), Ok(402));
    let alternating = |levels: usize| {
        (0..levels).fold("a".to_owned(), |inner, at| {
            let operators = ["U", "R", "W", "M", "S", "T"];
            format!("b{} {} ({inner})", at % 3, operators[at % operators.len()])
        })
    };
    // An answer or a refusal, as long as there is one.
    let mut propositions = Propositions::default();
    for levels in [50, 240] {
        let formula = parse(&alternating(levels), ParseOptions::default(), &mut propositions).expect("a formula");
        let _ = to_buchi(&formula, &propositions, &options);
    }
}
