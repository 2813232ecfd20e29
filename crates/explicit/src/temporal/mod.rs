//! The engines for temporal properties: the product of a system with an automaton, searched for accepting cycles.

mod product;
mod search;

use crate::cycle::{MOST_NOTE, Nested};
use crate::repeat::spill_of;
use crate::stack::Pair;
use crate::storage::{Keeping, Storage, Visiting, ensure_fits_store};
use lariat_automata::{Acceptance, Analysis, Automaton};
use lariat_engine::{
    AcceptanceKind, Engine, EngineError, Feature, GraphLimit, ObjectivePlan, Options, Plan, Prepared, ProductPlan,
    Property, Refusal, Report, RunControl, RunError, StoreKind, Task, Temporal,
};
use lariat_store::Replacement;
use lariat_subject::{ensure_search_options, ensure_searchable, ensure_undirected, with_space};
use lariat_system::Fairness;
use product::CycleRun;

/// An engine that looks for accepting cycles of a product while its graph is being built.
#[derive(Clone, Copy, Debug)]
pub struct CycleSearch {
    algorithm: Algorithm,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Algorithm {
    Scc,
    Nested(Nested),
    Magic,
    Online,
    Kosaraju,
}

impl Algorithm {
    /// Whether it knows accepting states only, and looks for a cycle through one of them by two searches.
    fn is_nested(self) -> bool {
        matches!(self, Self::Nested(_) | Self::Magic)
    }
}

/// How a cycle is found that meets several acceptance sets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum AcceptanceSets {
    /// All of them are looked at in each component.
    AllAtOnce,
    /// One after the other, by copies of the automaton, which then has accepting states.
    InAutomaton,
    /// One after the other, by copies of the product, since fairness has acceptance sets too.
    InProduct,
}

/// A way of searching a product, with the kind of store it uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum CycleMethod {
    /// In the product with an automaton of the bad runs.
    Accepting(AcceptingMethod),
    /// In the product with a deterministic automaton of the good runs.
    Rejecting(OnlineStore),
}

/// A way of searching for accepting cycles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum AcceptingMethod {
    /// Of states that a store keeps, with a note beside each.
    Kept(KeptAlgorithm, Keeping),
    /// With whole states on a stack, by two searches.
    OnStack(Pair, Visiting),
}

/// A search that keeps a note beside each state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum KeptAlgorithm {
    Scc,
    Nested(Nested),
    Magic,
    Kosaraju,
}

/// The stores that `online` works with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum OnlineStore {
    Tree,
    Flat,
    Cache(Replacement),
}

impl KeptAlgorithm {
    /// The greatest note that it keeps with a state.
    fn most_note(self) -> u32 {
        match self {
            Self::Scc | Self::Kosaraju => u32::MAX - 1,
            Self::Nested(nested) => nested.most_note(),
            Self::Magic => MOST_NOTE,
        }
    }
}

impl CycleSearch {
    /// `scc`: strongly connected components; any acceptance, any fairness. Where the automaton rules cycles out, any number
    /// of threads.
    pub const SCC: Self = Self { algorithm: Algorithm::Scc };
    /// `ndfs`: nested depth-first search with early detection.
    pub const NDFS: Self = Self { algorithm: Algorithm::Nested(Nested::Ndfs) };
    /// `magic`: both searches on one stack.
    pub const MAGIC: Self = Self { algorithm: Algorithm::Magic };
    /// `cvwy-a`: one search after the other.
    pub const CVWY_A: Self = Self { algorithm: Algorithm::Nested(Nested::CvwyA) };
    /// `cvwy-b`: interleaved searches.
    pub const CVWY_B: Self = Self { algorithm: Algorithm::Nested(Nested::CvwyB) };
    /// `kosaraju`: strongly connected components of the stored graph, by predecessors.
    pub const KOSARAJU: Self = Self { algorithm: Algorithm::Kosaraju };
    /// `online`: one search, with a deterministic automaton of the good runs.
    pub const ONLINE: Self = Self { algorithm: Algorithm::Online };

