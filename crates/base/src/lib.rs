//! What every other crate stands on: typed ids, places in source texts, diagnostics, work that can be stopped, and the
//! folder for cached files.
//!
//! Nothing here knows about models, formulas or engines, and nothing here prints.

mod diagnostic;
pub mod document;
mod folders;
mod id;
mod id_set;
mod name_index;
mod names;
mod safe_point;
mod source;

pub use diagnostic::{Diagnostic, Note, Severity};
pub use folders::cache_folder;
pub use id::{Id, IdVec};
pub use id_set::IdSet;
pub use name_index::{Definition, DefinitionId, NameIndex, NameKind};
pub use names::closest_name;
pub use safe_point::{safe_point, stoppable};
pub use source::{FileId, Location, SourceFile, SourceMap, Span, UnsavedTexts};
