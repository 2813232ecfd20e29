//! `cargo xtask audit`: a reduced space keeps what it must keep.
//!
//! On random systems and on random Promela models with formulas the whole space and the one that the partial-order reduction
//! leaves are searched by the compiled program, and compared: dead ends, run-time errors, actions taken, letters, and the truth
//! of the formulas. The first system on which something differs is shrunk and printed in text form, ready to become a test.

// The same systems as in the tests of the reduction.
#[allow(dead_code)]
#[path = "../../space/tests/reduction/cases.rs"]
mod cases;

use cases::Case;
use lariat_exec::Program;
use lariat_space::Ample;
use lariat_system::System;
use lariat_testkit::{Reduction, Rng, shrink};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// More states than this are too many.
const STATES: usize = 500;
/// How often to tell how far it is.
const PROGRESS: Duration = Duration::from_secs(10);

/// What was compared.
#[derive(Default)]
struct Tally {
    cases: u64,
    smaller: u64,
    formulas: u64,
    states: u64,
    left: u64,
}

/// Compares that many systems and models with formulas, of seeds from `first_seed` on.
pub(crate) fn run(first_seed: u64, systems: u64, models: u64) -> ExitCode {
    let sources: [(&str, u64, fn(u64) -> Option<Case>); 3] = [
        ("systems", systems, cases::quick_system),
        ("models", models, cases::model),
        ("models with formulas", models, cases::model_with_formulas),
    ];
    for (name, count, source) in sources {
        let (began, mut shown_at) = (Instant::now(), Instant::now());
        let mut tally = Tally::default();
        // Some seeds have no case, or one with too many states.
        let mut seed = first_seed;
        while tally.cases < count {
            if let Some(case) = source(seed)
                && let Err(found) = compare(&case, seed, &mut tally)
            {
                println!("{name}, seed {seed}: {found}\n{}", case.text);
                println!("shrunk:\n{}", shrunk(&case, seed));
                return ExitCode::FAILURE;
            }
            seed += 1;
            if shown_at.elapsed() > PROGRESS {
                shown_at = Instant::now();
                println!("{name}: {} compared, seed {seed}, {:.0} s", tally.cases, began.elapsed().as_secs_f64());
            }
        }
        let Tally { cases, smaller, formulas, states, left } = tally;
        println!(
            "{name}: {cases} compared ({smaller} of them smaller when reduced, {left} of {states} states left, {formulas} \
             formulas), no difference; {:.0} s",
            began.elapsed().as_secs_f64()
        );
    }
    ExitCode::SUCCESS
}

/// What differs, if something does. A case that is too large is not counted.
fn compare(Case { system, labels, formulas, .. }: &Case, seed: u64, tally: &mut Tally) -> Result<(), String> {
    let Ok(program) = Program::compile(system) else { return Ok(()) };
    let Some(reduction) = Reduction::new(system, &program, labels, STATES) else { return Ok(()) };
    let reduction = reduction.with_formulas(*formulas, &mut Rng::new(seed));
    let ample = Ample::new(system, labels).map_err(|error| error.to_string())?;
    let left = reduction.compare(&ample)?;
    let (runs, none) = reduction.formulas();
    tally.cases += 1;
    tally.states += reduction.states() as u64;
    tally.left += left as u64;
    tally.smaller += u64::from(left < reduction.states());
    tally.formulas += (runs + none) as u64;
    Ok(())
}

fn shrunk(case: &Case, seed: u64) -> System {
    shrink(&case.system, |candidate| {
        let (system, labels, text) = (candidate.clone(), case.labels.clone(), String::new());
        compare(&Case { system, labels, text, ..*case }, seed, &mut Tally::default()).is_err()
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_few_systems_and_models_are_compared() {
        assert_eq!(super::run(0, 40, 5), std::process::ExitCode::SUCCESS);
    }
}
