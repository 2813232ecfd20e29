//! Tests of the engine `external`, as one program.

mod agree;
mod astar;
mod faults;
mod room;
mod sim_files;
mod support;
mod temporal;
