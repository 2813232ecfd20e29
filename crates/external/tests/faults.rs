//! Whatever the disk does, a search ends with the answer of an undisturbed one, or says that it is paused.

use crate::sim_files::{Fault, SimFiles};
use crate::support::{
    MEMORY_BYTES, answered, control, essence, fault_calls, on_disk, replay, safety, small_disk, systems, systems_with,
};
use crate::temporal::{formulas, temporal};
use lariat_engine::{Engine, Options, Property, Report, RunControl, Shortfall, Task};
use lariat_external::{Astar, External, Files};
use lariat_system::System;
use lariat_testkit::{Knobs, Rng};
use std::path::PathBuf;
use std::sync::Arc;

/// The run directory that is left, if it has a manifest.
fn left(files: &SimFiles) -> Option<PathBuf> {
    let manifest = files.list().into_iter().find(|path| path.ends_with("manifest.json"))?;
    manifest.parent().map(PathBuf::from)
}

fn resume(system: &System, options: &Options, files: &SimFiles, directory: PathBuf) -> Report {
    let mut options = options.clone();
    options.disk.as_mut().expect("it is on disk").resume = Some(directory);
    let engine = External::on(Arc::new(files.clone()));
    answered(&engine, &safety(options, system))
}

/// Fails at a call, starts again, and goes on from what is left, until there is an answer: how often it went on.
fn disturbed(system: &System, options: &Options, fault: Fault, at: u64, expected: &str, rng: &mut Rng) -> u32 {
    let files = SimFiles::default();
    files.plan(Some((at, fault)));
    let mut report = on_disk(system, options, &files);
    let mut resumed = 0;
    while let Some(shortfall) = report.unfinished {
        assert_eq!(shortfall, Shortfall::Disk, "{fault:?} at {at}");
        let figures = report.stats.disk.as_ref().expect("it is on disk");
        assert!(figures.trouble.is_some(), "what is wrong is told");
        match fault {
            Fault::Crash => files.reboot(None),
            Fault::TornCrash => files.reboot(Some(rng)),
            Fault::Error | Fault::ShortWrite | Fault::Full => {
                // The run said whether it can go on.
                assert_eq!(figures.is_paused, left(&files).is_some(), "{fault:?} at {at}");
                files.plan(None);
            }
        }
        report = match left(&files) {
            Some(directory) => resume(system, options, &files, directory),
            None => on_disk(system, options, &files),
        };
        resumed += 1;
        assert!(resumed < 3, "{fault:?} at {at}: it does not end");
    }
    assert_eq!(essence(&report), expected, "{fault:?} at {at}");
    replay(system, report).expect("its run replays");
    resumed
}

#[test]
fn every_call_fails_once() {
    // `LARIAT_FAULT_CALLS=300` fails more of them.
    let most_calls = fault_calls(60);
    let (mut faults, mut resumed, mut rng) = (0, 0, Rng::new(7));
    for (number, system) in systems(20, 25..=80).into_iter().enumerate() {
        let threads = 1 + number % 2;
        let options = Options {
            keep_going: number % 3 == 0,
            threads,
            disk: Some(small_disk(6, 1 + number % 3)),
            ..Options::default()
        };
        let files = SimFiles::default();
        let expected = essence(&on_disk(&system, &options, &files));
        let calls = files.calls().min(most_calls);
        for fault in Fault::ALL {
            for at in 0..calls {
                // Every kind at every call of the first model, then one kind at each.
                if number >= 1 && (at as usize + number) % Fault::ALL.len() != fault as usize {
                    continue;
                }
                resumed += disturbed(&system, &options, fault, at, &expected, &mut rng);
                faults += 1;
            }
        }
    }
    println!("20 models, {faults} injected faults, {resumed} runs resumed or begun again");
    assert!(faults > 500 && resumed > 100, "{faults} {resumed}");
}

