//! Limits end all workers, and nothing is claimed then.

use crate::support::{MEMORY_BYTES, safety, settled, systems, temporal};
use lariat_cluster::Cluster;
use lariat_engine::{Engine, Options, Property, Report, RunControl, Shortfall, Task, Temporal, Verdict};
use lariat_explicit::Bfs;
use lariat_logic::{Formula, PropId, Propositions};
use lariat_system::System;
use lariat_testkit::Rng;
use std::sync::mpsc;
use std::time::{Duration, Instant};

#[test]
fn no_memory_no_verdict_and_all_of_it_is_given_back() {
    let system = systems(1, 1_000..=8_000).remove(0);
    let mut short = 0;
    for threads in [1, 2, 3] {
        let options = Options { threads, keep_going: true, ..Options::default() };
        for limit_bytes in [1 << 10, 1 << 18, 1 << 20, 3 << 19, 1 << 21, 3 << 20] {
            let control = RunControl::new(limit_bytes, None);
            let report = Cluster::LOCAL.settle(&safety(options.clone(), &system), &control).expect("it runs");
            assert_eq!(control.budget.used_bytes(), 0);
            if let Verdict::Undecided(shortfall) = report.verdict {
                assert_eq!(shortfall, Shortfall::Memory { limit_bytes });
                assert_eq!(report.stats.digest, None);
                short += 1;
            }
        }
    }
    assert!(short >= 6, "{short}");
}

#[test]
fn time_and_interrupts_end_all_workers() {
    // A failure that is met is told all the same.
    let holds = |system: &System| settled(&Bfs, &safety(Options::default(), system)).verdict == Verdict::Holds;
    let system = systems(40, 50..=2_000).into_iter().find(holds).expect("some have no failure");
    for threads in [1, 3] {
        let task = safety(Options { threads, ..Options::default() }, &system);
        let mut control = RunControl::new(1 << 28, Some(Duration::from_secs(1)));
        control.started =
            Instant::now().checked_sub(Duration::from_secs(5)).expect("the machine has run for some seconds");
        let report = Cluster::LOCAL.settle(&task, &control).expect("it runs");
        assert_eq!(report.verdict, Verdict::Undecided(Shortfall::Time { limit: Duration::from_secs(1) }));
        let control = RunControl::new(1 << 28, None);
        control.cancel();
        let report = Cluster::LOCAL.settle(&task, &control).expect("it runs");
        assert_eq!(report.verdict, Verdict::Undecided(Shortfall::Interrupted));
        assert_eq!(control.budget.used_bytes(), 0);
    }
}

/// A property that holds, with signs of accepting cycles in every level: loops meet the first of two marks, and none meets both. Every
/// level has twice as many states as the one before.
pub(crate) fn many_false_signs(states: u32) -> (System, Temporal) {
    let half = states / 2;
    let text = format!(
        "system signs\ndead_ends stutter\nslot v : 0..{states} = 0\nlabel p = v % 4 == 1\nlabel q = v > {states}\n{}{}{}",
        format_args!("action \"left\" {{\n    when v < {half}\n    set v := v * 2 + 1\n}}\n"),
        format_args!("action \"right\" {{\n    when v < {half}\n    set v := v * 2 + 2\n}}\n"),
        "action \"stay\" {\n    when v % 4 == 1\n    set v := v\n}\n",
    );
    let system = lariat_system::text::parse(&text, lariat_base::FileId(0)).unwrap_or_else(|error| panic!("{error:?}"));
    let again = |number| Formula::globally(Formula::finally(Formula::prop(PropId(number))));
    let both = Formula::and([again(0), again(1)]);
    let labels = system.labels.ids().collect();
    let temporal = temporal(&both.negated(), &Propositions::named(["p", "q"]), labels).expect("it is small");
    (system, temporal)
}

/// How finely limits are chosen: more finely where more cases are asked for. On a busy machine each round of the workers takes long.
fn fine() -> usize {
    if std::env::var("LARIAT_CLUSTER_CASES").is_ok() { 40 } else { 15 }
}

/// What workers say under this control, unless they hang.
fn within_time(task: &Task<'_>, control: &RunControl) -> Report {
    std::thread::scope(|scope| {
        let (done, is_done) = mpsc::channel();
        scope.spawn(move || {
            let _ = done.send(Cluster::LOCAL.settle(task, control).expect("it runs"));
        });
        is_done.recv_timeout(Duration::from_secs(120)).unwrap_or_else(|_| {
            eprintln!("workers hang, with {} of {} bytes", control.budget.used_bytes(), control.budget.limit_bytes());
            std::process::abort()
        })
    })
}

