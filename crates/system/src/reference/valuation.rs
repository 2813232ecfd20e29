//! A state as plain values.

use crate::{Frame, FrameId, Slot, System};

/// A state: the contents of every slot, and the living processes with the contents of theirs. The pool is filled and
/// emptied last-in-first-out, so it is a stack: a process's position is its index.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Valuation {
    /// By slot, then by cell.
    pub globals: Vec<Vec<i64>>,
    /// By position.
    pub pool: Vec<Instance>,
}

/// A living process.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Instance {
    /// What kind of process it is.
    pub frame: FrameId,
    /// By slot of the frame, then by cell.
    pub locals: Vec<Vec<i64>>,
}

impl Valuation {
    /// Every slot at its initial value, no process.
    pub fn blank(system: &System) -> Self {
        Self { globals: system.slots.iter().map(initial_cells).collect(), pool: Vec::new() }
    }
}

impl Instance {
    /// A process of the frame, every slot at its initial value.
    pub fn new(id: FrameId, frame: &Frame) -> Self {
        Self { frame: id, locals: frame.slots.iter().map(initial_cells).collect() }
    }
}

fn initial_cells(slot: &Slot) -> Vec<i64> {
    (0..slot.cells()).map(|cell| slot.initial_of(cell)).collect()
}
