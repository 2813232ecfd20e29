//! The tests of `logic`, as one program: it links once.

mod building;
mod classes;
mod document;
mod evaluation;
mod hostile;
mod mistakes;
mod printing;
mod reading;
mod rewriting;
