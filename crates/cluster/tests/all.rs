//! Tests of the engine `cluster`, as one program.

mod agree;
mod checkpoints;
mod disk;
mod disk_faults;
mod limits;
mod processes;
// Not all of it is used here.
#[allow(dead_code)]
#[path = "../../external/tests/sim_files.rs"]
mod sim_files;
mod support;

// Modules with tests of their own are compiled here once more (ADR 27).
#[allow(dead_code, unreachable_pub)]
#[path = "../src/network/hosts.rs"]
mod hosts;
#[allow(dead_code, unreachable_pub)]
#[path = "../src/parcel.rs"]
mod parcel;
#[allow(dead_code, unreachable_pub)]
#[path = "../src/partition.rs"]
mod partition;
#[allow(dead_code, unreachable_pub)]
#[path = "../src/rows.rs"]
mod rows;
#[allow(dead_code, unreachable_pub)]
#[path = "../src/words.rs"]
mod words;
