//! Scouts: short runs to deep failures, and no more work than was asked for.

use lariat_engine::{Options, Report, RunControl, Verdict};
use lariat_explicit::{NoRecorder, ScoutOrder, bfs, scout};
use lariat_store::FlatStore;
use lariat_testkit::Doubling;

/// The last number is an invalid end.
const fn numbers(limit: u64) -> Doubling {
    Doubling { from: &[1], limit, may_end: false }
}

fn steps(report: &Report) -> Option<usize> {
    match &report.verdict {
        Verdict::Fails(evidence) => Some(evidence.trace.steps.len()),
        _ => None,
    }
}

#[test]
fn a_deep_failure_is_told_by_a_short_run() {
    let (control, options) = (RunControl::new(1 << 30, None), Options::default());
    for limit in [2, 3, 100, 5000] {
        let space = numbers(limit);
        let store = || FlatStore::new(1, &control.budget);
        let shortest =
            steps(&bfs(&space, store, true, &options, &control, NoRecorder).expect("the pool is no guess").0);
        for order in ScoutOrder::ALL {
            let report = scout(&space, order, u64::MAX, true, &options, &control).expect("the pool is no guess");
            assert_eq!(steps(&report), shortest, "{limit} {order:?}");
            assert_eq!(control.budget.used_bytes(), 0);
        }
    }
}

#[test]
fn after_its_work_a_scout_says_nothing() {
    let (control, options) = (RunControl::new(1 << 30, None), Options::default());
    for order in ScoutOrder::ALL {
        let report = scout(&numbers(1 << 20), order, 1000, true, &options, &control).expect("the pool is no guess");
        assert!(matches!(report.verdict, Verdict::Undecided(_)), "{order:?}");
        assert!((1..=1001).contains(&report.stats.states), "{order:?}: {}", report.stats.states);
    }
    // What it was not asked to look for, it does not find.
    let report = scout(&numbers(100), ScoutOrder::Forward, u64::MAX, false, &options, &control);
    assert!(steps(&report.expect("the pool is no guess")).is_none());
}
