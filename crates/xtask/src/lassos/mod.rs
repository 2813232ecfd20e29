//! `cargo xtask lassos`: every engine for temporal properties agrees with an oracle.
//!
//! A case is a random system of at most ten states, a random formula of LTL with past over its labels, and some fairness
//! constraints. The oracle (`lariat_testkit::oracle`) settles it in two ways, without engines, products or automata. Every
//! engine that takes the case must say the same, with every store; its traces must replay; and traces that are broken on
//! purpose must be refused unless the oracle finds them right. The first case on which something differs is shrunk and
//! printed in text form, ready to become a test.
//!
//! With `--star` the formulas are of CTL* with past; the engines are those for sets of states, every run that they show is
//! replayed, and on formulas of LTL and CTL the algorithms for these are asked too.

mod compare;
#[cfg(test)]
mod kept;
#[cfg(test)]
mod mistakes;
#[cfg(test)]
mod scale;
mod star;
mod traces;

use compare::{Agreement, Compared, Effort, compare};
use lariat_system::{Fairness, Occasion, Strength, Who};
use lariat_testkit::TemporalCase;
use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

/// Machine code takes long to make: it is tried on one case of so many.
const NATIVE_EVERY: u64 = 64;

/// What formulas are of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Linear time.
    Ltl,
    /// CTL*.
    Star,
}

/// Compares the cases of `cases` seeds from `first_seed` on.
pub(crate) fn run(first_seed: u64, cases: u64, kind: Kind) -> ExitCode {
    let started = Instant::now();
    let summary = Mutex::new(Summary::default());
    let (next, stopped) = (AtomicU64::new(0), AtomicBool::new(false));
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while !stopped.load(Ordering::Relaxed) {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= cases {
                        break;
                    }
                    if number % 1000 == 999 && std::io::stderr().is_terminal() {
                        eprint!("\r{} of {cases} cases", number + 1);
                    }
                    let seed = first_seed.wrapping_add(number);
                    let (case, outcome) = examine(seed, kind);
                    match outcome {
                        Ok(compared) => summary.lock().expect("nobody panics here").add(&case, &compared),
                        Err(first) => {
                            if !stopped.swap(true, Ordering::Relaxed) {
                                report(seed, &case, &first);
                            }
                        }
                    }
                }
            });
        }
    });
    if stopped.into_inner() {
        return ExitCode::FAILURE;
    }
    println!("{cases} cases from seed {first_seed} on: all engines agree with the oracle");
    println!("{}", summary.into_inner().expect("nobody panics here"));
    println!("{:.1} s", started.elapsed().as_secs_f64());
    ExitCode::SUCCESS
}

/// The case of a seed, and what it comes to.
fn examine(seed: u64, kind: Kind) -> (TemporalCase, Result<Compared, String>) {
    let case = match kind {
        Kind::Ltl => TemporalCase::generate(seed),
        Kind::Star => TemporalCase::generate_star(seed),
    };
    let outcome = outcome(&case, effort(seed));
    (case, outcome)
}

fn effort(seed: u64) -> Effort {
    Effort { native: seed.is_multiple_of(NATIVE_EVERY), replayed: 4 }
}

/// What a case comes to; a panic is a difference too.
fn outcome(case: &TemporalCase, effort: Effort) -> Result<Compared, String> {
    let compare = || match case.formula.is_of_states() && case.formula.has_quantifier() {
        true => star::compare(case),
        false => compare(case, effort),
    };
    catch_unwind(AssertUnwindSafe(compare)).unwrap_or_else(|payload| {
        let message = payload.downcast_ref::<String>().map(String::as_str);
        Err(format!("panic: {}", message.or(payload.downcast_ref::<&str>().copied()).unwrap_or("without words")))
    })
}

/// Shrinks a case on which something differs, and prints it.
fn report(seed: u64, case: &TemporalCase, first: &str) {
    println!("seed {seed}: {first}\n\n{case}\nshrinking …");
    // What is replayed depends on a choice: a smaller case shows it only if nothing is left to chance.
    let effort = Effort { replayed: usize::MAX, ..effort(seed) };
    let small = case.shrunk(|candidate| outcome(candidate, effort).is_err());
    let last = outcome(&small, effort).err().unwrap_or_else(|| "nothing: it does not always differ".to_owned());
    println!("shrunk, with: {last}\n\n{small}");
}

/// How many cases were of which kind.
#[derive(Default)]
struct Summary {
    too_large: u64,
    counts: BTreeMap<&'static str, u64>,
    refused: BTreeMap<&'static str, u64>,
    /// By kind of constraint: cases with one that hold, that fail.
    by_constraint: BTreeMap<&'static str, (u64, u64)>,
}

