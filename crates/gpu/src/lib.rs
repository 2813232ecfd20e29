//! Searches on a graphics card.
//!
//! * `card`: a machine that compiles and runs kernels: an NVIDIA card, or this processor with a C compiler.

#[allow(dead_code, reason = "the search that uses it follows")]
mod card;
