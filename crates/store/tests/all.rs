//! The tests of `store`, as one program: it links once.

mod flat;
mod hybrid;
mod notes;
mod support;
mod tree;
mod visited;
