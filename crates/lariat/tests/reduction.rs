//! The partial-order reduction, as it is asked for: the same verdicts, fewer states, and a reason where it is refused.

use crate::support::engines;
use lariat::{CheckError, CheckOptions, Limits, Model, Questions, ReadOptions, Settled, Simplify, Verdict};
use lariat_engine::{Options, Property, RunControl, Shortfall, Split, StoreKind, Task};
use lariat_store::Replacement;
use lariat_subject::survey;
use lariat_system::Simplifications;
use lariat_testkit::file_test::Case;
use std::path::Path;
use std::time::Duration;

/// With these, every other one with two threads.
const STORES: [StoreKind; 6] = [
    StoreKind::Tree,
    StoreKind::Tree,
    StoreKind::Hybrid { split: Split::ClaimFairness },
    StoreKind::Flat,
    StoreKind::Compact,
    StoreKind::Cache { replacement: Replacement::Random },
];

fn model(text: &str) -> Model {
    let folder = tempfile::tempdir().expect("there is a place for a model");
    let path = folder.path().join("model.pml");
    std::fs::write(&path, text).expect("it can be written");
    Model::read(&path, &ReadOptions::default()).unwrap_or_else(|rejected| panic!("{:?}", rejected.diagnostics))
}

fn check(model: &mut Model, options: &CheckOptions) -> Result<Vec<Settled>, CheckError> {
    lariat::check(model, options, &Limits::default().control()).map(|checked| checked.settled)
}

fn options(property: &str, reduce: bool) -> CheckOptions {
    let mut options = CheckOptions { properties: vec![property.to_owned()], ..CheckOptions::default() };
    options.options.reduce = reduce;
    options
}

/// Whether the property fails, and the number of states.
fn settle(model: &mut Model, options: &CheckOptions) -> (bool, u64) {
    let settled = check(model, options).unwrap_or_else(|error| panic!("{error}"));
    let report = settled[0].report();
    (matches!(report.verdict, Verdict::Fails(_)), report.stats.states)
}

/// SPIN's reduction misses this one.
#[test]
fn a_process_started_later_is_seen() {
    let mut model = model("init { run f() }\nactive proctype f() { assert(_pid == 1) }\n");
    assert!(settle(&mut model, &options("safety", true)).0);
}

#[test]
fn channels_with_one_sender_and_one_receiver_are_found_out() {
    let text = "chan q[3] = [2] of { byte };
        proctype P(chan in; chan out) { byte x; out!1; in?x; out!x; in?x; assert(x == 1) }
        init { atomic { run P(q[0], q[1]); run P(q[1], q[2]); run P(q[2], q[0]) } }";
    let mut model = model(text);
    let (whole, reduced) =
        (settle(&mut model, &options("safety", false)), settle(&mut model, &options("safety", true)));
    assert!(!whole.0 && !reduced.0);
    assert!(reduced.1 * 4 < whole.1, "{} states of {}", reduced.1, whole.1);
}

/// Two senders, somebody who counts messages, and a sequence that goes on as the channel allows: the order makes a
/// difference.
#[test]
fn where_the_order_makes_a_difference_it_is_kept() {
    for (text, fails) in [
        (
            "chan q = [2] of { byte }; active proctype A() { q!1 } active proctype B() { q!2 }
          active proctype C() { byte x; q?x; assert(x == 1) }",
            true,
        ),
        (
            "chan q = [2] of { byte }; active proctype A() { q!1 }
          active proctype C() { assert(len(q) == 1) }",
            true,
        ),
        (
            "chan q = [2] of { byte }; byte m; active proctype A() { q!1; q!2 } active proctype R() { assert(m == 0) }
          active proctype C() { byte x; atomic { q?x; m = 1; q?x; m = 0 } }",
            true,
        ),
        (
            "chan q = [2] of { byte }; byte z; active proctype A() { q!1; q!2 }
          active proctype C() { byte x; q?x; q?x; assert(x == 2) }",
            false,
        ),
        ("byte x; active proctype A() { byte y; y = 1; x = y } active proctype B() { assert(x == 0) }", true),
    ] {
        let mut model = model(text);
        assert_eq!(settle(&mut model, &options("safety", false)).0, fails, "{text}");
        assert_eq!(settle(&mut model, &options("safety", true)).0, fails, "{text}");
    }
}

