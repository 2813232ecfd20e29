//! A state space read by an observer, under fairness.
//!
//! A state of the product is a state of the space and, in one more word, a state of the observer. Its steps are pairs of a
//! step and a move that its letter allows. The marks of such a step are those of the move and, above them, those that
//! fairness adds: fairness is part of the acceptance condition and no other mechanism. A step leads from a pair to a pair,
//! so two steps between the same states keep their own marks.
//!
//! Faults are no steps here, but for a full pool that is only a guess. Where a run of the space can go on no more, the
//! product stutters or is cut, as the system says.

use crate::fairness_marks::{Enabled, FairnessMarks};
use crate::{
    Keys, LabelSet, Letter, Move, Observer, ObserverState, Outcome, Passed, Sink, State, StateSpace, Step, WantedKeys,
    through,
};
use lariat_automata::{Acceptance, MarkSet};
use lariat_system::{DeadEnds, Fairness, Fault};
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicU64, Ordering};

/// The product of a space and an observer.
#[derive(Debug)]
pub struct Product<'a, S, O> {
    space: &'a S,
    observer: &'a O,
    fairness: FairnessMarks,
    /// The moves of the observer and the marks depend on the state that is left, and on nothing else.
    is_plain: bool,
    dead_ends: DeadEnds,
    acceptance: Acceptance,
    words: usize,
    pool_may_grow: bool,
    /// Of the marks below 64, those that some step carries.
    carried: AtomicU64,
    /// And those that some step does not carry.
    missed: AtomicU64,
}

impl<'a, S: StateSpace, O: Observer> Product<'a, S, O> {
    /// The product; the observer's marks are those below `observer_marks`.
    pub fn new(
        space: &'a S,
        observer: &'a O,
        observer_marks: u32,
        constraints: Vec<Fairness>,
        dead_ends: DeadEnds,
    ) -> Self {
        let fairness = FairnessMarks::new(constraints, observer_marks);
        let acceptance = Acceptance::And(std::iter::once(observer.acceptance()).chain(fairness.conditions()).collect());
        let words = space.words_per_state();
        Self {
            space,
            observer,
            is_plain: fairness.is_empty() && !observer.reads_steps(),
            fairness,
            dead_ends,
            acceptance,
            words,
            pool_may_grow: false,
            carried: AtomicU64::new(0),
            missed: AtomicU64::new(0),
        }
    }

    /// The product of a space whose pool is only a guess: that it is full is told, as a fault.
    #[must_use]
    pub fn with_growing_pool(self, pool_may_grow: bool) -> Self {
        Self { pool_may_grow, ..self }
    }

    /// Which cycles count, by the marks of their steps.
    pub fn acceptance(&self) -> &Acceptance {
        &self.acceptance
    }
    /// The constraints, by number, that no step listed so far could have helped to break: every run of these meets them.
    pub fn idle_constraints(&self) -> Vec<usize> {
        let (carried, missed) = (self.carried.load(Ordering::Relaxed), self.missed.load(Ordering::Relaxed));
        let entries = self.fairness.entries().enumerate().filter(|(_, (_, mark))| mark.0 < 64);
        let idle = entries.filter(|(_, (constraint, mark))| match constraint.is_strong() {
            true => carried >> mark.0 & 1 == 0,
            false => missed >> mark.0 & 1 == 0,
        });
        idle.map(|(number, _)| number).collect()
    }

    /// Takes note of the marks of a step.
    fn note(&self, marks: &MarkSet) {
        let word = marks.first_word();
        if word & !self.carried.load(Ordering::Relaxed) != 0 {
            self.carried.fetch_or(word, Ordering::Relaxed);
        }
        if !word & !self.missed.load(Ordering::Relaxed) != 0 {
            self.missed.fetch_or(!word, Ordering::Relaxed);
        }
    }
    pub(crate) fn space(&self) -> &'a S {
        self.space
    }
    pub(crate) fn observer(&self) -> &'a O {
        self.observer
    }
    pub(crate) fn dead_ends(&self) -> DeadEnds {
        self.dead_ends
    }
    /// Whether its states can be keys, as far as it depends on the observer and on fairness.
    pub(crate) fn can_be_keyed(&self) -> bool {
        self.is_plain
    }

    /// The two halves of a state.
    pub fn split<'s>(&self, state: &'s State) -> (&'s State, ObserverState) {
        (&state[..self.words], state[self.words] as ObserverState)
    }
}

/// The steps of one state, kept until it is known what is enabled there.
#[derive(Clone, Debug, Default)]
struct Listed {
    targets: Vec<u64>,
    via: Vec<Move>,
    choices: Vec<i64>,
    /// Of each step its labels, and where in `via` and `choices` its own are.
    steps: Vec<(LabelSet, Range<usize>, Range<usize>)>,
}

