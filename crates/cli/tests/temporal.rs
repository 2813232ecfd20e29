//! Temporal properties as scripts and people see them: verdicts, fairness, notes, warnings, refusals, documents.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A process that finishes, unless another keeps it from doing so.
const CRASH: &str = "mtype = { Waiting, Crashed, Done }; mtype s = Waiting;
active proctype crash() { do :: atomic { s == Waiting -> s = Crashed } od }
active proctype recover() { do :: atomic { s == Crashed -> s = Waiting } od }
active proctype finish() { goto last; last: atomic { s == Waiting -> s = Done } }
ltl done { [] (s == Waiting -> <> (s == Done)) }
";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("crash.pml"), CRASH).expect("written");
    folder
}

fn shipped(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name)
}

fn lariat(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null()).output().expect("the program starts")
}

fn check(model: &str, options: &[&str]) -> Output {
    let folder = folder();
    lariat(folder.path(), &[&["check", model], options].concat())
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn document(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", text(output)))
}

/// Checks with these options, which must say so and no more: `1` fails, `0` holds.
fn assert_exit(model: &str, options: &[&str], code: i32) -> String {
    let output = check(model, options);
    assert_eq!(output.status.code(), Some(code), "{options:?}: {}", text(&output));
    text(&output)
}

#[test]
fn fairness_of_every_kind_decides() {
    for (options, code) in [
        (&[][..], 1),
        (&["--fairness", "weak"], 1),
        (&["--fairness", "strong"], 0),
        (&["--fair-action", "last"], 1),
        (&["--strong-action", "last"], 0),
        (&["--strong-action", "finish@last"], 0),
        (&["--strong-action", "s=Done"], 0),
        (&["--strong-action", "s = Crashed"], 1),
        (&["--justice", "s == Done"], 0),
        (&["--justice", "s == Crashed"], 1),
        (&["--compassion", "s == Waiting => s == Done"], 0),
        (&["--compassion", "s == Done => s == Waiting"], 1),
        (&["--fair-ltl", "<> moves(2)"], 0),
        (&["--fair-ltl", "[]<> moves(1)"], 1),
    ] {
        let options = [&["--property", "done"], options].concat();
        assert_exit("crash.pml", &options, code);
    }
}

#[test]
fn fairness_by_an_automaton() {
    let folder = folder();
    let hoa = lariat(folder.path(), &["ltl", "<> (s == Done)", "--format", "hoa"]);
    std::fs::write(folder.path().join("done.hoa"), &hoa.stdout).expect("written");
    let fair = lariat(folder.path(), &["check", "crash.pml", "--property", "done", "--fair-automaton", "done.hoa"]);
    assert_eq!(fair.status.code(), Some(0), "{}", text(&fair));
    // As a claim it accepts the bad runs, and there are such.
    let bad = lariat(folder.path(), &["check", "crash.pml", "--automaton", "done.hoa", "--json"]);
    assert_eq!(bad.status.code(), Some(1), "{}", text(&bad));
    assert_eq!(document(&bad)["properties"][0]["name"], "done.hoa");
}

/// Every engine of the register: the right answer, or a refusal that names `scc`, which supports everything.
#[test]
fn engines_agree_or_refuse() {
    let mut answers = 0;
    for engine in lariat::engines().names() {
        for store in ["tree", "flat"] {
            for (fairness, code) in [("none", 1), ("weak", 1), ("strong", 0)] {
                let chosen =
                    ["--property", "done", "--engine", engine, "--store", store, "--fairness", fairness, "--json"];
                let output = check("crash.pml", &chosen);
                match output.status.code() {
                    Some(2) => assert!(engine != "scc" && text(&output).contains("`scc`"), "{}", text(&output)),
                    said => {
                        assert_eq!(said, Some(code), "{chosen:?}: {}", text(&output));
                        assert_eq!(document(&output)["properties"][0]["engine"], engine);
                        answers += 1;
                    }
                }
            }
        }
    }
    // Of `scc` all six, of five further searches for cycles those without strong fairness.
    assert!(answers >= 6 + 5 * 4, "{answers}");
    for engine in ["bfs", "dfs"] {
        assert!(assert_exit("crash.pml", &["--property", "done", "--engine", engine], 2).contains("`scc`"));
        assert_exit("crash.pml", &["--ltl", "[] (s != Done)", "--engine", engine], 1);
    }
}

#[test]
fn a_counterexample_says_where_it_loops_and_whom_it_is_unfair_to() {
    let said = assert_exit("crash.pml", &["--property", "done", "--fairness", "weak"], 1);
    for part in ["for ever:\n", "and so on from step", "not taken", "unfair to finish(2)", "`--fairness strong`"] {
        assert!(said.contains(part), "{part:?} in\n{said}");
    }
    let output = check("crash.pml", &["--property", "done", "--fairness", "weak", "--json"]);
    let property = &document(&output)["properties"][0];
    assert_eq!([&property["verdict"], &property["kind"]], ["fails", "cycle"]);
    assert_eq!(property["replayed"], true);
    assert!(property["trace"]["loop"].as_u64().expect("a number") > 0, "{property}");
    let steps = property["trace"]["steps"].as_array().expect("steps").len() as u64;
    let counted = ["stem", "loop"].map(|part| property["trace"][part].as_u64().expect("a number"));
    assert_eq!(counted[0] + counted[1], steps);
    assert_eq!(property["fairness"].as_array().map(Vec::len), Some(3));
    assert_eq!(property["unfair_to"][0]["pid"], 2);
}

#[test]
fn what_holds_for_the_wrong_reason_is_told() {
    for (options, words) in [
        (&["--ltl", "[] (s == 77 -> <> (s == Done))"][..], "`s == 77` is never true"),
        (&["--property", "done", "--justice", "s == 77"], "no run meets the fairness constraints"),
        (&["--ctl", "AG (s == Done)", "--justice", "s == 77"], "no run meets the fairness constraints"),
        (
            &["--engine", "symbolic", "--ctl", "AF (s == Done)", "--justice", "s == 77"],
            "no run meets the fairness constraints",
        ),
        (&["--property", "done", "--strong-action", "last", "--justice", "s != 77"], "makes no difference"),
    ] {
        let said = assert_exit("crash.pml", options, 0);
        assert!(said.contains(words), "{options:?}: {said}");
    }
    let plain = assert_exit("crash.pml", &["--property", "done", "--fairness", "strong"], 0);
    assert!(!plain.contains("warning"), "{plain}");
    assert!(
        assert_exit("crash.pml", &["--property", "safety", "--allow-deadlock", "--fairness", "weak"], 0)
            .contains("no difference")
    );
}

#[test]
fn a_lasso_is_a_shortest_one_if_asked_for() {
    let steps = |options: &[&str]| {
        let said = assert_exit("crash.pml", &[&["--property", "done"], options].concat(), 1);
        let line = said.lines().find(|line| line.contains("for ever")).expect("a lasso").to_owned();
        let counts = line.split_whitespace().filter_map(|word| word.parse::<u32>().ok());
        counts.take(2).sum::<u32>()
    };
    for fairness in [&[][..], &["--fairness", "weak"]] {
        let shortest = steps(&[&["--shortest"], fairness].concat());
        assert_eq!(steps(&[&["--shortest", "--engine", "external"], fairness].concat()), shortest);
        // These look for no cycles, `gpu` needs a card, and `online` knows no fairness.
        let without: &[&str] =
            if fairness.is_empty() { &["bfs", "dfs", "gpu"] } else { &["bfs", "dfs", "gpu", "online"] };
        for engine in lariat::engines().names().filter(|name| !without.contains(name)) {
            assert!(steps(&[&["--engine", engine], fairness].concat()) >= shortest, "{engine}");
        }
    }
    assert_exit("crash.pml", &["--property", "done", "--fairness", "strong", "--shortest"], 0);
}

#[test]
fn what_cannot_be_done_is_refused() {
    for (options, words) in [
        (&["--property", "done", "--shortest", "--engine", "scc"][..], "shortest"),
        (&["--property", "done", "--depth", "3"], "bound"),
        (&["--property", "done", "--engine", "ndfs", "--threads", "2"], "several threads"),
        (&["--property", "done", "--profile"], "`--profile`"),
        (&["--property", "done", "--engine", "ndfs", "--keep-going"], "`scc`"),
        (&["--property", "safety", "--engine", "magic"], "it looks for cycles"),
        (&["--property", "done", "--fair-action", "lats"], "no action"),
        (&["--property", "safety", "--fair-action", "lats"], "no action"),
        (&["--property", "safety", "--compassion", "s == Done"], "not a pair of conditions"),
        (&["--property", "done", "--compassion", "s == Done"], "'P => Q'"),
        (&["--property", "done", "--fairness", "some"], "weak"),
        (&["--ltl", ""], "formula"),
        (&["--ltl", "[] (s = Done)"], "=="),
        (&["--ltl", "[] nosuch"], "nosuch"),
        (&["--automaton", "missing.hoa"], "cannot read"),
        (&["--automaton", "crash.pml"], "HOA"),
    ] {
        let said = assert_exit("crash.pml", options, 2);
        assert!(said.contains(words), "{options:?} does not say {words:?}: {said}");
    }
}

#[test]
fn what_speaks_of_nothing_is_refused_at_its_place() {
    let folder = folder();
    let model = "typedef T { byte b[2] };\nbyte a[3]; T t;\nactive [2] proctype P() { byte v[4]; at: v[1] = 1; a[0] = v[1]; t.b[0] = 1 }\nproctype Q() { at: skip }\n";
    std::fs::write(folder.path().join("cells.pml"), model).expect("written");
    let automaton = "HOA: v1\nStates: 1\nStart: 0\nAP: 3 \"a[1] == 1\" \"a[3] == 1\" \"nosuch > 1\"\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0\n[0 & 1 & 2] 0 {0}\n--END--\n";
    std::fs::write(folder.path().join("bad.hoa"), automaton).expect("written");
    for (options, words) in [
        (&["--ltl", "[] (a[7] == 0)"][..], &["--ltl:1:7", "index 7 is outside `a[3]`"][..]),
        (&["--ltl", "<> (t.b[1 + 1] == 0)"], &["index 2 is outside `b[2]`", "0 to 1"]),
        (&["--ltl", "[] (P[1]:v[4] == 0)"], &["index 4 is outside `v[4]`"]),
        (&["--ltl", "[] (a[-1] == 0)"], &["index -1 is outside `a[3]`"]),
        (&["--justice", "a[7] == 0"], &["--justice:1:3", "index 7 is outside `a[3]`"]),
        (&["--compassion", "true => a[2 + 1] == 0"], &["index 3 is outside `a[3]`"]),
        (&["--fair-ltl", "[]<> (a[3] == 0)"], &["index 3 is outside `a[3]`"]),
        (&["--automaton", "bad.hoa"], &["bad.hoa:4:22", "index 3 is outside `a[3]`", "bad.hoa:4:32", "`nosuch`"]),
        (&["--ltl", "[] !P[2]@at"], &["no process of `P` has the pid 2", "0, 1"]),
        (&["--ltl", "[] !Q[0]@at"], &["no process of `Q` has the pid 0"]),
        (&["--ltl", "[]<> moves(2)"], &["no process has the pid 2"]),
        (&["--ltl", "[] enabled(300)"], &["no process has the pid 300", "0 to 254"]),
    ] {
        let said = lariat(folder.path(), &[&["check", "cells.pml", "--ltl", "<> (a[0] == 1)"], options].concat());
        assert_eq!(said.status.code(), Some(2), "{options:?}: {}", text(&said));
        let said = text(&said);
        for word in words {
            assert!(said.contains(word), "{options:?} does not say {word:?}: {said}");
        }
    }
    let fine = ["check", "cells.pml", "--ltl", "[] (a[2] == 0 && P[1]:v[3] == 0 && !P[1]@at || a[a[0]] == 1 || true)"];
    assert_eq!(lariat(folder.path(), &fine).status.code(), Some(0));
}

#[test]
fn dekkers_algorithm() {
    let folder = folder();
    let model = shipped("dekker.pml");
    let model = model.to_str().expect("a name");
    let all = document(&lariat(folder.path(), &["check", model, "--json"]));
    let verdicts: Vec<&Value> = (0..3).map(|number| &all["properties"][number]["verdict"]).collect();
    assert_eq!(verdicts, ["holds", "holds", "fails"]);
    assert_eq!(all["properties"][0]["states"], 101);
    let fair = lariat(folder.path(), &["check", model, "--fairness", "weak"]);
    assert_eq!(fair.status.code(), Some(0), "{}", text(&fair));
    let by_formula = ["check", model, "--property", "enters", "--fair-ltl", "[]<> moves(1) && []<> moves(2)"];
    assert_eq!(lariat(folder.path(), &by_formula).status.code(), Some(0));
}

#[test]
fn errors_on_the_way_are_told_where_they_are_met() {
    let folder = folder();
    let model = "byte g; active proctype A() { assert(g == 1); g = 1 / (g - g); g = 4 }";
    std::fs::write(folder.path().join("errors.pml"), model).expect("written");
    let output = lariat(folder.path(), &["check", "errors.pml", "--ltl", "<> (g == 4)", "--json"]);
    let document = document(&output);
    let steps = document["properties"][0]["trace"]["steps"].as_array().expect("a trace");
    let errors: Vec<&str> = steps.iter().filter_map(|step| step["errors"][0].as_str()).collect();
    assert_eq!(errors, ["assertion violated", "division by zero"], "{}", text(&output));
    assert_eq!(steps[1]["stutter"], true);
}

#[test]
fn a_trail_of_a_lasso_is_one_for_spin() {
    let folder = folder();
    let output = lariat(folder.path(), &["check", "crash.pml", "--property", "done", "--trail"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    let trail = std::fs::read_to_string(folder.path().join("crash.pml.trail")).expect("a trail");
    assert!(trail.contains("-1:-1:-1\n"), "{trail}");
    let Ok(spin) = Command::new("spin").args(["-t", "-p", "crash.pml"]).current_dir(folder.path()).output() else {
        println!("skipped: no spin");
        return;
    };
    let said = text(&spin);
    assert!(said.contains("START OF CYCLE") && !said.contains("transition failed"), "{said}");
}

#[test]
fn a_property_that_goes_by_a_name_of_ours() {
    let folder = folder();
    let model = "byte n; active proctype P() { do :: n = (n + 1) % 3 od } ltl safety { []<> (n == 7) }";
    std::fs::write(folder.path().join("named.pml"), model).expect("written");
    let all = document(&lariat(folder.path(), &["check", "named.pml", "--json"]));
    let names = [&all["properties"][0]["name"], &all["properties"][1]["name"]];
    assert_eq!(names, ["safety", "ltl safety"]);
    assert_eq!(lariat(folder.path(), &["check", "named.pml", "--property", "safety"]).status.code(), Some(0));
    assert_eq!(lariat(folder.path(), &["check", "named.pml", "--property", "ltl safety"]).status.code(), Some(1));
}

#[test]
fn what_fails_at_some_moment_says_when() {
    let folder = folder();
    std::fs::write(folder.path().join("count.pml"), "byte n; active proctype P() { do :: n = (n + 1) % 3 od }")
        .expect("written");
    let output = lariat(folder.path(), &["check", "count.pml", "--ltl", "[] (n < 2)"]);
    let said = text(&output);
    assert!(said.contains("violated after 2 steps, whatever follows") && !said.contains("warning"), "{said}");
    let output = lariat(folder.path(), &["check", "count.pml", "--ltl", "[] (n < 2)", "--json"]);
    assert_eq!(document(&output)["properties"][0]["decided_after"], 2);
}

#[test]
fn a_violation_after_which_no_state_comes_again() {
    let folder = folder();
    let model = "short x; active proctype P() { do :: x++ od } ltl p { [] (x < 5) }";
    std::fs::write(folder.path().join("grows.pml"), model).expect("written");
    let lariat = |arguments: &[&str]| lariat(folder.path(), arguments);
    let checked = lariat(&["check", "grows.pml", "--property", "p", "--json"]);
    let result = &document(&checked)["properties"][0];
    assert_eq!((&result["verdict"], &result["kind"]), (&"fails".into(), &"bad_prefix".into()));
    assert_eq!((&result["decided_after"], &result["trace"]["loop"]), (&5.into(), &0.into()));
    lariat(&["check", "grows.pml", "--property", "p", "--trace", "run.json", "--trail"]);
    let expected = "violated after 5 steps, whatever follows";
    for again in
        [&["replay", "grows.pml", "run.json"][..], &["replay", "grows.pml", "grows.pml.trail", "--property", "p"]]
    {
        let output = lariat(again);
        assert!(text(&output).contains(expected), "{}", text(&output));
    }
    // One step fewer, and it may still go well.
    let run = std::fs::read_to_string(folder.path().join("run.json")).expect("written");
    let mut document: serde_json::Value = serde_json::from_str(&run).expect("a document");
    let steps = document["trace"]["steps"].as_array_mut().expect("steps");
    steps.pop();
    document["trace"]["stem"] = 4.into();
    std::fs::write(folder.path().join("short.json"), document.to_string()).expect("written");
    let output = lariat(&["replay", "grows.pml", "short.json"]);
    assert!(text(&output).contains("does not replay at its end"), "{}", text(&output));
}

#[test]
fn a_formula_that_reads_outside_of_an_array_says_so() {
    let folder = folder();
    let model = "byte a[3], i; active proctype P() { do :: i < 6 -> i++ :: i = 0 od }";
    std::fs::write(folder.path().join("reads.pml"), model).expect("written");
    let said = |formula| text(&lariat(folder.path(), &["check", "reads.pml", "--ltl", formula]));
    let warning = "`a[i] == 0` cannot be read";
    let guarded = said("[] (i < 3 -> a[i] == 0)");
    assert!(guarded.contains("holds") && !guarded.contains(warning), "{guarded}");
    for formula in ["[] (a[i] == 0)", "[] X (a[i] == 0)"] {
        let said = said(formula);
        assert!(said.contains("fails") && said.contains(warning), "{said}");
    }
}

#[test]
fn what_cannot_be_read_counts_as_a_violation_however_it_is_stated() {
    let folder = folder();
    let model = "byte a[3], i, x; active proctype P() { i = 5; x = 1; do :: i = 5 od }";
    std::fs::write(folder.path().join("reads.pml"), model).expect("written");
    let said = |arguments: &[&str]| text(&lariat(folder.path(), &[&["check", "reads.pml"], arguments].concat()));
    // Automata that accept when `a[i] == 1` holds again and again, or from some time on.
    let automaton = |acceptance: &str, marks: &str| {
        format!(
            "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"a[i] == 1\"\nAcceptance: {acceptance}\n--BODY--\nState: 0\n\
             [0] 0 {{{marks}}}\n[!0] 0 {{0}}\n--END--\n"
        )
    };
    for (name, acceptance, marks) in [("rabin.hoa", "2 Fin(0) & Inf(1)", "1"), ("cobuchi.hoa", "1 Fin(0)", "")] {
        std::fs::write(folder.path().join(name), automaton(acceptance, marks)).expect("written");
        let said = said(&["--automaton", name]);
        assert!(said.contains("fails") && said.contains("`a[i] == 1` cannot be read"), "{name}: {said}");
    }
    // A run counts if it is fair by some reading.
    for fairness in
        [["--fair-ltl", "[]<> (a[i] == 1)"], ["--justice", "a[i] == 1"], ["--compassion", "x == 1 => a[i] == 1"]]
    {
        let said = said(&[&["--ltl", "[] (x == 0)"], &fairness[..]].concat());
        assert!(said.contains("fails"), "{fairness:?}: {said}");
    }
    for (formula, answer) in
        [("AG (a[i] == 0)", "fails"), ("AG (i < 3 -> a[i] == 0)", "holds"), ("EF (a[i] == 1)", "fails")]
    {
        let said = said(&["--ctl", formula]);
        assert!(said.contains(answer), "{formula}: {said}");
    }
    let said = said(&["--ctl", "AG (x == 0)", "--justice", "a[i] == 1"]);
    assert!(said.contains("cannot be read in every state"), "{said}");
}

#[test]
fn a_reading_that_does_not_matter_is_not_blamed() {
    let folder = folder();
    let model = "byte a[3], i, x; active proctype P() { i = 5; do :: i = 5 od }";
    std::fs::write(folder.path().join("reads.pml"), model).expect("written");
    let formula = "<> (x == 9) && [] (i < 3 -> a[i] == 0)";
    let said = text(&lariat(folder.path(), &["check", "reads.pml", "--ltl", formula]));
    assert!(said.contains("fails") && !said.contains("cannot be read"), "{said}");
}

#[test]
fn a_command_line_that_is_none_has_a_document_too() {
    let output = check("crash.pml", &["--json", "--engine", "nix"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(document(&output)["errors"][0]["message"].as_str().expect("a message").contains("nix"));
}
