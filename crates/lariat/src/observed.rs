//! Answers as model files state them, for `lariat test` and our own tests.

use crate::Checked;
use lariat_engine::{Settled, Verdict};
use lariat_expect::ObservedVerdict;

/// What was found about each property, by name.
pub fn observed_verdicts(checked: &Checked) -> Vec<(String, ObservedVerdict)> {
    let verdict = |settled: &Settled| match &settled.report().verdict {
        Verdict::Holds => ObservedVerdict::Holds,
        Verdict::Fails(evidence) => {
            let trace = evidence.trace.steps.len() as u64;
            ObservedVerdict::Fails { reason: evidence.kind.word(settled.system()).to_owned(), trace }
        }
        Verdict::Computed(quantity) => ObservedVerdict::Computed { value: quantity.to_string() },
        Verdict::Undecided(shortfall) => ObservedVerdict::Undecided { reason: format!("{shortfall:?}") },
    };
    checked.settled.iter().map(|settled| (settled.name().to_owned(), verdict(settled))).collect()
}
