//! Temporal properties that are a matter of reaching a state.
//!
//! Where every run is bad as soon as the automaton comes to certain states, whatever follows, there is no cycle to be looked
//! for: these states of the product are made dead ends that are no proper ends, and any search for such will do. To show
//! people a run that goes on for ever, the run to such a state is continued in some way that does, if a short one is found.

use crate::prolong::Prolonging;
use crate::with_product;
use lariat_automata::{Analysis, Automaton, ComponentKind, StateId};
use lariat_engine::{
    AcceptanceKind, Feature, ObjectivePlan, ProductPlan, Refusal, Report, RunControl, RunError, StoreKind, Task,
    Temporal, Verdict,
};
use lariat_space::{
    AnySpace, AutomatonObserver, Keys, Layer, LayerScratch, ObserverState, Product, Sink, State, StateSpace,
    WantedKeys, Watch,
};
use lariat_system::DeadEnds;
use std::ops::ControlFlow;

/// A refusal unless every bad run of the property has a bad prefix that a search for states can find.
pub fn ensure_bad_prefix(task: &Task<'_>, temporal: &Temporal) -> Result<(), Refusal> {
    let store = task.options.store;
    let not_for_it = |why: &str| Err(Refusal::because(Feature::Cycles, why));
    match () {
        _ if task.options.profile => Err(Refusal::because(Feature::Profile, "it is for `safety`")),
        _ if matches!(store, StoreKind::Hybrid { .. }) => {
            let why = "it does not share entries between states of a product";
            Err(Refusal::because(Feature::Store(store), why))
        }
        _ if task.options.acceptance != AcceptanceKind::Auto => not_for_it("`--acceptance` is about cycles"),
        _ if !task.subject.fairness().is_empty() => not_for_it("fairness is about cycles"),
        _ if task.subject.dead_ends() == DeadEnds::Cut => not_for_it("only infinite runs count, so it is about cycles"),
        _ if !Analysis::of(&temporal.bad).is_terminal() => {
            not_for_it("no finite part of a run shows that it is violated, so it is about cycles")
        }
        _ => Ok(()),
    }
}

/// The product that is searched for bad prefixes.
pub fn product_plan(task: &Task<'_>, temporal: &Temporal) -> ProductPlan {
    ProductPlan {
        objective: ObjectivePlan::BadPrefix,
        automaton_states: temporal.bad.edges.len(),
        fairness_constraints: task.subject.fairness().len(),
        copies: false,
    }
}

/// A product in which nothing follows on the states from which every run is bad.
#[derive(Debug)]
pub struct EndingWhenBad<'a, S> {
    product: &'a Product<'a, S, AutomatonObserver<'a>>,
    /// By state of the automaton, whether it accepts everything from there.
    is_bad: Vec<bool>,
}

/// Which states of an automaton every run is accepted from.
fn accepting_everything(automaton: &Automaton) -> Vec<bool> {
    let analysis = Analysis::of(automaton);
    let accepts = |state: StateId| analysis.kind(state) == Some(ComponentKind::Accepting);
    automaton.edges.ids().map(accepts).collect()
}

impl<S: StateSpace> EndingWhenBad<'_, S> {
    /// By state of the automaton, whether every run from there is bad.
    pub fn bad_states(&self) -> &[bool] {
        &self.is_bad
    }
    fn is_bad(&self, state: &State) -> bool {
        let observed: ObserverState = self.product.split(state).1;
        self.is_bad[observed as usize]
    }
}

impl<S: StateSpace> Watch for EndingWhenBad<'_, S> {
    fn ends_at(&self, state: ObserverState) -> bool {
        self.is_bad[state as usize]
    }
}

impl<'a, S: StateSpace> Layer for EndingWhenBad<'a, S> {
    type Below = Product<'a, S, AutomatonObserver<'a>>;
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
        match self.is_bad(source) {
            true => ControlFlow::Continue(()),
            false => self.product.steps(source, &mut scratch.below, sink),
        }
    }
    /// Where the automaton has no move, the run is not bad.
    fn may_end(&self, state: &State, _: &mut LayerScratch<Self>) -> bool {
        !self.is_bad(state)
    }
}

/// Looks for bad prefixes by `explore`, a search for dead ends that are no proper ends, in the task's space; what is found
/// becomes a run that goes on for ever.
pub fn search<S: StateSpace>(
    space: &S,
    task: &Task<'_>,
    temporal: &Temporal,
    control: &RunControl,
    explore: impl FnOnce(&EndingWhenBad<'_, S>) -> Result<Report, RunError>,
) -> Result<Report, RunError> {
    let bad = &temporal.bad;
    let mut report = with_product(space, task, temporal, bad, |product| {
        let mut report = explore(&EndingWhenBad { product, is_bad: accepting_everything(bad) })?;
        report.taken = None;
        Ok(report)
    })?;
    let space = AnySpace::new(space);
    let reads_steps = temporal.reads_steps(task.subject);
    let mut prolonging = Prolonging::new(space, task.options.pool_may_grow, control);
    let failures = std::mem::take(&mut report.failures).into_iter();
    report.failures = failures.map(|found| prolonging.evidence(found.trace, reads_steps)).collect::<Result<_, _>>()?;
    if let Some(first) = report.failures.first() {
        report.verdict = Verdict::Fails(first.clone());
    }
    Ok(report)
}
