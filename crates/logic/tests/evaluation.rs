//! The evaluator against a table of truths and against a second, naive definition.

use lariat_logic::{Dialect, Formula, LassoWord, Letter, ParseOptions, Propositions, holds, parse, truth};
use lariat_testkit::{FormulaKnobs, Rng, check_random_formulas, random_word};

/// A word from text: letters are names run together, `-` is none; the cycle stands behind `|`.
fn word(text: &str, props: &Propositions) -> LassoWord {
    let letters = |part: &str| -> Vec<Letter> {
        part.split_whitespace()
            .map(|names| names.chars().filter_map(|name| props.find(&name.to_string())).collect())
            .collect()
    };
    let (prefix, cycle) = text.split_once('|').expect("a cycle");
    LassoWord::new(letters(prefix), letters(cycle))
}

#[test]
fn a_table_of_truths() {
    let cases = [
        ("a | -", "a", true),
        ("- | a", "a", false),
        ("- | a", "X a", true),
        ("a | b", "X X b", true),
        ("- - | a", "F a", true),
        ("- - | -", "F a", false),
        ("a a | a", "G a", true),
        ("a a | a -", "G a", false),
        ("a a b | -", "a U b", true),
        ("a - b | -", "a U b", false),
        ("b | -", "a U b", true),
        ("| a", "a U b", false),
        ("| a", "a W b", true),
        ("a b | -", "a W b", true),
        ("a - b | -", "a W b", false),
        ("b b ab | -", "a R b", true),
        ("b b a | -", "a R b", false),
        ("| b", "a R b", true),
        ("| b", "a M b", false),
        ("b ab | -", "a M b", true),
        ("| a -", "G F a", true),
        ("a a | -", "G F a", false),
        ("a | b", "F G b", true),
        ("| a b", "F G b", false),
        ("| a b", "G F a & G F b", true),
        ("a | a", "Y a", false),
        ("a | -", "X Y a", true),
        ("- | -", "Z a", true),
        ("- | -", "X Z a", false),
        ("a - | -", "X X O a", true),
        ("- a | -", "O a", false),
        ("a - | -", "G O a", true),
        ("a a | -", "X H a", true),
        ("a a | -", "F !H a", true),
        ("a a | a", "G H a", true),
        ("- b a a | -", "X X X (a S b)", true),
        ("- b - a | -", "X X X (a S b)", false),
        ("- b | -", "X (a S b)", true),
        ("b ab b | -", "X X (a T b)", true),
        ("b - b | -", "X X (a T b)", false),
        ("- a b | -", "X X (a T b)", false),
        ("- ab b | -", "X X (a T b)", true),
        ("| - a", "G (a -> Y !a)", true),
        ("a | - a", "G (a -> Y O !a)", false),
        // What was long ago matters only for so long: at last the truth repeats.
        ("a | b -", "F G O a", true),
        ("| a -", "G (a | Y a)", true),
        ("| a -", "G F Y Y a", true),
        ("| a - -", "G (a -> Z Z Z a)", true),
        ("a - | a", "G (a -> Z Z Z a)", false),
        ("| a", "E a & A a", true),
        ("| ab -", "(a xor b) | (a <-> b)", true),
    ];
    for (text, formula, expected) in cases {
        let mut props = Propositions::named(["a", "b"]);
        let options = ParseOptions { dialect: Dialect::Auto, quantifiers: true, ..ParseOptions::default() };
        let formula_read = parse(formula, options, &mut props).unwrap();
        assert_eq!(holds(&formula_read, &word(text, &props)), expected, "{formula} on {text}");
    }
}

