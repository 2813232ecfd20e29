//! Engines that hold the visited states on disk.
//!
//! Layers of states are sorted runs (`lariat_runs`). Successors are collected by all threads and merged; what is visited is subtracted while
//! they are merged. A run has a directory (`directory`), which is its checkpoint.

mod chain;
mod checkpoint;
mod cycles;
mod directory;
mod engine;
mod expand;
mod filter;
mod guide;
mod merge;
mod open;
mod reports;
mod saved;
mod search;
mod searches;
mod worker;

pub use directory::{Manifest, Seal, read_manifest};
pub use engine::{Astar, External};
pub use lariat_runs::error::DiskError;
pub use lariat_runs::files::{Files, InFile, OutFile, RealFiles};
pub use lariat_runs::room::{Room, default_folder};
