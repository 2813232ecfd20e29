//! Accepting cycles of a product, found while its graph is being built.

mod aim;
mod explorer;
mod lasso;
mod magic;
mod nested;
mod path;
mod refine;
mod scc;

pub use lasso::Lasso;
pub use magic::magic;
pub use nested::{Nested, nested};
pub use scc::{Cycles, scc};
