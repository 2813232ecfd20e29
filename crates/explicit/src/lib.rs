//! Engines that hold the visited states in memory.
//!
//! A kernel ([`bfs`], [`dfs`]) is generic over the state space, the store and what is recorded; an engine decides all of
//! them once and runs it. The kernels of `stack` keep whole states on a stack of their own, and can do with a memory of
//! visited states that is lossy or forgets. `worker` is what the threads of any kernel do; `retrace` and `trace` find the run
//! to a failure.

mod bfs;
mod crowd;
mod cycle;
mod dfs;
mod engines;
mod failures;
mod frontier;
mod growth;
mod leash;
mod levels;
mod pile;
mod profile;
mod reach;
mod record;
mod reduction;
mod repeat;
mod report;
mod retrace;
mod scout;
mod shorten;
mod stack;
mod storage;
mod suspicion;
mod temporal;
mod trace;
mod walk;
mod worker;

pub use bfs::bfs;
pub use crowd::too_many_ways;
pub use cycle::{Cycles, Lasso, Nested, every_magic, every_scc, kosaraju, layered_scc, magic, nested, scc};
pub use dfs::dfs;
pub use engines::{Bfs, Dfs};
pub use growth::{GrowthEnd, GrowthSearch, GrowthSeen, search_growth};
pub use reach::prolonged;
pub use record::{Recorder, Silent};
pub use reduction::reduction_obstacle;
pub use shorten::{Shortened, shorten};
pub use stack::{Kept, Pair, Spill, online, pair, safety};
pub use temporal::CycleSearch;
