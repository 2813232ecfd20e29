//! The limits of a run while its traces are written.

use lariat_engine::{RunControl, Shortfall};
use std::cell::Cell;

/// The clock is looked at for one entry of as many.
const CHECK_INTERVAL: usize = 64;

/// When to stop writing entries of traces. What is written is made entry by entry, so that time alone matters.
#[derive(Debug)]
pub struct WriteLimit<'a> {
    control: &'a RunControl,
    /// The interrupts that came before.
    heeded: u32,
    cut: Cell<Option<Shortfall>>,
}

impl<'a> WriteLimit<'a> {
    /// The limit of a run whose answer is written from now on.
    pub fn new(control: &'a RunControl) -> Self {
        Self { control, heeded: control.interrupts(), cut: Cell::new(None) }
    }
    /// Why something was not written to its end since this was last asked.
    pub fn take_cut(&self) -> Option<Shortfall> {
        self.cut.take()
    }
    /// Whether a limit is met already.
    pub(crate) fn is_over(&self) -> bool {
        self.control.check_telling(self.heeded).is_err()
    }
    /// The reason not to write the entry of this number, if there is one.
    pub(crate) fn met(&self, entry: usize) -> Option<Shortfall> {
        if !entry.is_multiple_of(CHECK_INTERVAL) {
            return None;
        }
        let shortfall = self.control.check_telling(self.heeded).err()?;
        self.cut.set(Some(shortfall));
        Some(shortfall)
    }
}
