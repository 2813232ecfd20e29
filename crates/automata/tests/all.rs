//! The tests of `automata`, as one program: it links once.

mod hoa;
mod languages;
mod limits;
mod never;
mod random;
mod sizes;
