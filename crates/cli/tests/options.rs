//! Every option of `check` with every kind of property: it is honoured, or refused by a message that names it.

use std::process::Command;
use tempfile::TempDir;

const MODEL: &str = "MODULE main
VAR x : 0..3;
ASSIGN init(x) := 0; next(x) := case x < 3 : x + 1; TRUE : 0; esac;
INVARSPEC x <= 3
LTLSPEC G F x = 3
CTLSPEC AG EF x = 0
COMPUTE MIN [x = 0, x = 3]
";

/// One property of each kind.
const KINDS: [&str; 5] = ["safety", "invar_1", "ltl_1", "ctl_1", "compute_1"];

/// What an option makes of them, in this order: honoured (`+`) or refused (`-`).
const EXPECTED: &[(&str, &str)] = &[
    ("--acceptance copies", "-++--"),
    ("--allow-deadlock", "+----"),
    ("--audit", "+++--"),
    ("--checkpoint-every 3s", "-----"),
    ("--checkpoint-every 3s --engine external", "+++--"),
    ("--code bytecode", "+++++"),
    ("--compassion-by native", "--+++"),
    ("--coverage FILE.info", "+----"),
    ("--depth 3", "++---"),
    ("--disk .", "+++--"),
    ("--disk . --store tree --engine bfs", "-----"),
    ("--empty-channels", "-----"),
    ("--engine symbolic", "+++++"),
    ("--fair-prune all", "--+++"),
    ("--fair-restrict full", "--+++"),
    ("--fair-search forward", "--+++"),
    ("--fairness weak", "-----"),
    ("--gpu-memory 1G", "-----"),
    ("--hashes 3", "-----"),
    ("--hashes 3 --store bitstate", "+++--"),
    ("--heuristic none", "+++--"),
    ("--heuristic none --engine bfs", "-----"),
    ("--include-root .", "-----"),
    ("--keep-going", "+++--"),
    ("--lose-messages", "-----"),
    ("--order FILE.order", "+++++"),
    ("--order FILE.order --engine graph", "-----"),
    ("--overflow error", "-----"),
    ("--por on", "+++--"),
    ("--profile", "+----"),
    ("--replace random", "-----"),
    ("--replace random --store cache", "+++--"),
    ("--runs 2", "-----"),
    ("--runs 2 --store compact", "+++--"),
    ("--seed 3", "-----"),
    ("--seed 3 --store compact", "+++--"),
    ("--shortest", "+++++"),
    ("--simplify on", "+-+--"),
    ("--simplify dead --engine symbolic", "-----"),
    ("--simplify unread --engine bfs --keep-going", "-----"),
    ("--split demon", "-----"),
    ("--split demon --store hybrid", "-++--"),
    ("--store flat", "+++--"),
    ("--temporal-by tester", "-++--"),
    ("--threads 2", "+++++"),
    ("--threads 2 --engine dfs", "-----"),
    ("--trail", "-----"),
    ("--when-full cache", "+++--"),
    ("--workers 2", "-----"),
    ("--workers 2 --engine cluster", "+++--"),
    ("--write-order FILE.order", "-+-++"),
    ("--write-order FILE.order --engine symbolic", "+++++"),
];

/// Options that are no matter of the property: what is asked for, limits, and how the answer is shown. Fairness that makes no
/// difference is a warning.
const ANY_PROPERTY: [&str; 23] = [
    "--automaton",
    "--color",
    "--compassion",
    "--ctl",
    "--deny",
    "--fair-action",
    "--fair-automaton",
    "--fair-ltl",
    "--help",
    "--json",
    "--json-lines",
    "--justice",
    "--ltl",
    "--memory",
    "--plan",
    "--property",
    "--quiet",
    "--report",
    "--strong-action",
    "--time",
    "--time-per-property",
    "--trace",
    "--trace-lines",
];

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("there is a place for a model");
        std::fs::write(folder.path().join("m.smv"), MODEL).expect("it can be written");
        std::fs::write(folder.path().join("FILE.order"), "x\n").expect("it can be written");
        Self(folder)
    }
    /// How `check` ends with these arguments, and what it says on standard error.
    fn check(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
        let ended = command.arg("check").args(arguments).current_dir(self.0.path()).output().expect("it runs");
        (ended.status.code(), String::from_utf8_lossy(&ended.stderr).into_owned())
    }
}

