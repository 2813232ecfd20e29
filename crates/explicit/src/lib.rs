//! Engines that hold the visited states in memory.
//!
//! A kernel is generic over the state space and the store; an engine decides both once and runs it.

mod bfs;
mod failures;
mod leash;
mod parents;
mod trace;

pub use bfs::{Bfs, search};