/// The definitions, with "for ever" taken as `horizon` positions.
fn naive(formula: &Formula, word: &LassoWord, at: usize, horizon: usize) -> bool {
    let now = |f: &Formula, at: usize| naive(f, word, at, horizon);
    let later = at..at + horizon;
    let until = |f: &Formula, g: &Formula| later.clone().any(|j| now(g, j) && (at..j).all(|k| now(f, k)));
    let since = |f: &Formula, g: &Formula| (0..=at).any(|j| now(g, j) && (j + 1..=at).all(|k| now(f, k)));
    let always = |f: &Formula| later.clone().all(|j| now(f, j));
    match formula {
        Formula::True => true,
        Formula::False => false,
        Formula::Prop(id) => word.letter(at).contains(*id),
        Formula::Not(f) => !now(f, at),
        Formula::And(parts) => parts.iter().all(|f| now(f, at)),
        Formula::Or(parts) => parts.iter().any(|f| now(f, at)),
        Formula::Implies(f, g) => now(g, at) || !now(f, at),
        Formula::Iff(f, g) => now(f, at) == now(g, at),
        Formula::Xor(f, g) => now(f, at) != now(g, at),
        Formula::Next(f) => now(f, at + 1),
        Formula::Finally(f) => later.clone().any(|j| now(f, j)),
        Formula::Globally(f) => always(f),
        Formula::Until(f, g) => until(f, g),
        Formula::WeakUntil(f, g) => until(f, g) || always(f),
        Formula::Release(f, g) => later.clone().all(|j| now(g, j) || (at..j).any(|k| now(f, k))),
        Formula::StrongRelease(f, g) => until(g, &Formula::and([(**f).clone(), (**g).clone()])),
        Formula::Yesterday(f) => at > 0 && now(f, at - 1),
        Formula::WeakYesterday(f) => at == 0 || now(f, at - 1),
        Formula::Once(f) => (0..=at).any(|j| now(f, j)),
        Formula::Historically(f) => (0..=at).all(|j| now(f, j)),
        Formula::Since(f, g) => since(f, g),
        Formula::Trigger(f, g) => (0..=at).all(|j| now(g, j) || (j + 1..=at).any(|k| now(f, k))),
        Formula::ForSome(f) | Formula::ForAll(f) => now(f, at),
    }
}

#[test]
fn agrees_with_a_naive_reading() {
    let knobs = FormulaKnobs { operators: 5, props: 2, ..FormulaKnobs::default() };
    let mut rng = Rng::new(1);
    check_random_formulas(0..3000, &knobs, |formula| {
        let word = random_word(&mut rng, knobs.props, 3, 2);
        let evaluated = truth(formula, &word);
        // Long enough to see what comes, wherever one stands within the first positions.
        let horizon = word.prefix.len() + word.cycle.len() * (formula.past_depth() + 2);
        for at in 0..3 {
            let expected = naive(formula, &word, at, horizon);
            if evaluated.at(at) != expected {
                return Err(format!("at {at} of {word:?}: {expected} expected"));
            }
        }
        Ok(())
    });
}

#[test]
fn one_more_round_changes_nothing() {
    let knobs = FormulaKnobs { operators: 15, ..FormulaKnobs::default() };
    let mut rng = Rng::new(2);
    check_random_formulas(0..20_000, &knobs, |formula| {
        let word = random_word(&mut rng, knobs.props, 4, 4);
        let evaluated = truth(formula, &word);
        let longer = LassoWord::new([&word.prefix[..], &word.cycle].concat(), [&word.cycle[..], &word.cycle].concat());
        let again = truth(formula, &longer);
        let differs = (0..40).find(|&at| evaluated.at(at) != again.at(at));
        differs.map_or(Ok(()), |at| Err(format!("at {at} of {word:?}")))
    });
}

#[test]
fn more_than_64_propositions() {
    let mut props = Propositions::default();
    let names: Vec<String> = (0..200).map(|number| format!("p{number}")).collect();
    let ids: Vec<_> = names.iter().map(|name| props.intern(name, lariat_base::Span::NONE)).collect();
    let all = LassoWord::new(Vec::new(), vec![ids.iter().copied().collect()]);
    let but_last = LassoWord::new(Vec::new(), vec![ids[..199].iter().copied().collect()]);
    let formula = Formula::globally(Formula::and(ids.iter().map(|&id| Formula::prop(id))));
    assert!(holds(&formula, &all));
    assert!(!holds(&formula, &but_last));
}
