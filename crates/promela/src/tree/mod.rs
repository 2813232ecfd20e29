//! The syntax tree of a model.
//!
//! It keeps what is written: order, blocks, parentheses and inline calls, so that statements can be numbered as SPIN
//! numbers them and shown as their author wrote them. `for` and `select` are not yet loops, names not yet things.
//! Its height is bounded by the parser, so that walking or dropping it needs little stack.

mod declarations;
mod expressions;
mod statements;
mod units;

use lariat_base::Span;

use crate::token::Name;
pub use declarations::*;
pub use expressions::*;
pub use statements::*;
pub use units::*;

/// A name at a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ident {
    /// The name.
    pub name: Name,
    /// The place.
    pub span: Span,
    /// Where it is spelled: in the body of a macro, if it comes out of one.
    pub spelled: Span,
}
