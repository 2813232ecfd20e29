//! `--overflow`: values that do not fit.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// A counter that passes 255, a message and an argument that are too large, a counter that a guard bounds.
const MODEL: &str = "byte x = 250, bounded;
chan q = [1] of { byte, int };
int big = 300;
proctype R(byte n) { assert(n == 44) }
active proctype P() {
  do
  :: x++
  :: atomic { bounded < 3 -> bounded++; x++ }
  :: x == 3 -> break
  od;
  q!big,big;
  run R(big)
}
";

fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("m.pml"), MODEL).expect("written");
    folder
}

fn lariat(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null()).output().expect("the program starts")
}

fn json(folder: &Path, arguments: &[&str]) -> serde_json::Value {
    let output = lariat(folder, &[&["check", "m.pml", "--json"], arguments].concat());
    serde_json::from_slice(&output.stdout).expect("a document")
}

/// The lines of warnings that something is truncated, with what it does not fit into.
fn truncated(document: &serde_json::Value) -> Vec<(u64, String)> {
    let warnings = document["warnings"].as_array().cloned().unwrap_or_default();
    let mut found: Vec<(u64, String)> = warnings
        .iter()
        .filter(|warning| warning["code"] == "C0013")
        .map(|warning| {
            let message = warning["message"].as_str().expect("a message");
            (warning["line"].as_u64().expect("a line"), message.split('`').nth(3).expect("a name").to_owned())
        })
        .collect();
    found.sort();
    found
}

#[test]
fn each_place_is_warned_of_once_and_nothing_else_changes() {
    let folder = folder();
    let expected: Vec<(u64, String)> =
        [(7, "x"), (8, "x"), (11, "q"), (12, "n")].map(|(line, name)| (line, name.to_owned())).into();
    let silent = json(folder.path(), &["--overflow", "silent"]);
    assert_eq!(truncated(&silent), []);
    assert_eq!(silent["properties"][0]["verdict"], "holds");
    for engine in ["bfs", "dfs", "external"] {
        for code in ["bytecode", "native"] {
            let warned = json(folder.path(), &["--engine", engine, "--code", code]);
            assert_eq!(truncated(&warned), expected, "{engine} {code}");
            assert_eq!(warned["properties"][0]["states"], silent["properties"][0]["states"]);
            assert_eq!(warned["properties"][0]["digest"], silent["properties"][0]["digest"]);
        }
    }
}

#[test]
fn a_failure_names_the_variable_the_value_and_the_limits() {
    let folder = folder();
    for engine in ["bfs", "dfs", "external", "symbolic"] {
        let output = lariat(folder.path(), &["check", "m.pml", "--overflow", "error", "--engine", engine]);
        assert_eq!(output.status.code(), Some(1), "{engine}");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            text.contains("value out of range (256 does not fit into `x`, which holds 0 to 255)"),
            "{engine}: {text}"
        );
    }
    // All of them, with the same states.
    let silent = json(folder.path(), &["--overflow", "silent"]);
    let failed = json(folder.path(), &["--overflow", "error", "--keep-going"]);
    assert_eq!(failed["properties"][0]["states"], silent["properties"][0]["states"]);
    assert_eq!(failed["properties"][0]["kind"], "range");
}

#[test]
fn a_saved_trace_is_replayed_as_it_was_made() {
    let folder = folder();
    lariat(folder.path(), &["check", "m.pml", "--overflow", "error", "--trace", "t.json"]);
    let replayed = lariat(folder.path(), &["replay", "m.pml", "t.json"]);
    let text = String::from_utf8_lossy(&replayed.stdout).into_owned();
    assert_eq!(replayed.status.code(), Some(0), "{text}");
    assert!(text.contains("256 does not fit into `x`"), "{text}");
}

#[test]
fn simulations_and_traces_mark_what_is_truncated() {
    let folder = folder();
    let simulated = lariat(folder.path(), &["simulate", "m.pml", "--seed", "1"]);
    let text = String::from_utf8_lossy(&simulated.stdout).into_owned();
    assert!(text.contains("(300 does not fit into a field of `q`, which holds 0 to 255)"), "{text}");
    let silent = lariat(folder.path(), &["simulate", "m.pml", "--seed", "1", "--overflow", "silent"]);
    assert!(!String::from_utf8_lossy(&silent.stdout).contains("does not fit"));
}

#[test]
fn initial_values_that_do_not_fit_are_errors_of_the_model() {
    let folder = folder();
    std::fs::write(folder.path().join("i.pml"), "byte x = 300;\nactive proctype P() { x == 1 }\n").expect("written");
    let output = lariat(folder.path(), &["check", "i.pml", "--overflow", "error"]);
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("P0503") && text.contains("`x` holds 0 to 255"), "{text}");
    let local = "active proctype P() { short s = 40000; s == 1 }\n";
    std::fs::write(folder.path().join("i.pml"), local).expect("written");
    let output = lariat(folder.path(), &["check", "i.pml", "--overflow", "error"]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("`s` cannot begin with 40000") && text.contains("`s` holds -32768 to 32767"), "{text}");
    let refused = lariat(folder.path(), &["check", "m.smv", "--overflow", "error"]);
    assert_eq!(refused.status.code(), Some(2));
}
