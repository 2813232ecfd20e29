//! `lariat check` of several models, folders and standard input, and sweeps.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const HOLDS: &str = "#ifndef N\n#define N 2\n#endif\nbyte x;\nactive [N] proctype P() { atomic { x < 3 -> x++ } }\n";
const FAILS: &str = "active proctype P() { assert(false) }\n";

fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let inner = folder.path().join("inner");
    std::fs::create_dir(&inner).expect("made");
    std::fs::write(folder.path().join("a.pml"), HOLDS).expect("written");
    std::fs::write(inner.join("b.pml"), FAILS).expect("written");
    folder
}

fn lariat(folder: &Path, arguments: &[&str], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
    command.args(arguments).current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    // Who is refused does not read.
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).unwrap_or_default();
    child.wait_with_output().expect("it ends")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

#[test]
fn several_models_are_checked_one_after_the_other() {
    let folder = folder();
    let output = lariat(folder.path(), &["check", "a.pml", "inner", "--quiet"], "");
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.starts_with("a.pml\nsafety: holds\n"), "{text}");
    assert!(text.contains("\ninner/b.pml\nsafety: fails, assertion violated"), "{text}");
    assert!(text.ends_with("2 models: 1 holds, 1 fails (inner/b.pml)\n"), "{text}");
    // A model that is none does not keep the others from being checked.
    let output = lariat(folder.path(), &["check", "missing.pml", "a.pml", "--quiet"], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(stdout(&output).ends_with("2 models: 1 holds, 1 not checked (missing.pml)\n"));
    let refused = lariat(folder.path(), &["check", "a.pml", "inner", "--trace", "t.json"], "");
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("`--trace` is for one model, and there are 2"));
}

/// Folders are searched for all that front ends read, whatever the ending.
#[test]
fn folders_are_searched_for_every_ending_of_a_language() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.prom"), format!("// expect: holds safety\n{HOLDS}")).expect("written");
    std::fs::write(folder.path().join("notes.txt"), "// expect: fails safety\n").expect("written");
    for arguments in [["check", "."], ["test", "."], ["test", "a.prom"]] {
        let output = lariat(folder.path(), &arguments, "");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    let output = lariat(folder.path(), &["test", "notes.txt"], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("neither a folder nor a model (.pml, .prom, "));
}

#[test]
fn a_model_can_come_by_standard_input() {
    let folder = folder();
    let output = lariat(folder.path(), &["check", "-", "--quiet"], FAILS);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("/dev/stdin:1"), "{}", stdout(&output));
    let twice = lariat(folder.path(), &["check", "-", "-"], FAILS);
    assert_eq!(twice.status.code(), Some(2));
    let empty = tempfile::tempdir().expect("a folder");
    assert_eq!(lariat(empty.path(), &["check", "."], "").status.code(), Some(2));
}

#[test]
fn a_sweep_is_a_table_with_growth_factors() {
    let folder = folder();
    let output = lariat(folder.path(), &["check", "a.pml", "-D", "N=1..3"], "");
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0], ["property", "verdict", "states", "growth", "transitions", "time"], "{text}");
    let alone = |n: &str| -> (u64, u64) {
        let define = format!("-DN={n}");
        let output = lariat(folder.path(), &["check", "a.pml", "--json", &define], "");
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a document");
        let property = &document["properties"][0];
        let number = |field: &str| property[field].as_u64().expect("a number");
        (number("states"), number("transitions"))
    };
    let counts: Vec<(u64, u64)> = ["1", "2", "3"].map(alone).into();
    for (number, row) in rows[1..].iter().enumerate() {
        let (states, transitions) = counts[number];
        let mut expected =
            vec![format!("N={}", number + 1), "safety".to_owned(), "holds".to_owned(), states.to_string()];
        if number > 0 {
            expected.push(format!("×{:.2}", states as f64 / counts[number - 1].0 as f64));
        }
        expected.push(transitions.to_string());
        assert_eq!(row[..expected.len()], expected, "{text}");
    }
    assert_eq!(rows.len(), 4);
    for option in ["--json", "--profile", "--trail"] {
        let refused = lariat(folder.path(), &["check", "a.pml", "-D", "N=1..3", option], "");
        assert_eq!(refused.status.code(), Some(2), "{option}");
    }
}
