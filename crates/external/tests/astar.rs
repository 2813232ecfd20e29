//! Directed search settles what breadth-first search does, with runs of the same length, and expands no more states.

use crate::sim_files::{Fault, SimFiles};
use crate::support::{answered, fault_calls, safety, small_disk, systems};
use crate::temporal::{formulas, temporal};
use lariat_engine::{
    Disk, Engine, Feature, HeuristicKind, Options, Property, Refusal, Report, Settled, SystemReplay, Task, Temporal,
    Verdict,
};
use lariat_external::{Astar, External};
use lariat_system::System;
use lariat_testkit::{Rng, TemporalCase};
use std::path::PathBuf;
use std::sync::Arc;

const HEURISTICS: [HeuristicKind; 4] =
    [HeuristicKind::None, HeuristicKind::Automaton, HeuristicKind::Control, HeuristicKind::Both];

/// Verdict and the steps of the run.
fn answer(report: &Report) -> String {
    match &report.verdict {
        Verdict::Fails(evidence) => format!("fails after {} steps", evidence.trace.steps.len()),
        verdict => format!("{verdict:?}"),
    }
}

fn expanded(report: &Report) -> u64 {
    report.stats.disk.as_ref().map_or(0, |disk| disk.expanded)
}

/// Compares directed with breadth-first search, for all heuristics, threads and buffers: by how much fewer states were expanded.
fn compare(system: &System, property: &Property, replay: &SystemReplay<'_>) -> Result<(String, u64), String> {
    let settle = |engine: &dyn Engine, options: Options| {
        let task = Task::of_system(system, property.clone(), options);
        engine.prepare(&task).map_err(|refusal| refusal.to_string())?;
        Ok::<_, String>(answered(engine, &task))
    };
    let files = SimFiles::default();
    let disk = Some(Disk { checkpoint_ms: None, ..small_disk(100_000, 1) });
    let options = Options { shortest: true, disk, ..Options::default() };
    let blind = settle(&External::on(Arc::new(files.clone())), options.clone())?;
    let mut saved = 0;
    for heuristic in HEURISTICS {
        let mut figures = None;
        let guided = Options { heuristic: Some(heuristic), ..options.clone() };
        match Astar::REAL.prepare(&Task::of_system(system, property.clone(), guided)) {
            // Not every heuristic means something for every property.
            Err(Refusal { feature: Feature::Heuristic, .. }) => continue,
            Err(refusal) => return Err(refusal.to_string()),
            Ok(_) => {}
        }
        for (threads, buffer_states, folders) in [(1, 100_000, 1), (2, 40, 2), (4, 1997, 1)] {
            // A buffer is also the number of pairs after which the property is decided first, so all are large enough.
            let disk = Some(Disk { checkpoint_ms: None, ..small_disk(buffer_states, folders) });
            let options = Options { threads, disk, heuristic: Some(heuristic), ..options.clone() };
            let report = settle(&Astar::on(Arc::new(files.clone())), options)?;
            let said = |what: String| format!("{heuristic:?}, {threads} threads, {buffer_states} states: {what}");
            if answer(&report) != answer(&blind) {
                return Err(said(format!("{}; breadth first: {}", answer(&report), answer(&blind))));
            }
            if matches!(report.verdict, Verdict::Fails(_)) {
                if expanded(&report) > expanded(&blind) {
                    return Err(said(format!("{} expanded; breadth first {}", expanded(&report), expanded(&blind))));
                }
                saved += expanded(&blind) - expanded(&report);
                let known = *figures.get_or_insert((report.stats.states, expanded(&report), report.stats.transitions));
                if known != (report.stats.states, expanded(&report), report.stats.transitions) {
                    return Err(said(format!("{known:?} states, expanded, transitions with one thread")));
                }
            }
            Settled::new("case", "astar", Arc::new(system.clone()), report, replay)
                .map_err(|error| said(format!("a trace does not replay: {error}")))?;
            if !files.list().is_empty() {
                return Err(said(format!("left behind: {:?}", files.list())));
            }
        }
    }
    Ok((answer(&blind), saved))
}

#[test]
fn failures_of_random_systems() {
    let (mut failed, mut saved) = (0, 0);
    for (number, system) in systems(60, 5..=400).into_iter().enumerate() {
        let replay = SystemReplay::new(&system).expect("it is small");
        for invalid_ends in [true, false] {
            let (answer, less) = compare(&system, &Property::Safety { invalid_ends }, &replay)
                .unwrap_or_else(|message| panic!("system {number}: {message}\n{system}"));
            failed += u32::from(answer.starts_with("fails"));
            saved += less;
        }
    }
    println!("{failed} fail, {saved} expansions saved");
    assert!(failed > 20, "{failed}");
}

