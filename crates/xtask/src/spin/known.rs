//! Differences that are known, and how each is recognised.
//!
//! Each rule names the words of docs/differences.md that explain it. A rule looks at the shrunk model, in which little
//! else is left; those that go by evidence alone are tried before shrinking.

use super::compare::{Difference, Part, Respect};

/// A difference to be explained.
#[derive(Debug)]
pub(super) struct Finding<'a> {
    /// The model.
    pub(super) text: &'a str,
    pub(super) part: &'a Part,
    pub(super) difference: &'a Difference,
}

/// A known difference.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) name: &'static str,
    /// Words that docs/differences.md explains it with.
    #[cfg_attr(not(test), allow(dead_code, reason = "a test looks for them"))]
    pub(super) documented: &'static str,
    /// Whether it can be seen without shrinking.
    at_once: bool,
    applies: fn(&Finding<'_>) -> bool,
}

/// All known differences that models may show.
pub(super) const RULES: [Rule; 1] = [Rule {
    name: "weak fairness loses violations where the run ends",
    documented: "loses violations where the system ends or blocks",
    at_once: true,
    applies: |finding| {
        finding.part.is_fair() && matches!(finding.difference.cycles, Some((false, ours)) if ours.bad && ours.ended)
    },
}];

/// The rule that explains a difference.
pub(super) fn explain(finding: &Finding<'_>, shrunk: bool) -> Option<&'static Rule> {
    RULES
        .iter()
        .filter(|rule| shrunk || rule.at_once)
        .find(|rule| finding.difference.respect > Respect::Refusal && (rule.applies)(finding))
}

impl Part {
    fn is_fair(&self) -> bool {
        match self {
            Self::Safety => false,
            Self::Formula { fair, .. } | Self::Acceptance { fair } | Self::Progress { fair } => *fair,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_documented() {
        let document = include_str!("../../../../docs/differences.md");
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        for rule in &RULES {
            assert!(words(document).contains(&words(rule.documented)), "{} is not in docs/differences.md", rule.name);
        }
    }
}
