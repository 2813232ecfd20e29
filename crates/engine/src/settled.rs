//! A property with its answer, in a form that may be shown to people.

use crate::{Evidence, Replay, ReplayError, Report, Story, Verdict};

/// A settled property. It can be built only by replaying every trace of the report: what is shown has been replayed.
#[derive(Clone, PartialEq, Debug)]
pub struct Settled {
    name: String,
    engine: &'static str,
    report: Report,
    stories: Vec<Story>,
}

impl Settled {
    /// Replays every trace of `report`. An error is a bug of the engine, or of the replay.
    pub fn new(
        name: impl Into<String>,
        engine: &'static str,
        report: Report,
        replay: &impl Replay<Story = Story>,
    ) -> Result<Self, ReplayError> {
        let wrong = |reason: &str| ReplayError { step: 0, reason: reason.to_owned() };
        match &report.verdict {
            Verdict::Fails(first) if report.failures.first() != Some(first) => {
                return Err(wrong("the verdict's own failure is not the first of those reported"));
            }
            Verdict::Holds | Verdict::Undecided(_) if !report.failures.is_empty() => {
                return Err(wrong("a failure was met, but the verdict does not say so"));
            }
            _ => {}
        }
        let stories = report
            .failures
            .iter()
            .map(|evidence| replay.replay(&evidence.trace, evidence.kind))
            .collect::<Result<_, _>>()?;
        Ok(Self { name: name.into(), engine, report, stories })
    }
    /// The name of the property.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// The name of the engine.
    pub fn engine(&self) -> &'static str {
        self.engine
    }
    /// The answer.
    pub fn report(&self) -> &Report {
        &self.report
    }
    /// The failures with what happens on the way to them; the first is the verdict's own.
    pub fn failures(&self) -> impl ExactSizeIterator<Item = (&Evidence, &Story)> {
        self.report.failures.iter().zip(&self.stories)
    }
}
