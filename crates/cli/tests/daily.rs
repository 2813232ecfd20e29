//! What a user meets every day: the state at the end of a trace, errors that name the thing, long traces, colours, `-D`, help
//! in two sizes, the version and manual pages.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

fn folder(model: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("m.pml"), model).expect("written");
    folder
}

fn lariat(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(name);
    }
    command.args(arguments).current_dir(folder).stdin(Stdio::null()).output().expect("the program starts")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn check(model: &str, more: &[&str]) -> String {
    let folder = folder(model);
    stdout(&lariat(folder.path(), &[&["check", "m.pml", "--quiet"], more].concat()))
}

#[track_caller]
fn assert_parts(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} in\n{text}");
    }
}

#[test]
fn run_time_errors_name_the_thing_the_value_and_the_limit() {
    let index = "byte a[3], i;\nactive proctype P() { i = 7; a[i] = 1; assert(a[0] == 0) }\n";
    assert_parts(
        &check(index, &[]),
        &[
            "safety: fails, array index out of range (index 7 is outside `a[3]`)\n",
            "  array index out of range (index 7 is outside `a[3]`) at m.pml:2\n",
        ],
    );
    let below = "byte a[3]; short i;\nactive proctype P() { i = i - 1; a[i] = 1; assert(a[0] == 0) }\n";
    assert_parts(&check(below, &[]), &["(index -1 is outside `a[3]`)"]);
    let nested = "typedef T { byte a[2] }; T t[3]; byte i;\nactive proctype P() { i = 2; t[i].a[i] = 1; assert(t[0].a[0] == 0) }\n";
    assert_parts(&check(nested, &[]), &["(index 2 is outside an array of 2 in `t[i].a[i]`)"]);
    let division = "byte x, y;\nactive proctype P() { x = 6 / y; assert(x == 0) }\n";
    assert_parts(&check(division, &[]), &["division by zero (the divisor in `6 / y` is 0)"]);
    let none = "chan r;\nactive proctype P() { r!1 }\n";
    assert_parts(&check(none, &[]), &["the channel does not fit this operation (`r` holds no channel)"]);
    let fields = "chan q = [2] of { byte, byte };\nactive proctype P() { q!1 }\n";
    assert_parts(&check(fields, &[]), &["(messages of `q` have 2 fields, and `q!1` has 1)"]);
    let assertion = "byte x = 3; bool b;\nactive proctype P() { byte y = 4; assert(x > y || b) }\n";
    assert_parts(&check(assertion, &[]), &["assertion violated (x = 3, P(0).y = 4, b = 0) at m.pml:2\n"]);
}

#[test]
fn the_last_state_and_the_start_of_a_loop_are_shown() {
    let deadlock = "\
chan q = [1] of { byte }; byte x;
active proctype P() { q!1; q!2 }
active proctype Q() { x == 1 }
";
    assert_parts(
        &check(deadlock, &[]),
        &[
            "safety: fails, invalid end state (deadlock: P(0) and Q(1) may not end here)\n",
            "  state at the end:\n    x = 0\n    q = [1]  (1 of 1)\n    P(0) at m.pml:2: q!2 (q is full)\n    Q(1) at m.pml:3: x == 1\n",
        ],
    );
    let cycle = "bit x;\nactive proctype P() { do :: x = 1 - x od }\nltl p { <> [] (x == 0) }\n";
    assert_parts(&check(cycle, &[]), &["  state where the loop begins:\n    x = ", "    P(0) at m.pml:2: x = 1 - x\n"]);
}

#[test]
fn statements_of_inlines_show_where_they_are_called() {
    let model = "\
byte x;
inline twice(v) {
  v++;
  v++
}
inline outer() { twice(x) }
active proctype P() {
  twice(x);
  outer();
  assert(x == 3)
}
";
    let text = check(model, &[]);
    assert_parts(
        &text,
        &[
            "  m.pml:3 (from 8)  x++",
            "  m.pml:4 (from 8)  x++",
            "  m.pml:3 (from 9)  x++",
            "  m.pml:10          assert",
        ],
    );
    let document: serde_json::Value = serde_json::from_str(&check(model, &["--json"])).expect("a document");
    let steps = &document["properties"][0]["trace"]["steps"];
    assert_eq!(
        (&steps[0]["line"], &steps[0]["called_line"], steps[4].get("called_line")),
        (&3.into(), &8.into(), None)
    );
}

