//! The checked model: every name is resolved, every body is a flow graph. What is here can be lowered without a
//! further complaint, for any size of the process pool.

use crate::flow::Flow;
use crate::phrase::LtlBlock;
use crate::tree::{BinaryOp, ChannelOp, UnaryOp};
use lariat_automata::{Guard, Guards};
use lariat_base::{Diagnostic, IdVec, Span, define_id};
use lariat_system::Position;

define_id! {
    /// A variable of scalar type, or an array of such: structures are taken apart into their leaves.
    VarId
}
define_id! {
    /// A proctype, or `init`.
    ProcId
}
define_id! {
    /// A declaration of one channel or an array of channels.
    ChannelId
}
define_id! {
    /// A set of `mtype` constants.
    SetId
}

/// A model without errors.
#[derive(Debug)]
pub struct Checked {
    /// A name to show to people.
    pub name: String,
    /// The sets of `mtype` constants; the first is the one without a name.
    pub sets: IdVec<SetId, MtypeSet>,
    /// All variables.
    pub vars: IdVec<VarId, Var>,
    /// All channel declarations.
    pub channels: IdVec<ChannelId, ChannelDecl>,
    /// The proctypes and `init`, in the order of the text.
    pub procs: IdVec<ProcId, Proc>,
    /// The processes that live from the beginning, by pid.
    pub initial: Vec<ProcId>,
    /// The `ltl` blocks and `never` claims, by the names that properties go by.
    pub properties: Vec<(String, Span)>,
    /// The `ltl` blocks, in the order of the text.
    pub ltl_blocks: Vec<LtlBlock>,
    /// The `never` claims by their names, in the order of the text.
    pub claims: Vec<(String, Span)>,
    /// The claim that is to be observed.
    pub claim: Option<Claim>,
    /// What is to be observed; the conditions of the claim come first.
    pub observed: Vec<Observed>,
    /// The event trace, if there is one.
    pub trace: Option<EventTrace>,
    /// Whether `_last` is used.
    pub uses_last: bool,
    /// Whether priorities are used.
    pub uses_priorities: bool,
    /// What is suspicious but no error.
    pub warnings: Vec<Diagnostic>,
}

/// Something to be observed.
#[derive(Debug)]
pub struct Observed {
    /// The name of its label.
    pub name: String,
    /// What it is.
    pub observable: Observable,
    /// Where it stands.
    pub span: Span,
}

/// What can be observed.
#[derive(Debug)]
pub enum Observable {
    /// Of a state: the condition holds in it; no process is in scope.
    Condition(Ex),
    /// Of a step: the process with this pid takes part in it.
    Moves(Position),
    /// Of a state: the condition that is observed by this number reads outside of an array in it, or divides by zero.
    Misread(usize),
}

/// A `never` claim that only watches.
#[derive(Debug)]
pub struct Claim {
    /// Its name, `never` if the text gives none.
    pub name: String,
    /// What it waits for: the steps are [`Basic::Watch`]es, `else`s, and jumps at which control rests.
    pub flow: Flow,
    /// What its conditions are made of, as texts; variable `n` of a guard is the one at position `n`.
    pub propositions: Vec<String>,
    /// The functions that its steps use.
    pub guards: Guards,
    /// Where it is written.
    pub span: Span,
}

/// A set of `mtype` constants with their values.
#[derive(Debug, Default)]
pub struct MtypeSet {
    /// Its name; empty for the common one.
    pub name: String,
    /// The constants.
    pub constants: Vec<(String, i64)>,
    /// Where its name is spelled first.
    pub spelled: Span,
}

/// A type that fits in one slot.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scalar {
    /// `bit`
    Bit,
    /// `bool`
    Bool,
    /// `byte`
    Byte,
    /// `short`
    Short,
    /// `int`
    Int,
    /// `pid`
    Pid,
    /// `unsigned x : n`
    Unsigned(u8),
    /// `mtype`
    Mtype(SetId),
    /// `chan`
    Chan,
}

/// A variable.
#[derive(Debug)]
pub struct Var {
    /// Its name, with dots for the parts of structures.
    pub name: String,
    /// The process type it is local to.
    pub owner: Option<ProcId>,
    /// The type of a cell.
    pub scalar: Scalar,
    /// The number of cells of an array.
    pub len: Option<u32>,
    /// The arrays on the way to it, the outermost first, each by where in the name its index stands and by its length; empty where the
    /// index stands behind the name.
    pub shape: Vec<(usize, u32)>,
    /// What it begins with. For a local declared behind the first statement: zero; the rest is a statement.
    pub init: VarInit,
    /// Whether anything is ever assigned to it or received into it.
    pub assigned: bool,
    /// Where it is declared.
    pub span: Span,
}

