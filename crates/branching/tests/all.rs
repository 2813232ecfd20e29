//! The tests of `branching`, as one program: it links once.

mod ctl;
mod kept;
mod mistakes;
