//! Machines that read a run.

use crate::LabelSet;
use lariat_automata::{Acceptance, MarkSet};

/// A state of an observer.
pub type ObserverState = u32;

/// What an observer sees of one step.
#[derive(Clone, Copy, Debug)]
pub struct Letter<'a> {
    /// The labels of the state that is left.
    pub state: &'a LabelSet,
    /// The labels of the step taken; none for a stutter step.
    pub step: &'a LabelSet,
}

/// A machine that reads a run, step by step. It accepts a run if it has an infinite run of its own over the letters
/// whose marks, seen infinitely often, satisfy the acceptance condition. Fairness adds marks to that condition and is
/// no other mechanism.
///
/// Laws: what is listed depends on the arguments alone, in the same order each time; states are `0..states()`.
pub trait Observer: Sync {
    /// The number of states.
    fn states(&self) -> u32;
    /// Lists the initial states.
    fn initial(&self, sink: impl FnMut(ObserverState));
    /// Lists the moves from `from` that `letter` allows, each with its marks.
    fn moves(&self, from: ObserverState, letter: Letter<'_>, sink: impl FnMut(ObserverState, &MarkSet));
    /// What [`moves`](Self::moves) lists, where that is written down.
    fn written_moves(&self, from: ObserverState, letter: Letter<'_>) -> Option<&[(ObserverState, MarkSet)]> {
        let _ = (from, letter);
        None
    }
    /// Which runs are accepted.
    fn acceptance(&self) -> Acceptance;
    /// Whether moves can depend on the step's labels. If not, those for a state are asked for once for all of its steps.
    fn reads_steps(&self) -> bool {
        true
    }
}

/// The observer that sees nothing and accepts nothing: the product with it is the space itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nothing;

impl Observer for Nothing {
    fn states(&self) -> u32 {
        1
    }
    fn initial(&self, mut sink: impl FnMut(ObserverState)) {
        sink(0);
    }
    fn moves(&self, from: ObserverState, _: Letter<'_>, mut sink: impl FnMut(ObserverState, &MarkSet)) {
        sink(from, &MarkSet::EMPTY);
    }
    fn acceptance(&self) -> Acceptance {
        Acceptance::False
    }
    fn reads_steps(&self) -> bool {
        false
    }
}
