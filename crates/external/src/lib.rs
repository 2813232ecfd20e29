//! Engines that hold the visited states on disk.
//!
//! Layers of states are sorted runs in segments (`segment`): blocks that are compressed, numbered and checked. Successors are
//! collected by sorters (`sorter`), merged, and what is visited (`visited`) is subtracted while they are merged. A run has a
//! directory (`directory`), which is its checkpoint. What is done on the disk goes through [`Files`], so that tests can make it
//! fail at every single call.

mod chain;
mod checkpoint;
mod codec;
mod cycles;
mod directory;
mod engine;
mod error;
mod expand;
mod files;
mod filter;
mod goal;
mod guide;
mod join;
mod lasso;
mod layers;
mod merge;
mod open;
mod owcty;
mod pass;
mod pipeline;
mod reports;
mod room;
mod run;
mod saved;
mod search;
mod searches;
mod segment;
mod share;
mod sort;
mod sorter;
mod union;
mod visited;
mod worker;

pub use directory::{Manifest, Seal, read_manifest};
pub use engine::{Astar, External};
pub use error::DiskError;
pub use files::{Files, InFile, OutFile, RealFiles};
pub use room::{Room, default_folder};
