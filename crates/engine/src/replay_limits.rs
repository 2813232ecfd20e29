//! The limits of a run while a trace of it is found again, replayed and told.

use crate::{RunControl, Shortfall};

/// How many actions are followed between two looks at the clock.
const CHECK_INTERVAL: u32 = 64;
/// Memory is taken from the budget in pieces of this size.
const PIECE_BYTES: u64 = 64 << 10;

/// Keeps a replay within the limits of time and memory. What was taken from the budget is given back in the end: whatever
/// keeps a [`Story`](crate::Story) takes its memory again.
pub(crate) struct ReplayLimits<'c> {
    control: Option<&'c RunControl>,
    /// The interrupts that came before.
    heeded: u32,
    until_check: u32,
    used_bytes: u64,
    taken_bytes: u64,
}

impl<'c> ReplayLimits<'c> {
    /// Within the limits of `control`; without one there are none.
    pub(crate) fn new(control: Option<&'c RunControl>) -> Self {
        let heeded = control.map_or(0, RunControl::interrupts);
        Self { control, heeded, until_check: CHECK_INTERVAL, used_bytes: 0, taken_bytes: 0 }
    }

    /// To be called for each action; `bytes` are kept for it.
    pub(crate) fn tick(&mut self, bytes: u64) -> Result<(), Shortfall> {
        let Some(control) = self.control else { return Ok(()) };
        self.used_bytes += bytes;
        if self.used_bytes > self.taken_bytes {
            let more = (self.used_bytes - self.taken_bytes).next_multiple_of(PIECE_BYTES);
            control.budget.take(more)?;
            self.taken_bytes += more;
        }
        self.until_check -= 1;
        if self.until_check == 0 {
            self.until_check = CHECK_INTERVAL;
            control.check_telling(self.heeded)?;
        }
        Ok(())
    }

    /// `bytes` of what was kept have been dropped.
    pub(crate) fn release(&mut self, bytes: u64) {
        self.used_bytes -= bytes.min(self.used_bytes);
    }
}

impl Drop for ReplayLimits<'_> {
    fn drop(&mut self) {
        if let Some(control) = self.control {
            control.budget.give_back(self.taken_bytes);
        }
    }
}
