//! A state space behind a pointer.
//!
//! Whatever is generic over state spaces is compiled once for each kind of them. Where a call through a pointer costs little
//! beside the rest, it is compiled for this one kind, which can be any other.

use crate::{LabelSet, State, StateSpace, Step, Underway};
use lariat_system::{ActionId, Position};
use std::cell::Cell;
use std::fmt;
use std::ops::ControlFlow;

/// Any state space.
#[derive(Clone, Copy)]
pub struct AnySpace<'a> {
    space: &'a (dyn Walkable + 'a),
}

impl<'a> AnySpace<'a> {
    /// This one.
    pub fn new<S: StateSpace>(space: &'a S) -> Self {
        Self { space }
    }
}

impl fmt::Debug for AnySpace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnySpace").field("words_per_state", &self.space.words_per_state()).finish_non_exhaustive()
    }
}

/// What a space must do before its working memory exists.
trait Walkable: Sync {
    fn words_per_state(&self) -> usize;
    fn walker(&self) -> Box<dyn Walker + '_>;
}

impl<S: StateSpace> Walkable for S {
    fn words_per_state(&self) -> usize {
        StateSpace::words_per_state(self)
    }
    fn walker(&self) -> Box<dyn Walker + '_> {
        Box::new(Walking { space: self, scratch: self.scratch() })
    }
}

type Watch<'w> = &'w mut dyn FnMut(Underway) -> ControlFlow<()>;
type Sink<'s> = &'s mut dyn FnMut(Step<'_>) -> ControlFlow<()>;

/// A space with one thread's working memory: [`StateSpace`] without its type parameters.
trait Walker: Send {
    fn initial(&mut self, sink: &mut dyn FnMut(&State) -> ControlFlow<()>) -> ControlFlow<()>;
    fn steps(&mut self, source: &State, sink: Sink<'_>) -> ControlFlow<()>;
    fn watched_steps(&mut self, source: &State, watch: Watch<'_>, sink: Sink<'_>) -> ControlFlow<()>;
    fn steps_by(&mut self, source: &State, actor: Position, watch: Watch<'_>, sink: Sink<'_>) -> ControlFlow<()>;
    fn labels(&mut self, state: &State) -> LabelSet;
    fn is_proper_end(&mut self, state: &State) -> bool;
    fn passed(&self) -> Vec<ActionId>;
}

struct Walking<'a, S: StateSpace> {
    space: &'a S,
    scratch: S::Scratch,
}

impl<S: StateSpace> Walker for Walking<'_, S> {
    fn initial(&mut self, sink: &mut dyn FnMut(&State) -> ControlFlow<()>) -> ControlFlow<()> {
        self.space.initial(&mut self.scratch, sink)
    }
    fn steps(&mut self, source: &State, sink: Sink<'_>) -> ControlFlow<()> {
        self.space.steps(source, &mut self.scratch, sink)
    }
    fn watched_steps(&mut self, source: &State, watch: Watch<'_>, sink: Sink<'_>) -> ControlFlow<()> {
        self.space.watched_steps(source, &mut self.scratch, watch, sink)
    }
    fn steps_by(&mut self, source: &State, actor: Position, watch: Watch<'_>, sink: Sink<'_>) -> ControlFlow<()> {
        self.space.steps_by(source, actor, &mut self.scratch, watch, sink)
    }
    fn labels(&mut self, state: &State) -> LabelSet {
        self.space.labels(state, &mut self.scratch)
    }
    fn is_proper_end(&mut self, state: &State) -> bool {
        self.space.is_proper_end(state, &mut self.scratch)
    }
    fn passed(&self) -> Vec<ActionId> {
        self.space.passed(&self.scratch)
    }
}

/// What a caller's sink or watch has broken with, which cannot pass through the pointer.
struct Broken<B>(Cell<Option<B>>);

impl<B> Broken<B> {
    fn new() -> Self {
        Self(Cell::new(None))
    }

    /// Keeps the break value here.
    #[inline]
    fn keep(&self, flow: ControlFlow<B>) -> ControlFlow<()> {
        flow.map_break(|value| self.0.set(Some(value)))
    }

    fn flow(self) -> ControlFlow<B> {
        self.0.into_inner().map_or(ControlFlow::Continue(()), ControlFlow::Break)
    }
}

/// Working memory of a space behind a pointer.
pub struct AnyScratch<'a>(Box<dyn Walker + 'a>);

impl<'a> StateSpace for AnySpace<'a> {
    type Scratch = AnyScratch<'a>;

    fn words_per_state(&self) -> usize {
        self.space.words_per_state()
    }
    fn scratch(&self) -> Self::Scratch {
        AnyScratch(self.space.walker())
    }
    fn initial<B>(
        &self,
        scratch: &mut Self::Scratch,
        mut sink: impl FnMut(&State) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let broken = Broken::new();
        let _ = scratch.0.initial(&mut |state| broken.keep(sink(state)));
        broken.flow()
    }
    fn steps<B>(
        &self,
        source: &State,
        scratch: &mut Self::Scratch,
        mut sink: impl FnMut(Step<'_>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let broken = Broken::new();
        let _ = scratch.0.steps(source, &mut |step| broken.keep(sink(step)));
        broken.flow()
    }
    fn watched_steps<B>(
        &self,
        source: &State,
        scratch: &mut Self::Scratch,
        mut watch: impl FnMut(Underway) -> ControlFlow<B>,
        mut sink: impl FnMut(Step<'_>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let broken = Broken::new();
        let (watch, sink) =
            (&mut |underway| broken.keep(watch(underway)), &mut |step: Step<'_>| broken.keep(sink(step)));
        let _ = scratch.0.watched_steps(source, watch, sink);
        broken.flow()
    }
    fn steps_by<B>(
        &self,
        source: &State,
        actor: Position,
        scratch: &mut Self::Scratch,
        mut watch: impl FnMut(Underway) -> ControlFlow<B>,
        mut sink: impl FnMut(Step<'_>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let broken = Broken::new();
        let (watch, sink) =
            (&mut |underway| broken.keep(watch(underway)), &mut |step: Step<'_>| broken.keep(sink(step)));
        let _ = scratch.0.steps_by(source, actor, watch, sink);
        broken.flow()
    }
    fn labels(&self, state: &State, scratch: &mut Self::Scratch) -> LabelSet {
        scratch.0.labels(state)
    }
    fn is_proper_end(&self, state: &State, scratch: &mut Self::Scratch) -> bool {
        scratch.0.is_proper_end(state)
    }
    fn passed(&self, scratch: &Self::Scratch) -> Vec<ActionId> {
        scratch.0.passed()
    }
}
