//! Formulas and the classes of their shapes.

use lariat_logic::{Class, Formula, LassoWord, Logic, ParseOptions, Propositions, holds, parse};
use lariat_testkit::{FormulaKnobs, Rng, check_random_formulas, random_word};

fn read(text: &str) -> Formula {
    let options = ParseOptions { quantifiers: true, ..ParseOptions::default() };
    parse(text, options, &mut Propositions::default()).expect("a formula")
}

#[test]
fn known_shapes() {
    for (text, expected) in [
        ("a", "safety and guarantee"),
        ("X (a & X b)", "safety and guarantee"),
        ("G a", "safety"),
        ("a W b", "safety"),
        ("G (a -> X b)", "safety"),
        ("G (a -> O b)", "safety"),
        ("!F a", "safety"),
        ("F a", "guarantee"),
        ("a U b", "guarantee"),
        ("F (a & Y H b)", "guarantee"),
        ("!(a W b)", "guarantee"),
        ("G a | F b", "obligation"),
        ("G a -> G b", "obligation"),
        ("(F a) <-> (F b)", "obligation"),
        ("a U b | G F 0", "recurrence"),
        ("G F a", "recurrence"),
        ("G (a -> F b)", "recurrence"),
        ("G (a -> b U c)", "recurrence"),
        ("F G a", "persistence"),
        ("a U G b", "persistence"),
        ("F (a & X G b)", "persistence"),
        ("G F a -> G F b", "reactivity"),
        ("G F a & F G b", "reactivity"),
        ("H F a", "reactivity"),
        ("E F a", "reactivity"),
    ] {
        assert_eq!(read(text).classes().to_string(), expected, "{text}");
    }
}

#[test]
fn a_class_comes_with_those_above() {
    let safety = read("G a").classes();
    for class in Class::ALL {
        assert_eq!(safety.contains(class), class != Class::Guarantee, "{class:?}");
    }
    assert_eq!(read("a").classes().lowest(), [Class::Safety, Class::Guarantee]);
}

/// A word that violates a safety property keeps violating it, whatever comes after some prefix; on random words one can look
/// for the opposite: all long prefixes go on well.
#[test]
fn safety_and_guarantee_are_what_their_names_say() {
    let knobs = FormulaKnobs { operators: 6, props: 2, ..FormulaKnobs::default() };
    let mut rng = Rng::new(6);
    let tails: Vec<LassoWord> = (0..16)
        .map(|bits| {
            let letter = |bits: u32| (0..2).filter(|prop| bits >> prop & 1 == 1).map(lariat_logic::PropId).collect();
            LassoWord::new(Vec::new(), vec![letter(bits), letter(bits >> 2)])
        })
        .collect();
    check_random_formulas(0..6_000, &knobs, |formula| {
        let classes = formula.classes();
        let word = random_word(&mut rng, knobs.props, 3, 3);
        let value = holds(formula, &word);
        let fixed = if value { Class::Guarantee } else { Class::Safety };
        if !classes.contains(fixed) {
            return Ok(());
        }
        // The verdict is settled by a prefix: no tail changes it.
        let length = word.prefix.len() + word.cycle.len() * (formula.size() + 2);
        let letters: Vec<_> = (0..length).map(|at| word.letter(at).clone()).collect();
        let changes = tails.iter().find(|tail| {
            holds(formula, &LassoWord::new([&letters[..], &tail.prefix].concat(), tail.cycle.clone())) != value
        });
        changes.map_or(Ok(()), |tail| Err(format!("said to be {classes}, but {word:?} then {tail:?}")))
    });
}

#[test]
fn without_steps_stuttering_does_not_matter() {
    let knobs = FormulaKnobs { operators: 8, steps: false, ..FormulaKnobs::default() };
    let mut rng = Rng::new(8);
    check_random_formulas(0..4_000, &knobs, |formula| {
        assert!(formula.counts_no_steps());
        let word = random_word(&mut rng, knobs.props, 4, 3);
        let mut stutter = |letters: &[_]| -> Vec<_> {
            letters.iter().cloned().flat_map(|letter| vec![letter; 1 + rng.below(3)]).collect()
        };
        let other = LassoWord::new(stutter(&word.prefix), stutter(&word.cycle));
        if holds(formula, &word) == holds(formula, &other) { Ok(()) } else { Err(format!("{word:?} and {other:?}")) }
    });
    assert!(!read("G (a -> X b)").counts_no_steps());
}

#[test]
fn logics() {
    for (text, expected) in [
        ("G (a -> F b)", Logic::Ltl),
        ("AG (a -> EF b)", Logic::Ctl),
        ("E [a U b] & !AX a", Logic::Ctl),
        ("A F G a", Logic::CtlStar),
        ("E (F a & F b)", Logic::CtlStar),
        ("E a", Logic::CtlStar),
        ("F E X a", Logic::CtlStar),
    ] {
        assert_eq!(read(text).logic(), expected, "{text}");
    }
}
