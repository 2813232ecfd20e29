//! The tests of `branching`, as one program: it links once.

mod ctl;
mod errata;
mod kept;
mod known;
mod linear;
mod mistakes;
mod slips;
mod star;
mod tester;
mod variants;

// Modules with tests of their own are compiled here once more. To compile the whole crate a second time, as its own test
// program, would take far longer.
#[allow(dead_code, unreachable_pub)]
#[path = "../src/acceptance.rs"]
mod acceptance;
mod fairness {
    pub(crate) use lariat_branching::Constraint;
}