#[test]
fn lassos_of_random_systems() {
    let (mut took, mut failed, mut saved) = (0, 0, 0);
    for seed in 0..200 {
        let case = TemporalCase::generate(seed);
        let Some(labels) = case.labels() else { continue };
        let Some(property) = temporal(&case.formula, &case.propositions, labels) else { continue };
        let task = Task::of_system(&case.system, of(&property), Options { shortest: true, ..Options::default() });
        if External::REAL.prepare(&task).is_err() {
            continue;
        }
        let replay = SystemReplay::of_temporal(&case.system, &property).expect("it is small");
        let (answer, less) = compare(&case.system, &of(&property), &replay)
            .unwrap_or_else(|message| panic!("seed {seed}: {message}\n{case}"));
        (took, failed, saved) = (took + 1, failed + u32::from(answer.starts_with("fails")), saved + less);
    }
    println!("{took} properties, {failed} fail, {saved} expansions saved");
    assert!(took > 60 && failed > 20, "{took} {failed}");
}

fn of(temporal: &Temporal) -> Property {
    Property::Temporal(Box::new(temporal.clone()))
}

#[test]
fn a_directed_search_survives_the_disk() {
    let (mut faults, mut rng) = (0, Rng::new(23));
    for mut system in systems(6, 40..=90) {
        system.fairness.clear();
        let mut properties = vec![Property::Safety { invalid_ends: true }];
        for (formula, propositions, labels) in formulas(&system, &mut rng) {
            properties.push(of(&temporal(&formula, &propositions, labels).expect("it is small")));
        }
        for property in properties {
            let settle = |files: &SimFiles, resume: Option<PathBuf>| {
                let disk = Some(Disk { resume, ..small_disk(9, 2) });
                let task = Task::of_system(&system, property.clone(), Options { disk, ..Options::default() });
                answered(&Astar::on(Arc::new(files.clone())), &task)
            };
            let files = SimFiles::default();
            let expected = answer(&settle(&files, None));
            let calls = files.calls();
            for at in (0..calls).step_by(1 + (calls / fault_calls(20)) as usize) {
                let fault = *rng.pick(&Fault::ALL);
                let files = SimFiles::default();
                files.plan(Some((at, fault)));
                let mut report = settle(&files, None);
                faults += 1;
                if report.unfinished.is_some() {
                    match fault {
                        Fault::Crash | Fault::TornCrash => {
                            files.reboot((fault == Fault::TornCrash).then_some(&mut rng));
                        }
                        _ => files.plan(None),
                    }
                    let manifest = files.list().into_iter().find(|path| path.ends_with("manifest.json"));
                    report = settle(&files, manifest.and_then(|path| path.parent().map(PathBuf::from)));
                    // After a crash there may be the directories of two searches, if it was just between them.
                    let is_crash = matches!(fault, Fault::Crash | Fault::TornCrash);
                    assert!(is_crash || files.list().is_empty(), "{fault:?} at {at}: {:?}", files.list());
                }
                assert_eq!(answer(&report), expected, "{fault:?} at {at}");
            }
        }
    }
    println!("{faults} injected faults");
    assert!(faults > 40, "{faults}");
}

/// `safety` with a small model: what is asked for is what is planned.
#[test]
fn what_it_cannot_do_is_refused() {
    let system = &systems(1, 5..=50)[0];
    for options in [
        Options { keep_going: true, ..Options::default() },
        Options { depth_limit: Some(3), ..Options::default() },
        Options { reduce: true, ..Options::default() },
        Options { profile: true, ..Options::default() },
        Options { heuristic: Some(HeuristicKind::Automaton), ..Options::default() },
    ] {
        assert!(Astar::REAL.prepare(&safety(options.clone(), system)).is_err(), "{options:?}");
    }
    let guided = Options { heuristic: Some(HeuristicKind::Both), ..Options::default() };
    assert!(External::REAL.prepare(&safety(guided.clone(), system)).is_err());
    assert!(Astar::REAL.prepare(&safety(guided, system)).is_ok());
    // The plan says what guides the search, also where nothing was asked for.
    let task = safety(Options::default(), system);
    let prepared = Astar::REAL.prepare(&task).expect("it is for `safety`");
    assert_eq!(prepared.plan().search.heuristic, Some(HeuristicKind::Both));
}
