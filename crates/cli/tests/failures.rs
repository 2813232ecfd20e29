//! What is told of failures and of what is never reached: the same in text and in JSON, and nothing that is not so.

use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Output};

fn lariat(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lariat")).args(arguments).current_dir(folder).output().expect("it starts")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The text and the document of `check` for a model of this text, with these options.
fn checked(text: &str, options: &[&str]) -> (String, Value) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("m.pml"), text).expect("it can be written");
    let told = |more: &[&str]| stdout(&lariat(folder.path(), &[&["check", "m.pml"], options, more].concat()));
    let document = serde_json::from_str(&told(&["--json"])).expect("a document");
    (told(&[]), document)
}

/// What `replay` says of this trail of the model, and its document.
fn replayed(text: &str, trail: &str) -> (String, Value) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("m.pml"), text).expect("it can be written");
    std::fs::write(folder.path().join("m.pml.trail"), trail).expect("it can be written");
    let run = |more: &[&str]| {
        let output = lariat(folder.path(), &[&["replay"], more, &["m.pml", "m.pml.trail"]].concat());
        assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), String::from_utf8_lossy(&output.stderr));
        stdout(&output)
    };
    (run(&["--quiet"]), serde_json::from_str(&run(&["--json"])).expect("a document"))
}

#[test]
fn a_channel_that_is_not_empty_is_named() {
    let one = "chan q = [2] of { byte };\nactive proctype P() { q!1; q!2 }\n";
    let (text, document) = checked(one, &["--empty-channels"]);
    let message = "invalid end state: `q` still holds 2 messages";
    assert!(text.contains(&format!("safety: fails, {message}\n")), "{text}");
    assert!(text.contains(&format!("  {message}, and nothing can happen\n    q = [1][2]\n")), "{text}");
    assert!(!text.contains("not every process"), "{text}");
    let property = &document["properties"][0];
    assert_eq!((&property["kind"], &property["message"]), (&json!("invalid_end"), &json!(message)));
    assert_eq!(property["channels"], json!({ "q": [[1], [2]] }));

    let both = "chan q = [1] of { byte }; chan r = [1] of { byte };\nactive proctype P() { q!1; r!1 }\n";
    let (text, _) = checked(both, &["--empty-channels"]);
    assert!(text.contains("invalid end state: `q` and `r` still hold messages"), "{text}");

    let waits = "chan q = [1] of { byte };\nactive proctype P() { q!1; q!1 }\n";
    let (text, document) = checked(waits, &["--empty-channels"]);
    let line = "  invalid end state (deadlock: P(0) may not end here): nothing can happen\n    q = [1]\n";
    assert!(text.contains(line), "{text}");
    let state = "  state at the end:\n    q = [1]  (1 of 1)\n    P(0) at m.pml:2: q!1 (q is full)\n";
    assert!(text.contains(state), "{text}");
    assert!(text.contains("safety: fails, invalid end state (deadlock: P(0) may not end here)\n"), "{text}");
    assert_eq!(document["properties"][0]["blamed"], json!(["P(0)"]));
    assert_eq!(document["properties"][0]["last"]["channels"], json!({ "q": [[1]] }));
    assert_eq!(document["properties"][0]["message"], "invalid end state");
    let (_, document) = checked(waits, &[]);
    assert_eq!(document["properties"][0].get("channels"), None, "nobody asked for empty channels");
}

#[test]
fn text_and_document_name_a_failure_alike() {
    let model = "byte x;\nactive proctype P() { x = 1; x = 2; assert(x == 1) }\nltl low { [] (x < 2) }\nltl high { <> (x > 2) }\n";
    let (text, document) = checked(model, &[]);
    let properties = document["properties"].as_array().expect("a list");
    let expected = ["assertion violated", "violated after 2 steps, whatever follows", "violated by an infinite run"];
    assert_eq!(properties.len(), expected.len());
    for (property, expected) in properties.iter().zip(expected) {
        assert_eq!(property["message"], expected);
        let detail = property["detail"].as_str().map_or(String::new(), |detail| format!(" ({detail})"));
        let line = format!("{}: fails, {expected}{detail}\n", property["name"].as_str().expect("a name"));
        assert!(text.contains(&line), "{text}");
        assert_eq!(property.get("failure_count"), None, "they are counted by `--keep-going`");
    }
    let (_, document) = checked(model, &["--keep-going"]);
    assert_eq!(document["properties"][0]["failure_count"], 1);
}

