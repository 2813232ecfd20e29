//! What a newcomer stumbled over: each test is one thing that was said or done wrongly.

use serde_json::Value;
use std::process::{Command, Output};
use tempfile::TempDir;

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    folder
}

fn run(folder: &TempDir, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
    command.args(arguments).current_dir(folder.path()).output().expect("the program starts")
}

/// Exit code, standard output and standard error.
fn ended(folder: &TempDir, arguments: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } = run(folder, arguments);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (status.code().expect("no signal"), text(stdout), text(stderr))
}

fn document(folder: &TempDir, arguments: &[&str]) -> Value {
    let (_, text, error) = ended(folder, arguments);
    serde_json::from_str(&text).unwrap_or_else(|wrong| panic!("{wrong}\n{text}\n{error}"))
}

/// What is said of a model that is refused.
#[track_caller]
fn refused(name: &str, text: &str, arguments: &[&str]) -> String {
    let folder = folder(&[(name, text)]);
    let (code, _, error) = ended(&folder, &[&["check", name][..], arguments].concat());
    assert_eq!(code, 2, "{error}");
    error
}

const COUNTER: &str = "\
MODULE main
VAR x : 0..3;
ASSIGN init(x) := 0; next(x) := (x + 1) mod 4;
";

fn counter(rest: &str) -> String {
    format!("{COUNTER}{rest}\n")
}

#[test]
fn what_update_writes_is_accepted() {
    let text = counter("LTLSPEC F G x = 0\nINVARSPEC x < 2\nCTLSPEC AG x < 2\nLTLSPEC G x < 2\nLTLSPEC F x = 2");
    let folder = folder(&[("m.smv", &text)]);
    let (code, shown, error) = ended(&folder, &["test", "m.smv", "--update"]);
    assert_eq!(code, 0, "{shown}{error}");
    let written = std::fs::read_to_string(folder.path().join("m.smv")).expect("there");
    for line in ["-- expect: fails ltl_1, cycle\n", "-- expect: fails invar_1, bad_prefix, trace <= 2\n"] {
        assert!(written.contains(line), "{written}");
    }
    assert_eq!(ended(&folder, &["test", "m.smv"]).0, 0);
}

#[test]
fn the_length_of_a_cycle_can_be_stated() {
    let text = format!(
        "-- expect: fails ltl_1, cycle, trace <= 8\n-- expect: holds ltl_2\n{}",
        counter("LTLSPEC F G x = 0\nLTLSPEC F x = 2")
    );
    let folder = folder(&[("m.smv", &text)]);
    let (code, shown, error) = ended(&folder, &["test", "m.smv"]);
    assert_eq!(code, 0, "{shown}{error}");
}

#[test]
fn an_invariant_ends_where_it_is_violated() {
    let text = counter("INVARSPEC x != 0\nINVARSPEC x < 2\nINVARSPEC next(x) != 2");
    let folder = folder(&[("m.smv", &text)]);
    for engine in ["auto", "scc", "bfs", "graph", "symbolic"] {
        let properties = &document(&folder, &["check", "m.smv", "--engine", engine, "--json"])["properties"];
        for (number, steps) in [(0, 0), (1, 2), (2, 2)] {
            let failure = &properties[number]["trace"];
            assert_eq!(
                (&failure["transitions"], &failure["loop"]),
                (&steps.into(), &0.into()),
                "{engine}: {properties}"
            );
            assert_eq!(properties[number]["kind"], "bad_prefix", "{engine}");
        }
    }
    let (_, shown, _) = ended(&folder, &["check", "m.smv", "--property", "invar_1", "--engine", "scc"]);
    assert!(!shown.contains("infinite"), "{shown}");
    assert_eq!(ended(&folder, &["check", "m.smv", "--property", "invar_2", "--trace", "t.json"]).0, 1);
    let (code, shown, error) = ended(&folder, &["replay", "m.smv", "t.json"]);
    assert_eq!(code, 0, "{shown}{error}");
    assert_eq!(ended(&folder, &["shorten", "m.smv", "t.json"]).0, 0);
}

