//! The tests of `symbolic`, as one program: it links once.

mod against_reference;
mod circuits;
mod cone;
mod early;
mod graph;
mod kept;
mod many;
mod schedulers;
mod sets;
