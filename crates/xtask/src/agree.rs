//! `cargo xtask agree`: all readings of a system say the same.
//!
//! On random systems the compiled program and the bit functions are compared with the reference evaluator, state by state,
//! native code with the program, every engine's figures and verdict, by sets of states too, with a graph written out in full; every
//! trace it finds is replayed. The first system on which
//! something differs is shrunk and printed in text form, ready to become a test.

use lariat_engine::{Engine, Options, Property, Report, RunControl, Settled, Shortfall, SystemReplay, Task, Verdict};
use lariat_exec::{NativeProgram, Program, first_difference};
use lariat_explicit::Bfs;
use lariat_space::{Enumerated, ReferenceSpace};
use lariat_symbolic::{BitSpace, Symbolic};
use lariat_system::System;
use lariat_testkit::{Knobs, RandomSystem, shrink};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

const STATE_LIMIT: usize = 500;
const MEMORY_BYTES: u64 = 1 << 26;
/// Less for sets of states, for which memory is made ready before the search.
const SETS_BYTES: u64 = 1 << 24;
/// How often to tell how far it is.
const PROGRESS: Duration = Duration::from_secs(10);

/// One respect in which readings are compared: whether the system could be compared, or the first difference.
type Comparison = fn(&System) -> Result<bool, String>;

const COMPARISONS: [(&str, Comparison); 5] = [
    ("program", compare_program),
    ("native", compare_native),
    ("bits", compare_bits),
    ("engines", compare_engine),
    ("sets", compare_sets),
];

/// Compares the systems of `systems` seeds from `first_seed` on, in one respect if `only` names it.
pub(crate) fn run(first_seed: u64, systems: u64, only: Option<&str>) -> ExitCode {
    let comparisons: Vec<_> = COMPARISONS.iter().filter(|(name, _)| only.is_none_or(|only| only == *name)).collect();
    if comparisons.is_empty() {
        let names: Vec<&str> = COMPARISONS.iter().map(|(name, _)| *name).collect();
        println!("`--only` takes one of {}", names.join(", "));
        return ExitCode::FAILURE;
    }
    let (began, mut shown_at) = (Instant::now(), Instant::now());
    let mut compared = vec![0_u64; comparisons.len()];
    for seed in first_seed..first_seed.saturating_add(systems) {
        let system = RandomSystem::generate(seed, &Knobs { halves: seed % 2 == 0, ..Knobs::default() });
        for ((name, compare), compared) in comparisons.iter().zip(&mut compared) {
            if let Ok(could) = compare(&system) {
                *compared += u64::from(could);
                continue;
            }
            let small = shrink(&system, |smaller| compare(smaller).is_err());
            let difference = compare(&small).err().unwrap_or_default();
            println!("seed {seed}: {name} and reference differ: {difference}\n\n{small}");
            return ExitCode::FAILURE;
        }
        if shown_at.elapsed() > PROGRESS {
            shown_at = Instant::now();
            println!("seed {seed}, {:.0} s", began.elapsed().as_secs_f64());
        }
    }
    let counts: Vec<String> =
        comparisons.iter().zip(&compared).map(|((name, _), count)| format!("{name} {count}")).collect();
    println!("{systems} systems from seed {first_seed} on: all readings agree");
    println!("compared: {}; {:.0} s", counts.join(", "), began.elapsed().as_secs_f64());
    ExitCode::SUCCESS
}

fn reference(system: &System) -> Result<ReferenceSpace<'_>, String> {
    ReferenceSpace::new(system).map_err(|error| error.to_string())
}

fn compare_program(system: &System) -> Result<bool, String> {
    let program = Program::compile(system).map_err(|error| error.to_string())?;
    first_difference(&reference(system)?, &program, STATE_LIMIT).map_or(Ok(true), Err)
}

/// With the program, which has the same steps in the same order and is much faster than the reference.
fn compare_native(system: &System) -> Result<bool, String> {
    let program = Program::compile(system).map_err(|error| error.to_string())?;
    let native = NativeProgram::of(program.clone(), system).map_err(|(_, error)| error.to_string())?;
    first_difference(&program, &native, STATE_LIMIT).map_or(Ok(true), Err)
}

