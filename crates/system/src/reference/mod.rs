//! The reference evaluator: what a [`System`] means.
//!
//! Everything here is written to be read, not to be fast. A state is a [`Valuation`], with no packing; enabledness is
//! decided by trying every binding and every choice; the whole of a step's path is searched with plain sets. Every fast
//! evaluator, every encoder and every trace is checked against this module, and it uses none of them.
//!
//! * [`Evaluator::value`] gives expressions their meaning (`value.rs`).
//! * [`Evaluator::firings`] says which actions can happen: guards, ranks, the holder (`firing.rs`).
//! * [`Evaluator::each_firing_of`] says the same of one action without listing everything (`directed.rs`).
//! * [`Evaluator::steps`] follows atomic sequences and reports faults (`steps.rs`).
//! * [`ControlIndex`] leaves out actions at which control does not stand (`index.rs`). Without one, every action is tried.

mod directed;
mod firing;
mod foresight;
mod index;
mod steps;
mod valuation;
mod value;

pub use directed::Wanted;
pub use firing::{Firing, Scope};
pub use index::ControlIndex;
pub use steps::{Outcome, PathMarks, RefStep};
pub use valuation::{Instance, Valuation};

use crate::System;

/// The meaning of one system.
#[derive(Clone, Copy, Debug)]
pub struct Evaluator<'a> {
    /// What is evaluated.
    pub system: &'a System,
    index: Option<&'a ControlIndex>,
}

impl<'a> Evaluator<'a> {
    /// The meaning of `system`, which must be valid.
    pub fn new(system: &'a System) -> Self {
        Self { system, index: None }
    }
    /// The same meaning, found by looking at fewer actions. `index` must be that of `system`.
    pub fn with_index(system: &'a System, index: &'a ControlIndex) -> Self {
        Self { system, index: Some(index) }
    }
}
