//! Tests of the engine `external`, as one program.

mod agree;
mod faults;
mod sim_files;
mod support;
mod temporal;
