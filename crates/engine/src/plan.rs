//! What will be done to settle properties, as data: shown by `--plan`, and run as it is.
//!
//! A [`PropertyPlan`] lists the searches of a property in their order. Each holds everything that its engine was asked
//! for: the engine of that name, asked with [`Plan::options`], prepares a search with the same plan. So what a plan says can be
//! run, and nothing is run that a plan does not say.

use crate::{
    AcceptanceKind, CodeKind, Disk, FairSearch, HeuristicKind, Options, Property, Shortfall, StoreKind, Task,
    TemporalBy, Verdict,
};
use lariat_base::{document, words};
use lariat_system::{Simplifications, Simplified};

document! {
    /// How an engine settles a task. An engine makes one for a task it can run, and for no other.
    pub struct Plan {
        /// The engine's name.
        required engine: String,
        /// How the system is run; a model written in Rust runs as it is.
        always program: Option<ProgramPlan>,
        /// Whether steps are left out whose order makes no difference.
        required reduction: bool,
        /// What the system is combined with, for a temporal property.
        always product: Option<ProductPlan>,
        /// How the graph is searched.
        required search: SearchPlan,
    }
}

document! {
    /// How a system is run.
    pub struct ProgramPlan {
        /// As machine code or interpreted.
        required code: CodeKind,
        /// For how many processes there is room.
        required pool_size: u16,
        /// Whether that is a guess: with too many processes the search begins again with more room.
        required pool_may_grow: bool,
    }
}

document! {
    /// The product of a system with the automaton of a property.
    pub struct ProductPlan {
        /// What is looked for in it.
        required objective: ObjectivePlan,
        /// How many states the automaton has.
        required automaton_states: usize,
        /// How many fairness constraints the system has.
        required fairness_constraints: usize,
        /// Whether several acceptance sets are visited in turn, with a copy of the product for each.
        required copies: bool,
    }
}

words! {
    /// What is looked for in a product.
    pub enum ObjectivePlan {
        /// A state from which every run is bad.
        BadPrefix = "bad_prefix",
        /// An accepting cycle of the automaton of the bad runs.
        AcceptingCycle = "accepting_cycle",
        /// A cycle that the automaton of the good runs does not accept.
        RejectingCycle = "rejecting_cycle",
    }
}

document! {
    /// How a graph is searched.
    pub struct SearchPlan {
        /// The order of the search or its algorithm, in a few words.
        required algorithm: String,
        /// How visited states are remembered, if one by one.
        always store: Option<StoreKind>,
        /// How many threads search.
        required threads: usize,
        /// How often it is searched, with different hash functions.
        required runs: u32,
        /// For whatever is random: hash functions, and what is forgotten.
        required seed: u64,
        /// Where to put what memory has no room for.
        always disk: Option<Disk>,
        /// How deep to look at most.
        always depth_limit: Option<u64>,
        /// The graph is left undecided where it is larger.
        always graph_limit: Option<GraphLimit>,
        /// The search is given up where it costs more than listing the states would, unless there are more states than this.
        always graph_instead: Option<u64>,
        /// Whether the search goes on past failures.
        required keep_going: bool,
        /// Whether the trace must be a shortest one.
        required shortest: bool,
        /// Whether short depth-first searches look for deep failures on the way.
        required scouts: bool,
        /// How cycles are looked for that must carry several marks.
        required acceptance: AcceptanceKind,
        /// What reads the runs that a formula of linear time speaks of.
        required temporal_by: TemporalBy,
        /// How loops of fair runs are searched by sets of states, if they are.
        always fair: Option<FairSearch>,
        /// What guides a directed search.
        always heuristic: Option<HeuristicKind>,
        /// The variables of decision diagrams that stand on top to begin with.
        always order: Option<Vec<String>>,
        /// The most memory of a graphics card, for a search on one.
        always gpu_memory_bytes: Option<u64>,
        /// Whether it is measured where the states come from.
        required profile: bool,
    }
}

