//! What is the case where a record ends.

use crate::{Event, FailureKind};
use lariat_system::reference::{Evaluator, Valuation};
use lariat_system::{Fault, Position};
use std::sync::Arc;

/// What a record says of its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ClaimedEnd {
    /// Nothing: any failure will do, and none too.
    Silent,
    /// The run is not said to fail.
    NoFailure,
    /// The run ends properly.
    ProperEnd,
    /// The failure of this word; see [`FailureKind::word`].
    Failure(String),
    /// The run is part of why a formula of branching time holds or not: it may end anywhere, and is fair if it goes on for
    /// ever. What it shows is not judged: that takes other runs too.
    Shows,
}

/// How a run that was found again ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FoundEnd {
    /// In this failure.
    Failure(FailureKind),
    /// It goes on for ever.
    Cycle,
    /// Nothing can happen any more, and that is in order.
    Properly,
    /// It can go on.
    Open,
}

/// Where a run has come to.
pub(super) struct Place<'p> {
    pub(super) last: Option<&'p Event>,
    pub(super) state: &'p Arc<Valuation>,
    /// The process that holds control, if it can go on.
    pub(super) holder: Option<Position>,
    /// Nothing can happen.
    pub(super) stands_still: bool,
}

impl Place<'_> {
    /// Every end that the run can be said to have come to, the worst first; with the event that shows it, where that is
    /// not the last one.
    pub(super) fn ends(&self, evaluator: &Evaluator<'_>) -> Vec<(FoundEnd, Option<Event>)> {
        let failure = |fault| FoundEnd::Failure(FailureKind::Fault(fault));
        let mut ends: Vec<(FoundEnd, Option<Event>)> =
            self.last.iter().flat_map(|event| &event.faults).map(|&fault| (failure(fault), None)).collect();
        if self.last.is_some_and(|event| event.after.is_none()) {
            return ends;
        }
        for (firing, fault) in evaluator.guard_faults(self.state, self.holder) {
            let event = Event { firing, before: self.state.clone(), after: None, faults: vec![fault] };
            ends.push((failure(fault), Some(event)));
        }
        if let Some(event) = self.last.filter(|_| self.holder.is_some()) {
            // Whether it really never ends is for the replay to say.
            ends.push((failure(Fault::EndlessAtomic(event.firing.action)), None));
        } else if !self.stands_still {
            ends.push((FoundEnd::Open, None));
        } else if evaluator.is_proper_end(self.state) {
            ends.push((FoundEnd::Properly, None));
        } else {
            ends.push((FoundEnd::Failure(FailureKind::InvalidEnd), None));
        }
        ends
    }
}
