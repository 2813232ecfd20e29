//! Formulas of no reasonable shape end in an answer or in a refusal, and soon.

use lariat_logic::{Dialect, Formula, ParseOptions, PropId, Propositions, parse, print};
use lariat_testkit::{FormulaKnobs, mutate_text, random_formula};
use std::time::{Duration, Instant};

fn read(text: &str) -> Result<Formula, String> {
    parse(text, ParseOptions::default(), &mut Propositions::default()).map_err(|error| error.message)
}

/// Reads the text and does everything with it that can be done.
fn treat(text: &str) -> Result<Formula, String> {
    let formula = read(text)?;
    let simple = formula.simplified();
    assert!(simple.size() <= formula.size());
    let _ = formula.nnf();
    let _ = print(&formula, &Propositions::default(), Dialect::Nusmv);
    Ok(formula)
}

#[test]
fn nesting_is_bounded() {
    for (open, close) in [
        ("(", ")"),
        ("!", ""),
        ("X ", ""),
        ("[]", ""),
        ("a U (", ")"),
        ("a U ", ""),
        ("a -> ", ""),
        ("[] a -> ", ""),
        ("(((a[", "]"),
        ("-", ""),
        ("a == ", ""),
        ("F[1:1]", ""),
        ("a <-> (", ")"),
        ("E [", ""),
        ("\"", ""),
        ("{", ""),
        ("a & ", ""),
        ("a xor ", ""),
    ] {
        for count in [100, 490, 100_000] {
            let _ = treat(&format!("{}a{}", open.repeat(count), close.repeat(count)));
            let _ = treat(&open.repeat(count));
        }
    }
    assert!(read(&format!("{}a{}", "(".repeat(400), ")".repeat(400))).is_ok());
    let error = read(&format!("{}a{}", "(".repeat(100_000), ")".repeat(100_000))).unwrap_err();
    assert!(error.contains("nested too deep"), "{error}");
    // A list is no nesting.
    assert!(read(&format!("{}a", "a & ".repeat(100_000))).is_ok());
}

#[test]
fn bounds_do_not_blow_up() {
    assert!(read(&format!("{}a", "F[0:3]".repeat(60))).is_err());
    assert!(read("X[400] a").is_ok());
    assert!(read("X[4000000000] a").is_err());
    assert!(read("F[0:100] F[0:100] a").is_ok());
}

#[test]
fn large_formulas_of_ordinary_kinds() {
    let nested: String = (0..20).map(|number| format!("(p{number} U ")).collect();
    assert!(treat(&format!("{nested}q{}", ")".repeat(20))).is_ok());
    let left: String = (0..20).map(|number| format!(" U p{number})")).collect();
    assert!(treat(&format!("{}q{left}", "(".repeat(20))).is_ok());
    let props: Vec<String> = (0..200).map(|number| format!("G F p{number}")).collect();
    assert!(treat(&props.join(" & ")).is_ok());
    assert!(treat(&props.join(" | ")).is_ok());
    let requests: Vec<String> = (0..64).map(|number| format!("G (p{number} -> F q{number})")).collect();
    assert!(treat(&requests.join(" & ")).is_ok());
}

#[test]
fn simplification_takes_little_time() {
    let begin = Instant::now();
    let knobs = FormulaKnobs { operators: 1_000, props: 6, ..FormulaKnobs::default() };
    for seed in 0..20 {
        let formula = random_formula(seed, &knobs);
        assert!(formula.simplified().size() <= formula.size());
    }
    let mut ladder = Formula::prop(PropId(0));
    for number in 0..100 {
        let part = Formula::prop(PropId(number % 5));
        ladder = Formula::and([Formula::until(part.clone(), ladder.clone()), Formula::release(ladder.negated(), part)]);
        if ladder.size() > 10_000 {
            break;
        }
    }
    assert!(ladder.simplified().size() <= ladder.size());
    assert!(begin.elapsed() < Duration::from_secs(20), "it took {:?}", begin.elapsed());
}

#[test]
fn almost_formulas() {
    const WORDS: &[&str] = &[
        "[]", "<>", "U", "G", "F", "X", "S", "Y", "E", "A", "AG", "&", "&&", "|", "->", "<->", "==", "=", "(", ")",
        "[", "]", "?", ":", "@", "!", "-", "{", "}", "\"", "true", "0", "xor", "until", "case", "esac", ".", "□",
    ];
    let seeds = [
        "[] (x > 3 && y<2) -> <> P[1]@cs U q?[m, 1]",
        "G (state = busy -> F state in {a, b}) & H (a | Y b) xor (c ? d : e)",
        "GFa -> X[3] F[1:2] \"x > 3\" M b ^ ~c <=> d",
        "always (p implies eventually q) V next r",
    ]
    .map(String::from);
    let mut rng = lariat_testkit::Rng::new(7);
    for _ in 0..20_000 {
        let text = String::from_utf8_lossy(&mutate_text(&mut rng, &seeds, WORDS)).into_owned();
        for dialect in [Dialect::Auto, Dialect::Spin, Dialect::Nusmv, Dialect::Spot] {
            for quantifiers in [false, true] {
                let mut props = Propositions::default();
                let options = ParseOptions { dialect, quantifiers, ..ParseOptions::default() };
                match parse(&text, options, &mut props) {
                    Ok(formula) => {
                        let shown = print(&formula, &props, dialect);
                        let known = props.len();
                        let again = parse(&shown, options, &mut props);
                        let lacks = |part: &Formula| {
                            part.is_past_operator()
                                || matches!(
                                    part,
                                    Formula::Xor(..) | Formula::StrongRelease(..) | Formula::WeakUntil(..)
                                )
                        };
                        if !formula.any(&lacks) {
                            assert_eq!(again.as_ref().ok(), Some(&formula), "{dialect:?}: {text} printed as {shown}");
                            assert_eq!(props.len(), known, "{dialect:?}: {text} printed as {shown}");
                        }
                    }
                    Err(error) => {
                        assert!(error.span.end as usize <= text.len(), "{text}: {error:?}");
                        assert!(error.span.start <= error.span.end, "{text}: {error:?}");
                    }
                }
            }
        }
    }
}
