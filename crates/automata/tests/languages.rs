//! What automata tell about the languages of formulas: hierarchy, stuttering, strength, monitors.

use lariat_automata::{
    Analysis, Automaton, Hierarchy, Strength, TranslateOptions, accepts, complement_of_weak, intersection, is_empty,
    is_stutter_invariant, minimize_obligation, monitor, to_buchi, translate, union, write_dot,
};
use lariat_logic::{Dialect, Formula, ParseOptions, Propositions, holds, parse};
use lariat_testkit::{FormulaKnobs, Rng, check_random_formulas, random_formula, random_word};

fn formula(text: &str) -> (Formula, Propositions) {
    let mut propositions = Propositions::default();
    let options = ParseOptions { dialect: Dialect::Spot, ..ParseOptions::default() };
    (parse(text, options, &mut propositions).expect("a formula"), propositions)
}

fn both(text: &str) -> (Automaton, Automaton) {
    let (formula, propositions) = formula(text);
    let options = TranslateOptions::default();
    let build = |formula: &Formula| translate(formula, &propositions, &options).expect("a small automaton");
    (build(&formula), build(&formula.negated()))
}

#[test]
fn classes_of_the_hierarchy() {
    for (text, safety, guarantee, obligation, recurrence, persistence) in [
        ("G a", true, false, true, Some(true), Some(true)),
        ("F a", false, true, true, Some(true), Some(true)),
        ("a U b", false, true, true, Some(true), Some(true)),
        ("a W b", true, false, true, Some(true), Some(true)),
        ("a & X b", true, true, true, Some(true), Some(true)),
        ("(G a) | F b", false, false, true, Some(true), Some(true)),
        ("G(a -> F b)", false, false, false, Some(true), Some(false)),
        ("G F a", false, false, false, Some(true), Some(false)),
        ("F G a", false, false, false, Some(false), Some(true)),
        ("G (a | X b) & F (a & !a)", true, true, true, Some(true), Some(true)),
    ] {
        let (automaton, complement) = both(text);
        let found = Hierarchy::of(&automaton, &complement, &TranslateOptions::default()).unwrap();
        assert_eq!(found, Hierarchy { safety, guarantee, obligation, recurrence, persistence }, "{text}");
    }
}

#[test]
fn stuttering() {
    for (text, expected) in [
        ("X a", false),
        ("G(a -> F b)", true),
        ("F(a & X a)", false),
        ("F(a & X(!a & b))", true),
        ("F(a & X b)", false),
        ("F(a & !b & X(b & !a)) | F a", true),
        ("X G F a", true),
        ("G a", true),
        ("G(a -> X X a)", false),
        ("1", true),
        ("0", true),
    ] {
        let (automaton, complement) = both(text);
        let options = TranslateOptions::default();
        assert_eq!(is_stutter_invariant(&automaton, &complement, &options), Ok(expected), "{text}");
    }
    let knobs = FormulaKnobs { operators: 5, props: 2, steps: false, past: false, ..FormulaKnobs::default() };
    let propositions = knobs.propositions();
    check_random_formulas(0..40, &knobs, |formula| {
        let options = TranslateOptions::default();
        let automaton = translate(formula, &propositions, &options).map_err(|error| error.to_string())?;
        let complement = translate(&formula.negated(), &propositions, &options).map_err(|error| error.to_string())?;
        match is_stutter_invariant(&automaton, &complement, &options) {
            Ok(false) => Err("without X nothing counts steps".to_owned()),
            _ => Ok(()),
        }
    });
}

#[test]
fn strength_and_determinism() {
    for (text, strength, deterministic) in [
        ("F a", Strength::Terminal, true),
        ("G a", Strength::Weak, true),
        ("F G a", Strength::Weak, false),
        ("G F a", Strength::Strong, true),
        ("1", Strength::Terminal, true),
    ] {
        let (formula, propositions) = formula(text);
        let analysis = Analysis::of(&to_buchi(&formula, &propositions, &TranslateOptions::default()).unwrap());
        assert_eq!((analysis.strength, analysis.deterministic), (strength, deterministic), "{text}");
    }
}

