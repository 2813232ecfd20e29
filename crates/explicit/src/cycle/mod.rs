//! Accepting cycles of a product, found while its graph is being built.

mod aim;
mod explorer;
mod lasso;
mod refine;
mod scc;

pub use lasso::Lasso;
pub use scc::{Cycles, scc};
