//! The syntax tree of a model.
//!
//! It keeps what is written: order, blocks, parentheses and inline calls, so that statements can be numbered as SPIN
//! numbers them and shown as their author wrote them. `for` and `select` are not yet loops, names not yet things.
//! Its height is bounded by the parser, so that walking or dropping it needs little stack.

use lariat_base::Span;

use crate::token::{Name, Token};

/// A name at a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ident {
    /// The name.
    pub name: Name,
    /// The place.
    pub span: Span,
}

/// A model: its units in the order of the text.
#[derive(Clone, Default, Debug)]
pub struct Model {
    /// The units.
    pub units: Vec<Unit>,
}

/// What a model is made of.
#[derive(Clone, Debug)]
pub enum Unit {
    /// `mtype = { … }`
    Mtype(Mtype),
    /// `typedef T { … }`
    Typedef(Typedef),
    /// Global variables.
    Decl(Decl),
    /// `proctype P(…) { … }`
    Proctype(Proctype),
    /// `init { … }`
    Init(Init),
    /// `never { … }`
    Never(Never),
    /// `trace { … }` or `notrace { … }`
    Trace(Trace),
    /// `ltl p { … }`
    Ltl(Ltl),
    /// `inline f(…) { … }`: its calls are already expanded.
    Inline(Inline),
}

/// `mtype:set = { a, b }`
#[derive(Clone, Debug)]
pub struct Mtype {
    /// The name of the set; absent for the common one.
    pub set: Option<Ident>,
    /// The constants in the order of the text.
    pub names: Vec<Ident>,
    /// The place of the whole.
    pub span: Span,
}

/// `typedef T { byte a; … }`
#[derive(Clone, Debug)]
pub struct Typedef {
    /// The name of the type.
    pub name: Ident,
    /// The fields.
    pub fields: Vec<Decl>,
    /// The place of the whole.
    pub span: Span,
}

/// `hidden byte a = 1, b[2]`
#[derive(Clone, Debug)]
pub struct Decl {
    /// `hidden`, `show` or `local`.
    pub visibility: Option<Visibility>,
    /// The type of all of them.
    pub ty: Type,
    /// The variables.
    pub vars: Vec<Declarator>,
    /// The place of the whole.
    pub span: Span,
}

/// A word before a declaration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Visibility {
    /// Not part of the state.
    Hidden,
    /// To be shown in message sequence charts.
    Show,
    /// A global that only one process uses.
    Local,
}

/// A type at a place.
#[derive(Clone, Debug)]
pub struct Type {
    /// The type.
    pub kind: TypeKind,
    /// The place.
    pub span: Span,
}

/// A type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TypeKind {
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
    /// `unsigned`; the width is with the variable.
    Unsigned,
    /// `chan`
    Chan,
    /// `mtype` or `mtype:set`
    Mtype(Option<Ident>),
    /// A type of a `typedef`.
    Named(Ident),
}

/// One variable of a declaration.
#[derive(Clone, Debug)]
pub struct Declarator {
    /// The name.
    pub name: Ident,
    /// `x : 3`
    pub width: Option<Expr>,
    /// `x[3]`
    pub length: Option<Expr>,
    /// `x = …`
    pub init: Option<Initializer>,
    /// The place of all of this.
    pub span: Span,
}

/// What a variable begins as.
#[derive(Clone, Debug)]
pub enum Initializer {
    /// `= e`
    Expr(Expr),
    /// `= { 1, 2 }`
    List(Vec<Expr>),
    /// `= [n] of { … }`
    Channel(ChannelInit),
}

/// `[n] of { byte, mtype }`
#[derive(Clone, Debug)]
pub struct ChannelInit {
    /// How many messages it holds.
    pub capacity: Expr,
    /// The types of a message's fields.
    pub fields: Vec<Type>,
    /// The place of the whole.
    pub span: Span,
}

/// `active [n] proctype P(…) priority p provided (e) { … }`
#[derive(Clone, Debug)]
pub struct Proctype {
    /// Whether instances exist from the beginning.
    pub active: Option<Active>,
    /// Whether it is a `D_proctype`.
    pub deterministic: bool,
    /// The name.
    pub name: Ident,
    /// The parameters; none has an initial value.
    pub parameters: Vec<Decl>,
    /// `priority p`
    pub priority: Option<Expr>,
    /// `provided (e)`
    pub provided: Option<Expr>,
    /// The body.
    pub body: Block,
    /// The place of the heading.
    pub span: Span,
}

/// `active` or `active [n]`
#[derive(Clone, Debug)]
pub struct Active {
    /// How many; one if absent.
    pub count: Option<Expr>,
    /// The place.
    pub span: Span,
}

/// `init { … }`
#[derive(Clone, Debug)]
pub struct Init {
    /// `priority p`
    pub priority: Option<Expr>,
    /// `provided (e)`
    pub provided: Option<Expr>,
    /// The body.
    pub body: Block,
    /// The place of the heading.
    pub span: Span,
}

/// `never name { … }`
#[derive(Clone, Debug)]
pub struct Never {
    /// The name, if there is one.
    pub name: Option<Ident>,
    /// The body.
    pub body: Block,
    /// The place of the heading.
    pub span: Span,
}

/// `trace { … }` or `notrace { … }`
#[derive(Clone, Debug)]
pub struct Trace {
    /// Whether it is `notrace`.
    pub negated: bool,
    /// The name, if there is one.
    pub name: Option<Ident>,
    /// The body.
    pub body: Block,
    /// The place of the heading.
    pub span: Span,
}

/// `ltl name { formula }`
#[derive(Clone, Debug)]
pub struct Ltl {
    /// The name, if there is one.
    pub name: Option<Ident>,
    /// The formula after macro expansion; no end token.
    pub formula: Vec<Token>,
    /// The formula as it stands in the text, before macro expansion.
    pub text: String,
    /// The place between the braces.
    pub span: Span,
}

/// The declaration of an inline.
#[derive(Clone, Debug)]
pub struct Inline {
    /// The name.
    pub name: Ident,
    /// The parameters.
    pub parameters: Vec<Ident>,
}

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

/// `a.b[i].c`
#[derive(Clone, Debug)]
pub struct VarRef {
    /// The names with their indices; at least one.
    pub parts: Vec<Part>,
    /// The place of the whole.
    pub span: Span,
}

/// `b[i]`
#[derive(Clone, Debug)]
pub struct Part {
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
            [Part { name, index: None }] => Some(name),
            _ => None,
        }
    }
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
    /// `set_priority(p, e)`
    SetPriority(Box<[Expr; 2]>),
    /// `P[e]@L`
    RemoteLabel(Remote, Ident),
    /// `P[e]:x`
    RemoteVar(Remote, VarRef),
    /// `run P(…)`
    Run(Run),
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
pub struct Run {
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
            Self::Unary(_, e) | Self::Enabled(e) | Self::PcValue(e) | Self::GetPriority(e) => see(e),
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