#[test]
fn long_traces_are_cut_in_the_middle_if_asked() {
    let long = "byte x;\nactive proctype P() { do :: x < 100 -> x++ :: else -> assert(false) od }\n";
    let whole = check(long, &[]);
    assert!(!whole.contains("not shown") && whole.lines().count() > 150, "{whole}");
    let cut = check(long, &["--trace-lines", "9"]);
    assert_parts(
        &cut,
        &["\n    1  P(0)", "\n    3  P(0)", " lines not shown; `--trace-lines all` shows them\n", "assert(false)"],
    );
    let shown = cut.lines().filter(|line| line.contains("P(0)  m.pml")).count();
    assert_eq!(shown, 9, "{cut}");
    assert!(!cut.contains("\n    4  P(0)"), "{cut}");
    assert_eq!(check(long, &["--trace-lines", "all"]).lines().count(), whole.lines().count());
    let folder = folder(long);
    assert_eq!(lariat(folder.path(), &["check", "m.pml", "--trace-lines", "0"]).status.code(), Some(2));
    // Where the loop begins is said even if that is not shown.
    let late =
        "byte x;\nactive proctype P() { do :: x < 50 -> x++ :: x >= 50 -> x = 101 - x od }\nltl p { <> (x == 200) }\n";
    assert_parts(&check(late, &["--property", "p", "--trace-lines", "2"]), &["for ever", "not shown"]);
}

#[test]
fn colours_are_used_when_asked_for() {
    let folder = folder("active proctype P() { assert(false) }\n");
    let run = |more: &[&str], variables: &[(&str, &str)]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
            command.env_remove(name);
        }
        command
            .envs(variables.iter().copied())
            .current_dir(folder.path())
            .args(["check", "m.pml", "--quiet"])
            .args(more);
        stdout(&command.output().expect("the program starts")).contains('\x1b')
    };
    assert!(!run(&[], &[]));
    assert!(run(&["--color", "always"], &[]) && run(&[], &[("CLICOLOR_FORCE", "1")]));
    assert!(!run(&["--color", "never"], &[("CLICOLOR_FORCE", "1")]));
    assert!(!run(&[], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]) && !run(&[], &[("CLICOLOR_FORCE", "0")]));
}

