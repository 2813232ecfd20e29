//! Never claims as automata: their shapes, what is said about wrong ones, and the pairs of a state of the system and one of
//! the claim, compared with SPIN's count where SPIN is installed.

use lariat_automata::{Automaton, MarkSet, StateId, write_hoa};
use lariat_base::{Diagnostic, Id, SourceMap};
use lariat_promela::{CheckedModel, ModelOptions, Observation, read_model};
use lariat_system::reference::{Evaluator, Outcome, Valuation};
use lariat_system::{LabelMeaning, System};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::process::Command;

fn model(text: &str) -> (SourceMap, CheckedModel) {
    let mut sources = SourceMap::default();
    let mut loader = |_: &str, _: &str| Err("no such file".to_string());
    let read = read_model(&mut sources, "model.pml", text, &ModelOptions::default(), &mut loader);
    (sources, read.expect("a model without mistakes"))
}

fn shown(sources: &SourceMap, found: &[Diagnostic]) -> Vec<String> {
    let show = |diagnostic: &Diagnostic| {
        let place = sources.location(diagnostic.span);
        let place = place.map_or("-".to_string(), |place| format!("{}:{}", place.line, place.column));
        let help = diagnostic.help.as_ref().map_or(String::new(), |help| format!(" / {help}"));
        format!("{place} {} {}{help}", diagnostic.code, diagnostic.message)
    };
    found.iter().map(show).collect()
}

/// The system and the claim of this name.
fn claim(sources: &mut SourceMap, model: &CheckedModel, name: &str) -> (System, Automaton) {
    let (observed, automaton) = match model.observing_claim(sources, name, &[]) {
        Ok(both) => both,
        Err(found) => panic!("{name}: {:#?}", shown(sources, &found)),
    };
    let pool = model.pool_bound().unwrap_or(20).max(model.initial_processes());
    (observed.system(pool).expect("a system"), automaton)
}

/// Every edge as `source -guard-> target`, with a star behind a source that accepts.
fn edges(text: &str) -> Vec<String> {
    let (mut sources, model) = model(text);
    let (_, automaton) = claim(&mut sources, &model, "never");
    let mut guards = automaton.guards.clone();
    let name = |state: StateId| {
        let name = automaton.state_names[state.index()].clone();
        let star = if automaton.state_marks(state) == Some(&MarkSet::first(1)) { "*" } else { "" };
        format!("{}{star}", name.unwrap_or(state.index().to_string()))
    };
    let mut shown = Vec::new();
    for (source, edge) in automaton.all_edges() {
        let product = |cube: Vec<(u32, bool)>| {
            let literal = |(variable, value): &(u32, bool)| {
                let text = &automaton.propositions[*variable as usize];
                if *value { text.clone() } else { format!("!({text})") }
            };
            cube.iter().map(literal).collect::<Vec<_>>().join(" && ")
        };
        let guard = guards.cover(edge.guard).into_iter().map(product).collect::<Vec<_>>().join(" || ");
        shown.push(format!("{} -{guard}-> {}", name(source), name(edge.target)));
    }
    shown
}

/// The labels that hold of a state, and the steps that leave it: the labels of each, and the number of its target.
struct Source {
    labels: BTreeSet<u32>,
    steps: Vec<(BTreeSet<u32>, usize)>,
}