#[test]
fn formulas_keep_their_truth() {
    let text = "byte g; chan q = [1] of { byte };
        active proctype A() { byte i; do :: i < 3 -> i++; q!i :: else -> break od; g = 1 }
        active proctype B() { byte x; do :: q?x; if :: x == 3 -> break :: else fi od; g = 2 }";
    let mut model = model(text);
    for formula in [
        "<> (g > 0)",
        "[] (g == 0)",
        "<> [] (g == 2)",
        "<> [] (g == 1)",
        "(g == 0) U (g > 0)",
        "<> ((g == 0) && X ! (g == 0))",
    ] {
        let ask = |reduce: bool| {
            let mut options = CheckOptions { formulas: vec![formula.to_owned()], ..CheckOptions::default() };
            options.options.reduce = reduce;
            options
        };
        let (whole, reduced) = (settle(&mut model, &ask(false)), settle(&mut model, &ask(true)));
        assert_eq!(whole.0, reduced.0, "{formula}");
        assert!(reduced.1 <= whole.1, "{formula}");
    }
}

#[test]
fn what_cannot_be_honoured_is_refused_with_a_reason() {
    let text = "byte g; active proctype A() { do :: g = 1 - g od }\nltl later { X (g == 1) }\nltl ok { <> (g == 1) }";
    let mut model = model(text);
    let mut refused = |change: &dyn Fn(&mut CheckOptions), word: &str| {
        let mut options = options("ok", true);
        change(&mut options);
        match check(&mut model, &options) {
            Err(CheckError::Refused(reason)) => {
                assert!(reason.contains("--por on") && reason.contains(word), "{word}: {reason}");
            }
            other => panic!("{word}: {other:?}"),
        }
    };
    refused(&|options| options.properties = vec!["later".to_owned()], "count");
    refused(&|options| options.fairness.processes = lariat::ProcessFairness::Weak, "fairness");
    refused(&|options| (options.properties, options.formulas) = (Vec::new(), vec!["<> moves(0)".to_owned()]), "moves");
    refused(&|options| options.options.shortest = true, "shortest");
    refused(&|options| options.options.depth_limit = Some(3), "bound");
    refused(&|options| options.options.keep_going = true, "counted");
    refused(&|options| (options.properties, options.options.profile) = (vec!["safety".to_owned()], true), "--profile");
}

/// Every property of the models of orders is audited: verdicts, dead ends, errors, actions and letters are the same.
#[test]
fn audits_of_the_models_find_no_difference() {
    let (mut audited, mut smaller) = (0, 0);
    for folder in ["../../models", "tests/orders"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        for entry in std::fs::read_dir(folder).expect("the project has models") {
            let path = entry.expect("a folder can be read").path();
            if path.extension().is_none_or(|extension| extension != "pml") {
                continue;
            }
            let Ok(mut model) = Model::read(&path, &ReadOptions::default()) else { continue };
            let stated = model.properties().iter().filter(|property| !property.on_request);
            let names: Vec<String> = stated.map(|property| property.name.clone()).collect();
            for name in names.iter().map(String::as_str).chain(["safety"]) {
                let mut checking = options(name, true);
                checking.audit = true;
                // What cannot be reduced is refused.
                let settled = match check(&mut model, &checking) {
                    Ok(settled) => settled,
                    Err(CheckError::Refused(_)) => continue,
                    Err(error) => panic!("{}, {name}: {error}", path.display()),
                };
                let audit = settled[0].report().stats.audit.expect("it was asked for");
                let graphs = audit.graphs.expect("they are small");
                audited += 1;
                smaller += usize::from(graphs.left < graphs.states);
            }
        }
    }
    println!("{audited} audits, {smaller} of them with fewer states");
    assert!(audited > 40 && smaller > 15, "{audited} {smaller}");
}