impl Summary {
    fn add(&mut self, case: &TemporalCase, compared: &Compared) {
        let Compared::Agreed(agreement) = compared else {
            self.too_large += 1;
            return;
        };
        let Agreement {
            fails,
            found_by_trying,
            vacuous,
            refined,
            refused,
            runs,
            tested,
            fair_searches,
            right_traces,
            wrong_traces,
            shortest,
            proven_shortest,
        } = agreement;
        let mut count = |what: &'static str, number: u64| *self.counts.entry(what).or_default() += number;
        count("compared", 1);
        count(if *fails { "fail" } else { "hold" }, 1);
        count("fail, and a bad run was met by trying short ones", u64::from(*found_by_trying));
        count("hold because no run is fair", u64::from(*vacuous));
        count("refined for strong fairness", u64::from(*refined));
        count("with past", u64::from(case.formula.has_past()));
        count("runs of engines", *runs);
        count("runs of engines with a tester", *tested);
        count("runs of engines with another search for fair loops", *fair_searches);
        count("traces that are right and replay", *right_traces);
        count("traces that are wrong and are refused", *wrong_traces);
        count("shortest lassos, never longer than those of others", *shortest);
        count("shortest lassos, as long as by trying all runs", *proven_shortest);
        for engine in refused {
            *self.refused.entry(engine).or_default() += 1;
        }
        let mut kinds: Vec<&'static str> = case.system.fairness.iter().map(kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        if kinds.is_empty() {
            kinds.push("none");
        }
        for kind in kinds {
            let (holding, failing) = self.by_constraint.entry(kind).or_default();
            *(if *fails { failing } else { holding }) += 1;
        }
    }
}

fn kind(constraint: &Fairness) -> &'static str {
    match (constraint.strength, constraint.as_fairness_for(), constraint.asked, constraint.given) {
        (Strength::Weak, Some(Who::Process(_)), ..) => "weak, of a process",
        (Strength::Weak, Some(Who::Steps(_)), ..) => "weak, of actions",
        (Strength::Strong, Some(Who::Process(_)), ..) => "strong, of a process",
        (Strength::Strong, Some(Who::Steps(_)), ..) => "strong, of actions",
        (Strength::Weak, None, Occasion::Always, Occasion::Labelled(_)) => "justice",
        (Strength::Strong, None, Occasion::Labelled(_), Occasion::Labelled(_)) => "compassion",
        (Strength::Weak, None, ..) => "weak, of any kind",
        (Strength::Strong, None, ..) => "strong, of any kind",
    }
}

impl std::fmt::Display for Summary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (what, count) in &self.counts {
            writeln!(f, "{count:10} {what}")?;
        }
        writeln!(f, "{:10} too large for the oracle or for an automaton", self.too_large)?;
        for (kind, (holding, failing)) in &self.by_constraint {
            writeln!(f, "{:10} with fairness: {kind} ({holding} hold, {failing} fail)", holding + failing)?;
        }
        for (engine, count) in &self.refused {
            writeln!(f, "{count:10} not taken by {engine}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A short run of `cargo xtask lassos`. It is long enough to meet everything that it is there to meet; `.ci/run` has a longer
    /// one, in a release build.
    #[test]
    fn engines_agree_with_the_oracle_on_a_few_cases() {
        let mut summary = Summary::default();
        for seed in 0..120 {
            let (case, outcome) = examine(seed, Kind::Ltl);
            match outcome {
                Ok(compared) => summary.add(&case, &compared),
                Err(difference) => panic!("seed {seed}: {difference}\n{case}"),
            }
        }
        println!("{summary}");
        for what in ["hold", "fail", "hold because no run is fair", "with past"] {
            assert!(summary.counts[what] >= 4, "{what}: {summary}");
        }
        assert!(summary.counts["refined for strong fairness"] > 0, "{summary}");
        assert!(summary.counts["shortest lassos, as long as by trying all runs"] > 20, "{summary}");
        assert!(summary.counts["runs of engines with a tester"] > 4, "{summary}");
        assert_eq!(summary.by_constraint.len(), 9, "every kind of constraint, and none: {summary}");
        assert!(summary.by_constraint.values().all(|(holding, failing)| *holding > 0 && *failing > 0), "{summary}");
        assert!(summary.too_large < 12, "{summary}");
        for engine in ["scc", "graph", "symbolic"] {
            assert_eq!(summary.refused.get(engine), None, "{summary}");
        }
    }

    /// The same with formulas of CTL*.
    #[test]
    fn engines_agree_with_the_oracle_on_a_few_formulas_of_ctl_star() {
        let mut summary = Summary::default();
        for seed in 0..80 {
            let (case, outcome) = examine(seed, Kind::Star);
            match outcome {
                Ok(compared) => summary.add(&case, &compared),
                Err(difference) => panic!("seed {seed}: {difference}\n{case}"),
            }
        }
        println!("{summary}");
        for what in ["hold", "fail", "hold because no run is fair", "with past", "traces that are right and replay"] {
            assert!(summary.counts[what] >= 4, "{what}: {summary}");
        }
        assert!(summary.too_large < 16, "{summary}");
    }
}
