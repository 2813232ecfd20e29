//! `check --trail`: the trails are those that the models state, and SPIN replays them without a complaint to where we say
//! that the failure is.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What SPIN says of a trail that does not fit the model.
const COMPLAINTS: [&str; 6] =
    ["transition failed", "invalid statement", "no matching stmnt", "stop error", "no process", "(?)"];
/// An assertion about where a process stands, which stands at a jump: SPIN's simulator takes jumps at once, so that the
/// assertion does not fail in it, with SPIN's own trail either.
const JUMPS_AT_ONCE: [&str; 1] = ["f04.pml"];
/// Larger models take long in a debug build.
const MAX_STATES: u64 = 300_000;

fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models")
}

fn lariat(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lariat")).args(arguments).current_dir(folder).output().expect("it starts")
}

fn has_spin() -> bool {
    let installed = Command::new("spin").arg("-V").output().is_ok();
    if !installed {
        println!("skipped: spin is not installed");
    }
    installed
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A folder with a copy of the model and what it includes, and the model's name there.
fn copy(model: &Path) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let siblings =
        std::fs::read_dir(model.parent().expect("a folder")).expect("it is there").flatten().map(|entry| entry.path());
    for path in siblings.filter(|path| path == model || path.extension() == Some("h".as_ref())) {
        std::fs::copy(&path, folder.path().join(path.file_name().expect("a name"))).expect("copied");
    }
    let name = model.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
    (folder, name)
}

/// The line of the last statement that SPIN replays, and the number of lines it read, if it got to the end.
fn spin_end(shown: &str) -> (Option<u64>, Option<usize>) {
    let mut steps =
        shown.lines().filter(|line| line.contains("proc ") && line.contains("(state ") && line.contains('['));
    let line = steps.next_back().and_then(|line| line.split(" (state ").next()?.rsplit(':').next()?.parse().ok());
    let ends = shown.lines().find_map(|line| line.strip_prefix("spin: trail ends after ")?.split(' ').next());
    (line, ends.and_then(|number| number.parse().ok()))
}

/// What is wrong with the replay of the model's trail in `folder`, whose failure is `property`.
fn replay_mistakes(folder: &Path, name: &str, defines: &[&str], property: &Value) -> Vec<String> {
    let output = Command::new("spin")
        .args(["-t", "-p"])
        .args(defines)
        .arg(name)
        .current_dir(folder)
        .output()
        .expect("spin starts");
    let shown = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    let complains = |line: &&str| COMPLAINTS.iter().any(|complaint| line.contains(complaint));
    let mut mistakes: Vec<String> = shown.lines().filter(complains).map(str::to_owned).collect();

    let (spin_line, spin_count) = spin_end(&shown);
    let written = std::fs::read_to_string(folder.join(format!("{name}.trail"))).expect("a trail").lines().count();
    let kind = property["kind"].as_str().expect("a kind");
    if matches!(kind, "assertion" | "invalid_end") && spin_count != Some(written) {
        mistakes.push(format!("{written} lines, but SPIN replays {spin_count:?}"));
    }
    let fails = shown.contains("Error: assertion violated");
    if kind == "assertion" && !fails && !JUMPS_AT_ONCE.contains(&name) {
        mistakes.push("no assertion fails in SPIN".to_owned());
    }
    let steps = property["trace"]["steps"].as_array().expect("steps");
    // A process at an end of its own makes no step that SPIN shows; nor does an error in a guard.
    let is_shown = |step: &&Value| step["text"] != "-end-" && (step["taken"] != false || kind != "channel");
    let last = steps.iter().rev().find(is_shown).map(|step| step.get("receiver").unwrap_or(step));
    let our_line = last.map(|step| step["line"].as_u64().expect("a line"));
    let text = std::fs::read_to_string(folder.join(name)).unwrap_or_default();
    if our_line != spin_line && !is_one_statement(&text, our_line, spin_line) {
        mistakes.push(format!("the last step is at line {our_line:?}, for SPIN at {spin_line:?}"));
    }
    mistakes
}

/// A statement of several lines is at its first for us, at its last for SPIN.
fn is_one_statement(text: &str, first: Option<u64>, last: Option<u64>) -> bool {
    let (Some(first), Some(last)) = (first, last) else { return false };
    let lines: Vec<&str> =
        text.lines().skip(first as usize - 1).take((last + 1).saturating_sub(first) as usize).collect();
    let statement = lines.join("\n");
    !lines.is_empty() && !statement.trim_end().trim_end_matches(';').contains([';', '}'])
}

