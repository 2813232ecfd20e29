//! `lariat graph`: what is drawn is what the model does.

use std::path::Path;
use std::process::{Command, Output};

const MODEL: &str = "\
byte n; chan c = [0] of { byte };
active proctype P() { do :: n < 2 -> n++ :: n == 2 -> c!n; break od }
active proctype Q() { byte v; c?v; assert(v != 2) }
";

fn lariat(folder: &Path, line: &str) -> Output {
    let arguments = line.split_whitespace();
    Command::new(env!("CARGO_BIN_EXE_lariat")).args(arguments).current_dir(folder).output().expect("it starts")
}

fn text(folder: &Path, line: &str) -> String {
    let output = lariat(folder, line);
    assert_eq!(output.status.code(), Some(0), "{line}: {output:?}");
    String::from_utf8(output.stdout).expect("a text")
}

fn refused(folder: &Path, line: &str, why: &str) {
    let output = lariat(folder, line);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && told.contains(why), "{line}: {output:?}");
}

#[test]
fn the_graph_has_the_states_and_steps_of_a_whole_search() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    std::fs::write(folder.join("m.pml"), MODEL).expect("written");
    let found = lariat(folder, "check m.pml --property safety --keep-going --json").stdout;
    let found: serde_json::Value = serde_json::from_slice(&found).unwrap_or_else(|error| panic!("{error}"));
    let states = found["properties"][0]["states"].as_u64().expect("a number") as usize;
    let transitions = found["properties"][0]["transitions"].as_u64().expect("a number") as usize;
    let graphml = text(folder, "graph m.pml --format graphml");
    let errors = graphml.matches("assertion violated").count();
    assert_eq!(errors, 1, "{graphml}");
    assert_eq!(graphml.matches("<node ").count(), states + errors);
    assert_eq!(graphml.matches("<edge ").count(), transitions + errors);
    assert!(graphml.contains("P(0): c!n → Q(1): c?v"), "{graphml}");
    let dot = text(folder, "graph m.pml");
    assert_eq!(dot.matches("[label=").count(), states + transitions + 2 * errors, "{dot}");
    assert_eq!(dot, text(folder, "graph m.pml --format dot"), "the same each time");
}

#[test]
fn control_graphs_show_each_process() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    std::fs::write(folder.join("m.pml"), MODEL).expect("written");
    std::fs::write(folder.join("m.smv"), "MODULE main\nVAR b : boolean;\n").expect("written");
    let both = text(folder, "graph m.pml --control");
    assert!(both.contains("label=\"P\\n2\"") && both.contains("label=\"Q\\n3\""), "{both}");
    let one = text(folder, "graph m.pml --control --process Q");
    assert!(!one.contains("P\\n") && one.contains("c?v") && one.contains("assert"), "{one}");
    refused(folder, "graph m.pml --control --process R", "no type of process `R`; it has: P, Q");
    refused(folder, "graph m.smv --control", "no processes");
    refused(folder, "graph m.pml --process Q", "--control");
    refused(folder, "graph m.pml --distance 2", "--from");
    std::fs::write(folder.join("big.pml"), "int x; active proctype P() { do :: x++ od }").expect("written");
    let stopped = lariat(folder, "graph big.pml --states 100000000 --time 300ms");
    let told = String::from_utf8_lossy(&stopped.stderr).into_owned();
    assert!(stopped.status.code() == Some(3) && told.contains("the graph is not finished: the time limit"), "{told}");
    let smv = text(folder, "graph m.smv");
    assert!(smv.contains("b = TRUE") && smv.contains("b = FALSE"), "{smv}");
}

#[test]
fn around_a_trace_there_is_what_else_could_happen() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let large = "byte n, m; active proctype P() { do :: n < 200 -> n++ :: n < 200 -> m++ od }
        active proctype Q() { m == 2; n == 1; assert(false) }";
    std::fs::write(folder.join("m.pml"), large).expect("written");
    refused(folder, "graph m.pml --states 50", "more than 50 states");
    lariat(folder, "check m.pml --property safety --trace t.json");
    let near = text(folder, "graph m.pml --from t.json --format graphml");
    let on_trace = near.matches("<data key=\"on-trace\">true").count();
    let steps: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(folder.join("t.json")).expect("saved")).expect("JSON");
    // The run could go on past the assertion that fails in its last step.
    assert_eq!(on_trace as u64, steps["trace"]["transitions"].as_u64().expect("a number"), "{near}");
    assert!(near.contains(">open<"), "there is more behind: {near}");
    let further = text(folder, "graph m.pml --from t.json --distance 2 --format graphml");
    assert!(further.matches("<node ").count() > near.matches("<node ").count());
    refused(folder, "graph m.pml --from t.json --states 3", "or a smaller `--distance`");
    std::fs::write(folder.join("no.json"), "{}").expect("written");
    refused(folder, "graph m.pml --from no.json", "no.json");
}

#[test]
fn pictures_are_laid_out_without_overlaps_and_refused_where_they_are_too_large() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    std::fs::write(folder.join("m.pml"), MODEL).expect("written");
    assert_eq!(lariat(folder, "graph m.pml -o m.svg").status.code(), Some(0));
    let svg = std::fs::read_to_string(folder.join("m.svg")).expect("written");
    assert!(svg.starts_with("<svg xmlns=") && svg.contains("</svg>"), "{svg}");
    let number = |text: &str, name: &str| -> f64 {
        let (_, after) = text.split_once(&format!("{name}=\"")).expect("it has this attribute");
        after.split('"').next().expect("a value").parse().expect("a number")
    };
    let boxes: Vec<[f64; 4]> = svg
        .lines()
        .filter(|line| line.starts_with("<rect"))
        .map(|line| ["x", "y", " width", " height"].map(|name| number(line, name)))
        .collect();
    assert!(boxes.len() > 5);
    for (place, one) in boxes.iter().enumerate() {
        for other in &boxes[place + 1..] {
            let apart =
                |axis: usize| one[axis] + one[axis + 2] <= other[axis] || other[axis] + other[axis + 2] <= one[axis];
            assert!(apart(0) || apart(1), "{one:?} and {other:?} overlap");
        }
    }
    let wide = "byte a, b; active proctype P() { do :: d_step { a < 50; a++ } od }
        active proctype Q() { do :: d_step { b < 50; b++ } od }";
    std::fs::write(folder.join("w.pml"), wide).expect("written");
    refused(folder, "graph w.pml --states 5000 --format svg", "at most 2000");
}
