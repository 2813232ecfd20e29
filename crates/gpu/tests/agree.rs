//! What kernels find, on this processor, is what is found in memory.

use crate::support::{control, essence, replay, safety, settled, temporal, temporal_essence};
use lariat_base::FileId;
use lariat_engine::{Engine, FailureKind, Feature, Options, Property, Task, Temporal, Verdict};
use lariat_explicit::{Bfs, CycleSearch};
use lariat_gpu::Gpu;
use lariat_logic::{Formula, PropId, Propositions};
use lariat_system::{Fairness, LabelId, System};
use lariat_testkit::{Knobs, TemporalCase, check_random_systems};
use std::ops::Range;

/// The engine with kernels on this processor; on a card, if `LARIAT_GPU_TESTS=card` says so.
fn gpu() -> Gpu {
    if std::env::var_os("LARIAT_GPU_TESTS").is_some_and(|value| value == "card") { Gpu::CARD } else { Gpu::PROCESSOR }
}

/// The seeds of random systems and properties: few, or those of `LARIAT_GPU_CASES`, which is `FIRST..END`.
fn seeds(few: u64) -> Range<u64> {
    let Ok(text) = std::env::var("LARIAT_GPU_CASES") else { return 0..few };
    let seed = |text: &str| text.parse().expect("LARIAT_GPU_CASES is FIRST..END");
    let (first, end) = text.split_once("..").expect("LARIAT_GPU_CASES is FIRST..END");
    seed(first)..seed(end)
}

#[test]
fn random_systems_as_in_memory() {
    check_random_systems(seeds(100), &Knobs::default(), |system| {
        for keep_going in [false, true] {
            let options = Options { keep_going, ..Options::default() };
            let expected = essence(&settled(&Bfs, &safety(options.clone(), system)));
            let report = settled(&gpu(), &safety(options, system));
            let found = essence(&report);
            if found != expected {
                return Err(format!("gpu: {found}\nin memory: {expected}"));
            }
            replay(system, None, report)?;
        }
        Ok(())
    });
}

/// Settles the property in memory and by kernels: whether it took part, and whether it fails.
fn compare(system: &System, temporal: &Temporal) -> Result<Option<bool>, String> {
    let property = Property::Temporal(Box::new(temporal.clone()));
    let task = Task::of_system(system, property, Options::default());
    let expected = CycleSearch::SCC.settle(&task, &control()).map_err(|error| error.to_string())?;
    let engine = gpu();
    let prepared = match engine.prepare(&task) {
        Ok(prepared) => prepared,
        Err(refusal) => {
            assert!(matches!(refusal.feature, Feature::Acceptance | Feature::Size), "{refusal}");
            return Ok(None);
        }
    };
    // Formulas that fail at some moment are another search, which does not see the same.
    let of_cycles = prepared.plan().search.algorithm.contains("OWCTY");
    let report = settled(&gpu(), &task);
    let (found, expected_essence) = match of_cycles {
        true => (temporal_essence(&report), temporal_essence(&expected)),
        false => (format!("{}", report.verdict == Verdict::Holds), format!("{}", expected.verdict == Verdict::Holds)),
    };
    if found != expected_essence {
        return Err(format!("gpu: {found}; in memory: {expected_essence}"));
    }
    if let (Verdict::Fails(evidence), true) = (&report.verdict, of_cycles) {
        assert_eq!(evidence.kind, FailureKind::Cycle);
    }
    replay(system, Some(temporal), report)?;
    Ok(Some(matches!(expected.verdict, Verdict::Fails(_))))
}

#[test]
fn random_properties_as_in_memory() {
    let (mut took, mut failed, mut strong, mut strong_failed) = (0, 0, 0, 0);
    for seed in seeds(150) {
        let case = TemporalCase::generate(seed);
        let Some(labels) = case.labels() else { continue };
        let Some(temporal) = temporal(&case.formula, &case.propositions, labels) else { continue };
        match compare(&case.system, &temporal) {
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

/// Systems that were once searched wrongly, as texts.
const KEPT: [&str; 2] = [
    // In a pass for the way back, states without steps were taken for predecessors.
    "system ends
frame P0 { }
pool 3
init { spawn P0() }
action \"a4\" by P0 { exit }
action \"a7\" by P0 { spawn P0() }
dead_ends stutter
proper_end 0
",
    // A process that can take an action without a successor holds control on.
    "system held
frame P1 { hidden slot pc : 0..2 = 0 }
pool 1
init { spawn P1(pc := 0) }
label l0 step
action \"a4\" by P1 { control p0.pc == 1  set p0.pc := 2  hold p0 }
action \"a5\" by P1 { trap effect event_trace if 1 then stops }
action \"a7\" { set P1[0].pc := 1 }
dead_ends stutter
",
];

#[test]
fn what_was_wrong_once_is_right() {
    for text in KEPT {
        let system = lariat_system::text::parse(text, FileId(0)).unwrap_or_else(|error| panic!("{error:?}"));
        let options = Options { keep_going: true, ..Options::default() };
        let expected = essence(&settled(&Bfs, &safety(options.clone(), &system)));
        let report = settled(&gpu(), &safety(options, &system));
        assert_eq!(essence(&report), expected, "{text}");
        replay(&system, None, report).expect("its runs are runs");
        let propositions = Propositions::named(["l0"]);
        let labels: Vec<LabelId> = system.labels.ids().collect();
        if labels.is_empty() {
            continue;
        }
        let always = Formula::finally(Formula::globally(Formula::prop(PropId(0))));
        for formula in [always.clone(), always.negated()] {
            let temporal = temporal(&formula, &propositions, labels.clone()).expect("it is small");
            compare(&system, &temporal).unwrap_or_else(|why| panic!("{why}\n{text}"));
        }
    }
}
