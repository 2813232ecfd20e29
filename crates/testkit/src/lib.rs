//! What tests of the other crates are made with: random systems, and shrinking of those on which a test fails. For
//! tests only: nothing of it belongs in a program.

pub mod random;

mod rng;
mod shrink;

pub use random::{Knobs, RandomSystem};
pub use rng::Rng;
pub use shrink::shrink;
