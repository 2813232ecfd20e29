//! What workers find is what is found in memory by one thread, whatever their number.

use crate::support::{control, essence, replay, safety, settled, systems, temporal, temporal_essence};
use lariat_cluster::Cluster;
use lariat_engine::{Engine, FailureKind, Feature, Options, Property, Task, Temporal, Verdict};
use lariat_explicit::{Bfs, CycleSearch};
use lariat_logic::{Formula, PropId, Propositions};
use lariat_system::{Fairness, LabelId, LabelMeaning, System};
use lariat_testkit::{Knobs, Rng, TemporalCase, check_random_systems};

const WORKERS: [usize; 3] = [1, 2, 3];

/// So many random systems and properties: `LARIAT_CLUSTER_CASES`, or few.
pub(crate) fn cases(few: u64) -> u64 {
    std::env::var("LARIAT_CLUSTER_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(few)
}

#[test]
fn random_systems_as_in_memory() {
    check_random_systems(0..cases(25), &Knobs::default(), |system| {
        for keep_going in [false, true] {
            let plain = Options { keep_going, ..Options::default() };
            let expected = essence(&settled(&Bfs, &safety(plain.clone(), system)));
            for threads in WORKERS {
                let report = settled(&Cluster::LOCAL, &safety(Options { threads, ..plain.clone() }, system));
                let found = essence(&report);
                if found != expected {
                    return Err(format!("{threads} workers: {found}\nin memory: {expected}"));
                }
                replay(system, None, report)?;
            }
        }
        Ok(())
    });
}

#[test]
fn runs_are_the_same_for_any_number_of_workers() {
    let mut failed = 0;
    for system in systems(8, 100..=600) {
        let run = |threads| {
            let report =
                settled(&Cluster::LOCAL, &safety(Options { threads, keep_going: true, ..Options::default() }, &system));
            report.failures
        };
        let alone = run(1);
        failed += alone.len();
        for threads in [2, 3] {
            assert_eq!(run(threads), alone, "{threads} workers\n{system}");
        }
    }
    assert!(failed > 2, "{failed}");
}

#[test]
fn a_bound_is_met_as_in_memory() {
    for system in systems(3, 50..=400) {
        for depth in [0, 1, 3, 6] {
            let plain = Options { depth_limit: Some(depth), keep_going: true, ..Options::default() };
            let expected = essence(&settled(&Bfs, &safety(plain.clone(), &system)));
            let found = essence(&settled(&Cluster::LOCAL, &safety(Options { threads: 3, ..plain }, &system)));
            assert_eq!(found, expected);
        }
    }
}

/// Settles the property in memory and by workers: whether it took part, and whether it fails.
fn compare(system: &System, temporal: &Temporal, workers: &[usize]) -> Result<Option<bool>, String> {
    let property = Property::Temporal(Box::new(temporal.clone()));
    let plain = Task::of_system(system, property.clone(), Options::default());
    let expected = CycleSearch::SCC.settle(&plain, &control()).map_err(|error| error.to_string())?;
    for &threads in workers {
        let task = Task::of_system(system, property.clone(), Options { threads, ..Options::default() });
        if let Err(refusal) = Cluster::LOCAL.prepare(&task) {
            assert_eq!(refusal.feature, Feature::Acceptance, "{refusal}");
            return Ok(None);
        }
        let report = settled(&Cluster::LOCAL, &task);
        let workers = report.stats.cluster.as_ref().map_or(0, |cluster| cluster.workers.len());
        assert_eq!(workers, threads);
        // Formulas that fail at some moment are another search, which does not see the same.
        let of_cycles = Cluster::LOCAL.prepare(&task).expect("as before").plan().search.algorithm.contains("OWCTY");
        let (found, expected) = match of_cycles {
            true => (temporal_essence(&report), temporal_essence(&expected)),
            false => {
                (format!("{}", report.verdict == Verdict::Holds), format!("{}", expected.verdict == Verdict::Holds))
            }
        };
        if found != expected {
            return Err(format!("{threads} workers: {found}; in memory: {expected}"));
        }
        if let (Verdict::Fails(evidence), true) = (&report.verdict, of_cycles) {
            assert_eq!(evidence.kind, FailureKind::Cycle);
        }
        replay(system, Some(temporal), report)?;
    }
    Ok(Some(matches!(expected.verdict, Verdict::Fails(_))))
}

#[test]
fn random_properties_as_in_memory() {
    let (mut took, mut failed, mut strong, mut strong_failed) = (0, 0, 0, 0);
    for seed in 0..cases(100) {
        let case = TemporalCase::generate(seed);
        let Some(labels) = case.labels() else { continue };
        let Some(temporal) = temporal(&case.formula, &case.propositions, labels) else { continue };
        match compare(&case.system, &temporal, &[1, 3]) {
            Ok(None) => {}
            Ok(Some(fails)) => {
                took += 1;
                failed += u32::from(fails);
                if case.system.fairness.iter().any(Fairness::is_strong) {
                    strong += 1;
                    strong_failed += u32::from(fails);
                }
            }
            Err(message) => panic!("seed {seed}: {message}\n{case}"),
        }
    }
    println!("{took} properties, {failed} fail; with strong fairness {strong}, {strong_failed} fail");
    assert!(took > 30 && failed > 8 && failed < took - 8, "{took} {failed}");
    assert!(strong > 5 && strong_failed > 1 && strong_failed < strong, "{strong} {strong_failed}");
}

/// `[]<> p`, `<>[] p` and `[] (p -> <> q)` of labels of states.
pub(crate) fn formulas(system: &System, rng: &mut Rng) -> Vec<(Formula, Propositions, Vec<LabelId>)> {
    let labels = system.labels.ids().filter(|&label| matches!(system.labels[label].meaning, LabelMeaning::State(_)));
    let labels: Vec<LabelId> = labels.collect();
    if labels.is_empty() {
        return Vec::new();
    }
    let propositions = Propositions::named(labels.iter().map(|&label| system.labels[label].name.as_str()));
    let mut literal = || Formula::prop(PropId(rng.below(labels.len()) as u32));
    let (p, q) = (literal(), literal());
    let again = |formula: Formula| Formula::globally(Formula::finally(formula));
    let all = [
        again(p.clone()),
        Formula::finally(Formula::globally(p.clone())),
        Formula::globally(Formula::implies(p.clone(), Formula::finally(q.clone()))),
        Formula::implies(again(p), again(q)),
    ];
    all.into_iter().map(|formula| (formula, propositions.clone(), labels.clone())).collect()
}

#[test]
fn larger_systems_as_in_memory() {
    let (mut took, mut failed, mut rng) = (0, 0, Rng::new(3));
    for system in systems(4, 100..=400) {
        for (formula, propositions, labels) in formulas(&system, &mut rng) {
            let temporal = temporal(&formula, &propositions, labels).expect("it is small");
            match compare(&system, &temporal, &[2]) {
                Ok(Some(fails)) => {
                    took += 1;
                    failed += u32::from(fails);
                }
                Ok(None) => {}
                Err(message) => panic!("{message}\n{system}"),
            }
        }
    }
    assert!(took > 4 && failed > 1 && failed < took, "{took} {failed}");
}

/// A loop near the initial state is found long before all states are met; where there is none, all are.
#[test]
fn an_accepting_cycle_is_found_early() {
    let size = 14;
    let axis =
        |name: &str| format!("action \"{name}\" {{\n    when {name} < {size}\n    set {name} := {name} + 1\n}}\n");
    let text = |back: &str| {
        let axes = ["x", "y", "z"].map(axis).concat();
        let slots = ["x", "y", "z"].map(|name| format!("slot {name} : 0..{size} = 0\n")).concat();
        format!("system grid\ndead_ends stutter\n{slots}label p = x == {size}\n{axes}{back}")
    };
    let read =
        |text: &str| lariat_system::text::parse(text, lariat_base::FileId(0)).unwrap_or_else(|e| panic!("{e:?}"));
    let all = u64::from(size + 1_u32).pow(3);
    // As long as x is small it can go back; without that, x reaches its end in every run.
    let looping = "action \"back\" {\n    when x > 0 && x < 4\n    set x := x - 1\n}\n";
    for (back, fails) in [(looping, true), ("", false)] {
        let system = read(&text(back));
        let label = system.labels.ids().next().expect("there is one");
        let propositions = Propositions::named(["p"]);
        let temporal = temporal(&Formula::finally(Formula::prop(PropId(0))), &propositions, vec![label]);
        let temporal = temporal.expect("it is small");
        for threads in WORKERS {
            let options = Options { threads, ..Options::default() };
            let task = Task::of_system(&system, Property::Temporal(Box::new(temporal.clone())), options);
            let report = settled(&Cluster::LOCAL, &task);
            assert_eq!(matches!(report.verdict, Verdict::Fails(_)), fails, "{threads} workers: {:?}", report.verdict);
            let states = report.stats.states;
            assert!(if fails { states < all / 8 } else { states >= all / 2 }, "{threads} workers: {states} of {all}");
            replay(&system, Some(&temporal), report).expect("its run is a run");
        }
    }
}
