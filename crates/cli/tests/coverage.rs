//! `--coverage`: how often statements are executed.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// Two statements with the same effect, one that is never executed, one whose only execution is an error, and a process that waits
/// to end.
const MODEL: &str = "byte x, a[2];
proctype Q() { (false) }
active proctype P() {
  run Q();
  if
  :: x = 7
  :: x = 7
  :: x == 5 ->
     x = 2
  fi;
  x = x / a[0];
  skip
}
active proctype Waits() { skip }
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

#[test]
fn the_annotated_source_shows_what_is_executed() {
    let folder = folder();
    let plain = lariat(folder.path(), &["check", "m.pml", "--keep-going", "--quiet", "--json"]);
    let output = lariat(folder.path(), &["check", "m.pml", "--keep-going", "--quiet", "--json", "--coverage", "c.txt"]);
    assert_eq!(output.status.code(), Some(1));
    let [plain, counted] = [plain, output].map(|output| {
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a document");
        let property = &document["properties"][0];
        assert!(property.get("profile").is_none(), "the profile was not asked for");
        ["states", "transitions", "digest", "unreached"].map(|field| property[field].clone())
    });
    assert_eq!(plain, counted);
    let text = std::fs::read_to_string(folder.path().join("c.txt")).expect("written");
    let mark = |line: usize| {
        let row = text.lines().find(|row| row.contains(&format!(" {line:4} | "))).expect("a row for each line");
        row.split_whitespace().next().expect("a number").to_owned()
    };
    let is_reached = |line: usize| mark(line).parse::<u64>().is_ok_and(|count| count > 0);
    for line in [4, 6, 7, 11] {
        assert!(is_reached(line), "line {line}: {text}");
    }
    for line in [2, 8, 9, 12, 13] {
        assert_eq!(mark(line), "#####", "line {line}: {text}");
    }
    assert!(text.contains("-end-") && is_reached(14), "{text}");
}

#[test]
fn lcov_counts_lines_and_statements() {
    let folder = folder();
    lariat(folder.path(), &["check", "m.pml", "--keep-going", "--quiet", "--coverage", "c.info"]);
    let text = std::fs::read_to_string(folder.path().join("c.info")).expect("written");
    assert!(text.starts_with("TN:\nSF:m.pml\n") && text.ends_with("end_of_record\n"), "{text}");
    let number = |key: &str| -> usize {
        let line = text.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_else(|| panic!("{key} in {text}"));
        line.parse().expect("a number")
    };
    let lines: Vec<(u32, u64)> = text
        .lines()
        .filter_map(|line| line.strip_prefix("DA:"))
        .map(|line| {
            let (line, count) = line.split_once(',').expect("two numbers");
            (line.parse().expect("a line"), count.parse().expect("a count"))
        })
        .collect();
    assert!(lines.is_sorted() && lines.len() == number("LF:"));
    assert_eq!(lines.iter().filter(|(_, count)| *count > 0).count(), number("LH:"));
    let branches = text.lines().filter(|line| line.starts_with("BRDA:"));
    assert_eq!(branches.clone().count(), number("BRF:"));
    assert_eq!(branches.filter(|line| !line.ends_with(",0")).count(), number("BRH:"));
    let count = |line: u32| lines.iter().find(|(at, _)| *at == line).map(|(_, count)| *count);
    assert_eq!([count(8), count(9), count(12)], [Some(0); 3]);
    assert!(count(6) > Some(0) && count(11) == Some(1), "{text}");
}

#[test]
fn other_properties_are_checked_beside() {
    let folder = folder();
    std::fs::write(folder.path().join("l.pml"), format!("{MODEL}ltl p {{ [] (x < 9) }}\n")).expect("written");
    let output = lariat(folder.path(), &["check", "l.pml", "--keep-going", "--quiet", "--coverage", "l.txt"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("\np: holds\n") && folder.path().join("l.txt").exists(), "{text}");
}

#[test]
fn what_cannot_be_counted_is_said() {
    let folder = folder();
    let early = lariat(folder.path(), &["check", "m.pml", "--coverage", "c.txt"]);
    assert_eq!(early.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&early.stderr).contains("not all states were seen"));
    let text = std::fs::read_to_string(folder.path().join("c.txt")).expect("written");
    assert!(text.contains("not all states were seen"), "{text}");
    let other = lariat(folder.path(), &["check", "m.pml", "--coverage", "d.txt", "--ltl", "[] true"]);
    assert_eq!(other.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&other.stderr).contains("add `--property safety`"));
    let disk = lariat(folder.path(), &["check", "m.pml", "--coverage", "d.txt", "--engine", "external"]);
    assert_eq!(disk.status.code(), Some(2));
    assert!(!folder.path().join("d.txt").exists());
}