#[test]
fn trails_are_as_the_models_state_and_spin_replays_them() {
    let spin = has_spin();
    let mut count = 0;
    for entry in std::fs::read_dir(models().join("trails")).unwrap().flatten() {
        let (folder, name) = copy(&entry.path());
        let output = lariat(folder.path(), &["check", "--json", "--trail", &name]);
        assert_eq!(output.status.code(), Some(1), "{name}: {}", stderr(&output));
        let document: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(document["trail"], format!("{name}.trail"));
        let trail = std::fs::read_to_string(folder.path().join(format!("{name}.trail"))).unwrap();
        let text = std::fs::read_to_string(entry.path()).unwrap();
        let stated = text.lines().filter_map(|line| line.strip_prefix("// trail: ")).flat_map(str::split_whitespace);
        assert_eq!(trail.lines().collect::<Vec<_>>(), stated.collect::<Vec<_>>(), "{name}");
        if spin {
            let mistakes = replay_mistakes(folder.path(), &name, &[], &document["properties"][0]);
            assert!(mistakes.is_empty(), "{name}: {}", mistakes.join("\n"));
        }
        count += 1;
    }
    assert!(count >= 5, "{count} models");
}

#[test]
fn spin_replays_the_trails_of_the_corpus() {
    if !has_spin() {
        return;
    }
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/promela");
    let mut complaints = Vec::new();
    let mut count = 0;
    for part in ["semantics", "conformance"] {
        let Ok(table) = std::fs::read_to_string(corpus.join(part).join("expected.tsv")) else {
            println!("skipped: no corpus");
            return;
        };
        for row in table.lines().skip(1) {
            let columns: Vec<&str> = row.split('\t').collect();
            let small = columns[4].parse::<u64>().is_ok_and(|states| states <= MAX_STATES);
            if (columns[2], columns[3], small) != ("safety", "fails", true) {
                continue;
            }
            let (folder, name) = copy(&corpus.join(part).join(columns[0]));
            let defines: Vec<&str> = columns[1].split_whitespace().filter(|option| option.starts_with("-D")).collect();
            let arguments = ["check", "--json", "--trail", "--time", "60s", &name];
            let output = lariat(folder.path(), &[&arguments[..], &defines[..]].concat());
            if output.status.code() != Some(1) {
                complaints.push(format!("{name}: exit {:?}: {}", output.status.code(), stderr(&output)));
                continue;
            }
            let document: Value = serde_json::from_slice(&output.stdout).unwrap();
            let mistakes = replay_mistakes(folder.path(), &name, &defines, &document["properties"][0]);
            complaints.extend(mistakes.into_iter().map(|mistake| format!("{name}: {mistake}")));
            count += 1;
        }
    }
    println!("{count} trails replayed");
    assert!(complaints.is_empty(), "{count} trails, complaints:\n{}", complaints.join("\n"));
}

#[test]
fn the_trail_is_told_of_and_lies_in_the_current_folder() {
    let folder = tempfile::tempdir().unwrap();
    let model = models().join("trails/d_steps.pml");
    let model = model.to_str().unwrap();
    let output = lariat(folder.path(), &["check", "--trail", model]);
    assert_eq!(output.status.code(), Some(1));
    let told =
        format!("note: the trail is in `d_steps.pml.trail`; `spin -t -p -k d_steps.pml.trail {model}` shows it\n");
    assert_eq!(stderr(&output), told);
    let names = || -> Vec<String> {
        let entries = std::fs::read_dir(folder.path()).unwrap().flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    };
    assert_eq!(names(), ["d_steps.pml.trail"]);

    // What cannot be replaced stays, and nothing is left beside it.
    let trail = folder.path().join("d_steps.pml.trail");
    std::fs::remove_file(&trail).unwrap();
    std::fs::create_dir(&trail).unwrap();
    let output = lariat(folder.path(), &["check", "--trail", "--json", model]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("cannot write `d_steps.pml.trail`"), "{}", stderr(&output));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (document.get("trail"), &document["properties"]),
        (None, &Value::Array(Vec::new())),
        "nothing is searched"
    );
    assert_eq!(names(), ["d_steps.pml.trail"]);
}

#[test]
fn where_there_is_no_trail_it_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| models().join(name).to_str().unwrap().to_owned();
    let output = lariat(folder.path(), &["check", "--trail", &path("spawn.pml")]);
    assert_eq!(output.status.code(), Some(0));
    assert!(stderr(&output).contains("no trail to save in `spawn.pml.trail`"), "{}", stderr(&output));
    let output = lariat(folder.path(), &["check", "--trail", "--json", &path("broken.sys")]);
    assert_eq!(output.status.code(), Some(2));
    let document: Value = serde_json::from_slice(&output.stdout).expect("a document");
    assert_eq!((&document["properties"], &document["trail"]), (&Value::Array(Vec::new()), &Value::Null));
    assert!(stderr(&output).contains("is not a Promela model"), "{}", stderr(&output));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