/// Also where a worker has no room for what it receives at the end of a round, and all look for a cycle after it.
#[test]
fn full_memory_beside_signs_of_cycles_ends_all_workers() {
    let (mut short, mut held) = (0, 0);
    // Levels of different sizes: looks and full stores are then at different places.
    for (size, threads) in (5..13).flat_map(|size| [(size << 8, 1), (size << 8, 2), (size << 8, 3)]) {
        let (system, bad) = many_false_signs(size);
        let options = Options { threads, ..Options::default() };
        let task = Task::of_system(&system, Property::Temporal(Box::new(bad)), options);
        let undisturbed = RunControl::new(MEMORY_BYTES, None);
        let expected = within_time(&task, &undisturbed);
        assert_eq!(expected.verdict, Verdict::Holds);
        let peak = undisturbed.budget.peak_bytes();
        for limit_bytes in (peak / 4..peak + peak / 16).step_by(1 + peak as usize / fine()) {
            let control = RunControl::new(limit_bytes, None);
            let report = within_time(&task, &control);
            assert_eq!(control.budget.used_bytes(), 0);
            match report.verdict {
                Verdict::Holds => {
                    let whole = |report: &Report| (report.stats.states, report.stats.transitions, report.stats.digest);
                    assert_eq!(whole(&report), whole(&expected), "{threads} workers, {limit_bytes} bytes");
                    held += 1;
                }
                verdict => {
                    let why = report.stats.cluster.as_ref().and_then(|cluster| cluster.trouble.clone());
                    let full = Verdict::Undecided(Shortfall::Memory { limit_bytes });
                    assert_eq!(verdict, full, "{threads} workers, {limit_bytes} bytes: {why:?}");
                    short += 1;
                }
            }
        }
    }
    println!("{short} without an answer, {held} with one");
    assert!(short > 50 && held > 10, "{short} {held}");
}

/// At any moment: in walks, levels, looks for cycles.
#[test]
fn interrupts_beside_signs_of_cycles_end_all_workers() {
    let (system, bad) = many_false_signs(2500);
    let mut rng = Rng::new(5);
    let (mut stopped, mut held) = (0, 0);
    for threads in [1, 2, 3] {
        let options = Options { threads, ..Options::default() };
        let task = Task::of_system(&system, Property::Temporal(Box::new(bad.clone())), options);
        let began = Instant::now();
        within_time(&task, &RunControl::new(MEMORY_BYTES, None));
        let micros = began.elapsed().as_micros() as usize;
        for _ in 0..20 {
            let control = RunControl::new(MEMORY_BYTES, None);
            let after = Duration::from_micros(rng.below(micros + micros / 4) as u64);
            let report = std::thread::scope(|scope| {
                scope.spawn(|| {
                    std::thread::sleep(after);
                    control.cancel();
                });
                within_time(&task, &control)
            });
            assert_eq!(control.budget.used_bytes(), 0);
            match report.verdict {
                Verdict::Holds => held += 1,
                verdict => {
                    assert_eq!(
                        verdict,
                        Verdict::Undecided(Shortfall::Interrupted),
                        "{threads} workers after {after:?}"
                    );
                    stopped += 1;
                }
            }
        }
    }
    println!("{stopped} stopped, {held} came to an end");
    assert!(stopped > 10, "{stopped} {held}");
}

/// A search that is stopped in the middle of a level tells the failures that it met before.
#[test]
fn interrupts_after_failures_tell_them() {
    let action = |name: &str, add: u32| {
        format!(
            "action \"{name}\" {{\n    when v < 4000\n    trap effect assertion if v % 8 == 3 then goes_on\n    set v := v * 2 + {add}\n}}\n"
        )
    };
    let text = format!("system failing\nslot v : 0..8000 = 0\n{}{}", action("left", 1), action("right", 2));
    let text = text.as_str();
    let system = lariat_system::text::parse(text, lariat_base::FileId(0)).unwrap_or_else(|error| panic!("{error:?}"));
    let mut rng = Rng::new(7);
    let (mut stopped, mut told) = (0, 0);
    for threads in [1, 2, 3] {
        let task = safety(Options { threads, keep_going: true, ..Options::default() }, &system);
        let began = Instant::now();
        let whole = within_time(&task, &RunControl::new(MEMORY_BYTES, None));
        assert!(matches!(whole.verdict, Verdict::Fails(_)), "{:?}", whole.verdict);
        let micros = began.elapsed().as_micros() as usize;
        for _ in 0..30 {
            let control = RunControl::new(MEMORY_BYTES, None);
            let after = Duration::from_micros(rng.below(micros) as u64);
            let report = std::thread::scope(|scope| {
                scope.spawn(|| {
                    std::thread::sleep(after);
                    control.cancel();
                });
                within_time(&task, &control)
            });
            stopped += u32::from(report.unfinished.is_some());
            told += u32::from(report.unfinished.is_some() && matches!(report.verdict, Verdict::Fails(_)));
        }
    }
    println!("{stopped} stopped, {told} of them with failures");
    assert!(stopped > 10 && told > 3, "{stopped} {told}");
}
