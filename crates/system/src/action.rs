//! Actions: what can happen, under which condition, with which effect.

use crate::{BinaryOp, Expr, FrameId, Interval, LabelId, LocalId, Place, Trap, Type};
use lariat_base::{IdVec, Span, define_id};

define_id! {
    /// An action of a system.
    ActionId
}
define_id! {
    /// A choice of an action.
    ChoiceId
}

/// A process that an action or an expression speaks of without saying where in the pool it stands: roles
/// `0..participants` are the participants of the action, higher ones are bound by [`Expr::Exists`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Role(pub u8);

impl Role {
    /// The acting process.
    pub const ACTOR: Role = Role(0);
    /// In a rendezvous, the receiver.
    pub const PEER: Role = Role(1);

    /// Its place among the roles in scope.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Ranks from here on belong to actions that run only when nothing else in the whole system can: Promela's `timeout`.
/// Smaller ranks are ordinary; among them priorities decide.
pub const IDLE_RANK: i64 = 256;

/// A guarded, indivisible change of the state.
#[derive(Clone, PartialEq, Debug)]
pub struct Action {
    /// The statement as its author would recognise it.
    pub name: String,
    /// The frames of the processes that take part: none, the acting process, or the sender and the receiver of a
    /// rendezvous. The action can happen for every way of binding them to different living processes.
    pub participants: Vec<FrameId>,
    /// Of the enabled actions only those of the least rank can happen.
    pub rank: Expr,
    /// Existential values: all nondeterminism inside an action.
    pub choices: IdVec<ChoiceId, Choice>,
    /// When it can happen.
    pub guard: Guard,
    /// What it changes. Right-hand sides, indices and positions read the state before; where two updates write the
    /// same cell the later one counts.
    pub updates: Vec<Update>,
    /// What can go wrong.
    pub traps: Vec<Trap>,
    /// Values that may not fit where its updates write them. That is no failure, but people want to hear of it.
    pub cuts: Vec<Cut>,
    /// Afterwards this participant is the holder: it stands inside an `atomic` or `d_step` and runs on, alone, as long
    /// as it can and no action of a smaller rank is enabled.
    pub hold: Option<Role>,
    /// The step labels it carries, each where the condition holds in (state, choices).
    pub labels: Vec<(LabelId, Expr)>,
    /// What it prints in a simulation or a trace.
    pub print: Option<Print>,
    /// Where it was written.
    pub span: Span,
    /// Of a statement inside a piece of text that is used in several places, such as an `inline`: the place where it is used.
    pub called_at: Span,
    /// Where the receiver's half of a rendezvous was written, and its text.
    pub peer: Option<(String, Span)>,
    /// The lines that SPIN's trails have for it, by SPIN's numbers of statements: one for each participant, the actor's
    /// first. None for what SPIN counts to the step before, as inside a `d_step`, and for what is no Promela.
    pub trail: Vec<u32>,
}

impl Action {
    /// An action that can always happen and does nothing.
    pub fn new(name: impl Into<String>, participants: Vec<FrameId>) -> Self {
        Self {
            name: name.into(),
            participants,
            rank: Expr::Const(0),
            choices: IdVec::new(),
            guard: Guard::default(),
            updates: Vec::new(),
            traps: Vec::new(),
            cuts: Vec::new(),
            hold: None,
            labels: Vec::new(),
            print: None,
            span: Span::NONE,
            called_at: Span::NONE,
            peer: None,
            trail: Vec::new(),
        }
    }

    /// Whether its name says that it sends to the channel of this name.
    pub fn is_sent_to(&self, channel: &str) -> bool {
        self.name.strip_prefix(channel).is_some_and(|rest| rest.trim_start().starts_with('!'))
    }
}

/// A value that an update of an action truncates where the condition holds. The meaning of the system does not depend on it.
#[derive(Clone, PartialEq, Debug)]
pub struct Cut {
    /// Reads the state and the choices, as the updates do.
    pub condition: Expr,
    /// What the value is written to.
    pub span: Span,
}

impl Cut {
    /// The value that may not fit, and what fits.
    pub fn parts(&self) -> Option<(&Expr, Interval)> {
        truncated(&self.condition)
    }
}

/// What a condition of the form `value != wrap(value)`, or a conjunction with one such conjunct, says does not fit, and what
/// fits.
pub fn truncated(condition: &Expr) -> Option<(&Expr, Interval)> {
    match condition {
        Expr::Binary(BinaryOp::Ne, value, cut) => match &**cut {
            Expr::Wrap { bits, signed, value: inner } if inner == value => {
                Some((&**value, Interval::of_wrap(*bits, *signed)))
            }
            _ => None,
        },
        Expr::Binary(BinaryOp::And, left, right) => truncated(left).or_else(|| truncated(right)),
        _ => None,
    }
}

/// A conjunction in two parts.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Guard {
    /// Whether control is at the action. Reads the state alone. Guard traps are looked at whenever this holds.
    pub control: Vec<Expr>,
    /// Whether it can go on from there.
    pub condition: Vec<Expr>,
}

impl Guard {
    /// All conjuncts.
    pub fn conjuncts(&self) -> impl Iterator<Item = &Expr> {
        self.control.iter().chain(&self.condition)
    }
}

/// An existential value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    /// A name to show to people. One that begins with `next(` stands for the next value of a slot, and is not shown: what
    /// becomes of the slot is.
    pub name: String,
    /// Its possible values.
    pub ty: Type,
}

/// One part of what an action changes.
#[derive(Clone, PartialEq, Debug)]
pub enum Update {
    /// Writes a cell. The value is always in the type of the slot.
    Set(Place, Expr),
    /// Puts a process at the first free position: its slots at their initial values, then the arguments written, in
    /// order. Several in one action fill several positions, in order. If no position is free the
    /// action has no successor and the fault is [`Fault::PoolFull`](crate::Fault::PoolFull).
    Spawn {
        /// What kind of process.
        frame: FrameId,
        /// Values for some of its slots.
        arguments: Vec<Argument>,
    },
    /// The acting process leaves the pool. An action with this update is enabled only for the youngest process.
    Exit,
}

/// What a slot of a process begins with.
#[derive(Clone, PartialEq, Debug)]
pub struct Argument {
    /// The slot.
    pub slot: LocalId,
    /// Which cell of an array; every one if there is none.
    pub cell: Option<u32>,
    /// Its value, always in the type of the slot.
    pub value: Expr,
}

impl Argument {
    /// A value for every cell of a slot.
    pub fn new(slot: LocalId, value: Expr) -> Self {
        Self { slot, cell: None, value }
    }
    /// The same for one cell only.
    #[must_use]
    pub fn at(self, cell: u32) -> Self {
        Self { cell: Some(cell), ..self }
    }
}

/// A line of output: `%d`-style directives stand for the arguments in order.
#[derive(Clone, PartialEq, Debug)]
pub struct Print {
    /// The text, escapes already resolved.
    pub format: String,
    /// The values.
    pub arguments: Vec<Expr>,
}
