//! A state space read by an observer, under fairness.
//!
//! A state of the product is a state of the space and, in one more word, a state of the observer. Its steps are pairs of a
//! step and a move that its letter allows. The marks of such a step are those of the move and, above them, those that
//! fairness adds: fairness is part of the acceptance condition and no other mechanism. A step leads from a pair to a pair,
//! so two steps between the same states keep their own marks.
//!
//! Faults are no steps here. Where a run of the space can go on no more, the product stutters or is cut, as the system says.

use crate::{LabelSet, Letter, Move, Observer, ObserverState, Outcome, State, StateSpace, Step, Underway};
use lariat_automata::{Acceptance, Mark, MarkSet};
use lariat_system::{DeadEnds, Position};
use std::ops::ControlFlow;

/// A demand on infinite runs, in terms of what steps and states carry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Constraint {
    /// The state that is left, or the step, carries the label infinitely often.
    Justice(Mark),
    /// If the first label is carried infinitely often, so is the second.
    Compassion(Mark, Mark),
    /// Infinitely often not enabled, or taken.
    Weak(Who),
    /// If infinitely often enabled, then infinitely often taken.
    Strong(Who),
}

/// What is enabled and taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Who {
    /// The process at the position: enabled where it acts on some step, taken by steps it takes part in.
    Process(Position),
    /// Steps that carry the label: enabled where there is one, taken by each of them.
    Carrying(Mark),
}

impl Constraint {
    fn asks_what_is_enabled(&self) -> bool {
        matches!(self, Self::Weak(_) | Self::Strong(_))
    }
}

/// The product of a space and an observer.
#[derive(Clone, Debug)]
pub struct Product<'a, S, O> {
    space: &'a S,
    observer: &'a O,
    constraints: Vec<Constraint>,
    dead_ends: DeadEnds,
    /// The first mark that is not the observer's.
    first_mark: u32,
    acceptance: Acceptance,
    words: usize,
}

impl<'a, S: StateSpace, O: Observer> Product<'a, S, O> {
    /// The product; the observer's marks are those below `observer_marks`.
    pub fn new(
        space: &'a S,
        observer: &'a O,
        observer_marks: u32,
        constraints: Vec<Constraint>,
        dead_ends: DeadEnds,
    ) -> Self {
        let mut parts = vec![observer.acceptance()];
        let mut mark = observer_marks;
        for constraint in &constraints {
            match constraint {
                Constraint::Justice(_) | Constraint::Weak(_) => parts.push(Acceptance::Inf(Mark(mark))),
                Constraint::Compassion(..) | Constraint::Strong(_) => {
                    parts.push(Acceptance::Or(vec![Acceptance::Fin(Mark(mark)), Acceptance::Inf(Mark(mark + 1))]));
                }
            }
            mark += constraint.marks();
        }
        let acceptance = Acceptance::And(parts);
        let words = space.words_per_state();
        Self { space, observer, constraints, dead_ends, first_mark: observer_marks, acceptance, words }
    }

    /// Which cycles count, by the marks of their steps.
    pub fn acceptance(&self) -> &Acceptance {
        &self.acceptance
    }
    /// The two halves of a state.
    pub fn split<'s>(&self, state: &'s State) -> (&'s State, ObserverState) {
        (&state[..self.words], state[self.words] as ObserverState)
    }

    /// The marks that fairness gives to a step, for each constraint in turn.
    fn add_fairness(&self, labels: &LabelSet, enabled: &Enabled, step: &LabelSet, via: &[Move], marks: &mut MarkSet) {
        let mut mark = self.first_mark;
        let carried = |label: Mark| labels.contains(label) || step.contains(label);
        let taken = |who: &Who| match *who {
            Who::Process(position) => via.iter().any(|by| by.participants().any(|other| other == position)),
            Who::Carrying(label) => step.contains(label),
        };
        let can = |who: &Who| match *who {
            Who::Process(position) => enabled.actors.contains(Mark(u32::from(position))),
            Who::Carrying(label) => enabled.labels.contains(label),
        };
        let mut add = |condition: bool, mark: u32| {
            if condition {
                marks.insert(Mark(mark));
            }
        };
        for constraint in &self.constraints {
            match constraint {
                Constraint::Justice(label) => add(carried(*label), mark),
                Constraint::Compassion(asked, answered) => {
                    add(carried(*asked), mark);
                    add(carried(*answered), mark + 1);
                }
                Constraint::Weak(who) => add(!can(who) || taken(who), mark),
                Constraint::Strong(who) => {
                    add(can(who), mark);
                    add(taken(who), mark + 1);
                }
            }
            mark += constraint.marks();
        }
    }
}