/// How many pairs there are of a state and a place of the claim that is about to move, and whether it comes to its closing
/// brace. Nothing is looked at behind that.
fn pairs(system: &System, automaton: &Automaton) -> (usize, bool) {
    let evaluator = Evaluator::new(system);
    let mut numbers: HashMap<Valuation, usize> = HashMap::new();
    let mut sources: Vec<Source> = Vec::new();
    let mut known = Vec::new();
    let mut number = |state: Valuation, known: &mut Vec<Valuation>| {
        *numbers.entry(state.clone()).or_insert_with(|| {
            known.push(state);
            known.len() - 1
        })
    };
    let mut waiting: Vec<(usize, StateId)> =
        evaluator.initial().into_iter().map(|state| (number(state, &mut known), automaton.initial)).collect();
    let mut seen: HashSet<(usize, StateId)> = waiting.iter().copied().collect();
    let is_end = |state: StateId| automaton.state_names[state.index()].as_deref() == Some("the end");
    while let Some((state, place)) = waiting.pop() {
        if is_end(place) {
            continue;
        }
        while sources.len() <= state {
            let source = known[sources.len()].clone();
            let labels = evaluator.state_labels(&source).iter().map(|label| label.index() as u32).collect();
            let mut steps = Vec::new();
            for step in evaluator.steps(&source) {
                if let Outcome::State(target) = step.outcome {
                    let labels = step.marks.labels.iter().map(|label| label.index() as u32).collect();
                    steps.push((labels, number(target, &mut known)));
                }
            }
            if steps.is_empty() {
                steps.push((BTreeSet::new(), sources.len()));
            }
            sources.push(Source { labels, steps });
        }
        let Source { labels, steps } = &sources[state];
        for (of_step, target) in steps {
            for edge in automaton.moves(place, |label| labels.contains(&label) || of_step.contains(&label)) {
                if seen.insert((*target, edge.target)) {
                    waiting.push((*target, edge.target));
                }
            }
        }
    }
    (seen.len(), seen.iter().any(|&(_, place)| is_end(place)))
}

/// What SPIN stores for each claim of a model, or nothing if it is not installed.
fn stored_by_spin(text: &str, claims: &[String]) -> Option<Vec<usize>> {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("model.pml"), text).expect("a file");
    let run = |program: &str, arguments: &[&str]| {
        let done = Command::new(program).args(arguments).current_dir(folder.path()).output().ok()?;
        Some(format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr)))
    };
    // For a verifier gcc takes two seconds, tcc no time.
    let compiler = ["tcc", "gcc"].into_iter().find(|compiler| run(compiler, &["--version"]).is_some())?;
    let generated = run("spin", &["-a", "-o1", "-o2", "-o3", "model.pml"])?;
    let compiled = run(compiler, &["-w", "-DNOREDUCE", "-o", "pan", "pan.c"])?;
    let program = folder.path().join("pan");
    assert!(program.exists(), "{generated}{compiled}");
    let program = program.to_str().expect("a path");
    let stored = claims.iter().map(|claim| {
        let told = match claims.len() {
            1 => run(program, &["-a", "-c0", "-m10000"]),
            _ => run(program, &["-a", "-c0", "-m10000", "-N", claim]),
        };
        let told = told.expect("it was just made");
        let line = told.lines().find(|line| line.contains("states, stored")).unwrap_or_else(|| panic!("{told}"));
        line.split_whitespace().next().and_then(|number| number.parse().ok()).expect("a number")
    });
    Some(stored.collect())
}

