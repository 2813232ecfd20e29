//! Limits are kept also where one step alone would pass them.

use lariat_base::FileId;
use lariat_engine::{Engine, Options, Property, Report, RunControl, Shortfall, Task, Verdict};
use lariat_explicit::Bfs;
use lariat_system::text;
use std::time::Duration;

/// Runs a process that counts to `length` in one atomic sequence.
fn run(length: u64, control: &RunControl) -> Report {
    let source = format!(
        "system long
        slot i : 0..4294967295 = 0
        frame P {{ control hidden slot pc : 0..1 = 0 }}
        pool 1
        init {{ spawn P() }}
        action \"i++\" by P {{ control p0.pc == 0 when i < {length} set i := u32(i + 1) hold p0 }}
        action \"done\" by P {{ control p0.pc == 0 when i == {length} set p0.pc := 1 }}"
    );
    let system = text::parse(&source, FileId(0)).expect("it parses");
    assert_eq!(system.validate(), Ok(()));
    let options = Options::default();
    let task = Task { system: &system, property: Property::Safety { invalid_ends: false }, options };
    let report = Bfs.settle(&task, control).expect("it compiles");
    assert_eq!(control.budget.used_bytes(), 0, "everything is given back");
    report
}

#[test]
fn the_memory_of_an_atomic_sequence_is_taken_from_the_budget() {
    const LIMIT_BYTES: u64 = 8 << 20;
    let control = RunControl::new(LIMIT_BYTES, None);
    let report = run(3_000_000, &control);
    assert_eq!(report.verdict, Verdict::Undecided(Shortfall::Memory { limit_bytes: LIMIT_BYTES }));
    assert_eq!(run(10_000, &control).verdict, Verdict::Holds);
}

#[test]
fn time_can_run_out_in_an_atomic_sequence() {
    let limit = Duration::from_millis(50);
    let control = RunControl::new(8 << 30, Some(limit));
    assert_eq!(run(30_000_000, &control).verdict, Verdict::Undecided(Shortfall::Time { limit }));
    assert!(control.started.elapsed() < Duration::from_secs(3));
}

#[test]
fn an_atomic_sequence_can_be_interrupted() {
    let control = RunControl::new(8 << 30, None);
    control.cancel();
    assert_eq!(run(30_000_000, &control).verdict, Verdict::Undecided(Shortfall::Interrupted));
    assert!(control.budget.peak_bytes() < 1 << 20);
}
