//! `lariat simulate` as people and scripts see it: random runs, the prompt, exit codes.

use serde_json::Value;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

fn lariat(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models/simulate");
    command.args(arguments).current_dir(models).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The exit code and what is on standard output; standard error is empty.
fn run(arguments: &[&str]) -> (i32, String) {
    answer(lariat(arguments).output().expect("the program starts"))
}

/// A session at the prompt with these lines as input.
fn session(model: &str, lines: &[&str]) -> (i32, String) {
    let mut child =
        lariat(&["simulate", "-i", "--seed", "1", model]).stdin(Stdio::piped()).spawn().expect("the program starts");
    type_in(&mut child, &lines.iter().map(|line| format!("{line}\n")).collect::<String>());
    drop(child.stdin.take());
    answer(child.wait_with_output().expect("it ends"))
}

fn type_in(child: &mut Child, text: &str) {
    // A session that has ended reads no more.
    let _ = child.stdin.as_mut().expect("a piped input").write_all(text.as_bytes());
}

fn answer(output: Output) -> (i32, String) {
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    (output.status.code().expect("not killed"), String::from_utf8(output.stdout).expect("text"))
}

fn assert_parts(text: &str, parts: &[&str]) {
    let mut rest = text;
    for part in parts {
        let Some(at) = rest.find(part) else { panic!("{part:?} in its place in\n{text}") };
        rest = &rest[at + part.len()..];
    }
}

#[test]
fn a_run_shows_steps_messages_output_and_the_last_state() {
    let (code, text) = run(&["simulate", "buffer.pml", "--seed", "1"]);
    assert_eq!(code, 0);
    assert_parts(
        &text,
        &[
            "seed 1\n",
            "     1  Producer(0)  buffer.pml:9   n < 3\n",
            "q!data(n)                             q: [] → [data,1]\n",
            "q?data(got)                           q: [data,1] → [], Consumer(1).got: 0 → 1\n",
            "\n            got 1, sum 1\n",
            "q: [data,3] → [data,3][stop,0]\n",
            "proper end after 24 steps: nothing more can happen\nvariables\n  sum = 6\nchannels\n  q = []  (0 of 2)\n",
            "processes\n  no process lives\n",
        ],
    );
    let (code, text) = run(&["simulate", "buffer.pml", "--seed", "1", "--quiet"]);
    assert_eq!(code, 0);
    assert!(text.starts_with("seed 1\n            got 1, sum 1\n            got 2, sum 3\n"), "{text}");
}

#[test]
fn the_same_seed_is_the_same_run_and_an_own_seed_is_told() {
    for model in ["buffer.pml", "meet.pml", "family.pml"] {
        for form in ["--seed=7", "--json"] {
            let arguments = ["simulate", model, "--seed=7", form];
            let arguments = if form == "--json" { &arguments[..] } else { &arguments[..3] };
            assert_eq!(run(arguments), run(arguments));
        }
    }
    let (_, first) = run(&["simulate", "buffer.pml"]);
    let seed = first.lines().next().and_then(|line| line.strip_prefix("seed ")).expect("a seed");
    assert_eq!(run(&["simulate", "buffer.pml", "--seed", seed]).1, first);
    let runs: std::collections::HashSet<String> =
        (0..8).map(|seed| run(&["simulate", "buffer.pml", "--seed", &seed.to_string()]).1).collect();
    assert_eq!(runs.len(), 8);
}

#[test]
fn a_rendezvous_is_one_step_and_who_waits_is_told() {
    let (code, text) = run(&["simulate", "meet.pml", "--seed", "1"]);
    assert_eq!(code, 1);
    assert_parts(
        &text,
        &[
            "  1  Client(1) → Server(0)  meet.pml:11  ask!_pid → ask?who (meet.pml:6)  Server(0).who: 0 → 1\n",
            "invalid end state after 2 steps",
            "  Server(0) at meet.pml:8: -end-\n  Client(1) at meet.pml:12: -end-\n  Client(2) at meet.pml:11: ask!_pid (waits for a receiver)\n",
        ],
    );
}

#[test]
fn errors_are_shown_with_their_place_and_atomic_steps_together() {
    let all: Vec<(i32, String)> =
        (0..10).map(|seed| run(&["simulate", "atomic.pml", "--seed", &seed.to_string()])).collect();
    let fails = all.iter().find(|(code, _)| *code == 1).expect("some seed fails");
    assert_parts(
        &fails.1,
        &["assertion violated after 1 step (x = 0) at atomic.pml:9\n     9 |   assert(x == 3)\n", "x = 0"],
    );
    let holds = all.iter().find(|(code, _)| *code == 0).expect("some seed does not");
    assert_parts(&holds.1, &["┌ Left(0)", "│ Left(0)", "└ Left(0)", "proper end after 6 steps"]);
}

#[test]
fn processes_find_room_and_have_channels() {
    let (code, text) = run(&["simulate", "family.pml", "--seed", "1"]);
    assert_eq!(code, 0);
    assert_parts(&text, &["Child(9).number = 9, Child(9) starts", "Child(20)", "proper end after 183 steps"]);
    assert!(text.contains(".own: [] → [20]"), "{text}");
}

#[test]
fn limits_and_interrupts_end_a_run() {
    let (code, text) = run(&["simulate", "endless.pml", "--steps", "25"]);
    assert_eq!(code, 0);
    assert_parts(&text, &["┌ P(0)", "│ P(0)", "stopped after 25 steps\n"]);
    assert_parts(&run(&["simulate", "endless.pml", "--quiet"]).1, &["stopped after 10,000 steps\n"]);
    assert_parts(&run(&["simulate", "endless.pml", "--steps", "0"]).1, &["stopped after 0 steps\n"]);
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_a_run_and_a_session() {
    let interrupt = |child: Child| {
        std::thread::sleep(Duration::from_millis(400));
        assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
        child.wait_with_output().unwrap()
    };
    let endless = ["simulate", "endless.pml", "--quiet", "--steps", "1000000000000"];
    let (code, text) = answer(interrupt(lariat(&endless).spawn().unwrap()));
    assert_eq!(code, 0);
    assert_parts(&text, &["interrupted after ", " steps\nvariables\n"]);

    let mut child = lariat(&["simulate", "-i", "endless.pml"]).stdin(Stdio::piped()).spawn().unwrap();
    type_in(&mut child, "1\n");
    let input = child.stdin.take();
    let (code, text) = answer(interrupt(child));
    drop(input);
    assert_eq!((code, text.ends_with("step 2> \n")), (0, true), "{text}");
}

#[test]
fn a_reader_that_goes_away_ends_the_run() {
    let started = Instant::now();
    let mut child = lariat(&["simulate", "endless.pml", "--steps", "1000000000000"]).spawn().unwrap();
    drop(child.stdout.take());
    let mut complaints = String::new();
    child.stderr.take().unwrap().read_to_string(&mut complaints).unwrap();
    assert_eq!((child.wait().unwrap().code(), complaints.as_str()), (Some(0), ""));
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[test]
fn json_has_the_run_its_end_and_the_last_state() {
    let (code, text) = run(&["simulate", "meet.pml", "--seed", "1", "--json"]);
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((code, &document["seed"], &document["kind"]), (1, &Value::from(1), &Value::from("invalid_end")));
    assert_eq!(document["trace"]["steps"][0]["receiver"]["process"], "Server");
    assert_eq!(document["last"]["variables"]["Server(0).who"], 1);
    assert_eq!(document["last"]["processes"].as_array().unwrap().len(), 3);
    let (code, text) = run(&["simulate", "atomic.pml", "--seed", "0", "--json"]);
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(code, i32::from(document["kind"] == "assertion"));
}

#[test]
fn steps_are_chosen_at_the_prompt() {
    let (code, text) = session("meet.pml", &["2", "", "q"]);
    assert_eq!(code, 1, "Client(1) cannot die before Client(2), which nobody serves");
    assert_parts(
        &text,
        &[
            "  1  Client(2) → Server(0)  meet.pml:11  ask!_pid → ask?who (meet.pml:6)  Server(0).who: 0 → 2\n",
            "  2  Client(1) → Server(0)  meet.pml:11  ask!_pid → ask?who (meet.pml:6)  Server(0).who: 0 → 1\n",
            "step 1> 2\n",
            "     1  Client(1) → Server(0)",
            "step 2> \n     2  Server(0)",
            "\n      serving 1\n",
            "step 3> q\n",
        ],
    );
    let (code, text) = session("meet.pml", &["2", "r 9", "", "3"]);
    assert_eq!(code, 1, "the end of input ends the session, here at an invalid end state");
    assert_parts(&text, &["invalid end state after", "nothing can happen; `b` goes back", "nothing can happen"]);
}

#[test]
fn going_back_restores_everything() {
    let look = ["v", "c", "p", "l"];
    let there_and_back = [&["r 9"], &look[..], &["r 7", "b 7"], &look, &["b", "1", "b 100", "b"], &look].concat();
    let (code, text) = session("buffer.pml", &there_and_back);
    assert_eq!(code, 0);
    let looks: Vec<&str> =
        text.split("step 10> v\n").skip(1).filter_map(|look| look.split("step 10> l\n").next()).collect();
    assert_eq!((looks.len(), looks[0]), (2, looks[1]));
    assert_parts(&text, &["step 1> b\n  this is the beginning\n", "step 1> v\n  sum = 0\n  Producer(0).n = 0\n"]);
    // A failure that was taken back is none.
    assert_eq!(session("atomic.pml", &["1"]).0, 1);
    assert_eq!(session("atomic.pml", &["1", "b"]).0, 0);
}

#[test]
fn mistakes_at_the_prompt_are_explained() {
    let lines = ["99", "0", "bakc", "xyzzy", "r many", "w", "w no/such/folder/t.json", "v 1", "h", "\u{1}\u{7f}é"];
    let (code, text) = session("buffer.pml", &lines);
    assert_eq!(code, 0);
    assert_parts(
        &text,
        &[
            "there is no step 99; choose from 1 to 1",
            "there is no step 0",
            "did you mean `back`?",
            "`h` lists all commands",
            "`many` is not a number",
            "needs the name of a file",
            "cannot write `no/such/folder/t.json`",
            "`v` stands alone",
            "\n  3            take step 3",
            "there is no command",
        ],
    );
}

#[test]
fn a_run_is_written_as_a_trace() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("my run.json");
    let (code, text) = session("buffer.pml", &["r 7", &format!("w {}", file.display())]);
    assert_eq!(code, 0);
    assert_parts(&text, &["7 steps are in `"]);
    let document: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!([&document["property"], &document["kind"]], ["simulation", "open"]);
    assert_eq!(document["trace"]["steps"].as_array().unwrap().len(), 7);
}

#[test]
fn what_makes_no_sense_exits_2() {
    for arguments in [
        &["simulate"][..],
        &["simulate", "missing.pml"],
        &["simulate", "meet.pml", "--seed", "x"],
        &["simulate", "meet.pml", "--steps=-1"],
        &["simulate", "meet.pml", "-i", "--steps", "5"],
        &["simulate", "meet.pml", "-i", "--json"],
        &["simulate", "meet.pml", "--quiet", "--json"],
        &["simulate", "meet.pml", "-D", "2"],
    ] {
        let output = lariat(arguments).output().unwrap();
        // Who asks for a document gets one.
        let has_document = arguments.contains(&"--json");
        assert_eq!((output.status.code(), output.stdout.is_empty()), (Some(2), !has_document), "{arguments:?}");
        assert!(!output.stderr.is_empty());
    }
}

#[test]
fn traces_of_checks_show_channels() {
    let (code, text) = run(&["check", "clog.pml"]);
    assert_eq!(code, 1);
    assert_parts(
        &text,
        &[
            "P(0).own: [] → [7]\n",
            "q: [] → [red,1]\n",
            "q: [red,1] → [red,1][green,2]\n",
            "P(0) at clog.pml:10: q!red(3)",
        ],
    );
    let (_, text) = run(&["check", "clog.pml", "--json"]);
    let document: Value = serde_json::from_str(&text).unwrap();
    let trace = &document["properties"][0]["trace"];
    assert_eq!(trace["initial"], serde_json::json!({ "q": [], "P(0).own": [] }));
    let both = serde_json::json!([[["red", 1]], [["red", 1], ["green", 2]]]);
    assert_eq!(trace["steps"][2]["changes"]["q"], both);
}

#[test]
fn expressions_are_evaluated_and_runs_go_on_until_a_condition_holds() {
    let (_, text) = session(
        "buffer.pml",
        &["u sum == 3", "e sum * 3 - 10", "e sum == 3 && len(q) >= 0", "e nosuch", "u", "u nosuch == 1", "q"],
    );
    assert_parts(
        &text,
        &[
            "`sum == 3` holds",
            "sum * 3 - 10 = -1",
            "sum == 3 && len(q) >= 0 = 1",
            "`nosuch` is not declared",
            "needs a condition",
            "`nosuch` is not declared",
        ],
    );
    let (_, text) = session("buffer.pml", &["u sum == 77", "q"]);
    assert_parts(
        &text,
        &["not reached: `sum == 77` was false in all ", "; the run is where it was before", "step 1> q"],
    );
    let (code, text) = run(&["simulate", "buffer.pml", "--seed", "1", "--until", "sum == 1"]);
    assert_eq!(code, 0);
    assert_parts(&text, &["`sum == 1` holds after", "sum = 1"]);
    let refused = lariat(&["simulate", "buffer.pml", "--until", "sum =="]).output().expect("the program starts");
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn a_run_goes_on_from_a_saved_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let trace = folder.path().join("t.json");
    let file = trace.display().to_string();
    let (_, text) = session("buffer.pml", &["r 6", &format!("w {file}"), "v", "q"]);
    let variables = |text: &str| {
        text.split_once("6 steps are in").or_else(|| text.split_once("actions:")).expect("it is there").1.to_owned()
    };
    let n = |text: &str| {
        let rest = variables(text);
        let at = rest.find("n = ").expect("a value");
        rest[at..].lines().next().expect("a line").to_owned()
    };
    let begun = |from: &str, lines: &str| {
        let mut child = lariat(&["simulate", "-i", "--seed", "1", "--from", from, "buffer.pml"])
            .stdin(Stdio::piped())
            .spawn()
            .expect("it starts");
        type_in(&mut child, lines);
        drop(child.stdin.take());
        answer(child.wait_with_output().expect("it ends")).1
    };
    let again = begun(&file, "q\n");
    assert_parts(&again, &["after 6 steps of a saved run", "step 7>"]);
    assert_eq!(n(&text), n(&again), "the state is the same");
    assert_parts(&begun(&format!("{file}:2"), "g 0\nq\n"), &["after 2 steps of a saved run", "step 3>", "step 1>"]);
    let (_, random) = run(&["simulate", "buffer.pml", "--seed", "5", "--from", &file]);
    assert_parts(&random, &["after 6 steps of a saved run", "\n     7  "]);
    for wrong in [format!("{file}:99"), format!("{file}x")] {
        let refused = lariat(&["simulate", "buffer.pml", "--from", &wrong]).output().expect("the program starts");
        assert_eq!(refused.status.code(), Some(2), "{wrong}");
    }
}

/// On a terminal a line can be edited, and the one before comes back with the arrow key.
#[test]
fn on_a_terminal_lines_are_edited_and_come_back() {
    let program = env!("CARGO_BIN_EXE_lariat");
    let command = format!("{program} simulate -i --prompt --seed 1 buffer.pml");
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models/simulate");
    let mut terminal = Command::new("script");
    terminal.args(["-qec", &command, "/dev/null"]).current_dir(models).env("TERM", "xterm");
    let Ok(mut child) = terminal.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn() else {
        println!("skipped: no `script`");
        return;
    };
    // What is typed before the prompt is there would be echoed by the terminal and not by the editor.
    for keys in ["e sum + 4x\x7f1\r", "\x1b[A\r", "q\r"] {
        std::thread::sleep(Duration::from_millis(1500));
        type_in(&mut child, keys);
    }
    let output = child.wait_with_output().expect("it ends");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(text.matches("sum + 41 = 41").count(), 2, "{text:?}");
}

/// What is typed before a line is asked for is not lost.
#[cfg(target_os = "linux")]
#[test]
fn on_a_terminal_lines_that_are_typed_ahead_are_kept() {
    let program = env!("CARGO_BIN_EXE_lariat");
    let command = format!("{program} simulate -i --prompt --seed 1 buffer.pml");
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models/simulate");
    let mut terminal = Command::new("script");
    terminal.args(["-qec", &command, "/dev/null"]).current_dir(models).env("TERM", "xterm");
    let Ok(mut child) = terminal.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn() else {
        println!("skipped: no `script`");
        return;
    };
    std::thread::sleep(Duration::from_millis(1500));
    type_in(&mut child, "e sum + 41\re sum + 42\re sum + 43\rq\r");
    let output = child.wait_with_output().expect("it ends");
    let text = String::from_utf8_lossy(&output.stdout);
    for answer in ["sum + 41 = 41", "sum + 42 = 42", "sum + 43 = 43"] {
        assert_eq!(text.matches(answer).count(), 1, "{answer} in {text:?}");
    }
}

/// On a terminal there are panes: driven by keys, through a terminal that `script` makes.
#[cfg(target_os = "linux")]
#[test]
fn a_terminal_shows_panes() {
    let folder = tempfile::tempdir().expect("a folder");
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models/simulate");
    let line = format!("stty rows 30 cols 110; '{}' simulate -i --seed 1 buffer.pml", env!("CARGO_BIN_EXE_lariat"));
    let mut command = Command::new("script");
    command.args(["--quiet", "--return", "--command", &line, "/dev/null"]).current_dir(models);
    command.env("TERM", "xterm").env("NO_COLOR", "1").env("HOME", folder.path());
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let Ok(mut child) = child else {
        println!("skipped: there is no `script`, which makes terminals");
        return;
    };
    // Keys that come before the panes are there wait in the terminal.
    let mut out = child.stdout.take().expect("piped");
    let read = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = out.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    });
    for key in ["\r", "\r", ":e sum + 7\r", "\t", "r 500\r", "q"] {
        std::thread::sleep(Duration::from_millis(400));
        type_in(&mut child, key);
    }
    let began = Instant::now();
    let status = loop {
        match child.try_wait().expect("it can be asked") {
            Some(status) => break status,
            None if began.elapsed() > Duration::from_secs(60) => {
                let _ = child.kill();
                panic!("`q` does not end it:\n{}", read.join().expect("read"));
            }
            None => std::thread::sleep(Duration::from_millis(50)),
        }
    };
    let text = read.join().expect("read");
    assert_eq!(status.code(), Some(0), "{text}");
    // Blanks are not drawn, so words come one by one.
    for part in ["possible", "State", "buffer.pml"] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    // The screen of before is given back, and the end is told on it.
    let after = text.rsplit("\u{1b}[?1049l").next().unwrap_or_default();
    assert!(
        text.contains("\u{1b}[?1049h") && after.contains("seed 1") && after.contains("proper end after 24 steps"),
        "{text}"
    );
}

