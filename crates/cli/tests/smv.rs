//! SMV models on the command line: verdicts, traces, what is left open, and that everything that works for Promela does.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

const MODEL: &str = "\
MODULE main
IVAR go : boolean;
VAR a : process counter(go); colour : {red, green};
ASSIGN init(colour) := red; next(colour) := a.n = 2 ? green : red;
INVARSPEC NAME small := a.n < 2
LTLSPEC colour = green -> G colour = green
CTLSPEC AG EF a.n = 2
MODULE counter(on)
VAR n : 0..3;
ASSIGN init(n) := 0; next(n) := on & n < 3 ? n + 1 : n;
";

fn lariat(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lariat")).args(arguments).current_dir(folder).output().expect("it starts")
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn folder_with(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("m.smv"), text).expect("written");
    folder
}

#[test]
fn traces_show_who_runs_inputs_and_what_changes() {
    let folder = folder_with(MODEL);
    let output = lariat(folder.path(), &["check", "m.smv", "--property", "small"]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{text}{}", stderr(&output));
    assert!(text.starts_with("small: fails"), "{text}");
    for words in ["a.n: 0 → 1", "a.n: 1 → 2", "a runs", "go = TRUE", "colour = red"] {
        assert!(text.contains(words), "{words:?} is missing from\n{text}");
    }
    assert!(!text.contains("next("), "{text}");
}

#[test]
fn words_are_shown_with_their_width_and_replay() {
    let text = "MODULE main\nIVAR i : unsigned word[4];\nVAR w : word[4]; s : signed word[3];\n\
                ASSIGN init(w) := 0ud4_1; next(w) := w + i; init(s) := -0sd3_1; next(s) := s - 0sd3_1;\n\
                INVARSPEC w != 0ud4_7 | s != -0sd3_3\n";
    let folder = folder_with(text);
    for engine in ["bfs", "symbolic"] {
        let output = lariat(folder.path(), &["check", "m.smv", "--engine", engine, "--trace", "t.json"]);
        let text = stdout(&output);
        assert_eq!(output.status.code(), Some(1), "{text}{}", stderr(&output));
        for words in ["initially w = 0ud4_1, s = -0sd3_1", "[i = 0ud4_", "s: -0sd3_2 → -0sd3_3", "w = 0ud4_7"] {
            assert!(text.contains(words), "{words:?} is missing from\n{text}");
        }
        let document = std::fs::read_to_string(folder.path().join("t.json")).expect("it was written");
        let document: Value = serde_json::from_str(&document).expect("it is JSON");
        assert_eq!(document["trace"]["initial"]["s"], -1, "{document}");
        let output = lariat(folder.path(), &["replay", "m.smv", "t.json"]);
        assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
        assert!(stdout(&output).contains("w: 0ud4_"), "{}", stdout(&output));
        std::fs::remove_file(folder.path().join("t.json")).expect("it is there");
    }
}

#[test]
fn what_no_engine_can_do_is_said() {
    let folder = folder_with(MODEL);
    let output = lariat(folder.path(), &["check", "m.smv"]);
    let text = stdout(&output);
    // One fails, and that counts more than what is left open.
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("ltl_1: holds"), "{text}");
    assert!(text.contains("ctl_1: fails, it does not hold in an initial state"), "{text}");
    // What does not go with formulas of branching time leaves them open, and is an error if one is asked for by name.
    let output = lariat(folder.path(), &["check", "m.smv", "--fair-ltl", "G TRUE"]);
    assert!(stdout(&output).contains("ctl_1: undecided, formulas of branching time go neither"), "{}", stdout(&output));
    let output = lariat(folder.path(), &["check", "m.smv", "--fair-ltl", "G TRUE", "--property", "ctl_1"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("for CTL* there are"), "{}", stderr(&output));
}

#[test]
fn formulas_of_ctl_star_are_settled() {
    let model = "MODULE main\nVAR x : 0..2;\nASSIGN init(x) := 0; next(x) := case x = 0 : {0, 1}; x = 1 : {0, 2}; TRUE : 2; \
                 esac;\nCTLSTARSPEC NAME stays := A (F G x = 0)\nCTLSTARSPEC NAME can := E (G F x = 1 & G F x = 0)\n\
                 CTLSTARSPEC NAME past := A G (x = 2 -> E (O x = 1 & G x = 2))\n\
                 CTLSTARSPEC NAME nested := E F (x = 2 & E (H x != 2 | Y x = 1))\n";
    let folder = folder_with(model);
    for engine in ["graph", "symbolic"] {
        let output = lariat(folder.path(), &["check", "m.smv", "--engine", engine, "--json"]);
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        let document: Value = serde_json::from_slice(&output.stdout).expect("a document");
        let found = |number: usize, key: &str| document["properties"][number][key].clone();
        assert_eq!((found(0, "name"), found(0, "verdict")), ("stays".into(), "fails".into()));
        assert_eq!(found(0, "replayed"), Value::Bool(true));
        assert!(found(0, "witnesses")[0]["loop_start"].is_number(), "{document}");
        for number in 1..4 {
            assert_eq!(found(number, "verdict"), "holds", "{document}");
        }
        assert_eq!(found(1, "witnesses")[0]["shows"], "E (G F \"x = 1\" & G F \"x = 0\")", "{document}");
        let nested = &found(3, "witnesses")[0]["nested"][0];
        assert_eq!(nested["past_steps"], nested["after_steps"], "{document}");
    }
    let text = stdout(&lariat(folder.path(), &["check", "m.smv", "--property", "nested"]));
    assert!(
        text.contains("a run from an initial state, which after its step 2 is in the state after its step 2"),
        "{text}"
    );
    // Without a quantifier a formula speaks of no run.
    let refused = lariat(folder.path(), &["check", "m.smv", "--ctl", "G E X x = 0"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("has no `A` or `E` around it"), "{}", stderr(&refused));
    // Where no run counts, everything holds, and that is said.
    let vacuous = lariat(folder.path(), &["check", "m.smv", "--property", "stays", "--justice", "FALSE"]);
    assert_eq!(vacuous.status.code(), Some(0), "{}", stderr(&vacuous));
    assert!(stderr(&vacuous).contains("no run"), "{}", stderr(&vacuous));
}

#[test]
fn formulas_from_the_command_line_speak_smv() {
    let folder = folder_with(MODEL);
    let check = |arguments: &[&str]| lariat(folder.path(), &[&["check", "m.smv"], arguments].concat());
    assert_eq!(check(&["--ltl", "G (colour = green -> O a.n = 2)"]).status.code(), Some(0));
    assert_eq!(check(&["--ltl", "F a.n = 3"]).status.code(), Some(1));
    let fair = ["--ltl", "F a.n = 3", "--justice", "a.running & go"];
    let output = check(&fair);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    let output = check(&["--ltl", "F a.m = 3"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("`m` is not declared in `a`"), "{}", stderr(&output));
    let output = check(&["--fairness", "weak"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("FAIRNESS running"), "{}", stderr(&output));
}

#[test]
fn fairness_is_read_whatever_is_asked() {
    let folder = folder_with(MODEL);
    for property in ["safety", "small"] {
        let ask =
            |justice: &str| lariat(folder.path(), &["check", "m.smv", "--property", property, "--justice", justice]);
        let output = ask("b.n = 1");
        assert_eq!(output.status.code(), Some(2), "{}", stdout(&output));
        let said = stderr(&output);
        assert!(said.contains("`b` is not declared") && said.contains("--justice:1:1"), "{said}");
        let said = stderr(&ask("a.n = 1"));
        assert!(said.contains("makes no difference"), "{said}");
    }
}

#[test]
fn dead_ends_and_models_without_a_beginning_are_told() {
    let warned = |text: &str| {
        let folder = folder_with(text);
        let output = lariat(folder.path(), &["check", "m.smv"]);
        assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
        stderr(&output)
    };
    let dead = "MODULE main\nVAR x : 0..2;\nINIT x = 0\nTRANS next(x) = (x = 0 ? 1 : 3)\nLTLSPEC FALSE\n";
    assert!(warned(dead).contains("a state without a successor can be reached"), "{}", warned(dead));
    assert!(warned(dead).contains("no run goes on for ever"), "{}", warned(dead));
    let nothing = "MODULE main\nVAR x : 0..2;\nINIT x < 0\nINVARSPEC FALSE\n";
    assert!(warned(nothing).contains("no initial state"), "{}", warned(nothing));
}

#[test]
fn what_leaves_too_much_open_is_refused_with_the_number() {
    let folder = folder_with("MODULE main\nVAR v : array 0..29 of boolean;\nINVARSPEC v[0] | !v[0]\n");
    let check = |engine| ["check", "m.smv", "--engine", engine];
    for command in [&check("bfs")[..], &check("graph"), &["simulate", "m.smv"]] {
        let output = lariat(folder.path(), command);
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        for words in ["1073741824 ways", "symbolic`"] {
            assert!(stderr(&output).contains(words), "{}", stderr(&output));
        }
        assert!(!stderr(&output).contains("and `graph`"), "{}", stderr(&output));
    }
}

/// The values of choices are found by the state that a step leads to: nobody lists 2^40 of them.
#[test]
fn steps_with_very_many_choices_are_shown_and_replayed() {
    let all = |sign: &str, join: &str| {
        let cells: Vec<String> = (0..40).map(|cell| format!("{sign}v[{cell}]")).collect();
        cells.join(join)
    };
    let text = format!(
        "MODULE main\nIVAR go : boolean;\nVAR v : array 0..39 of boolean;\nINIT {}\nTRANS next(v[0]) = go\n\
         CTLSPEC AG !({})\nCTLSPEC EF v[7]\n",
        all("!", " & "),
        all("", " & ")
    );
    let folder = folder_with(&text);
    let output = lariat(folder.path(), &["check", "m.smv", "--engine", "symbolic", "--json"]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let document: Value = serde_json::from_str(&stdout(&output)).expect("a document");
    let [fails, holds] = &document["properties"].as_array().expect("a list")[..] else { panic!("{document}") };
    for (result, cell) in [(fails, "v[39]"), (holds, "v[7]")] {
        let step = &result["witnesses"][0]["trace"]["steps"][0];
        assert_eq!(step["changes"][cell], serde_json::json!(["FALSE", "TRUE"]), "{result}");
        assert!(step["choices"]["go"].is_string(), "{result}");
    }
}

#[test]
fn models_are_shown_simulated_and_replayed() {
    let folder = folder_with(MODEL);
    let shown = stdout(&lariat(folder.path(), &["show", "m.smv"]));
    assert!(shown.contains("slot a.n : 0..3"), "{shown}");
    // The text form is a model of its own.
    std::fs::write(folder.path().join("m.sys"), &shown).expect("written");
    let output = lariat(folder.path(), &["check", "m.sys"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    let output = lariat(folder.path(), &["simulate", "m.smv", "--seed", "3", "--steps", "20"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("runs"), "{}", stdout(&output));
    let saved = lariat(folder.path(), &["check", "m.smv", "--property", "small", "--trace", "t.json"]);
    assert_eq!(saved.status.code(), Some(1));
    let output = lariat(folder.path(), &["replay", "m.smv", "t.json"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
}

/// A model with as many inputs, each kept in a variable, which is in order as long as `x0` or `x1` is false.
fn free_model(count: usize) -> String {
    let all = |each: &dyn Fn(usize) -> String| (0..count).map(each).collect::<String>();
    let variables = all(&|number| format!(" x{number} : boolean;"));
    let inputs = all(&|number| format!(" i{number} : boolean;"));
    let kept = all(&|number| format!(" init(x{number}) := FALSE; next(x{number}) := i{number};"));
    format!("MODULE main\nVAR{variables}\nIVAR{inputs}\nASSIGN{kept}\nINVARSPEC NAME pair := !(x0 & x1)\n")
}

/// A saved trace says which choices were made: they are evaluated, where listing them would take for ever.
#[test]
fn a_trace_with_very_many_choices_replays() {
    let folder = folder_with(&free_model(2));
    let saved = lariat(folder.path(), &["check", "m.smv", "--property", "pair", "--trace", "t.json"]);
    assert_eq!(saved.status.code(), Some(1), "{}", stderr(&saved));
    let mut document: Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("t.json")).expect("saved")).expect("a document");
    // The same run of a larger model: what is new keeps its value.
    std::fs::write(folder.path().join("m.smv"), free_model(64)).expect("written");
    document["origin"]["fingerprint"] = Value::Null;
    let value = document["trace"]["initial"]["x0"].clone();
    for number in 2..64 {
        document["trace"]["initial"][format!("x{number}")] = value.clone();
    }
    assert_eq!(document["trace"]["steps"][0]["choices"]["i0"], "TRUE", "{document}");
    for step in document["trace"]["steps"].as_array_mut().expect("steps") {
        for number in 2..64 {
            step["choices"][format!("i{number}")] = value.clone();
        }
    }
    let replay = |document: &Value| {
        std::fs::write(folder.path().join("t.json"), document.to_string()).expect("written");
        lariat(folder.path(), &["replay", "m.smv", "t.json"])
    };
    let replayed = replay(&document);
    assert_eq!(replayed.status.code(), Some(0), "{}{}", stdout(&replayed), stderr(&replayed));
    assert!(stdout(&replayed).contains("x1: FALSE → TRUE"), "{}", stdout(&replayed));
    // Another end is no end of it.
    let steps = document["trace"]["steps"].as_array().expect("steps").len();
    let changes = &mut document["trace"]["steps"][steps - 1]["changes"];
    *changes = serde_json::json!({ "x1": [value.clone(), 7] });
    let wrong = replay(&document);
    assert_eq!(wrong.status.code(), Some(1), "{}{}", stdout(&wrong), stderr(&wrong));
}

const STEPS: &str = "\
MODULE main
VAR n : 0..3; up : boolean;
ASSIGN init(n) := 0; next(n) := n < 3 ? n + 1 : 3;
COMPUTE NAME least := MIN [n = 1, n = 3]
COMPUTE MAX [n = 0, n = 2]
COMPUTE NAME ever := MAX [n = 1, up]
COMPUTE NAME nothing := MAX [n = 3 & n = 1, up]
CTLSPEC AG n < 4
";

#[test]
fn numbers_of_steps_are_computed_and_shown() {
    let folder = folder_with(STEPS);
    for engine in ["auto", "symbolic", "graph"] {
        let output = lariat(folder.path(), &["check", "m.smv", "--engine", engine]);
        let text = stdout(&output);
        assert_eq!(output.status.code(), Some(0), "{text}{}", stderr(&output));
        for words in [
            "least: 2 steps\n",
            "compute_2: 2 steps\n",
            "ever: infinity, runs can take any number of steps",
            "nothing: undefined, there is no state to begin in\n",
            "least: a run from an initial state shows EF \"n = 1\":\n",
            "least: a run from the state after its step 1 shows MIN [\"n = 1\", \"n = 3\"] <= 2:\n",
            "compute_2: a run from an initial state shows MAX [\"n = 0\", \"n = 2\"] >= 2:\n",
            "shows MAX [\"n = 1\", up] = infinity:\n",
        ] {
            assert!(text.contains(words), "{words:?} is missing from\n{text}");
        }
    }
}

#[test]
fn numbers_of_steps_are_in_the_document() {
    let folder = folder_with(STEPS);
    let output = lariat(folder.path(), &["check", "m.smv", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let document: Value = serde_json::from_slice(&output.stdout).expect("a document");
    let result = |name: &str| {
        let results = document["properties"].as_array().expect("a list");
        results.iter().find(|result| result["name"] == name).expect("it was asked for").clone()
    };
    let least = result("least");
    assert_eq!((&least["verdict"], &least["value"], &least["steps"]), (&"computed".into(), &"2".into(), &2.into()));
    assert_eq!(least["witnesses"][0]["nested"][0]["trace"]["transitions"], 2, "{least}");
    assert_eq!(least["witnesses"][0]["nested"][0]["after_steps"], 1, "{least}");
    let nothing = result("nothing");
    assert_eq!((&nothing["value"], &nothing["steps"]), (&"undefined".into(), &Value::Null));
    assert_eq!(nothing["why"], "there is no state to begin in");
    assert_eq!(result("ctl_1")["value"], Value::Null);
}

#[test]
fn who_cannot_count_steps_names_who_can() {
    let folder = folder_with(STEPS);
    for engine in ["bfs", "scc"] {
        let output = lariat(folder.path(), &["check", "m.smv", "--property", "least", "--engine", engine]);
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        for words in ["numbers of steps", "`symbolic` and `graph` do"] {
            assert!(stderr(&output).contains(words), "{}", stderr(&output));
        }
    }
    let planned = stdout(&lariat(folder.path(), &["check", "m.smv", "--property", "least", "--plan"]));
    for line in
        ["least: engine `graph`", "gives up beyond", "if the graph is too large or memory is full: engine `symbolic`"]
    {
        assert!(planned.contains(line), "{line}: {planned}");
    }
}

#[test]
fn compassion_narrows_what_is_counted_and_what_quantifiers_speak_of() {
    // Once `up` holds for ever nothing more is given.
    let folder = folder_with(&format!("{STEPS}CTLSPEC EF (n = 3 & EG up)\nCOMPASSION (n = 3 & up, n < 3)\n"));
    for engine in ["symbolic", "graph"] {
        let output = lariat(folder.path(), &["check", "m.smv", "--engine", engine]);
        let text = stdout(&output);
        assert_eq!(output.status.code(), Some(1), "{text}{}", stderr(&output));
        for line in ["least: 2", "ever: infinity", "ctl_1: holds", "ctl_2: fails"] {
            assert!(text.contains(line), "{line}: {text}");
        }
    }
}

#[test]
fn a_model_without_a_beginning_has_no_steps() {
    let folder = folder_with("MODULE main\nVAR n : 0..3;\nINIT n > 3\nCOMPUTE MIN [n = 0, n = 1]\n");
    let output = lariat(folder.path(), &["check", "m.smv"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("compute_1: infinity, there is no state to begin in"), "{}", stdout(&output));
    assert!(stderr(&output).contains("no initial state"), "{}", stderr(&output));
}

#[test]
fn runs_are_read_by_a_tester_where_that_is_asked_for() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let check = |arguments: &[&str]| lariat(&root, &[&["check"], arguments].concat());
    for engine in ["graph", "symbolic"] {
        for (model, verdict) in [("dine_3", "fails"), ("dine_contrary_3", "holds"), ("cycle_3", "holds")] {
            let model = format!("models/fairness/{model}.smv");
            let output = check(&[&model, "--engine", engine, "--temporal-by", "tester", "--json"]);
            let document: Value = serde_json::from_slice(&output.stdout).expect("a document");
            assert_eq!(document["properties"][0]["verdict"], verdict, "{engine}, {model}: {}", stderr(&output));
            assert_eq!(document["properties"][0]["engine"], engine);
        }
    }
    let plan =
        stdout(&check(&["models/fairness/dine_3.smv", "--engine", "symbolic", "--temporal-by", "tester", "--plan"]));
    assert!(plan.contains("a tester of the formula is part of the system"), "{plan}");
    for (arguments, reason) in [
        (&["models/fairness/dine_3.smv", "--engine", "scc"][..], "it goes from state to state"),
        (
            &["models/fairness/dine.pml", "--engine", "symbolic", "--property", "accessible"],
            "a step may consist of several actions",
        ),
    ] {
        let output = check(&[arguments, &["--temporal-by", "tester"]].concat());
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert!(stderr(&output).contains(reason), "{}", stderr(&output));
    }
}

#[test]
fn fair_loops_are_searched_as_it_is_asked_for() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let check = |arguments: &[&str]| lariat(&root, &[&["check"], arguments].concat());
    let ways: [&[&str]; 6] = [
        &["--fair-search", "forward", "--fair-prune", "one-step"],
        &["--fair-search", "both", "--fair-restrict", "light"],
        &["--fair-search", "components", "--fair-prune", "all"],
        &["--fair-search", "backward", "--fair-restrict", "light"],
        &["--compassion-by", "justice", "--temporal-by", "tester"],
        &["--compassion-by", "native"],
    ];
    for way in ways {
        for (model, verdict) in [("dine_3", "fails"), ("dine_contrary_3", "holds")] {
            let model = format!("models/fairness/{model}.smv");
            let output = check(&[&[&model, "--json"][..], way].concat());
            let document: Value = serde_json::from_slice(&output.stdout).expect("a document");
            assert_eq!(document["properties"][0]["verdict"], verdict, "{way:?}, {model}: {}", stderr(&output));
        }
    }
    let way = ["--fair-search", "forward", "--fair-restrict", "light", "--compassion-by", "justice"];
    let plan = |further: &[&str]| check(&[&["models/fairness/dine_3.smv", "--plan"][..], &way, further].concat());
    let text = stdout(&plan(&[]));
    assert!(text.contains("fair loops forward; "), "{text}");
    assert!(text.contains("light restriction; compassion turned into justice"), "{text}");
    let document: Value = serde_json::from_slice(&plan(&["--json"]).stdout).expect("a document");
    let fair = &document["plans"][0]["searches"][0]["plan"]["search"]["fair"];
    assert_eq!((&fair["by"], &fair["compassion"]), (&Value::from("forward"), &Value::from("justice")), "{document}");
    let refusals: [(&[&str], &str); 5] = [
        (&["models/fairness/dine_3.smv", "--engine", "scc", "--fair-prune", "all"], "`--fair-prune` for this property"),
        (
            &["models/peterson.pml", "--property", "safety", "--fair-search", "both"],
            "it has no fair loop to search for",
        ),
        (
            &["models/fairness/dine_3.smv", "--fair-search", "components", "--fair-restrict", "light"],
            "`components` are always searched inside",
        ),
        (&["models/fairness/cycle_3.smv", "--compassion-by", "formula"], "the model has no compassion"),
        (
            &["models/fairness/dine_3.smv", "--ctl", "AG EF p1.at = eats", "--compassion-by", "justice"],
            "it is for formulas of linear time",
        ),
    ];
    for (arguments, reason) in refusals {
        let output = check(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(reason), "{arguments:?}: {}", stderr(&output));
    }
}

/// Compassion in a formula becomes fairness of the system; what is said of the answer is said of the formula.
#[test]
fn what_is_moved_out_of_a_formula_is_no_fairness_of_the_model() {
    let compassion = "(G F y -> G F x) & (G F !y -> G F x) & (G F (x & y) -> G F y)";
    let folder = folder_with(&format!(
        "MODULE main\nVAR x : boolean; y : boolean;\nASSIGN init(x) := FALSE; next(x) := TRUE;\nLTLSPEC ({compassion}) -> F G x\n"
    ));
    // Fair runs exist, and none of them violates the conclusion.
    let output = lariat(folder.path(), &["check", "m.smv", "--deny", "vacuous"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", stdout(&output), stderr(&output));
    assert!(!stdout(&output).contains("vacuously"), "{}", stdout(&output));
    assert!(!stderr(&output).contains("makes no difference"), "{}", stderr(&output));
    // An engine without strong fairness gets the whole automaton, also where the property is not named.
    for engine in ["ndfs", "scc", "symbolic"] {
        let output = lariat(folder.path(), &["check", "m.smv", "--engine", engine]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(stdout(&output).contains(&format!("({engine})")), "{}", stdout(&output));
    }
}

/// What an `INVAR` leaves of a word is found without going through all words.
#[test]
fn words_that_an_invariant_bounds_are_listed() {
    let folder = folder_with(
        "MODULE main\nVAR w : unsigned word[14];\nINVAR w = 0ud14_1 | w = 0ud14_2\nINVARSPEC w != 0ud14_3\n",
    );
    let output = lariat(folder.path(), &["check", "m.smv", "--engine", "bfs", "--property", "invar_1"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}
