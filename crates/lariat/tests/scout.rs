//! Failures that lie deep, with default settings: found by scouts, the same way every time, and told by short runs.

use lariat::{CheckOptions, Limits, Model, ReadOptions, Report, Settled, Verdict};
use std::path::Path;
use std::time::Duration;

/// Long enough for a search level by level, and short enough for the reference evaluator in a debug build.
const LIFETIME: usize = 300;

fn model(name: &str) -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/deep").join(name);
    let defines = vec![("LIFETIME".to_owned(), LIFETIME.to_string())];
    Model::read(&path, &ReadOptions { defines, ..ReadOptions::default() })
        .unwrap_or_else(|_| panic!("{} is a model", path.display()))
}

fn checked(model: &mut Model, options: &CheckOptions) -> Settled {
    let mut checked = lariat::check(model, options, &Limits::default().control()).expect("it can be checked");
    checked.settled.remove(0)
}

fn of(property: &str) -> CheckOptions {
    CheckOptions { properties: vec![property.to_owned()], ..CheckOptions::default() }
}

/// What is told of a run whatever the machine.
fn outcome(settled: &Settled) -> (&'static str, Report) {
    let mut report = settled.report().clone();
    report.stats.elapsed = Duration::ZERO;
    report.stats.peak_memory_bytes = 0;
    // Several threads that add states at the same time may make a table grow one step further.
    report.stats.bytes_per_state = 0.0;
    (settled.engine(), report)
}

fn steps(settled: &Settled) -> usize {
    match &settled.report().verdict {
        Verdict::Fails(evidence) => evidence.trace.steps.len(),
        other => panic!("{}: {other:?}", settled.name()),
    }
}

#[test]
fn deep_failures_are_found_whatever_the_number_of_threads() {
    let mut plant = model("batch_plant.pml");
    // A line goes to work, and the controller runs; for a run that goes on for ever, some way to do that follows.
    for (property, shortest) in [("safety", LIFETIME + 1), ("worn", LIFETIME - 9), ("overhauled", LIFETIME + 1)] {
        let alone = checked(&mut plant, &CheckOptions { threads: Some(1), ..of(property) });
        assert_eq!(alone.engine(), "scout", "{property}");
        let steps = steps(&alone);
        assert!((shortest..=shortest + 100).contains(&steps), "{property}: {steps} steps");
        let together = checked(&mut plant, &CheckOptions { threads: Some(4), ..of(property) });
        assert_eq!(outcome(&alone), outcome(&together), "{property}");
    }
}

#[test]
fn a_mixed_order_finds_what_processes_do_together() {
    let settled = checked(&mut model("queue.pml"), &of("safety"));
    assert_eq!(settled.engine(), "scout");
    assert!(steps(&settled) >= 200, "{}", steps(&settled));
}

/// Where scouts find nothing, the report is that of a search without them; and who asks for more than an answer gets none.
#[test]
fn without_a_deep_failure_nothing_is_different() {
    let mut plant = model("safe_plant.pml");
    for property in ["safety", "worn", "overhauled"] {
        let settled = checked(&mut plant, &of(property));
        assert_eq!(settled.report().verdict, Verdict::Holds, "{property}");
        let asked_for = if settled.engine() == "bfs" { Some("bfs") } else { Some("scc") };
        let same = checked(&mut plant, &CheckOptions { engine: asked_for, ..of(property) });
        assert_eq!(outcome(&settled), outcome(&same), "{property}");
    }
}

#[test]
fn who_asks_for_an_engine_or_the_whole_graph_gets_no_scouts() {
    let mut plant = model("batch_plant.pml");
    let mut asking: Vec<CheckOptions> = vec![of("safety"); 4];
    asking[0].engine = Some("bfs");
    asking[1].options.shortest = true;
    asking[2].options.keep_going = true;
    asking[3].options.profile = true;
    for options in asking {
        let control = Limits { memory_bytes: 12 << 20, time: None }.control();
        let checked = lariat::check(&mut plant, &options, &control).expect("it can be checked");
        let settled = &checked.settled[0];
        assert_eq!(settled.engine(), "bfs");
        assert!(matches!(settled.report().verdict, Verdict::Undecided(_)), "{:?}", settled.report().verdict);
    }
}
