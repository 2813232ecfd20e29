//! A property with its answer, in a form that may be shown to people.

use crate::profile::Phase;
use crate::{Evidence, Replay, ReplayError, Report, Story, Temporal, Unproven, Verdict, WitnessStory};
use lariat_store::Exactness;
use lariat_system::System;
use std::sync::Arc;
use std::time::Instant;

/// A report whose every run was replayed. It can be built only by that, and only from a report that does not contradict
/// itself: what *holds* was looked at to the end, and exactly.
#[derive(Clone, PartialEq, Debug)]
pub struct Replayed<S> {
    report: Report,
    stories: Vec<S>,
    witnesses: Vec<WitnessStory>,
}

impl<S> Replayed<S> {
    /// Makes sure that `report` agrees with itself, and replays every trace of it. An error is a bug of the engine, or of the
    /// replay. Failures that there is no time or memory to replay are left out; without the first one the verdict is
    /// *undecided*.
    pub fn new(mut report: Report, replay: &impl Replay<Story = S>) -> Result<Self, ReplayError> {
        let wrong = |reason: &str| ReplayError::wrong(0, reason);
        match &report.verdict {
            Verdict::Fails(first) if report.failures.first() != Some(first) => {
                return Err(wrong("the verdict's own failure is not the first of those reported"));
            }
            Verdict::Holds | Verdict::Computed(_) | Verdict::Undecided(_) if !report.failures.is_empty() => {
                return Err(wrong("a failure was met, but the verdict does not say so"));
            }
            Verdict::Holds | Verdict::Computed(_) if report.unfinished.is_some() => {
                return Err(wrong("it is said to be settled, but not everything was looked at"));
            }
            Verdict::Holds | Verdict::Computed(_) if report.exactness != Exactness::Exact => {
                return Err(wrong("it is said to be settled, but states may have been missed"));
            }
            Verdict::Holds | Verdict::Computed(_) | Verdict::Fails(_) | Verdict::Undecided(_) => {}
        }
        let began = Instant::now();
        let mut stories: Vec<S> = Vec::new();
        let mut cut = None;
        for evidence in &report.failures {
            match replay.replay(&evidence.trace, evidence.kind) {
                Ok(story) => stories.push(story),
                Err(ReplayError { shortfall: Some(shortfall), .. }) => {
                    cut = Some((shortfall, Unproven { kind: evidence.kind, steps: evidence.trace.steps.len() as u64 }));
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        if let Some((shortfall, unproven)) = cut {
            // What was not replayed is not shown. Without the first failure there is none that anybody could believe.
            report.failures.truncate(stories.len());
            report.unfinished = Some(shortfall);
            if stories.is_empty() {
                report.verdict = Verdict::Undecided(shortfall);
                report.unproven = Some(unproven);
            }
        }
        let witnesses = match &report.verdict {
            Verdict::Undecided(_) => Vec::new(),
            verdict => match replay.replay_witnesses(verdict, &report.witnesses) {
                // The answer does not depend on them.
                Err(ReplayError { shortfall: Some(_), .. }) => Vec::new(),
                followed => followed?,
            },
        };
        if let Some(profile) = report.profile.as_mut().filter(|_| !stories.is_empty()) {
            profile.phases.push(Phase::new("replaying the runs", began.elapsed()));
        }
        Ok(Self { report, stories, witnesses })
    }
    /// The answer.
    pub fn report(&self) -> &Report {
        &self.report
    }
    /// The failures with what happens on the way to them; the first is the verdict's own.
    pub fn failures(&self) -> impl ExactSizeIterator<Item = (&Evidence, &S)> {
        self.report.failures.iter().zip(&self.stories)
    }
}

/// A settled property of a system, with all its runs [replayed](Replayed): what is shown has been replayed.
#[derive(Clone, PartialEq, Debug)]
pub struct Settled {
    name: String,
    engine: &'static str,
    system: Arc<System>,
    replayed: Replayed<Story>,
    vacuity: Option<String>,
    judge: Option<Judge>,
}

/// The property of infinite runs by which runs were judged.
#[derive(Clone, Debug)]
struct Judge(Arc<Temporal>);

impl PartialEq for Judge {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Settled {
    /// Replays the report, whose traces are runs of `system`.
    pub fn new(
        name: impl Into<String>,
        engine: &'static str,
        system: Arc<System>,
        report: Report,
        replay: &impl Replay<Story = Story>,
    ) -> Result<Self, ReplayError> {
        Ok(Self {
            name: name.into(),
            engine,
            system,
            replayed: Replayed::new(report, replay)?,
            vacuity: None,
            judge: None,
        })
    }
    /// The same, with why the answer is about no run, or about fewer than its author may have had in mind.
    pub fn vacuously(self, why: impl Into<String>) -> Self {
        Self { vacuity: Some(why.into()), ..self }
    }
    /// The same, with the property of infinite runs by which its runs were judged.
    pub fn judged_by(self, temporal: &Temporal) -> Self {
        Self { judge: Some(Judge(Arc::new(temporal.clone()))), ..self }
    }
    /// The property of infinite runs by which its runs were judged, if it is one.
    pub fn temporal(&self) -> Option<&Temporal> {
        self.judge.as_ref().map(|judge| &*judge.0)
    }
    /// Why the property holds vacuously, if it does.
    pub fn vacuity(&self) -> Option<&str> {
        self.vacuity.as_deref()
    }
    /// The name of the property.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// The name of the engine.
    pub fn engine(&self) -> &'static str {
        self.engine
    }
    /// The system that was searched: traces are runs of this one.
    pub fn system(&self) -> &Arc<System> {
        &self.system
    }
    /// The answer.
    pub fn report(&self) -> &Report {
        self.replayed.report()
    }
    /// Of a property of branching time, the runs that show its answer.
    pub fn witnesses(&self) -> &[WitnessStory] {
        &self.replayed.witnesses
    }
    /// What the stories take in memory.
    pub fn story_bytes(&self) -> u64 {
        self.replayed.stories.iter().map(Story::bytes).sum()
    }
    /// The failures with what happens on the way to them; the first is the verdict's own.
    pub fn failures(&self) -> impl ExactSizeIterator<Item = (&Evidence, &Story)> {
        self.replayed.failures()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FailureKind, Shortfall, Trace};
    use lariat_system::reference::Valuation;

    /// Believes everything.
    struct Gullible;

    impl Replay for Gullible {
        type Story = Story;
        fn replay(&self, _: &Trace, _: FailureKind) -> Result<Story, ReplayError> {
            let initial = Arc::new(Valuation { globals: Vec::new(), pool: Vec::new() });
            Ok(Story::new(initial))
        }
    }

    fn settled(change: impl FnOnce(&mut Report)) -> Result<Settled, ReplayError> {
        let mut report =
            Report { verdict: Verdict::Holds, unfinished: None, ..Report::at_once(Shortfall::Interrupted) };
        change(&mut report);
        Settled::new("safety", "test", Arc::new(System::empty("none")), report, &Gullible)
    }

    fn evidence(kind: FailureKind) -> Evidence {
        Evidence { kind, trace: Trace { initial: Vec::new(), steps: Vec::new(), loop_start: None, decided: None } }
    }

    #[test]
    fn what_holds_was_looked_at_to_the_end_and_exactly() {
        assert!(settled(|_| {}).is_ok());
        let unfinished = settled(|report| report.unfinished = Some(Shortfall::Depth { limit: 3 }));
        assert!(unfinished.is_err_and(|error| error.reason.contains("not everything")));
        let lossy = settled(|report| report.exactness = Exactness::Lossy { coverage: 1.0 });
        assert!(lossy.is_err_and(|error| error.reason.contains("missed")));
    }

    #[test]
    fn who_met_a_failure_says_so_and_who_says_so_met_it() {
        let failure = evidence(FailureKind::InvalidEnd);
        assert!(settled(|report| report.failures.push(failure.clone())).is_err());
        assert!(settled(|report| report.verdict = Verdict::Fails(failure.clone())).is_err());
        let agreed = settled(|report| {
            report.verdict = Verdict::Fails(failure.clone());
            report.failures.push(failure.clone());
            report.unfinished = Some(Shortfall::Interrupted);
        });
        assert_eq!(agreed.map(|settled| settled.failures().len()), Ok(1));
    }
}
