//! What tests of the other crates are made with: random systems, shrinking of those on which a test fails, and model
//! files that state their own answers. For tests only: nothing of it belongs in a program.

mod check;
pub mod file_test;
mod random;
mod rng;
mod shrink;

pub use check::check_random_systems;
pub use random::{Knobs, RandomSystem};
pub use rng::Rng;
pub use shrink::shrink;
