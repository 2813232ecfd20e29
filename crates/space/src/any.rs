//! A state space behind a pointer.
//!
//! Whatever is generic over state spaces is compiled once for each kind of them. Where a call through a pointer costs little
//! beside the rest, it is compiled for this one kind, which can be any other.

use crate::{Keys, LabelSet, Passed, Sink, State, StateSpace, Step, StepRows, Underway, WantedKeys};
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
    fn will_be_keyed(&self) -> bool;
    fn keyed<'p>(&'p self, wanted: WantedKeys, states: &mut dyn FnMut() -> Vec<u64>) -> Keys<'p>;
    fn walker_with_choices(&self) -> Option<Box<dyn Walker + '_>>;
}

impl<S: StateSpace> Walkable for S {
    fn words_per_state(&self) -> usize {
        StateSpace::words_per_state(self)
    }
    fn walker(&self) -> Box<dyn Walker + '_> {
        Box::new(Walking { space: self, scratch: self.scratch() })
    }
    fn will_be_keyed(&self) -> bool {
        StateSpace::will_be_keyed(self)
    }
    fn keyed<'p>(&'p self, wanted: WantedKeys, states: &mut dyn FnMut() -> Vec<u64>) -> Keys<'p> {
        StateSpace::keyed(self, wanted, states)
    }
    fn walker_with_choices(&self) -> Option<Box<dyn Walker + '_>> {
        Some(Box::new(Walking { space: self, scratch: self.scratch_with_choices()? }))
    }
}

/// A space with one thread's working memory: [`StateSpace`] without its type parameters.
trait Walker: Send {
    fn initial(&mut self, sink: &mut dyn FnMut(&State) -> ControlFlow<()>) -> ControlFlow<()>;
    fn steps(&mut self, source: &State, sink: &mut dyn Sink<Break = ()>) -> ControlFlow<()>;
    fn labels(&mut self, state: &State) -> LabelSet;
    fn is_proper_end(&mut self, state: &State) -> bool;
    fn passed(&self) -> Passed;
}

struct Walking<'a, S: StateSpace> {
    space: &'a S,
    scratch: S::Scratch,
}

impl<S: StateSpace> Walker for Walking<'_, S> {
    fn initial(&mut self, sink: &mut dyn FnMut(&State) -> ControlFlow<()>) -> ControlFlow<()> {
        self.space.initial(&mut self.scratch, sink)
    }
    fn steps(&mut self, source: &State, sink: &mut dyn Sink<Break = ()>) -> ControlFlow<()> {
        self.space.steps(source, &mut self.scratch, sink)
    }
    fn labels(&mut self, state: &State) -> LabelSet {
        self.space.labels(state, &mut self.scratch)
    }
    fn is_proper_end(&mut self, state: &State) -> bool {
        self.space.is_proper_end(state, &mut self.scratch)
    }
    fn passed(&self) -> Passed {
        self.space.passed(&self.scratch)
    }
}

/// A sink that keeps its break value, which cannot pass through the pointer.
struct Keeping<K: Sink> {
    sink: K,
    broken: Option<K::Break>,
}

impl<K: Sink> Keeping<K> {
    #[inline]
    fn keep(&mut self, flow: ControlFlow<K::Break>) -> ControlFlow<()> {
        flow.map_break(|value| self.broken = Some(value))
    }
}

impl<K: Sink> Sink for Keeping<K> {
    type Break = ();

    #[inline]
    fn step(&mut self, step: Step<'_>) -> ControlFlow<()> {
        let flow = self.sink.step(step);
        self.keep(flow)
    }
    #[inline]
    fn step_rows(&mut self, rows: StepRows<'_>) -> Option<ControlFlow<()>> {
        let flow = self.sink.step_rows(rows)?;
        Some(self.keep(flow))
    }
    fn underway(&mut self, underway: Underway) -> ControlFlow<()> {
        let flow = self.sink.underway(underway);
        self.keep(flow)
    }
}

/// Lists steps into a sink behind a pointer, so that what lists them is compiled once for all sinks.
pub fn list_by_pointer<K: Sink>(
    sink: K,
    list: impl FnOnce(&mut dyn Sink<Break = ()>) -> ControlFlow<()>,
) -> ControlFlow<K::Break> {
    let mut keeping = Keeping { sink, broken: None };
    let _ = list(&mut keeping);
    flow_of(keeping.broken)
}

fn flow_of<B>(broken: Option<B>) -> ControlFlow<B> {
    broken.map_or(ControlFlow::Continue(()), ControlFlow::Break)
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
    fn scratch_with_choices(&self) -> Option<Self::Scratch> {
        self.space.walker_with_choices().map(AnyScratch)
    }
    fn initial<B>(
        &self,
        scratch: &mut Self::Scratch,
        mut sink: impl FnMut(&State) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let mut broken = None;
        let _ = scratch.0.initial(&mut |state| sink(state).map_break(|value| broken = Some(value)));
        flow_of(broken)
    }
    fn steps<K: Sink>(&self, source: &State, scratch: &mut Self::Scratch, sink: K) -> ControlFlow<K::Break> {
        list_by_pointer(sink, |sink| scratch.0.steps(source, sink))
    }
    fn labels(&self, state: &State, scratch: &mut Self::Scratch) -> LabelSet {
        scratch.0.labels(state)
    }
    fn is_proper_end(&self, state: &State, scratch: &mut Self::Scratch) -> bool {
        scratch.0.is_proper_end(state)
    }
    fn passed(&self, scratch: &Self::Scratch) -> Passed {
        scratch.0.passed()
    }
    fn will_be_keyed(&self) -> bool {
        self.space.will_be_keyed()
    }
    fn keyed<'p>(&'p self, wanted: WantedKeys, states: &mut dyn FnMut() -> Vec<u64>) -> Keys<'p> {
        self.space.keyed(wanted, states)
    }
}
