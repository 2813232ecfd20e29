//! `--ctl` and `--engine symbolic`, as they are used: texts, documents and exit codes.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
    command.args(arguments).current_dir(root).output().expect("the program runs")
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn the_same_states_as_by_breadth_first_search() {
    for model in ["models/peterson.pml", "models/dekker.pml", "models/alternating_bit.pml"] {
        let states = |engine: &str| {
            let output = run(&["check", model, "--property", "safety", "--engine", engine, "--shortest", "--json"]);
            assert_eq!(output.status.code(), Some(0), "{}", text(&output));
            let document: Value = serde_json::from_slice(&output.stdout).expect("a document");
            let result = &document["properties"][0];
            (result["states"].clone(), result["depth"].clone(), result["complete"].clone())
        };
        assert_eq!(states("bfs"), states("symbolic"), "{model}");
    }
}

#[test]
fn a_failure_of_safety_has_a_shortest_run() {
    let output =
        run(&["check", "models/counter_race.pml", "--property", "safety", "--engine", "symbolic", "--shortest"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output).contains("safety: assertion violated, after 8 steps:"), "{}", text(&output));
}

#[test]
fn formulas_of_branching_time_have_runs_that_show_them() {
    let output = run(&["check", "models/dekker.pml", "--ctl", "AG (x == 1)"]);
    assert_eq!(output.status.code(), Some(2), "there is no x: {}", text(&output));
    let formulas = ["--ctl", "AG EX (1 == 1)", "--ctl", "EG (1 == 1)", "--engine", "symbolic", "--json"];
    let output = run(&[&["check", "models/counter_race.pml"][..], &formulas].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let document: Value = serde_json::from_slice(&output.stdout).expect("a document");
    let [always, forever] = [0, 1].map(|number| &document["properties"][number]);
    assert_eq!((&always["verdict"], &always["witnesses"]), (&"holds".into(), &Value::Null));
    assert_eq!(forever["witnesses"][0]["shows"], "EG \"1 == 1\"", "{forever}");
    assert!(forever["witnesses"][0]["loop_start"].is_u64(), "{forever}");
    assert_eq!(always["states"].to_string(), always["states_exact"].as_str().unwrap_or_default());
}

#[test]
fn what_it_cannot_honour_is_refused() {
    let model = "models/peterson.pml";
    for (options, reason) in [
        (
            &["--engine", "symbolic", "--property", "safety", "--keep-going"][..],
            "`bfs`, `dfs`, `external` and `cluster` do",
        ),
        (&["--engine", "symbolic", "--property", "safety", "--store", "flat"], "does not support `--store flat`"),
        (&["--engine", "symbolic", "--ltl", "[] <> (1 == 1)", "--shortest"], "it finds some loop"),
        (&["--engine", "bfs", "--ctl", "AG (1 == 1)"], "symbolic"),
        (&["--engine", "scc", "--ctl", "AG (1 == 1)"], "symbolic"),
        (&["--ctl", "G E F (1 == 1)"], "has no `A` or `E` around it"),
        (&["--ctl", "<> [] (1 == 1)"], "this is a formula of LTL"),
        (&["--engine", "scc", "--ctl", "A F G (1 == 1)"], "symbolic"),
        (&["--ctl", "AG (moves(1))"], "speaks of steps"),
        (
            &["--ctl", "AF (1 == 1)", "--fair-ltl", "[] <> (1 == 1)"],
            "for CTL* there are `--justice` and `--compassion`",
        ),
    ] {
        let output = run(&[&["check", model], options].concat());
        assert_eq!(output.status.code(), Some(2), "{options:?}: {}", text(&output));
        assert!(text(&output).contains(reason), "{options:?}: {}", text(&output));
    }
}

#[test]
fn formulas_of_ctl_star_speak_of_promela_under_fairness() {
    // Each takes a fork in an atomic sequence; those who wait are served under strong fairness alone.
    let model = "models/contrary_philosopher.pml";
    let hungry = "A (G (Philosopher[1]@hungry -> F Philosopher[1]@eating))";
    let always_can = "A (G F E (F (Philosopher[1]@eating && X G ! Philosopher[1]@eating)))";
    let check = |engine: &str, fairness: &str, formula: &str| {
        let arguments = ["check", model, "-D", "N=2", "--engine", engine, "--fairness", fairness, "--ctl", formula];
        let output = run(&[&arguments[..], &["--json"]].concat());
        let document: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output)));
        document["properties"][0].clone()
    };
    for engine in ["graph", "symbolic"] {
        assert_eq!(check(engine, "strong", hungry)["verdict"], "holds", "{engine}");
        let fails = check(engine, "weak", hungry);
        assert_eq!((&fails["verdict"], &fails["replayed"]), (&"fails".into(), &true.into()), "{engine}: {fails}");
        assert!(fails["witnesses"][0]["loop_start"].is_u64(), "{engine}: {fails}");
        assert_eq!(check(engine, "none", always_can)["verdict"], "holds", "{engine}");
        assert_eq!(check(engine, "strong", always_can)["verdict"], "fails", "{engine}");
    }
}