    /// The algorithm with the requested store; a refusal if they do not go together.
    fn method(self, store: StoreKind) -> Result<CycleMethod, Refusal> {
        let refuse = |why: &str| Err(Refusal::because(Feature::Store(store), why));
        let kept = |algorithm, keeping| Ok(CycleMethod::Accepting(AcceptingMethod::Kept(algorithm, keeping)));
        let on_stack = |pair, visiting| Ok(CycleMethod::Accepting(AcceptingMethod::OnStack(pair, visiting)));
        match (self.algorithm, Storage::of(store)) {
            (Algorithm::Scc, Storage::Keeping(keeping)) => kept(KeptAlgorithm::Scc, keeping),
            (Algorithm::Kosaraju, Storage::Keeping(keeping)) => kept(KeptAlgorithm::Kosaraju, keeping),
            (Algorithm::Nested(nested), Storage::Keeping(keeping)) => kept(KeptAlgorithm::Nested(nested), keeping),
            (Algorithm::Magic, Storage::Keeping(keeping)) => kept(KeptAlgorithm::Magic, keeping),
            (Algorithm::Scc | Algorithm::Kosaraju | Algorithm::Nested(Nested::Ndfs), Storage::Visiting(_)) => {
                refuse("it keeps a number with every state")
            }
            (Algorithm::Magic, Storage::Visiting(visiting)) => on_stack(Pair::Interleaved, visiting),
            (Algorithm::Nested(Nested::CvwyA), Storage::Visiting(Visiting::Cache(_))) => {
                refuse("its queue is right only if no state is left twice")
            }
            (Algorithm::Nested(Nested::CvwyA), Storage::Visiting(visiting)) => on_stack(Pair::InTurn, visiting),
            (Algorithm::Nested(Nested::CvwyB), Storage::Visiting(Visiting::Cache(_))) => {
                refuse("with a cache it would be the same search as `magic`")
            }
            (Algorithm::Nested(Nested::CvwyB), Storage::Visiting(visiting)) => on_stack(Pair::Interleaved, visiting),
            (Algorithm::Online, Storage::Keeping(Keeping::Tree)) => Ok(CycleMethod::Rejecting(OnlineStore::Tree)),
            (Algorithm::Online, Storage::Keeping(Keeping::Flat)) => Ok(CycleMethod::Rejecting(OnlineStore::Flat)),
            (Algorithm::Online, Storage::Keeping(Keeping::Hybrid(_))) => refuse("it keeps a stack of whole states"),
            (Algorithm::Online, Storage::Visiting(Visiting::Cache(replacement))) => {
                Ok(CycleMethod::Rejecting(OnlineStore::Cache(replacement)))
            }
            (Algorithm::Online, Storage::Visiting(_)) => {
                refuse("it must know for certain which states are on its path")
            }
        }
    }

