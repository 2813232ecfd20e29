//! Directed search settles what breadth-first search does, with runs of the same length, and expands no more states.

use crate::sim_files::{Fault, SimFiles};
use crate::support::{answered, control, fault_calls, safety, small_disk, systems};
use crate::temporal::{formulas, temporal};
use lariat_engine::{
    Disk, Engine, Feature, HeuristicKind, ObjectivePlan, Options, Property, Refusal, Report, RunControl, Settled,
    SystemReplay, Task, Temporal, Verdict,
};
use lariat_explicit::Bfs;
use lariat_external::{Astar, External};
use lariat_logic::{Formula, PropId, Propositions};
use lariat_system::System;
use lariat_testkit::oracle::{GraphLimits, RunGraph, RunLasso, nearest_failures};
use lariat_testkit::{Rng, TemporalCase};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

const HEURISTICS: [HeuristicKind; 4] =
    [HeuristicKind::None, HeuristicKind::Automaton, HeuristicKind::Control, HeuristicKind::Both];

/// The steps of the run; of one that is bad whatever follows, those after which it is.
fn steps(report: &Report) -> Option<usize> {
    let Verdict::Fails(evidence) = &report.verdict else { return None };
    Some(evidence.trace.decided.unwrap_or(evidence.trace.steps.len()))
}

