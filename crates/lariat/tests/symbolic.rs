//! The engine `symbolic`: as many states as breadth-first search and the same verdicts on every model, formulas of CTL with
//! known answers, limits, and what it refuses. Models of the corpus of at most `LARIAT_SYMBOLIC_STATES` states, 200 if it is not
//! set, are compared where it is at hand, as in `corpus.rs`.

use crate::support::{Row, rows, word};
use lariat::{CheckError, CheckOptions, Limits, Model, ReadOptions, Verdict};
use lariat_branching::breadth_first;
use lariat_engine::Shortfall;
use lariat_space::StateSets;
use lariat_symbolic::{BddSets, Capacity};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

fn verdict(model: &mut Model, engine: Option<&'static str>) -> Result<&'static str, String> {
    settle(model, engine, false).map(|(verdict, _)| verdict)
}

/// The verdict on `safety`, and the states that were seen.
fn settle(model: &mut Model, engine: Option<&'static str>, keep_going: bool) -> Result<(&'static str, u64), String> {
    settle_within(model, engine, keep_going, &Limits::default())
}

fn settle_within(
    model: &mut Model,
    engine: Option<&'static str>,
    keep_going: bool,
    limits: &Limits,
) -> Result<(&'static str, u64), String> {
    let mut checking = CheckOptions { properties: vec!["safety".to_owned()], engine, ..CheckOptions::default() };
    checking.options.keep_going = keep_going;
    let checked = lariat::check(model, &checking, &limits.control()).map_err(|error| format!("refused: {error}"))?;
    let report = checked.settled[0].report();
    Ok((word(&report.verdict), report.stats.states))
}

/// All states that can be reached, whatever fails there, with a pool of this size.
fn states(model: &Model, pool_size: u16) -> Result<u64, String> {
    let system = model.system(pool_size).map_err(|found| found[0].message.clone())?;
    let full = Shortfall::Memory { limit_bytes: 0 };
    let sets = BddSets::new(&system, Capacity { nodes: 1 << 20, cache: 1 << 16 }, full, || Ok(()));
    let sets = sets.map_err(|reason| format!("{reason:?}"))?.map_err(|shortfall| format!("{shortfall:?}"))?;
    let rings = breadth_first(&sets, |_, _, _| Ok(ControlFlow::Continue(())));
    let count = rings.and_then(|rings| sets.count(&rings.reached)).map_err(|shortfall| format!("{shortfall:?}"))?;
    count.to_u64().ok_or_else(|| "too many states".to_owned())
}

fn compare(folder: &str) {
    let Some(rows) = rows(folder) else { return };
    let limit: u64 = std::env::var("LARIAT_SYMBOLIC_STATES").map_or(200, |limit| limit.parse().expect("a number"));
    let (mut compared, mut wrong) = (0, Vec::new());
    let is_small = |row: &&Row| row.states.is_some_and(|states| states <= limit);
    for row in rows.iter().filter(|row| row.property == "safety").filter(is_small) {
        let explicit = row.model().and_then(|mut model| settle(&mut model, Some("bfs"), true));
        let Some(expected) = explicit.ok().filter(|(_, states)| *states <= limit) else { continue };
        compared += 1;
        let found = row.model().and_then(|mut model| {
            let pool_size = model.first_pool_size().map_err(|error| error.to_string())?;
            Ok((verdict(&mut model, Some("symbolic"))?, states(&model, pool_size)?))
        });
        if found != Ok(expected) {
            wrong.push(format!("{}: explicit {expected:?}, symbolic {found:?}", row.name()));
        }
    }
    println!("{compared} models compared");
    assert!(compared > 0 && wrong.is_empty(), "{compared} compared\n{}", wrong.join("\n"));
}

#[test]
fn corpus_semantics() {
    compare("semantics");
}

fn own(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models").join(name)
}

#[test]
fn small_models_have_the_same_verdicts_and_states() {
    let mut compared = 0;
    for entry in std::fs::read_dir(own("")).expect("there are models") {
        let path = entry.expect("it can be listed").path();
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        if path.extension().is_none_or(|end| end != "pml") || text.contains("options:") || text.len() > 1500 {
            continue;
        }
        let Ok(mut model) = Model::read(&path, &ReadOptions::default()) else { continue };
        let Ok(expected) = verdict(&mut model, Some("bfs")) else { continue };
        // Sequences of thousands of actions are not for sets of states.
        let limits = Limits { time: Some(Duration::from_secs(2)), ..Limits::default() };
        let found = settle_within(&mut model, Some("symbolic"), false, &limits).map(|(verdict, _)| verdict);
        if found != Ok("undecided") {
            assert_eq!(found.as_deref(), Ok(expected), "{}", path.display());
            compared += 1;
        }
    }
    assert!(compared > 30, "only {compared} models were compared");
}

/// Two processes that take turns, and one that may stop.
const MODEL: &str = "byte x; bool done;
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 :: done = true; break od }
active proctype Q() { do :: atomic { x > 0; x-- } od }
";

