//! The reference evaluator behind the [`StateSpace`] interface: slow, and right by definition.

use crate::{LabelSet, Move, Outcome, Sink, State, StateSpace, Step, StepsByProcess, through};
use lariat_system::reference::{self, Evaluator, Firing};
use lariat_system::{Layout, Position, System, TooLarge};
use std::ops::ControlFlow;

/// A system walked by its reference evaluator.
#[derive(Debug)]
pub struct ReferenceSpace<'a> {
    /// The meaning.
    pub evaluator: Evaluator<'a>,
    /// How states are packed.
    pub layout: Layout,
}

impl<'a> ReferenceSpace<'a> {
    /// The space of `system`, which must be valid.
    pub fn new(system: &'a System) -> Result<Self, TooLarge> {
        Ok(Self { evaluator: Evaluator::new(system), layout: Layout::new(system)? })
    }
}

impl From<&Firing> for Move {
    fn from(firing: &Firing) -> Self {
        let position = |role: usize| firing.scope.positions.get(role).copied();
        Self { action: firing.action, actor: position(0), peer: position(1) }
    }
}

impl StateSpace for ReferenceSpace<'_> {
    type Scratch = ();

    fn words_per_state(&self) -> usize {
        self.layout.words
    }
    fn scratch(&self) -> Self::Scratch {}

    fn initial<B>(&self, (): &mut (), mut sink: impl FnMut(&State) -> ControlFlow<B>) -> ControlFlow<B> {
        self.evaluator.initial().iter().try_for_each(|state| sink(&self.layout.pack(state)))
    }

    fn steps<K: Sink>(&self, source: &State, (): &mut (), mut sink: K) -> ControlFlow<K::Break> {
        self.evaluator.steps(&self.layout.unpack(source)).iter().try_for_each(|step| {
            let via: Vec<Move> = step.path.iter().map(Move::from).collect();
            let labels = step.marks.labels.iter().copied().collect();
            match &step.outcome {
                reference::Outcome::State(target) => {
                    let target = self.layout.pack(target);
                    sink.step(Step::new(Outcome::State(&target), &labels, &via))
                }
                reference::Outcome::Fault(fault) => sink.step(Step::new(Outcome::Fault(*fault), &labels, &via)),
            }
        })
    }

    fn labels(&self, state: &State, (): &mut ()) -> LabelSet {
        self.evaluator.state_labels(&self.layout.unpack(state)).into_iter().collect()
    }

    fn is_proper_end(&self, state: &State, (): &mut ()) -> bool {
        self.evaluator.is_proper_end(&self.layout.unpack(state))
    }
}

impl StepsByProcess for ReferenceSpace<'_> {
    fn steps_by<K: Sink>(&self, source: &State, actor: Position, scratch: &mut (), sink: K) -> ControlFlow<K::Break> {
        let its_own = through(sink, |sink, step| match step.via.first() {
            Some(first) if first.actor == Some(actor) => sink.step(step),
            _ => ControlFlow::Continue(()),
        });
        self.steps(source, scratch, its_own)
    }
}
