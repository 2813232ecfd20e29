//! Engines that hold the visited states in memory.
//!
//! A kernel ([`bfs`], [`dfs`]) is generic over the state space, the store and what is recorded; an engine decides all of
//! them once and runs it. The kernels of `stack` keep whole states on a stack of their own, and can do with a memory of
//! visited states that is lossy or forgets. `worker` is what the threads of any kernel do; `retrace` finds the run to a failure.
//! What is searched, and what becomes of what was found, is in `lariat_subject`.

mod batch_size;
mod bfs;
mod budgeted_stack;
mod candidates;
mod cycle;
mod dfs;
mod engines;
mod frontier;
mod growth;
mod keyed;
mod lasso;
mod levels;
mod profile;
mod record;
mod repeat;
mod retrace;
mod scout;
mod shorten;
mod stack;
mod storage;
mod temporal;
mod walk;
mod worker;

pub use bfs::bfs;
pub use cycle::{Nested, every_magic, every_scc, kosaraju, layered_scc, magic, nested, scc};
pub use dfs::dfs;
pub use engines::{Bfs, Dfs};
pub use growth::{GrowthEnd, GrowthSearch, GrowthSeen, search_growth};
pub use record::{NoRecorder, Recorder};
pub use scout::{Order as ScoutOrder, scout};
pub use shorten::{Shortened, shorten};
pub use stack::{Kept, Pair, Spill, online, pair, safety};
pub use temporal::CycleSearch;
