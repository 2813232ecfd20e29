//! Model files that state their own answers: those shipped for users in `models`, and those written to pin down one fact
//! each in `tests/models`, or one order of steps in `tests/orders`. Every file goes through every reading of its system: the engine on the compiled program, and,
//! state by state, the program and the bit functions against the reference evaluator.

use crate::support::{engines, options};
use lariat::front::{PropertyKind, front_ends};
use lariat::{CheckError, CheckOptions, Limits, Model, Questions, observed_verdicts};
use lariat_engine::{CodeKind, Unreached};
use lariat_exec::{Program, first_difference};
use lariat_space::{Enumerated, ReferenceSpace};
use lariat_symbolic::BitSpace;
use lariat_system::System;
use lariat_testkit::file_test::{Case, Expectation, Expected, Observed, ObservedVerdict, run_folder};
use std::collections::BTreeSet;
use std::path::Path;

/// More states than this take every engine of a development build long.
const LARGE: u64 = 3_000;
/// Larger systems are left to the engine alone.
const COMPARED_STATES: usize = 400;

#[test]
fn models_for_users() {
    run("../../models");
}

#[test]
fn models_that_pin_down_facts() {
    run("tests/models");
}

#[test]
fn models_whose_orders_matter() {
    run("tests/orders");
}

/// As much as the program itself has: some readings recurse once for each action of an atomic sequence.
const STACK_BYTES: usize = 256 << 20;

fn run(folder: &'static str) {
    let worker = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(move || run_all(folder));
    worker.expect("a thread can be started").join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}

fn run_all(folder: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    match run_folder(&folder, &|path| front_ends().comment_of(path), &mut observe) {
        Ok(count) => println!("{count} models state the truth"),
        Err(mismatches) => panic!("{mismatches}"),
    }
}

fn observe(case: &Case) -> Observed {
    let (reading, checking) = options(case);
    let mut model = match Model::read(&case.path, &reading) {
        Ok(model) => model,
        Err(rejected) => return Observed::refused(rejected.diagnostics.iter().map(|found| found.code)),
    };
    let mut settle = |checking: &CheckOptions| lariat::check(&mut model, checking, &Limits::default().control());
    let mut whole = CheckOptions { properties: vec!["safety".to_owned()], ..checking.clone() };
    (whole.options.keep_going, whole.options.code) = (true, CodeKind::Auto);
    let whole = match settle(&whole) {
        Ok(whole) => whole,
        // Some mistakes show only when the system is made.
        Err(CheckError::Model(found)) => return Observed::refused(found.iter().map(|found| found.code)),
        Err(error) => panic!("{}: {error}", case.path.display()),
    };
    compare_readings(case, whole.settled[0].system());
    let stats = &whole.settled[0].report().stats;
    let mut shortest = CheckOptions { properties: vec!["safety".to_owned()], ..checking.clone() };
    shortest.options.shortest = true;
    let mut observed = observed_verdicts(&settle(&shortest).expect("what was checked once can be checked again"));
    let unreached = unreached(case, &mut model, &checking);
    let stated = model.properties().iter().filter(|property| !property.on_request);
    let named = stated.map(|property| property.name.clone());
    let properties: Vec<String> = named.chain(checking.properties.clone()).collect();
    for property in properties {
        let allow_deadlock = checking.allow_deadlock && property == "safety";
        let asked = CheckOptions { properties: vec![property], allow_deadlock, ..checking.clone() };
        observed.extend(in_every_engine(case, &mut model, &asked, stats.states));
    }
    Observed {
        verdicts: observed,
        states: Some(stats.states),
        transitions: Some(stats.transitions),
        unreached,
        errors: Vec::new(),
        first_error: None,
    }
}