impl Constraint {
    /// How many marks it adds to a step at most.
    fn marks(&self) -> u32 {
        match self {
            Self::Justice(_) | Self::Weak(_) => 1,
            Self::Compassion(..) | Self::Strong(_) => 2,
        }
    }
}

/// What can be taken from a state.
#[derive(Clone, Debug, Default)]
struct Enabled {
    /// The positions of processes that act on some step.
    actors: MarkSet,
    /// The labels that some step carries.
    labels: MarkSet,
}

/// One thread's working memory.
#[derive(Clone, Debug)]
pub struct ProductScratch<X> {
    inner: X,
    target: Vec<u64>,
    enabled: Enabled,
    marks: MarkSet,
}

impl<S: StateSpace, O: Observer> StateSpace for Product<'_, S, O> {
    type Scratch = ProductScratch<S::Scratch>;

    fn words_per_state(&self) -> usize {
        self.words + 1
    }

    fn scratch(&self) -> Self::Scratch {
        ProductScratch {
            inner: self.space.scratch(),
            target: vec![0; self.words + 1],
            enabled: Enabled::default(),
            marks: MarkSet::EMPTY,
        }
    }

    fn initial<B>(
        &self,
        scratch: &mut Self::Scratch,
        mut sink: impl FnMut(&State) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let ProductScratch { inner, target, .. } = scratch;
        self.space.initial(inner, |state| {
            target[..self.words].copy_from_slice(state);
            let mut flow = ControlFlow::Continue(());
            self.observer.initial(|observed| {
                if flow.is_continue() {
                    target[self.words] = u64::from(observed);
                    flow = sink(target);
                }
            });
            flow
        })
    }

    fn steps<B>(
        &self,
        source: &State,
        scratch: &mut Self::Scratch,
        sink: impl FnMut(Step<'_>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.watched_steps(source, scratch, |_| ControlFlow::Continue(()), sink)
    }

    fn watched_steps<B>(
        &self,
        source: &State,
        scratch: &mut Self::Scratch,
        mut watch: impl FnMut(Underway) -> ControlFlow<B>,
        mut sink: impl FnMut(Step<'_>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let ProductScratch { inner, target, enabled, marks } = scratch;
        let (system, from) = self.split(source);
        let labels = self.space.labels(system, inner);
        if self.constraints.iter().any(Constraint::asks_what_is_enabled) {
            // The steps are listed twice, which costs less than keeping them: the second time all is in the cache.
            enabled.actors.clear();
            enabled.labels.clear();
            self.space.watched_steps(system, inner, &mut watch, |step| {
                if let Outcome::State(_) = step.target {
                    enabled.labels.union_with(step.marks);
                    step.via.iter().filter_map(|by| by.actor).for_each(|actor| {
                        enabled.actors.insert(Mark(u32::from(actor)));
                    });
                }
                ControlFlow::Continue(())
            })?;
        }
        let mut dead_end = true;
        let mut pair = |next: &State, step: &LabelSet, via: &[Move]| {
            let mut flow = ControlFlow::Continue(());
            target[..self.words].copy_from_slice(next);
            self.observer.moves(from, Letter { state: &labels, step }, |to, own| {
                if flow.is_break() {
                    return;
                }
                target[self.words] = u64::from(to);
                marks.clear();
                marks.union_with(own);
                self.add_fairness(&labels, enabled, step, via, marks);
                flow = sink(Step { target: Outcome::State(target), marks, via });
            });
            flow
        };
        self.space.watched_steps(system, inner, watch, |step| match step.target {
            Outcome::State(next) => {
                dead_end = false;
                pair(next, step.marks, step.via)
            }
            Outcome::Fault(_) => ControlFlow::Continue(()),
        })?;
        if dead_end && self.dead_ends == DeadEnds::Stutter {
            pair(system, &LabelSet::EMPTY, &[])?;
        }
        ControlFlow::Continue(())
    }

    fn labels(&self, state: &State, scratch: &mut Self::Scratch) -> LabelSet {
        self.space.labels(self.split(state).0, &mut scratch.inner)
    }

    fn is_proper_end(&self, state: &State, scratch: &mut Self::Scratch) -> bool {
        self.space.is_proper_end(self.split(state).0, &mut scratch.inner)
    }
}
