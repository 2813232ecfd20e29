//! Units: what a model is made of.

use lariat_base::Span;

use super::{Block, Decl, Expr, Ident};
use crate::token::{Name, Token};

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
    /// The names in its body.
    pub mentions: Vec<Name>,
    /// Where its parameters stand in its body.
    pub parameter_uses: Vec<Ident>,
    /// The place of the whole.
    pub span: Span,
}
