//! Temporal properties on disk are settled as in memory, with few states in memory and any number of threads.

use crate::sim_files::{Fault, SimFiles};
use crate::support::{answered, control, fault_calls, small_disk, systems};
use lariat_automata::{TranslateOptions, translate};
use lariat_engine::{
    Demand, Disk, Engine, Feature, Options, Property, Report, RunControl, Settled, SystemReplay, Task, Temporal,
    Verdict,
};
use lariat_explicit::CycleSearch;
use lariat_external::External;
use lariat_logic::{Formula, PropId, Propositions};
use lariat_system::{Fairness, LabelId, LabelMeaning, System};
use lariat_testkit::{Rng, TemporalCase};
use std::path::PathBuf;
use std::sync::Arc;

pub(crate) fn temporal(formula: &Formula, propositions: &Propositions, labels: Vec<LabelId>) -> Option<Temporal> {
    let bad = formula.negated();
    let automaton = translate(&bad, propositions, &TranslateOptions::default()).ok()?;
    let names: Vec<String> = propositions.entries().map(|(_, proposition)| proposition.text.clone()).collect();
    let bad_runs = automaton.over_propositions(&names);
    Some(Temporal { bad: bad_runs, labels, demands: vec![Demand::Satisfies(bad)], is_of_all_states: false })
}

/// Verdict, states, transitions and digest of a product that was seen as a whole; the verdict alone if it fails.
fn essence(report: &Report) -> String {
    match &report.verdict {
        Verdict::Fails(_) => "fails".to_owned(),
        verdict => {
            let stats = &report.stats;
            format!("{verdict:?}: {} states, {} transitions, {:?}", stats.states, stats.transitions, stats.digest)
        }
    }
}

/// Settles the property in memory and on disk: whether it took part, and whether it fails.
fn compare(system: &System, temporal: &Temporal) -> Result<Option<bool>, String> {
    let property = Property::Temporal(Box::new(temporal.clone()));
    let plain = Task::of_system(system, property.clone(), Options::default());
    let expected = CycleSearch::SCC.settle(&plain, &control()).map_err(|error| error.to_string())?;
    let replay = SystemReplay::of_temporal(system, temporal).map_err(|error| error.to_string())?;
    for (threads, buffer_states, folders) in [(1, 40, 1), (2, 150, 2), (4, 1997, 1)] {
        let files = SimFiles::default();
        let disk = Some(Disk { checkpoint_ms: None, ..small_disk(buffer_states, folders) });
        let task = Task::of_system(system, property.clone(), Options { threads, disk, ..Options::default() });
        let engine = External::on(Arc::new(files.clone()));
        match engine.prepare(&task) {
            Ok(_) => {}
            Err(refusal) => {
                assert_eq!(refusal.feature, Feature::Acceptance, "{refusal}");
                return Ok(None);
            }
        }
        let control = control();
        let report = engine.settle(&task, &control).map_err(|error| error.to_string())?;
        // What the passes made was removed by them.
        let of_passes = |path: &PathBuf| {
            let name = path.file_name().expect("a name").to_string_lossy();
            name.starts_with("set-") || name.starts_with("sort-")
        };
        let left: Vec<PathBuf> = files.list().into_iter().filter(of_passes).collect();
        if !left.is_empty() {
            return Err(format!("left behind: {left:?}"));
        }
        control.answered();
        if !files.list().is_empty() {
            return Err(format!("left behind: {:?}", files.list()));
        }
        // Formulas that fail at some moment are another search, which does not see the same.
        let is_cycle = report.stats.disk.as_ref().is_some_and(|figures| figures.bound_bytes == 0);
        let (found, expected) = match is_cycle {
            true => (essence(&report), essence(&expected)),
            false => {
                (format!("{}", report.verdict == Verdict::Holds), format!("{}", expected.verdict == Verdict::Holds))
            }
        };
        if found != expected {
            return Err(format!("{threads} threads, {buffer_states} states: {found}; in memory: {expected}"));
        }
        Settled::new("case", "external", Arc::new(system.clone()), report, &replay)
            .map_err(|error| format!("a trace does not replay: {error}"))?;
        if !files.list().is_empty() {
            return Err(format!("left behind: {:?}", files.list()));
        }
    }
    Ok(Some(matches!(expected.verdict, Verdict::Fails(_))))
}

