//! The partial-order reduction, as it is asked for: the same verdicts, fewer states, and a reason where it is refused.

use lariat::{CheckError, CheckOptions, Limits, Model, ReadOptions, Settled, Verdict};
use std::path::{Path, PathBuf};

fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models")
}

fn model(text: &str) -> Model {
    let folder = tempfile::tempdir().expect("there is a place for a model");
    let path = folder.path().join("model.pml");
    std::fs::write(&path, text).expect("it can be written");
    Model::read(&path, &ReadOptions::default()).unwrap_or_else(|rejected| panic!("{:?}", rejected.diagnostics))
}

fn check(model: &mut Model, options: &CheckOptions) -> Result<Vec<Settled>, CheckError> {
    lariat::check(model, options, &Limits::default().control()).map(|checked| checked.settled)
}

fn options(property: &str, reduce: bool) -> CheckOptions {
    let mut options = CheckOptions { properties: vec![property.to_owned()], ..CheckOptions::default() };
    options.options.reduce = reduce;
    options
}

/// Whether the property fails, and the number of states.
fn settle(model: &mut Model, options: &CheckOptions) -> (bool, u64) {
    let settled = check(model, options).unwrap_or_else(|error| panic!("{error}"));
    let report = settled[0].report();
    (matches!(report.verdict, Verdict::Fails(_)), report.stats.states)
}

/// SPIN's reduction misses this one.
#[test]
fn a_process_started_later_is_seen() {
    let mut model = model("init { run f() }\nactive proctype f() { assert(_pid == 1) }\n");
    assert!(settle(&mut model, &options("safety", true)).0);
}

#[test]
fn channels_with_one_sender_and_one_receiver_are_found_out() {
    let text = "chan q[3] = [2] of { byte };
        proctype P(chan in; chan out) { byte x; out!1; in?x; out!x; in?x; assert(x == 1) }
        init { atomic { run P(q[0], q[1]); run P(q[1], q[2]); run P(q[2], q[0]) } }";
    let mut model = model(text);
    let (whole, reduced) =
        (settle(&mut model, &options("safety", false)), settle(&mut model, &options("safety", true)));
    assert!(!whole.0 && !reduced.0);
    assert!(reduced.1 * 4 < whole.1, "{} states of {}", reduced.1, whole.1);
}

/// Two senders, somebody who counts messages, and a sequence that goes on as the channel allows: the order makes a
/// difference.
#[test]
fn where_the_order_makes_a_difference_it_is_kept() {
    for (text, fails) in [
        (
            "chan q = [2] of { byte }; active proctype A() { q!1 } active proctype B() { q!2 }
          active proctype C() { byte x; q?x; assert(x == 1) }",
            true,
        ),
        (
            "chan q = [2] of { byte }; active proctype A() { q!1 }
          active proctype C() { assert(len(q) == 1) }",
            true,
        ),
        (
            "chan q = [2] of { byte }; byte m; active proctype A() { q!1; q!2 } active proctype R() { assert(m == 0) }
          active proctype C() { byte x; atomic { q?x; m = 1; q?x; m = 0 } }",
            true,
        ),
        (
            "chan q = [2] of { byte }; byte z; active proctype A() { q!1; q!2 }
          active proctype C() { byte x; q?x; q?x; assert(x == 2) }",
            false,
        ),
        ("byte x; active proctype A() { byte y; y = 1; x = y } active proctype B() { assert(x == 0) }", true),
    ] {
        let mut model = model(text);
        assert_eq!(settle(&mut model, &options("safety", false)).0, fails, "{text}");
        assert_eq!(settle(&mut model, &options("safety", true)).0, fails, "{text}");
    }
}

#[test]
fn formulas_keep_their_truth() {
    let text = "byte g; chan q = [1] of { byte };
        active proctype A() { byte i; do :: i < 3 -> i++; q!i :: else -> break od; g = 1 }
        active proctype B() { byte x; do :: q?x; if :: x == 3 -> break :: else fi od; g = 2 }";
    let mut model = model(text);
    for formula in
        ["<> (g > 0)", "[] (g == 0)", "<> [] (g == 2)", "<> [] (g == 1)", "(g == 0) U (g > 0)", "X X <> (g == 1)"]
    {
        let ask = |reduce: bool| {
            let mut options = CheckOptions { formulas: vec![formula.to_owned()], ..CheckOptions::default() };
            options.options.reduce = reduce;
            options
        };
        let (whole, reduced) = (settle(&mut model, &ask(false)), settle(&mut model, &ask(true)));
        assert_eq!(whole.0, reduced.0, "{formula}");
        assert!(reduced.1 <= whole.1, "{formula}");
    }
}

#[test]
fn what_cannot_be_honoured_is_refused_with_a_reason() {
    let text = "byte g; active proctype A() { do :: g = 1 - g od }\nltl later { X (g == 1) }\nltl ok { <> (g == 1) }";
    let mut model = model(text);
    let mut refused = |change: &dyn Fn(&mut CheckOptions), word: &str| {
        let mut options = options("ok", true);
        change(&mut options);
        match check(&mut model, &options) {
            Err(CheckError::Refused(reason)) => {
                assert!(reason.contains("--por on") && reason.contains(word), "{word}: {reason}");
            }
            other => panic!("{word}: {other:?}"),
        }
    };
    refused(&|options| options.properties = vec!["later".to_owned()], "count");
    refused(&|options| options.fairness.processes = lariat::ProcessFairness::Weak, "fairness");
    refused(&|options| (options.properties, options.formulas) = (Vec::new(), vec!["<> moves(0)".to_owned()]), "moves");
    refused(&|options| options.options.shortest = true, "shortest");
    refused(&|options| options.options.depth_limit = Some(3), "bound");
    refused(&|options| options.options.keep_going = true, "counted");
    refused(&|options| (options.properties, options.options.profile) = (vec!["safety".to_owned()], true), "--profile");
}

/// All models of the project that can be asked for `safety`.
#[test]
fn the_models_keep_their_verdicts() {
    let mut compared = 0;
    for entry in std::fs::read_dir(models()).expect("the project has models") {
        let path = entry.expect("a folder can be read").path();
        let Ok(mut model) = Model::read(&path, &ReadOptions::default()) else { continue };
        let whole = settle(&mut model, &options("safety", false));
        let reduced = settle(&mut model, &options("safety", true));
        assert_eq!(whole.0, reduced.0, "{}", path.display());
        assert!(whole.0 || reduced.1 <= whole.1, "{}", path.display());
        compared += 1;
    }
    assert!(compared > 3);
}