/// The lines of statements that are never executed, if the file says something about them. Every search of the whole graph
/// must agree.
fn unreached(case: &Case, model: &mut Model, checking: &CheckOptions) -> Option<Vec<u32>> {
    let states = |expectation: &Expectation| matches!(expectation.expected, Expected::Unreached(_));
    if !case.expectations.iter().any(states) {
        return None;
    }
    let mut agreed: Option<Vec<Unreached>> = None;
    let ways = engines().into_iter().flat_map(|engine| {
        // Machine code takes a development build long to make: there only one engine uses it.
        let with_native = [(1, CodeKind::Auto), (2, CodeKind::Auto)];
        let with_native = with_native.into_iter().take(match cfg!(debug_assertions) {
            true => usize::from(engine == "bfs"),
            false => 2,
        });
        let ways = [(1, CodeKind::Bytecode), (2, CodeKind::Bytecode)].into_iter().chain(with_native);
        ways.map(move |(threads, code)| (engine, threads, code))
    });
    let mut searches = Vec::new();
    let checking = CheckOptions { properties: vec!["safety".to_owned()], ..checking.clone() };
    let questions = Questions::of(model, &checking).unwrap_or_else(|error| panic!("{}: {error}", case.path.display()));
    for (engine, threads, code) in ways {
        let mut checking = CheckOptions { engine: Some(engine), threads: Some(threads), ..checking.clone() };
        (checking.options.keep_going, checking.options.code) = (true, code);
        let found = match questions.settle(model, &checking, &Limits::default().control()) {
            Ok(checked) => checked.unreached?,
            Err(CheckError::Refused(_)) => continue,
            Err(error) => panic!("{}: {error}", case.path.display()),
        };
        let first = agreed.get_or_insert_with(|| found.clone());
        assert_eq!(*first, found, "{}: `{engine}` says otherwise", case.path.display());
        searches.push((engine, threads));
    }
    assert!([("bfs", 1), ("bfs", 2), ("dfs", 1)].iter().all(|search| searches.contains(search)), "{searches:?}");
    let lines: BTreeSet<u32> = agreed.iter().flatten().map(|one| model.sources().line(one.statement.span)).collect();
    Some(lines.into_iter().collect())
}

/// The verdicts on a temporal property, which every engine that admits it must agree on.
fn in_every_engine(
    case: &Case,
    model: &mut Model,
    checking: &CheckOptions,
    states: u64,
) -> Vec<(String, ObservedVerdict)> {
    // `scc` supports everything of linear time, and its answer is the one that the others are compared with.
    // Some of the models take decision diagrams minutes: which of them they settle is tested with them, in `symbolic`.
    let is_of_sets = checking.properties.iter().any(|name| is_for_sets(model, name));
    // Large models take a development build long: there one more engine does, and the release half of `.ci/run` asks all.
    let is_large = cfg!(debug_assertions) && states > LARGE && !is_of_sets;
    let others = engines().into_iter().filter(|engine| *engine != "scc" && (is_of_sets || *engine != "symbolic"));
    let others = others.filter(|engine| !is_large || *engine == "ndfs");
    let questions = match Questions::of(model, checking) {
        Ok(questions) => questions,
        Err(CheckError::Refused(_)) if is_of_sets => return Vec::new(),
        Err(error) => panic!("{}: {error}", case.path.display()),
    };
    let mut agreed: Option<Vec<(String, ObservedVerdict)>> = None;
    for engine in std::iter::once("scc").chain(others) {
        let checking = CheckOptions { engine: Some(engine), ..checking.clone() };
        let found = match questions.settle(model, &checking, &Limits::default().control()) {
            Ok(checked) => observed_verdicts(&checked),
            Err(CheckError::Refused(_)) if engine != "scc" || is_of_sets => continue,
            Err(error) => panic!("{}: {error}", case.path.display()),
        };
        let said = |verdicts: &[(String, ObservedVerdict)]| -> Vec<String> {
            let word = |verdict: &ObservedVerdict| match verdict {
                ObservedVerdict::Holds | ObservedVerdict::Computed { .. } => verdict.to_string(),
                ObservedVerdict::Fails { .. } | ObservedVerdict::Undecided { .. } => "does not hold".to_owned(),
            };
            verdicts.iter().map(|(_, verdict)| word(verdict)).collect()
        };
        let first = agreed.get_or_insert_with(|| found.clone());
        assert_eq!(said(first), said(&found), "{}: `{engine}` says otherwise", case.path.display());
    }
    agreed.unwrap_or_default()
}

/// Whether only sets of states settle it.
fn is_for_sets(model: &Model, name: &str) -> bool {
    let is_one = |kind: PropertyKind| matches!(kind, PropertyKind::CtlStar | PropertyKind::Distance);
    model.properties().iter().any(|property| property.name == name && is_one(property.kind))
}

fn compare_readings(case: &Case, system: &System) {
    let reference = ReferenceSpace::new(system).expect("a system that was checked has a layout");
    if Enumerated::new(&reference, COMPARED_STATES).is_err() {
        return;
    }
    let program = Program::compile(system).expect("a system that was checked compiles");
    let bits = BitSpace::new(system).expect("a system that was checked has a layout");
    let differences =
        [first_difference(&reference, &program, COMPARED_STATES), first_difference(&reference, &bits, COMPARED_STATES)];
    if let Some(difference) = differences.into_iter().flatten().next() {
        panic!("{}: {difference}", case.path.display());
    }
}
