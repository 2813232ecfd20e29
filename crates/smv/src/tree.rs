//! The syntax tree: what the text says, before anybody asks what names mean.

use crate::token::{Name, WordConstant};
use lariat_base::Span;

/// All modules of a text.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// In the order of the text.
    pub modules: Vec<Module>,
}

/// A name and its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ident {
    /// The name.
    pub name: Name,
    /// Where it stands.
    pub span: Span,
}

/// A module.
#[derive(Clone, Debug)]
pub struct Module {
    /// Its name.
    pub name: Ident,
    /// The names of its parameters.
    pub parameters: Vec<Ident>,
    /// What it consists of.
    pub elements: Vec<Element>,
}

/// A part of a module.
#[derive(Clone, Debug)]
pub enum Element {
    /// `VAR`, `IVAR` or `FROZENVAR` and one entry.
    Variable(VarKind, Ident, TypeSpec),
    /// A `DEFINE`: its name, which may be a path to another instance, and its body.
    Define(Expr, Expr),
    /// An entry of `CONSTANTS`.
    Constant(Ident),
    /// An assignment.
    Assign(Assign),
    /// `INIT`, `INVAR` or `TRANS`.
    Constraint(ConstraintKind, Expr),
    /// `JUSTICE` or `FAIRNESS`.
    Justice(Expr),
    /// `COMPASSION`
    Compassion(Expr, Expr),
    /// A specification.
    Spec(Spec),
    /// `ISA`
    Isa(Ident),
}

/// What a variable is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VarKind {
    /// Part of the state.
    State,
    /// Part of the state that never changes.
    Frozen,
    /// Part of the step.
    Input,
}

/// Which values an assignment speaks of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AssignKind {
    /// `x := e`
    Always,
    /// `init(x) := e`
    Init,
    /// `next(x) := e`
    Next,
}

/// An assignment.
#[derive(Clone, Debug)]
pub struct Assign {
    /// Which values.
    pub kind: AssignKind,
    /// Of what.
    pub target: Expr,
    /// What they are.
    pub value: Expr,
}

/// What a constraint speaks of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConstraintKind {
    /// Initial states.
    Init,
    /// All states.
    Invar,
    /// Steps.
    Trans,
}

/// What kind of specification it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SpecKind {
    /// `CTLSPEC`, `SPEC`
    Ctl,
    /// `CTLSTARSPEC`
    CtlStar,
    /// `COMPUTE`
    Compute,
    /// `LTLSPEC`
    Ltl,
    /// `INVARSPEC`
    Invar,
}

impl SpecKind {
    /// The word that begins it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ctl => "CTLSPEC",
            Self::CtlStar => "CTLSTARSPEC",
            Self::Compute => "COMPUTE",
            Self::Ltl => "LTLSPEC",
            Self::Invar => "INVARSPEC",
        }
    }
    /// Whether its formulas are of CTL.
    pub fn is_ctl(self) -> bool {
        matches!(self, Self::Ctl | Self::Compute)
    }
    /// What the name of one without a name begins with.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Ctl => "ctl",
            Self::CtlStar => "ctlstar",
            Self::Compute => "compute",
            Self::Ltl => "ltl",
            Self::Invar => "invar",
        }
    }
}

/// A specification.
#[derive(Clone, Debug)]
pub struct Spec {
    /// What kind.
    pub kind: SpecKind,
    /// Its name, if it has one.
    pub name: Option<Ident>,
    /// What it says; of a `COMPUTE` the states to begin in and those to come to.
    pub body: SpecBody,
    /// The instance whose names it speaks of, where `IN` says so.
    pub context: Option<Expr>,
    /// All of it.
    pub span: Span,
}

/// What a specification says.
#[derive(Clone, Debug)]
pub enum SpecBody {
    /// A formula.
    Formula(Expr),
    /// `MIN [from, to]`, or `MAX` if the flag is set.
    Distance(bool, Expr, Expr),
}

/// A type as it is written.
#[derive(Clone, Debug)]
pub struct TypeSpec {
    /// What it is.
    pub kind: TypeKind,
    /// Where it stands.
    pub span: Span,
}

/// What a type is.
#[derive(Clone, Debug)]
pub enum TypeKind {
    /// `boolean`
    Boolean,
    /// `lo..hi`
    Range(Expr, Expr),
    /// `{a, b, 3}`: names and constant numbers.
    Enumeration(Vec<Expr>),
    /// `unsigned word[n]`, `signed word[n]`
    Word(bool, Expr),
    /// `array lo..hi of type`
    Array(Expr, Expr, Box<TypeSpec>),
    /// An instance of a module; a process if the flag is set.
    Instance(bool, Ident, Vec<Expr>),
    /// What was refused already.
    Wrong,
}

