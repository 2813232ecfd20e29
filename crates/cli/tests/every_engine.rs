//! Every registered engine with every store: the right verdict, or a refusal that is listed here. A new engine must answer or be
//! named. `toys` goes through this with an engine of its own.

use lariat_engine::StoreKind;
use serde_json::Value;
use std::process::Output;

/// The program, called with these arguments in the folder of the repository.
pub(crate) type Program<'a> = &'a dyn Fn(&[&str]) -> Output;

const DEKKER: &str = "models/dekker.pml";

/// Whether an engine leaves a property of Dekker's algorithm to others.
fn refuses_property(engine: &str, property: &str) -> bool {
    match property {
        // These look for cycles.
        "safety" => ["scc", "magic", "ndfs", "cvwy-a", "cvwy-b", "kosaraju", "online", "graph"].contains(&engine),
        // A bad prefix shows that it fails: engines for `safety` take it.
        "alone" => engine == "walks",
        "enters" => ["bfs", "dfs", "walks"].contains(&engine),
        other => panic!("the model has no property `{other}`"),
    }
}

/// Whether an engine does not work with a store, for a property that it takes.
fn refuses_store(engine: &str, property: &str, store: &str) -> bool {
    match (engine, store) {
        (_, "tree") => false,
        // States on disk, of a worker, on a card; sets of states; no states at all.
        ("external" | "astar" | "cluster" | "gpu" | "symbolic" | "graph" | "walks", _) => true,
        // They need every state back, or a number with each.
        ("bfs" | "scc" | "ndfs" | "kosaraju", "bitstate" | "compact" | "cache") => true,
        ("cvwy-a" | "cvwy-b", "cache") => true,
        ("online", "hybrid" | "bitstate" | "compact") => true,
        // A bad prefix is not searched in a product whose states have a head.
        ("bfs" | "dfs", "hybrid") => property == "alone",
        _ => false,
    }
}

/// Whether an engine has no use for `--code`.
fn refuses_code(engine: &str) -> bool {
    ["symbolic", "graph", "gpu"].contains(&engine)
}

/// The arguments that choose an engine.
fn choosing(engine: &str) -> Vec<&str> {
    let code: &[&str] = if refuses_code(engine) { &[] } else { &["--code", "bytecode"] };
    [&["--engine", engine], code].concat()
}

/// Every engine with every store: the right verdict, or a refusal that says why. Each comes with whether it can say that something holds.
pub(crate) fn honours_every_store_or_refuses_it(program: Program<'_>, engines: &[(&str, bool)]) {
    for store in StoreKind::NAMES {
        for (name, holds) in [("safety", true), ("alone", true), ("enters", false)] {
            for &(engine, can_show) in engines {
                let asked = ["check", "--json", DEKKER, "--property", name, "--store", store, "--memory", "64M"];
                let output = program(&[&asked[..], &choosing(engine)].concat());
                let code = output.status.code().expect("not killed");
                let told = String::from_utf8_lossy(&output.stderr).into_owned();
                let refuses = refuses_property(engine, name) || refuses_store(engine, name, store);
                assert_eq!(code == 2, refuses, "{engine}, {asked:?}: {told}");
                if refuses {
                    assert!(told.contains(engine), "{engine}, {asked:?}: {told}");
                    assert!(refuses_property(engine, name) || told.contains(store), "{engine}, {asked:?}: {told}");
                    continue;
                }
                let lossy = ["bitstate", "compact"].contains(&store);
                let document: Value = serde_json::from_slice(&output.stdout).expect("a document");
                let property = &document["properties"][0];
                let (expected, verdict) = match (holds, lossy || !can_show) {
                    (false, _) => (1, "fails"),
                    (true, false) => (0, "holds"),
                    (true, true) => (3, "undecided"),
                };
                assert_eq!(
                    (code, property["verdict"].as_str()),
                    (expected, Some(verdict)),
                    "{engine}, {asked:?}: {told}"
                );
                assert_eq!(property["exact"], !lossy && can_show, "{engine}, {asked:?}");
                if verdict == "undecided" {
                    assert_eq!(property["reason"], "lossy", "{engine}, {asked:?}");
                }
                if verdict == "undecided" && lossy {
                    let coverage = property["coverage"].as_f64().expect("a coverage");
                    assert!(coverage > 0.99 && coverage <= 1.0, "{engine}, {asked:?}: {coverage}");
                    assert!(property["omission_probability"].as_f64().is_some_and(|chance| chance < 0.01));
                }
                if store == "bitstate" {
                    assert_eq!(property["hashes"], 3);
                    assert!(property["load"].as_f64().is_some_and(|load| load > 0.0 && load < 0.01), "{property}");
                }
                if store == "cache" {
                    assert_eq!(property["evictions"], 0, "{engine}, {asked:?}");
                    assert_eq!(property["insertions"], property["states"], "{engine}, {asked:?}");
                }
            }
        }
    }
}

/// That the pool is full is no failure while it may grow, whoever searches and whatever remembers.
pub(crate) fn grows_the_pool(program: Program<'_>, engines: &[(&str, bool)]) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("ladder.pml");
    let text = "proctype P(byte n) { if :: n > 0 -> run P(n - 1) :: else fi }\ninit { run P(20) }\n";
    std::fs::write(&file, text).expect("written");
    let model = file.to_str().expect("a plain path");
    // Decision diagrams of twenty processes take minutes.
    for &(engine, can_show) in engines.iter().filter(|(name, _)| *name != "symbolic") {
        for store in ["tree", "flat", "hybrid", "cache", "compact"] {
            let asked = ["check", "--json", model, "--property", "safety", "--store", store, "--memory", "64M"];
            let output = program(&[&asked[..], &choosing(engine)].concat());
            let refuses = refuses_property(engine, "safety") || refuses_store(engine, "safety", store);
            let right = match () {
                () if refuses => 2,
                () if store == "compact" || !can_show => 3,
                () => 0,
            };
            let told = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(right), "{engine}, {store}: {told}");
        }
    }
}
