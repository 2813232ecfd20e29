//! Machine code: how functions are cut, and the change from bytecode to it.
#![cfg(feature = "native")]

use lariat_base::{IdVec, Span};
use lariat_exec::{NativeProgram, Program, Spread, Tiered, first_difference};
use lariat_system::{Action, Frame, FrameId, System, Update};
use lariat_testkit::{Knobs, RandomSystem};

/// What is listed before machine code is made, while it is made and after it was made is what bytecode lists.
#[test]
fn nobody_notices_when_machine_code_takes_over() {
    let mut switched = 0;
    for seed in 0..80 {
        let system = RandomSystem::generate(seed, &Knobs { halves: seed % 2 == 0, ..Knobs::default() });
        let program = Program::compile(&system).expect("random systems compile");
        // It changes over in the middle of the comparison.
        let tiered = Tiered::new(program.clone(), &system).about_to_change();
        assert!(!tiered.is_native());
        assert_eq!(first_difference(&program, &tiered, 300), None, "seed {seed}\n{system}");
        switched += u32::from(tiered.is_native());
    }
    assert!(switched > 40, "{switched} changed over");
}

/// Random systems are small, so that every process gets one function for its position. Functions for any position, and
/// one for each stop, do the same.
#[test]
fn however_functions_are_cut_they_list_the_same() {
    for seed in 0..60 {
        let mut system = RandomSystem::generate(seed, &Knobs::default());
        if seed % 2 == 0 {
            system.actions.iter_mut().for_each(|action| action.labels.clear());
            system.labels = IdVec::new();
            system.fairness.clear();
        }
        let program = Program::compile(&system).expect("random systems compile");
        let mut in_small_pieces = Spread::new(&program, &system);
        in_small_pieces.actions_in_one = 2;
        for spread in [Spread::anywhere(&system), in_small_pieces] {
            let native = NativeProgram::spread(program.clone(), &spread).expect("there is native code");
            assert_eq!(first_difference(&program, &native, 100), None, "seed {seed}\n{system}");
        }
    }
}

#[test]
fn who_starts_and_never_leaves_has_a_place() {
    let mut system = System::empty("spread");
    for name in ["a", "b", "c"] {
        let slots = IdVec::new();
        system.frames.push(Frame { name: name.into(), slots, control: None, span: Span::NONE });
    }
    let [a, b, c] = [FrameId(0), FrameId(1), FrameId(2)];
    let spawn = |frame| Update::Spawn { frame, arguments: Vec::new() };
    system.pool_size = 4;
    system.init.updates = vec![spawn(a), spawn(b), spawn(a)];
    let mut born = Action::new("born", vec![b]);
    born.updates.push(spawn(c));
    let mut gone = Action::new("gone", vec![a]);
    gone.updates.push(Update::Exit);
    system.actions.push(born);
    system.actions.push(gone);
    let spread = Spread::new(&Program::compile(&system).expect("it compiles"), &system);
    assert_eq!(spread.permanent, 2);
    assert_eq!(spread.possible, Some(vec![vec![a], vec![b], vec![a, c], vec![c]]));
    assert_eq!(spread.fixed_positions(a), Some(vec![0, 2]));
}