#[test]
fn traces_of_branching_time_are_replayed() {
    let text = counter("CTLSPEC AG x < 2\nCTLSTARSPEC A F G x = 0\nCOMPUTE MIN [x = 0, x = 2]\nCTLSPEC EX x = 3");
    let folder = folder(&[("m.smv", &text)]);
    for property in ["ctl_1", "ctlstar_1", "ctl_2"] {
        assert_eq!(ended(&folder, &["check", "m.smv", "--property", property, "--trace", "t.json"]).0, 1, "{property}");
        let (code, shown, error) = ended(&folder, &["replay", "m.smv", "t.json"]);
        assert_eq!(code, 0, "{property}: {shown}{error}");
        assert!(shown.contains("does not settle"), "{shown}");
        let (code, _, error) = ended(&folder, &["shorten", "m.smv", "t.json"]);
        assert!(code == 2 && error.contains("branching time"), "{error}");
    }
    // Also by a formula from outside, and a number.
    assert_eq!(ended(&folder, &["check", "m.smv", "--ctl", "AG x < 3", "--trace", "t.json"]).0, 1);
    assert_eq!(ended(&folder, &["replay", "m.smv", "t.json"]).0, 0);
    let (_, all, _) = ended(&folder, &["check", "m.smv", "--json"]);
    std::fs::write(folder.path().join("all.json"), all).expect("written");
    let (code, shown, error) = ended(&folder, &["replay", "m.smv", "all.json", "--property", "compute_1"]);
    assert_eq!(code, 0, "{shown}{error}");
    // What is no run of the model does not replay.
    let other = COUNTER.replace("(x + 1) mod 4", "x") + "CTLSPEC AG x < 2\n";
    std::fs::write(folder.path().join("other.smv"), other).expect("written");
    assert_eq!(ended(&folder, &["check", "m.smv", "--property", "ctl_1", "--trace", "t.json"]).0, 1);
    assert_eq!(ended(&folder, &["replay", "other.smv", "t.json"]).0, 1);
}

#[test]
fn a_trace_that_does_not_replay_is_told_by_shorten_as_by_replay() {
    let folder = folder(&[
        ("m.smv", &counter("INVARSPEC x < 2")),
        ("other.smv", "MODULE main\nVAR x : 0..3;\nASSIGN init(x) := 1; next(x) := x;\nINVARSPEC x < 2\n"),
    ]);
    assert_eq!(ended(&folder, &["check", "m.smv", "--trace", "t.json"]).0, 1);
    let told_by = |command: &str| document(&folder, &[command, "other.smv", "t.json", "--json"]);
    assert_eq!(told_by("shorten"), told_by("replay"));
    assert_eq!(told_by("shorten")["replayed"], false);
}

/// The peak memory of the program, where the machine says it.
fn peak_kib(output: &Value) -> u64 {
    let properties = output["properties"].as_array().expect("a list");
    properties.iter().filter_map(|property| property["peak_memory_bytes"].as_u64()).max().unwrap_or(0) >> 10
}

#[test]
fn many_specifications_take_memory_in_proportion() {
    let text = |count: usize| counter(&(0..count).map(|n| format!("INVARSPEC x != {}\n", n % 4)).collect::<String>());
    let folder = folder(&[("few.smv", &text(200)), ("many.smv", &text(1000))]);
    let peak = |name: &str| peak_kib(&document(&folder, &["check", name, "--json"]));
    let (few, many) = (peak("few.smv"), peak("many.smv"));
    assert!(many < few + 40_000, "{few} KiB for 200, {many} KiB for 1000");
}

#[test]
fn an_engine_leaves_what_it_does_not_support_to_others() {
    let text = counter("COMPASSION (x = 0, x = 1)\nLTLSPEC G F x = 0\nINVARSPEC x < 4");
    let folder = folder(&[("m.smv", &text)]);
    for engine in ["external", "ndfs", "scc", "bfs"] {
        let (code, shown, error) = ended(&folder, &["check", "m.smv", "--engine", engine]);
        assert_eq!(code, 0, "{engine}: {shown}{error}");
    }
    let (code, _, error) = ended(&folder, &["check", "m.smv", "--engine", "ndfs", "--property", "ltl_1"]);
    assert!(code == 2 && error.contains("strong fairness"), "{error}");
    // Strong fairness on disk.
    let (code, shown, error) = ended(&folder, &["check", "m.smv", "--engine", "external", "--property", "ltl_1"]);
    assert!(code == 0 && shown.contains("(external)"), "{shown}{error}");
}

#[test]
fn which_option_to_leave_out_is_said() {
    let error = refused("m.smv", &counter("CTLSPEC AG x < 4"), &["--shortest", "--por", "on", "--property", "ctl_1"]);
    assert!(error.contains("leave out `--por on`") || error.contains("no engine supports"), "{error}");
    let error =
        refused("m.smv", &counter("LTLSPEC G F x = 0"), &["--depth", "3", "--store", "bitstate", "--order", "o"]);
    assert!(error.lines().count() <= 2, "{error}");
    let error = refused("m.smv", &counter("LTLSPEC G F x = 0"), &["--disk", "/nonexistent/folder"]);
    assert!(!error.contains("safety alone"), "{error}");
    assert!(error.matches("`graph`").count() <= 1, "{error}");
}

