//! Where in a product accepting cycles can be, judged by the automaton and by the marks that were seen.
//!
//! A cycle of the product stays in one component of the automaton. Components whose cycles are never accepting are beyond
//! suspicion. Those whose cycles are accepting according to their marks are so as long as the marks that acceptance asks
//! for were not seen inside: most properties that hold never show them. Should they show, the component is under suspicion,
//! and the search begins anew.

use crate::cycle::given;
use lariat_automata::{Acceptance, Analysis, Automaton, ComponentKind, MarkSet};
use lariat_space::{Layer, LayerScratch, Observer, ObserverState, Outcome, Product, Sink, State, StateSpace, through};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// The components of an automaton that are under suspicion.
#[derive(Debug)]
pub(crate) struct Suspicion {
    /// By state of the automaton, its component; those that cannot be reached have none.
    component: Vec<Option<usize>>,
    standing: Vec<Standing>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Standing {
    /// No cycle is accepting.
    Beyond,
    /// That depends on marks, which were not seen yet.
    Watched,
    /// Cycles may be accepting.
    Suspected,
}

impl Suspicion {
    /// What the automaton says; `acceptance` is that of the product, which asks for more.
    pub(crate) fn new(automaton: &Automaton, acceptance: &Acceptance) -> Self {
        let analysis = Analysis::of(automaton);
        // Marks are watched as bits of a word.
        let few_marks = acceptance.marks().iter().all(|mark| mark.0 < 64);
        let asks = given(acceptance, &MarkSet::EMPTY) == Acceptance::False;
        let standing = |kind: &ComponentKind| match kind {
            ComponentKind::Transient | ComponentKind::Rejecting => Standing::Beyond,
            ComponentKind::Mixed if few_marks && asks => Standing::Watched,
            ComponentKind::Mixed | ComponentKind::Accepting => Standing::Suspected,
        };
        Self {
            component: automaton.edges.ids().map(|state| analysis.components.component(state)).collect(),
            standing: analysis.kinds.iter().map(standing).collect(),
        }
    }

    /// Whether every component is suspected, so that nothing is gained.
    pub(crate) fn is_general(&self) -> bool {
        self.standing.iter().all(|&standing| standing == Standing::Suspected)
    }
    /// Whether cycles through this state of the automaton are to be looked for.
    pub(crate) fn suspects(&self, state: ObserverState) -> bool {
        self.component[state as usize].is_some_and(|component| self.standing[component] == Standing::Suspected)
    }
    /// A component has shown its marks.
    pub(crate) fn add(&mut self, component: usize) {
        self.standing[component] = Standing::Suspected;
    }
    /// The product, watched for marks.
    pub(crate) fn watch<'a, S: StateSpace, O: Observer>(
        &self,
        product: &'a Product<'a, S, O>,
        acceptance: &'a Acceptance,
    ) -> Watching<'a, S, O> {
        let seen = self.standing.iter().map(|_| AtomicU64::new(0)).collect();
        let is_watched = |component: &usize| self.standing[*component] == Standing::Watched;
        let watched = self.component.iter().map(|component| component.filter(is_watched)).collect();
        Watching { product, watched, acceptance, seen, guilty: AtomicUsize::new(NOBODY) }
    }
}

const NOBODY: usize = usize::MAX;

/// A product in which nothing goes on once a component has shown all marks that acceptance asks for.
pub(crate) struct Watching<'a, S, O> {
    product: &'a Product<'a, S, O>,
    /// By state of the automaton, its component, if that is watched.
    watched: Vec<Option<usize>>,
    acceptance: &'a Acceptance,
    /// By component, the marks that steps inside carry.
    seen: Vec<AtomicU64>,
    guilty: AtomicUsize,
}

impl<S: StateSpace, O: Observer> Watching<'_, S, O> {
    /// The component that has shown its marks, if there is one.
    pub(crate) fn guilty(&self) -> Option<usize> {
        Some(self.guilty.load(Ordering::Relaxed)).filter(|&component| component != NOBODY)
    }

    /// The component of a state, if it is watched.
    fn watched_component(&self, state: &State) -> Option<usize> {
        self.watched[self.product.split(state).1 as usize]
    }

    fn note(&self, component: usize, marks: &MarkSet) {
        let word = marks.first_word();
        let all = self.seen[component].fetch_or(word, Ordering::Relaxed) | word;
        if given(self.acceptance, &MarkSet::of_word(all)) != Acceptance::False {
            self.guilty.store(component, Ordering::Relaxed);
        }
    }
}

impl<'a, S: StateSpace, O: Observer> Layer for Watching<'a, S, O> {
    type Below = Product<'a, S, O>;
    type Own = ();

    fn below(&self) -> &Self::Below {
        self.product
    }
    fn own(&self) {}
    fn listed_steps<K: Sink>(
        &self,
        source: &State,
        scratch: &mut LayerScratch<Self>,
        sink: K,
    ) -> ControlFlow<K::Break> {
        if self.guilty().is_some() {
            return ControlFlow::Continue(());
        }
        let Some(component) = self.watched_component(source) else {
            return self.product.steps(source, &mut scratch.below, sink);
        };
        let watching = through(sink, |sink, step| {
            // Most steps show nothing new, whatever they lead to.
            if step.marks.first_word() & !self.seen[component].load(Ordering::Relaxed) != 0
                && let Outcome::State(target) = step.target
                && self.watched_component(target) == Some(component)
            {
                self.note(component, step.marks);
            }
            sink.step(step)
        });
        self.product.steps(source, &mut scratch.below, watching)
    }
}
