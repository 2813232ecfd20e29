//! Whatever the disk does, workers end with the answer of an undisturbed search, or without one, and go on from where they were.

use crate::agree::formulas;
use crate::disk::{Shares, grid};
use crate::sim_files::Fault;
use crate::support::{MEMORY_BYTES, control, essence, replay, safety, settled, systems, temporal, temporal_essence};
use lariat_engine::{Engine, Options, Property, Report, RunControl, Shortfall, Task, Verdict};
use lariat_explicit::{Bfs, CycleSearch};
use lariat_testkit::Rng;
use std::collections::BTreeMap;
use std::time::Duration;

const BUFFER_STATES: usize = 6;

/// How many calls of each run fail: `LARIAT_FAULT_CALLS`, or few.
fn fault_calls(few: u64) -> u64 {
    std::env::var("LARIAT_FAULT_CALLS").ok().and_then(|text| text.parse().ok()).unwrap_or(few)
}

/// Fails at a call, and begins again until there is an answer: how often it was begun again, and how often it went on from a level.
fn disturbed(
    task: &Task<'_>,
    (fault, at): (Fault, u64),
    is_right: &dyn Fn(&Report) -> Result<(), String>,
    rng: &mut Rng,
) -> (u32, u32) {
    // What cannot be removed stays: so each search has a disk of its own.
    let shares = Shares::new("disturbed");
    let task = &Task { options: Options { disk: shares.disk(BUFFER_STATES), ..task.options.clone() }, ..task.clone() };
    let files = &shares.files;
    files.plan(Some((at, fault)));
    let (mut again, mut went_on) = (0, 0);
    loop {
        let control = control();
        let report = shares.engine().settle(task, &control).expect("it runs");
        assert_eq!(control.budget.used_bytes(), 0);
        let notices = control.take_notices();
        went_on += u32::from(notices.iter().any(|notice| notice.contains("goes on from level")));
        match report.unfinished.or(if let Verdict::Undecided(short) = report.verdict { Some(short) } else { None }) {
            None => {
                is_right(&report).unwrap_or_else(|why| panic!("{fault:?} at {at}: {why}"));
                control.answered();
                return (again, went_on);
            }
            Some(shortfall) => {
                assert_eq!(shortfall, Shortfall::Disk, "{fault:?} at {at}");
                let trouble = report.stats.disk.and_then(|figures| figures.trouble);
                assert!(trouble.is_some() || !notices.is_empty(), "{fault:?} at {at}: what is wrong is told");
            }
        }
        match fault {
            Fault::Crash => files.reboot(None),
            Fault::TornCrash => files.reboot(Some(rng)),
            Fault::Error | Fault::ShortWrite | Fault::Full => files.plan(None),
        }
        again += 1;
        assert!(again < 3, "{fault:?} at {at}: it does not end");
    }
}

#[test]
fn every_call_fails_once() {
    let most_calls = fault_calls(50);
    let shares = Shares::new("faults");
    let (mut faults, mut again, mut went_on, mut rng) = (0, 0, 0, Rng::new(7));
    for (number, system) in systems(6, 25..=80).into_iter().enumerate() {
        let (threads, keep_going) = (1 + number % 3, number % 2 == 0);
        let options = Options { keep_going, threads, disk: shares.disk(BUFFER_STATES), ..Options::default() };
        let expected = essence(&settled(&Bfs, &safety(Options { keep_going, ..Options::default() }, &system)));
        let task = safety(options, &system);
        let before = shares.files.calls();
        shares.settled(&task).expect("it runs");
        let calls = shares.files.calls() - before;
        for fault in Fault::ALL {
            for at in (0..calls).step_by(1 + (calls / most_calls) as usize) {
                // Every kind at every call of the first models, then one kind at each.
                if number >= 2 && (at as usize + number) % Fault::ALL.len() != fault as usize {
                    continue;
                }
                let is_right = |report: &Report| {
                    let found = essence(report);
                    if found == expected { Ok(()) } else { Err(format!("{found}\nnot {expected}\n{system}")) }
                };
                let (begun, on) = disturbed(&task, (fault, at), &is_right, &mut rng);
                (faults, again, went_on) = (faults + 1, again + begun, went_on + on);
            }
        }
    }
    println!("{faults} injected faults, {again} searches begun again, {went_on} of them from a level");
    assert!(faults > 300 && again > 100 && went_on > 50, "{faults} {again} {went_on}");
}

