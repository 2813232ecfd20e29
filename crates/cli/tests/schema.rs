//! What is written is what the types of documents say: read as their types and written again, no field is lost and none is new.

use lariat_render::documents::{
    BoundednessDocument, CheckedTraceDocument, Entry, ErrorsDocument, PlanDocument, ReplayDocument, RunDocument,
    ShortenDocument, SimulationDocument, Steps, TraceDocument,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

const MODEL: &str = "\
chan q = [2] of { byte }; byte n; bool done;
proctype Q() { byte v; do :: q?v :: v > 0 -> skip od }
active proctype P() { byte i; select(i : 1..3); atomic { n = i; run Q() }; do :: q!n; n++; assert(n < 5) :: skip od }
ltl ends { <> done }
never claimed { do :: n < 200 od }
";

const SMV: &str = "\
MODULE main
IVAR go : boolean;
VAR n : 0..3;
ASSIGN init(n) := 0; next(n) := go & n < 3 ? n + 1 : n;
CTLSPEC EF n = 3
CTLSPEC AG n < 2
COMPUTE MIN [n = 1, n = 3]
COMPUTE MAX [n = 1, n = 3]
LTLSPEC F n = 3
INVARSPEC n < 3
";

fn output(folder: &Path, line: &str) -> String {
    let arguments = line.split_whitespace();
    let output = Command::new(env!("CARGO_BIN_EXE_lariat")).args(arguments).current_dir(folder).output();
    String::from_utf8(output.expect("it starts").stdout).expect("documents are texts")
}

#[track_caller]
fn is_kept<T: Serialize + DeserializeOwned>(text: &str) -> Value {
    let value: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let document: T = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(serde_json::to_value(&document).expect("it was written before"), value);
    value
}

type CheckDocument = RunDocument<Steps<Entry>>;

#[test]
fn documents_are_what_their_types_say() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    std::fs::write(folder.join("m.pml"), MODEL).expect("written");
    std::fs::write(folder.join("m.smv"), SMV).expect("written");
    std::fs::write(folder.join("bad.pml"), "active proctype P() { x = 1 }").expect("written");
    let saved = |name: &str| std::fs::read_to_string(folder.join(name)).expect("it was written");

    let all = is_kept::<CheckDocument>(&output(
        folder,
        "check m.pml --json --keep-going --profile --property safety --trace t.json",
    ));
    assert!(all["properties"][0]["profile"].is_object() && all["properties"][0]["failures"].is_array());
    is_kept::<CheckedTraceDocument<Steps<Entry>>>(&saved("t.json"));
    for line in [
        "check m.pml --json --property ends --fairness weak --trail",
        "check m.pml --json --property safety --store bitstate --allow-deadlock",
        "check m.pml --json --property claimed --store hybrid",
        "check m.pml --json --property safety --depth 3",
        "check m.smv --json",
        "check m.smv --json --engine symbolic --ctl AG(EF(n=3))",
    ] {
        is_kept::<CheckDocument>(&output(folder, line));
    }
    for line in [
        "check bad.pml --json",
        "check bad.pml --plan --json",
        "check m.pml --plan --json --engine scc --property safety",
        "simulate bad.pml --json",
        "replay bad.pml t.json --json",
        "replay m.pml none.json --json",
        "shorten m.pml none.json --json",
        "unbounded bad.pml --json",
        "check --json",
    ] {
        let document = is_kept::<ErrorsDocument>(&output(folder, line));
        assert!(document["errors"][0]["message"].is_string(), "{line}");
    }
    is_kept::<PlanDocument>(&output(folder, "check m.pml --plan --json --store hybrid --time 5s --property ends"));
    is_kept::<SimulationDocument<Steps<Entry>>>(&output(folder, "simulate m.pml --json --seed 1"));
    is_kept::<ReplayDocument<Steps<Entry>>>(&output(folder, "replay m.pml t.json --json"));
    is_kept::<ShortenDocument<Steps<Entry>>>(&output(folder, "shorten m.pml t.json --json"));
    std::fs::write(folder.join("t.json"), saved("t.json").replace("n++", "n--")).expect("written");
    is_kept::<ReplayDocument<Steps<Entry>>>(&output(folder, "replay m.pml t.json --json"));
    let grows = "chan q = [1] of { bit }; active proctype P() { do :: q!1 od }";
    std::fs::write(folder.join("m.pml"), grows).expect("written");
    is_kept::<BoundednessDocument<Steps<Entry>>>(&output(folder, "unbounded m.pml --json --trace g.json"));
    is_kept::<TraceDocument<Steps<Entry>>>(&saved("g.json"));
    let bounded = "chan q = [1] of { bit }; active proctype P() { q!1; q?1 }";
    std::fs::write(folder.join("m.pml"), bounded).expect("written");
    is_kept::<BoundednessDocument<Steps<Entry>>>(&output(folder, "unbounded m.pml --json"));
}