#[test]
fn a_mistake_in_an_order_file_is_told_with_its_line() {
    let folder = folder(&[("m.smv", &counter("CTLSPEC AG x < 4")), ("order", "-- mine\n\nx\nyy\n")]);
    for more in [&["--engine", "symbolic"][..], &[]] {
        let (code, _, error) = ended(&folder, &[&["check", "m.smv", "--order", "order"][..], more].concat());
        assert!(code == 2 && error.contains("line 4: the model has no variable `yy`"), "{error}");
        assert!(!error.contains("does not support"), "{error}");
    }
}

#[test]
fn wide_steps_are_for_sets_of_states() {
    let text =
        "MODULE main\nIVAR i : 0..100000;\nVAR x : 0..100000;\nASSIGN init(x) := 0; next(x) := i;\nLTLSPEC G F x = 0\n";
    let folder = folder(&[("m.smv", text)]);
    let property = &document(&folder, &["check", "m.smv", "--json"])["properties"][0];
    assert_eq!((&property["engine"], &property["verdict"]), (&"symbolic".into(), &"fails".into()));
}

#[cfg(unix)]
#[test]
fn a_limit_on_file_sizes_is_an_error_of_the_file() {
    let folder = folder(&[("m.smv", &counter("INVARSPEC x < 2"))]);
    let line = format!("ulimit -f 0; exec '{}' check m.smv --trace t.json", env!("CARGO_BIN_EXE_lariat"));
    let output = Command::new("sh").args(["-c", &line]).current_dir(folder.path()).output().expect("a shell");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && error.contains("cannot write `t.json`"), "{:?} {error}", output.status);
}

#[cfg(unix)]
#[test]
fn a_pipe_that_nobody_writes_to_is_not_waited_for() {
    let folder = folder(&[]);
    let made = Command::new("mkfifo").arg("m.smv").current_dir(folder.path()).status().expect("mkfifo");
    assert!(made.success());
    let (code, _, error) = ended(&folder, &["check", "m.smv"]);
    assert!(code == 2 && error.contains("is not a file"), "{error}");
}

#[test]
fn refusals_of_smv_say_what_to_write() {
    for (text, said) in [
        ("INVARSPEC AG x = 0", "`INVARSPEC` takes a condition; write `CTLSPEC`"),
        ("INVARSPEC G x = 0", "`INVARSPEC` takes a condition; write `LTLSPEC`"),
        ("CTLSPEC AG (x = 0 -> Y x = 0)", "`CTLSTARSPEC`"),
        ("CTLSPEC AG F x = 0", "`CTLSTARSPEC`"),
        ("VAR q : proces foo;\nMODULE foo", "did you mean `process`"),
        ("DEFINE d := if x = 0 then 1 else 0;", "write `condition ? a : b`"),
    ] {
        let error = refused("m.smv", &counter(text), &[]);
        assert!(error.contains(said), "{text}: {error}");
    }
    let error = refused("m.smv", &counter(""), &["--ltl", "AG x = 1"]);
    assert!(error.contains("write `--ctl`") && !error.contains("CTLSPEC"), "{error}");
    let error = refused("m.smv", &counter("LTLSPEC F x = 0"), &["--justice", "AG x = 1"]);
    assert!(error.contains("no temporal operators") && !error.contains("INVARSPEC"), "{error}");
}

#[test]
fn one_mistake_is_told_once() {
    let modules: String = (0..24).map(|n| format!("MODULE m{n}\nVAR a : m{0}; b : m{0};\n", n + 1)).collect();
    let error = refused("m.smv", &format!("{modules}MODULE m24\nVAR x : boolean;\nMODULE main\nVAR m : m0;\n"), &[]);
    assert_eq!(error.matches("error[").count(), 1, "{error}");
    let deep = format!("byte x;\nactive proctype A() {{ assert({}x{}) }}\n", "(".repeat(300), ")".repeat(300));
    let error = refused("m.pml", &deep, &[]);
    assert_eq!(error.matches("error[").count(), 1, "{error}");
    let error = refused("m.pml", "byte a[M];\nactive proctype A() { a[0] = 1 }\n", &[]);
    assert!(error.contains('M') && !error.contains("0 cells"), "{error}");
}

