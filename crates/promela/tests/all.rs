//! The tests of `promela`, as one program: it links once.

mod claims;
mod corpus;
mod cpp;
mod fuzz;
mod hostile;
mod language;
mod lints;
mod mistakes;
mod numbers;
mod observing;
mod preprocessor;
mod robustness;
mod support;
mod wrong_models;