/// A search of every kind, paused somewhere in the middle: whatever bit is flipped in whatever file, that is told, by file and offset,
/// before anything else is done.
#[test]
fn every_flipped_bit_is_found() {
    let (mut flipped, mut paused, mut kinds, mut rng) = (0, 0, std::collections::BTreeMap::new(), Rng::new(5));
    // With halves of wide words among them: there a segment was met whose first runs were merged already, and nobody read these.
    let halves = Knobs { halves: true, ..Knobs::default() };
    let systems = [systems_with(&halves, 2, 60..=120), systems(1, 60..=120)].concat();
    for system in &systems {
        for (is_directed, property, shortest) in tasks(system, &mut rng) {
            let keep_going = !is_directed && matches!(property, Property::Safety { .. });
            let options = Options { keep_going, shortest, disk: Some(small_disk(6, 2)), ..Options::default() };
            let settle = |files: &SimFiles, resume: Option<PathBuf>, control: &RunControl| {
                let mut options = options.clone();
                options.disk.as_mut().expect("it is on disk").resume = resume;
                let task = Task::of_system(system, property.clone(), options);
                let files: Arc<dyn Files> = Arc::new(files.clone());
                match is_directed {
                    true => Astar::on(files).settle(&task, control),
                    false => External::on(files).settle(&task, control),
                }
            };
            let files = SimFiles::default();
            settle(&files, None, &control()).expect("it runs");
            for part in [1, 2] {
                let disturbed = SimFiles::default();
                disturbed.plan(Some((files.calls() * part / 3, Fault::Error)));
                settle(&disturbed, None, &control()).expect("it is paused");
                disturbed.plan(None);
                let Some(directory) = left(&disturbed) else { continue };
                // A resumed run removes what no manifest speaks of. It is stopped at once.
                let stopped = RunControl::new(MEMORY_BYTES, Some(std::time::Duration::ZERO));
                settle(&disturbed, Some(directory.clone()), &stopped).expect("it is paused again");
                paused += 1;
                let contents = disturbed.contents();
                for (path, bytes) in contents.iter().filter(|(path, _)| !path.ends_with("lock")) {
                    for place in (0..bytes.len()).step_by(1 + bytes.len() / 7) {
                        disturbed.put_back(&contents);
                        disturbed.change(path, |bytes| bytes[place] ^= 1 << (place % 8));
                        let told = match settle(&disturbed, Some(directory.clone()), &control()) {
                            // The manifest.
                            Err(error) => error.to_string(),
                            Ok(report) => report.stats.disk.and_then(|figures| figures.trouble).unwrap_or_default(),
                        };
                        let is_named = told.contains(&path.display().to_string()) && told.contains("damaged");
                        assert!(is_named, "{} at {place} of {}: {told}", path.display(), bytes.len());
                        flipped += 1;
                        let name = path.file_name().expect("a name").to_string_lossy();
                        let kind = name.trim_end_matches(".seg").trim_end_matches(char::is_numeric).to_owned();
                        *kinds.entry(kind).or_insert(0) += 1;
                    }
                }
            }
        }
    }
    println!("{paused} paused runs, {flipped} flipped bits, all found: {kinds:?}");
    let all = ["layers", "layers-marks", "manifest.json", "open-", "run-", "sort-"];
    assert!(all.iter().all(|kind| kinds.contains_key(*kind)), "{kinds:?}");
}

/// Searches of every kind: whether it is directed, the property, and whether a shortest run is asked for.
fn tasks(system: &System, rng: &mut Rng) -> Vec<(bool, Property, bool)> {
    let safety = || Property::Safety { invalid_ends: false };
    let mut tasks = vec![(false, safety(), false), (true, safety(), false)];
    for (formula, propositions, labels) in formulas(system, rng) {
        let temporal = temporal(&formula, &propositions, labels).expect("it is small");
        let property = Property::Temporal(Box::new(temporal));
        tasks.extend(
            [(false, false), (false, true), (true, false)]
                .map(|(is_directed, shortest)| (is_directed, property.clone(), shortest)),
        );
    }
    let is_taken = |(is_directed, property, shortest): &(bool, Property, bool)| {
        let task = Task::of_system(system, property.clone(), Options { shortest: *shortest, ..Options::default() });
        if *is_directed { Astar::REAL.prepare(&task).is_ok() } else { External::REAL.prepare(&task).is_ok() }
    };
    tasks.retain(is_taken);
    tasks
}

