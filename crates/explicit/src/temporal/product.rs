//! From a space and a property to the product that is searched for cycles.

use super::search::{ProductSearch, Shape};
use super::{AcceptanceSets, AcceptingMethod, CycleMethod, KeptAlgorithm, is_state_buchi};
use crate::repeat::spill_of;
use lariat_automata::{Acceptance, Automaton, TranslateOptions, complement_of_weak, degeneralize};
use lariat_engine::{EngineError, Report, RunControl, RunError, Shortfall, Task, Temporal};
use lariat_space::{AnySpace, AutomatonObserver, Degeneralized, Product, StateSpace};
use lariat_subject::{OverSpace, state_bits, with_product};
use std::borrow::Cow;

/// A search of the product with the space of the task.
pub(super) struct CycleRun<'a> {
    pub(super) method: CycleMethod,
    pub(super) sets: AcceptanceSets,
    pub(super) task: &'a Task<'a>,
    pub(super) temporal: &'a Temporal,
    pub(super) control: &'a RunControl,
}

impl<'a> CycleRun<'a> {
    /// The automaton that the search is for: of the bad runs, with accepting states if there are copies and no fairness to be
    /// copied with it, or of the good runs. `None` if it would be too large.
    fn automaton(&self) -> Result<Option<Cow<'a, Automaton>>, EngineError> {
        let bad = &self.temporal.bad;
        if let CycleMethod::Rejecting(_) = self.method {
            let Ok(good) = complement_of_weak(bad, &TranslateOptions::default()) else { return Ok(None) };
            return good.map(|good| Some(Cow::Owned(good))).ok_or_else(|| not_prepared("the automaton is not weak"));
        }
        if self.sets != AcceptanceSets::InAutomaton || is_state_buchi(bad) {
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
        Ok(match (method, self.sets) {
            (CycleMethod::Rejecting(memory), _) => search.run_online(memory, whole),
            (CycleMethod::Accepting(method), AcceptanceSets::InAutomaton) => {
                search.run(method, whole, whole, &Acceptance::buchi(), None)
            }
            (CycleMethod::Accepting(method), AcceptanceSets::InProduct) => {
                let copies = Degeneralized::new(product, product.acceptance())
                    .ok_or_else(|| not_prepared("the product has no generalised Büchi acceptance"))?;
                let shape = Shape { levels: copies.levels(), ..search.shape };
                let copies = AnySpace::new(&copies);
                ProductSearch { shape, ..search }.run(method, copies, copies, &Acceptance::buchi(), None)
            }
            (CycleMethod::Accepting(AcceptingMethod::Kept(KeptAlgorithm::Scc, keeping)), AcceptanceSets::AllAtOnce) => {
                search.run_on_candidates(keeping, product, automaton)
            }
            (CycleMethod::Accepting(method), AcceptanceSets::AllAtOnce) => {
                search.run(method, whole, whole, product.acceptance(), None)
            }
        }?)
    }
}

/// The error of a search that no task is prepared for.
fn not_prepared(what: &str) -> EngineError {
    EngineError { reason: format!("internal error: {what}") }
}

impl OverSpace for CycleRun<'_> {
    type Output = Report;

    fn over<S: StateSpace>(self, space: &S) -> Result<Report, RunError> {
        let Some(automaton) = self.automaton()? else { return Ok(Report::at_once(Shortfall::Automaton)) };
        let words = space.words_per_state();
        with_product(space, self.task, self.temporal, &automaton, |product| self.search(product, &automaton, words))
    }
}