impl Listed {
    fn clear(&mut self) {
        self.targets.clear();
        self.via.clear();
        self.choices.clear();
        self.steps.clear();
    }
    fn push(&mut self, target: &State, step: &Step<'_>) {
        self.targets.extend_from_slice(target);
        let (via, choices) = (self.via.len(), self.choices.len());
        self.via.extend_from_slice(step.via);
        self.choices.extend_from_slice(step.choices);
        self.steps.push((step.labels.clone(), via..self.via.len(), choices..self.choices.len()));
    }
}

/// One thread's working memory.
#[derive(Clone, Debug)]
pub struct ProductScratch<X> {
    inner: X,
    pairing: Pairing,
    enabled: Enabled,
    listed: Listed,
}

/// What is needed to pair one step with the moves of the observer.
#[derive(Clone, Debug)]
struct Pairing {
    target: Vec<u64>,
    marks: MarkSet,
    /// The marks of all steps from the present source.
    of_source: MarkSet,
    /// The moves of the observer for all steps, where they read the state alone.
    moves: Vec<(ObserverState, MarkSet)>,
}

impl Pairing {
    /// Lists the pairs of a step with the moves that were found for the state.
    fn with_known_moves<B>(
        &mut self,
        fairness: &FairnessMarks,
        of_state: &LabelSet,
        next: &State,
        Step { labels, via, choices, .. }: Step<'_>,
        mut found: impl FnMut(Step<'_>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let Self { target, marks, of_source, moves } = self;
        let words = target.len() - 1;
        target[..words].copy_from_slice(next);
        for (to, own) in &*moves {
            target[words] = u64::from(*to);
            marks.clone_from(own);
            marks.union_with(of_source);
            fairness.mark_step(of_state, labels, via, marks);
            found(Step { target: Outcome::State(target), labels, marks, via, choices })?;
        }
        ControlFlow::Continue(())
    }
}

impl<S: StateSpace, O: Observer> Product<'_, S, O> {
    /// The moves that the observer has for a letter.
    pub(crate) fn find_moves(
        &self,
        from: ObserverState,
        letter: Letter<'_>,
        moves: &mut Vec<(ObserverState, MarkSet)>,
    ) {
        moves.clear();
        self.observer.moves(from, letter, |to, marks| moves.push((to, marks.clone())));
    }

    /// Lists the steps where the moves of the observer are the same for all of them, and so are the marks of each move.
    fn plain_steps<K: Sink>(
        &self,
        source: &State,
        moves: &[(ObserverState, MarkSet)],
        (inner, target): (&mut S::Scratch, &mut [u64]),
        mut sink: K,
    ) -> ControlFlow<K::Break> {
        if moves.is_empty() {
            return ControlFlow::Continue(());
        }
        let (mut dead_end, mut full) = (true, None);
        let mut pair = |sink: &mut K, next: &State, step: Step<'_>| {
            let (system, observed) = target.split_at_mut(self.words);
            system.copy_from_slice(next);
            observed[0] = u64::from(moves[0].0);
            sink.step(Step { target: Outcome::State(target), marks: &moves[0].1, ..step })?;
            for (to, marks) in &moves[1..] {
                target[self.words] = u64::from(*to);
                sink.step(Step { target: Outcome::State(target), marks, ..step })?;
            }
            ControlFlow::Continue(())
        };
        let pairing = through(&mut sink, |sink, step| match step.target {
            Outcome::State(next) => {
                dead_end = false;
                pair(sink, next, step)
            }
            Outcome::Fault(fault) => {
                full = full.or(Some(fault).filter(|_| self.tells(fault)));
                ControlFlow::Continue(())
            }
        });
        self.space.steps(source, inner, pairing)?;
        if dead_end && self.dead_ends == DeadEnds::Stutter {
            pair(&mut sink, source, Step::new(Outcome::State(source), &LabelSet::EMPTY, &[]))?;
        }
        full.map_or(ControlFlow::Continue(()), |fault| {
            sink.step(Step::new(Outcome::Fault(fault), &LabelSet::EMPTY, &[]))
        })
    }

    fn scratch_over(&self, inner: S::Scratch) -> ProductScratch<S::Scratch> {
        let target = vec![0; self.words + 1];
        ProductScratch {
            inner,
            pairing: Pairing { target, marks: MarkSet::EMPTY, of_source: MarkSet::EMPTY, moves: Vec::new() },
            enabled: Enabled::default(),
            listed: Listed::default(),
        }
    }

    /// Whether a fault, which is no step, says that the pool is too small, and may grow.
    fn tells(&self, fault: Fault) -> bool {
        self.pool_may_grow && matches!(fault, Fault::PoolFull(_))
    }
}

