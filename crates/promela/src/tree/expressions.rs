//! Expressions.

use lariat_base::Span;

use super::Ident;

/// `a.b[i].c`
#[derive(Clone, Debug)]
pub struct VarRef {
    /// The names with their indices; at least one.
    pub parts: Vec<NamePart>,
    /// The place of the whole.
    pub span: Span,
}

/// `b[i]`
#[derive(Clone, Debug)]
pub struct NamePart {
    /// The name.
    pub name: Ident,
    /// The index.
    pub index: Option<Box<Expr>>,
}

impl VarRef {
    /// The first name: that of the variable.
    pub fn name(&self) -> &Ident {
        &self.parts[0].name
    }
    /// The name, if it is nothing but a name.
    pub fn as_name(&self) -> Option<&Ident> {
        match self.parts.as_slice() {
            [NamePart { name, index: None }] => Some(name),
            _ => None,
        }
    }
}

/// A field of a receive or a poll.
#[derive(Clone, Debug)]
pub enum RecvArg {
    /// A name: a variable to be set, or an mtype constant to be matched. `_` is a name too.
    Ref(VarRef),
    /// A number, perhaps negative, to be matched.
    Const(Expr),
    /// `eval(e)`, to be matched.
    Eval(Expr),
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// The place, with the parentheses if it has some.
    pub span: Span,
    /// Whether it is written between parentheses; several pairs count as one.
    pub parenthesized: bool,
    /// Expressions on the longest way down from here.
    pub(crate) height: u16,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number; more than 31 bits mean its remainder in C's int.
    Number(u32),
    /// `'x'`
    Char(u8),
    /// `true` or `false`
    Bool(bool),
    /// `skip`, which is 1
    Skip,
    /// A variable or an mtype constant.
    Ref(VarRef),
    /// `_pid` and its kin
    Special(Special),
    /// `-e`
    Unary(UnaryOp, Box<Expr>),
    /// `a + b`. Long chains of one associative operator are balanced, not left-deep.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `(c -> a : b)`
    Conditional(Box<[Expr; 3]>),
    /// `q?[…]` or, with true, `q??[…]`
    Poll(VarRef, bool, Vec<RecvArg>),
    /// `len(q)` and its kin
    Channel(ChannelOp, VarRef),
    /// `enabled(e)`
    Enabled(Box<Expr>),
    /// `pc_value(e)`
    PcValue(Box<Expr>),
    /// `get_priority(e)`
    GetPriority(Box<Expr>),
    /// `moves(e)`: a word of formulas and claims, not of processes
    Moves(Box<Expr>),
    /// `set_priority(p, e)`
    SetPriority(Box<[Expr; 2]>),
    /// `P[e]@L`
    RemoteLabel(Remote, Ident),
    /// `P[e]:x`
    RemoteVar(Remote, VarRef),
    /// `run P(…)`
    Run(RunExpr),
}

/// A process named from outside.
#[derive(Clone, Debug)]
pub struct Remote {
    /// The proctype.
    pub proctype: Ident,
    /// Which of its instances.
    pub pid: Option<Box<Expr>>,
}

/// `run P(a, b) priority p`
#[derive(Clone, Debug)]
pub struct RunExpr {
    /// The proctype.
    pub proctype: Ident,
    /// The arguments.
    pub args: Vec<Expr>,
    /// The priority.
    pub priority: Option<Box<Expr>>,
}

/// A value that the system itself keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Special {
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
    /// `timeout`
    Timeout,
}

/// An operator before its operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UnaryOp {
    /// `-`
    Neg,
    /// `!`
    Not,
    /// `~`
    Complement,
}

/// An operator between its operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "each is documented by its spelling")]
pub enum BinaryOp {
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Shl,
    Shr,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

/// A question about a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "each is documented by its spelling")]
pub enum ChannelOp {
    Len,
    Empty,
    Nempty,
    Full,
    Nfull,
}

impl Expr {
    /// An expression without parentheses around it.
    pub fn new(kind: ExprKind, span: Span) -> Self {
        let mut height = 0;
        kind.for_each_child(&mut |child| height = height.max(child.height.saturating_add(1)));
        Self { kind, span, parenthesized: false, height }
    }
    /// A whole number.
    pub fn number(value: u32, span: Span) -> Self {
        Self::new(ExprKind::Number(value), span)
    }
}

impl ExprKind {
    /// Shows the expressions right below this one, from left to right, those of indices and arguments included.
    pub fn for_each_child<'a>(&'a self, see: &mut dyn FnMut(&'a Expr)) {
        match self {
            Self::Number(_) | Self::Char(_) | Self::Bool(_) | Self::Skip | Self::Special(_) => {}
            Self::Ref(place) | Self::Channel(_, place) => place.for_each_child(see),
            Self::Unary(_, e) | Self::Enabled(e) | Self::PcValue(e) | Self::GetPriority(e) | Self::Moves(e) => {
                see(e);
            }
            Self::Binary(_, left, right) => {
                see(left);
                see(right);
            }
            Self::Conditional(three) => three.iter().for_each(see),
            Self::SetPriority(two) => two.iter().for_each(see),
            Self::Poll(channel, _, args) => {
                channel.for_each_child(see);
                args.iter().for_each(|arg| arg.for_each_child(see));
            }
            Self::RemoteLabel(remote, _) => remote.pid.iter().for_each(|e| see(e)),
            Self::RemoteVar(remote, place) => {
                remote.pid.iter().for_each(|e| see(e));
                place.for_each_child(see);
            }
            Self::Run(run) => {
                run.args.iter().for_each(&mut *see);
                run.priority.iter().for_each(|e| see(e));
            }
        }
    }
}

impl VarRef {
    /// Shows the indices from left to right.
    pub fn for_each_child<'a>(&'a self, see: &mut dyn FnMut(&'a Expr)) {
        self.parts.iter().filter_map(|part| part.index.as_deref()).for_each(see);
    }
}

impl RecvArg {
    /// Shows the expressions of a field.
    pub fn for_each_child<'a>(&'a self, see: &mut dyn FnMut(&'a Expr)) {
        match self {
            Self::Ref(place) => place.for_each_child(see),
            Self::Const(e) | Self::Eval(e) => see(e),
        }
    }
}
