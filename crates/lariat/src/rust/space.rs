//! A Rust model as a state space: what engines search.

use super::model::{Meaning, Model, Proposition};
use super::{Pack, Packer, Unpacker};
use lariat_base::Id;
use lariat_space::{LabelSet, Move, Outcome, Sink, State, StateSpace, Step};
use lariat_system::{ActionId, LabelId};
use std::ops::ControlFlow;

/// A model as a state space. The number of an action is its place in the list of what can happen in a state.
pub(super) struct ModelSpace<'a, M: Model> {
    model: &'a M,
    /// Those of states, and those of steps, each with its label.
    of_states: Vec<(LabelId, &'a Meaning<M>)>,
    of_steps: Vec<(LabelId, &'a Meaning<M>)>,
}

impl<'a, M: Model> ModelSpace<'a, M> {
    pub(super) fn new(model: &'a M, propositions: &'a [Proposition<M>]) -> Self {
        let labelled = propositions.iter().enumerate().map(|(number, each)| (LabelId::new(number), &each.meaning));
        let (of_states, of_steps) = labelled.partition(|(_, meaning)| matches!(meaning, Meaning::State(_)));
        Self { model, of_states, of_steps }
    }
}

/// One thread's working memory.
pub(super) struct Scratch<A> {
    actions: Vec<A>,
    words: Vec<u64>,
    labels: LabelSet,
}

/// Writes a state into words. Different states must have different words, or some would never be looked at.
fn pack<S: Pack + PartialEq>(state: &S, words: &mut [u64]) {
    words.fill(0);
    let mut packer = Packer::new(words);
    state.pack(&mut packer);
    assert_eq!(packer.written(), S::BITS, "`Pack::pack` writes as many bits as `Pack::BITS` says");
    if !S::BY_CONSTRUCTION {
        assert!(unpack::<S>(words) == *state, "`Pack::unpack` gives back what `Pack::pack` has written");
    }
}

fn unpack<S: Pack>(words: &[u64]) -> S {
    S::unpack(&mut Unpacker::new(words))
}

impl<M: Model> StateSpace for ModelSpace<'_, M> {
    type Scratch = Scratch<M::Action>;

    fn words_per_state(&self) -> usize {
        M::State::BITS.div_ceil(64).max(1) as usize
    }

    fn scratch(&self) -> Self::Scratch {
        Scratch { actions: Vec::new(), words: vec![0; self.words_per_state()], labels: LabelSet::EMPTY }
    }

    fn initial<B>(
        &self,
        scratch: &mut Self::Scratch,
        mut sink: impl FnMut(&State) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let states = self.model.initial();
        let fresh = states.iter().enumerate().filter(|(number, state)| !states[..*number].contains(state));
        for (_, state) in fresh {
            pack(state, &mut scratch.words);
            sink(&scratch.words)?;
        }
        ControlFlow::Continue(())
    }

    fn steps<K: Sink>(&self, source: &State, scratch: &mut Self::Scratch, mut sink: K) -> ControlFlow<K::Break> {
        let Scratch { actions, words, labels } = scratch;
        let state: M::State = unpack(source);
        actions.clear();
        self.model.actions(&state, actions);
        for (number, action) in actions.iter().enumerate() {
            let Some(next) = self.model.next(&state, action) else { continue };
            pack(&next, words);
            labels.clear();
            for (label, meaning) in &self.of_steps {
                if meaning.holds_of(self.model, &state, action) {
                    labels.insert(*label);
                }
            }
            let by = Move { action: ActionId::new(number), actor: self.model.process(action), peer: None };
            sink.step(Step::new(Outcome::State(words), labels, &[by]))?;
        }
        ControlFlow::Continue(())
    }

    fn labels(&self, state: &State, _: &mut Self::Scratch) -> LabelSet {
        let state: M::State = unpack(state);
        let held = self.of_states.iter().filter(|(_, meaning)| meaning.holds_in(self.model, &state));
        held.map(|(label, _)| *label).collect()
    }

    fn is_proper_end(&self, state: &State, _: &mut Self::Scratch) -> bool {
        self.model.may_end(&unpack(state))
    }
}
