//! The tests of `exec`, as one program: it links once.

mod models;
mod programs;
mod random;
mod reading;
mod steps_by;
