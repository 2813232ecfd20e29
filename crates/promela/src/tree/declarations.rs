//! Variables and their types.

use lariat_base::Span;

use super::{Expr, Ident};

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
