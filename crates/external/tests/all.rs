//! Tests of the engine `external`, as one program.

mod agree;
mod astar;
mod faults;
mod room;
mod sim_files;
mod support;
mod temporal;

// Modules with tests of their own are compiled here once more. To compile the whole crate a second time, as its own test
// program, would take far longer.
#[allow(dead_code, unreachable_pub)]
#[path = "../src/codec.rs"]
mod codec;
#[allow(dead_code, unreachable_pub)]
#[path = "../src/sort.rs"]
mod sort;
