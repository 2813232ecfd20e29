//! The tests of `cli`, as one program: it links once.

mod answers;
mod branching;
mod codes;
mod daily;
mod documents;
mod expectations;
mod failures;
mod first_use;
mod limits;
mod ltl;
mod overflow;
mod program;
mod ranks;
mod replay;
mod resume;
mod schema;
mod simulate;
mod smv;
mod stores;
mod temporal;
mod trail;
mod unbounded;
