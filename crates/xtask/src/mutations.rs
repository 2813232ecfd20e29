//! The comparisons of `agree` would find a mistake: each deliberate one is caught on a few random systems, in the program,
//! in native code and in the bit functions alike.

use lariat_exec::{NativeProgram, Program, first_difference};
use lariat_space::ReferenceSpace;
use lariat_symbolic::BitSpace;
use lariat_testkit::{Knobs, Mutation, RandomSystem};

const SYSTEMS: u64 = 60;
const STATES: usize = 40;

#[test]
fn every_mistake_is_caught_in_every_reading() {
    for mutation in Mutation::ALL {
        let (mut by_program, mut by_native, mut by_bits) = (0, 0, 0);
        for seed in 0..SYSTEMS {
            let system = RandomSystem::generate(seed, &Knobs::default());
            let mutant = mutation.apply(&system);
            let reference = ReferenceSpace::new(&system).expect("random systems are small");
            let program = Program::compile(&mutant).expect("mutants compile");
            let native = NativeProgram::of(program.clone(), &mutant).expect("there is native code");
            let bits = BitSpace::new(&mutant).expect("random systems are small");
            by_program += u32::from(first_difference(&reference, &program, STATES).is_some());
            by_native += u32::from(first_difference(&reference, &native, STATES).is_some());
            by_bits += u32::from(first_difference(&reference, &bits, STATES).is_some());
        }
        println!(
            "{mutation:?}: caught in {by_program} programs, {by_native} native codes and {by_bits} bit functions of {SYSTEMS}"
        );
        assert_eq!(by_program, by_native, "{mutation:?}");
        assert!(by_program > 0 && by_bits > 0, "{mutation:?} is not caught");
    }
}
