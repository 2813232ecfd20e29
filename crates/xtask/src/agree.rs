//! `cargo xtask agree`: all readings of a system say the same.
//!
//! On random systems the compiled program and the bit functions are compared with the reference evaluator, state by state,
//! native code with the program, and the engine's figures with a graph written out in full; every trace it finds is replayed. The first system on which
//! something differs is shrunk and printed in text form, ready to become a test.

use lariat_engine::{Engine, Options, Property, RunControl, Settled, SystemReplay, Task};
use lariat_exec::{NativeProgram, Program, first_difference};
use lariat_space::{Enumerated, ReferenceSpace};
use lariat_symbolic::BitSpace;
use lariat_system::System;
use lariat_testkit::{Knobs, RandomSystem, shrink};
use std::process::ExitCode;
use std::sync::Arc;

const STATE_LIMIT: usize = 500;
const MEMORY_BYTES: u64 = 1 << 26;

/// One respect in which readings are compared: the first difference, if there is one.
type Comparison = fn(&System) -> Result<(), String>;

const COMPARISONS: [(&str, Comparison); 4] =
    [("program", compare_program), ("native code", compare_native), ("bits", compare_bits), ("engine", compare_engine)];

/// Compares the systems of `systems` seeds from `first_seed` on.
pub(crate) fn run(first_seed: u64, systems: u64) -> ExitCode {
    for seed in first_seed..first_seed.saturating_add(systems) {
        let system = RandomSystem::generate(seed, &Knobs::default());
        for (name, compare) in COMPARISONS {
            if compare(&system).is_ok() {
                continue;
            }
            let small = shrink(&system, |smaller| compare(smaller).is_err());
            let difference = compare(&small).err().unwrap_or_default();
            println!("seed {seed}: {name} and reference differ: {difference}\n\n{small}");
            return ExitCode::FAILURE;
        }
    }
    println!("{systems} systems from seed {first_seed} on: all readings agree");
    ExitCode::SUCCESS
}

fn reference(system: &System) -> Result<ReferenceSpace<'_>, String> {
    ReferenceSpace::new(system).map_err(|error| error.to_string())
}

fn compare_program(system: &System) -> Result<(), String> {
    let program = Program::compile(system).map_err(|error| error.to_string())?;
    first_difference(&reference(system)?, &program, STATE_LIMIT).map_or(Ok(()), Err)
}

/// With the program, which has the same steps in the same order and is much faster than the reference.
fn compare_native(system: &System) -> Result<(), String> {
    let program = Program::compile(system).map_err(|error| error.to_string())?;
    let native = NativeProgram::of(program.clone(), system).map_err(|(_, error)| error.to_string())?;
    first_difference(&program, &native, STATE_LIMIT).map_or(Ok(()), Err)
}

fn compare_bits(system: &System) -> Result<(), String> {
    let bits = BitSpace::new(system).map_err(|error| error.to_string())?;
    first_difference(&reference(system)?, &bits, STATE_LIMIT).map_or(Ok(()), Err)
}

fn compare_engine(system: &System) -> Result<(), String> {
    let Ok(whole) = Enumerated::new(&reference(system)?, STATE_LIMIT) else { return Ok(()) };
    let expected = (whole.states.len() as u64, whole.transitions() as u64);
    let replay = SystemReplay::new(system).map_err(|error| error.to_string())?;
    let ways = |engine: &'static dyn Engine| [(engine, 1), (engine, 2)];
    let mut runs = 0;
    for (engine, threads) in lariat::engines().into_iter().flat_map(ways) {
        let name = engine.name();
        let options = Options { keep_going: true, threads, ..Options::default() };
        let task = Task::of_system(system, Property::Safety { invalid_ends: true }, options);
        let Ok(prepared) = engine.prepare(&task) else { continue };
        runs += 1;
        let report = prepared.run(&RunControl::new(MEMORY_BYTES, None)).map_err(|error| error.to_string())?;
        let found = (report.stats.states, report.stats.transitions);
        if found != expected {
            return Err(format!("{name}, states and transitions: {found:?}, enumerated: {expected:?}"));
        }
        Settled::new("safety", name, Arc::new(system.clone()), report, &replay)
            .map_err(|error| format!("{name}: a trace does not replay: {error}"))?;
    }
    if runs < 3 { Err(format!("only {runs} engines take `safety`")) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_agree_on_a_few_systems() {
        for seed in 0..15 {
            let system = RandomSystem::generate(seed, &Knobs::default());
            for (name, compare) in COMPARISONS {
                assert_eq!(compare(&system), Ok(()), "seed {seed}, {name}");
            }
        }
    }
}
