//! Accepting cycles of a product, found while its graph is being built.

mod aim;
mod closed;
mod explorer;
mod inner;
mod lasso;
mod magic;
mod marks;
mod nested;
mod path;
mod refine;
mod scc;
mod ways;

pub use lasso::Lasso;
pub use magic::magic;
pub use nested::{Nested, nested};
pub use scc::{Cycles, every_scc, scc};