fn written(folder: &Path, text: &str) -> Model {
    let path = folder.join("model.pml");
    std::fs::write(&path, text).expect("the folder can be written");
    Model::read(&path, &ReadOptions::default()).expect("it is a model")
}

fn check(model: &mut Model, formula: &str, justice: &[&str]) -> Result<(Verdict, usize), CheckError> {
    let mut options = CheckOptions { branching: vec![formula.to_owned()], ..CheckOptions::default() };
    options.fairness.justice = justice.iter().map(|&text| text.to_owned()).collect();
    let checked = lariat::check(model, &options, &Limits::default().control())?;
    let settled = &checked.settled[0];
    Ok((settled.report().verdict.clone(), settled.witnesses().len()))
}

#[test]
fn formulas_of_branching_time() {
    let folder = tempfile::tempdir().expect("there is a folder for temporary files");
    let mut model = written(folder.path(), MODEL);
    // Formula, whether it holds, and whether a run shows why.
    let cases = [
        ("EF (x == 3)", true, true),
        ("AG (x <= 3)", true, false),
        ("AG (x <= 2)", false, true),
        ("AG EF done", true, false),
        ("AF done", false, true),
        ("EG !done", true, true),
        ("AG (done -> AX done)", true, false),
        ("EF (done && EG (x == 0))", true, true),
        ("A [x < 3 U done]", false, true),
        ("E [x < 3 U done]", true, true),
        ("EX EX (x == 1) && EX done", true, true),
        ("AG (done -> AF (x == 0))", true, false),
        ("EF EX EX (x == 2)", true, true),
        ("AX x == 1", false, true),
    ];
    for (formula, holds, shown) in cases {
        let (verdict, witnesses) = check(&mut model, formula, &[]).unwrap();
        assert_eq!(verdict == Verdict::Holds, holds, "{formula}");
        assert_eq!(witnesses > 0, shown, "{formula}: {witnesses} runs");
    }
    let (verdict, _) = check(&mut model, "AF done", &["done"]).unwrap();
    assert_eq!(verdict, Verdict::Holds, "runs on which it is never done do not count");
    let (verdict, witnesses) = check(&mut model, "EG x > 0", &["x == 3", "x == 1"]).unwrap();
    assert!(verdict != Verdict::Holds && witnesses == 0, "it begins with 0");
    let (verdict, witnesses) = check(&mut model, "EF EG x > 0", &["x == 3", "x == 1"]).unwrap();
    assert!(verdict == Verdict::Holds && witnesses == 1);
}

#[test]
fn formulas_of_linear_time_are_refused_and_those_of_ctl_star_are_not() {
    let folder = tempfile::tempdir().expect("there is a folder for temporary files");
    let mut model = written(folder.path(), MODEL);
    // It can always go round without being done.
    for (formula, holds) in [("E (F done && G x < 4)", true), ("A F G done", false), ("E G F (x == 1)", true)] {
        let (verdict, witnesses) = check(&mut model, formula, &[]).unwrap();
        assert_eq!((verdict == Verdict::Holds, witnesses), (holds, 1), "{formula}");
    }
    let Err(CheckError::Refused(refusal)) = check(&mut model, "[] (x < 3)", &[]) else {
        panic!("it is of linear time")
    };
    assert!(refusal.contains("--ltl"), "{refusal}");
    let mut options = CheckOptions { branching: vec!["AG x < 9".to_owned()], ..CheckOptions::default() };
    options.engine = Some("bfs");
    let refusal = lariat::check(&mut model, &options, &Limits::default().control()).unwrap_err().to_string();
    assert!(refusal.contains("`symbolic` and `graph` do"), "{refusal}");
}

#[test]
fn fairness_of_processes_counts_for_ctl() {
    let folder = tempfile::tempdir().expect("there is a folder for temporary files");
    let mut model = written(folder.path(), MODEL);
    for fairness in [lariat::ProcessFairness::None, lariat::ProcessFairness::Weak, lariat::ProcessFairness::Strong] {
        let mut verdicts = |options: CheckOptions| {
            let mut options = options;
            options.fairness.processes = fairness;
            let checked = lariat::check(&mut model, &options, &Limits::default().control());
            let checked = checked.unwrap_or_else(|error| panic!("{fairness:?}: {error}"));
            matches!(checked.settled[0].report().verdict, Verdict::Holds)
        };
        let linear = verdicts(CheckOptions { formulas: vec!["<> done".to_owned()], ..CheckOptions::default() });
        for engine in ["symbolic", "graph"] {
            let branching = vec!["AF done".to_owned()];
            let holds = verdicts(CheckOptions { branching, engine: Some(engine), ..CheckOptions::default() });
            assert_eq!(holds, linear, "{engine}, {fairness:?}");
        }
    }
}

