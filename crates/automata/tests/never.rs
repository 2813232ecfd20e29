//! Never claims: written ones are read back and are accepted by SPIN, and the shapes of other translators are read.

use lariat_automata::{TranslateOptions, accepts, read_never, to_buchi, translate, write_never};
use lariat_base::{FileId, SourceMap};
use lariat_logic::{Dialect, ParseOptions, Propositions, holds, parse};
use lariat_testkit::{FormulaKnobs, Rng, check_random_formulas, random_word};

#[test]
fn written_claims_are_read_back() {
    let knobs = FormulaKnobs { operators: 6, ..FormulaKnobs::default() };
    let propositions = knobs.propositions();
    let mut rng = Rng::new(1);
    check_random_formulas(0..80, &knobs, |formula| {
        let automaton = to_buchi(formula, &propositions, &TranslateOptions::default()).map_err(|e| e.to_string())?;
        let text = write_never(&automaton).map_err(|error| error.to_string())?;
        let again = read_never(&text, FileId(0)).map_err(|error| format!("{}: {text}", error.message))?;
        for _ in 0..8 {
            let word = random_word(&mut rng, 3, 3, 3);
            // The claim names only the propositions it needs, in an order of its own.
            let renamed = |letter: &lariat_logic::Letter| {
                let held = |name: &String| propositions.find(name).is_some_and(|id| letter.contains(id));
                let names = again.propositions.iter().enumerate();
                names.filter(|(_, name)| held(name)).map(|(at, _)| lariat_logic::PropId(at as u32)).collect()
            };
            let theirs = lariat_logic::LassoWord::new(
                word.prefix.iter().map(renamed).collect(),
                word.cycle.iter().map(renamed).collect(),
            );
            if accepts(&again, &theirs) != holds(formula, &word) {
                return Err(format!("wrong about {}:\n{text}", word.display(&propositions)));
            }
        }
        Ok(())
    });
}

/// Claims for `!(G (p -> F q))` in the shapes of SPIN, ltl2ba and Spot, and with a comparison as a proposition.
const SHAPES: [&str; 4] = [
    "never  {    /* !([] (p -> <> q)) */
T0_init:
	do
	:: (! ((q)) && (p)) -> goto accept_S4
	:: (1) -> goto T0_init
	od;
accept_S4:
	do
	:: (! ((q))) -> goto accept_S4
	od;
}",
    "never { /* ltl2ba */
T0_init :
	if
	:: (1) -> goto T0_init
	:: (!q && p) -> goto accept_S2
	fi;
accept_S2 :
	if
	:: (!q) -> goto accept_S2
	fi;
}",
    "never {
T0_init:
  if
  :: ((p) && (!(q))) -> goto accept_S1
  :: ((true)) -> goto T0_init
  fi;
accept_S1:
  if
  :: ((!(q))) -> goto accept_S1
  fi;
}",
    "never claim { T0_init: do :: p && !q -> goto accept_S1 :: true od; accept_S1: do :: !(q) od }",
];

#[test]
fn shapes_of_other_translators() {
    let mut propositions = Propositions::named(["p", "q"]);
    let options = ParseOptions { dialect: Dialect::Spot, ..ParseOptions::default() };
    let formula = parse("!G(p -> F q)", options, &mut propositions).unwrap();
    let mut rng = Rng::new(5);
    for text in SHAPES {
        let automaton = read_never(text, FileId(0)).unwrap_or_else(|error| panic!("{}: {text}", error.message));
        let swapped = automaton.propositions == ["q", "p"];
        for _ in 0..40 {
            let word = random_word(&mut rng, 2, 3, 3);
            let swap = |letter: &lariat_logic::Letter| {
                letter.iter().map(|id| lariat_logic::PropId(if swapped { 1 - id.0 } else { id.0 })).collect()
            };
            let theirs = lariat_logic::LassoWord::new(
                word.prefix.iter().map(swap).collect(),
                word.cycle.iter().map(swap).collect(),
            );
            assert_eq!(accepts(&automaton, &theirs), holds(&formula, &word), "{text}");
        }
    }
}

