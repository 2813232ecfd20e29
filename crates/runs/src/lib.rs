//! Sets of states on disk as sorted runs, and what is done with them.
//!
//! A run is in a segment (`segment`): blocks that are compressed (`codec`), numbered and checked. Records are collected by sorters
//! (`sorter`) and merged (`union`, `join`, `pipeline`); `visited` subtracts what was met before, and `layers` are the levels of a
//! breadth-first search: `reached` is both. `pass` goes through a set and collects what its steps lead to, `owcty` drops what has no accepting
//! cycle behind it, and `lasso` finds a run in what is left. `share` divides the memory.
//!
//! A set may be spread over workers that have a share each: `exchange` is then how records come to the worker they belong to. What is
//! done on the disk goes through [`files::Files`], so that tests can make it fail at every single call. The engines `external`
//! and `cluster` search with this; it knows neither of them.

mod codec;
pub mod error;
pub mod exchange;
pub mod files;
pub mod join;
pub mod lasso;
pub mod layers;
pub mod owcty;
pub mod pass;
pub mod pipeline;
pub mod reached;
pub mod room;
pub mod run;
pub mod segment;
pub mod share;
pub mod sort;
pub mod sorter;
pub mod union;
pub mod visited;
