//! The engine `gpu`: searches on a graphics card.
//!
//! * `card`: a machine that compiles and runs kernels: an NVIDIA card, or this processor with a C compiler.
//! * `learn`, `ranges`, `packing`: the values that cells are expected to have, and keys made of them.
//! * `print`, `kernels`: from a system to the source of kernels.
//! * `search`, `memory`: breadth-first search, the way back, and what it keeps on the card. `cycles`, `owcty`, `lasso`: accepting cycles.
//! * `engine`: what it takes, and how a search becomes a report.

#[cfg_attr(not(feature = "gpu"), allow(dead_code, reason = "without cards less of it is used"))]
mod card;
mod cycles;
mod engine;
mod lasso;
mod learn;
mod memory;
mod owcty;
mod packing;
mod print;
mod ranges;
mod search;

pub use engine::Gpu;
