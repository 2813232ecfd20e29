//! The Promela front end: from text to a syntax tree, and on to a system.
//!
//! The whole way is [`read_model`], then [`CheckedModel::system`].
//!
//! The syntactic half is a pipeline of three: [`preprocess`] turns texts into [`token`]s, `parse` turns tokens into
//! the [`tree`], and [`mod@print`] gives expressions and statements back in one line each, as they show in traces.
//! Nothing in this half knows what a name means. Any text ends in a tree and a list of diagnostics, never in a panic,
//! in time linear in the text and the (bounded) work of its macros.
//!
//! The other half gives it a meaning: [`check`] resolves names and turns bodies into [`flow`] graphs, and `lower` turns
//! those into a [`System`](lariat_system::System). That is also where `timeout`, `else`, `atomic` and channels become
//! plain ranks, guards, holds and arrays.

pub mod check;
mod claim;
pub mod flow;
pub mod fuzz;
mod lex;
mod lint;
mod lower;
mod model;
mod parse;
mod phrase;
pub mod preprocess;
pub mod print;
mod report;
mod splice;
pub mod token;
pub mod tree;

pub use lex::words;
pub use lower::Overflow;
pub use model::{CheckedModel, ModelOptions, read_model};
pub use parse::{MAX_DEPTH, Parsed, parse_model};
pub use phrase::{LtlBlock, Observation, Phrase};
pub use preprocess::{Loader, Options};
