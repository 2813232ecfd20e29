//! `lariat unbounded` as people and scripts see it.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

fn lariat(arguments: &[&str]) -> Output {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models/unbounded");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
    command.arg("unbounded").args(arguments).current_dir(models).output().expect("the program starts")
}

/// The exit code and what is on standard output.
fn run(arguments: &[&str]) -> (i32, String) {
    let output = lariat(arguments);
    (output.status.code().expect("not killed"), String::from_utf8(output.stdout).expect("text"))
}

/// The exit code and the one property of the document.
fn property(arguments: &[&str]) -> (i32, Value) {
    let (code, text) = run(&[arguments, &["--json"]].concat());
    let mut document: Value = serde_json::from_str(&text).expect("a document");
    assert_eq!((&document["schema"], &document["model"]), (&1.into(), &arguments[0].into()));
    let properties = document["properties"].as_array_mut().expect("a list");
    assert_eq!((properties.len(), &properties[0]["name"]), (1, &"bounded".into()));
    (code, properties.remove(0))
}

/// The channels of a property by name, with this number of each.
fn channels(property: &Value, number: impl Fn(&Value) -> Value) -> Vec<(String, Value)> {
    let list = property["channels"].as_array().expect("a list");
    list.iter().map(|channel| (channel["name"].as_str().expect("a name").to_owned(), number(channel))).collect()
}

fn assert_parts(text: &str, parts: &[&str]) {
    let mut rest = text;
    for part in parts {
        let Some(at) = rest.find(part) else { panic!("{part:?} in its place in\n{text}") };
        rest = &rest[at + part.len()..];
    }
}

#[test]
fn growth_is_shown_by_a_loop_that_was_taken_twice() {
    let (code, text) = run(&["producer.pml"]);
    assert_eq!(code, 1);
    assert_parts(
        &text,
        &[
            "bounded: fails, channel q grows without limit\n",
            "bounded: after 0 steps, each round of 1 step leaves 1 message more in q:\n",
            "  round 1, q holds 0\n",
            "Producer(0)  producer.pml:3  q!1  q: [] → [1]\n",
            "  round 2, q holds 1\n",
            "q: [1] → [1][1]\n",
            "  and so on: after 2 rounds q holds 2\n",
        ],
    );
}

#[test]
fn documents_tell_lengths_and_the_loop() {
    for (model, names, stem, round) in [
        ("producer.pml", &["q"][..], 0, 1),
        ("lossy.pml", &["q"], 0, 1),
        ("long.pml", &["q"], 0, 403),
        ("aside.pml", &["log"], 0, 5),
    ] {
        let (code, found) = property(&[model]);
        assert_eq!((code, &found["verdict"], &found["kind"]), (1, &"fails".into(), &"growth".into()), "{model}");
        assert_eq!(found["replayed"], true);
        let lengths = channels(&found, |channel| channel["lengths"].clone());
        assert_eq!(lengths.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), names, "{model}");
        for (_, lengths) in lengths {
            let lengths: Vec<u64> = lengths.as_array().unwrap().iter().map(|length| length.as_u64().unwrap()).collect();
            assert!(lengths.len() == 3 && lengths[0] < lengths[1] && lengths[1] < lengths[2], "{model}: {lengths:?}");
        }
        let trace = &found["trace"];
        assert_eq!((&trace["stem"], &trace["loop"], &trace["rounds"]), (&stem.into(), &round.into(), &2.into()));
        assert_eq!(trace["steps"].as_array().map(Vec::len), Some(stem + 2 * round), "{model}");
    }
}

#[test]
fn growth_may_go_through_two_channels() {
    let (code, found) = property(&["two.pml"]);
    assert_eq!((code, &found["verdict"]), (1, &"fails".into()));
    // The loop takes from both channels what it adds, and one message more is left in one of them.
    let steps = found["trace"]["steps"].as_array().unwrap();
    for text in ["there?7", "back!7", "back?7", "there!7"] {
        assert!(steps.iter().any(|step| step["text"] == text), "{text}");
    }
}

