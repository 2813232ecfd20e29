//! Lassos as runs to a state: pairs of a state and the state where the loop began.
//!
//! Liveness as safety (Schuppan and Biere 2004), in the form of Edelkamp and Jabbar ("Large-Scale Directed Model Checking LTL",
//! section 6): a run goes through primary states, then takes one of them as the seed of its loop, and from there on goes through
//! pairs of the present state and the seed. It is at its goal when the present state is the seed, and the loop may be repeated
//! for ever. A shortest run to a goal is a shortest lasso: the steps of stem and loop together are fewest.
//!
//! We depart from the paper in three points. Whether state and seed belong to the primary or to the secondary search is told by
//! the state of the observer, so the goal is never taken for the primary pair that looks the same (ERRATA D7). Any state may be the
//! seed, not only accepting ones: with the observer of stems and loops ([`LassoReader`]) that gives the shortest lassos of the
//! *model*. And marks of fairness are collected in a word of the pair, so that any kind of fairness is honoured.

use crate::{
    LabelSet, LassoObserver, Outcome, Passed, Product, ProductScratch, Sink, State, StateSpace, Step, through,
};
use lariat_automata::{LassoReader, MarkSet};
use std::ops::ControlFlow;

/// The most marks of fairness.
const MOST_MARKS: u32 = u64::BITS;

/// The pairs of a product with an observer of stems and loops. A state has the words of the product, one of marks, and those of
/// the seed; in the primary part the last two are zero. Goals are dead ends that are not proper ends, and no other state is.
pub struct Pairs<'a, S> {
    product: &'a Product<'a, S, LassoObserver<'a>>,
    reader: &'a LassoReader,
    /// Words of a state of the system.
    words: usize,
    /// The marks that matter.
    marks: u64,
    /// Which states a loop can go through, where that is known.
    can_loop: Option<&'a CanLoop<'a>>,
}

/// Whether a state of the system may be on a loop that is looked for; where it says no, it is on none.
pub type CanLoop<'a> = dyn Fn(&State) -> bool + Sync + 'a;

impl<S> std::fmt::Debug for Pairs<'_, S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pairs").field("words", &self.words).finish_non_exhaustive()
    }
}

impl<'a, S: StateSpace> Pairs<'a, S> {
    /// The pairs; `None` if there are too many marks.
    pub fn new(product: &'a Product<'a, S, LassoObserver<'a>>, reader: &'a LassoReader) -> Option<Self> {
        let marks = product.acceptance().marks();
        let fits = marks.iter().all(|mark| mark.0 < MOST_MARKS);
        let words = product.words_per_state() - 1;
        fits.then(|| Self { product, reader, words, marks: marks.first_word(), can_loop: None })
    }
    /// The same without the pairs of loops through other states than these.
    pub fn looping_in(self, can_loop: Option<&'a CanLoop<'a>>) -> Self {
        Self { can_loop, ..self }
    }

    /// The machine that reads stems and loops.
    pub fn reader(&self) -> &'a LassoReader {
        self.reader
    }
    /// The state of the system.
    pub fn present<'s>(&self, pair: &'s State) -> &'s State {
        &pair[..self.words]
    }
    /// The state of the observer.
    pub fn observed(&self, pair: &State) -> u32 {
        pair[self.words] as u32
    }
    /// Where the loop began, if it has.
    pub fn seed<'s>(&self, pair: &'s State) -> Option<&'s State> {
        (!self.reader.is_stem(self.observed(pair))).then(|| &pair[self.words + 2..])
    }
    /// Whether a loop is closed here that may be repeated for ever.
    pub fn is_goal(&self, pair: &State) -> bool {
        let is_closed = self.seed(pair).is_some_and(|seed| seed == self.present(pair));
        let marks = || MarkSet::of_word(pair[self.words + 1]);
        is_closed && self.reader.is_accepting(self.observed(pair)) && self.product.acceptance().accepts(&marks())
    }
}

/// One thread's working memory.
#[derive(Clone, Debug)]
pub struct PairsScratch<X> {
    inner: X,
    target: Vec<u64>,
}

impl<S: StateSpace> Pairs<'_, S> {
    fn scratch_over(&self, inner: ProductScratch<S::Scratch>) -> PairsScratch<ProductScratch<S::Scratch>> {
        PairsScratch { inner, target: vec![0; self.words_per_state()] }
    }
}

impl<S: StateSpace> StateSpace for Pairs<'_, S> {
    type Scratch = PairsScratch<ProductScratch<S::Scratch>>;

    fn words_per_state(&self) -> usize {
        2 * self.words + 2
    }

    fn scratch(&self) -> Self::Scratch {
        self.scratch_over(self.product.scratch())
    }

    fn scratch_with_choices(&self) -> Option<Self::Scratch> {
        self.product.scratch_with_choices().map(|inner| self.scratch_over(inner))
    }

    fn initial<B>(
        &self,
        scratch: &mut Self::Scratch,
        mut sink: impl FnMut(&State) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let PairsScratch { inner, target } = scratch;
        self.product.initial(inner, |state| {
            target.fill(0);
            target[..=self.words].copy_from_slice(state);
            sink(target)
        })
    }

    fn steps<K: Sink>(&self, source: &State, scratch: &mut Self::Scratch, sink: K) -> ControlFlow<K::Break> {
        if self.is_goal(source) {
            return ControlFlow::Continue(());
        }
        let PairsScratch { inner, target } = scratch;
        let words = self.words;
        let is_primary = self.reader.is_stem(self.observed(source));
        // A loop that begins here.
        let may_begin = self.can_loop.is_none_or(|can_loop| can_loop(&source[..words]));
        let pairing = through(sink, |sink, step| match step.target {
            Outcome::State(next) => {
                let is_stem = self.reader.is_stem(next[words] as u32);
                let may_go_on = || may_begin && self.can_loop.is_none_or(|can_loop| can_loop(&next[..words]));
                if !(is_stem || may_go_on()) {
                    return ControlFlow::Continue(());
                }
                target[..=words].copy_from_slice(next);
                let (marks, seed) = target[words + 1..].split_at_mut(1);
                match (is_primary, is_stem) {
                    (true, true) => {
                        marks[0] = 0;
                        seed.fill(0);
                    }
                    (true, false) => {
                        marks[0] = step.marks.first_word() & self.marks;
                        seed.copy_from_slice(&source[..words]);
                    }
                    (false, _) => {
                        marks[0] = source[words + 1] | step.marks.first_word() & self.marks;
                        seed.copy_from_slice(&source[words + 2..]);
                    }
                }
                sink.step(Step { target: Outcome::State(target), ..step })
            }
            Outcome::Fault(_) => sink.step(step),
        });
        self.product.steps(&source[..=words], inner, pairing)
    }

    fn labels(&self, state: &State, scratch: &mut Self::Scratch) -> LabelSet {
        self.product.labels(&state[..=self.words], &mut scratch.inner)
    }

    fn is_proper_end(&self, state: &State, _: &mut Self::Scratch) -> bool {
        !self.is_goal(state)
    }

    fn passed(&self, scratch: &Self::Scratch) -> Passed {
        self.product.passed(&scratch.inner)
    }
}
