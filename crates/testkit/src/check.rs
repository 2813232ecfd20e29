//! Running one check on many random systems.

use crate::{Knobs, RandomSystem, shrink};
use lariat_system::System;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `check` on the random system of each seed. The first on which it fails, by an error or by a panic, is shrunk as
/// long as it fails in any way, and the smallest one is shown in its text form: it can be kept as a test.
pub fn check_random_systems(seeds: Range<u64>, knobs: &Knobs, mut check: impl FnMut(&System) -> Result<(), String>) {
    let mut failure = |system: &System| outcome(|| check(system));
    for seed in seeds {
        let system = RandomSystem::generate(seed, knobs);
        let Some(first) = failure(&system) else { continue };
        let small = shrink(&system, |candidate| failure(candidate).is_some());
        let last = failure(&small).unwrap_or_else(|| "nothing: the check does not always answer the same".into());
        panic!("seed {seed}: {first}\nshrunk, with {last}:\n{small}");
    }
}

/// Why a check fails, by an error or by a panic.
pub(crate) fn outcome(check: impl FnOnce() -> Result<(), String>) -> Option<String> {
    match catch_unwind(AssertUnwindSafe(check)) {
        Ok(outcome) => outcome.err(),
        Err(payload) => Some(match (payload.downcast_ref::<String>(), payload.downcast_ref::<&str>()) {
            (Some(message), _) => format!("panic: {message}"),
            (None, Some(message)) => format!("panic: {message}"),
            (None, None) => "panic".to_string(),
        }),
    }
}