/// What a walk through a graph finds of another one is a difference, and it keeps to the limits.
#[test]
fn an_audit_would_see_a_difference() {
    let looked_at = |text: &str, reduce: bool, bytes: u64| {
        let system = model(text).system(4).expect("a system");
        let task =
            Task::of_system(&system, Property::Safety { invalid_ends: true }, Options { reduce, ..Options::default() });
        survey(&task, &RunControl::new(bytes, None)).expect("a survey")
    };
    let of = |text: &str, reduce: bool| looked_at(text, reduce, MEMORY_BYTES).expect("there is room");
    let (fails, ends) = (
        "byte x; active [2] proctype P() { x = 1; x = 2; assert(x == 2) }",
        "byte x; active [2] proctype P() { x = 1; x = 2; assert(x > 0) }",
    );
    let (blocks, loops) = (
        "byte x; active [2] proctype P() { x = 1; x = 2; x == 3 }",
        "byte x; active [2] proctype P() { do :: x = 1 :: x = 2 od }",
    );
    assert_eq!(of(ends, true).difference(&of(ends, false)), None);
    for (left, whole, what) in
        [(fails, ends, "run-time errors"), (blocks, ends, "dead ends"), (ends, loops, "dead ends")]
    {
        let found = of(left, true).difference(&of(whole, false));
        assert!(found.as_ref().is_some_and(|found| found.starts_with(what)), "{what}: {found:?}");
    }
    assert!(matches!(looked_at(ends, false, 1 << 10), Err(Shortfall::Memory { .. })));
}

/// By default large graphs are reduced, at any number of threads alike, and small ones are not.
#[test]
fn whether_steps_are_left_out_does_not_depend_on_threads() {
    // 20,736 states, a few more than are searched as they are; and 17,576.
    for (places, is_reduced) in [(142, true), (130, false)] {
        let own: String = (0..places).map(|number| format!("x = {number}; ")).collect();
        let mut model = model(&format!("active [2] proctype P() {{ byte x; {own} }}"));
        for threads in [1, 2, 2, 2] {
            let mut checking = options("safety", false);
            (checking.reduce_if_possible, checking.threads) = (true, Some(threads));
            let settled = check(&mut model, &checking).expect("it is checked");
            let stats = &settled[0].report().stats;
            assert_eq!(stats.is_reduced, is_reduced, "{places} places, {threads} threads: {stats:?}");
            assert_eq!(stats.states < 1000, is_reduced, "{places} places, {threads} threads: {stats:?}");
        }
    }
}

/// Enough for small models, whatever else the tests of this file have allocated.
const MEMORY_BYTES: u64 = 1 << 30;

/// Every property of every model file, in every engine and store that admits it: what is said of the reduced space is what
/// is said of the whole.
#[test]
fn the_models_keep_their_verdicts() {
    let mut tally = (0, 0);
    for folder in ["../../models", "tests/models", "tests/orders"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        for entry in std::fs::read_dir(folder).expect("the project has models") {
            let path = entry.expect("a folder can be read").path();
            let Some(comment) = lariat::front::front_ends().comment_of(&path) else { continue };
            let text = std::fs::read_to_string(&path).expect("a model can be read");
            let Ok(case) = Case::parse(&path, comment, text) else { continue };
            let (reading, checking) = crate::support::options(&case);
            let Ok(mut model) = Model::read(&path, &reading) else { continue };
            let stated = model.properties().iter().filter(|property| !property.on_request);
            let named = stated.map(|property| property.name.clone());
            let properties: Vec<String> =
                ["safety".to_owned()].into_iter().chain(named).chain(checking.properties.clone()).collect();
            for property in properties {
                let allow_deadlock = checking.allow_deadlock && property == "safety";
                let checking = CheckOptions { properties: vec![property], allow_deadlock, ..checking.clone() };
                let (compared, reduced) = compare_searches(&path, &mut model, &checking);
                tally = (tally.0 + compared, tally.1 + reduced);
            }
        }
    }
    println!("{} answers compared, {} from fewer states", tally.0, tally.1);
    let least = if cfg!(debug_assertions) { 600 } else { 1000 };
    assert!(tally.0 > least && tally.1 > 30, "{tally:?}");
}

