//! `--engine gpu`, with its kernels on this processor (`LARIAT_GPU=processor`), says what `bfs` and `scc` say; without a card it says
//! why not.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

fn lariat(on_processor: bool, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
    command.args(arguments).current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    match on_processor {
        true => command.env("LARIAT_GPU", "processor"),
        // Where there is a card, it is hidden.
        false => command.env_remove("LARIAT_GPU").env("CUDA_VISIBLE_DEVICES", ""),
    };
    command.output().expect("the program runs")
}

/// Whether there is a compiler for kernels; says so if not.
fn has_compiler() -> bool {
    let found = ["tcc", "cc"].iter().any(|name| Command::new(name).arg("-v").output().is_ok());
    if !found {
        println!("skipped: neither tcc nor cc is here to compile kernels");
    }
    found
}

fn document(arguments: &[&str]) -> Value {
    let ended = lariat(true, arguments);
    serde_json::from_slice(&ended.stdout)
        .unwrap_or_else(|_| panic!("{arguments:?}: {}", String::from_utf8_lossy(&ended.stderr)))
}

/// What both engines must say.
fn essence(document: &Value, names: &[&str]) -> Vec<String> {
    let properties = document["properties"].as_array().expect("there are properties");
    properties.iter().flat_map(|property| names.iter().map(|name| property[name].to_string())).collect()
}

#[test]
fn it_says_what_searches_in_memory_say() {
    if !has_compiler() {
        return;
    }
    let all = ["name", "verdict", "states", "transitions", "depth", "digest"];
    for (arguments, names) in [
        (&["models/peterson.pml", "--property", "safety"][..], &all[..]),
        (&["models/atomic_handover.pml", "--property", "safety", "--keep-going"], &all),
        (&["models/server_pool.pml", "--property", "safety"], &all),
        (&["models/philosophers.pml", "--property", "safety", "--keep-going"], &all),
        (&["models/alternating_bit.pml", "--property", "safety"], &all),
        (&["models/bench/parcels.pml", "--property", "safety", "-D", "N=4"], &all),
        (&["models/dekker.pml", "--property", "enters", "--fairness", "strong"], &["verdict", "states", "transitions"]),
        (&["models/dekker.pml", "--property", "enters"], &["verdict"]),
        (&["models/mutual_exclusion.smv"], &["name", "verdict"]),
    ] {
        let check = |engine: &[&str]| {
            let given = [&["check"], arguments, &["--por", "off", "--json"], engine].concat();
            document(&given)
        };
        let engine = if arguments.contains(&"safety") { &["--engine", "bfs"][..] } else { &[] };
        let (card, expected) = (check(&["--engine", "gpu"]), check(engine));
        assert_eq!(essence(&card, names), essence(&expected, names), "{arguments:?}");
        let by_gpu = card["properties"].as_array().expect("there are some").iter().any(|one| one["engine"] == "gpu");
        assert!(by_gpu, "{arguments:?}: {card}");
    }
}

/// Models that were searched wrongly once, by what the text says of each.
const KEPT: [(&str, &[&str]); 4] = [
    // So many run-time errors that the table grows while the processor lists what they lead to.
    (
        "byte x[3]; byte z;
        active [3] proctype C() { do :: x[_pid] < 7 -> x[_pid]++ od }
        active proctype A() {
            do :: atomic { z = 1; assert(x[0] > 100); x[0] = (x[0] < 22 -> x[0] + 7 : x[0]); z = 0 } od
        }",
        &["--property", "safety", "--keep-going"],
    ),
    // A `d_step` that fails in the middle has no end state.
    ("byte x; bit f; active proctype P() { d_step { x = 3; x = 1 / f } } ltl l { []<> f }", &["--property", "l"]),
    ("byte x; active proctype P() { d_step { x = 1; x == 2 } } ltl l { <> (x == 1) }", &["--property", "l"]),
    // Failures of two kinds, with states without steps in other levels.
    (
        "byte y; bit f; chan q = [1] of { bit };
        active proctype P() { bit g; do :: f -> q!0 od }
        active proctype Q() { do :: break :: f = !f od; d_step { skip; q!1; skip } }",
        &["--property", "safety", "--keep-going"],
    ),
];

