//! The tests of `cli`, as one program: it links once.

mod answers;
mod book;
mod branching;
mod ci_formats;
mod cluster;
mod codes;
mod coverage;
mod daily;
mod documents;
mod expectations;
mod explore;
mod failures;
mod first_use;
mod graph;
mod limits;
mod lsp;
mod ltl;
#[cfg(target_os = "linux")]
mod namespaces;
mod new_user;
mod options;
mod overflow;
mod program;
mod ranks;
mod replay;
mod report;
mod resume;
mod schema;
mod several;
mod simulate;
mod smv;
mod stores;
mod temporal;
mod trail;
mod unbounded;
mod without_effect;
