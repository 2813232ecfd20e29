//! What is random is printed, read again, and made small when something fails.

use lariat_logic::Formula;
use lariat_system::System;
use lariat_testkit::{
    FormulaKnobs, Knobs, Rng, TemporalCase, check_random_formulas, check_random_systems, mutate_text, shrink_text,
};
use std::panic::catch_unwind;

#[test]
fn cases_are_read_as_they_are_printed() {
    let star = |seed| [TemporalCase::generate(seed), TemporalCase::generate_star(seed)];
    for case in (0..40).flat_map(star) {
        let case = case.with_fewer_propositions();
        let text = case.to_string();
        let read = TemporalCase::parse(&text).unwrap_or_else(|message| panic!("{message}\n{text}"));
        assert_eq!((read.system.fairness.len(), read.to_string()), (case.system.fairness.len(), text));
        assert_eq!(read.labels().map(|labels| labels.len()), Some(read.propositions.len()), "{case}");
    }
}

#[test]
fn a_text_shrinks_to_what_fails() {
    let text = "byte x;\ninit {\n  x = 1;\n  assert(x == bad + 1)\n}\n".repeat(20);
    let small = shrink_text(text.as_bytes(), 2000, |text| String::from_utf8_lossy(text).contains("bad"));
    assert_eq!(small, b"bad");
}

#[test]
fn mutations_differ_and_repeat() {
    let seeds = ["byte x; init { x = 1 }".to_owned(), "active proctype P() { skip }".to_owned()];
    let made = |seed| {
        let mut rng = Rng::new(seed);
        (0..200).map(|_| mutate_text(&mut rng, &seeds, &["do", "od"])).collect::<Vec<_>>()
    };
    assert_eq!(made(1), made(1));
    let mut distinct = made(1);
    distinct.sort();
    distinct.dedup();
    assert!(distinct.len() > 100, "{}", distinct.len());
}

#[test]
fn a_failing_system_is_shown_small() {
    let holds_nowhere = |system: &System| match system.actions.iter().find(|action| action.hold.is_some()) {
        Some(action) if action.participants.len() == 2 => panic!("two hands"),
        Some(_) => Err("one hand".to_string()),
        None => Ok(()),
    };
    let outcome = catch_unwind(|| check_random_systems(0..50, &Knobs::default(), holds_nowhere));
    let payload = outcome.expect_err("some systems hold");
    let message = payload.downcast_ref::<String>().expect("it is a text");
    let (_, shown) = message.split_once(":\n").expect("the system is shown");
    assert_eq!(shown.matches("action ").count(), 1, "{message}");
    assert!(shown.contains("hold p") && !shown.contains("slot g"), "{message}");
}

#[test]
fn a_failing_formula_is_shown_small() {
    let until_in_past = |formula: &Formula| {
        let found =
            formula.any(&|part| part.is_past_operator() && part.any(&|inner| matches!(inner, Formula::Until(..))));
        if found { Err("found".to_string()) } else { Ok(()) }
    };
    let found = catch_unwind(|| {
        check_random_formulas(0..500, &FormulaKnobs { operators: 20, ..FormulaKnobs::default() }, until_in_past);
    });
    let payload = found.expect_err("there are such formulas");
    let message = payload.downcast_ref::<String>().expect("it is a text");
    let shown = message.lines().last().expect("the formula is shown");
    assert!(shown.len() <= "1 S (1 U 1)".len(), "{message}");
}