#[test]
fn a_proctype_is_run() {
    let error = refused("m.pml", "proctype A(byte n) { skip }\ninit { A(3) }\n", &[]);
    assert!(error.contains("`run A(…)` starts a process"), "{error}");
}

#[test]
fn what_is_included_and_is_no_file_is_there_all_the_same() {
    let error = refused("m.pml", "#include \"/dev/zero\"\nactive proctype A() { skip }\n", &[]);
    assert!(error.contains("`/dev/zero` is not a file"), "{error}");
}

#[test]
fn a_deadlock_of_smv_is_not_told_in_words_of_promela() {
    let folder = folder(&[("m.smv", "MODULE main\nVAR x : 0..3;\nINIT x = 0\nTRANS next(x) = x + 1 & x < 3\n")]);
    let (code, shown, error) = ended(&folder, &["check", "m.smv", "--property", "safety"]);
    assert!(code == 1 && shown.contains("deadlock: the state has no successor"), "{shown}{error}");
    assert!(!shown.contains("process"), "{shown}");
    assert!(!shown.contains("m.smv:1"), "a step of the whole model is at no place: {shown}");
}

#[test]
fn a_mark_of_utf_8_is_no_part_of_a_model() {
    let folder = folder(&[("m.smv", &format!("\u{feff}{}", counter("INVARSPEC x < 4")))]);
    assert_eq!(ended(&folder, &["check", "m.smv"]).0, 0);
}

#[test]
fn bounds_of_nusmv_are_read() {
    let folder = folder(&[]);
    for (formula, spelled) in [("F [0,2] a", "a | X (a | X a)"), ("H [0,1] a", "a & Y a"), ("G [1,1] a", "X a")] {
        let (code, shown, error) = ended(&folder, &["ltl", "--dialect", "nusmv", "--format", "spot", formula]);
        assert_eq!((code, shown.trim()), (0, spelled), "{formula}: {error}");
    }
    for wrong in ["F [0:2] a", "F [2,1] a", "F [,1] a", "X [1,2] a"] {
        assert_eq!(ended(&folder, &["ltl", "--dialect", "nusmv", wrong]).0, 2, "{wrong}");
    }
}

#[test]
fn a_whole_graph_is_said_to_be_complete() {
    let folder = folder(&[("m.smv", &counter("CTLSPEC AG x < 4\nINVARSPEC x < 4"))]);
    let properties = &document(&folder, &["check", "m.smv", "--json"])["properties"];
    for property in properties.as_array().expect("a list") {
        assert_eq!(property["complete"], true, "{property}");
        assert!(property["seconds"].as_f64().expect("a number") > 0.0, "{property}");
    }
}

#[test]
fn codes_are_explained_as_they_stand_in_messages() {
    let folder = folder(&[]);
    for code in ["error[P0405]", "error[P0405]:", "p0405", "[P0405]"] {
        assert_eq!(ended(&folder, &["explain", code]).0, 0, "{code}");
    }
}

#[test]
fn the_least_number_can_be_written() {
    let folder = folder(&[("m.smv", "MODULE main\nDEFINE d := -2147483648;\nVAR x : boolean;\nINVARSPEC d < 0\n")]);
    let (code, shown, error) = ended(&folder, &["check", "m.smv"]);
    assert_eq!(code, 0, "{shown}{error}");
    let error = refused("m.smv", "MODULE main\nDEFINE d := 0 - 2147483648;\nVAR x : boolean;\nINVARSPEC d < 0\n", &[]);
    assert!(error.contains("too large"), "{error}");
}

#[test]
fn long_chains_are_not_nesting() {
    let implied = format!("{}x = 3", "x = 1 -> x = 2 -> ".repeat(200));
    let chosen: String = (0..400).map(|n| format!("x = {} ? {} : ", n % 4, (n + 1) % 4)).collect();
    let text = format!(
        "MODULE main\nVAR x : 0..3; y : 0..3;\nASSIGN init(x) := 0; next(x) := {chosen}0; init(y) := 0; next(y) := (y + 1) mod 4;\n\
         INVARSPEC x = y\nINVARSPEC {implied}\nINVARSPEC x = 1 -> x = 1 -> x = 2\nINVARSPEC x = 1 ? FALSE : x = 2 ? FALSE : TRUE\n"
    );
    let folder = folder(&[("m.smv", &text)]);
    let properties = &document(&folder, &["check", "m.smv", "--json"])["properties"];
    let verdicts: Vec<&str> =
        properties.as_array().expect("a list").iter().filter_map(|property| property["verdict"].as_str()).collect();
    assert_eq!(verdicts, ["holds", "holds", "fails", "fails"], "{properties}");
}
