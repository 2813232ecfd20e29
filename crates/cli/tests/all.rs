//! The tests of `cli`, as one program: it links once.

mod branching;
mod codes;
mod daily;
mod documents;
mod expectations;
mod failures;
mod ltl;
mod program;
mod replay;
mod resume;
mod schema;
mod simulate;
mod smv;
mod stores;
mod temporal;
mod trail;
mod unbounded;