impl<S: StateSpace, O: Observer> StateSpace for Product<'_, S, O> {
    type Scratch = ProductScratch<S::Scratch>;

    fn words_per_state(&self) -> usize {
        self.words + 1
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
        let ProductScratch { inner, pairing: Pairing { target, .. }, .. } = scratch;
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

    fn steps<K: Sink>(&self, source: &State, scratch: &mut Self::Scratch, mut sink: K) -> ControlFlow<K::Break> {
        let ProductScratch { inner, pairing, enabled, listed } = scratch;
        let (system, from) = self.split(source);
        let labels = self.space.labels(system, inner);
        if self.is_plain {
            let letter = Letter { state: &labels, step: &LabelSet::EMPTY };
            let Pairing { target, moves, .. } = pairing;
            let moves = match self.observer.written_moves(from, letter) {
                Some(written) => written,
                None => {
                    self.find_moves(from, letter, moves);
                    &*moves
                }
            };
            return self.plain_steps(system, moves, (inner, target), sink);
        }
        let moves_once = !self.observer.reads_steps();
        if moves_once {
            self.find_moves(from, Letter { state: &labels, step: &LabelSet::EMPTY }, &mut pairing.moves);
            if pairing.moves.is_empty() {
                return ControlFlow::Continue(());
            }
        }
        let pair = |sink: &mut K, pairing: &mut Pairing, next: &State, step: Step<'_>| {
            if !moves_once {
                self.find_moves(from, Letter { state: &labels, step: step.labels }, &mut pairing.moves);
            }
            pairing.with_known_moves(&self.fairness, &labels, next, step, |step: Step<'_>| {
                if !self.fairness.is_empty() {
                    self.note(step.marks);
                }
                sink.step(step)
            })
        };
        let (mut dead_end, mut full) = (true, None);
        pairing.of_source.clear();
        if self.fairness.asks_what_is_enabled() {
            enabled.clear();
            listed.clear();
            let keeping = through(&mut sink, |_, step| {
                match step.target {
                    Outcome::State(next) => {
                        dead_end = false;
                        enabled.add(step.labels, step.via);
                        listed.push(next, &step);
                    }
                    Outcome::Fault(fault) => full = full.or(Some(fault).filter(|_| self.tells(fault))),
                }
                ControlFlow::Continue(())
            });
            self.space.steps(system, inner, keeping)?;
            self.fairness.mark_source(&labels, enabled, &mut pairing.of_source);
            for (number, (labels, via, choices)) in listed.steps.iter().enumerate() {
                let target = &listed.targets[number * self.words..(number + 1) * self.words];
                let step = Step::new(Outcome::State(target), labels, &listed.via[via.clone()]);
                pair(&mut sink, pairing, target, Step { choices: &listed.choices[choices.clone()], ..step })?;
            }
        } else {
            self.fairness.mark_source(&labels, &Enabled::default(), &mut pairing.of_source);
            let pairs = through(&mut sink, |sink, step| match step.target {
                Outcome::State(next) => {
                    dead_end = false;
                    pair(sink, pairing, next, step)
                }
                Outcome::Fault(fault) => {
                    full = full.or(Some(fault).filter(|_| self.tells(fault)));
                    ControlFlow::Continue(())
                }
            });
            self.space.steps(system, inner, pairs)?;
        }
        if dead_end && self.dead_ends == DeadEnds::Stutter {
            pair(&mut sink, pairing, system, Step::new(Outcome::State(system), &LabelSet::EMPTY, &[]))?;
        }
        if let Some(fault) = full {
            sink.step(Step::new(Outcome::Fault(fault), &LabelSet::EMPTY, &[]))?;
        }
        ControlFlow::Continue(())
    }

    fn labels(&self, state: &State, scratch: &mut Self::Scratch) -> LabelSet {
        self.space.labels(self.split(state).0, &mut scratch.inner)
    }

    fn is_proper_end(&self, state: &State, scratch: &mut Self::Scratch) -> bool {
        self.space.is_proper_end(self.split(state).0, &mut scratch.inner)
    }

    fn will_be_keyed(&self) -> bool {
        self.is_plain && self.space.will_be_keyed()
    }

    fn keyed<'p>(&'p self, wanted: WantedKeys, states: &mut dyn FnMut() -> Vec<u64>) -> Keys<'p> {
        self.keys_watched_by(None, wanted, states)
    }

    fn passed(&self, scratch: &Self::Scratch) -> Passed {
        self.space.passed(&scratch.inner)
    }
}
