//! `cargo xtask spin`: Lariat and SPIN say the same about random Promela models.
//!
//! Each model is searched in full by both, and the verdicts, the numbers of states and the numbers of transitions are
//! compared. SPIN is asked without any of its optimizations, which change the numbers. A model on which the two differ is
//! shrunk and printed.
//!
//! Not every difference counts. Where several ways through an `atomic` lead through one state, we take the rest of the
//! way once and SPIN takes it each time, so with `atomic` transitions are not compared. Where SPIN stops at the first
//! mistake it meets, only the verdicts are.

mod generate;
mod oracle;
mod text;

use lariat::{CheckOptions, Limits, Model, Options, ReadOptions, Verdict};
use oracle::{Answer, Figures, Spin};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;
use text::Node;

const LIMITS: Limits = Limits { memory_bytes: 1 << 28, time: Some(Duration::from_secs(10)) };

/// In what two answers differ, the gravest first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Respect {
    /// We panic, or find a bug of ours.
    Bug,
    /// We refuse what SPIN accepts.
    Refusal,
    Verdict,
    States,
    Transitions,
}

/// What came of one comparison.
enum Outcome {
    Same,
    /// There is nothing to compare, and why: one of the two does not finish, or SPIN refuses the model.
    Skipped(String),
    Differs(Respect, String),
}

/// Compares the models of `models` seeds from `first_seed` on.
/// With `verbose` it is said which cannot be compared.
pub(crate) fn run(first_seed: u64, models: u64, verbose: bool) -> ExitCode {
    let spin = match Spin::find() {
        Ok(spin) => spin,
        Err(missing) => {
            println!("skipped: {missing}");
            return ExitCode::SUCCESS;
        }
    };
    let (mut compared, mut differing) = (0, 0);
    for seed in first_seed..first_seed.saturating_add(models) {
        let model = generate::model(seed);
        match compare(&spin, &model) {
            Outcome::Same => compared += 1,
            Outcome::Skipped(reason) if verbose => println!("seed {seed}: not compared: {reason}"),
            Outcome::Skipped(_) => {}
            Outcome::Differs(respect, _) => {
                differing += 1;
                let still_differs = |smaller: &[Node]| match compare(&spin, smaller) {
                    Outcome::Differs(now, _) => now == respect,
                    _ => false,
                };
                let small = text::shrink(model, still_differs);
                let Outcome::Differs(_, difference) = compare(&spin, &small) else {
                    println!("seed {seed}: the difference does not repeat");
                    continue;
                };
                println!("seed {seed}: {respect:?}: {difference}\n\n{}", text::print(&small));
            }
        }
    }
    println!(
        "{models} models from seed {first_seed} on: {compared} agree, {differing} differ, the rest cannot be compared"
    );
    if differing == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn compare(spin: &Spin, model: &[Node]) -> Outcome {
    let text = text::print(model);
    let theirs = spin.ask(&text);
    if let Answer::None(reason) = theirs {
        return Outcome::Skipped(reason);
    }
    let path = spin.model_path();
    let ours = match std::panic::catch_unwind(|| ask_lariat(&path)) {
        Ok(ours) => ours,
        Err(_) => return Outcome::Differs(Respect::Bug, "we panic".to_owned()),
    };
    let respect = match (&theirs, &ours) {
        (_, Ours::Unfinished) => return Outcome::Skipped("too large for us".to_owned()),
        (_, Ours::Bug(bug)) => return Outcome::Differs(Respect::Bug, bug.clone()),
        (_, Ours::Refuses(_)) => Respect::Refusal,
        (Answer::Fails, Ours::Figures(figures)) if figures.fails => return Outcome::Same,
        (Answer::Figures(theirs), Ours::Figures(ours)) if theirs.fails == ours.fails => {
            if theirs.states != ours.states {
                Respect::States
            } else if theirs.transitions != ours.transitions && !text.contains("atomic") {
                Respect::Transitions
            } else {
                return Outcome::Same;
            }
        }
        _ => Respect::Verdict,
    };
    Outcome::Differs(respect, format!("SPIN: {theirs:?}, Lariat: {ours:?}"))
}

/// What Lariat says about a model.
#[derive(Debug)]
enum Ours {
    Refuses(#[allow(dead_code, reason = "shown by Debug")] String),
    Unfinished,
    Bug(String),
    Figures(Figures),
}

fn ask_lariat(path: &Path) -> Ours {
    let mut model = match Model::read(path, &ReadOptions::default()) {
        Ok(model) => model,
        Err(rejected) => {
            let errors = rejected.diagnostics.iter().filter(|diagnostic| diagnostic.is_error());
            return Ours::Refuses(errors.map(|error| error.message.as_str()).collect::<Vec<_>>().join("; "));
        }
    };
    let properties = vec!["safety".to_owned()];
    let options = Options { keep_going: true, ..Options::default() };
    let options = CheckOptions { properties, options, ..CheckOptions::default() };
    let checked = match lariat::check(&mut model, &options, &LIMITS.control()) {
        Ok(checked) => checked,
        Err(lariat::CheckError::Bug(bug)) => return Ours::Bug(bug),
        Err(refused) => return Ours::Refuses(refused.to_string()),
    };
    let report = checked.settled[0].report();
    let fails = match report.verdict {
        Verdict::Holds => false,
        Verdict::Fails(_) => true,
        Verdict::Undecided(_) => return Ours::Unfinished,
    };
    Ours::Figures(Figures { fails, states: report.stats.states, transitions: report.stats.transitions })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lariat_and_spin_agree_on_a_few_models() {
        let Ok(spin) = Spin::find() else {
            println!("skipped: no SPIN");
            return;
        };
        for seed in 0..3 {
            let model = generate::model(seed);
            if let Outcome::Differs(_, difference) = compare(&spin, &model) {
                panic!("seed {seed}: {difference}\n{}", text::print(&model));
            }
        }
    }
}
