//! The table at the end of a run.

use super::compare::{Outcome, Question};
use super::features::FEATURES;
use std::collections::BTreeMap;
use std::fmt;

/// What came of all models.
#[derive(Debug, Default)]
pub(super) struct Tally {
    models: u64,
    /// Models of which at least one part was compared.
    compared: u64,
    features: Vec<u64>,
    /// By question: asked, agreed.
    parts: BTreeMap<&'static str, (u64, u64)>,
    skipped: BTreeMap<String, u64>,
    states: Vec<u64>,
    failing: u64,
    known: BTreeMap<&'static str, u64>,
    new: u64,
}

impl Tally {
    pub(super) fn model(&mut self, features: &[bool], outcomes: &[(Question, Outcome)]) {
        self.models += 1;
        self.features.resize(FEATURES.len(), 0);
        self.features.iter_mut().zip(features).for_each(|(count, &has)| *count += u64::from(has));
        self.compared += u64::from(outcomes.iter().any(|(_, outcome)| !matches!(outcome, Outcome::Skipped(_))));
        for (part, outcome) in outcomes {
            let (asked, agreed) = self.parts.entry(part.kind()).or_default();
            *asked += 1;
            match outcome {
                Outcome::Same => *agreed += 1,
                Outcome::Skipped(reason) => *self.skipped.entry(format!("{}: {reason}", part.kind())).or_default() += 1,
                Outcome::Differs(_) => {}
            }
        }
    }
    pub(super) fn size(&mut self, states: u64, fails: bool) {
        self.states.push(states);
        self.failing += u64::from(fails);
    }
    pub(super) fn known(&mut self, rule: &'static str) {
        *self.known.entry(rule).or_default() += 1;
    }
    pub(super) fn new_difference(&mut self) {
        self.new += 1;
    }
    pub(super) fn new_differences(&self) -> u64 {
        self.new
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "models with each feature:")?;
        for (name, count) in FEATURES.iter().zip(&self.features) {
            writeln!(f, "  {count:>7}  {name}")?;
        }
        let mut states = self.states.clone();
        states.sort_unstable();
        let quantile = |percent: usize| states.get((states.len() * percent / 100).min(states.len().saturating_sub(1)));
        writeln!(f, "states, where both finish and agree:")?;
        for percent in [10, 50, 90, 99] {
            writeln!(f, "  {:>7}  at {percent} %", quantile(percent).copied().unwrap_or(0))?;
        }
        writeln!(f, "  {:>7}  models that fail", self.failing)?;
        writeln!(f, "compared: {} of {} models", self.compared, self.models)?;
        for (part, (asked, agreed)) in &self.parts {
            writeln!(f, "  {asked:>7}  {part}, {agreed} agree")?;
        }
        writeln!(f, "not compared:")?;
        for (reason, count) in &self.skipped {
            writeln!(f, "  {count:>7}  {reason}")?;
        }
        writeln!(f, "known differences (docs/differences.md):")?;
        for (rule, count) in &self.known {
            writeln!(f, "  {count:>7}  {rule}")?;
        }
        writeln!(f, "new differences: {}", self.new)
    }
}

impl Question {
    fn kind(&self) -> &'static str {
        match self {
            Self::Safety => "safety",
            Self::Formula { fair: false, .. } => "ltl",
            Self::Formula { fair: true, .. } => "ltl, fair",
            Self::Acceptance { fair: false } => "acceptance cycles",
            Self::Acceptance { fair: true } => "acceptance cycles, fair",
            Self::Progress { fair: false } => "non-progress cycles",
            Self::Progress { fair: true } => "non-progress cycles, fair",
        }
    }
}