    /// An error unless it can treat what runs must meet infinitely often.
    fn ensure_acceptance(self, task: &Task<'_>, temporal: &Temporal) -> Result<(), Refusal> {
        let acceptance = task.options.acceptance;
        let has_fairness = !task.subject.fairness().is_empty();
        let is_strong = task.subject.fairness().iter().any(Fairness::is_strong);
        let is_generalised = temporal.bad.acceptance.as_generalized_buchi().is_some();
        let by_copies = || Feature::AcceptanceBy("copies");
        if self.algorithm == Algorithm::Online {
            return match () {
                _ if has_fairness => Err(Refusal::of(Feature::Fairness)),
                _ if acceptance == AcceptanceKind::Copies => Err(Refusal::of(by_copies())),
                _ if !Analysis::of(&temporal.bad).is_weak() => Err(Refusal::because(
                    Feature::Cycles,
                    "it needs a deterministic Büchi automaton of the good runs, and there is one only where the automaton \
                     of the bad runs is weak",
                )),
                () => Ok(()),
            };
        }
        let nested = self.algorithm.is_nested();
        match acceptance {
            AcceptanceKind::Generalised if nested && (has_fairness || !is_state_buchi(&temporal.bad)) => {
                let why = "it knows one set of accepting states, and this property needs copies";
                Err(Refusal::because(Feature::AcceptanceBy("generalised"), why))
            }
            _ if nested && is_strong => Err(Refusal::of(Feature::StrongFairness)),
            _ if nested && !is_generalised => {
                Err(Refusal::because(Feature::Acceptance, "it is not generalised Büchi acceptance"))
            }
            AcceptanceKind::Copies if is_strong => {
                Err(Refusal::because(by_copies(), "strong fairness is not Büchi acceptance"))
            }
            AcceptanceKind::Copies if !is_generalised => {
                Err(Refusal::because(by_copies(), "its automaton does not have generalised Büchi acceptance"))
            }
            _ if self.algorithm == Algorithm::Kosaraju && is_strong => Err(Refusal::of(Feature::StrongFairness)),
            _ if self.algorithm == Algorithm::Kosaraju && !temporal.bad.acceptance.polarities().1.is_empty() => {
                Err(Refusal::because(Feature::Acceptance, "it says what must not happen infinitely often"))
            }
            _ => Ok(()),
        }
    }

    /// What it does, in a few words.
    fn algorithm(self) -> &'static str {
        match self.algorithm {
            Algorithm::Scc => "strongly connected components on the fly",
            Algorithm::Nested(Nested::Ndfs) => "nested depth-first search with early detection",
            Algorithm::Nested(Nested::CvwyA) => "two depth-first searches, one after the other (algorithm A)",
            Algorithm::Nested(Nested::CvwyB) => "two interleaved depth-first searches (algorithm B)",
            Algorithm::Magic => "magic search: two depth-first searches on one stack",
            Algorithm::Online => "one depth-first search with a deterministic automaton of the good runs",
            Algorithm::Kosaraju => "strongly connected components of the stored graph, by predecessors",
        }
    }
}

/// What takes a few seconds: for searches that take turns with decision diagrams.
const RELIEF: GraphLimit = GraphLimit { states: 1 << 22, steps: 1 << 24, ways: 1 << 10, evaluated: None };

