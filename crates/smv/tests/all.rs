//! The tests of `smv`, as one program: it links once.

mod choices;
mod corpus;
mod counts;
mod decide;
mod fuzz;
mod oracle;
mod parts;
mod reading;
mod robustness;
mod support;
mod wrong_models;

// Modules with tests of their own are compiled here once more. To compile the whole crate a second time, as its own test
// program, would take far longer.
#[allow(dead_code, unreachable_pub)]
#[path = "../src"]
mod src {
    pub(crate) mod lex;
    pub(crate) mod report;
    pub(crate) mod token;
    pub(crate) mod types;
}
use src::{report, token, types};
