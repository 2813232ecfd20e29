//! From a space and a property to the product that is searched for cycles.

use super::search::{ProductSearch, Shape};
use super::{AcceptingMethod, CycleMethod, KeptAlgorithm, is_state_buchi};
use crate::repeat::spill_of;
use lariat_automata::{Acceptance, Automaton, TranslateOptions, complement_of_weak, degeneralize};
use lariat_engine::{AcceptanceKind, EngineError, Report, RunControl, RunError, Shortfall, Task, Temporal};
use lariat_space::{AnySpace, AutomatonObserver, Degeneralized, Product, StateSpace};
use lariat_subject::{OverSpace, state_bits, with_product};
use std::borrow::Cow;

/// A search of the product with the space of the task.
pub(super) struct CycleRun<'a> {
    pub(super) method: CycleMethod,
    pub(super) task: &'a Task<'a>,
    pub(super) temporal: &'a Temporal,
    pub(super) control: &'a RunControl,
}

impl<'a> CycleRun<'a> {
    /// Whether several demands are met one after the other, with a copy of the product for each.
    fn by_copies(&self) -> bool {
        let is_nested = matches!(self.method, CycleMethod::Accepting(method) if method.is_nested());
        is_nested || self.task.options.acceptance == AcceptanceKind::Copies
    }

    /// The automaton that the search is for: of the bad runs, with accepting states if there are copies and no fairness to be
    /// copied with it, or of the good runs. `None` if it would be too large.
    fn automaton(&self) -> Result<Option<Cow<'a, Automaton>>, EngineError> {
        let bad = &self.temporal.bad;
        if let CycleMethod::Rejecting(_) = self.method {
            let good = complement_of_weak(bad, &TranslateOptions::default());
            return Ok(good.ok().map(|good| Cow::Owned(good.expect("`online` is prepared for weak automata only"))));
        }
        if !self.by_copies() || !self.task.subject.fairness().is_empty() || is_state_buchi(bad) {
            return Ok(Some(Cow::Borrowed(bad)));
        }
        let made = degeneralize(bad, &TranslateOptions::default());
        made.map(|made| Some(Cow::Owned(made))).map_err(|too_large| EngineError { reason: too_large.to_string() })
    }

    fn search<S: StateSpace>(
        &self,
        product: &Product<'_, S, AutomatonObserver<'_>>,
        automaton: &Automaton,
        system_words: usize,
    ) -> Result<Report, RunError> {
        let Self { method, task, control, .. } = *self;
        let claims = automaton.state_count() as u64;
        let shape = Shape { system_words, system_bits: state_bits(task)?, claims, levels: 1 };
        let spill = spill_of(&task.options)?;
        let search = ProductSearch { task, control, spill: spill.as_ref(), shape, scouts: None };
        let whole = AnySpace::new(product);
        let (by_copies, is_plain) = (self.by_copies(), task.subject.fairness().is_empty());
        Ok(match method {
            CycleMethod::Rejecting(memory) => search.run_online(memory, whole),
            CycleMethod::Accepting(method) if by_copies && is_plain => {
                search.run(method, whole, whole, &Acceptance::buchi(), None)
            }
            CycleMethod::Accepting(method) if by_copies => {
                let copies = Degeneralized::new(product, product.acceptance());
                let copies = copies.expect("copies are prepared for generalised Büchi acceptance only");
                let shape = Shape { levels: copies.levels(), ..search.shape };
                let copies = AnySpace::new(&copies);
                ProductSearch { shape, ..search }.run(method, copies, copies, &Acceptance::buchi(), None)
            }
            CycleMethod::Accepting(AcceptingMethod::Kept(KeptAlgorithm::Scc, keeping)) => {
                search.run_on_candidates(keeping, product, automaton)
            }
            CycleMethod::Accepting(method) => search.run(method, whole, whole, product.acceptance(), None),
        }?)
    }
}

impl OverSpace for CycleRun<'_> {
    type Output = Report;

    fn over<S: StateSpace>(self, space: &S) -> Result<Report, RunError> {
        let Some(automaton) = self.automaton()? else { return Ok(Report::at_once(Shortfall::Automaton)) };
        let words = space.words_per_state();
        with_product(space, self.task, self.temporal, &automaton, |product| self.search(product, &automaton, words))
    }
}