impl Engine for CycleSearch {
    fn name(&self) -> &'static str {
        match self.algorithm {
            Algorithm::Scc => "scc",
            Algorithm::Magic => "magic",
            Algorithm::Online => "online",
            Algorithm::Kosaraju => "kosaraju",
            Algorithm::Nested(Nested::Ndfs) => "ndfs",
            Algorithm::Nested(Nested::CvwyA) => "cvwy-a",
            Algorithm::Nested(Nested::CvwyB) => "cvwy-b",
        }
    }

    fn about(&self) -> &'static str {
        match self.algorithm {
            Algorithm::Scc => "strongly connected components: every temporal property and every fairness",
            Algorithm::Nested(Nested::Ndfs) => "nested depth-first search: temporal properties without strong fairness",
            Algorithm::Magic => "magic search: temporal properties without strong fairness; works with every store",
            Algorithm::Nested(Nested::CvwyA) => "algorithm A of Courcoubetis, Vardi, Wolper and Yannakakis",
            Algorithm::Nested(Nested::CvwyB) => "their algorithm B",
            Algorithm::Kosaraju => "strongly connected components by predecessors: no strong fairness",
            Algorithm::Online => "one search, where the good runs have a deterministic Büchi automaton",
        }
    }

    fn most_threads(&self) -> usize {
        if self.algorithm == Algorithm::Scc { usize::MAX } else { 1 }
    }

    fn relieves(&self, task: &Task<'_>) -> Option<GraphLimit> {
        let is_linear = matches!(&task.property, Property::Temporal(temporal) if !temporal.is_of_all_states);
        (is_linear && self.algorithm == Algorithm::Scc).then_some(RELIEF)
    }

    fn prepare<'t>(&self, task: &'t Task<'t>) -> Result<Box<dyn Prepared + 't>, Refusal> {
        let Property::Temporal(temporal) = &task.property else {
            return Err(Refusal::because(Feature::of_property(&task.property), "it looks for cycles"));
        };
        ensure_searchable(task)?;
        ensure_search_options(task)?;
        ensure_undirected(task)?;
        let Options { store, keep_going, shortest, depth_limit, threads, profile, acceptance, .. } = task.options;
        let ends_at_first = match self.algorithm {
            Algorithm::Online | Algorithm::Nested(_) => true,
            Algorithm::Magic => !store.keeps_all(),
            Algorithm::Scc | Algorithm::Kosaraju => false,
        };
        match () {
            _ if shortest => return Err(Refusal::of(Feature::Shortest)),
            _ if depth_limit.is_some() => {
                let why = "a bounded depth-first search can miss states within the bound";
                return Err(Refusal::because(Feature::DepthLimit, why));
            }
            _ if threads > self.most_threads() => return Err(Refusal::of(Feature::Threads)),
            _ if profile => return Err(Refusal::because(Feature::Profile, "it is for `safety`")),
            _ if keep_going && ends_at_first => {
                let why = if self.algorithm == Algorithm::Magic {
                    "with a store that does not keep all states it ends at the first bad run"
                } else {
                    "it ends at the first bad run"
                };
                return Err(Refusal::because(Feature::KeepGoing, why));
            }
            () => {}
        }
        let method = self.method(store)?;
        let has_stack = !matches!(method, CycleMethod::Accepting(AcceptingMethod::Kept(..)));
        ensure_fits_store(&task.options, has_stack)?;
        self.ensure_acceptance(task, temporal)?;
        let sets = match () {
            _ if !self.algorithm.is_nested() && acceptance != AcceptanceKind::Copies => AcceptanceSets::AllAtOnce,
            _ if task.subject.fairness().is_empty() => AcceptanceSets::InAutomaton,
            () => AcceptanceSets::InProduct,
        };
        if threads > 1 && sets != AcceptanceSets::AllAtOnce {
            return Err(Refusal::because(Feature::Threads, "it searches copies of the product with one thread"));
        }
        let copies = match sets {
            AcceptanceSets::AllAtOnce => false,
            AcceptanceSets::InAutomaton => !is_state_buchi(&temporal.bad),
            AcceptanceSets::InProduct => true,
        };
        let mut plan = Plan::new(self.name(), task, self.algorithm());
        if self.algorithm == Algorithm::Scc && !copies {
            plan = plan.with_scouts(task);
        }
        plan.product = Some(ProductPlan {
            objective: match method {
                CycleMethod::Accepting(_) => ObjectivePlan::AcceptingCycle,
                CycleMethod::Rejecting(_) => ObjectivePlan::RejectingCycle,
            },
            automaton_states: temporal.bad.edges.len(),
            fairness_constraints: task.subject.fairness().len(),
            copies,
        });
        Ok(Box::new(PreparedCycleSearch { method, sets, task, temporal, plan }))
    }
}

/// A search for accepting or rejecting cycles, ready to run.
struct PreparedCycleSearch<'t> {
    method: CycleMethod,
    sets: AcceptanceSets,
    task: &'t Task<'t>,
    temporal: &'t Temporal,
    plan: Plan,
}

impl Prepared for PreparedCycleSearch<'_> {
    fn plan(&self) -> &Plan {
        &self.plan
    }

    fn ensure_ready(&self) -> Result<(), EngineError> {
        spill_of(&self.task.options).map(|_| ())
    }

    fn run(self: Box<Self>, control: &RunControl) -> Result<Report, RunError> {
        let Self { method, sets, task, temporal, plan: _ } = *self;
        with_space(task, CycleRun { method, sets, task, temporal, control })
    }
}

/// Whether acceptance is by states, each of which has mark 0 on all edges that leave it or on none.
fn is_state_buchi(automaton: &Automaton) -> bool {
    automaton.acceptance == Acceptance::buchi() && automaton.is_state_based()
}
