//! Where in a product accepting cycles can be, judged by the automaton and by the marks that were seen.
//!
//! A cycle of the product stays in one component of the automaton. A component whose cycles are never accepting is not a
//! candidate. A component in which acceptance depends on marks is no candidate as long as the marks that acceptance needs
//! were not seen inside: for most properties that hold they never are. If they are seen, the component becomes a candidate
//! and the search starts again.

use crate::cycle::given;
use lariat_automata::{Acceptance, Analysis, Automaton, ComponentKind, MarkSet};
use lariat_space::{
    Keys, Layer, LayerScratch, Observer, ObserverState, Outcome, Product, Sink, State, StateSpace, WantedKeys, Watch,
    through,
};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// The components of an automaton in which accepting cycles are searched for.
#[derive(Debug)]
pub(crate) struct CandidateComponents {
    /// By state of the automaton, its component; those that cannot be reached have none.
    component: Vec<Option<usize>>,
    status: Vec<ComponentStatus>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ComponentStatus {
    /// No cycle is accepting.
    NeverAccepting,
    /// That depends on marks, which were not seen yet.
    Watched,
    /// Cycles may be accepting.
    Candidate,
}

impl CandidateComponents {
    /// What the automaton says; `acceptance` is that of the product, which asks for more.
    pub(crate) fn new(automaton: &Automaton, acceptance: &Acceptance) -> Self {
        let analysis = Analysis::of(automaton);
        // Marks are watched as bits of a word.
        let few_marks = acceptance.marks().iter().all(|mark| mark.0 < 64);
        let asks = given(acceptance, &MarkSet::EMPTY) == Acceptance::False;
        let status = |kind: &ComponentKind| match kind {
            ComponentKind::Transient | ComponentKind::Rejecting => ComponentStatus::NeverAccepting,
            ComponentKind::Mixed if few_marks && asks => ComponentStatus::Watched,
            ComponentKind::Mixed | ComponentKind::Accepting => ComponentStatus::Candidate,
        };
        Self {
            component: automaton.edges.ids().map(|state| analysis.components.component(state)).collect(),
            status: analysis.kinds.iter().map(status).collect(),
        }
    }

    /// Whether every component is a candidate, so that the distinction gains nothing.
    pub(crate) fn has_every_component(&self) -> bool {
        self.status.iter().all(|&status| status == ComponentStatus::Candidate)
    }
    /// Whether cycles through this state of the automaton are to be looked for.
    pub(crate) fn is_candidate(&self, state: ObserverState) -> bool {
        self.component[state as usize].is_some_and(|component| self.status[component] == ComponentStatus::Candidate)
    }
    /// Makes the component a candidate: the marks that acceptance needs were seen in it.
    pub(crate) fn add(&mut self, component: usize) {
        self.status[component] = ComponentStatus::Candidate;
    }
    /// The product, watched for marks.
    pub(crate) fn watch<'a, S: StateSpace, O: Observer>(
        &self,
        product: &'a Product<'a, S, O>,
        acceptance: &'a Acceptance,
    ) -> WatchedProduct<'a, S, O> {
        let seen = self.status.iter().map(|_| AtomicU64::new(0)).collect();
        let is_watched = |component: &usize| self.status[*component] == ComponentStatus::Watched;
        let watched = self.component.iter().map(|component| component.filter(is_watched)).collect();
        WatchedProduct { product, watched, acceptance, seen, shown_component: AtomicUsize::new(NO_COMPONENT) }
    }
}

const NO_COMPONENT: usize = usize::MAX;

/// A product that lists no more steps once all marks that acceptance needs were seen in one watched component.
pub(crate) struct WatchedProduct<'a, S, O> {
    product: &'a Product<'a, S, O>,
    /// By state of the automaton, its component, if that is watched.
    watched: Vec<Option<usize>>,
    acceptance: &'a Acceptance,
    /// By component, the marks that steps inside carry.
    seen: Vec<AtomicU64>,
    /// The component in which all needed marks were seen, or [`NO_COMPONENT`].
    shown_component: AtomicUsize,
}

impl<S: StateSpace, O: Observer> WatchedProduct<'_, S, O> {
    /// The watched component in which all needed marks were seen, if there is one.
    pub(crate) fn shown_component(&self) -> Option<usize> {
        Some(self.shown_component.load(Ordering::Relaxed)).filter(|&component| component != NO_COMPONENT)
    }

    /// The component of a state, if it is watched.
    fn watched_component(&self, state: &State) -> Option<usize> {
        self.watched[self.product.split(state).1 as usize]
    }

    fn note(&self, component: usize, marks: &MarkSet) {
        let word = marks.first_word();
        let all = self.seen[component].fetch_or(word, Ordering::Relaxed) | word;
        if given(self.acceptance, &MarkSet::of_word(all)) != Acceptance::False {
            self.shown_component.store(component, Ordering::Relaxed);
        }
    }
}

impl<S: StateSpace, O: Observer> Watch for WatchedProduct<'_, S, O> {
    fn is_over(&self) -> bool {
        self.shown_component().is_some()
    }
    #[inline]
    fn is_news(&self, from: ObserverState, to: ObserverState, marks: &MarkSet) -> bool {
        self.watched[from as usize].is_some_and(|component| {
            marks.first_word() & !self.seen[component].load(Ordering::Relaxed) != 0
                && self.watched[to as usize] == Some(component)
        })
    }
    fn meet(&self, from: ObserverState, to: ObserverState, marks: &MarkSet) {
        if self.is_news(from, to, marks)
            && let Some(component) = self.watched[from as usize]
        {
            self.note(component, marks);
        }
    }
}

impl<'a, S: StateSpace, O: Observer> Layer for WatchedProduct<'a, S, O> {
    type Below = Product<'a, S, O>;
    type Own = ();

    fn below(&self) -> &Self::Below {
        self.product
    }
    fn own(&self) {}
    fn may_be_keyed(&self) -> bool {
        self.product.will_be_keyed()
    }
    fn layer_keys<'p>(&'p self, wanted: WantedKeys, states: &mut dyn FnMut() -> Vec<u64>) -> Keys<'p> {
        self.product.keys_watched_by(Some(self), wanted, states)
    }
    fn listed_steps<K: Sink>(
        &self,
        source: &State,
        scratch: &mut LayerScratch<Self>,
        sink: K,
    ) -> ControlFlow<K::Break> {
        if self.shown_component().is_some() {
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