fn compare_with_spin(text: &str) {
    let (mut sources, model) = model(text);
    let names: Vec<String> = model.claims().iter().map(|(name, _)| name.clone()).collect();
    let Some(stored) = stored_by_spin(text, &names) else {
        println!("skipped: no spin");
        return;
    };
    let mut differences = Vec::new();
    for (name, stored) in names.iter().zip(stored) {
        let (system, automaton) = claim(&mut sources, &model, name);
        let (pairs, _) = pairs(&system, &automaton);
        println!("{name}: {pairs} pairs, {stored} stored");
        if pairs != stored {
            differences.push(format!("{name}: {pairs} pairs, SPIN stores {stored}\n{}", write_hoa(&automaton)));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

const SYSTEM: &str = "
byte x; bit y; chan q = [1] of { byte };
active proctype P() { do :: x < 4 -> x++ :: x == 4 -> x = 0 :: x == 2 -> break od; progress: q ! x; accept: y = 1 }
active proctype Q() { byte got; q ? got; there: goto here; here: skip }
";

fn with_claims(system: &str, bodies: &[&str]) -> String {
    let claims = bodies.iter().enumerate().map(|(number, body)| format!("never c{number} {{ {body} }}\n"));
    format!("{system}{}", claims.collect::<String>())
}

#[test]
fn pairs_are_those_that_spin_stores() {
    let bodies = [
        "x == 0; x == 1; x == 2",
        "do :: true :: x == 2 -> break od; accept: do :: !(x == 3) && !y od",
        "T: if :: x < 3 -> goto T :: y || x == 2 -> goto accept_a fi; accept_a: { true; x == 2 }; false",
        "do :: x == 2 -> skip; skip :: else -> skip; skip; skip od",
        "{ do :: x < 3 :: x > 2 od } unless { y == 1 -> skip; skip }; skip; skip; false",
        "do :: np_ :: Q@here -> goto accept_b od; accept_b: do :: !np_ || x == 0 || y od",
        "do :: true :: Q[1]@there -> break od; accept: true; progress: goto end; end: false",
        "do :: _last == 0 :: enabled(1) -> skip; skip :: else -> skip od",
        "do :: if :: x == 1 -> skip :: else -> true; true fi :: x == 2 -> true; true; true od",
        "do :: len(q) == 0 :: printf(\"full\"); pc_value(1) > 1; q ? [2] -> break od; accept: if :: true -> goto accept fi",
        "if :: true -> do :: x < 4 -> if :: x == 2 -> break :: x != 2 fi :: x == 4 od :: x == 3 fi; accept_all: skip",
    ];
    compare_with_spin(&with_claims(SYSTEM, &bodies));
}

/// Runs of this system do not end: where they do, SPIN does not store what an atomic sequence of a claim leads to.
#[test]
fn atomic_sequences_are_steps_as_in_spin() {
    let system = "byte x; bit y; active proctype P() { do :: x < 4 -> x++ :: x == 4 -> x = 0 :: y = 1 - y od }\n";
    let bodies = [
        "do :: true :: atomic { x == 3 -> assert(x != 2) } od",
        "do :: atomic { x < 3 -> if :: x == 1 -> y == 0; y < 3 :: x == 2 -> skip :: else fi } :: x > 2 od",
        "do :: d_step { x < 3 -> if :: x < 2 -> skip :: x < 3 -> assert(y == 0 || x > 1) fi } :: x > 2 -> skip; skip od",
        "do :: atomic { true -> goto T } :: x == 1 -> T: x < 3; skip od",
        "do :: atomic { y; do :: x < 2 -> break :: x > 1 -> break od; skip }; skip :: !y od",
        "x == 0; atomic { x == 1 -> y == 1; x == 1 }; skip; false",
        "x == 0; do :: atomic { if :: x == 1 -> y == 1 :: x == 2 fi; x > 0 }; accept: x > 1 od",
    ];
    compare_with_spin(&with_claims(system, &bodies));
}

#[test]
fn an_edge_for_each_statement() {
    let with = |body: &str| edges(&format!("{SYSTEM}never {{ {body} }}"));
    assert_eq!(
        with("T0: if :: (x == 1 && !y) -> goto accept :: true -> goto T0 fi; accept: do :: !(x == 1) od"),
        ["T0 -x == 1 && !(y)-> accept*", "T0 --> T0", "accept* -!(x == 1)-> accept*"]
    );
    assert_eq!(
        with("do :: x == 1 -> skip :: x == 2 -> break :: else od"),
        ["0 -x == 1-> 1", "0 -x == 2-> the end*", "0 -!(x == 1) && !(x == 2)-> 0", "1 --> 0", "the end* --> the end*"]
    );
    // All of an atomic sequence is one step, and where it blocks there is none.
    assert_eq!(
        with("do :: atomic { x > 1 -> assert(y); len(q) == 0 } od"),
        ["0 -x > 1 && len(q) == 0-> 0", "0 -x > 1 && !(y)-> the end*", "the end* --> the end*"]
    );
    // A `d_step` takes the first way that is open, and must not block.
    assert_eq!(
        with("do :: d_step { x > 1 -> if :: y :: len(q) == 0 -> assert(x == 2) fi } od"),
        [
            "0 -x > 1 && len(q) == 0 || x > 1 && y-> 0",
            "0 -x > 1 && !(y) && !(x == 2) || x > 1 && !(y) && !(len(q) == 0)-> the end*",
            "the end* --> the end*"
        ]
    );
    assert_eq!(
        with("{ x == 1; x == 2 } unless { y }; false"),
        ["0 -y-> 1", "0 -x == 1 && !(y)-> 2", "2 -y-> 1", "2 -x == 2 && !(y)-> 1"]
    );
    assert_eq!(with("false"), [""; 0]);
    // Control rests at a jump with a label that says so.
    assert_eq!(with("T: x == 1; accept: goto T"), ["T -x == 1-> accept*", "accept* --> T"]);
    // An atomic sequence that never ends, and one that goes round before it does.
    assert_eq!(with("atomic { do :: x == 1 od }"), [""; 0]);
    assert_eq!(with("atomic { do :: x == 1 :: y -> break od }; false"), ["0 -x == 1 && y-> 1", "0 -y-> 1"]);
}

#[test]
fn claims_are_listed_and_come_with_labels() {
    let text = format!("{SYSTEM}ltl p {{ [] x }}\nnever one {{ do :: x == 1 :: moves(1) && y od }}\nnever {{ true }}");
    let (mut sources, model) = model(&text);
    let names = |list: &[(String, lariat_base::Span)]| list.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    assert_eq!(names(model.claims()), ["one", "never"]);
    assert_eq!(names(model.properties()), ["p", "one", "never"]);
    let condition = model.phrase(&mut sources, "<formula>", "x == 1").expect("a phrase");
    let more = [Observation { name: "x == 1".to_string(), condition }];
    let (observed, automaton) = model.observing_claim(&mut sources, "one", &more).expect("a claim");
    assert_eq!(automaton.propositions, ["x == 1", "moves(1)", "y"]);
    assert_eq!(automaton.name.as_deref(), Some("one"));
    let system = observed.system(2).expect("a system");
    let labels: Vec<&str> = system.labels.iter().map(|label| label.name.as_str()).collect();
    assert_eq!(labels, ["one: x == 1", "one: moves(1)", "one: y", "x == 1"]);
    let meanings: Vec<_> = system.labels.iter().map(|label| label.meaning.clone()).collect();
    assert_eq!(meanings[1], LabelMeaning::By(1));
    assert_eq!(meanings[0], meanings[3]);
    assert!(model.observing_claim(&mut sources, "never", &[]).is_ok());
    let error = model.observing_claim(&mut sources, "noe", &[]).expect_err("there is none");
    assert_eq!(shown(&sources, &error), ["- P0458 there is no never claim `noe` / did you mean `one`?"]);
}

#[test]
fn programs_are_refused() {
    const HELP: &str = "let a process of the model do it, and let the claim speak of the global variables it changes";
    for (body, expected) in [
        ("x = 1", "`x = 1` assigns: a never claim can only watch"),
        ("x++", "`x++` assigns: a never claim can only watch"),
        ("q ! 1", "`q!1` sends: a never claim can only watch"),
        ("q ? x", "`q?x` receives: a never claim can only watch"),
        ("run R()", "`run R()` starts a process: a never claim can only watch"),
        ("byte i; i == 1", "`i` is a variable of a never claim: claims can only watch"),
        ("select (x : 1 .. 50)", "`x = 1` assigns: a never claim can only watch"),
    ] {
        let text = format!("{SYSTEM}never {{ {body} }}\nproctype R() {{ skip }}");
        let (mut sources, model) = model(&text);
        let errors = model.observing_claim(&mut sources, "never", &[]).expect_err(body);
        let first = shown(&sources, &errors).remove(0);
        assert_eq!(first.split_once(' ').expect("a place").1, format!("A0206 {expected} / {HELP}"), "{body}");
    }
}

#[test]
fn mistakes_are_told_when_the_claim_is_asked_for() {
    for (body, expected) in [
        ("z == 1", "5:9 P0429 `z` is not declared"),
        (
            "do :: got == 1 od",
            "5:15 P0429 `got` is not declared / `got` is a variable of `Q`: write `Q:got`, or `Q[pid]:got`",
        ),
        ("Q@ther", "5:11 P0417 `Q` has no label `ther` / did you mean `there`?"),
        (
            "timeout",
            "5:9 P0451 `timeout` is not a property of a state that a formula can observe / `!enabled(p)` says of one process p that it cannot move",
        ),
        ("_pid == 0", "5:9 P0423 `_pid` has a meaning inside a process only"),
        ("goto L", "5:14 P0444 there is no label `L` here"),
        (
            "moves(1) == x",
            "5:9 P0455 `moves` speaks of a step, so it cannot be part of a condition on states / let it stand by itself in a formula or a never claim: `moves(1) && (x > 0)`",
        ),
        ("moves(x)", "5:15 P0415 this must be a constant / write one `moves` for each process: `moves(1) || moves(2)`"),
    ] {
        let (mut sources, model) = model(&format!("{SYSTEM}never {{ {body} }}"));
        assert!(model.system(3).is_ok(), "the rest of the model is as it was");
        let errors = model.observing_claim(&mut sources, "never", &[]).expect_err(body);
        assert_eq!(shown(&sources, &errors), [expected], "{body}");
    }
    // What a claim speaks of may be declared behind it.
    let text = "never { do :: P@there && z od } byte z; active proctype P() { there: z = 1 }";
    let (mut sources, model) = model(text);
    assert!(model.observing_claim(&mut sources, "never", &[]).is_ok());
}

/// Claims of the corpus, with what SPIN stores for them.
#[test]
fn claims_of_the_corpus() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/promela");
    let table = |folder: &str| std::fs::read_to_string(corpus.join(folder).join("expected.tsv")).unwrap_or_default();
    let mut compared = 0;
    for folder in ["semantics", "conformance"] {
        for row in table(folder).lines().skip(1) {
            let columns: Vec<&str> = row.split('\t').collect();
            let (file, property, verdict) = (columns[0], columns[2], columns[3]);
            let path = corpus.join(folder).join(file);
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            let is_claim = property == "never";
            if !is_claim {
                continue;
            }
            let (mut sources, model) = model(&text);
            let (system, automaton) = claim(&mut sources, &model, &model.claims()[0].0);
            let (pairs, reaches_end) = pairs(&system, &automaton);
            assert!(columns[4].is_empty() || columns[4] == pairs.to_string(), "{file}: {pairs} pairs");
            assert_eq!(reaches_end, verdict == "fails", "{file}");
            compared += 1;
        }
    }
    // Too many pairs to be counted here.
    if let Ok(text) = std::fs::read_to_string(corpus.join("performance/cs_brp-brp.prm.pml")) {
        let (mut sources, model) = model(&text);
        let (system, automaton) = claim(&mut sources, &model, "never");
        // It is observed, too, where an index lies outside of its array.
        let conditions = system.labels.iter().filter(|label| !label.name.ends_with(" cannot be read"));
        assert_eq!(conditions.count(), automaton.propositions.len());
    }
    if compared == 0 {
        let needed = std::env::var("LARIAT_NEEDS_CORPUS").is_ok_and(|value| value == "1");
        assert!(!needed, "no corpus in {}", corpus.display());
        println!("skipped: no corpus");
    }
}
