//! The limits of a run, where one step alone could pass them.

use lariat_engine::{RunControl, Shortfall};
use lariat_space::{Sink, Step, Underway};
use std::ops::ControlFlow;

/// Keeps the working memory of a state space within the budget, and looks at the clock while a long step is followed.
/// Memory is taken before it grows, and given back in the end: to be dropped after the scratch.
#[derive(Debug)]
pub struct StepLimits<'a> {
    control: &'a RunControl,
    /// While a found failure is reported: the interrupts that were heeded already.
    heeded: Option<u32>,
    taken_bytes: u64,
}

impl<'a> StepLimits<'a> {
    /// The limits of a search.
    pub fn new(control: &'a RunControl) -> Self {
        Self { control, heeded: None, taken_bytes: 0 }
    }
    /// For reporting what was found in time: see [`RunControl::check_telling`]. Interrupts that came before do not matter.
    pub fn reporting(control: &'a RunControl) -> Self {
        Self { control, heeded: Some(control.interrupts()), taken_bytes: 0 }
    }
    /// From now on what was found is reported.
    pub fn begin_reporting(&mut self) {
        self.heeded = Some(self.control.interrupts());
    }
    /// An error if the run may not go on at all.
    pub fn check(&self) -> Result<(), Shortfall> {
        match self.heeded {
            None => self.control.check(),
            Some(heeded) => self.control.check_telling(heeded),
        }
    }

    /// A sink with these limits that calls a function for each step; `cut` is what it breaks with at a limit.
    pub fn limiting<B, C, F>(&mut self, cut: C, step: F) -> Limited<'_, 'a, C, F>
    where
        C: Fn(Shortfall) -> B,
        F: FnMut(Step<'_>) -> ControlFlow<B>,
    {
        Limited { limits: self, cut, step }
    }

    /// An error if the step may not be followed further.
    pub fn allow(&mut self, underway: Underway) -> Result<(), Shortfall> {
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

/// See [`StepLimits::limiting`].
#[derive(Debug)]
pub struct Limited<'l, 'a, C, F> {
    limits: &'l mut StepLimits<'a>,
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
        match self.limits.allow(underway) {
            Ok(()) => ControlFlow::Continue(()),
            Err(shortfall) => ControlFlow::Break((self.cut)(shortfall)),
        }
    }
}

impl Drop for StepLimits<'_> {
    fn drop(&mut self) {
        self.control.budget.give_back(self.taken_bytes);
    }
}
