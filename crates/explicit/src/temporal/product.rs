//! From a system and a property to the product that is searched.

use super::search::{Search, Shape};
use super::{CycleHunt, Hunt, KeptAlgorithm, is_state_buchi};
use crate::engines::{insist_on_code, state_bits};
use crate::repeat::spill_of;
use lariat_automata::{Acceptance, Automaton, TranslateOptions, complement_of_weak, degeneralize, follows_every_word};
use lariat_engine::{AcceptanceKind, EngineError, Report, RunControl, Shortfall, Task, Temporal, Verdict, Watched};
use lariat_exec::{Backend, Use};
use lariat_space::{AnySpace, AutomatonObserver, Degeneralized, Observer, Product, StateSpace};
use lariat_system::System;
use std::borrow::Cow;

/// A search of the product with whatever the system becomes.
pub(super) struct Run<'a> {
    pub(super) hunt: Hunt,
    pub(super) task: &'a Task<'a>,
    pub(super) temporal: &'a Temporal,
    pub(super) control: &'a RunControl,
}

impl<'a> Run<'a> {
    /// Whether several demands are met one after the other, with a copy of the product for each.
    fn by_copies(&self) -> bool {
        let is_nested = matches!(self.hunt, Hunt::Accepting(hunt) if hunt.is_nested());
        is_nested || self.task.options.acceptance == AcceptanceKind::Copies
    }

    /// The automaton that the search is for: of the bad runs, with accepting states if there are copies and no fairness to be
    /// copied with it, or of the good runs. `None` if it would be too large.
    fn automaton(&self) -> Result<Option<Cow<'a, Automaton>>, EngineError> {
        let bad = &self.temporal.bad;
        if let Hunt::Rejecting(_) = self.hunt {
            let good = complement_of_weak(bad, &TranslateOptions::default());
            return Ok(good.ok().map(|good| Cow::Owned(good.expect("`online` is prepared for weak automata only"))));
        }
        if !self.by_copies() || !self.task.system.fairness.is_empty() || is_state_buchi(bad) {
            return Ok(Some(Cow::Borrowed(bad)));
        }
        let made = degeneralize(bad, &TranslateOptions::default());
        made.map(|made| Some(Cow::Owned(made))).map_err(|too_large| EngineError { reason: too_large.to_string() })
    }
}

impl Use for Run<'_> {
    type Output = Result<Report, EngineError>;

    fn of<S: StateSpace>(self, space: &S, backend: Backend) -> Self::Output {
        insist_on_code(&self.task.options, backend)?;
        let Some(automaton) = self.automaton()? else { return Ok(Report::at_once(Shortfall::Automaton)) };
        let by_copies = self.by_copies();
        let Self { hunt, task, temporal, control } = self;
        let observer = AutomatonObserver::new(&automaton, &temporal.labels, reads_steps(task.system, temporal));
        let fairness = &task.system.fairness;
        let is_plain = fairness.is_empty();
        let product = Product::new(space, &observer, automaton.mark_count(), fairness.clone(), task.system.dead_ends)
            .with_growing_pool(task.options.pool_may_grow);
        let shape = Shape {
            system_words: space.words_per_state(),
            system_bits: state_bits(task)?,
            claims: u64::from(observer.states()),
            levels: 1,
        };
        let spill = spill_of(&task.options)?;
        let search = Search { task, control, spill: spill.as_ref(), shape, scouts: None };
        let whole = AnySpace::new(&product);
        let mut report = match hunt {
            Hunt::Rejecting(memory) => search.run_online(memory, whole),
            Hunt::Accepting(hunt) if by_copies && is_plain => {
                search.run(hunt, whole, whole, &Acceptance::buchi(), None)
            }
            Hunt::Accepting(hunt) if by_copies => {
                let copies = Degeneralized::new(&product, product.acceptance());
                let copies = copies.expect("copies are prepared for generalised Büchi acceptance only");
                let shape = Shape { levels: copies.levels(), ..search.shape };
                let copies = AnySpace::new(&copies);
                Search { shape, ..search }.run(hunt, copies, copies, &Acceptance::buchi(), None)
            }
            Hunt::Accepting(CycleHunt::Kept(KeptAlgorithm::Scc, keeping)) => {
                search.run_suspecting(keeping, &product, &automaton)
            }
            Hunt::Accepting(hunt) => search.run(hunt, whole, whole, product.acceptance(), None),
        };
        if report.verdict == Verdict::Holds {
            report.watched = watched(&automaton, &observer, product.idle_constraints());
        }
        Ok(report)
    }
}

/// Whether the property speaks of steps.
pub(crate) fn reads_steps(system: &System, temporal: &Temporal) -> bool {
    temporal.reads_steps(system)
}

/// What a search of a whole product has seen, if the automaton goes along with every run: else it has seen a part of them.
pub(crate) fn watched(
    bad: &Automaton,
    observer: &AutomatonObserver<'_>,
    idle_constraints: Vec<usize>,
) -> Option<Watched> {
    follows_every_word(bad).then(|| Watched { letters: observer.letters_read(), idle_constraints })
}
