//! What every other crate stands on: typed ids, places in source texts, and diagnostics.
//!
//! Nothing here knows about models, formulas or engines, and nothing here prints.

mod diagnostic;
pub mod document;
mod id;
mod id_set;
mod names;
mod source;

pub use diagnostic::{Diagnostic, Note, Severity};
pub use id::{Id, IdVec};
pub use id_set::IdSet;
pub use names::closest_name;
pub use source::{FileId, Location, SourceFile, SourceMap, Span};
