//! The engine `cluster`: workers that have a share of the states each, in one process or in several, on one machine or on many.
//!
//! Timely Dataflow moves what workers send each other and knows when a round is over (`link`, [ADR 79]). A state belongs to the
//! worker that the hash of a part of it says (`partition`, `share`). `search` is breadth-first search, level by level; `chain` walks back to an initial state.
//! `ancestors` sees signs of accepting cycles early, `owcty` decides whether there are accepting cycles, by `pass`es through sets of states, and `lasso` finds one.
//! `network` connects processes, and notices when one is lost. `disk` is all this with the states of each worker on its disk.
//!
//! [ADR 79]: ../../../docs/adr/0079-the-cluster.md

mod ancestors;
mod chain;
mod checkpoint;
mod cycles;
mod disk;
mod engine;
mod lasso;
mod link;
mod network;
mod owcty;
mod parcel;
mod partition;
mod pass;
mod reports;
mod rows;
mod search;
mod session;
mod share;
mod trouble;
mod watch;
mod words;

pub use engine::Cluster;
pub use network::{Network, NetworkOptions, Times, parse_hosts};
