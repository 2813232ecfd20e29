//! Kernels that keep whole states on a stack of their own, and for the rest need a memory that says whether a state was
//! visited before: any [`Visited`](lariat_store::Visited).
//!
//! The stack is exact whatever the memory is, and so is the state that a second search looks for: a failure or a cycle
//! that is reported is there, though others may be missed. The stack is under the budget, and may go to a disk.

mod descent;
mod kept;
mod nested;
mod online;
mod rows;
mod safety;

pub use kept::Kept;
pub use nested::{Pair, pair};
pub use online::online;
pub use rows::Spill;
pub use safety::safety;
