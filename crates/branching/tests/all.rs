//! The tests of `branching`, as one program: it links once.

mod ctl;
mod errata;
mod kept;
mod linear;
mod mistakes;
mod star;
mod tester;
