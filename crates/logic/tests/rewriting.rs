//! Normal forms and simplification keep the meaning.

use lariat_logic::{Dialect, Formula, ParseOptions, Propositions, parse, print, truth};
use lariat_testkit::{FormulaKnobs, Rng, check_random_formulas, random_word};

fn read(text: &str, props: &mut Propositions) -> Formula {
    parse(text, ParseOptions { quantifiers: true, ..ParseOptions::default() }, props).expect("a formula")
}

/// Fails if the two differ at one of the first positions of a random word.
fn compare(f: &Formula, g: &Formula, props: u32, rng: &mut Rng) -> Result<(), String> {
    for _ in 0..12 {
        let word = random_word(rng, props, 4, 4);
        let (before, after) = (truth(f, &word), truth(g, &word));
        if let Some(at) = (0..12).find(|&at| before.at(at) != after.at(at)) {
            return Err(format!("became {g:?}, which differs at {at} of {word:?}"));
        }
    }
    Ok(())
}

fn is_normal(formula: &Formula) -> bool {
    !formula.any(&|part| match part {
        Formula::Not(inner) => !matches!(**inner, Formula::Prop(_)),
        Formula::Implies(..) | Formula::Iff(..) | Formula::Xor(..) => true,
        _ => false,
    })
}

#[test]
fn normal_forms_mean_the_same() {
    let knobs = FormulaKnobs { operators: 12, quantifiers: true, ..FormulaKnobs::default() };
    let mut rng = Rng::new(4);
    check_random_formulas(0..4_000, &knobs, |formula| {
        let normal = formula.nnf().map_err(|error| error.to_string())?;
        if !is_normal(&normal) {
            return Err(format!("{normal:?} is not normal"));
        }
        compare(formula, &normal, knobs.props, &mut rng)
    });
}

#[test]
fn a_nest_of_equivalences_is_refused() {
    let mut formula = Formula::prop(lariat_logic::PropId(0));
    for number in 1..100 {
        formula = Formula::iff(formula, Formula::next(Formula::prop(lariat_logic::PropId(number % 7))));
    }
    assert!(formula.nnf().is_err());
    assert!(formula.simplified().size() <= formula.size());
}

#[test]
fn simplified_formulas_mean_the_same() {
    let knobs = [
        FormulaKnobs { operators: 6, props: 2, ..FormulaKnobs::default() },
        FormulaKnobs { operators: 15, ..FormulaKnobs::default() },
        FormulaKnobs { operators: 8, props: 2, past: false, derived: false, ..FormulaKnobs::default() },
        FormulaKnobs { operators: 30, props: 2, quantifiers: true, ..FormulaKnobs::default() },
    ];
    let mut rng = Rng::new(5);
    for knobs in knobs {
        check_random_formulas(0..6_000, &knobs, |formula| {
            let simple = formula.simplified();
            if simple.size() > formula.size() {
                return Err(format!("became {simple:?}, which is larger"));
            }
            compare(formula, &simple, knobs.props, &mut rng)
        });
    }
}

#[test]
fn well_known_equivalences() {
    let cases = [
        ("F F a", "F a"),
        ("F G F a", "G F a"),
        ("G F G a", "F G a"),
        ("X G F a", "G F a"),
        ("F (a U b)", "F b"),
        ("G (a W b)", "G (a | b)"),
        ("F X a", "X F a"),
        ("X a & X b", "X (a & b)"),
        ("G a & G b", "G (a & b)"),
        ("F a | F b", "F (a | b)"),
        ("G F a | G F b", "G F (a | b)"),
        ("F G a & F G b", "F G (a & b)"),
        ("(a U b) & (c U b)", "(a & c) U b"),
        ("(a U b) | (a U c)", "a U (b | c)"),
        ("a U (a U b)", "a U b"),
        ("(a U b) U b", "a U b"),
        ("a & G a", "G a"),
        ("a | F a", "F a"),
        ("a & X G a", "G a"),
        ("(a U b) | G a", "a W b"),
        ("(a R b) & F a", "a M b"),
        ("a U G F b", "G F b"),
        ("!a U a", "F a"),
        ("a & !a", "0"),
        ("G a | F !a", "1"),
        ("G a & F !a", "0"),
        ("!(a & b) & (a & b)", "0"),
        ("a W 0", "G a"),
        ("1 U a", "F a"),
        ("a <-> a", "1"),
        ("a xor !a", "1"),
        ("!a <-> b", "a xor b"),
        ("!!a", "a"),
        ("!a | !b", "!(a & b)"),
        ("!F !a", "G a"),
        ("O O a", "O a"),
        ("X Y a", "a"),
        ("a S (a S b)", "a S b"),
        ("H a & H b", "H (a & b)"),
        ("Y a | Y b", "Y (a | b)"),
        ("E F 1", "1"),
        ("F (a & G F b)", "F a & G F b"),
    ];
    for (text, expected) in cases {
        let mut props = Propositions::named(["a", "b", "c"]);
        let simple = read(text, &mut props).simplified();
        let shown = print(&simple, &props, Dialect::Auto);
        let turned = read(expected, &mut props);
        let same = shown == expected || simple == turned || sorted(&simple) == sorted(&turned);
        assert!(same, "{text} became {shown}, not {expected}");
    }
}

/// The formula with the parts of conjunctions and disjunctions in one order.
fn sorted(formula: &Formula) -> Formula {
    match formula.map_operands(sorted) {
        Formula::And(mut parts) => {
            parts.sort();
            Formula::And(parts)
        }
        Formula::Or(mut parts) => {
            parts.sort();
            Formula::Or(parts)
        }
        other => other,
    }
}
