//! Searches whose states become keys: the same figures, digests and traces as without keys.
#![cfg(feature = "native")]

use lariat_engine::{CodeKind, Engine, Options, Property, Report, RunControl, Task, Verdict};
use lariat_explicit::Bfs;
use lariat_system::System;
use lariat_testkit::{Knobs, RandomSystem};

fn search(system: &System, code: CodeKind, threads: usize, keep_going: bool, memory_bytes: u64) -> Report {
    let options = Options { code, threads, keep_going, ..Options::default() };
    let task = Task::of_system(system, Property::Safety { invalid_ends: true }, options);
    Bfs.settle(&task, &RunControl::new(memory_bytes, None)).expect("it is searched")
}

/// What is to be the same.
fn told(report: &Report) -> impl PartialEq + std::fmt::Debug + use<> {
    let stats = &report.stats;
    let trace = match &report.verdict {
        Verdict::Fails(evidence) => Some(format!("{evidence:?}")),
        _ => None,
    };
    let taken = report.taken.as_ref().map(|taken| format!("{taken:?}"));
    let failures = (report.failure_count, report.failures.len());
    (stats.states, stats.transitions, stats.digest, stats.depth, trace, taken, failures, report.cuts.clone())
}

/// With bytecode there are no keys.
#[test]
fn nobody_notices_when_states_become_keys() {
    // LARIAT_KEYED_SYSTEMS has it look at more, with more numbers of threads.
    let asked = std::env::var("LARIAT_KEYED_SYSTEMS").ok().and_then(|count| count.parse().ok());
    let numbers_of_threads: &[usize] = if asked.is_some() { &[1, 2, 3, 4, 6, 8] } else { &[1, 2, 4] };
    let mut large = 0;
    for seed in 0..asked.unwrap_or(150) {
        let system = RandomSystem::generate(seed, &Knobs::default());
        for keep_going in [false, true] {
            let plain = search(&system, CodeKind::Bytecode, 1, keep_going, 1 << 28);
            if matches!(plain.verdict, Verdict::Undecided(_)) || plain.stats.states > 5000 {
                continue;
            }
            large += u32::from(plain.stats.states > 100);
            for &threads in numbers_of_threads {
                let keyed = search(&system, CodeKind::Auto, threads, keep_going, 1 << 28);
                assert_eq!(told(&keyed), told(&plain), "seed {seed}, {threads} threads");
            }
        }
    }
    assert!(large > 10, "{large} have enough states to learn from");
}
