//! What the library makes of a language in one file, which is registered by the line in [`languages`].

use crate::counters::Counters;
use crate::support::engines_and_a_lossy_one;
use lariat::front::{FrontEnds, PropertyKind, front_ends};
use lariat::{CheckError, CheckOptions, FairnessOptions, Limits, Model, ReadOptions, Rejected, Verdict};
use lariat_base::Diagnostic;

fn languages() -> FrontEnds {
    front_ends().with(&Counters)
}

/// Reads a model.
fn read(text: &str) -> Result<Model, Rejected> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("m.count");
    std::fs::write(&path, text).expect("it can be written");
    Model::read_by(&languages(), &path, &ReadOptions::default())
}

fn verdicts(model: &mut Model, options: &CheckOptions) -> Vec<(String, &'static str)> {
    let control = Limits { memory_bytes: 1 << 28, time: None }.control();
    let checked = lariat::check(model, options, &control).expect("it can be checked");
    let verdict = |verdict: &Verdict| match verdict {
        Verdict::Holds => "holds",
        Verdict::Fails(_) => "fails",
        Verdict::Computed(_) => "computed",
        Verdict::Undecided(_) => "undecided",
    };
    checked.settled.iter().map(|settled| (settled.name().to_owned(), verdict(&settled.report().verdict))).collect()
}

const CLOCK: &str = "counter hour 0 3\nadd hour 1\nreset hour\nltl noon [] <> (hour == 2)\nltl early [] (hour < 3)\n";

#[test]
fn safety_and_formulas_are_settled() {
    let mut model = read(CLOCK).unwrap();
    let named = |name: &str, verdict| (name.to_owned(), verdict);
    let all = verdicts(&mut model, &CheckOptions::default());
    assert_eq!(all, [named("safety", "holds"), named("noon", "holds"), named("early", "fails")]);
    let mut stuck = read("counter hour 0 3\nadd hour 2\n").unwrap();
    assert_eq!(verdicts(&mut stuck, &CheckOptions::default()), [named("safety", "fails")], "it comes to 2 and stops");
}

#[test]
fn every_engine_that_takes_the_property_agrees() {
    let mut model = read(CLOCK).unwrap();
    let mut asked = 0;
    let engines = engines_and_a_lossy_one();
    for engine in engines.iter() {
        for (name, holds) in [("safety", true), ("noon", true), ("early", false)] {
            let options = CheckOptions {
                properties: vec![name.to_owned()],
                engines: engines.clone(),
                engine: Some(engine.name()),
                ..CheckOptions::default()
            };
            let control = Limits { memory_bytes: 1 << 28, time: None }.control();
            if lariat::plan(&mut model, &options, &control).is_ok() {
                let checked = lariat::check(&mut model, &options, &control).expect("it can be checked");
                let verdict = &checked.settled[0].report().verdict;
                assert!(verdict.may_be_said_by(engine, holds), "{}, {name}: {verdict:?}", engine.name());
                asked += 1;
            }
        }
    }
    assert!(asked >= 10, "{asked} answers");
}

#[test]
fn formulas_from_outside_and_fairness_speak_of_its_conditions() {
    // Without fairness nothing makes the second counter move.
    let mut model = read("counter a 0 1\ncounter b 0 1\nadd a 1\nreset a\nadd b 1\nreset b\n").unwrap();
    let formula = "<> (b == 1)".to_owned();
    let asked = CheckOptions { formulas: vec![formula.clone()], ..CheckOptions::default() };
    assert_eq!(verdicts(&mut model, &asked), [(formula.clone(), "fails")]);
    let fairness = FairnessOptions { justice: vec!["b == 1".to_owned()], ..FairnessOptions::default() };
    assert_eq!(verdicts(&mut model, &CheckOptions { fairness, ..asked.clone() }), [(formula.clone(), "holds")]);
    let fairness = FairnessOptions { weak_actions: vec!["add b 1".to_owned()], ..FairnessOptions::default() };
    assert_eq!(verdicts(&mut model, &CheckOptions { fairness, ..asked }), [(formula, "holds")]);
    let branching = "A G E F (b == 1)".to_owned();
    let asked = CheckOptions { branching: vec![branching.clone()], ..CheckOptions::default() };
    assert_eq!(verdicts(&mut model, &asked), [(branching, "holds")]);
}

#[test]
fn mistakes_are_told_with_their_places() {
    let told = |text: &str| {
        let rejected = read(text).expect_err("it is not a model");
        let place = |error: &Diagnostic| (error.code, rejected.sources.text(error.span).to_owned());
        rejected.diagnostics.iter().map(place).collect::<Vec<_>>()
    };
    assert_eq!(told("counter a 0 1\nsubtract a\n"), [("T0001", "subtract a".to_owned())]);
    assert_eq!(told("add b 1\nreset c\n"), [("T0002", "add b 1".to_owned()), ("T0002", "reset c".to_owned())]);
    let formulas = "counter a 0 1\nadd a 1\nltl p [] (a < 1)\nltl q [] (z == 1)\nltl r [] ((a < 1)\n";
    assert_eq!(told(formulas), [("T0002", "z == 1".to_owned()), ("L0100", String::new())]);
    let mut model = read(CLOCK).unwrap();
    let asked = CheckOptions { formulas: vec!["[] (minute < 1)".to_owned()], ..CheckOptions::default() };
    let error = lariat::plan(&mut model, &asked, &Limits::default().control()).expect_err("there are no minutes");
    let CheckError::Model(diagnostics) = error else { panic!("{error}") };
    assert_eq!(model.sources().text(diagnostics[0].span), "minute < 1");
    let asked = CheckOptions { properties: vec!["none".to_owned()], ..CheckOptions::default() };
    let error = lariat::plan(&mut model, &asked, &Limits::default().control()).expect_err("there is no such property");
    assert_eq!(error.to_string(), "the model has no property `none`; it has: safety, noon, early");
}

#[test]
fn files_of_other_languages_are_read_as_before() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.smv");
    std::fs::write(&path, "MODULE main\nVAR b : boolean;\nINVARSPEC b | !b\n").unwrap();
    let model = Model::read_by(&languages(), &path, &ReadOptions::default()).unwrap();
    assert_eq!(model.properties()[0].kind, PropertyKind::Invariant);
    let options = ReadOptions { lose_messages: true, ..ReadOptions::default() };
    let path = folder.path().join("m.count");
    let rejected = Model::read_by(&languages(), &path, &options).expect_err("it knows no messages");
    assert_eq!(rejected.diagnostics[0].code, "F0010");
}
