//! A state space without steps whose order makes no difference: a partial-order reduction (Peled, "All from one, one for
//! all", CAV 1993), with cycles taken care of beforehand (Kurshan, Levin, Minea, Peled, Yenigün, "Static partial order
//! reduction", TACAS 1998).
//!
//! In some states one process may go first: whatever the others do before it moves, it can do the same then as now, and the
//! others can do the same before and after. There the steps of that process alone are listed; the others' come later. Who
//! may go first is [`Ample`], a function of the state alone, so that the reduced space is one like any other: every search,
//! every observer and any number of threads can use it. What is preserved, and why, is told in docs/adr/0012.
//!
//! A process goes round no circle by such steps alone, so that everybody has a turn again and again.

mod ample;
mod analysis;
mod atoms;
mod channel;
mod places;
mod rules;
mod touch;

pub use ample::{Ample, AmpleScratch, Obstacle};
pub use rules::Rule;

use crate::{Layer, LayerScratch, Outcome, Sink, State, Step, StepsByProcess, Underway, through};
use lariat_system::Position;
use std::ops::ControlFlow;

/// The space with fewer steps, and therefore fewer states.
#[derive(Debug)]
pub struct Reduced<'a, S> {
    space: &'a S,
    ample: &'a Ample,
}

impl<'a, S: StepsByProcess> Reduced<'a, S> {
    /// The reduced space; `ample` was made for the system that `space` is the space of.
    pub fn new(space: &'a S, ample: &'a Ample) -> Self {
        Self { space, ample }
    }

    /// Whether the process has a step that leads to a state. `sink` is told of no step.
    fn has_step<K: Sink>(
        &self,
        source: &State,
        position: Position,
        scratch: &mut S::Scratch,
        sink: &mut K,
    ) -> ControlFlow<K::Break, bool> {
        match self.space.steps_by(source, position, scratch, Looking(sink)) {
            ControlFlow::Break(Some(broken)) => ControlFlow::Break(broken),
            ControlFlow::Break(None) => ControlFlow::Continue(true),
            ControlFlow::Continue(()) => ControlFlow::Continue(false),
        }
    }
}

/// Breaks with nothing at the first step that leads to a state; its limits are those of another sink.
struct Looking<'a, K>(&'a mut K);

impl<K: Sink> Sink for Looking<'_, K> {
    type Break = Option<K::Break>;

    fn step(&mut self, step: Step<'_>) -> ControlFlow<Self::Break> {
        match step.target {
            Outcome::State(_) => ControlFlow::Break(None),
            Outcome::Fault(_) => ControlFlow::Continue(()),
        }
    }
    fn underway(&mut self, underway: Underway) -> ControlFlow<Self::Break> {
        self.0.underway(underway).map_break(Some)
    }
}

impl<S: StepsByProcess> Layer for Reduced<'_, S> {
    type Below = S;
    type Own = AmpleScratch;

    fn below(&self) -> &S {
        self.space
    }
    fn own(&self) -> AmpleScratch {
        AmpleScratch::default()
    }
    fn listed_steps<K: Sink>(
        &self,
        source: &State,
        LayerScratch { below: inner, own: standing }: &mut LayerScratch<Self>,
        mut sink: K,
    ) -> ControlFlow<K::Break> {
        for (position, may_fail) in self.ample.firsts(source, standing) {
            // A run-time error is no step: who can do nothing else is not the one, and must not have been listed.
            if may_fail && !self.has_step(source, position, inner, &mut sink)? {
                continue;
            }
            let mut listed = false;
            let noting = through(&mut sink, |sink, step| {
                listed = true;
                sink.step(step)
            });
            self.space.steps_by(source, position, inner, noting)?;
            if listed {
                return ControlFlow::Continue(());
            }
        }
        self.space.steps(source, inner, sink)
    }
}
