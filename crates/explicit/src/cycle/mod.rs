//! Accepting cycles of a product, found while its graph is being built.

mod closed;
mod explorer;
mod goal;
mod inner;
mod kosaraju;
mod lasso;
mod layers;
mod magic;
mod marks;
mod nested;
mod path;
mod refine;
mod scc;
mod ways;

pub(crate) use explorer::Explorer;
pub(crate) use goal::given;
pub use kosaraju::kosaraju;
pub(crate) use lasso::path_within;
pub use layers::layered_scc;
pub(crate) use layers::{CanAccept, Layers, scouted_layered_scc};
pub(crate) use magic::MOST_NOTE;
pub use magic::{every_magic, magic};
pub use nested::{Nested, nested};
pub(crate) use path::{EdgeOutcome, Path};
pub use scc::{every_scc, scc};
pub(crate) use scc::{scouted_scc, scouting_scc};