#[test]
fn definitions_of_the_command_line_win() {
    let folder = folder("#define N 2\nactive [N] proctype P() { assert(N == 3) }\n");
    let output = lariat(folder.path(), &["check", "m.pml", "-D", "N=3"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_parts(&message, &["warning[P0018]: this definition of `N` is not used: `-D N=...` wins", "m.pml:1:9"]);
    assert_eq!(lariat(folder.path(), &["check", "m.pml", "-D", "N=2"]).stderr, b"", "the same definition is no news");
    assert_eq!(lariat(folder.path(), &["check", "m.pml"]).status.code(), Some(1));
}

#[test]
fn help_comes_in_two_sizes() {
    let folder = folder("");
    let help = |arguments: &[&str]| stdout(&lariat(folder.path(), arguments));
    let options = |text: &str| text.lines().filter(|line| line.trim_start().starts_with('-')).count();
    let (short, long) = (help(&["check", "-h"]), help(&["check", "--help"]));
    assert!((10..=16).contains(&options(&short)) && options(&long) > 30, "{short}\n{long}");
    assert!(short.lines().count() < 60, "{short}");
    assert_eq!(short.matches("\n  lariat check ").count(), 3, "{short}");
    for option in ["--ltl", "--time", "--memory", "--json", "-D"] {
        assert!(short.contains(option), "{option}: {short}");
    }
    for option in ["--hashes", "--acceptance", "--compassion", "--trace-lines"] {
        assert!(long.contains(option) && !short.contains(option), "{option}");
    }
}

#[test]
fn options_without_effect_are_refused() {
    let folder = folder("active proctype P() { skip }\n");
    let output = lariat(folder.path(), &["check", "m.pml", "--seed", "7"]);
    assert_eq!(output.status.code(), Some(2));
    assert_parts(&String::from_utf8_lossy(&output.stderr), &["`--seed` needs `--store bitstate`"]);
    let arguments = ["check", "m.pml", "--engine", "dfs", "--store", "bitstate", "--seed", "7"];
    assert_eq!(lariat(folder.path(), &arguments).status.code(), Some(3));
}

/// Antecedents that are never true, beside those of `[] (p -> q)`; and some that are true, though the search for the property sees
/// no state where they are.
#[test]
fn vacuity_is_found_behind_eventually_and_in_branching_time() {
    let model = "byte x, y;\nactive proctype P() { do :: x = 1 - x; y = 1; y = 0 od }\n";
    let vacuous = folder(model);
    let run = |option: &str, formula: &str| {
        let line = ["check", "m.pml", option, formula, "--deny", "vacuous"];
        let output = lariat(vacuous.path(), &line);
        (output.status.code(), stdout(&output) + &String::from_utf8_lossy(&output.stderr))
    };
    for formula in [
        "<> (x == 5) -> <> (y == 1)",
        "[]<> (x == 5) -> []<> (y == 1)",
        "<>[] (x == 5) -> <> (y == 3)",
        "[] (<> (x == 5) -> <> (y == 3))",
        "(<> (y == 1) && <> (x == 5)) -> <> (y == 3)",
    ] {
        let (code, text) = run("--ltl", formula);
        assert_eq!(code, Some(1), "{formula}: {text}");
        assert_parts(&text, &["(vacuously: `x == 5` is never true)", "is never true, so the rest was never checked"]);
    }
    for formula in ["AG (x = 5 -> AF (y = 1))", "AG (x = 4 -> y = 3)", "AG ((y = 0 -> y < 1) & (x = 4 -> AF (y = 3)))"]
    {
        let (code, text) = run("--ctl", &formula.replace(" = ", " == ").replace(" & ", " && "));
        assert_eq!(code, Some(1), "{formula}: {text}");
        assert_parts(&text, &["is never true)"]);
    }
    for (option, formula) in [
        ("--ltl", "<> (x == 1) -> <> (y == 1)"),
        ("--ltl", "[]<> (x == 1) -> []<> (y == 1)"),
        // Where `y == 1` is seen the search for a bad run ends, and `x == 0 && y == 1` comes later.
        ("--ltl", "<> (x == 0 && y == 1) -> <> (y == 1)"),
        ("--ltl", "<>[] (x == 1) -> <> (y == 1)"),
        ("--ctl", "AG (x == 1 -> AF (y == 1))"),
    ] {
        let (code, text) = run(option, formula);
        assert_eq!(code, Some(0), "{formula}: {text}");
        assert!(!text.contains("vacuous"), "{formula}: {text}");
    }
}

/// In structures the cells of arrays have the names that the model gives them, and traces with them replay.
#[test]
fn cells_of_arrays_in_structures_have_the_names_of_the_model() {
    let model = "typedef T { byte v[2]; bit f }; T t[2]; T s;\n\
        active proctype P() { t[1].v[0] = 3; t[1].f = 1; s.v[1] = 2; assert(false) }\n";
    let folder = folder(model);
    let output = lariat(folder.path(), &["check", "m.pml", "--quiet", "--trace", "t.json"]);
    let parts = ["t[1].v[0]: 0 → 3", "t[1].f: 0 → 1", "s.v[1]: 0 → 2", "t[0].v[0..1] = 0", "t[1].v[0] = 3"];
    assert_parts(&stdout(&output), &parts);
    let text = std::fs::read_to_string(folder.path().join("t.json")).expect("a trace");
    assert!(text.contains("\"t[1].v[0]\""), "{text}");
    let output = lariat(folder.path(), &["replay", "m.pml", "t.json"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), String::from_utf8_lossy(&output.stderr));
}

#[test]
fn traces_say_each_thing_once_and_by_name() {
    let meeting = "mtype = { ack, nak }; chan b = [0] of { mtype, byte };\n\
        active proctype P() { b?ack,1 }\nactive proctype Q() { b!nak,7 }\n";
    assert_parts(
        &check(meeting, &[]),
        &["b?ack,1 (no send of the model matches)", "b!nak,7 (no receive of the model matches)"],
    );
    let first = check("bit x;\nactive proctype P() { x = 1 }\nltl b { x == 1 }\n", &["--property", "b"]);
    assert_eq!(first.matches("violated after 0 steps, whatever follows").count(), 2, "{first}");
    assert!(!first.contains("  violated, whatever follows"), "{first}");
    let fair =
        "bit x;\nactive proctype P() { do :: x = 1 - x od }\nactive proctype Q() { x == 2 }\nltl b { <> (x == 2) }\n";
    assert_parts(&check(fair, &["--fairness", "weak", "--property", "b"]), &["weak fairness for P(0): enabled at"]);
}

#[test]
fn the_options_that_a_model_states_are_spoken_of_where_it_fails() {
    let folder = folder("// with: -D N=5\n// expect: holds safety\nactive proctype P() { assert(N == 5) }\n");
    let said = |more: &[&str]| {
        let output = lariat(folder.path(), &[&["check", "m.pml"], more].concat());
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, text) = said(&["-D", "N=4"]);
    assert_eq!(code, Some(1));
    assert_parts(&text, &["note: the model has `with: -D N=5`, which `lariat test` uses"]);
    assert!(!said(&["-D", "N=5"]).1.contains("with:"));
}

/// Small things, each once said wrongly or not at all.
#[test]
fn what_is_wrong_with_options_is_said_in_plain_words() {
    let folder = folder("bit x;\nactive proctype P() { x = 1 }\nltl b { <> (x == 1) }\n");
    std::fs::copy(folder.path().join("m.pml"), folder.path().join("n.pml")).expect("copied");
    for (line, code, part) in [
        ("check m.pml n.pml --trace t.json --json-lines", 2, "give one model, or leave it out"),
        ("check m.pml n.pml --json", 2, "give one model, or use `--json-lines`"),
        ("check m.pml --seed x", 2, "`x` is not a whole number"),
        ("check m.pml --depth 99999999999999999999", 2, "is not a whole number"),
        ("check m.pml --memory -5", 2, "`-5` is not a size"),
        ("check m.pml --engine symbolic --order random", 2, "takes a file that lists variables"),
        ("check m.pml -D N=4 -D N=5", 0, "give `-D N=...` once"),
        ("graph m.pml -o g.xyz", 0, "`.xyz` is no format of graphs"),
        ("graph m.pml --lose-messages", 0, "C0015"),
        ("check m.pml --time 0 --property b", 0, ""),
    ] {
        let output = lariat(folder.path(), &line.split(' ').collect::<Vec<_>>());
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(text.contains(part), "{line}: {text}");
        assert!(output.status.code() == Some(code) || line.contains("--time"), "{line}: {text}");
    }
    let output = lariat(folder.path(), &["resume", "nosuch", "--json"]);
    assert_eq!(output.status.code(), Some(2));
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a document");
    assert!(document["errors"][0]["message"].as_str().is_some_and(|said| said.contains("nosuch")), "{document}");
    let output = lariat(folder.path(), &["simulate", "m.pml", "--until", "x == 2"]);
    assert_parts(&stdout(&output), &["not reached: `x == 2` was false after each of "]);
    if cfg!(target_os = "linux") {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").expect("it is there");
        let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
        let status = command.arg("--version").stdout(full).stderr(Stdio::null()).status().expect("it starts");
        assert_eq!(status.code(), Some(2));
    }
}

#[test]
fn what_is_denied_ends_as_a_failure() {
    let vacuous = folder("byte x;\nactive proctype P() { do :: x = 1 - x od }\nltl p { [] (x == 5 -> <> (x == 0)) }\n");
    let run = |folder: &TempDir, more: &[&str]| {
        let output = lariat(folder.path(), &[&["check", "m.pml"], more].concat());
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert_eq!(run(&vacuous, &[]).0, Some(0));
    let (code, message) = run(&vacuous, &["--deny", "vacuous"]);
    assert_eq!(code, Some(1));
    assert_parts(&message, &["error: 1 vacuous answer, denied by `--deny vacuous`"]);
    assert_eq!(run(&vacuous, &["--deny", "undecided"]).0, Some(0));
    assert_eq!(run(&vacuous, &["--deny", "undecided,warnings"]).0, Some(1));
    let bounded = folder("byte x;\nactive proctype P() { x = 1; x = 2; assert(x == 2) }\n");
    let depth = ["--engine", "bfs", "--depth", "1"];
    assert_eq!(run(&bounded, &depth).0, Some(3));
    let (code, message) = run(&bounded, &[&depth[..], &["--deny", "undecided"]].concat());
    assert_eq!(code, Some(1), "{message}");
    assert_eq!(run(&bounded, &["--deny", "failures"]).0, Some(2));
}

#[test]
fn the_version_and_manual_pages_are_there() {
    let folder = folder("");
    let version = stdout(&lariat(folder.path(), &["--version"]));
    assert_parts(&version, &["lariat ", env!("CARGO_PKG_VERSION"), "features: "]);
    assert_eq!(stdout(&lariat(folder.path(), &["-V"])).lines().count(), 1);
    assert!(lariat(folder.path(), &["man", "pages"]).status.success());
    let page = |name: &str| std::fs::read_to_string(folder.path().join("pages").join(name)).expect("a page");
    assert_parts(&page("lariat.1"), &[".TH", "check"]);
    assert_parts(&page("lariat-check.1"), &[".TH", "hashes", "[OPTIONS] <MODEL>"]);
    let refused = lariat(folder.path(), &["man", "m.pml"]);
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
}

/// Nothing that is read is overwritten, and no two outputs go to one file.
#[test]
fn outputs_do_not_overwrite_inputs() {
    let model = "byte x;\nactive proctype P() { x = 1; assert(x == 0) }\n";
    let folder = folder(model);
    let refused = |arguments: &[&str], part: &str| {
        let output = lariat(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_parts(&String::from_utf8_lossy(&output.stderr), &[part]);
        assert_eq!(std::fs::read_to_string(folder.path().join("m.pml")).expect("it is there"), model, "{arguments:?}");
    };
    for option in ["--trace", "--report", "--coverage"] {
        refused(&["check", "m.pml", option, "./m.pml"], "would overwrite a file that is read");
    }
    refused(&["check", "m.pml", "--trace", "x", "--report", "x"], "would both write `x`");
    refused(&["graph", "m.pml", "-o", "m.pml"], "would overwrite a file that is read");
    assert_eq!(lariat(folder.path(), &["check", "m.pml", "--trace", "t.json"]).status.code(), Some(1));
    refused(&["report", "t.json", "-o", "t.json"], "would overwrite a file that is read");
    // Another encoding would not come back as it was.
    let latin = b"// expect: holds safety\n/* \xe9 */ byte x;\nactive proctype P() { x = 1; assert(x == 0) }\n";
    std::fs::write(folder.path().join("latin.pml"), latin).expect("written");
    refused(&["test", "--update", "latin.pml"], "not in UTF-8");
    assert_eq!(std::fs::read(folder.path().join("latin.pml")).expect("it is there"), latin);
}

/// Pages say what every option is for, also those that the short help leaves out.
#[test]
fn manual_pages_describe_every_option() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(lariat(folder.path(), &["man", "pages"]).status.success());
    for page in std::fs::read_dir(folder.path().join("pages")).expect("there").flatten() {
        let text = std::fs::read_to_string(page.path()).expect("a text");
        for option in text.split(".TP\n").skip(1) {
            let (name, about) = option.split_once('\n').expect("a line for the option");
            let first = about.lines().next().unwrap_or_default();
            assert!(
                first.starts_with(|c: char| c.is_alphanumeric() || "`\\".contains(c)),
                "{name} in {page:?}: {about}"
            );
        }
    }
}
