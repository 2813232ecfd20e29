//! A reduced space keeps what it must keep, on random systems and random Promela models: the dead ends, the run-time errors,
//! the actions that can be taken, and the truth of every formula that counts no steps. And each rule of the choice is needed:
//! leave one out, and some of these tests notices.
//!
//! `LARIAT_SEEDS=20000 cargo test --release -p lariat-space --test reduction` tries more of them, and `LARIAT_FIRST_SEED`
//! says where to begin. `cargo xtask audit` does the same with compiled systems.

mod cases;
mod rules;
mod simplify;

// Modules with tests of their own are compiled here once more. To compile the whole crate a second time, as its own test
// program, would take far longer.
#[allow(dead_code, unreachable_pub)]
#[path = "../../src/reduction/atoms.rs"]
mod atoms;
#[allow(dead_code, unreachable_pub)]
#[path = "../../src/natural.rs"]
mod natural;
#[allow(dead_code, unreachable_pub)]
#[path = "../../src/steps.rs"]
mod steps;

use cases::Case;
use lariat_space::{Ample, ReferenceSpace, Rule};
use lariat_system::System;
use lariat_testkit::{Reduction, Rng, shrink};
use std::path::Path;

/// More states than this are too many for a test.
const STATES: usize = 500;

/// The models and systems that were written, or found, to lose something by one wrong assumption each.
fn kept() -> Vec<(String, Case)> {
    let folders = ["../lariat/tests/orders", "tests/reduction/kept"];
    let folders = folders.map(|folder| Path::new(env!("CARGO_MANIFEST_DIR")).join(folder));
    folders.iter().flat_map(|folder| cases::kept(folder)).collect()
}

fn seeds(usually: u64) -> std::ops::Range<u64> {
    let number = |name: &str, usually: u64| std::env::var(name).map_or(usually, |text| text.parse().expect("a number"));
    let first = number("LARIAT_FIRST_SEED", 0);
    first..first + number("LARIAT_SEEDS", usually)
}

/// What was compared.
#[derive(Default, Debug)]
struct Tally {
    cases: usize,
    all: usize,
    left: usize,
    smaller: usize,
    runs: usize,
    none: usize,
}

/// Compares the reduced space of a case with the whole, without this rule if one is given; an error if they differ.
fn compare(
    Case { system, labels, formulas, .. }: &Case,
    seed: u64,
    omitted: Option<Rule>,
    tally: &mut Tally,
) -> Result<(), String> {
    let Ok(space) = ReferenceSpace::new(system) else { return Ok(()) };
    let Some(reduction) = Reduction::new(system, &space, labels, STATES) else { return Ok(()) };
    let reduction = reduction.with_formulas(*formulas, &mut Rng::new(seed));
    let ample = Ample::omitting(omitted, system, labels).expect("it fitted before");
    let left = reduction.compare(&ample)?;
    let (runs, none) = reduction.formulas();
    tally.cases += 1;
    tally.all += reduction.states();
    tally.left += left;
    tally.smaller += usize::from(left < reduction.states());
    tally.runs += runs;
    tally.none += none;
    Ok(())
}

/// Compares the cases of so many seeds.
fn compare_all(usually: u64, case: fn(u64) -> Option<Case>) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds(usually) {
        let Some(case) = case(seed) else { continue };
        if let Err(found) = compare(&case, seed, None, &mut tally) {
            let smaller = |system: &System| {
                let (labels, text) = (case.labels.clone(), String::new());
                compare(&Case { system: system.clone(), labels, text, ..case }, seed, None, &mut Tally::default())
            };
            let small = shrink(&case.system, |candidate| smaller(candidate).is_err());
            panic!("seed {seed}: {found}\n{}\nshrunk:\n{small}", case.text);
        }
    }
    println!("{tally:?}");
    tally
}

#[test]
fn nothing_that_safety_asks_for_is_lost() {
    let tally = compare_all(250, cases::system);
    assert!(tally.smaller > 20, "hardly anything was reduced: {tally:?}");
}

#[test]
fn formulas_that_count_no_steps_keep_their_truth() {
    let tally = compare_all(150, cases::labelled_system);
    assert!(tally.runs > 50 && tally.none > 50 && tally.smaller > 8, "{tally:?}");
}

#[test]
fn processes_that_talk_lose_nothing() {
    let tally = compare_all(1500, cases::quick_system);
    assert!(tally.smaller > 200, "hardly anything was reduced: {tally:?}");
}

#[test]
fn models_lose_nothing() {
    let tally = compare_all(250, cases::model);
    assert!(tally.smaller > 20, "hardly anything was reduced: {tally:?}");
}

#[test]
fn formulas_about_models_keep_their_truth() {
    let tally = compare_all(120, cases::model_with_formulas);
    assert!(tally.runs > 20 && tally.none > 20 && tally.smaller > 8, "{tally:?}");
}

#[test]
fn models_whose_orders_matter_lose_nothing() {
    let mut tally = Tally::default();
    for (name, case) in kept() {
        if let Err(found) = compare(&case, 0, None, &mut tally) {
            panic!("{name}: {found}\n{}", case.text);
        }
    }
    println!("{tally:?}");
    assert!(tally.smaller > 10, "hardly anything was reduced: {tally:?}");
}