/// Compares what is said of the property with and without reduction, for all engines, stores and one or two threads: how many
/// answers were compared, and how many came from fewer states.
///
/// The property is read and lowered once.
fn compare_searches(path: &Path, model: &mut Model, checking: &CheckOptions) -> (usize, usize) {
    let Ok(questions) = Questions::of(model, checking) else { return (0, 0) };
    let Some((whole, all)) = answer(&questions, model, checking) else { return (0, 0) };
    let (mut compared, mut smaller) = (0, 0);
    for (turn, engine) in engines().into_iter().enumerate() {
        // A development build takes one in three, with engines in turn: a release build takes all.
        let every = if cfg!(debug_assertions) { 3 } else { 1 };
        for (number, store) in STORES.into_iter().enumerate().skip(turn % every).step_by(every) {
            let mut checking = CheckOptions { engine: Some(engine), threads: Some(1 + number % 2), ..checking.clone() };
            checking.options.store = store;
            checking.options.reduce = true;
            let control = Limits { memory_bytes: MEMORY_BYTES, ..Limits::default() }.control();
            let settled = match questions.settle(model, &checking, &control) {
                Ok(checked) => checked.settled,
                Err(CheckError::Refused(_)) => continue,
                Err(error) => panic!("{}: {error}", path.display()),
            };
            let report = settled[0].report();
            let name = || format!("{}, {} by `{engine}` in {store:?}", path.display(), settled[0].name());
            match &report.verdict {
                Verdict::Holds => assert!(!whole, "{}: it holds of the reduced space", name()),
                Verdict::Fails(_) => assert!(whole, "{}: it fails in the reduced space", name()),
                Verdict::Undecided(_) => assert!(store.is_lossy(), "{}: {report:?}", name()),
                Verdict::Computed(_) => panic!("{}: {report:?}", name()),
            }
            // Small as the models are, no store loses anything of them.
            assert!(!whole || matches!(report.verdict, Verdict::Fails(_)), "{}: {report:?}", name());
            compared += 1;
            smaller += usize::from(!whole && report.stats.states < all);
        }
    }
    (compared, smaller)
}

/// Whether the property fails in the whole space, and the number of states; `None` if that is not settled.
fn answer(questions: &Questions, model: &Model, checking: &CheckOptions) -> Option<(bool, u64)> {
    let settled = questions.settle(model, checking, &Limits::default().control()).ok()?.settled;
    let report = settled[0].report();
    let fails = match &report.verdict {
        Verdict::Holds => false,
        Verdict::Fails(_) => true,
        Verdict::Computed(_) | Verdict::Undecided(_) => return None,
    };
    Some((fails, report.stats.states))
}

/// The same with every search of a simplified system.
fn simplifying(property: &str, what: Simplifications) -> CheckOptions {
    CheckOptions { simplify: Simplify::Always(what), ..options(property, false) }
}

/// What is said of a simplified system is what is said of the model's: every property of every model file. Runs replay in the model's
/// system, or `check` would not return them.
#[test]
fn simplified_models_keep_their_verdicts() {
    let (mut compared, mut smaller, mut failed) = (0, 0, 0);
    for folder in ["../../models", "../../models/gallery", "tests/models", "tests/orders"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        for entry in std::fs::read_dir(folder).expect("the project has models") {
            let path = entry.expect("a folder can be read").path();
            if path.extension().is_none_or(|extension| extension != "pml") {
                continue;
            }
            let Ok(mut model) = Model::read(&path, &ReadOptions::default()) else { continue };
            let everything = CheckOptions::default();
            let limited = |options: &CheckOptions, model: &mut Model| {
                let limits = Limits { memory_bytes: MEMORY_BYTES, time: Some(Duration::from_secs(2)) };
                lariat::check(model, options, &limits.control()).ok()
            };
            let Some(whole) = limited(&everything, &mut model) else { continue };
            let always = CheckOptions { simplify: Simplify::Always(Simplifications::ALL), ..CheckOptions::default() };
            let Some(left) = limited(&always, &mut model) else { continue };
            for (whole, left) in whole.settled.iter().zip(&left.settled) {
                let word = |verdict: &Verdict| match verdict {
                    Verdict::Holds => "holds",
                    Verdict::Fails(_) => "fails",
                    Verdict::Computed(_) | Verdict::Undecided(_) => "open",
                };
                let words = (word(&whole.report().verdict), word(&left.report().verdict));
                let open = words.0 == "open" || words.1 == "open";
                assert!(words.0 == words.1 || open, "{}, {}: {words:?}", path.display(), whole.name());
                compared += 1;
                failed += usize::from(words.1 == "fails");
                smaller += usize::from(left.report().stats.states < whole.report().stats.states);
            }
        }
    }
    println!("{compared} properties compared, {failed} fail, {smaller} with fewer states");
    assert!(compared > 40 && failed > 10 && smaller > 5, "{compared} {failed} {smaller}");
}