/// A run of many layers, of one state each, with a failure at its end.
fn long_way() -> System {
    let text = "system long\ndead_ends stutter\nslot x : 0..700 = 0\naction go {\n    when x < 700\n    set x := x + 1\n}\n\
                action fail {\n    when x == 700\n    trap effect assertion if 1 then stops\n}\n";
    lariat_system::text::parse(text, lariat_base::FileId(0)).unwrap_or_else(|error| panic!("{error:?}"))
}

#[test]
fn memory_that_runs_out_anywhere_loses_nothing() {
    let system = long_way();
    let options = Options { disk: Some(small_disk(6, 1)), ..Options::default() };
    let task = safety(options.clone(), &system);
    let undisturbed = control();
    let files = SimFiles::default();
    let report = External::on(Arc::new(files)).settle(&task, &undisturbed).expect("it runs");
    let (expected, peak) = (essence(&report), undisturbed.budget.peak_bytes());
    let (mut paused, mut deepest) = (0, 0);
    for less in (1..48_000).step_by(331) {
        let files = SimFiles::default();
        let control = RunControl::new(peak - less, None);
        let report = External::on(Arc::new(files.clone())).settle(&task, &control).expect("it runs");
        let Some(shortfall) = report.unfinished else { continue };
        assert!(matches!(shortfall, Shortfall::Memory { .. }), "{shortfall:?}");
        let Some(directory) = left(&files) else { continue };
        // Too little memory to go on leaves the run as it is.
        let mut again = options.clone();
        again.disk.as_mut().expect("it is on disk").resume = Some(directory.clone());
        let tiny = RunControl::new(1000, None);
        let tried = External::on(Arc::new(files.clone())).settle(&safety(again, &system), &tiny).expect("it ends");
        assert!(tried.stats.disk.expect("it is on disk").is_paused);
        let report = resume(&system, &options, &files, directory);
        assert_eq!(essence(&report), expected, "{less} bytes less than {peak}");
        (paused, deepest) = (paused + 1, deepest.max(report.stats.depth));
    }
    println!("{paused} runs were paused by memory, of depth {deepest}");
    assert!(paused > 10, "{paused}");
}

/// A bit that is flipped in what is read while a search goes on, in every kind of file: it is told by file and offset, or it was in what
/// is read ahead and not used, and the answer is right.
#[test]
fn every_bit_that_is_read_wrong_is_found() {
    let mut found = std::collections::BTreeMap::<String, u32>::new();
    let (mut flipped, mut rng) = (0, Rng::new(5));
    for system in &systems(2, 100..=200) {
        for (is_directed, property, shortest) in tasks(system, &mut rng) {
            let keep_going = !is_directed && matches!(property, Property::Safety { .. });
            let options = Options { keep_going, shortest, disk: Some(small_disk(8, 2)), ..Options::default() };
            let task = Task::of_system(system, property, options);
            let settle = |files: &SimFiles| {
                let files: Arc<dyn Files> = Arc::new(files.clone());
                match is_directed {
                    true => answered(&Astar::on(files), &task),
                    false => answered(&External::on(files), &task),
                }
            };
            let files = SimFiles::default();
            let expected = essence(&settle(&files));
            for at in files.some_reads(3) {
                let files = SimFiles::default();
                files.plan_flip(at);
                let report = settle(&files);
                let Some(path) = files.flipped() else { continue };
                flipped += 1;
                if report.unfinished == Some(Shortfall::Disk) {
                    let trouble = report.stats.disk.and_then(|figures| figures.trouble).expect("it is told");
                    assert!(trouble.contains("damaged at offset"), "{trouble}");
                    assert!(trouble.contains(&path.display().to_string()), "{trouble}: {}", path.display());
                    let kind = path.file_name().expect("a name").to_string_lossy();
                    *found.entry(kind.split(['-', '.']).next().expect("a word").to_owned()).or_default() += 1;
                } else {
                    assert_eq!(essence(&report), expected, "{} at call {at}", path.display());
                }
            }
        }
    }
    println!("{flipped} bits read wrong, found in {found:?}");
    assert!(["layers", "open", "run", "set", "sort"].iter().all(|kind| found.contains_key(*kind)), "{found:?}");
}
