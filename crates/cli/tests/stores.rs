//! Every engine with every store: the right verdict, or a refusal that says why.

use crate::every_engine::{grows_the_pool, honours_every_store_or_refuses_it};
use crate::gpu::has_compiler;
use lariat_engine::Engine;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    check(&[&["--code", "bytecode"], arguments].concat())
}

fn check(arguments: &[&str]) -> Output {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
    command.args(["check", "--json"]).args(arguments).current_dir(root).output().expect("the program starts")
}

fn property(output: &Output) -> Value {
    let document: Value = serde_json::from_slice(&output.stdout).expect("a document");
    document["properties"][0].clone()
}

const DEKKER: &str = "models/dekker.pml";

/// The program with every engine; `gpu` with its kernels on this processor.
fn program(arguments: &[&str]) -> Output {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
    command.args(arguments).env("LARIAT_GPU", "processor").current_dir(root).output().expect("the program starts")
}

/// All that can be asked here, and the choice that is left to the program.
fn engines() -> Vec<(&'static str, bool)> {
    let here = |engine: &&dyn Engine| engine.name() != "gpu" || has_compiler();
    let registered = lariat::engines().into_iter().filter(here);
    let named = registered.map(|engine| (engine.name(), engine.can_show_that_it_holds()));
    std::iter::once(("auto", true)).chain(named).collect()
}

#[test]
fn every_engine_honours_every_store_or_refuses_it() {
    honours_every_store_or_refuses_it(&program, &engines());
}

