//! The tests of `smv`, as one program: it links once.

mod corpus;
mod counts;
mod fuzz;
mod oracle;
mod robustness;
mod support;
mod wrong_models;