#[test]
fn random_properties_as_in_memory() {
    let (mut took, mut failed, mut strong, mut strong_failed) = (0, 0, 0, 0);
    for seed in 0..400 {
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
    assert!(took > 100 && failed > 30 && failed < took - 30, "{took} {failed}");
    assert!(strong > 30 && strong_failed > 8 && strong_failed < strong - 8, "{strong} {strong_failed}");
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
    for system in systems(12, 100..=400) {
        for (formula, propositions, labels) in formulas(&system, &mut rng) {
            let temporal = temporal(&formula, &propositions, labels).expect("it is small");
            let fails = compare(&system, &temporal).unwrap_or_else(|message| panic!("{message}\n{system}"));
            took += u32::from(fails.is_some());
            failed += u32::from(fails == Some(true));
        }
    }
    println!("{took} properties, {failed} fail");
    assert!(took > 15, "{took}");
}

#[test]
fn a_search_for_cycles_survives_the_disk() {
    let (mut faults, mut resumed, mut strong, mut rng) = (0, 0, 0, Rng::new(11));
    // More models where more calls fail.
    let models = if fault_calls(0) > 0 { 20 } else { 2 };
    for (number, mut system) in systems(models, 60..=120).into_iter().enumerate() {
        let labels: Vec<LabelId> = system.labels.ids().collect();
        if let (true, [asked, .., given]) = (number % 2 == 1, &labels[..]) {
            system.fairness.push(Fairness::compassion(*asked, *given));
        }
        strong += u32::from(system.fairness.iter().any(Fairness::is_strong));
        for (formula, propositions, labels) in formulas(&system, &mut rng) {
            let temporal = temporal(&formula, &propositions, labels).expect("it is small");
            let property = Property::Temporal(Box::new(temporal));
            let options = Options { disk: Some(small_disk(9, 2)), ..Options::default() };
            let settle = |files: &SimFiles, resume: Option<PathBuf>| {
                let mut options = options.clone();
                options.disk.as_mut().expect("it is on disk").resume = resume;
                let task = Task::of_system(&system, property.clone(), options);
                answered(&External::on(Arc::new(files.clone())), &task)
            };
            let files = SimFiles::default();
            let expected = essence(&settle(&files, None));
            let calls = files.calls();
            let most = fault_calls(12 * models as u64) / models as u64;
            for at in (0..calls).step_by(1 + (calls / most.max(1)) as usize) {
                let fault = *rng.pick(&Fault::ALL);
                let files = SimFiles::default();
                files.plan(Some((at, fault)));
                let mut report = settle(&files, None);
                faults += 1;
                if report.unfinished.is_some() {
                    let torn = fault == Fault::TornCrash;
                    match fault {
                        Fault::Crash | Fault::TornCrash => files.reboot(torn.then_some(&mut rng)),
                        _ => files.plan(None),
                    }
                    let manifest = files.list().into_iter().find(|path| path.ends_with("manifest.json"));
                    report = settle(&files, manifest.and_then(|path| path.parent().map(PathBuf::from)));
                    resumed += 1;
                    // Nothing of what was written after the checkpoint stays, nor anything else.
                    assert!(files.list().is_empty(), "{fault:?} at {at}: {:?}", files.list());
                }
                assert_eq!(essence(&report), expected, "{fault:?} at {at}");
            }
        }
    }
    println!(
        "{models} models, {strong} with strong fairness: {faults} injected faults, {resumed} runs resumed or begun again"
    );
    assert!(resumed > 20 && strong > 0, "{resumed} {strong}");
}

/// Files that no checkpoint speaks of are removed before a search goes on.
#[test]
fn what_was_written_after_the_checkpoint_is_removed() {
    let (mut left_over, mut rng) = (0, Rng::new(11));
    let systems = systems(2, 100..=200);
    let cases =
        systems.iter().flat_map(|system| formulas(system, &mut rng).into_iter().map(move |case| (system, case)));
    for (system, (formula, propositions, labels)) in cases {
        let temporal = temporal(&formula, &propositions, labels).expect("it is small");
        let property = Property::Temporal(Box::new(temporal));
        let settle = |files: &SimFiles, resume: Option<PathBuf>, control: &RunControl| {
            let options = Options { disk: Some(Disk { resume, ..small_disk(9, 2) }), ..Options::default() };
            let task = Task::of_system(system, property.clone(), options);
            External::on(Arc::new(files.clone())).settle(&task, control).expect("it runs")
        };
        let whole = SimFiles::default();
        let expected = essence(&settle(&whole, None, &control()));
        let calls = whole.calls();
        for at in (calls / 2..calls).step_by(1 + calls as usize / 6) {
            let files = SimFiles::default();
            files.plan(Some((at, Fault::Error)));
            if settle(&files, None, &control()).unfinished.is_none() {
                continue;
            }
            files.plan(None);
            let Some(manifest) = files.list().into_iter().find(|path| path.ends_with("manifest.json")) else {
                continue;
            };
            let directory = manifest.parent().expect("a folder").to_owned();
            // As a program leaves it that was killed.
            files.put_back(&files.contents());
            let stray = directory.join("set-999999.seg");
            files.put(&stray, b"stray");
            let control = control();
            let report = settle(&files, Some(directory), &control);
            assert_eq!(essence(&report), expected);
            assert!(!files.list().contains(&stray), "{:?}", files.list());
            left_over += 1;
        }
    }
    println!("{left_over} runs with stray files went on");
    assert!(left_over > 2, "{left_over}");
}
