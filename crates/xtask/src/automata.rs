//! `cargo xtask automata`: random formulas, past included, through the translation, on both cores.

use lariat_testkit::{FormulaKnobs, check_automata, check_random_formulas};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Checks `count` formulas of several kinds, from `seed` on.
pub(crate) fn run(seed: u64, count: u64, words: usize) -> ExitCode {
    let started = Instant::now();
    let refusals = AtomicU64::new(0);
    let workers = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    std::thread::scope(|scope| {
        for worker in 0..workers {
            let refusals = &refusals;
            let share = count / workers + u64::from(worker < count % workers);
            let first = seed + worker * (count / workers + 1);
            scope.spawn(move || check_share(first, share, words, refusals));
        }
    });
    println!(
        "{count} formulas with {words} words each agree, {} of them refused as too large; {:.1} s",
        refusals.into_inner(),
        started.elapsed().as_secs_f64()
    );
    ExitCode::SUCCESS
}

fn check_share(first: u64, count: u64, words: usize, refusals: &AtomicU64) {
    let knobs = [
        FormulaKnobs::default(),
        FormulaKnobs { past: false, ..FormulaKnobs::default() },
        FormulaKnobs { operators: 12, props: 2, past: false, ..FormulaKnobs::default() },
        FormulaKnobs { operators: 5, props: 2, ..FormulaKnobs::default() },
    ];
    for seed in first..first + count {
        let knobs = &knobs[(seed % knobs.len() as u64) as usize];
        let propositions = knobs.propositions();
        check_random_formulas(seed..seed + 1, knobs, |formula| {
            if check_automata(formula, &propositions, words, seed)?.is_err() {
                refusals.fetch_add(1, Ordering::Relaxed);
            }
            Ok(())
        });
    }
}