#[test]
fn ends_of_claims_and_comparisons() {
    let text = "never { T0_init: do :: atomic { (!(x > 3)) -> assert(!(!(x > 3))) } :: (1) -> goto T0_init od;
        accept_all: skip }";
    let automaton = read_never(text, FileId(0)).unwrap();
    assert_eq!(automaton.propositions, ["x > 3"]);
    let mut rng = Rng::new(3);
    for _ in 0..30 {
        let word = random_word(&mut rng, 1, 3, 3);
        let x = lariat_logic::PropId(0);
        let violated = word.prefix.iter().chain(&word.cycle).any(|letter| !letter.contains(x));
        assert_eq!(accepts(&automaton, &word), violated);
    }
    let written = write_never(&automaton).unwrap();
    assert!(written.contains("!(x > 3)"), "{written}");
    assert!(!read_never(&written, FileId(0)).unwrap().edges.is_empty());
}

#[test]
fn mistakes_are_told() {
    for (text, message) in [
        ("", "expected `never`, found the end of the text"),
        ("never {", "expected `if`, `do`, `skip` or `false`, found the end of the text"),
        ("never { }", "expected a statement, found the end of the text"),
        ("never { T0: x = 1 }", "expected `if`, `do`, `skip` or `false`, found `x`"),
        ("never { T0: do :: (p) -> goto X od }", "there is no label `X`"),
        ("never { T0: do :: (p -> goto T0 od }", "a parenthesis is not closed"),
        ("never { T0: do :: p) -> goto T0 od }", "this parenthesis was never opened"),
        ("never { T0: do :: (p && ) -> goto T0 od }", "an operand is missing"),
        ("never { T0: do :: p -> goto T0 fi }", "expected `od`, found `fi`"),
        ("never { T0: do :: p -> x++ od }", "expected `goto`, found `x`"),
        ("never { T0: do :: else -> goto T0 od }", "expected a condition that stands by itself, found `else`"),
        ("never { T0: if :: p -> skip fi }", "expected `goto`, found `skip`"),
        ("never { T0: skip; T0: skip }", "expected a label that was not given before, found `skip`"),
        ("never { T0: goto T0 }", "expected `if`, `do`, `skip` or `false`, found `goto`"),
        ("never { skip } init { }", "expected the end of the text, found `init`"),
    ] {
        let mut map = SourceMap::default();
        let file = map.add("claim", text);
        let error = read_never(text, file).expect_err(text);
        assert_eq!(error.message, message, "{text}");
    }
    let mut propositions = Propositions::default();
    let formula = parse("G F a & G F b", ParseOptions::default(), &mut propositions).unwrap();
    let generalized = translate(&formula, &propositions, &TranslateOptions::default()).unwrap();
    assert!(write_never(&generalized).is_err());
}

#[test]
fn spin_accepts_our_claims() {
    let folder = std::env::temp_dir().join(format!("lariat-never-{}", std::process::id()));
    if std::process::Command::new("spin").arg("-V").output().is_err() {
        eprintln!("skipped: no spin");
        return;
    }
    std::fs::create_dir_all(&folder).unwrap();
    for formula in ["G(p -> F q)", "!G(p -> F q)", "F G p", "true", "false", "p U (q U p)", "G F p & G F q"] {
        let mut propositions = Propositions::default();
        let options = ParseOptions { dialect: Dialect::Spot, ..ParseOptions::default() };
        let parsed = parse(formula, options, &mut propositions).unwrap();
        let automaton = to_buchi(&parsed, &propositions, &TranslateOptions::default()).unwrap();
        let claim = write_never(&automaton).unwrap();
        let model = format!("bit p, q;\nactive proctype P() {{ do :: p = 1 - p :: q = 1 - q od }}\n{claim}");
        std::fs::write(folder.join("model.pml"), &model).unwrap();
        let output =
            std::process::Command::new("spin").args(["-a", "model.pml"]).current_dir(&folder).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && !said.contains("rror"), "{said}\n{model}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
