//! The tests of `automata`, as one program: it links once.

mod acceptance;
mod hoa;
mod languages;
mod lassos;
mod limits;
mod never;
mod random;
mod sizes;

// A module with tests of its own is compiled here once more. To compile the whole crate a second time, as its own test program,
// would take far longer.
#[allow(dead_code, unreachable_pub, unused_imports)]
#[path = "../src"]
mod src {
    pub(crate) mod guards;
    pub(crate) mod hash;
}
use lariat_automata::TooLarge;
use src::hash;
