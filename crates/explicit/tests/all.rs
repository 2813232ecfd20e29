//! The tests of `explicit`, as one program: it links once.

mod coverage;
mod cycles;
mod kernels;
mod limits;
mod planted;
mod profile;
mod replay;
mod stack_kernels;
mod systems;
