//! Where steps go.

use crate::{LabelSet, Move, Outcome, State, Step, Underway};
use std::ops::ControlFlow;

/// What is told of the steps of a state, one after the other, and while the way to one is long. It ends the enumeration by
/// breaking.
pub trait Sink {
    /// Why it ended.
    type Break;

    /// A step, or a fault.
    fn step(&mut self, step: Step<'_>) -> ControlFlow<Self::Break>;

    /// Some steps, one after the other, each of one action and to a state, all with these labels. It means the same as
    /// [`step`](Self::step) for each; a sink that has less to do for such steps may say so here.
    #[inline]
    fn plain_steps<'s>(
        &mut self,
        labels: &LabelSet,
        steps: impl Iterator<Item = (Move, &'s State)>,
    ) -> ControlFlow<Self::Break>
    where
        Self: Sized,
    {
        for (by, target) in steps {
            self.step(Step::new(Outcome::State(target), labels, &[by]))?;
        }
        ControlFlow::Continue(())
    }

    /// In the middle of a long way to a step: whether to go on. A space whose ways can be long asks time and again, each time
    /// before its scratch grows. Without limits there is nothing to say.
    fn underway(&mut self, underway: Underway) -> ControlFlow<Self::Break> {
        let _ = underway;
        ControlFlow::Continue(())
    }
}

impl<K: Sink + ?Sized> Sink for &mut K {
    type Break = K::Break;

    #[inline]
    fn step(&mut self, step: Step<'_>) -> ControlFlow<K::Break> {
        (**self).step(step)
    }
    #[inline]
    fn underway(&mut self, underway: Underway) -> ControlFlow<K::Break> {
        (**self).underway(underway)
    }
}

/// A sink without limits that calls a function for each step.
pub fn each<B, F: FnMut(Step<'_>) -> ControlFlow<B>>(step: F) -> Each<F> {
    Each { step }
}

/// See [`each`].
#[derive(Clone, Copy, Debug)]
pub struct Each<F> {
    step: F,
}

impl<B, F: FnMut(Step<'_>) -> ControlFlow<B>> Sink for Each<F> {
    type Break = B;

    #[inline]
    fn step(&mut self, step: Step<'_>) -> ControlFlow<B> {
        (self.step)(step)
    }
}

/// A sink that passes on to another what a function makes of the steps, and has the limits of that one.
pub fn through<K: Sink, F: FnMut(&mut K, Step<'_>) -> ControlFlow<K::Break>>(sink: K, step: F) -> Through<K, F> {
    Through { sink, step }
}

/// See [`through`].
#[derive(Clone, Copy, Debug)]
pub struct Through<K, F> {
    sink: K,
    step: F,
}

impl<K: Sink, F: FnMut(&mut K, Step<'_>) -> ControlFlow<K::Break>> Sink for Through<K, F> {
    type Break = K::Break;

    #[inline]
    fn step(&mut self, step: Step<'_>) -> ControlFlow<K::Break> {
        (self.step)(&mut self.sink, step)
    }
    #[inline]
    fn underway(&mut self, underway: Underway) -> ControlFlow<K::Break> {
        self.sink.underway(underway)
    }
}
