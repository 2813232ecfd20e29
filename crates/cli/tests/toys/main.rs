//! A further engine takes one file, `random_walks.rs`, and one line that registers it. Then it is in the help, completions,
//! refusals, plans and documents of the program, and in every test that goes through the engines. A further language likewise:
//! `counters.rs`.
//!
//! This test is its own program: called with arguments it is `lariat` with that engine and that language.

mod counters;
#[path = "../every_engine.rs"]
mod every_engine;
mod random_walks;

use counters::Counters;
use lariat::front::{FrontEnds, front_ends};

use lariat::{CheckOptions, Engines, Limits, Model, ReadOptions};
use lariat_engine::Engine;
use random_walks::RandomWalks;
use std::path::Path;
use std::process::{Command, ExitCode, Output};

const AS_PROGRAM: &str = "LARIAT_TOYS_AS_PROGRAM";

fn engines() -> Engines {
    lariat::engines().with(&RandomWalks)
}

fn languages() -> FrontEnds {
    front_ends().with(&Counters)
}

fn main() -> ExitCode {
    if std::env::var_os(AS_PROGRAM).is_some() {
        return lariat_cli::main(&engines(), &languages());
    }
    help_and_completions();
    failures_and_documents();
    refusals();
    models();
    every_loop_over_engines();
    models_in_counters();
    println!("toys: ok");
    ExitCode::SUCCESS
}

/// What the program prints and how it ends.
fn lariat(arguments: &[&str]) -> (String, Option<i32>) {
    let ended = output(arguments);
    let text = [ended.stdout, ended.stderr].concat();
    (String::from_utf8(text).expect("it prints text"), ended.status.code())
}

fn output(arguments: &[&str]) -> Output {
    let program = std::env::current_exe().expect("the test is a program");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    Command::new(program).args(arguments).env(AS_PROGRAM, "1").current_dir(root).output().expect("it runs")
}

#[track_caller]
fn assert_says(arguments: &[&str], code: i32, parts: &[&str]) {
    let (text, ended) = lariat(arguments);
    assert_eq!(ended, Some(code), "{arguments:?}: {text}");
    parts.iter().for_each(|part| assert!(text.contains(part), "{arguments:?} does not say `{part}`: {text}"));
}

fn help_and_completions() {
    assert_says(&["check", "--help"], 0, &["- walks:", "random walks: finds failures of `safety`"]);
    assert_says(&["completions", "bash"], 0, &["kosaraju", "walks"]);
    for command in ["check", "simulate", "replay", "shorten", "show"] {
        assert_says(&[command, "--help"], 0, &["counters (`.count`)"]);
    }
    let shipped = Command::new(env!("CARGO_BIN_EXE_lariat")).args(["check", "--help"]).output().expect("it runs");
    let shipped = String::from_utf8_lossy(&shipped.stdout);
    assert!(!shipped.contains("walks") && !shipped.contains("counters"), "the shipped program has no toys");
}

fn failures_and_documents() {
    let deadlock = "models/counter_race.pml";
    assert_says(&["check", deadlock, "--engine", "walks"], 1, &["safety: fails", "(walks)"]);
    assert_says(&["check", deadlock, "--engine", "walks", "--json"], 1, &["\"engine\": \"walks\"", "\"fails\""]);
    assert_says(&["check", deadlock, "--engine", "walks", "--plan"], 0, &["walks", "64 random walks"]);
    // It cannot say that something holds.
    assert_says(
        &["check", "models/alternating_bit.pml", "--engine", "walks", "--property", "safety"],
        3,
        &["undecided"],
    );
}

fn refusals() {
    let model = "models/alternating_bit.pml";
    let safety = ["--property", "safety"];
    let ask = |more: &[&str], parts: &[&str]| {
        assert_says(&[&["check", model], &safety[..], more].concat(), 2, parts);
    };
    ask(&["--engine", "walks", "--shortest"], &["the engine `walks` does not support `--shortest`", "`bfs`"]);
    // And it is named where others refuse.
    ask(&["--engine", "scc", "--threads", "1"], &["does not support `safety`", "`walks`"]);
    ask(&["--engine", "walk"], &["walks"]);
}