/// A counter of many bits in an order that no decision diagram likes: its set of states grows and grows.
const LONG: &str = "int a, b, c, d;
active proctype P() { do :: a = a * 5 + b; b = b ^ (a * 3); c = c + a * b; d = d ^ (c * 7) + 1 od }
";

#[test]
fn limits_of_time_and_memory_end_a_search() {
    let folder = tempfile::tempdir().expect("there is a folder for temporary files");
    let mut model = written(folder.path(), LONG);
    let options =
        CheckOptions { properties: vec!["safety".to_owned()], engine: Some("symbolic"), ..CheckOptions::default() };
    let began = Instant::now();
    let control = Limits { memory_bytes: 1 << 30, time: Some(Duration::from_millis(300)) }.control();
    let checked = lariat::check(&mut model, &options, &control).unwrap();
    let found = &checked.settled[0].report().verdict;
    assert!(matches!(found, Verdict::Undecided(Shortfall::Time { .. })), "{found:?}");
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    let control = Limits { memory_bytes: 1 << 20, time: Some(Duration::from_secs(60)) }.control();
    let checked = lariat::check(&mut model, &options, &control).unwrap();
    let found = &checked.settled[0].report().verdict;
    assert!(
        matches!(found, Verdict::Undecided(Shortfall::Memory { limit_bytes }) if *limit_bytes == 1 << 20),
        "{found:?}"
    );
}

/// Whose turn it is depends on priorities that change: asked about all states, reachable or not, that takes minutes.
#[test]
fn changing_priorities_are_compared_where_they_come_about() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models/changing_priorities.pml");
    let mut model = Model::read(&path, &ReadOptions::default()).expect("it is a model");
    let options =
        CheckOptions { properties: vec!["safety".to_owned()], engine: Some("symbolic"), ..CheckOptions::default() };
    let control = Limits { memory_bytes: 1 << 30, time: Some(Duration::from_secs(300)) }.control();
    let checked = lariat::check(&mut model, &options, &control).expect("it is not refused");
    let report = checked.settled[0].report();
    assert_eq!((word(&report.verdict), report.stats.states), ("holds", 13));
    // Before, 10 seconds and 3,000,000 nodes were not enough.
    let figures = report.stats.symbolic.as_ref().expect("it is about sets");
    assert!(figures.peak_nodes < 1_500_000, "{} nodes", figures.peak_nodes);
}

/// One state has 2^50 ways to choose, all of which only guards test.
#[test]
fn a_graph_keeps_to_its_limits_within_one_state() {
    let folder = tempfile::tempdir().expect("there is a folder for temporary files");
    let path = folder.path().join("many.smv");
    let variables: String = (0..50)
        .map(|i| format!("init(w[{i}]) := FALSE; next(w[{i}]) := case t = {i} : FALSE; w[{i}] : TRUE; TRUE : {{TRUE, FALSE}}; esac;\n"))
        .collect();
    let text = format!(
        "MODULE main\nVAR t : 0..49; w : array 0..49 of boolean;\nASSIGN init(t) := 0; next(t) := (t + 1) mod 50;\n{variables}LTLSPEC \
         NAME p := G (w[1] -> F !w[1])\n"
    );
    std::fs::write(&path, text).expect("the folder can be written");
    let mut model = Model::read(&path, &ReadOptions::default()).expect("it is a model");
    let mut checked = |engine, time| {
        let options = CheckOptions { properties: vec!["p".to_owned()], engine, ..CheckOptions::default() };
        let control = Limits { memory_bytes: 1 << 30, time }.control();
        let checked = lariat::check(&mut model, &options, &control).expect("it is not refused");
        checked.settled[0].report().verdict.clone()
    };
    let began = Instant::now();
    let found = checked(Some("graph"), Some(Duration::from_millis(300)));
    assert!(matches!(found, Verdict::Undecided(_)), "{found:?}");
    assert!(began.elapsed() < Duration::from_secs(100), "{:?}", began.elapsed());
    // Others are not kept waiting by it.
    assert!(matches!(checked(None, None), Verdict::Holds));
}