document! {
    /// A limit on graphs that are written out.
    pub struct GraphLimit {
        /// States.
        required states: usize,
        /// Steps.
        required steps: usize,
        /// Ways that one action, or the beginning, leaves open.
        required ways: u64,
        /// Parts of expressions that are evaluated, if each state takes as many as the actions have.
        always evaluated: Option<usize>,
    }
}

impl Copy for GraphLimit {}
impl Eq for GraphLimit {}

document! {
    /// What a check will do.
    pub struct CheckPlan {
        /// For each property.
        always plans: Vec<PropertyPlan>,
        /// The limits of the run.
        required limits: PlanLimits,
    }
}

document! {
    /// The limits of a run.
    pub struct PlanLimits {
        /// Memory of the whole program.
        required memory_bytes: u64,
        /// Time for all properties together, if it is limited.
        always seconds: Option<f64>,
        /// Time for each property, if it is limited.
        always seconds_per_property: Option<f64>,
    }
}

document! {
    /// What will be done to settle one property.
    pub struct PropertyPlan {
        /// The property's name.
        required property: String,
        /// The searches. The first one is run. Where a search has no answer, the next one follows that helps.
        required searches: Vec<PlannedSearch>,
        /// Why nothing is searched, and the property stays undecided.
        always no_search: Option<NoSearch>,
    }
}

words! {
    /// Why nothing is searched for a property.
    pub enum NoSearch {
        /// The automaton of its formula would be too large.
        Formula = "formula",
        /// It is of branching time, and no engine supports what it or the options ask for.
        Branching = "branching",
    }
}

impl NoSearch {
    /// The same as a reason why the property is undecided.
    pub fn shortfall(self) -> Shortfall {
        match self {
            Self::Formula => Shortfall::Automaton,
            Self::Branching => Shortfall::Branching,
        }
    }
}

document! {
    /// A search, and why it is this one.
    pub struct PlannedSearch {
        /// It helps where a search before it ended for one of these reasons. The first search has none.
        required after: Vec<After>,
        /// What will be done.
        required plan: Plan,
        /// The search is given up where there are more states; the next one follows.
        always states_limit: Option<u64>,
        /// The same where there are more steps.
        always steps_limit: Option<u64>,
        /// Why no steps are left out, where that would be done if it were possible.
        always unreduced: Option<String>,
        /// What the searched system forgets, if the search is one of a system that does the same with fewer states.
        always simplified: Option<SimplifiedPlan>,
        /// What was considered first, each with the reason why not.
        required considered: Vec<Considered>,
    }
}

document! {
    /// What a simplified system forgets.
    pub struct SimplifiedPlan {
        /// The variables of processes that are reset where they are written before they are read again.
        required dead: Vec<String>,
        /// The variables that nothing reads and that are not kept.
        required unread: Vec<String>,
    }
}

impl SimplifiedPlan {
    /// What this system forgets.
    pub fn of(simplified: &Simplified) -> Self {
        Self { dead: simplified.reset.clone(), unread: simplified.dropped.clone() }
    }
    /// The passes that find it.
    pub fn passes(&self) -> Simplifications {
        Simplifications { dead: !self.dead.is_empty(), unread: !self.unread.is_empty() }
    }
}

words! {
    /// Why another search follows one that has no answer.
    pub enum After {
        /// The graph was larger than the search's limit.
        GraphSize = "graph_size",
        /// Memory was full.
        Memory = "memory",
        /// Sets of states cost more than listing the states seems to.
        Effort = "effort",
        /// It could not be done after all, on this machine or for this model, or had no room for it.
        Unable = "unable",
    }
}

impl After {
    /// Why another search may follow one with this verdict, if one may.
    pub fn of(verdict: &Verdict) -> Option<Self> {
        match verdict {
            Verdict::Undecided(Shortfall::GraphSize { .. }) => Some(Self::GraphSize),
            Verdict::Undecided(Shortfall::Memory { .. }) => Some(Self::Memory),
            Verdict::Undecided(Shortfall::Effort) => Some(Self::Effort),
            _ => None,
        }
    }
}