#[test]
fn what_was_wrong_once_is_right() {
    if !has_compiler() {
        return;
    }
    let folder = tempfile::tempdir().expect("there is a place for models");
    let path = folder.path().join("m.pml");
    let path_text = path.to_str().expect("it is a text");
    for (text, arguments) in KEPT {
        std::fs::write(&path, text).expect("it can be written");
        let check = |engine: &[&str]| {
            document(&[&["check", path_text], arguments, &["--por", "off", "--json"], engine].concat())
        };
        let is_safety = arguments.contains(&"safety");
        let expected = check(if is_safety { &["--engine", "bfs"] } else { &["--engine", "scc"] });
        let names: &[&str] = if is_safety {
            &["verdict", "states", "transitions", "depth", "digest", "failure_count"]
        } else {
            &["verdict"]
        };
        assert_eq!(essence(&check(&["--engine", "gpu"]), names), essence(&expected, names), "{text}");
    }
}

/// Where no engine is asked for, a card takes over once there are many states; where it cannot, the search goes on in memory.
#[test]
fn a_card_takes_over_from_a_search_in_memory() {
    if !has_compiler() {
        return;
    }
    let folder = tempfile::tempdir().expect("there is a place for models");
    let wide = folder.path().join("wide.pml");
    let text = "byte a[200]; byte n; active proctype P() { do :: a[n] < 9 -> a[n]++; n = (n + 7) % 200 od }";
    std::fs::write(&wide, text).expect("it can be written");
    let wide = wide.to_str().expect("it is a text");
    let all = ["verdict", "states", "transitions", "depth", "digest"];
    for (arguments, engine) in [
        (&["models/bench/filter_lock.pml", "--property", "safety"][..], "gpu"),
        (&["models/bench/filter_lock.pml", "--property", "safety", "--keep-going"], "gpu"),
        (&["models/bench/filter_lock.pml", "--property", "safety", "--threads", "2"], "bfs"),
        (&["models/bench/filter_lock.pml", "--property", "safety", "-D", "N=2"], "bfs"),
        // The card is full, and a state too wide for it.
        (&["models/bench/filter_lock.pml", "--property", "safety", "--gpu-memory", "64K"], "bfs"),
        (&[wide, "--property", "safety", "--allow-deadlock"], "bfs"),
    ] {
        let taken = document(&[&["check"], arguments, &["--por", "off", "--json"]].concat());
        let without: Vec<&str> =
            arguments.iter().copied().filter(|word| !["--gpu-memory", "64K"].contains(word)).collect();
        let expected = document(&[&["check"], &without[..], &["--engine", "bfs", "--por", "off", "--json"]].concat());
        assert_eq!(taken["properties"][0]["engine"], engine, "{arguments:?}: {taken}");
        assert_eq!(essence(&taken, &all), essence(&expected, &all), "{arguments:?}");
    }
    let plan = lariat(true, &["check", "models/bench/filter_lock.pml", "--property", "safety", "--plan"]);
    let plan = String::from_utf8_lossy(&plan.stdout).into_owned();
    assert!(
        plan.contains("given up beyond 4096 states") && plan.contains("if the search before it cannot be done"),
        "{plan}"
    );
    let said = lariat(true, &["check", wide, "--property", "safety", "--allow-deadlock", "--por", "off"]);
    assert!(String::from_utf8_lossy(&said.stderr).contains("the engine `gpu` cannot take over: "), "{said:?}");
}

#[test]
fn memory_of_the_card_is_limited() {
    if !has_compiler() {
        return;
    }
    let given = [
        "check",
        "models/philosophers.pml",
        "-D",
        "N=9",
        "--property",
        "safety",
        "--allow-deadlock",
        "--engine",
        "gpu",
    ];
    let ended = lariat(true, &[&given[..], &["--gpu-memory", "200K"]].concat());
    assert_eq!(ended.status.code(), Some(3), "{}", String::from_utf8_lossy(&ended.stdout));
    let said = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert!(said.contains("undecided") && said.contains("memory"), "{said}");
}

#[test]
fn without_a_card_it_says_why_not() {
    let ended = lariat(false, &["check", "models/peterson.pml", "--engine", "gpu"]);
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(2), "{said}");
    assert!(said.contains("the engine `gpu`") && said.lines().count() == 1, "{said}");
    assert!(said.contains("driver") || said.contains("card"), "{said}");
}
