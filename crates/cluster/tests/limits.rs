//! Limits end all workers, and nothing is claimed then.

use crate::support::{safety, settled, systems};
use lariat_cluster::Cluster;
use lariat_engine::{Engine, Options, RunControl, Shortfall, Verdict};
use lariat_explicit::Bfs;
use lariat_system::System;
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