#[test]
fn a_monitor_ends_at_the_first_bad_prefix() {
    for (text, states) in
        [("G a", 1), ("a W b", 2), ("G F a", 1), ("a U b", 2), ("G(a -> X b)", 2), ("X a", 3), ("0", 1)]
    {
        let (formula, propositions) = formula(text);
        let options = TranslateOptions::default();
        let automaton = translate(&formula, &propositions, &options).unwrap();
        let monitor = monitor(&automaton, &options).unwrap();
        let analysis = Analysis::of(&monitor);
        assert!(analysis.deterministic, "{text}");
        assert_eq!(monitor.state_count(), states, "{text}");
        let mut rng = Rng::new(11);
        for _ in 0..50 {
            let word = random_word(&mut rng, 2, 3, 3);
            assert!(!holds(&formula, &word) || accepts(&monitor, &word), "a monitor rejects no good word: {text}");
        }
    }
}

#[test]
fn reductions_keep_the_language_of_unions() {
    let knobs = FormulaKnobs { operators: 5, ..FormulaKnobs::default() };
    let propositions = knobs.propositions();
    let options = TranslateOptions::default();
    let mut rng = Rng::new(2);
    check_random_formulas(0..60, &knobs, |formula| {
        let other = lariat_testkit::random_formula(rng.next_u64(), &knobs);
        let build = |formula: &Formula| translate(formula, &propositions, &options).map_err(|error| error.to_string());
        let (a, b) = (build(formula)?, build(&other)?);
        let mut either = union(&a, &b, &options).map_err(|error| error.to_string())?;
        let word = random_word(&mut rng, 3, 4, 4);
        let expected = holds(formula, &word) || holds(&other, &word);
        let before = accepts(&either, &word);
        lariat_automata::reduce(&mut either, &options);
        if (before, accepts(&either, &word)) != (expected, expected) {
            return Err(format!("union: {before}, reduced: {}, truth: {expected}", accepts(&either, &word)));
        }
        let all = union(&build(formula)?, &build(&formula.negated())?, &options).map_err(|error| error.to_string())?;
        if accepts(&all, &word) { Ok(()) } else { Err("the formula or its negation holds".to_owned()) }
    });
}

#[test]
fn an_obligation_has_one_smallest_automaton_however_it_is_written() {
    for (one, other) in [
        ("a U b", "b | (a & X(a U b))"),
        ("G a | F b", "!(F !a & G !b)"),
        ("a W (b W c)", "!(!(b W c) U (!a & !(b W c)))"),
    ] {
        let smallest = |text: &str| {
            let (automaton, complement) = both(text);
            minimize_obligation(&automaton, &complement, &TranslateOptions::default()).unwrap().state_count()
        };
        assert_eq!(smallest(one), smallest(other), "{one}");
    }
    let (automaton, complement) = both("G F a");
    assert!(minimize_obligation(&automaton, &complement, &TranslateOptions::default()).is_none());
    assert!(is_empty(&intersection(&automaton, &complement, &TranslateOptions::default()).unwrap()));
}

#[test]
fn pictures() {
    let (formula, propositions) = formula("a U b");
    let buchi = to_buchi(&formula, &propositions, &TranslateOptions::default()).unwrap();
    let text = write_dot(&buchi);
    assert!(
        text.starts_with("digraph") && text.contains("doublecircle") && text.contains("label=\"a & !b\""),
        "{text}"
    );
}

/// Where the automaton of the negation is weak, the property gets a deterministic Büchi automaton: on random words it says
/// what the formula says.
#[test]
fn weak_automata_are_complemented_by_breakpoints() {
    for (text, expected) in
        [("G F a", true), ("G(a -> F b)", true), ("G F a & G F b", true), ("a U b", true), ("F G a", false)]
    {
        let (_, negation) = both(text);
        let made = complement_of_weak(&negation, &TranslateOptions::default()).unwrap();
        assert_eq!(made.is_some(), expected, "{text}");
    }
    let (mut made, mut accepted, mut rejected) = (0, 0, 0);
    let mut random = Rng::new(5);
    for seed in 0..400 {
        let knobs = FormulaKnobs::default();
        let (formula, propositions) = (random_formula(seed, &knobs), knobs.propositions());
        let options = TranslateOptions::default();
        let Ok(negation) = translate(&formula.negated(), &propositions, &options) else { continue };
        let Ok(Some(good)) = complement_of_weak(&negation, &options) else { continue };
        let analysis = Analysis::of(&good);
        assert!(analysis.deterministic && analysis.complete, "{formula:?}");
        made += 1;
        for _ in 0..20 {
            let word = random_word(&mut random, propositions.len() as u32, 3, 3);
            let expected = holds(&formula, &word);
            assert_eq!(accepts(&good, &word), expected, "{formula:?} on {word:?}");
            accepted += u32::from(expected);
            rejected += u32::from(!expected);
        }
    }
    assert!(made > 150 && accepted > 500 && rejected > 500, "{made} automata, {accepted} and {rejected} words");
}
