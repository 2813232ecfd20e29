//! Never claims: Büchi automata in the syntax of SPIN (Holzmann, "The SPIN model checker", 2003), written and read.
//!
//! Read is the shape that SPIN, ltl2ba, ltl3ba and Spot write: labelled `if`, `do`, `skip` and `false`, options that `goto`
//! a label. Claims with variables, assignments or `else` are programs: the Promela front end reads those.

mod guard;
mod read;
mod write;

pub use read::read_never;
pub use write::{NotBuchi, write_never};