/// A terminal that is closed under the panes ends the program: its reader would try to read from it for ever.
#[cfg(target_os = "linux")]
#[test]
fn panes_end_with_their_terminal() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};
    let folder = tempfile::tempdir().expect("a folder");
    let (own_id, model) = (folder.path().join("id"), folder.path().join("m.pml"));
    std::fs::write(&model, "byte x; active proctype P() { do :: x++ od }").expect("written");
    let line = format!("echo $$ > id; TERM=xterm exec '{}' simulate -i m.pml", env!("CARGO_BIN_EXE_lariat"));
    let terminal = Command::new("script")
        .args(["-qefc", &line, "/dev/null"])
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut terminal) = terminal else {
        println!("skipped: there is no `script` to make a terminal");
        return;
    };
    // Panes are shown once there is something on the screen.
    let mut screen = terminal.stdout.take().expect("its output");
    let mut shown = [0; 64];
    std::io::Read::read(&mut screen, &mut shown).expect("something is shown");
    let process = std::fs::read_to_string(&own_id).expect("the shell has said its number");
    let process = std::path::Path::new("/proc").join(process.trim());
    let is_there = || std::fs::read_to_string(process.join("cmdline")).is_ok_and(|line| line.contains("simulate"));
    terminal.kill().expect("it is there");
    terminal.wait().expect("it ends");
    let give_up = Instant::now() + Duration::from_secs(20);
    while is_there() && Instant::now() < give_up {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(!is_there(), "the program goes on without its terminal");
}

#[test]
fn expressions_of_smv_are_values_of_their_types() {
    let lines = [
        "e b",
        "e w[3:2] :: word1(b)",
        "e s * 0sd40_2",
        "e word1(!b)",
        "e n * 100",
        "e n < 0 ? idle : busy",
        "e e",
        "e {n, 3}",
        "e nosuch",
        "e next(n)",
        "e w + 1",
        "q",
    ];
    let (_, text) = session("values.smv", &lines);
    assert_parts(
        &text,
        &[
            "b = FALSE",
            "w[3:2] :: word1(b) = 0ud3_4",
            "s * 0sd40_2 = -0sd40_6",
            "word1(!b) = 0ud1_1",
            "n * 100 = -500",
            "n < 0 ? idle : busy = idle",
            "e = 7",
            "a set has no value",
            "`nosuch` is not declared",
            "`next` has no meaning in an expression of states",
            "`+` cannot take unsigned word[4] and integer",
        ],
    );
}
