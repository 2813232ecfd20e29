//! The tests of `cli`, as one program: it links once.

mod answers;
mod branching;
mod ci_formats;
mod codes;
mod coverage;
mod daily;
mod documents;
mod expectations;
mod failures;
mod first_use;
mod limits;
mod lsp;
mod ltl;
mod overflow;
mod program;
mod ranks;
mod replay;
mod resume;
mod schema;
mod several;
mod simulate;
mod smv;
mod stores;
mod temporal;
mod trail;
mod unbounded;
