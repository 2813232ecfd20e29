//! The tests of `exec`, as one program: it links once.

mod keyed;
mod models;
mod native;
mod programs;
mod random;
mod reading;
mod steps_by;

// A module with tests of its own is compiled here once more. To compile the whole crate a second time, as its own test program,
// would take far longer.
#[allow(dead_code, unreachable_pub)]
#[path = "../src/seen.rs"]
mod seen;