impl Var {
    /// Whether it begins with a channel and keeps it.
    pub fn always_holds_channel(&self) -> bool {
        matches!(self.init, VarInit::Channel(..)) && !self.assigned
    }
}

/// What a variable begins with.
#[derive(Debug)]
pub enum VarInit {
    /// Zero.
    Zero,
    /// This value in every cell. For a local it is computed when the process is created.
    Value(Ex),
    /// These values, cell by cell; the rest zero.
    List(Vec<Ex>),
    /// The channels of this declaration, cell by cell.
    Channel(ChannelId),
}

/// A declaration of channels.
#[derive(Debug)]
pub struct ChannelDecl {
    /// The variable that holds them.
    pub var: VarId,
    /// The process type it is local to.
    pub owner: Option<ProcId>,
    /// How many channels it makes.
    pub count: u32,
    /// How many messages each holds; 0 for a rendezvous.
    pub capacity: u32,
    /// The fields of a message.
    pub fields: Vec<Scalar>,
}

/// A proctype, or `init`.
#[derive(Debug)]
pub struct Proc {
    /// Its name.
    pub name: String,
    /// Its parameters, in order; a structure is taken apart.
    pub parameters: Vec<VarId>,
    /// All its variables, parameters first.
    pub locals: Vec<VarId>,
    /// What it does.
    pub flow: Flow,
    /// The condition under which it can move at all.
    pub provided: Option<Ex>,
    /// Its priority when it lives from the beginning. A `run` does not look at it.
    pub priority: i64,
    /// Where it is declared.
    pub span: Span,
}

/// `trace { … }` or `notrace { … }`: which messages may pass in which order.
#[derive(Debug)]
pub struct EventTrace {
    /// `notrace`: the order must not occur.
    pub negated: bool,
    /// The order; its steps are [`Basic::Event`]s.
    pub flow: Flow,
    /// Where it is written.
    pub span: Span,
}

/// A cell of a variable.
#[derive(Clone, Debug)]
pub struct Access {
    /// The variable.
    pub var: VarId,
    /// The indices on the way, each with the number of values it may have; none for a variable that is no array.
    pub indices: Vec<(Ex, u32)>,
    /// Where.
    pub span: Span,
}

/// An expression with its names resolved.
#[derive(Clone, Debug)]
pub enum Ex {
    /// A number.
    Const(i64),
    /// The content of a cell.
    Read(Access),
    /// `_pid`
    Pid,
    /// `_nr_pr`
    ProcessCount,
    /// `_last`
    Last,
    /// `_priority`
    Priority,
    /// `np_`
    NonProgress,
    /// `accept_`: some process stands at a label that begins with `accept`
    Accepting,
    /// `timeout`
    Timeout,
    /// One operand.
    Unary(UnaryOp, Box<Ex>),
    /// Two operands, and where.
    Binary(BinaryOp, Box<[Ex; 2]>, Span),
    /// `(c -> a : b)`
    Conditional(Box<[Ex; 3]>),
    /// `len(q)` and its kin
    Channel(ChannelOp, Access),
    /// `q?[…]`; with true, `q??[…]`
    Poll(Access, bool, Vec<Pattern>),
    /// `P[e]:x`, or with no pid that of the only instance.
    RemoteVar(ProcId, Option<Box<Ex>>, Access),
    /// `P[e]@L`
    RemoteLabel(ProcId, Option<Box<Ex>>, String),
    /// `get_priority(e)`
    GetPriority(Box<Ex>),
    /// `enabled(e)`
    Enabled(Box<Ex>),
    /// `pc_value(e)`
    PcValue(Box<Ex>),
}

/// A field of a receive.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// `_`
    Any,
    /// The value is put into a cell.
    Set(Access),
    /// The value must be this.
    Match(Ex),
}

