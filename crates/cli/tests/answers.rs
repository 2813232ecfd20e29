//! Answers are told when they are known: what was said survives the end of the program, interrupts end one property at a time,
//! and events are lines.

use lariat_render::documents::{Entry, RunDocument, SettledEvent, Steps};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// `quick` fails after a few steps, `endless` has no answer within the time of a test, `other` neither.
const MODEL: &str = "\
int a, b, c; byte n;
active proctype P() { do :: a++ :: b++ :: c++ :: n < 3 -> n++ od }
ltl quick { [] (n < 3) }
ltl endless { [] (a + b + c != 1000000000) }
ltl other { [] (a - b != 1000000001) }
";

fn folder(model: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("m.pml"), model).expect("written");
    folder
}

fn lariat(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
    command.args(line.split_whitespace()).current_dir(folder).stdin(Stdio::null());
    command
}

fn run(folder: &Path, line: &str) -> Output {
    lariat(folder, line).output().expect("it starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

fn events(output: &Output) -> Vec<Value> {
    text(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}")))
        .collect()
}

fn of_kind<'a>(events: &'a [Value], kind: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event["event"] == kind).collect()
}

/// A child that is ended with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Running {
    fn new(folder: &Path, line: &str) -> Self {
        Self(lariat(folder, line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts"))
    }
    fn signal(&self, name: &str) {
        let killed = Command::new("kill").args([name, &self.0.id().to_string()]).status().expect("kill is there");
        assert!(killed.success());
    }
    /// Waits for a line that begins like this.
    fn wait_for(&mut self, lines: &mut impl BufRead, begins: &str) -> String {
        loop {
            let mut line = String::new();
            assert!(lines.read_line(&mut line).expect("text") > 0, "no line `{begins}`");
            if line.starts_with(begins) {
                return line;
            }
        }
    }
    fn end(&mut self) -> i32 {
        self.0.wait().expect("it ends").code().expect("by itself")
    }
}

#[test]
fn an_answer_survives_the_end_of_the_program() {
    let folder = folder(MODEL);
    let mut child = Running::new(folder.path(), "check m.pml --property quick --property endless --trace t.json");
    let mut lines = BufReader::new(child.0.stdout.take().expect("it is piped"));
    child.wait_for(&mut lines, "quick: fails");
    child.signal("-KILL");
    let trace = std::fs::read_to_string(folder.path().join("t.json")).expect("it was written before the verdict");
    let trace: Value = serde_json::from_str(&trace).expect("it is whole");
    assert_eq!(trace["property"], "quick");
    let mut rest = String::new();
    lines.read_to_string(&mut rest).expect("text");
    assert!(rest.contains("n++"), "the trace was printed:\n{rest}");
    assert!(!rest.contains("endless"), "{rest}");
}

#[test]
fn interrupts_end_one_property_and_then_the_run() {
    let folder = folder(MODEL);
    let mut child =
        Running::new(folder.path(), "check m.pml --property endless --property other --property quick --json-lines");
    let mut lines = BufReader::new(child.0.stdout.take().expect("it is piped"));
    child.wait_for(&mut lines, r#"{"event":"progress","name":"endless""#);
    child.signal("-INT");
    let first = child.wait_for(&mut lines, r#"{"event":"settled""#);
    assert!(first.contains(r#""name":"endless""#) && first.contains(r#""reason":"interrupted""#), "{first}");
    child.wait_for(&mut lines, r#"{"event":"progress","name":"other""#);
    child.signal("-INT");
    let second = child.wait_for(&mut lines, r#"{"event":"settled""#);
    assert!(second.contains(r#""name":"other""#) && second.contains(r#""reason":"interrupted""#), "{second}");
    let third = child.wait_for(&mut lines, r#"{"event":"settled""#);
    assert!(third.contains(r#""name":"quick""#) && third.contains(r#""reason":"not_started""#), "{third}");
    assert_eq!(child.wait_for(&mut lines, r#"{"event":"done""#), "{\"event\":\"done\",\"exit\":3}\n");
    assert_eq!(child.end(), 3);
    let mut notes = String::new();
    child.0.stderr.take().expect("it is piped").read_to_string(&mut notes).expect("text");
    assert_eq!(notes, "note: going on with `other`; another Ctrl-C ends the run\n");
}

#[test]
fn termination_ends_the_run() {
    let folder = folder(MODEL);
    let mut child = Running::new(folder.path(), "check m.pml --property endless --property quick");
    std::thread::sleep(Duration::from_millis(700));
    child.signal("-TERM");
    assert_eq!(child.end(), 3);
    let mut answers = String::new();
    child.0.stdout.take().expect("it is piped").read_to_string(&mut answers).expect("text");
    assert!(answers.starts_with("endless: undecided, interrupted\n"), "{answers}");
    assert!(answers.ends_with("quick: undecided, not started: the run was interrupted\n"), "{answers}");
}

#[test]
fn each_property_can_have_its_own_time() {
    let folder = folder(MODEL);
    let began = Instant::now();
    let output = run(
        folder.path(),
        "check m.pml --property endless --property quick --property other --time-per-property 600ms",
    );
    assert!(began.elapsed() < Duration::from_secs(20));
    assert_eq!(output.status.code(), Some(1));
    let answers = text(&output.stdout);
    for part in [
        "endless: undecided, the time limit of 600 ms was reached\n",
        "quick: fails",
        "other: undecided, the time limit of 600 ms was reached\n",
        "\n3 properties: 1 fails (quick), 2 undecided (endless, other)\n",
    ] {
        assert!(answers.contains(part), "{part:?} in\n{answers}");
    }
    // With one limit for all, the later ones do not begin.
    let output = run(folder.path(), "check m.pml --property endless --property quick --time 600ms --json");
    let document: Value = serde_json::from_slice(&output.stdout).expect("a document");
    assert_eq!(document["properties"][0]["reason"], "time");
    let late = &document["properties"][1];
    assert_eq!([&late["verdict"], &late["reason"]], ["undecided", "not_started"]);
    assert_eq!(late["limit_seconds"], 0.6);
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn events_are_lines_and_say_what_the_document_says() {
    let folder = folder(MODEL);
    let line = "check m.pml --property quick --depth 9 --engine bfs";
    let output = run(folder.path(), &format!("{line} --json-lines --trail"));
    let events = events(&output);
    let kinds: Vec<&str> = events.iter().filter_map(|event| event["event"].as_str()).collect();
    assert_eq!(kinds, ["started", "searching", "settled", "done"]);
    assert_eq!(events[0]["properties"], serde_json::json!(["quick"]));
    assert_eq!([&events[1]["number"], &events[1]["of"]], [1, 1]);
    assert_eq!([&events[3]["exit"], &events[3]["trail"]], [&serde_json::json!(1), &serde_json::json!("m.pml.trail")]);
    let document = run(folder.path(), &format!("{line} --json"));
    let document: RunDocument<Steps<Entry>> = serde_json::from_slice(&document.stdout).expect("a document");
    let event: SettledEvent<Steps<Entry>> = serde_json::from_value(events[2].clone()).expect("an event");
    let event = event.property.expect("it is about a property");
    assert_eq!(event.failure, document.properties[0].failure);
    assert_eq!(event.states, document.properties[0].states);
    // What is wrong is an event too, and the last one has the exit code.
    for line in [
        "check none.pml --json-lines",
        "check m.pml --json-lines --engine nonsense",
        "check m.pml --json-lines --ltl [",
    ] {
        let output = run(folder.path(), line);
        let events = self::events(&output);
        assert_eq!(of_kind(&events, "error").len(), 1, "{line}: {events:?}");
        assert_eq!(events.last().expect("there is one")["exit"], 2, "{line}");
        assert_eq!(output.status.code(), Some(2), "{line}");
    }
}

#[test]
fn vacuity_is_part_of_the_verdict() {
    let folder = folder(
        "bool asked, given;\nactive proctype P() { do :: given = 1 :: given = 0 od }\nltl p { [] (asked -> <> given) }\n",
    );
    let output = run(folder.path(), "check m.pml --property p");
    assert!(
        text(&output.stdout).starts_with("p: holds (vacuously: `asked` is never true)\n"),
        "{}",
        text(&output.stdout)
    );
    let document: Value =
        serde_json::from_slice(&run(folder.path(), "check m.pml --property p --json").stdout).expect("json");
    assert_eq!(document["properties"][0]["vacuous"], "`asked` is never true");
    let output = run(folder.path(), "check m.pml --ltl [](given->(given||asked))");
    assert!(text(&output.stdout).contains(": holds\n"), "{}", text(&output.stdout));
}

#[test]
fn figures_are_those_of_the_property() {
    // The first property takes much memory, the second hardly any.
    let folder = folder(
        "int a, b, c; byte n;\nactive proctype P() { do :: a++ :: b++ :: c++ :: n++ od }\n\
                         ltl large { [] (a + b + c < 64) }\nltl small { [] (n < 2) }\n",
    );
    let output = run(folder.path(), "check m.pml --property large --property small --engine bfs --threads 1 --json");
    let document: Value = serde_json::from_slice(&output.stdout).expect("a document");
    let peak = |number: usize| document["properties"][number]["peak_memory_bytes"].as_u64().expect("a number");
    assert!(peak(1) < peak(0), "{} and {}", peak(1), peak(0));
    assert!(peak(1) > 0);
}

/// A shift register of 64 cells whose guard is one conjunction: its choices are bound, so searches state by state take it, and its
/// runs are found and replayed at once.
#[test]
fn choices_bound_by_one_conjunction_are_no_obstacle() {
    const CELLS: usize = 64;
    let zeros = ["0"; CELLS].join(", ");
    let lines = |line: &dyn Fn(usize) -> String| (0..CELLS).map(line).collect::<Vec<String>>();
    let choices = lines(&|cell| format!("choose c{cell} : bool")).join("\n");
    let bound = lines(&|cell| match cell.checked_sub(1) {
        // What leaves the register comes back turned over.
        None => format!("?c0 == 1 - cell[{}]", CELLS - 1),
        Some(before) => format!("?c{cell} == cell[{before}]"),
    });
    let updates = lines(&|cell| format!("set cell[{cell}] := ?c{cell}")).join("\n");
    let guard = bound.join(" && ");
    let model = format!(
        "system ring\nslot cell[{CELLS}] : bool = [{zeros}]\nlabel last = cell[{}] == 1\n\
         action \"turn\" {{\n{choices}\nwhen {guard}\n{updates}\n}}\n",
        CELLS - 1
    );
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("ring.sys"), model).expect("written");
    let begun = Instant::now();
    for (line, code, says) in [
        ("check ring.sys --engine bfs", 0, "128 states"),
        ("check ring.sys --engine scc --ltl []<>last", 0, "holds"),
        ("check ring.sys --engine scc --ltl <>[]last", 1, "0 steps, then 128 steps for ever"),
        ("check ring.sys --engine bfs --ltl []!last", 1, "violated after 64 steps"),
    ] {
        let output = run(folder.path(), line);
        let said = text(&output.stdout);
        assert_eq!(output.status.code(), Some(code), "{line}: {said}{}", text(&output.stderr));
        assert!(said.contains(says), "{line}: {said}");
    }
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
}
