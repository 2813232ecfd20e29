//! How runs end, and what is said of it.

use crate::blame::Blame;
use crate::view::Shown;
use lariat_base::Span;
use lariat_engine::FailureKind;
use lariat_system::reference::Valuation;
use lariat_system::{Fault, System};

/// How a run comes to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunEnd {
    /// In a failure.
    Failure(FailureKind),
    /// Nothing more can happen, and the run may end there.
    Proper,
    /// At the greatest length that was asked for.
    Limit,
    /// Somebody stopped it.
    Interrupted,
    /// It goes on for ever, and nobody asked whether that is a failure.
    Cycle,
    /// Somebody looks at it, and may go on.
    Open,
    /// It has shown what it was to show.
    Shown,
}

/// The end of a run as people read it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ending {
    /// A word for scripts: `assertion`, `invalid_end`, `index`, …
    pub kind: &'static str,
    /// The words for people.
    pub message: String,
    /// Where a run-time error is; else [`Span::NONE`].
    pub span: Span,
    /// For a run-time error: the statement.
    pub statement: String,
    /// For a run-time error: which array, index and limit, or which values; for an invalid end: that it is a deadlock, and of
    /// whom. If that is known.
    pub detail: Option<String>,
    /// For an invalid end: why it is one, to be said behind the message.
    pub reason: &'static str,
    /// For an invalid end: the processes that are to blame for it, by name.
    pub blamed: Vec<String>,
    /// For an invalid end: the channels that were to be empty, and what they hold.
    pub channels: Vec<(String, Shown)>,
}

impl Ending {
    /// The view of the end of a run of `system` in `state`.
    pub fn new(system: &System, state: &Valuation, end: RunEnd) -> Self {
        let (kind, message) = match end {
            RunEnd::Failure(FailureKind::Fault(fault)) => return Self::of_fault(system, fault),
            RunEnd::Failure(FailureKind::InvalidEnd) => return Self::of_invalid_end(system, state),
            RunEnd::Failure(kind) => (kind.word(system), failure_message(system, kind)),
            RunEnd::Shown => ("shown", "shown"),
            RunEnd::Proper => ("proper_end", "proper end"),
            RunEnd::Limit => ("limit", "stopped"),
            RunEnd::Interrupted => ("interrupted", "interrupted"),
            RunEnd::Cycle => ("cycle", "it goes on for ever"),
            RunEnd::Open => ("open", "not ended"),
        };
        Self { kind, message: message.to_owned(), ..Self::blank() }
    }

    fn of_invalid_end(system: &System, state: &Valuation) -> Self {
        let kind = FailureKind::InvalidEnd.word(system);
        let blame = Blame::new(system, state);
        let (message, reason) = match blame.of_channels() {
            Some(channels) => (format!("invalid end state: {channels}"), ", and nothing can happen"),
            None if blame.processes => ("invalid end state".to_owned(), ": nothing can happen"),
            None => ("invalid end state".to_owned(), ": nothing can happen, and the run may not end here"),
        };
        let detail = blame.processes.then(|| match blame.blamed.as_slice() {
            [] if system.frames.is_empty() => "deadlock: the state has no successor".to_owned(),
            [] => "deadlock: not every process may end here".to_owned(),
            [one] => format!("deadlock: {one} may not end here"),
            [first, second, more @ ..] if more.len() > 2 => {
                format!("deadlock: {first}, {second} and {} more may not end here", more.len())
            }
            [others @ .., last] => format!("deadlock: {} and {last} may not end here", others.join(", ")),
        });
        Self { kind, message, detail, reason, blamed: blame.blamed, channels: blame.channels, ..Self::blank() }
    }

    /// An end of which there is nothing to say.
    fn blank() -> Self {
        Self {
            kind: "",
            message: String::new(),
            span: Span::NONE,
            statement: String::new(),
            detail: None,
            reason: "",
            blamed: Vec::new(),
            channels: Vec::new(),
        }
    }

    fn of_fault(system: &System, fault: Fault) -> Self {
        let action = &system.actions[fault.action()];
        let own_span = match fault {
            Fault::Trap(_, number) => action.traps[usize::from(number)].span,
            Fault::PoolFull(_) | Fault::EndlessAtomic(_) => Span::NONE,
        };
        let span = if own_span.is_none() { action.span } else { own_span };
        let kind = FailureKind::Fault(fault).word(system);
        let (message, statement) = (fault_message(system, fault).to_owned(), action.name.clone());
        Self { kind, message, span, statement, ..Self::blank() }
    }
}

/// What is said of a failure.
pub(crate) fn failure_message(system: &System, kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::Fault(fault) => fault_message(system, fault),
        FailureKind::InvalidEnd => "invalid end state",
        FailureKind::Cycle => "violated by an infinite run",
        FailureKind::BadPrefix => "violated, whatever follows",
        FailureKind::Branching => "it does not hold in an initial state",
    }
}

/// What is said of a run-time error.
pub fn fault_message(system: &System, fault: Fault) -> &'static str {
    match fault {
        Fault::Trap(action, number) => system.actions[action].traps[usize::from(number)].kind.message(),
        Fault::PoolFull(_) => "too many processes",
        Fault::EndlessAtomic(_) => "an atomic sequence can run for ever",
    }
}
