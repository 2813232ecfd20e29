//! What is asked for and cannot be had is said: before a search, where it would be lost at its end.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// Fails, so that there is something to write.
const MODEL: &str =
    "#define N 2\nbyte x;\nactive [N] proctype P() { x = x + 300; assert(x < 50) }\nltl p { <> (x > 0) }\n";

fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("m.pml"), MODEL).expect("written");
    folder
}

fn lariat(folder: &Path, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
    command.args(line.split_whitespace()).current_dir(folder).stdin(Stdio::null()).output().expect("the program starts")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The line is refused before anything is searched, and this is said.
#[track_caller]
fn refused(folder: &Path, line: &str, part: &str) {
    let output = lariat(folder, line);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{line}: {}", stderr(&output));
    assert!(stderr(&output).contains(part), "{line}: {}", stderr(&output));
}

#[test]
fn files_that_cannot_be_written_are_refused_before_the_search() {
    let folder = folder();
    let folder = folder.path();
    std::fs::create_dir(folder.join("m.pml.trail")).expect("a folder");
    for option in ["--trace none/t.json", "--report none/r.html", "--coverage none/c.info", "--trace .", "--trail"] {
        refused(folder, &format!("check m.pml {option}"), "cannot write");
    }
    refused(folder, "check m.pml --engine symbolic --write-order none/order", "cannot write");
    refused(folder, "check m.pml -D N=1..3 --report none/r.html", "cannot write");
    refused(folder, "unbounded m.pml --trace none/t.json", "cannot write");
    refused(folder, "graph m.pml -o none/g.dot", "cannot write");
    assert_eq!(lariat(folder, "check m.pml --trace t.json").status.code(), Some(1));
    refused(folder, "shorten m.pml t.json --trace none/t.json", "cannot write");
    refused(folder, "shorten m.pml t.json --trail", "cannot write");
    refused(folder, "report t.json -o none/r.html", "cannot write");
    let mut left: Vec<_> = std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.file_name()).collect();
    left.sort();
    assert_eq!(left, ["m.pml", "m.pml.trail", "t.json"], "trying leaves nothing behind");
}

#[test]
fn a_dash_is_standard_output_or_refused() {
    let folder = folder();
    let folder = folder.path();
    for option in ["--trace", "--report", "--coverage"] {
        refused(folder, &format!("check m.pml {option} -"), "name a file");
    }
    assert_eq!(lariat(folder, "check m.pml --trace ./-").status.code(), Some(1));
    assert!(folder.join("-").exists(), "a file may have this name");
    let graph = lariat(folder, "graph m.pml -o -");
    assert!(graph.stdout.starts_with(b"digraph"), "{}", stderr(&graph));
    let report = lariat(folder, "report ./- -o -");
    assert!(report.stdout.starts_with(b"<!DOCTYPE html>"), "{}", stderr(&report));
}

#[test]
fn options_of_reading_without_effect_are_said() {
    let folder = folder();
    let folder = folder.path();
    let warned = |line: &str| stderr(&lariat(folder, line)).contains("C0015");
    assert!(warned("check m.pml -D SIZE=3") && warned("check m.pml -DN=3 -DSIZE=3"));
    assert!(!warned("check m.pml -D N=3") && !warned("check m.pml -DSIZE=3 -DN=SIZE"));
    assert!(warned("check m.pml -Dbig=(x>3) --ltl []!(x>4)"));
    assert!(!warned("check m.pml -Dbig=(x>3) --ltl []!big"), "a formula mentions it");
    assert!(warned("check m.pml --lose-messages") && warned("check m.pml --empty-channels"));
    let channel = "chan q = [1] of { byte }; active proctype P() { q!1; q!2 }";
    std::fs::write(folder.join("q.pml"), channel).expect("written");
    assert!(!warned("check q.pml --lose-messages") && !warned("check q.pml --empty-channels"));

    refused(folder, "check m.pml -I none", "`-I none`: there is no such folder");
    refused(folder, "check m.pml --include-root none", "there is no such folder");
    refused(folder, "check m.pml --overflow error --property p", "`--overflow error` has no effect here");
    refused(folder, "check m.pml --overflow error --ltl <>(x>0)", "--property safety");
    assert_eq!(lariat(folder, "check m.pml --overflow error").status.code(), Some(1));
}

#[test]
fn a_trail_of_another_model_is_noticed_by_its_name() {
    let folder = folder();
    let folder = folder.path();
    assert_eq!(lariat(folder, "check m.pml --trail").status.code(), Some(1));
    let said = |line: &str| stderr(&lariat(folder, line)).contains("is not named after");
    assert!(!said("replay m.pml m.pml.trail"));
    std::fs::copy(folder.join("m.pml.trail"), folder.join("m.pml3.trail")).expect("copied");
    assert!(!said("replay m.pml m.pml3.trail"), "SPIN numbers them");
    std::fs::copy(folder.join("m.pml"), folder.join("other.pml")).expect("copied");
    assert!(said("replay other.pml m.pml.trail") && said("shorten other.pml m.pml.trail"));
}

#[test]
fn a_quiet_run_says_where_its_directory_is() {
    let folder = folder();
    let line = "check m.pml --property p --engine external --disk . --checkpoint-every 0s --buffer-states 2 --quiet";
    let output = lariat(folder.path(), line);
    assert!(stderr(&output).contains("run directory: "), "{}", stderr(&output));
}
