//! Systems whose actions have ranks, by all engines of temporal properties: what a rank forbids depends on the whole state.

use std::process::Command;

/// Steps by `t`, which is free; in most states a rank forbids one of the actions.
const FREE: &str = "\
system free
dead_ends cut
slot t : bool = 0
slot x : 0..1 = 0
label one = x == 1
init {
    choose c : bool
    choose d : bool
    set t := ?c
    set x := ?d
}
action a {
    choose c : bool
    when t == 1
    set t := ?c
}
action i {
    choose c : bool
    when t == 0
    rank 2
    set t := ?c
}
action b {
    choose c : bool
    when t == 1
    rank 1
    set t := ?c
    set x := 1
}
";

/// The only action comes after everything.
const LATE: &str = "\
system late
dead_ends stutter
slot x : 0..1 = 0
label one = x == 1
action b {
    rank 600
    when x == 0
    set x := 1
}
";

fn answer(model: &str, line: &str, formula: &str) -> (i32, String) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("m.sys"), model).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
    command.args(["check", "m.sys", "--time", "20s", "--ltl", formula]).args(line.split_whitespace());
    let output = command.current_dir(folder.path()).output().expect("it starts");
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().expect("it ends"), String::from_utf8(text).expect("text"))
}

#[test]
fn a_free_variable_that_ranks_speak_of_is_not_forgotten() {
    for formula in ["[] (!one -> X !one)", "([] <> one) -> one"] {
        for engine in ["scc", "graph", "symbolic"] {
            let (code, text) = answer(FREE, &format!("--engine {engine}"), formula);
            assert_eq!(code, 0, "{engine} {formula}: {text}");
        }
    }
}

#[test]
fn no_tester_comes_before_an_action() {
    for engine in ["scc", "graph", "symbolic"] {
        let (code, text) = answer(LATE, &format!("--engine {engine}"), "[] !one");
        assert_eq!(code, 1, "{engine}: {text}");
    }
    for engine in ["graph", "symbolic"] {
        let (code, text) = answer(LATE, &format!("--engine {engine} --temporal-by tester"), "[] !one");
        assert_eq!(code, 2, "{engine}: {text}");
        assert!(text.contains("an action may have a rank"), "{text}");
    }
}
