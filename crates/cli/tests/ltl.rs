//! `lariat ltl`, from outside.

use std::process::{Command, Output};

fn ltl(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lariat")).arg("ltl").args(arguments).output().expect("the program runs")
}

#[track_caller]
fn prints(arguments: &[&str], expected: &str) {
    let output = ltl(arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {errors}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{arguments:?}");
}

#[test]
fn a_formula_in_other_spellings() {
    prints(&["[] (p -> <> x > 3)", "--format", "spot"], "G (p -> F \"x > 3\")\n");
    prints(&["G (p -> F q)", "--format", "spin"], "[] (p -> <> q)\n");
    prints(&["p W q", "--format", "nusmv"], "q V (p | q)\n");
    prints(&["G p", "--format", "spin", "--negate"], "![] p\n");
    prints(&["p U q U r", "--format", "nusmv", "--dialect", "spin"], "p U q U r\n");
    prints(&["p U q U r", "--format", "nusmv", "--dialect", "spot"], "p U (q U r)\n");
    prints(&["--format", "spot", "--dialect", "spin", "--", "-1 < x"], "\"-1 < x\"\n");
    // Names are not taken apart where the text is SPIN's.
    prints(&["[] (req -> <> Go)", "--format", "spot"], "G (req -> F \"Go\")\n");
    // With the past in it nothing leans to a side.
    prints(&["a R (b U O c)", "--format", "spot"], "a R (b U O c)\n");
}

#[test]
fn what_cannot_be_written_is_refused() {
    let many = (0..24).map(|number| format!("p{number}")).collect::<Vec<_>>().join(" xor ");
    for (arguments, exit) in
        [(&[many.as_str()][..], 3), (&["G a", "--monitor", "--format", "never"], 2), (&["--foo"], 2)]
    {
        assert_eq!(ltl(arguments).status.code(), Some(exit), "{arguments:?}");
    }
}

#[test]
fn a_formula_as_an_automaton() {
    let shows = |arguments: &[&str], parts: &[&str]| {
        let output = ltl(arguments);
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        parts.iter().for_each(|part| assert!(text.contains(part), "{arguments:?} without {part}:\n{text}"));
    };
    shows(&["F p"], &["HOA: v1\nname: \"F p\"\nStates: 2\n", "AP: 1 \"p\"\n", "Acceptance: 1 Inf(0)\n"]);
    let parts = ["never { /* ![] p */\nT0_init:\n", "(!p) -> goto accept_S1\n", "accept_S1:\n"];
    shows(&["G p", "--negate", "--format", "never"], &parts);
    shows(&["G F p", "--format", "dot"], &["digraph automaton {"]);
    prints(&["G p & F q", "--monitor", "--format", "text"], "G p & F q\nacceptance t\nstate 0, initial\n  p -> 0\n");
}

#[test]
fn figures() {
    let output = ltl(&["[] (p -> <> q)", "--stats"]);
    let text = String::from_utf8_lossy(&output.stdout);
    for line in ["size           5, simplified 5", "class          recurrence", "states         2"] {
        assert!(text.lines().any(|shown| shown == line), "{line}\n{text}");
    }
}

/// The shape of the formula tells less than the automaton.
#[test]
fn classes_are_decided() {
    for (formula, class, stuttering) in [
        ("a U b | G F 0", "guarantee", "does not matter"),
        ("G F a -> G F b", "reactivity, at most", "does not matter"),
        ("a & X a & X b | c U X c", "", "matters"),
        ("F (a & X F (a & b))", "guarantee", "matters"),
    ] {
        let output = ltl(&[formula, "--stats"]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let value = |name: &str| {
            let line = text.lines().find(|line| line.starts_with(name)).expect("it is told");
            line[name.len()..].trim().to_owned()
        };
        assert!(class.is_empty() || value("class") == class, "{formula}:\n{text}");
        assert_eq!(value("stuttering"), stuttering, "{formula}");
    }
}

#[test]
fn mistakes_are_shown_in_the_formula() {
    let output = ltl(&["G (p -> F q"]);
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("error[L0100]: expected an operator or `)`"), "{text}");
    assert!(text.contains("1 | G (p -> F q"), "{text}");
    for wrong in [&["G p", "--format", "pdf"][..], &["G p", "--dialect", "pascal"], &[]] {
        assert_eq!(ltl(wrong).status.code(), Some(2), "{wrong:?}");
    }
    assert!(output.stdout.is_empty());
}
