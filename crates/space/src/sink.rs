//! Where steps go.

use crate::{LabelSet, Move, Outcome, State, Step, Underway};
use lariat_system::ActionId;
use std::ops::ControlFlow;

/// A step to a state, by the same participants from its first action to its last.
#[derive(Clone, Copy, Debug)]
pub struct PlainStep<'s> {
    /// The first action.
    pub by: Move,
    /// The numbers of the actions that follow, where an atomic sequence is passed through.
    pub then: &'s [u32],
    /// Where it leads.
    pub target: &'s State,
}

impl PlainStep<'_> {
    /// Makes `via` its actions with their participants.
    pub fn write_moves(&self, via: &mut Vec<Move>) {
        let Move { actor, peer, .. } = self.by;
        via.clear();
        via.push(self.by);
        // Written field by field, and not copied from what was written field by field a moment ago: for that the processor
        // would wait.
        via.extend(self.then.iter().map(|&action| Move { action: ActionId(action), actor, peer }));
    }
}

/// Some [plain steps](PlainStep) of a state as they were written down: a *row* of words for each.
#[derive(Clone, Copy, Debug)]
pub struct StepRows<'s> {
    /// Row after row. The low 32 bits of the first word of a row are the number of the step's first action. The state that it
    /// leads to stands at the end of the row.
    pub words: &'s [u64],
    /// The length of a row.
    pub width: usize,
    /// Where in a row the number of actions stands that follow the first one; `None` if none do.
    pub hops_at: Option<usize>,
    /// These actions, for one row after the other.
    pub hops: &'s [u32],
}

impl<'s> StepRows<'s> {
    /// Those before the last ones, whose words are `rest`, and these.
    #[inline]
    pub fn split_before(&self, rest: &'s [u64]) -> (Self, Self) {
        let words = &self.words[..self.words.len() - rest.len()];
        let hops_of = |row: &[u64]| self.hops_at.map_or(0, |at| row[at] as usize);
        // Mostly nothing is left.
        let hops = match rest.is_empty() {
            true => self.hops.len(),
            false => words.chunks_exact(self.width).map(hops_of).sum(),
        };
        let (hops, other_hops) = self.hops.split_at(hops);
        (Self { words, hops, ..*self }, Self { words: rest, hops: other_hops, ..*self })
    }
    /// The number of steps.
    #[inline]
    pub fn len(&self) -> usize {
        self.words.len() / self.width
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

/// Plain steps of a state, one after the other, and all that are left as they were written down.
pub trait PlainSteps<'s>: Iterator<Item = PlainStep<'s>> {
    /// Those that are left.
    fn rows(&self) -> StepRows<'s>;
}

/// What is told of the steps of a state, one after the other, and while the way to one is long. It ends the enumeration by
/// breaking.
pub trait Sink {
    /// Why it ended.
    type Break;

    /// A step, or a fault.
    fn step(&mut self, step: Step<'_>) -> ControlFlow<Self::Break>;

    /// Some steps, one after the other, all with these labels. It means the same as [`step`](Self::step) for each; a sink that
    /// has less to do for such steps may say so here. `via` is scratch.
    #[inline]
    fn plain_steps<'s>(
        &mut self,
        labels: &LabelSet,
        via: &mut Vec<Move>,
        steps: impl PlainSteps<'s>,
    ) -> ControlFlow<Self::Break>
    where
        Self: Sized,
    {
        for step in steps {
            step.write_moves(via);
            self.step(Step::new(Outcome::State(step.target), labels, via))?;
        }
        ControlFlow::Continue(())
    }

    /// The same for all of these at once, by a sink that does not need to know their participants; `None` if it does, and nothing was
    /// done. This passes through a pointer, which [`plain_steps`](Self::plain_steps) cannot.
    #[inline]
    fn step_rows(&mut self, rows: StepRows<'_>) -> Option<ControlFlow<Self::Break>> {
        let _ = rows;
        None
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
    fn plain_steps<'s>(
        &mut self,
        labels: &LabelSet,
        via: &mut Vec<Move>,
        steps: impl PlainSteps<'s>,
    ) -> ControlFlow<K::Break> {
        if let Some(flow) = (**self).step_rows(steps.rows()) {
            return flow;
        }
        for step in steps {
            step.write_moves(via);
            (**self).step(Step::new(Outcome::State(step.target), labels, via))?;
        }
        ControlFlow::Continue(())
    }
    #[inline]
    fn step_rows(&mut self, rows: StepRows<'_>) -> Option<ControlFlow<K::Break>> {
        (**self).step_rows(rows)
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
