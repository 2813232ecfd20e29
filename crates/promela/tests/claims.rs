//! Never claims as automata: their shapes, what is said about wrong ones, and the pairs of a state of the system and one of
//! the claim, compared with SPIN's count where SPIN is installed.

use lariat_automata::{Automaton, MarkSet, StateId, write_hoa};
use lariat_base::{Diagnostic, Id, SourceMap};
use lariat_promela::{CheckedModel, ModelOptions, Observation, read_model};
use lariat_system::reference::{Evaluator, Outcome, Valuation};
use lariat_system::{LabelMeaning, System};
use std::collections::{BTreeSet, HashMap};
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

/// The pairs of a state and a place of the claim that is about to move. Nothing is looked at behind its closing brace.
fn pairs(system: &System, automaton: &Automaton) -> usize {
    let evaluator = Evaluator::new(system);
    let mut numbers: HashMap<Valuation, usize> = HashMap::new();
    let mut states: Vec<(BTreeSet<u32>, Vec<(BTreeSet<u32>, usize)>)> = Vec::new();
    let mut known = Vec::new();
    let mut number = |state: Valuation, known: &mut Vec<Valuation>| {
        *numbers.entry(state.clone()).or_insert_with(|| {
            known.push(state);
            known.len() - 1
        })
    };
    let mut waiting: Vec<(usize, StateId)> =
        evaluator.initial().into_iter().map(|state| (number(state, &mut known), automaton.initial)).collect();
    let mut seen: std::collections::HashSet<(usize, StateId)> = waiting.iter().copied().collect();
    let is_end = |state: StateId| automaton.state_names[state.index()].as_deref() == Some("the end");
    while let Some((state, place)) = waiting.pop() {
        if is_end(place) {
            continue;
        }
        while states.len() <= state {
            let source = known[states.len()].clone();
            let labels = evaluator.state_labels(&source).iter().map(|label| label.index() as u32).collect();
            let mut steps = Vec::new();
            for step in evaluator.steps(&source) {
                if let Outcome::State(target) = step.outcome {
                    let labels = step.marks.labels.iter().map(|label| label.index() as u32).collect();
                    steps.push((labels, number(target, &mut known)));
                }
            }
            if steps.is_empty() {
                steps.push((BTreeSet::new(), states.len()));
            }
            states.push((labels, steps));
        }
        let (labels, steps) = &states[state];
        for (of_step, target) in steps {
            for edge in automaton.moves(place, |label| labels.contains(&label) || of_step.contains(&label)) {
                if seen.insert((*target, edge.target)) {
                    waiting.push((*target, edge.target));
                }
            }
        }
    }
    seen.len()
}

/// What SPIN stores for each claim of a model, or nothing if it is not installed.
fn stored_by_spin(text: &str, claims: &[String]) -> Option<Vec<usize>> {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("model.pml"), text).expect("a file");
    let run = |program: &str, arguments: &[&str]| {
        let done = Command::new(program).args(arguments).current_dir(folder.path()).output().ok()?;
        Some(format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr)))
    };
    run("gcc", &["--version"])?;
    let generated = run("spin", &["-a", "-o1", "-o2", "-o3", "model.pml"])?;
    let compiled = run("gcc", &["-w", "-DNOREDUCE", "-o", "pan", "pan.c"])?;
    let program = folder.path().join("pan");
    assert!(program.exists(), "{generated}{compiled}");
    let program = program.to_str().expect("a path");
    let stored = claims.iter().map(|claim| {
        let told = match claims.len() {
            1 => run(program, &["-a", "-c0", "-m100000"]),
            _ => run(program, &["-a", "-c0", "-m100000", "-N", claim]),
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
        let pairs = pairs(&system, &automaton);
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

#[test]
fn pairs_are_those_that_spin_stores() {
    let bodies = [
        "x == 0; x == 1; x == 2",
        "do :: true :: x == 2 -> break od; accept: do :: !(x == 3) && !y od",
        "T: if :: x < 3 -> goto T :: y || x == 2 -> goto accept_a fi; accept_a: { true; x == 2 }; false",
        "do :: x == 2 -> skip; skip :: else -> skip; skip; skip od",
        "do :: true :: atomic { x == 3 -> assert(x != 3) } od",
        "do :: atomic { x < 3 -> if :: x == 1 -> x < 2 :: x == 2 -> skip :: else fi } :: x > 2 od",
        "do :: d_step { x < 3 -> if :: x < 2 -> skip :: x < 3 -> assert(y == 0) fi } :: x > 2 -> skip; skip od",
        "{ do :: x < 3 :: x > 2 od } unless { y == 1 -> skip; skip }; skip; skip; false",
        "do :: np_ :: Q@here -> goto accept_b od; accept_b: do :: !np_ || P[0]:x == 0 || y od",
        "do :: true :: Q[1]@there -> break od; accept: true; progress: goto end; end: false",
        "do :: _last == 0 :: enabled(1) -> skip; skip :: else -> skip od",
        "do :: if :: x == 1 -> skip :: else -> true; true fi :: x == 2 -> true; true; true od",
        "do :: len(q) == 0 :: printf(\"full\"); pc_value(1) > 1; q ? [2] -> break od; accept_c: if :: true -> goto accept_c fi",
        "do :: atomic { true -> goto T } :: x == 1 -> T: x < 3; skip od",
        "if :: true -> do :: x < 4 -> if :: x == 2 -> break :: x != 2 fi :: x == 4 od :: x == 3 fi; accept_all: skip",
    ];
    let claims = bodies.iter().enumerate().map(|(number, body)| format!("never c{number} {{ {body} }}\n"));
    compare_with_spin(&format!("{SYSTEM}{}", claims.collect::<String>().replace("P[0]:x", "x")));
}