#[test]
fn what_says_nothing_about_the_store_is_refused() {
    for (arguments, word) in [
        (&["--hashes", "2"][..], "bitstate"),
        (&["--replace", "oldest"], "cache"),
        (&["--runs", "3"], "tree"),
        (&["--runs", "3", "--store", "cache"], "cache"),
        (&["--disk", "x"], "the folder `"),
        (&["--when-full", "cache", "--store", "bitstate"], "--when-full"),
        (&["--when-full", "tape"], "stop"),
        (&["--when-full", "bfs"], "names the same search"),
        (&["--when-full", "scc"], "`--when-full scc` is not possible: the engine `scc` does not support `safety`"),
        (&["--store", "bitstate", "--hashes", "0"], "hashes"),
        (&["--store", "bitstate", "--profile"], "--profile"),
        (&["--store", "cache", "--keep-going"], "counted"),
        (&["--store", "cache", "--replace", "newest"], "oldest"),
        (&["--store", "cache", "--threads", "2"], "thread"),
        (&["--store", "cache", "--depth", "9"], "bound"),
        (&["--when-full", "cache", "--keep-going"], "`--when-full cache` is not possible: no engine supports"),
        (&["--when-full", "cache", "--runs", "3"], "nothing new"),
        (&["--when-full", "bitstate", "--shortest"], "shortest"),
        (&["--when-full", "bitstate", "--profile"], "--profile"),
        (&["--when-full", "bitstate", "--disk", "Cargo.toml"], "Cargo.toml"),
    ] {
        let output = run(&[&[DEKKER, "--property", "safety"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(told.contains(word), "{arguments:?}: {told}");
    }
    assert!(!Path::new("x").exists());
}

#[test]
fn a_cache_of_little_memory_forgets_and_still_holds() {
    let all = property(&run(&["models/contrary_philosopher.pml", "--property", "safety", "--por", "off"]));
    for how in ["random", "oldest", "least-used"] {
        let arguments =
            ["--property", "safety", "--por", "off", "--store", "cache", "--memory", "1800K", "--replace", how];
        let small = property(&run(&[&["models/contrary_philosopher.pml"], &arguments[..]].concat()));
        assert_eq!(small["verdict"], "holds", "{how}: {small}");
        assert!(small["evictions"].as_u64() > Some(1000), "{how}: {small}");
        assert!(small["insertions"].as_u64() > all["states"].as_u64(), "{how}: {small}");
        assert_eq!((&small["digest"], &small["complete"]), (&Value::Null, &false.into()), "some were counted twice");
    }
}

#[test]
fn runs_stop_at_the_first_failure() {
    let arguments = ["models/counter_race.pml", "--store", "bitstate", "--memory", "16M", "--runs", "5"];
    let failing = property(&run(&arguments));
    assert_eq!((&failing["verdict"], &failing["runs"]), (&"fails".into(), &1.into()));
    let arguments = ["models/peterson.pml", "--store", "bitstate", "--memory", "16M", "--runs", "5", "--hashes", "2"];
    let holding = property(&run(&arguments));
    assert_eq!((&holding["reason"], &holding["runs"], &holding["hashes"]), (&"lossy".into(), &5.into(), &2.into()));
}

#[test]
fn a_full_store_goes_on_as_was_asked_and_says_so() {
    let full = ["models/contrary_philosopher.pml", "--property", "safety", "--por", "off", "--memory", "1800K"];
    let stopped = run(&[&full[..], &["--when-full", "stop"]].concat());
    assert_eq!((stopped.status.code(), &property(&stopped)["reason"]), (Some(3), &"memory".into()));
    for (next, code, store) in [("cache", 0, "cache"), ("bitstate", 3, "bitstate")] {
        let output = run(&[&full[..], &["--when-full", next]].concat());
        assert_eq!(output.status.code(), Some(code), "{next}");
        let property = property(&output);
        assert_eq!((&property["store"], &property["engine"]), (&store.into(), &"dfs".into()));
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(told.contains("C0008") && told.contains("restarted with"), "{told}");
    }
    // Or by another engine; this one is no better off.
    let output = run(&[&full[..], &["--when-full", "dfs"]].concat());
    let warning = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), &property(&output)["engine"]), (Some(3), &"dfs".into()), "{warning}");
    assert!(warning.contains("restarted with engine `dfs`"), "{warning}");
    let planned = run(&[&full[..], &["--when-full", "dfs", "--plan"]].concat());
    let plan: Value = serde_json::from_slice(&planned.stdout).expect("a document");
    let searches = plan["plans"][0]["searches"].as_array().expect("the searches").clone();
    let parts = |search: &Value| (search["plan"]["engine"].clone(), search["after"].clone());
    assert_eq!(
        searches.iter().map(parts).collect::<Vec<_>>(),
        [("bfs".into(), Value::from(Vec::<Value>::new())), ("dfs".into(), vec!["memory"].into())]
    );
    let temporal =
        ["models/contrary_philosopher.pml", "--property", "fed", "--memory", "1800K", "--when-full", "bitstate"];
    let output = run(&temporal);
    assert_eq!(property(&output)["store"], "bitstate", "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_stack_goes_to_the_disk_and_nothing_stays_there() {
    let folder = std::env::temp_dir().join(format!("lariat-cli-stack-{}", std::process::id()));
    let path = folder.to_str().expect("a path in plain letters");
    let arguments = ["models/contrary_philosopher.pml", "--property", "safety", "--store", "compact", "--memory", "2M"];
    // A folder that is missing may be a slip: it is not made, whoever searches.
    let on_disk = ["models/contrary_philosopher.pml", "--property", "safety", "--engine", "external"];
    for search in [&arguments[..], &on_disk] {
        let output = run(&[search, &["--disk", path]].concat());
        assert_eq!(output.status.code(), Some(2), "{search:?}");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(told.contains("does not exist; `mkdir -p") && !folder.exists(), "{search:?}: {told}");
    }
    std::fs::create_dir(&folder).expect("it can be made");
    let output = run(&[&arguments[..], &["--disk", path]].concat());
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(property(&output)["reason"], "lossy");
    assert_eq!(std::fs::read_dir(&folder).expect("it is there").count(), 0);
    std::fs::remove_dir(&folder).expect("it is empty");
    let output = run(&[&arguments[..], &["--disk", "Cargo.toml"]].concat());
    assert_eq!(output.status.code(), Some(2), "a file is not a folder");
}

#[test]
fn more_processes_than_were_guessed_are_no_failure() {
    grows_the_pool(&program, &engines());
}
