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
mod channel;
mod places;
mod touch;

pub use ample::{Ample, Obstacle, Standing};

use crate::{Layer, LayerScratch, Outcome, State, StateSpace, Step, Underway};
use lariat_system::Position;
use std::ops::ControlFlow;

/// The space with fewer steps, and therefore fewer states.
#[derive(Debug)]
pub struct Reduced<'a, S> {
    space: &'a S,
    ample: &'a Ample,
}

impl<'a, S: StateSpace> Reduced<'a, S> {
    /// The reduced space; `ample` was made for the system that `space` is the space of.
    pub fn new(space: &'a S, ample: &'a Ample) -> Self {
        Self { space, ample }
    }

    /// Whether the process has a step that leads to a state.
    fn has_step<B>(
        &self,
        source: &State,
        position: Position,
        scratch: &mut S::Scratch,
        mut watch: impl FnMut(Underway) -> ControlFlow<B>,
    ) -> ControlFlow<B, bool> {
        let watch = |underway| watch(underway).map_break(Some);
        let flow = self.space.steps_by(source, position, scratch, watch, |step| match step.target {
            Outcome::State(_) => ControlFlow::Break(None),
            Outcome::Fault(_) => ControlFlow::Continue(()),
        });
        match flow {
            ControlFlow::Break(Some(broken)) => ControlFlow::Break(broken),
            ControlFlow::Break(None) => ControlFlow::Continue(true),
            ControlFlow::Continue(()) => ControlFlow::Continue(false),
        }
    }
}

impl<S: StateSpace> Layer for Reduced<'_, S> {
    type Below = S;
    type Own = Standing;

    fn below(&self) -> &S {
        self.space
    }
    fn own(&self) -> Standing {
        Standing::default()
    }
    fn listed_steps<B>(
        &self,
        source: &State,
        LayerScratch { below: inner, own: standing }: &mut LayerScratch<Self>,
        mut watch: impl FnMut(Underway) -> ControlFlow<B>,
        mut sink: impl FnMut(Step<'_>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        for (position, may_fail) in self.ample.firsts(source, standing) {
            // A run-time error is no step: who can do nothing else is not the one, and must not have been listed.
            if may_fail && !self.has_step(source, position, inner, &mut watch)? {
                continue;
            }
            let mut listed = false;
            self.space.steps_by(source, position, inner, &mut watch, |step| {
                listed = true;
                sink(step)
            })?;
            if listed {
                return ControlFlow::Continue(());
            }
        }
        self.space.watched_steps(source, inner, watch, sink)
    }
}