#[test]
fn every_option_is_honoured_or_refused_for_every_kind_of_property() {
    let folder = Folder::new();
    let mut wrong = Vec::new();
    for (options, expected) in EXPECTED {
        let words: Vec<&str> = options.split(' ').collect();
        let mut found = String::new();
        for kind in KINDS {
            let arguments: Vec<&str> = ["m.smv", "--property", kind].into_iter().chain(words.iter().copied()).collect();
            let (code, said) = folder.check(&arguments);
            match code {
                Some(0 | 1 | 3) => found.push('+'),
                // It names the option, or what the engine that was asked for does not support.
                Some(2) if said.contains(words[0]) || words.len() > 2 && said.contains("does not support") => {
                    found.push('-')
                }
                _ => wrong.push(format!("{options} for {kind} ends with {code:?}: {said}")),
            }
        }
        if found != *expected {
            wrong.push(format!("{options}: {found}, not {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A new option must be thought about here.
#[test]
fn every_option_is_in_the_table() {
    let help = Command::new(env!("CARGO_BIN_EXE_lariat")).args(["check", "--help"]).output().expect("it runs");
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    let of_line = |line: &str| {
        let line = line.trim_start();
        let long = line.strip_prefix("--").or_else(|| line.strip_prefix('-')?.get(1..)?.strip_prefix(", --"))?;
        let end = long.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(long.len());
        Some(format!("--{}", &long[..end]))
    };
    let options: Vec<String> = help.lines().filter_map(of_line).collect();
    assert!(options.len() > 40, "{options:?}");
    let known = |option: &String| {
        let is_first = |(words, _): &(&str, &str)| words.split(' ').next() == Some(option);
        EXPECTED.iter().any(is_first) || ANY_PROPERTY.contains(&option.as_str())
    };
    let unknown: Vec<&String> = options.iter().filter(|option| !known(option)).collect();
    assert!(unknown.is_empty(), "in no table of this test: {unknown:?}");
}

/// Options about the output that exclude each other.
#[test]
fn options_without_effect_on_the_output_are_refused() {
    let folder = Folder::new();
    for (options, named) in [
        ("--json --trace-lines 3", "--trace-lines"),
        ("--plan --trace-lines 3", "--trace-lines"),
        ("--plan --deny vacuous", "--deny"),
        ("--plan --write-order o", "--write-order"),
        ("--plan --trace t", "--trace"),
        ("--property safety --property ltl_1 --code native --engine symbolic", "--code"),
    ] {
        let arguments: Vec<&str> = ["m.smv"].into_iter().chain(options.split(' ')).collect();
        let (code, said) = folder.check(&arguments);
        assert!(code == Some(2) && said.contains(named), "{options}: {code:?}, {said}");
    }
    // What matters to one of the properties is no mistake.
    let (code, said) =
        folder.check(&["m.smv", "--property", "safety", "--property", "ltl_1", "--acceptance", "copies"]);
    assert_eq!(code, Some(0), "{said}");
}

/// The plan has a line for a property that gets no search, and all limits.
#[test]
fn the_plan_is_complete() {
    let folder = tempfile::tempdir().expect("there is a place for a model");
    // No automaton of this size is made, and formulas of branching time do not go with `--fair-ltl`.
    std::fs::write(folder.path().join("m.smv"), MODEL).expect("it can be written");
    let plan = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lariat"));
        command.args([
            "check",
            "m.smv",
            "--plan",
            "--time",
            "9s",
            "--time-per-property",
            "3s",
            "--fair-ltl",
            "G F x = 3",
        ]);
        let ended = command.args(more).current_dir(folder.path()).output().expect("it runs");
        assert_eq!(ended.status.code(), Some(0), "{}", String::from_utf8_lossy(&ended.stderr));
        String::from_utf8_lossy(&ended.stdout).into_owned()
    };
    let text = plan(&[]);
    assert!(text.contains("ctl_1: no search, undecided: formulas of branching time"), "{text}");
    assert!(text.contains("9s for all properties together, 3s for each property"), "{text}");
    let document: serde_json::Value = serde_json::from_str(&plan(&["--json"])).expect("a document");
    assert_eq!(document["limits"]["seconds_per_property"], 3.0, "{document}");
    let plans = document["plans"].as_array().expect("plans");
    let of = |name: &str| plans.iter().find(|plan| plan["property"] == name).expect("each property has one");
    assert_eq!(of("ctl_1")["no_search"], "branching", "{document}");
    assert_eq!(of("ctl_1")["searches"].as_array().map(Vec::len), Some(0), "{document}");
    assert!(of("ltl_1")["no_search"].is_null() && of("ltl_1")["searches"][0].is_object(), "{document}");
}