/// An expression or a formula.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// `TRUE`, `FALSE`
    Bool(bool),
    /// A whole number.
    Number(i128),
    /// A word constant.
    Word(WordConstant),
    /// A name.
    Name(Name),
    /// `self`
    SelfInstance,
    /// `e.name`
    Dot(Box<Expr>, Ident),
    /// `e[i]`
    Index(Box<Expr>, Box<Expr>),
    /// `e[high : low]`
    Bits(Box<Expr>, Box<Expr>, Box<Expr>),
    /// An operator before its operand.
    Unary(UnaryOp, Box<Expr>),
    /// An operator between its operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `c ? a : b`
    Ite(Box<[Expr; 3]>),
    /// `case c : e; … esac`
    Case(Vec<(Expr, Expr)>),
    /// `{a, b}`
    Set(Vec<Expr>),
    /// `lo..hi`
    Range(Box<Expr>, Box<Expr>),
    /// `[a, b]`
    Array(Vec<Expr>),
    /// A function.
    Call(Function, Vec<Expr>),
    /// `next(e)`
    Next(Box<Expr>),
    /// A temporal operator before its operand, with bounds or without.
    Temporal(Modality, Option<(Box<Expr>, Box<Expr>)>, Box<Expr>),
    /// A temporal operator between its operands, with bounds or without.
    Until(Joiner, Option<(Box<Expr>, Box<Expr>)>, Box<Expr>, Box<Expr>),
    /// `E f`, or `A f` if the flag is set.
    Quantified(bool, Box<Expr>),
}

/// Operators before an operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    /// `!`
    Not,
    /// `-`
    Minus,
}

/// Operators between operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "they are called what they are")]
pub enum BinaryOp {
    And,
    Or,
    Xor,
    Xnor,
    Implies,
    Iff,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    ShiftLeft,
    ShiftRight,
    Concat,
    Union,
    In,
}

impl BinaryOp {
    /// How it is written.
    pub fn sign(self) -> &'static str {
        match self {
            Self::And => "&",
            Self::Or => "|",
            Self::Xor => "xor",
            Self::Xnor => "xnor",
            Self::Implies => "->",
            Self::Iff => "<->",
            Self::Eq => "=",
            Self::Ne => "!=",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Mod => "mod",
            Self::ShiftLeft => "<<",
            Self::ShiftRight => ">>",
            Self::Concat => "::",
            Self::Union => "union",
            Self::In => "in",
        }
    }
}

/// Functions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "they are called what they are")]
pub enum Function {
    Abs,
    Min,
    Max,
    Count,
    Toint,
    Bool,
    Word1,
    Signed,
    Unsigned,
    Extend,
    Resize,
    Uwconst,
    Swconst,
    Sizeof,
}

/// Functions by name, with the least and the greatest number of arguments.
pub(crate) const FUNCTIONS: &[(&str, Function, usize, usize)] = &[
    ("abs", Function::Abs, 1, 1),
    ("min", Function::Min, 2, 2),
    ("max", Function::Max, 2, 2),
    ("count", Function::Count, 1, usize::MAX),
    ("toint", Function::Toint, 1, 1),
    ("bool", Function::Bool, 1, 1),
    ("word1", Function::Word1, 1, 1),
    ("signed", Function::Signed, 1, 1),
    ("unsigned", Function::Unsigned, 1, 1),
    ("extend", Function::Extend, 2, 2),
    ("resize", Function::Resize, 2, 2),
    ("uwconst", Function::Uwconst, 2, 2),
    ("swconst", Function::Swconst, 2, 2),
    ("sizeof", Function::Sizeof, 1, 1),
];

/// Temporal operators before an operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "they are called what they are")]
pub enum Modality {
    Next,
    Finally,
    Globally,
    Yesterday,
    WeakYesterday,
    Once,
    Historically,
}

/// Temporal operators between operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "they are called what they are")]
pub enum Joiner {
    Until,
    Release,
    Since,
    Trigger,
}

impl Expr {
    /// Whether a temporal operator stands in it.
    pub fn is_temporal(&self) -> bool {
        match &self.kind {
            ExprKind::Temporal(..) | ExprKind::Until(..) | ExprKind::Quantified(..) => true,
            _ => self.parts().into_iter().any(Expr::is_temporal),
        }
    }
    /// Whether `A`, `E` or an operator of CTL stands in it.
    pub fn is_quantified(&self) -> bool {
        matches!(self.kind, ExprKind::Quantified(..)) || self.parts().into_iter().any(Expr::is_quantified)
    }
    /// The direct parts, bounds left out.
    pub fn parts(&self) -> Vec<&Expr> {
        match &self.kind {
            ExprKind::Bool(_)
            | ExprKind::Number(_)
            | ExprKind::Word(_)
            | ExprKind::Name(_)
            | ExprKind::SelfInstance => Vec::new(),
            ExprKind::Dot(part, _)
            | ExprKind::Unary(_, part)
            | ExprKind::Next(part)
            | ExprKind::Temporal(_, _, part)
            | ExprKind::Quantified(_, part) => vec![part],
            ExprKind::Index(left, right)
            | ExprKind::Binary(_, left, right)
            | ExprKind::Range(left, right)
            | ExprKind::Until(_, _, left, right) => vec![left, right],
            ExprKind::Bits(word, high, low) => vec![word, high, low],
            ExprKind::Ite(parts) => parts.iter().collect(),
            ExprKind::Case(branches) => branches.iter().flat_map(|(when, then)| [when, then]).collect(),
            ExprKind::Set(parts) | ExprKind::Array(parts) | ExprKind::Call(_, parts) => parts.iter().collect(),
        }
    }
}
