//! Limits and interrupts before anything is searched: texts that are long to read, models that are large to lower, formulas that
//! take long to translate. Whatever was asked for is *undecided*, soon, and the reason is said.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn lariat(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lariat")).args(arguments).current_dir(folder).output().expect("it starts")
}

fn document(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("no document: {}", String::from_utf8_lossy(&output.stderr)))
}

/// Forty formulas that look 150 steps ahead: their automaton would take long to make.
fn formula() -> String {
    let ahead = |value: usize| format!("[] (x == {value} -> {}x == {value}{})", "X (".repeat(150), ")".repeat(150));
    (0..40).map(ahead).collect::<Vec<_>>().join(" && ")
}

const COUNTER: &str = "byte x;\nactive proctype p() { do :: x < 3 -> x++ :: x > 0 -> x-- od }\n";

/// A model of so many statements.
fn long(statements: usize) -> String {
    let body: String = (0..statements).map(|number| format!("  x = {};\n", number % 200)).collect();
    format!("byte x;\nactive proctype p() {{\n{body}}}\n")
}

fn folder_with(model: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("m.pml"), model).expect("it can be written");
    folder
}

#[test]
fn a_formula_that_takes_long_to_translate_keeps_to_the_time() {
    let (folder, formula, began) = (folder_with(COUNTER), formula(), Instant::now());
    let check = ["check", "m.pml", "--json", "--time", "200ms", "--ltl", &formula];
    let output = lariat(folder.path(), &check);
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    let properties = document(&output)["properties"].clone();
    let answers: Vec<_> =
        properties.as_array().expect("a list").iter().map(|one| (&one["verdict"], &one["reason"])).collect();
    assert_eq!(answers, [(&"undecided".into(), &"time".into())]);
    // A plan is not an answer: there is none.
    let output = lariat(folder.path(), &[&check[..], &["--plan"]].concat());
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(document(&output)["errors"][0]["code"], "C0103");
}

#[test]
fn an_interrupt_ends_a_translation() {
    let (folder, formula) = (folder_with(COUNTER), formula());
    let child = Command::new(env!("CARGO_BIN_EXE_lariat"))
        .args(["check", "m.pml", "--json", "--ltl", &formula])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    std::thread::sleep(Duration::from_millis(300));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("there is `kill`").success());
    let output = child.wait_with_output().expect("it ends");
    // Should the machine be faster than that, there is an answer.
    if output.status.code() == Some(3) {
        assert_eq!(document(&output)["properties"][0]["reason"], "interrupted");
    }
}

#[test]
fn a_long_text_keeps_to_memory_and_time() {
    let folder = folder_with(&long(200_000));
    for (limit, message) in [(["--memory", "40M"], "memory limit"), (["--time", "100ms"], "time limit")] {
        let began = Instant::now();
        let output = lariat(folder.path(), &[&["check", "m.pml", "--json"], &limit[..]].concat());
        assert!(began.elapsed() < Duration::from_secs(20), "{limit:?}: {:?}", began.elapsed());
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{limit:?}: {told}");
        assert!(told.contains("undecided: the ") && told.contains(message), "{limit:?}: {told}");
        assert_eq!(document(&output)["errors"][0]["code"], "C0103", "{limit:?}");
    }
}