#[test]
fn what_is_bounded_is_so_by_the_whole_graph() {
    for (model, lengths) in [
        ("window.pml", &[("data", 2), ("ack", 2)][..]),
        ("guard.pml", &[("q", 3)]),
        ("meet.pml", &[]),
        ("timeout.pml", &[("q", 1)]),
    ] {
        let (code, found) = property(&[model]);
        assert_eq!((code, &found["verdict"], &found["complete"]), (0, &"holds".into(), &true.into()), "{model}");
        let found: Vec<(String, u64)> = channels(&found, |channel| channel["most"].clone())
            .into_iter()
            .map(|(name, most)| (name, most.as_u64().unwrap()))
            .collect();
        let lengths: Vec<(String, u64)> = lengths.iter().map(|&(name, most)| (name.to_owned(), most)).collect();
        assert_eq!(found, lengths, "{model}");
    }
    let (_, text) = run(&["window.pml"]);
    assert_parts(&text, &["bounded: holds, the most messages at any time: data 2, ack 2\n"]);
    // A run that stops by itself is bounded, however it begins.
    let (code, found) = property(&["stops.pml"]);
    assert_eq!((code, &found["channels"][0]["most"]), (0, &3.into()));
}

#[test]
fn who_only_looked_so_far_says_so() {
    let (code, found) = property(&["order.pml", "--channel-bound", "16"]);
    assert_eq!((code, &found["verdict"], &found["reason"]), (3, &"undecided".into(), &"channel_bound".into()));
    assert_eq!(found["channel_bound"], 16);
    let doubt = found["doubt"].as_str().expect("a reason");
    assert!(doubt.contains("`q??wanted` (order.pml:4)"), "{doubt}");
    assert!(run(&["order.pml", "--channel-bound", "16"]).1.contains("may not repeat"));
    // Before the clock has gone round nothing is seen, with as many steps as one likes below that.
    let (code, found) = property(&["long.pml", "--depth", "300"]);
    assert_eq!((code, &found["reason"], &found["limit_depth"]), (3, &"depth".into(), &300.into()));
    let (code, found) = property(&["long.pml", "--memory", "20K"]);
    assert_eq!((code, &found["reason"]), (3, &"memory".into()));
    let (code, found) = property(&["producer.pml", "--time", "0s"]);
    assert_eq!((code, &found["reason"]), (3, &"time".into()));
}

#[test]
fn the_trace_is_saved() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("growth.json");
    assert_eq!(run(&["producer.pml", "--trace", file.to_str().unwrap()]).0, 1);
    let document: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!((&document["property"], &document["kind"]), (&"bounded".into(), &"growth".into()));
    assert_eq!(document["channels"][0]["lengths"], serde_json::json!([0, 1, 2]));
    let other = folder.path().join("other.json");
    let output = lariat(&["guard.pml", "--trace", other.to_str().unwrap()]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("nothing grows") && !other.exists());
}

#[test]
fn mistakes_are_usage_errors() {
    for (arguments, part) in [
        (&["missing.pml"][..], "cannot read"),
        (&["../mutex.sys"], "Promela"),
        (&["producer.pml", "--channel-bound", "1"], "2..=255"),
        (&["producer.pml", "--lose-messages"], "--lose-messages"),
    ] {
        let output = lariat(arguments);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && told.contains(part), "{arguments:?}: {told}");
    }
}

#[test]
fn names_can_be_defined() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("m.pml");
    std::fs::write(&file, "chan q = [2] of { bit }; active proctype P() { byte n; do :: n < N -> q!1; n++ od }")
        .unwrap();
    let (code, text) = run(&[file.to_str().unwrap(), "-DN=5"]);
    assert!(code == 0 && text.contains("q 5"), "{text}");
}