/// A statement that is one step.
#[derive(Clone, Debug)]
pub enum Basic {
    /// Waits until the expression is not zero.
    Condition(Ex),
    /// Waits until no step that is offered before it can be taken.
    Else,
    /// Puts a value into a cell.
    Assign(Access, Ex),
    /// Puts a message into a channel.
    Send {
        /// The channel.
        channel: Access,
        /// Put in order instead of last.
        sorted: bool,
        /// The fields.
        args: Vec<Ex>,
    },
    /// Takes a message out of a channel.
    Receive {
        /// The channel.
        channel: Access,
        /// The first message that matches instead of the first.
        random: bool,
        /// The message stays.
        copy: bool,
        /// The fields.
        args: Vec<Pattern>,
    },
    /// Fails if the expression is zero.
    Assert(Ex),
    /// Prints.
    Print(String, Vec<Ex>),
    /// Computes a value and forgets it: `_ = e`.
    Discard(Ex),
    /// Creates a process.
    Run {
        /// Of this type.
        proc: ProcId,
        /// With these arguments, one for each of [`Checked::parameter_cells`].
        args: Vec<Ex>,
        /// And this priority.
        priority: Option<Ex>,
        /// Its pid goes here.
        into: Option<Access>,
    },
    /// `set_priority(p, e)`
    SetPriority(Ex, Ex),
    /// In an event trace: a message passes. Nothing is set.
    Event {
        /// Into the channel, not out of it.
        sent: bool,
        /// The channel.
        channel: Access,
        /// The fields.
        fields: Vec<Pattern>,
    },
    /// In a never claim: waits until what is observed satisfies `guard`. Where it misses `demand`, the claim is violated.
    Watch {
        /// A condition of the claim.
        guard: Guard,
        /// What an `assert` asserts.
        demand: Guard,
    },
}

impl Checked {
    /// What the arguments of a `run` go to, in order: variables, or cells of those that are arrays.
    pub fn parameter_cells(&self, proc: ProcId) -> impl Iterator<Item = (VarId, Option<u32>)> {
        self.procs[proc].parameters.iter().flat_map(|&var| {
            let len = self.vars[var].len;
            (0..len.unwrap_or(1)).map(move |cell| (var, len.map(|_| cell)))
        })
    }
}

impl Ex {
    /// The expressions right below this one.
    pub fn parts(&self) -> Vec<&Ex> {
        fn of_access(access: &Access) -> impl Iterator<Item = &Ex> {
            access.indices.iter().map(|(index, _)| index)
        }
        match self {
            Self::Const(_)
            | Self::Pid
            | Self::ProcessCount
            | Self::Last
            | Self::Priority
            | Self::NonProgress
            | Self::Accepting
            | Self::Timeout => Vec::new(),
            Self::Read(access) | Self::Channel(_, access) => of_access(access).collect(),
            Self::Unary(_, part) | Self::GetPriority(part) | Self::Enabled(part) | Self::PcValue(part) => vec![part],
            Self::Binary(_, parts, _) => parts.iter().collect(),
            Self::Conditional(parts) => parts.iter().collect(),
            Self::Poll(access, _, patterns) => {
                of_access(access).chain(patterns.iter().flat_map(Pattern::parts)).collect()
            }
            Self::RemoteVar(_, pid, access) => pid.iter().map(|pid| &**pid).chain(of_access(access)).collect(),
            Self::RemoteLabel(_, pid, _) => pid.iter().map(|pid| &**pid).collect(),
        }
    }
    /// Whether there may be states in which it cannot be read: an index in it is no constant, a divisor none or 0, or a
    /// variable need not hold a channel.
    pub fn may_misread(&self, vars: &IdVec<VarId, Var>) -> bool {
        let is_safe = |divisor: &Ex| matches!(divisor, Self::Const(value) if *value != 0);
        let varies = |access: &Access| access.indices.iter().any(|(index, _)| !matches!(index, Self::Const(_)));
        let own = match self {
            Self::Read(access) | Self::RemoteVar(_, _, access) => varies(access),
            Self::Channel(_, access) | Self::Poll(access, ..) => {
                varies(access) || !vars[access.var].always_holds_channel()
            }
            Self::Binary(BinaryOp::Div | BinaryOp::Rem, operands, _) => !is_safe(&operands[1]),
            _ => false,
        };
        own || self.parts().into_iter().any(|part| part.may_misread(vars))
    }
    /// Whether `timeout` occurs in it.
    pub fn mentions_timeout(&self) -> bool {
        matches!(self, Self::Timeout) || self.parts().into_iter().any(Self::mentions_timeout)
    }
    /// Whether `enabled` occurs in it.
    pub fn mentions_enabled(&self) -> bool {
        matches!(self, Self::Enabled(_)) || self.parts().into_iter().any(Self::mentions_enabled)
    }
}

impl Pattern {
    fn parts(&self) -> Vec<&Ex> {
        match self {
            Self::Any => Vec::new(),
            Self::Set(access) => access.indices.iter().map(|(index, _)| index).collect(),
            Self::Match(value) => vec![value],
        }
    }
}
