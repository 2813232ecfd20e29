//! What is left out by default, what is said of it, and audits.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// Three processes that do much by themselves: 43 places each, so more states than are searched as they are.
fn model(last: &str) -> String {
    let own: String = (0..40).map(|number| format!("x = {number}; ")).collect();
    format!(
        "byte done;\nactive [3] proctype P() {{ byte x; {own} done++; {last} }}\nltl ends {{ <> (done == 3) }}\n\
         ltl counts {{ X (done == 0) }}\n"
    )
}

fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("large.pml"), model("x = 0")).expect("written");
    std::fs::write(folder.path().join("fails.pml"), model("assert(done < 3)")).expect("written");
    let small =
        "byte x; active [2] proctype P() { byte y; y = 1; x = y; y = 2 }\nactive proctype Q() { x == 9; x = 1 }";
    std::fs::write(folder.path().join("small.pml"), small).expect("written");
    folder
}

fn lariat(folder: &Path, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
    command.args(line.split_whitespace()).current_dir(folder).stdin(Stdio::null()).output().expect("the program starts")
}

/// What it prints, if it ends with this code.
#[track_caller]
fn said(folder: &Path, code: i32, line: &str) -> String {
    let output = lariat(folder, line);
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{line}: {out}{err}");
    format!("{out}{err}")
}

#[track_caller]
fn json(folder: &Path, code: i32, line: &str) -> serde_json::Value {
    let output = lariat(folder, line);
    assert_eq!(output.status.code(), Some(code), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("a document")
}

#[test]
fn steps_are_left_out_of_large_graphs_and_the_answer_says_so() {
    let folder = folder();
    let folder = folder.path();
    for line in ["check large.pml --property safety", "check large.pml --property safety --threads 1"] {
        let (auto, off) =
            (json(folder, 0, &format!("{line} --json")), json(folder, 0, &format!("{line} --json --por off")));
        let (auto, off) = (&auto["properties"][0], &off["properties"][0]);
        assert_eq!((&auto["reduced"], &off["reduced"]), (&true.into(), &serde_json::Value::Null), "{auto}");
        assert!(auto["states"].as_u64() < Some(1000) && off["states"].as_u64() > Some(60_000), "{auto} {off}");
        assert_eq!(auto["unreached"], off["unreached"]);
        let on = json(folder, 0, &format!("{line} --json --por on --simplify on"));
        assert_eq!(
            (&auto["states"], &auto["digest"]),
            (&on["properties"][0]["states"], &on["properties"][0]["digest"])
        );
    }
    assert!(said(folder, 0, "check large.pml --property ends").contains("reduced)"));
    assert!(said(folder, 1, "check fails.pml --property safety").contains("assertion violated"));
    // A small graph is searched as it is.
    let small = said(folder, 1, "check small.pml");
    assert!(!small.contains("reduced"), "{small}");
    assert!(said(folder, 1, "check small.pml --por on").contains("reduced)"));
}

#[test]
fn what_asks_for_the_whole_graph_gets_it_and_the_plan_says_why() {
    let folder = folder();
    let folder = folder.path();
    let plan = said(folder, 0, "check large.pml --property safety --plan");
    assert!(plan.contains("given up beyond 20000 states") && plan.contains("partial-order"), "{plan}");
    for (options, why) in [
        ("--property safety --keep-going", "failures could not be counted"),
        ("--property safety --shortest --simplify off", "a shortest run may be among those"),
        ("--property safety --depth 9", "longer than the bound"),
        ("--property counts --simplify off", "may count them"),
        ("--property ends --fairness weak --simplify off", "fairness asks of every step"),
        ("--property safety --engine external", "only with `--por on`"),
    ] {
        let plan = said(folder, 0, &format!("check large.pml {options} --plan"));
        assert!(plan.contains("reduction  none: ") && plan.contains(why), "{options}: {plan}");
        assert!(!plan.contains("given up"), "{options}: {plan}");
    }
    // What is forgotten makes no difference to these. The second is answered before the graph is large.
    for (options, is_reduced) in [
        ("--property safety --shortest", true),
        ("--property counts", false),
        ("--property ends --fairness weak", true),
    ] {
        let plan = said(folder, 0, &format!("check large.pml {options} --plan"));
        assert!(plan.contains("given up beyond 20000 states") && plan.contains("not kept: `P.x`"), "{options}: {plan}");
        let answer = said(folder, 0, &format!("check large.pml {options}"));
        assert_eq!(answer.contains("reduced)"), is_reduced, "{options}: {answer}");
    }
    let plan = said(folder, 0, "check large.pml --property safety --por off --plan");
    assert!(!plan.contains("reduction"), "{plan}");
    assert!(!said(folder, 0, "check large.pml --property safety --keep-going").contains("reduced"));
    // A sweep is about how the graph grows.
    std::fs::write(folder.join("sweep.pml"), model("x = N")).expect("written");
    let table = said(folder, 0, "check sweep.pml -D N=1..2 --property safety");
    let states = |line: &str| line.split_whitespace().nth(3).map(|states| states.replace(',', "").parse::<u64>());
    let rows: Vec<u64> = table.lines().skip(1).filter_map(states).filter_map(Result::ok).collect();
    assert!(rows.len() == 2 && rows.iter().all(|states| *states > 60_000), "{table}");
}

#[test]
fn an_audit_compares_the_two_graphs() {
    let folder = folder();
    let folder = folder.path();
    let text = said(folder, 0, "check large.pml --audit --property safety --property ends");
    let audits: Vec<&str> = text.lines().filter(|line| line.trim_start().starts_with("audit: ")).collect();
    assert_eq!(audits.len(), 2, "{text}");
    assert!(audits.iter().all(|line| line.contains("the same verdict") && line.contains("1 dead end,")), "{text}");
    let document = json(folder, 1, "check fails.pml --audit --property safety --json");
    let (property, audit) = (&document["properties"][0], &document["properties"][0]["audit"]);
    assert_eq!(
        (&property["verdict"], &audit["verdicts"], &audit["graphs"]),
        (&"fails".into(), &true.into(), &true.into())
    );
    assert!(audit["left"].as_u64() < Some(1000) && audit["states"].as_u64() > Some(60_000), "{audit}");
    assert_eq!(audit["faults"], 1, "{audit}");
    for (line, why) in [
        ("check large.pml --audit --por off", "--por off"),
        ("check large.pml --audit --plan", "--plan"),
        ("check large.pml --audit --property counts", "may count them"),
        ("check large.pml --audit --property safety --keep-going", "failures could not be counted"),
    ] {
        assert!(said(folder, 2, line).contains(why), "{line}");
    }
}
