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