document! {
    /// An engine that was considered and not taken.
    pub struct Considered {
        /// Its name.
        required engine: String,
        /// What it does not support.
        required unsupported: String,
        /// Why, if that does not speak for itself.
        always why: Option<String>,
    }
}

impl Plan {
    /// The plan of an engine for a task that it searches in this way; without a product and without scouts.
    pub fn new(engine: &str, task: &Task<'_>, algorithm: impl Into<String>) -> Self {
        // All of it is part of the plan, so that the plan can be run; one that is new is an error of the compiler here.
        let Options {
            store,
            keep_going,
            shortest,
            pool_may_grow,
            depth_limit,
            threads,
            profile,
            reduce,
            scout: _, // Few engines send scouts: see `with_scouts`.
            code,
            seed,
            runs,
            disk,
            acceptance,
            order,
            temporal_by,
            fair: _, // Few properties have such loops: see `with_fair_search`.
            heuristic,
            graph_limit,
            graph_instead,
            gpu_memory_bytes,
        } = task.options.clone();
        // These say how the runs of a formula of linear time are read, and mean nothing for other properties.
        let (acceptance, temporal_by) = match task.property {
            Property::Temporal(_) => (acceptance, temporal_by),
            Property::Safety { .. } | Property::Branching(_) | Property::Distance(_) => Default::default(),
        };
        Self {
            engine: engine.to_owned(),
            program: task.system().map(|system| ProgramPlan { code, pool_size: system.pool_size, pool_may_grow }),
            reduction: reduce,
            product: None,
            search: SearchPlan {
                algorithm: algorithm.into(),
                store: Some(store),
                threads,
                runs,
                seed,
                disk,
                depth_limit,
                graph_limit,
                graph_instead,
                keep_going,
                shortest,
                scouts: false,
                acceptance,
                temporal_by,
                fair: None,
                heuristic,
                order,
                gpu_memory_bytes,
                profile,
            },
        }
    }

    /// The plan of an engine that goes through sets of states: it runs the program only for the runs that it shows.
    pub fn of_sets(engine: &str, task: &Task<'_>, algorithm: impl Into<String>) -> Self {
        let mut plan = Self::new(engine, task, algorithm);
        plan.search.store = None;
        if let Some(program) = &mut plan.program {
            program.code = CodeKind::Bytecode;
        }
        plan
    }

    /// The same for an engine that sends scouts where the task allows it.
    #[must_use]
    pub fn with_scouts(mut self, task: &Task<'_>) -> Self {
        self.search.scouts = task.options.sends_scouts();
        self
    }

    /// The same for a search for loops of fair runs, if it is one.
    #[must_use]
    pub fn with_fair_search(mut self, fair: Option<FairSearch>) -> Self {
        self.search.fair = fair;
        self
    }

    /// What to ask the engine for, to get this plan.
    pub fn options(&self) -> Options {
        let Self { engine: _, program, reduction, product: _, search } = self.clone();
        Options {
            store: search.store.unwrap_or_default(),
            keep_going: search.keep_going,
            shortest: search.shortest,
            pool_may_grow: program.as_ref().is_some_and(|program| program.pool_may_grow),
            depth_limit: search.depth_limit,
            threads: search.threads,
            profile: search.profile,
            reduce: reduction,
            scout: search.scouts,
            code: program.map_or(CodeKind::default(), |program| program.code),
            seed: search.seed,
            runs: search.runs,
            disk: search.disk,
            acceptance: search.acceptance,
            order: search.order,
            temporal_by: search.temporal_by,
            fair: search.fair.unwrap_or_default(),
            heuristic: search.heuristic,
            graph_limit: search.graph_limit,
            graph_instead: search.graph_instead,
            gpu_memory_bytes: search.gpu_memory_bytes,
        }
    }
}