/// Verdict and the steps of the run.
fn answer(report: &Report) -> String {
    match steps(report) {
        Some(steps) => format!("fails after {steps} steps"),
        None => format!("{:?}", report.verdict),
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
    let in_memory = settle(&Bfs, Options { shortest: true, ..Options::default() })?;
    if answer(&in_memory) != answer(&blind) {
        return Err(format!("on disk {}; in memory {}", answer(&blind), answer(&in_memory)));
    }
    let mut saved = 0;
    for heuristic in HEURISTICS {
        let mut figures = BTreeMap::new();
        let guided = Options { heuristic: Some(heuristic), ..options.clone() };
        match Astar::REAL.prepare(&Task::of_system(system, property.clone(), guided)) {
            // Not every heuristic means something for every property.
            Err(Refusal { feature: Feature::Heuristic, .. }) => continue,
            Err(refusal) => return Err(refusal.to_string()),
            Ok(_) => {}
        }
        for (threads, buffer_states, folders) in [(1, 100_000, 1), (4, 1997, 1), (2, 40, 2), (3, 40, 1)] {
            // A buffer is also the number of pairs after which the property is decided first. Then fewer pairs may be left.
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
                let found = (report.stats.states, expanded(&report), report.stats.transitions);
                let all = figures.first_key_value().map_or(found, |(_, all)| *all);
                let known = *figures.entry(all.0 > buffer_states as u64).or_insert(found);
                if known != found || found.0 > all.0 {
                    return Err(said(format!(
                        "{found:?} states, expanded, transitions; {known:?}, and {all:?} of all"
                    )));
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
            let nearest = nearest_failures(&system, 1000).expect("it is small").steps(invalid_ends);
            let expected = nearest.map_or("Holds".to_owned(), |steps| format!("fails after {steps} steps"));
            assert_eq!(answer, expected, "system {number}\n{system}");
            failed += u32::from(answer.starts_with("fails"));
            saved += less;
        }
    }
    println!("{failed} fail, {saved} expansions saved");
    assert!(failed > 20, "{failed}");
}

#[test]
fn lassos_of_random_systems() {
    let (mut took, mut failed, mut saved, mut tried_all) = (0, 0, 0, 0);
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
        let graph = RunGraph::new(&case.system, &GraphLimits::default()).expect("it is small");
        let (bad, labels) = (case.formula.negated(), case.labels().expect("it has them"));
        let is_bad = |lasso: &RunLasso<'_>| lasso.is_fair(&case.system.fairness) && lasso.satisfies(&bad, &labels);
        let tried = if answer.starts_with("fails") { graph.shortest_lasso(500, is_bad) } else { Err(0) };
        // A finite part of a run that shows the failure may be shorter than every lasso.
        let is_prefix = Bfs.prepare(&task).is_ok_and(|it| {
            it.plan().product.as_ref().is_some_and(|product| product.objective == ObjectivePlan::BadPrefix)
        });
        if let (Ok(steps), false) = (tried, is_prefix) {
            assert_eq!(answer, format!("fails after {steps} steps"), "seed {seed}\n{case}");
            tried_all += 1;
        }
        (took, failed, saved) = (took + 1, failed + u32::from(answer.starts_with("fails")), saved + less);
    }
    println!("{took} properties, {failed} fail, {tried_all} as long as by trying all lassos, {saved} expansions saved");
    assert!(took > 60 && failed > 20 && tried_all > 15, "{took} {failed} {tried_all}");
}

/// A long way to a loop of three states: where a loop cannot go through what lies before, no pairs are made of that.
#[test]
fn pairs_are_pruned_by_what_was_explored() {
    let text = "system tail\ndead_ends stutter\nslot x : 0..60 = 0\naction go {\n    when x < 60\n    set x := x + 1\n}\n\
                action back {\n    when x == 60\n    set x := 58\n}\nlabel p = x == 70\n";
    let system = lariat_system::text::parse(text, lariat_base::FileId(0)).unwrap_or_else(|error| panic!("{error:?}"));
    let propositions = Propositions::named(["p"]);
    let formula = Formula::finally(Formula::globally(Formula::prop(PropId(0))));
    let property = temporal(&formula, &propositions, system.labels.ids().collect()).expect("it is small");
    for (engine, resumes) in [(false, false), (false, true), (true, false)] {
        let files = SimFiles::default();
        let settle = |resume: Option<PathBuf>, control: &RunControl| {
            let disk = Some(Disk { resume, ..small_disk(6, 1) });
            let options = Options { shortest: !engine, disk, ..Options::default() };
            let task = Task::of_system(&system, of(&property), options);
            match engine {
                true => Astar::on(Arc::new(files.clone())).settle(&task, control),
                false => External::on(Arc::new(files.clone())).settle(&task, control),
            }
        };
        if resumes {
            let whole = settle(None, &control()).expect("it runs");
            assert_eq!(answer(&whole), "fails after 61 steps");
            let calls = files.calls();
            files.put_back(&Default::default());
            // In the last search, which has the pairs.
            files.plan(Some((calls - 20, Fault::Error)));
        }
        let mut report = settle(None, &control()).expect("it runs");
        if resumes {
            let figures = report.stats.disk.expect("it is on disk");
            assert!(figures.is_paused, "{:?}", figures.trouble);
            files.plan(None);
            report = settle(Some(figures.folder), &control()).expect("it runs");
        }
        assert_eq!(answer(&report), "fails after 61 steps");
        // All pairs that begin somewhere would be about 1,800.
        assert!(report.stats.states < 100, "{} pairs", report.stats.states);
    }
}

fn of(temporal: &Temporal) -> Property {
    Property::Temporal(Box::new(temporal.clone()))
}

#[test]
fn a_directed_search_survives_the_disk() {
    let (mut faults, mut longer, mut shown, mut rng) = (0, 0, 0, Rng::new(23));
    // More models where more calls fail.
    let models = if fault_calls(0) > 0 { 20 } else { 6 };
    for mut system in systems(models, 40..=90) {
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
            let undisturbed = settle(&files, None);
            let expected = answer(&undisturbed);
            let calls = files.calls();
            let most = 6 * fault_calls(20) / models as u64;
            for at in (0..calls).step_by(1 + (calls / most) as usize) {
                let fault = *rng.pick(&Fault::ALL);
                let files = SimFiles::default();
                files.plan(Some((at, fault)));
                let mut report = settle(&files, None);
                faults += 1;
                // A failure that was met before the search was stopped is shown; if it may be too long, that is said.
                if let Some(found) = steps(&report).filter(|_| report.unfinished.is_some()) {
                    let shortest = steps(&undisturbed).expect("there is a failure");
                    let may_be_longer = report.stats.disk.as_ref().is_some_and(|disk| disk.may_be_longer);
                    assert!(found == shortest || found > shortest && may_be_longer, "{found} steps, not {shortest}");
                    (shown, longer) = (shown + 1, longer + u32::from(found > shortest));
                }
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
    println!(
        "{models} models, {faults} injected faults; {shown} times a failure was met before, {longer} times not a shortest one"
    );
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
