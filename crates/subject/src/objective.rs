//! What a breadth-first search has to find for a property, and what it takes to find it.
//!
//! Engines that go level by level and then drop sets of states without accepting cycles (OWCTY: on disk, over workers, on a card)
//! differ in where states are; which properties they can settle, and what is asked of a cycle, is the same for all.

use crate::{Demands, bad_prefix};
use lariat_automata::{Acceptance, Analysis, Automaton, ComponentKind, StateId};
use lariat_base::Id;
use lariat_engine::{AcceptanceKind, Feature, ObjectivePlan, ProductPlan, Property, Refusal, Task, Temporal};
use lariat_space::{AutomatonObserver, Product, State, StateSpace};

/// What is to be reached or not.
#[derive(Clone, Copy, Debug)]
pub enum Objective<'t> {
    /// No failure.
    Safety {
        /// Whether a dead end in an improper place is one.
        invalid_ends: bool,
    },
    /// A state after which every run is bad.
    BadPrefix(&'t Temporal),
    /// An accepting cycle.
    Cycles(&'t Temporal),
}

impl<'t> Objective<'t> {
    /// What the property asks for. Accepting cycles are looked for where `ensure_cycles` does not refuse it, and nothing simpler will do.
    pub fn of(
        task: &'t Task<'t>,
        ensure_cycles: impl FnOnce(&'t Temporal) -> Result<(), Refusal>,
    ) -> Result<Self, Refusal> {
        match &task.property {
            Property::Safety { invalid_ends } => Ok(Self::Safety { invalid_ends: *invalid_ends }),
            Property::Temporal(temporal) if bad_prefix::ensure_bad_prefix(task, temporal).is_ok() => {
                Ok(Self::BadPrefix(temporal))
            }
            Property::Temporal(temporal) => ensure_cycles(temporal).map(|()| Self::Cycles(temporal)),
            Property::Branching(_) | Property::Distance(_) => {
                Err(Refusal::because(Feature::of_property(&task.property), "it follows single runs"))
            }
        }
    }

    /// What must not happen in the long run, if the property is temporal.
    pub fn temporal(&self) -> Option<&'t Temporal> {
        match self {
            Self::Safety { .. } => None,
            Self::BadPrefix(temporal) | Self::Cycles(temporal) => Some(temporal),
        }
    }

    /// What is planned to be done with the product.
    pub fn product_plan(&self, task: &Task<'_>) -> Option<ProductPlan> {
        let objective = match self {
            Self::Cycles(_) => ObjectivePlan::AcceptingCycle,
            Self::Safety { .. } | Self::BadPrefix(_) => ObjectivePlan::BadPrefix,
        };
        self.temporal().map(|temporal| ProductPlan { objective, ..bad_prefix::product_plan(task, temporal) })
    }
}

/// A refusal unless dropping sets of states can decide about the accepting cycles of the property. A bound on depth and shortest lassos
/// are for each engine to speak of.
pub fn ensure_sets_decide(task: &Task<'_>, temporal: &Temporal) -> Result<(), Refusal> {
    let options = &task.options;
    match () {
        _ if options.keep_going => Err(Refusal::because(Feature::KeepGoing, "it ends at the first bad run")),
        _ if options.acceptance == AcceptanceKind::Copies => Err(Refusal::of(Feature::AcceptanceBy("copies"))),
        _ if Demands::of(&temporal.bad.acceptance).is_none() && !Analysis::of(&temporal.bad).is_weak() => {
            Err(Refusal::because(Feature::Acceptance, "it is neither generalised Büchi nor Streett acceptance"))
        }
        () => Ok(()),
    }
}

/// What is asked of a cycle of a product.
#[derive(Clone, Debug)]
pub struct CycleGoal {
    /// By state of the automaton its component, if cycles in that can be accepting. A cycle stays in one.
    pub components: Vec<Option<usize>>,
    /// What a cycle must carry.
    pub demands: Demands,
}

impl CycleGoal {
    /// What is asked of the cycles of a product with `automaton`, which [`ensure_sets_decide`] did not refuse.
    pub fn of<S: StateSpace>(product: &Product<'_, S, AutomatonObserver<'_>>, automaton: &Automaton) -> Self {
        let analysis = Analysis::of(automaton);
        let component = |state: StateId| {
            let component = analysis.components.component(state)?;
            let can_accept = matches!(analysis.kinds[component], ComponentKind::Accepting | ComponentKind::Mixed);
            can_accept.then_some(component)
        };
        // Where all cycles of a component are accepting, or none is, only fairness is left to be looked at.
        let demands = match product.acceptance() {
            // The first part is that of the automaton.
            Acceptance::And(parts) if analysis.is_weak() => Demands::of(&Acceptance::And(parts[1..].to_vec())),
            acceptance => Demands::of(acceptance),
        };
        let components = (0..automaton.state_count()).map(|state| component(StateId::new(state))).collect();
        Self { components, demands: demands.expect("others were refused") }
    }

    /// The component of the automaton that a state of the product is in, if cycles in that can be accepting.
    pub fn component(&self, state: &State) -> Option<usize> {
        let (observed, _) = state.split_last().expect("the automaton's state is the last word");
        self.components[*observed as usize]
    }
}