#[test]
fn what_is_never_reached_is_told_with_its_place() {
    let model = "byte x;\nactive proctype P() {\n\tx == 1;\n\tx = 2\n}\n";
    let (text, document) = checked(model, &["--allow-deadlock"]);
    assert!(
        text.contains("  never reached:\n    P  m.pml:3  x == 1  (always blocked)\n    P  m.pml:4  x = 2\n"),
        "{text}"
    );
    let place = |line: u32, text: &str, blocked: bool| json!({ "process": "P", "file": "m.pml", "line": line, "text": text, "blocked": blocked });
    let expected = json!([place(3, "x == 1", true), place(4, "x = 2", false), place(5, "-end-", false)]);
    assert_eq!(document["properties"][0]["unreached"], expected);
}

/// SPIN's verifier wrote the trails.
#[test]
fn a_trail_that_ends_where_its_claim_does_shows_the_failure_of_the_claim() {
    let formulas = "byte x;\nactive proctype P() { x = 1; x = 2; x = 3 }\nactive proctype Q() { x > 1; x = 7 }\n\
                    ltl p { [] (x != 3) }\nltl q { <> (x == 5) }\n";
    let trail = "-2:2:-2\n-4:-4:-4\n1:0:10\n2:1:0\n3:0:10\n4:1:1\n5:0:10\n6:2:4\n7:0:10\n8:2:5\n9:0:10\n10:2:6\n11:0:10\n\
                 12:1:2\n13:0:7\n";
    let (text, document) = replayed(formulas, trail);
    assert_eq!(text, "p: replayed, violated after 6 steps, whatever follows\n");
    assert_eq!(
        (&document["property"], &document["kind"], &document["decided_after"]),
        (&json!("p"), &json!("cycle"), &json!(6))
    );

    let cycle = "-2:3:-2\n-4:-4:-4\n1:0:17\n2:1:0\n3:0:17\n4:1:1\n5:0:17\n6:2:4\n7:0:17\n8:2:5\n9:0:17\n10:2:6\n11:0:17\n\
                 12:1:2\n13:0:17\n14:1:3\n-1:-1:-1\n15:0:17\n16:0:17\n";
    let (text, document) = replayed(formulas, cycle);
    assert!(text.starts_with("q: replayed, violated by an infinite run after "), "{text}");
    assert_eq!((&document["property"], &document["kind"]), (&json!("q"), &json!("cycle")));

    // A run that breaks off earlier breaks nothing.
    let (text, document) = replayed(formulas, "-2:2:-2\n1:0:10\n2:1:0\n3:0:10\n");
    assert_eq!(text, "p: replayed, not ended, with no violation of `p` seen after 1 step\n");
    assert_eq!(document["kind"], "open");

    let never = "byte x;\nnever { do :: x == 2 -> break :: else od }\nactive proctype P() { x = 1; x = 2; x = 3 }\n";
    let (text, _) = replayed(never, "-2:0:-2\n-4:-4:-4\n1:0:2\n2:1:7\n3:0:2\n4:1:8\n5:0:0\n");
    assert_eq!(text, "never: replayed, violated after 2 steps, whatever follows\n");

    let progress = "byte x;\nactive proctype P() { do :: x = 1 - x od }\nactive proctype Q() { progress: do :: x = 2; break od }\n";
    let trail = "-2:2:-2\n-4:-4:-4\n1:0:9998\n2:2:5\n3:0:9997\n4:2:10\n-1:-1:-1\n5:0:9999\n6:1:0\n7:0:9999\n8:1:0\n";
    let (text, _) = replayed(progress, trail);
    assert!(text.starts_with("np_: replayed, violated by an infinite run"), "{text}");
}