#[test]
fn searches_for_cycles_survive_the_disk() {
    let most_calls = fault_calls(12);
    let shares = Shares::new("cycle-faults");
    let (mut faults, mut again, mut failing, mut rng) = (0, 0, 0, Rng::new(3));
    for (number, system) in systems(5, 40..=150).into_iter().enumerate() {
        for (formula, propositions, labels) in formulas(&system, &mut rng) {
            let bad = temporal(&formula, &propositions, labels).expect("it is small");
            let property = Property::Temporal(Box::new(bad.clone()));
            let options = Options { threads: 1 + number % 3, disk: shares.disk(BUFFER_STATES), ..Options::default() };
            let task = Task::of_system(&system, property, options);
            let Ok(prepared) = shares.engine().prepare(&task) else { continue };
            if !prepared.plan().search.algorithm.contains("OWCTY") {
                continue;
            }
            let plain = Task { options: Options::default(), ..task.clone() };
            let expected = temporal_essence(&CycleSearch::SCC.settle(&plain, &control()).expect("it runs"));
            failing += u32::from(expected == "fails");
            let before = shares.files.calls();
            shares.settled(&task).expect("it runs");
            let calls = shares.files.calls() - before;
            for at in (0..calls).step_by(1 + (calls / most_calls) as usize) {
                let fault = Fault::ALL[faults as usize % Fault::ALL.len()];
                let is_right = |report: &Report| {
                    let found = temporal_essence(report);
                    if found != expected {
                        return Err(format!("{found}, not {expected}\n{system}"));
                    }
                    replay(&system, Some(&bad), report.clone())
                };
                again += disturbed(&task, (fault, at), &is_right, &mut rng).0;
                faults += 1;
            }
        }
    }
    println!("{faults} injected faults, {again} searches begun again, {failing} properties fail");
    assert!(faults > 30 && again > 20 && failing > 0, "{faults} {again} {failing}");
}

/// Whatever bit is flipped in whatever file of a search that was stopped: it is told by file, or was not needed.
#[test]
fn every_flipped_bit_is_found() {
    let shares = Shares::new("flips");
    let system = grid(11);
    let expected = essence(&settled(&Bfs, &safety(Options { keep_going: true, ..Options::default() }, &system)));
    let options = Options { threads: 2, keep_going: true, disk: shares.disk(30), ..Options::default() };
    let task = safety(options, &system);
    shares.settled(&task).expect("it runs");
    let calls = shares.files.calls();
    shares.files.plan(Some((calls + 2 * calls / 3, Fault::Error)));
    shares.engine().settle(&task, &control()).expect("it is stopped");
    shares.files.plan(None);
    let contents = shares.files.contents();
    let (mut flipped, mut told, mut kinds) = (0, 0, BTreeMap::<String, u32>::new());
    for (path, bytes) in &contents {
        for place in (0..bytes.len()).step_by(1 + bytes.len() / 7) {
            shares.files.put_back(&contents);
            shares.files.change(path, |bytes| bytes[place] ^= 1 << (place % 8));
            let control = RunControl::new(MEMORY_BYTES, Some(Duration::from_secs(600)));
            let report = shares.engine().settle(&task, &control).expect("it runs");
            let notices = control.take_notices();
            let is_told =
                notices.iter().any(|said| said.contains(&path.display().to_string()) && said.contains("damaged"));
            match report.verdict {
                // A checkpoint is not used, or the file was not needed.
                Verdict::Holds => {
                    assert_eq!(essence(&report), expected, "{} at {place}: {notices:?}", path.display());
                    control.answered();
                }
                verdict => {
                    assert_eq!(verdict, Verdict::Undecided(Shortfall::Disk));
                    assert!(is_told, "{} at {place}: {notices:?}", path.display());
                }
            }
            let name = path.file_name().expect("a name").to_string_lossy();
            let kind = name.trim_end_matches(".seg").trim_matches(char::is_numeric).to_owned();
            *kinds.entry(kind).or_insert(0) += u32::from(is_told);
            (flipped, told) = (flipped + 1, told + u32::from(is_told));
        }
    }
    println!("{flipped} flipped bits, {told} told: {kinds:?}");
    let all = ["layers", "layers-marks", "run-", ".checkpoint"];
    assert!(all.iter().all(|kind| kinds.get(*kind).is_some_and(|told| *told > 0)), "{kinds:?}");
}

/// Interrupts at any moment: the search goes on from a level, with the same answer.
#[test]
fn interrupted_searches_go_on() {
    let shares = Shares::new("interrupts");
    let system = grid(16);
    let expected = essence(&settled(&Bfs, &safety(Options { keep_going: true, ..Options::default() }, &system)));
    let (mut stopped, mut went_on, mut rng) = (0, 0, Rng::new(5));
    for threads in [1, 2, 3] {
        let mut disk = shares.disk(200).expect("there is one");
        // Only where it is stopped.
        disk.checkpoint_ms = Some(3_600_000);
        let task = safety(Options { threads, keep_going: true, disk: Some(disk), ..Options::default() }, &system);
        let began = std::time::Instant::now();
        shares.settled(&task).expect("it runs");
        let micros = began.elapsed().as_micros() as usize;
        for _ in 0..8 {
            loop {
                let control = RunControl::new(MEMORY_BYTES, None);
                let after = Duration::from_micros(rng.below(micros + micros / 4) as u64);
                let report = std::thread::scope(|scope| {
                    scope.spawn(|| {
                        std::thread::sleep(after);
                        control.cancel();
                    });
                    shares.engine().settle(&task, &control).expect("it runs")
                });
                assert_eq!(control.budget.used_bytes(), 0);
                let notices = control.take_notices();
                went_on += u32::from(notices.iter().any(|notice| notice.contains("goes on from level")));
                if report.unfinished.is_none() && !matches!(report.verdict, Verdict::Undecided(_)) {
                    assert_eq!(essence(&report), expected, "{threads} workers");
                    control.answered();
                    assert!(shares.is_empty() && shares.files.list().is_empty());
                    break;
                }
                stopped += 1;
            }
        }
    }
    println!("{stopped} stopped, {went_on} went on from a level");
    assert!(stopped > 10 && went_on > 5, "{stopped} {went_on}");
}