fn compare_bits(system: &System) -> Result<bool, String> {
    let bits = BitSpace::new(system).map_err(|error| error.to_string())?;
    first_difference(&reference(system)?, &bits, STATE_LIMIT).map_or(Ok(true), Err)
}

fn compare_engine(system: &System) -> Result<bool, String> {
    let Ok(whole) = Enumerated::new(&reference(system)?, STATE_LIMIT) else { return Ok(false) };
    let expected = (whole.states.len() as u64, whole.transitions() as u64);
    let replay = SystemReplay::new(system).map_err(|error| error.to_string())?;
    let ways = |engine: &'static dyn Engine| [(engine, 1), (engine, 2)];
    let (mut runs, mut holds) = (0, None);
    for (engine, threads) in lariat::engines().into_iter().flat_map(ways) {
        let name = engine.name();
        let options = Options { keep_going: true, threads, ..Options::default() };
        let task = Task::of_system(system, Property::Safety { invalid_ends: true }, options);
        let Ok(prepared) = engine.prepare(&task) else { continue };
        runs += 1;
        let control = RunControl::new(MEMORY_BYTES, None);
        let report = prepared.run(&control).map_err(|error| error.to_string())?;
        // What was searched on disk can go.
        control.answered();
        let found = (report.stats.states, report.stats.transitions);
        // One that cannot say that something holds need not see the whole graph.
        if engine.can_show_that_it_holds() {
            holds.get_or_insert(report.verdict == Verdict::Holds);
        }
        if holds.is_some_and(|holds| !report.verdict.may_be_said_by(engine, holds)) {
            return Err(format!("{name} says {:?}, others that it holds: {holds:?}", report.verdict));
        }
        if engine.can_show_that_it_holds() && found != expected {
            return Err(format!("{name}, states and transitions: {found:?}, enumerated: {expected:?}"));
        }
        Settled::new("safety", name, Arc::new(system.clone()), report, &replay)
            .map_err(|error| format!("{name}: a trace does not replay: {error}"))?;
    }
    if runs < 3 { Err(format!("only {runs} engines take `safety`")) } else { Ok(true) }
}

/// By sets of states the verdict is that of a search state by state, the number of states that of the graph, and a trace is
/// replayed. Systems whose diagrams are too large are left out.
fn compare_sets(system: &System) -> Result<bool, String> {
    let Ok(whole) = Enumerated::new(&reference(system)?, STATE_LIMIT) else { return Ok(false) };
    let task = Task::of_system(system, Property::Safety { invalid_ends: true }, Options::default());
    let run = |engine: &dyn Engine| -> Result<Report, String> {
        let prepared = engine.prepare(&task).map_err(|refusal| format!("{} refuses: {refusal:?}", engine.name()))?;
        prepared.run(&RunControl::new(SETS_BYTES, None)).map_err(|error| error.to_string())
    };
    let expected = run(&Bfs)?.verdict;
    let report = run(&Symbolic)?;
    match (&expected, &report.verdict) {
        (_, Verdict::Undecided(Shortfall::Memory { .. })) => return Ok(false),
        (Verdict::Holds, Verdict::Holds) => {
            let (found, expected) = (report.stats.states, whole.states.len() as u64);
            if found != expected {
                return Err(format!("{found} states by sets, enumerated: {expected}"));
            }
        }
        (Verdict::Fails(_), Verdict::Fails(_)) => {}
        (expected, found) => return Err(format!("by sets {found:?}, state by state {expected:?}")),
    }
    let replay = SystemReplay::new(system).map_err(|error| error.to_string())?;
    Settled::new("safety", Symbolic.name(), Arc::new(system.clone()), report, &replay)
        .map_err(|error| format!("a trace does not replay: {error}"))?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_agree_on_a_few_systems() {
        for seed in 0..5 {
            let system = RandomSystem::generate(seed, &Knobs::default());
            for (name, compare) in COMPARISONS {
                assert!(compare(&system).is_ok(), "seed {seed}, {name}: {:?}", compare(&system));
            }
        }
    }
}
