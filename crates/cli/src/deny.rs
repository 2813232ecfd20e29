//! `--deny`: what is not a failure, but ends the program as one.

use crate::args::one_of;
use lariat::{Settled, Verdict};
use lariat_base::Diagnostic;

/// What can be denied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Deny {
    /// Properties that hold because nothing was asked of any run.
    Vacuous,
    /// Properties without an answer.
    Undecided,
    /// Warnings of any kind.
    Warnings,
}

const WORDS: [(&str, Deny); 3] =
    [("vacuous", Deny::Vacuous), ("undecided", Deny::Undecided), ("warnings", Deny::Warnings)];

/// The codes of warnings about properties that hold vacuously.
const VACUOUS: [&str; 3] = ["C0001", "C0004", "C0006"];

/// A parser for what is denied.
pub(crate) fn parser() -> impl clap::builder::TypedValueParser<Value = Deny> {
    one_of(&WORDS)
}

/// For each thing that is denied and was met, a line that says so.
pub(crate) fn met(denied: &[Deny], settled: &[Settled], warnings: &[Diagnostic]) -> Vec<String> {
    let count = |deny: Deny| match deny {
        Deny::Vacuous => warnings.iter().filter(|warning| VACUOUS.contains(&warning.code)).count(),
        Deny::Undecided => {
            settled.iter().filter(|settled| matches!(settled.report().verdict, Verdict::Undecided(_))).count()
        }
        Deny::Warnings => warnings.iter().filter(|warning| !warning.is_error()).count(),
    };
    let line = |(word, deny): (&str, Deny)| {
        let count = count(deny);
        let what = match deny {
            Deny::Vacuous => "vacuous answer",
            Deny::Undecided => "undecided property",
            Deny::Warnings => "warning",
        };
        let what = match (count, deny) {
            (1, _) => what.to_owned(),
            (_, Deny::Undecided) => "undecided properties".to_owned(),
            _ => format!("{what}s"),
        };
        (denied.contains(&deny) && count > 0).then(|| format!("{count} {what}, denied by `--deny {word}`"))
    };
    WORDS.into_iter().filter_map(line).collect()
}
