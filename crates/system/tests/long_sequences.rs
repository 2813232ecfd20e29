//! The reference evaluator follows atomic sequences of any length.

use lariat_base::FileId;
use lariat_system::reference::{Evaluator, Outcome};
use lariat_system::{Fault, text};

/// Counts to `length` in one atomic sequence and then, if `endless`, from the beginning.
fn steps(length: usize, endless: bool) -> (usize, usize, bool) {
    let goes_on = if endless { "set i := 1 hold p0" } else { "set p0.pc := 1" };
    let source = format!(
        "system long
        slot i : 0..4294967295 = 0
        frame P {{ control hidden slot pc : 0..1 = 0 }}
        pool 1
        init {{ spawn P() }}
        action \"i++\" by P {{ control p0.pc == 0 when i < {length} set i := u32(i + 1) hold p0 }}
        action \"done\" by P {{ control p0.pc == 0 when i == {length} {goes_on} }}"
    );
    let system = text::parse(&source, FileId(0)).expect("it parses");
    assert_eq!(system.validate(), Ok(()));
    let evaluator = Evaluator::new(&system);
    let steps = evaluator.steps(&evaluator.initial()[0]);
    let is_endless = matches!(steps[0].outcome, Outcome::Fault(Fault::EndlessAtomic(_)));
    (steps.len(), steps[0].path.len(), is_endless)
}

#[test]
fn no_sequence_is_too_long_for_the_stack() {
    const LENGTH: usize = 20_000;
    let work = || {
        assert_eq!(steps(LENGTH, false), (1, LENGTH + 1, false));
        assert_eq!(steps(LENGTH, true), (1, LENGTH + 1, true));
    };
    let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(work).expect("a thread can be started");
    thread.join().expect("there is room for it");
}
