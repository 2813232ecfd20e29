//! Generalised Büchi acceptance by copies: one mark on states in place of several on steps.
//!
//! A state is a state of the space and, in one more word, a level: how many of the marks, in order, were seen since the last
//! round. A step takes the level up past every mark in a row that it carries; at the top the round is complete, the state
//! is accepting, and the next step begins a new round (Courcoubetis, Vardi, Wolper, Yannakakis 1992, section 4, with the
//! levels that a step may skip as in Gastin and Oddoux 2001). The edges out of accepting states, and no others, carry mark 0.

use crate::{LabelSet, Outcome, Passed, Sink, State, StateSpace, Step, through};
use lariat_automata::{Acceptance, Mark, MarkSet};
use std::ops::ControlFlow;

/// A space whose runs are accepted if they carry each of some marks infinitely often, as one with accepting states.
#[derive(Clone, Debug)]
pub struct Degeneralized<'a, S> {
    space: &'a S,
    rounds: Vec<Mark>,
    accepting: MarkSet,
}

impl<'a, S: StateSpace> Degeneralized<'a, S> {
    /// The space with levels, if `acceptance` is generalised Büchi: a conjunction of `Inf`.
    pub fn new(space: &'a S, acceptance: &Acceptance) -> Option<Self> {
        let mut rounds = Vec::new();
        collect(acceptance, &mut rounds).then(|| {
            rounds.sort_unstable();
            rounds.dedup();
            Self { space, rounds, accepting: [Mark(0)].into_iter().collect() }
        })
    }

    /// How many levels there are.
    pub fn levels(&self) -> u64 {
        self.rounds.len() as u64 + 1
    }
    /// The state of the space.
    pub fn without_level<'s>(&self, state: &'s State) -> &'s State {
        &state[..state.len() - 1]
    }

    fn level_after(&self, level: usize, marks: &MarkSet) -> usize {
        let begin = if level == self.rounds.len() { 0 } else { level };
        begin + self.rounds[begin..].iter().take_while(|&&mark| marks.contains(mark)).count()
    }
}

/// Whether it is a conjunction of `Inf`; adds their marks.
fn collect(acceptance: &Acceptance, marks: &mut Vec<Mark>) -> bool {
    match acceptance {
        Acceptance::True => true,
        Acceptance::Inf(mark) => {
            marks.push(*mark);
            true
        }
        Acceptance::And(parts) => parts.iter().all(|part| collect(part, marks)),
        Acceptance::False | Acceptance::Fin(_) | Acceptance::Or(_) => false,
    }
}

/// One thread's working memory.
#[derive(Clone, Debug)]
pub struct DegeneralizedScratch<X> {
    inner: X,
    target: Vec<u64>,
}

impl<S: StateSpace> Degeneralized<'_, S> {
    fn scratch_over(&self, inner: S::Scratch) -> DegeneralizedScratch<S::Scratch> {
        DegeneralizedScratch { inner, target: vec![0; self.words_per_state()] }
    }
}

impl<S: StateSpace> StateSpace for Degeneralized<'_, S> {
    type Scratch = DegeneralizedScratch<S::Scratch>;

    fn words_per_state(&self) -> usize {
        self.space.words_per_state() + 1
    }

    fn scratch(&self) -> Self::Scratch {
        self.scratch_over(self.space.scratch())
    }

    fn scratch_with_choices(&self) -> Option<Self::Scratch> {
        self.space.scratch_with_choices().map(|inner| self.scratch_over(inner))
    }

    fn initial<B>(
        &self,
        scratch: &mut Self::Scratch,
        mut sink: impl FnMut(&State) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let DegeneralizedScratch { inner, target } = scratch;
        self.space.initial(inner, |state| {
            target[..state.len()].copy_from_slice(state);
            target[state.len()] = 0;
            sink(target)
        })
    }

    fn steps<K: Sink>(&self, source: &State, scratch: &mut Self::Scratch, sink: K) -> ControlFlow<K::Break> {
        let DegeneralizedScratch { inner, target } = scratch;
        let level = source[source.len() - 1] as usize;
        let marks = if level == self.rounds.len() { &self.accepting } else { &MarkSet::EMPTY };
        let raised = through(sink, |sink, step| match step.target {
            Outcome::State(next) => {
                target[..next.len()].copy_from_slice(next);
                target[next.len()] = self.level_after(level, step.marks) as u64;
                sink.step(Step { target: Outcome::State(target), marks, ..step })
            }
            Outcome::Fault(_) => sink.step(step),
        });
        self.space.steps(self.without_level(source), inner, raised)
    }

    fn labels(&self, state: &State, scratch: &mut Self::Scratch) -> LabelSet {
        self.space.labels(self.without_level(state), &mut scratch.inner)
    }

    fn is_proper_end(&self, state: &State, scratch: &mut Self::Scratch) -> bool {
        self.space.is_proper_end(self.without_level(state), &mut scratch.inner)
    }

    fn passed(&self, scratch: &Self::Scratch) -> Passed {
        self.space.passed(&scratch.inner)
    }
}
