//! Statements.

use lariat_base::Span;

use super::{Decl, Expr, Ident, RecvArg, VarRef};
use crate::token::Name;

/// Statements between braces, or of one option.
#[derive(Clone, Default, Debug)]
pub struct Block {
    /// The statements in order.
    pub stmts: Vec<Stmt>,
    /// The place, with the braces if there are any.
    pub span: Span,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// The labels before it, in order.
    pub labels: Vec<Ident>,
    /// What it is.
    pub kind: StmtKind,
    /// The place, without the labels.
    pub span: Span,
}

/// What a statement is.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// Local variables.
    Decl(Decl),
    /// `xr q, r` or `xs q, r`
    Exclusive(Exclusive, Vec<VarRef>),
    /// An expression that blocks until it is not zero; `skip` and `timeout` too. A label with nothing behind it
    /// labels a `skip` of no width.
    Expr(Expr),
    /// `else`
    Else,
    /// `x = e`
    Assign(VarRef, Expr),
    /// `x++`
    Increment(VarRef),
    /// `x--`
    Decrement(VarRef),
    /// `q!…` or `q!!…`
    Send(Send),
    /// `q?…` and its kin
    Receive(Receive),
    /// `assert(e)`
    Assert(Expr),
    /// `printf("…", …)`: the format as it is spelled.
    Printf(Name, Vec<Expr>),
    /// `printm(e)`
    Printm(Expr),
    /// `goto L`
    Goto(Ident),
    /// `break`
    Break,
    /// `{ … }`
    Block(Block),
    /// `atomic { … }`
    Atomic(Block),
    /// `d_step { … }`
    DStep(Block),
    /// `if :: … fi`
    If(Vec<Block>),
    /// `do :: … od`
    Do(Vec<Block>),
    /// `for (i : a .. b) { … }`
    ForRange(VarRef, Expr, Expr, Block),
    /// `for (i in a) { … }`: `a` is an array or a channel.
    ForIn(VarRef, VarRef, Block),
    /// `select (i : a .. b)`
    Select(VarRef, Expr, Expr),
    /// `main unless escape`; labels before `main` are its own.
    Unless(Box<Stmt>, Box<Stmt>),
    /// A call of an inline, expanded.
    Call(Call),
}

/// What is claimed about the users of a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exclusive {
    /// `xr`: only this process receives.
    Receive,
    /// `xs`: only this process sends.
    Send,
}

/// `q!a,b`
#[derive(Clone, Debug)]
pub struct Send {
    /// The channel.
    pub channel: VarRef,
    /// `!!`: put in order instead of last.
    pub sorted: bool,
    /// The fields.
    pub args: Vec<Expr>,
    /// Whether it is written `q!tag(a,b)`.
    pub tagged: bool,
}

/// `q?a,b`
#[derive(Clone, Debug)]
pub struct Receive {
    /// The channel.
    pub channel: VarRef,
    /// `??`: the first message that matches, not only the first.
    pub random: bool,
    /// `?<…>`: the message stays.
    pub copy: bool,
    /// The fields.
    pub args: Vec<RecvArg>,
    /// Whether it is written `q?tag(a,b)`.
    pub tagged: bool,
}

/// `f(a, b)` of an inline `f`
#[derive(Clone, Debug)]
pub struct Call {
    /// The inline, at the place of the call.
    pub name: Ident,
    /// The arguments as text.
    pub args: Vec<String>,
    /// The body with the arguments put in; its statements carry the places of the inline.
    pub body: Block,
}