/// On the loop the dead variable has another value than before it, and the loop of the simplified system is gone round twice.
#[test]
fn a_loop_that_forgets_is_gone_round_until_it_closes() {
    let text = "bool q; active proctype P() { byte x = 7; byte y; assert(x == 7); y = x; do :: x = 3; y = x; q = (y == 9) od } ltl never_q { <> q }";
    let mut everything = model(text);
    let settled = check(&mut everything, &simplifying("never_q", Simplifications::ALL)).expect("it is checked");
    let report = settled[0].report();
    let Verdict::Fails(evidence) = &report.verdict else { panic!("{:?}", report.verdict) };
    assert!(report.stats.is_reduced && evidence.trace.loop_start.is_some());
}

/// A counter that nothing reads does not come back for 256 rounds: the run is found in the model's system, which has it.
#[test]
fn a_counter_that_nothing_reads_is_no_obstacle() {
    let text =
        "bool q; int n; active proctype P() { do :: d_step { n = (n < 60000 -> n + 1 : 0); q = 0 } od } ltl p { <> q }";
    let mut everything = model(text);
    let settled = check(&mut everything, &simplifying("p", Simplifications::ALL)).expect("it is checked");
    assert!(matches!(settled[0].report().verdict, Verdict::Fails(_)));
    // It reads itself only.
    let mut counting = model("int n; active proctype P() { do :: d_step { n = (n < 60000 -> n + 1 : 0) } od }");
    let settled = check(&mut counting, &simplifying("safety", Simplifications::ALL)).expect("it is checked");
    assert!(settled[0].report().stats.states < 10, "{:?}", settled[0].report().stats);
}

/// What asks for the whole graph is refused, as is an engine that searches the system as it is.
#[test]
fn what_cannot_be_simplified_is_refused() {
    let text = "byte n; active proctype P() { byte x; do :: x = n; n = x od }";
    let refused = |change: &dyn Fn(&mut CheckOptions)| {
        let mut options = simplifying("safety", Simplifications::ALL);
        change(&mut options);
        match check(&mut model(text), &options) {
            Err(CheckError::Refused(why)) => why,
            other => panic!("{other:?}"),
        }
    };
    assert!(refused(&|options| options.options.keep_going = true).contains("`--keep-going`"));
    assert!(refused(&|options| options.options.depth_limit = Some(3)).contains("`--depth`"));
    assert!(refused(&|options| options.engine = Some("symbolic")).contains("in memory, one by one"));
}

/// The loop of the simplified system is one step, that of the system two: shortest lassos are searched in the system.
#[test]
fn shortest_lassos_are_those_of_the_system() {
    let text = "byte c; bit g; active proctype P() { do :: atomic { g == 0 -> c = (c + 1) % 5 } :: g = 1; g = 0 od }\n\
                ltl p { <> (g == 1 && X (g == 1)) }";
    let length = |simplify: Simplify| {
        let mut options = CheckOptions { simplify, ..options("p", false) };
        options.options.shortest = true;
        check(&mut model(text), &options).map(|settled| match &settled[0].report().verdict {
            Verdict::Fails(evidence) => evidence.trace.steps.len(),
            other => panic!("{other:?}"),
        })
    };
    assert_eq!(length(Simplify::Never).expect("it is checked"), 2);
    assert_eq!(length(Simplify::WhereLarge(Simplifications::ALL)).expect("it is checked"), 2);
    assert!(
        matches!(length(Simplify::Always(Simplifications::ALL)), Err(CheckError::Refused(why)) if why.contains("`--shortest`"))
    );
}

/// The loop of a lifted run begins where it can, and not only where a round does.
#[test]
fn a_lifted_loop_begins_as_early_as_it_can() {
    let text = "byte c; bit g; active proctype P() { byte k; k = 7; do :: atomic { c = (c + 1) % 50; g = 1 - g; k = 3 } od }\n\
                ltl p { <>[] (g == 1) }";
    let run = |what: Simplifications| {
        let settled = check(&mut model(text), &simplifying("p", what)).expect("it is checked");
        match &settled[0].report().verdict {
            Verdict::Fails(evidence) => (evidence.trace.loop_start.expect("a loop"), evidence.trace.steps.len()),
            other => panic!("{other:?}"),
        }
    };
    let (start, steps) = run(Simplifications::ALL);
    assert!(start <= 3 && steps - start == 50, "{start} + {}", steps - start);
}