/// It is right wherever it says something.
fn models() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (model, fails) in [
        ("models/alternating_bit.pml", false),
        ("models/bench/philosophers.pml", false),
        ("models/counter_race.pml", true),
    ] {
        let mut model = Model::read(&root.join(model), &ReadOptions::default()).expect("it is a model");
        for engine in engines().iter() {
            let name = engine.name();
            let options = CheckOptions {
                engines: engines(),
                engine: Some(name),
                properties: vec!["safety".to_owned()],
                threads: Some(1),
                ..CheckOptions::default()
            };
            let checked = match lariat::check(&mut model, &options, &Limits::default().control()) {
                Ok(checked) => checked,
                Err(refused) => {
                    assert!(!["bfs", "dfs", "walks"].contains(&name), "{name}: {refused}");
                    continue;
                }
            };
            let verdict = &checked.settled[0].report().verdict;
            assert!(verdict.may_be_said_by(engine, !fails), "{name}: {verdict:?}");
        }
    }
}

/// What the other tests of the program ask of all engines, they can ask of this one too.
fn every_loop_over_engines() {
    let new = [(RandomWalks.name(), RandomWalks.can_show_that_it_holds())];
    every_engine::honours_every_store_or_refuses_it(&output, &new);
    every_engine::grows_the_pool(&output, &new);
}

/// The program reads, checks, runs and replays models in the language, and says what is wrong with others.
fn models_in_counters() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("it can be written");
        path.to_str().expect("a path in plain letters").to_owned()
    };
    let clock = "counter hour 0 3\nadd hour 1\nreset hour\nltl noon [] <> (hour == 2)\nltl early [] (hour < 3)\n";
    let (clock, trace) = (write("clock.count", clock), write("trace.json", ""));
    assert_says(
        &["check", &clock, "--trace", &trace],
        1,
        &["safety: holds", "noon: holds", "early: fails", "add hour 1"],
    );
    assert_says(&["replay", &clock, &trace], 0, &["early", "add hour 1"]);
    assert_says(&["check", &clock, "--json"], 1, &["\"name\": \"noon\"", "\"fails\""]);
    assert_says(&["check", &clock, "--plan"], 0, &["noon: engine", "early: engine"]);
    assert_says(&["check", &clock, "--ctl", "AG EF (hour == 0)"], 0, &["holds"]);
    assert_says(&["check", &clock, "--engine", "walks", "--property", "safety"], 3, &["undecided"]);
    assert_says(&["simulate", &clock, "--steps", "3", "--seed", "1"], 0, &["add hour 1"]);
    assert_says(&["show", &clock], 0, &["hour"]);
    // In folders, and with answers of its own.
    let folder = folder.path().to_str().expect("a path in plain letters");
    assert_says(&["check", folder], 1, &["noon: holds", "early: fails"]);
    assert_says(&["test", &clock, "--update"], 0, &["clock.count"]);
    let stated = std::fs::read_to_string(&clock).expect("it is there");
    assert!(stated.contains("# expect: holds noon\n") && stated.contains("# expect: fails early"), "{stated}");
    assert_says(&["test", folder], 0, &["clock.count"]);
    write("clock.count", &stated.replace("holds noon", "fails noon"));
    assert_says(&["test", folder], 1, &["`noon` holds (expected: fails)"]);
    assert_says(&["test", &trace], 2, &["is neither a folder nor a model (.pml", ".count)"]);
    // And refusals.
    assert_says(&["check", &clock, "--property", "late"], 2, &["it has: safety, noon, early"]);
    assert_says(&["check", &clock, "--trail"], 2, &["is not a Promela model"]);
    assert_says(&["check", &clock, "-D", "N=1"], 2, &["is read as counters"]);
    let wrong = write("wrong.count", "counter a 0 1\nsubtract a\n");
    assert_says(&["check", &wrong, "--json"], 2, &["T0001", "`subtract a` is not a statement", "\"line\": 2"]);
}
