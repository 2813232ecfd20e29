//! The SMV front end: from text to a syntax tree, to a flat model, and on to a system.
//!
//! The whole way is [`read_model`], then [`CheckedModel::system`].
//!
//! `lex` turns the text into [`token`]s, `parse` turns tokens into the [`tree`]; nothing up to there knows what a name
//! means. [`check`] writes out instances and definitions, so that what is left are [`term`]s over variables of the whole
//! model, and tells what is wrong with them. `lower` turns those into a [`System`](lariat_system::System): one action with
//! choices for everything that is left open, or one for each process. What a model means is what NuSMV 2.6 gives it; where
//! we differ is told in docs/differences.md.

mod ask;
pub mod check;
pub mod fuzz;
mod lex;
mod lower;
mod model;
mod parse;
mod report;
pub mod term;
pub mod token;
pub mod tree;
pub mod types;
pub mod value;

pub use ask::Questions;
pub use check::{Condition, Property, Specification};
pub use lex::words;
pub use model::{CheckedModel, read_model};
pub use parse::MAX_DEPTH;
pub use tree::SpecKind;
