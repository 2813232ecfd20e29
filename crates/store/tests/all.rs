//! The tests of `store`, as one program: it links once.

mod flat;
mod hybrid;
mod key_store;
mod notes;
mod part_store;
mod support;
mod tree;
mod visited;
