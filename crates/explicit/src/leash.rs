//! The limits of a run, where one step alone could pass them.

use lariat_engine::{RunControl, Shortfall};
use lariat_space::{Sink, Step, Underway};
use std::ops::ControlFlow;

/// Keeps the working memory of a state space within the budget, and looks at the clock while a long step is followed.
/// It is told of the memory before that grows, and gives it back in the end: to be dropped after the scratch.
pub(crate) struct Leash<'a> {
    control: &'a RunControl,
    /// For who tells what was found: the interrupts that were heeded already.
    heeded: Option<u32>,
    taken_bytes: u64,
}

impl<'a> Leash<'a> {
    pub(crate) fn new(control: &'a RunControl) -> Self {
        Self { control, heeded: None, taken_bytes: 0 }
    }
    /// For telling what was found in time: see [`RunControl::check_telling`]. Interrupts that came before do not matter.
    pub(crate) fn telling(control: &'a RunControl) -> Self {
        Self { control, heeded: Some(control.interrupts()), taken_bytes: 0 }
    }
    /// From now on what was found is told.
    pub(crate) fn begin_telling(&mut self) {
        self.heeded = Some(self.control.interrupts());
    }
    /// Whether the run may go on at all.
    pub(crate) fn check(&self) -> Result<(), Shortfall> {
        match self.heeded {
            None => self.control.check(),
            Some(heeded) => self.control.check_telling(heeded),
        }
    }

    /// A sink with these limits that calls a function for each step; `cut` is what it breaks with at a limit.
    pub(crate) fn limiting<B, C, F>(&mut self, cut: C, step: F) -> Limited<'_, 'a, C, F>
    where
        C: Fn(Shortfall) -> B,
        F: FnMut(Step<'_>) -> ControlFlow<B>,
    {
        Limited { leash: self, cut, step }
    }

    /// Whether the step may be followed further.
    fn allow(&mut self, underway: Underway) -> Result<(), Shortfall> {
        // A scratch keeps what it has grown to.
        let growth = underway.scratch_bytes.saturating_sub(self.taken_bytes);
        if growth > 0 {
            self.control.budget.take(growth)?;
            self.taken_bytes += growth;
        }
        // Most paths are short, and the clock is looked at between steps too.
        match underway.actions {
            0 => Ok(()),
            _ => self.check(),
        }
    }
}

/// See [`Leash::limiting`].
pub(crate) struct Limited<'l, 'a, C, F> {
    leash: &'l mut Leash<'a>,
    cut: C,
    step: F,
}

impl<B, C: Fn(Shortfall) -> B, F: FnMut(Step<'_>) -> ControlFlow<B>> Sink for Limited<'_, '_, C, F> {
    type Break = B;

    #[inline]
    fn step(&mut self, step: Step<'_>) -> ControlFlow<B> {
        (self.step)(step)
    }
    fn underway(&mut self, underway: Underway) -> ControlFlow<B> {
        match self.leash.allow(underway) {
            Ok(()) => ControlFlow::Continue(()),
            Err(shortfall) => ControlFlow::Break((self.cut)(shortfall)),
        }
    }
}

impl Drop for Leash<'_> {
    fn drop(&mut self) {
        self.control.budget.give_back(self.taken_bytes);
    }
}
