//! Traps: run-time errors of the model. They are observed by the property `safety` and by nothing else.

use crate::{ActionId, Expr};
use lariat_base::Span;

/// Something that goes wrong at an action when its condition holds.
#[derive(Clone, PartialEq, Debug)]
pub struct Trap {
    /// When it is looked at.
    pub time: TrapTime,
    /// Reads the state; an effect trap also the choices.
    pub condition: Expr,
    /// What went wrong.
    pub kind: TrapKind,
    /// What happens then.
    pub after: AfterTrap,
    /// Where.
    pub span: Span,
}

/// When a trap is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TrapTime {
    /// Whenever control is at the action, be it taken or not.
    Guard,
    /// When the action is taken.
    Effect,
}

/// What a trap leaves of its action.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AfterTrap {
    /// The action goes on as if nothing had happened.
    GoesOn,
    /// The action has no successor.
    Stops,
}

/// What can go wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TrapKind {
    /// An assertion failed.
    Assertion,
    /// An index lies outside its array.
    Index,
    /// Division by zero.
    Division,
    /// A `d_step` blocked after its first statement.
    BlockedDStep,
    /// A channel variable that holds no channel, or one that does not fit the operation, was used.
    Channel,
    /// A value does not fit the variable it is assigned to.
    Range,
    /// A `d_step` sends to a rendezvous channel, which would need a second process.
    RendezvousInDStep,
    /// A message was sent or received that an event trace does not allow.
    Trace,
    /// A process was given a priority that there is not.
    Priority,
    /// A channel that stands for an unbounded one has no room for one more message: a limit of the search, no mistake of
    /// the model.
    ChannelBound,
}

impl TrapKind {
    /// All of them, for tests and tables.
    pub const ALL: [TrapKind; 10] = [
        Self::Assertion,
        Self::Index,
        Self::Division,
        Self::BlockedDStep,
        Self::Channel,
        Self::Range,
        Self::RendezvousInDStep,
        Self::Trace,
        Self::Priority,
        Self::ChannelBound,
    ];

    /// The word for texts and scripts.
    pub fn word(self) -> &'static str {
        match self {
            Self::Assertion => "assertion",
            Self::Index => "index",
            Self::Division => "division",
            Self::BlockedDStep => "blocked_d_step",
            Self::Channel => "channel",
            Self::Range => "range",
            Self::RendezvousInDStep => "rendezvous_in_d_step",
            Self::Trace => "event_trace",
            Self::Priority => "priority",
            Self::ChannelBound => "channel_bound",
        }
    }
    /// What to tell people.
    pub fn message(self) -> &'static str {
        match self {
            Self::Assertion => "assertion violated",
            Self::Index => "array index out of range",
            Self::Division => "division by zero",
            Self::BlockedDStep => "d_step blocks after its first statement",
            Self::Channel => "the channel does not fit this operation",
            Self::Range => "value out of range",
            Self::RendezvousInDStep => "rendezvous send inside a d_step",
            Self::Trace => "the event trace does not allow this message",
            Self::Priority => "priority out of range",
            Self::ChannelBound => "the channel is filled to the bound of the search",
        }
    }
}

/// A run-time error that was met.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Fault {
    /// The trap with this number of this action.
    Trap(ActionId, u16),
    /// The action creates a process and no position is free.
    PoolFull(ActionId),
    /// After this action an atomic sequence can run for ever.
    EndlessAtomic(ActionId),
}

impl Fault {
    /// The action it happened at.
    pub fn action(self) -> ActionId {
        match self {
            Self::Trap(action, _) | Self::PoolFull(action) | Self::EndlessAtomic(action) => action,
        }
    }
}
