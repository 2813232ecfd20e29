//! Omega-automata. So far: sets of marks and the acceptance condition over them, which every observer and every
//! fairness constraint is expressed in.

mod acceptance;
mod marks;

pub use acceptance::Acceptance;
pub use marks::{Mark, MarkSet};
