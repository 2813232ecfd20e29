//! Limits are kept also where one step alone would pass them.

use lariat_base::FileId;
use lariat_engine::{
    Engine, Options, Property, Report, RunControl, Settled, Shortfall, SystemReplay, Task, Unproven, Verdict,
};
use lariat_explicit::Bfs;
use lariat_system::{System, text};
use std::sync::Arc;
use std::time::{Duration, Instant};

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
    let task = Task::of_system(&system, Property::Safety { invalid_ends: false }, options);
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

/// A process that counts to `length` in one atomic sequence, goes on to another step, and fails there.
fn failing(length: u64) -> System {
    let source = format!(
        "system fails
        slot i : 0..4294967295 = 0
        frame P {{ control hidden slot pc : 0..3 = 0 }}
        pool 1
        init {{ spawn P() }}
        action \"i++\" by P {{ control p0.pc == 0 when i < {length} set i := u32(i + 1) hold p0 }}
        action \"done\" by P {{ control p0.pc == 0 when i == {length} set p0.pc := 1 }}
        action \"look\" by P {{
            control p0.pc == 1 trap effect assertion if i == {length} then goes_on set p0.pc := 2
        }}
        label counted = i == {length}"
    );
    let system = text::parse(&source, FileId(0)).expect("it parses");
    assert_eq!(system.validate(), Ok(()));
    system
}

fn report_of(system: &System, control: &RunControl) -> Report {
    let property = Property::Safety { invalid_ends: false };
    Bfs.settle(&Task::of_system(system, property, Options::default()), control).expect("it compiles")
}

/// What was found in time is told in time: the clock counts for what comes after the search, too.
#[test]
fn a_run_that_takes_too_long_to_replay_is_no_failure_to_be_believed() {
    const LENGTH: u64 = 300_000;
    let system = failing(LENGTH);
    let report = report_of(&system, &RunControl::new(1 << 30, None));
    let settle = |control: &RunControl| {
        let replay = SystemReplay::new(&system).expect("it is small").within(control);
        Settled::new("safety", "bfs", Arc::new(system.clone()), report.clone(), &replay).expect("nothing is wrong")
    };
    let settled = settle(&RunControl::new(1 << 30, None));
    let (evidence, story) = settled.failures().next().expect("it fails");
    assert_eq!((story.step_count(), story.actions().len() as u64), (2, LENGTH + 2));
    assert_eq!(evidence.trace.steps[0].via.len() as u64, LENGTH + 1);
    assert!(settled.story_bytes() < 40 * LENGTH, "{}", settled.story_bytes());

    let limit = Duration::from_millis(1);
    let mut late = RunControl::new(1 << 30, Some(limit));
    late.started = Instant::now().checked_sub(Duration::from_secs(5)).expect("the machine has run for some seconds");
    let limit_bytes = 1 << 20;
    for (control, shortfall) in
        [(late, Shortfall::Time { limit }), (RunControl::new(limit_bytes, None), Shortfall::Memory { limit_bytes })]
    {
        let settled = settle(&control);
        assert_eq!(settled.report().verdict, Verdict::Undecided(shortfall));
        assert_eq!(settled.report().unproven, Some(Unproven { kind: evidence.kind, steps: 2 }));
        assert_eq!(settled.failures().len(), 0);
        assert_eq!(control.budget.used_bytes(), 0, "everything is given back");
    }
}
