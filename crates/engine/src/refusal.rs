//! Why an engine does not take a task, as data: the message is made where it is known who else can.

use crate::{AcceptanceKind, CodeKind, Disk, Options, Property, StoreKind};
use std::fmt;

/// What an engine does not support, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The part of the task.
    pub feature: Feature,
    /// The reason, if the feature does not speak for itself: a clause that begins with a small letter.
    pub why: Option<String>,
}

/// A part of a task that some engines support and others do not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Feature {
    /// `safety`.
    Safety,
    /// Temporal properties of any kind.
    Temporal,
    /// Formulas of branching time.
    Branching,
    /// Numbers of steps.
    Distance,
    /// Properties that only infinite runs can violate, and fairness.
    Cycles,
    /// Strong fairness, or compassion.
    StrongFairness,
    /// Fairness of any kind.
    Fairness,
    /// The acceptance condition of the property's automaton.
    Acceptance,
    /// A way of treating several acceptance sets, by its name.
    AcceptanceBy(&'static str),
    /// A store.
    Store(StoreKind),
    /// More than one thread.
    Threads,
    /// `--shortest`.
    Shortest,
    /// `--depth`.
    DepthLimit,
    /// `--keep-going`.
    KeepGoing,
    /// `--profile`.
    Profile,
    /// Steps with this many choices.
    Choices,
    /// States of this size.
    Size,
    /// `--code`.
    Code,
    /// `--code native`.
    Native,
    /// `--por on`.
    Reduction,
    /// `--runs`.
    Runs,
    /// `--disk`.
    Disk,
    /// `--order`.
    Order,
    /// What the file of `--order` says: the mistake is in the file.
    OrderFile,
    /// `--temporal-by tester`.
    Tester,
    /// An option about how fair loops are searched, by its name.
    FairSearch(&'static str),
    /// `--heuristic`.
    Heuristic,
    /// A limit on the graph.
    GraphLimit,
    /// Models written in Rust, of which only the steps are known.
    Space,
    /// The machine the program runs on.
    Machine,
}

impl Refusal {
    /// The feature is not supported, and needs no explanation.
    pub fn of(feature: Feature) -> Self {
        Self { feature, why: None }
    }
    /// The feature is not supported, for this reason.
    pub fn because(feature: Feature, why: impl Into<String>) -> Self {
        Self { feature, why: Some(why.into()) }
    }
    /// `--order` means nothing to an engine without decision diagrams.
    pub fn of_order() -> Self {
        Self::because(Feature::Order, "it has no decision diagrams")
    }
    /// `--temporal-by tester` is for engines that go through sets of states.
    pub fn of_tester() -> Self {
        Self::because(Feature::Tester, "it goes from state to state, with an automaton")
    }
    /// An option about how fair loops are searched is for engines that go through sets of states.
    pub fn of_fair_search(option: &'static str) -> Self {
        Self::because(Feature::FairSearch(option), "it goes from state to state")
    }
    /// `--heuristic` means nothing to an engine that is not directed.
    pub fn of_heuristic() -> Self {
        Self::because(Feature::Heuristic, "it is not directed")
    }
    /// A limit on the graph means nothing to an engine that writes none out.
    pub fn of_graph_limit() -> Self {
        Self::because(Feature::GraphLimit, "it writes no graph out")
    }
    /// Giving up for the sake of a graph is for engines that go through sets of states as decision diagrams.
    pub fn of_graph_instead() -> Self {
        Self::because(Feature::GraphLimit, "it has no decision diagrams, which a graph could do better than")
    }
    /// Whether it is the kind of property that the engine is not made for, whatever else was asked.
    pub fn is_about_the_property(&self) -> bool {
        matches!(
            self.feature,
            Feature::Safety | Feature::Temporal | Feature::Branching | Feature::Distance | Feature::Cycles
        )
    }
}

impl Options {
    /// What these options ask for that a search by sets of states has no use for, if they do: it keeps no states one by one.
    pub fn unsupported_by_sets(&self) -> Option<Feature> {
        let Options {
            store,
            keep_going,
            shortest: _,
            pool_may_grow: _,
            depth_limit,
            threads,
            code,
            profile,
            reduce,
            scout: _,
            seed: _,
            runs,
            disk,
            acceptance,
            // Decision diagrams have one; a graph has not, and says so itself.
            order: _,
            // They do it, or say why not.
            temporal_by: _,
            // They say themselves for which properties.
            fair: _,
            heuristic,
            // A graph has one; decision diagrams have not, and say so themselves.
            graph_limit: _,
            // And the other way round.
            graph_instead: _,
            // The facade refuses it.
            gpu_memory_bytes: _,
        } = self;
        match acceptance {
            _ if *store != StoreKind::Tree => Some(Feature::Store(*store)),
            _ if *keep_going => Some(Feature::KeepGoing),
            _ if depth_limit.is_some() => Some(Feature::DepthLimit),
            _ if *threads > 1 => Some(Feature::Threads),
            // The runs that are shown are run as bytecode.
            _ if *code == CodeKind::Native => Some(Feature::Code),
            _ if *profile => Some(Feature::Profile),
            _ if *reduce => Some(Feature::Reduction),
            _ if *runs > 1 => Some(Feature::Runs),
            _ if heuristic.is_some() => Some(Feature::Heuristic),
            _ if disk.as_ref().is_some_and(Disk::is_given) => Some(Feature::Disk),
            AcceptanceKind::Copies => Some(Feature::AcceptanceBy("copies")),
            AcceptanceKind::Generalised => Some(Feature::AcceptanceBy("generalised")),
            AcceptanceKind::Auto => None,
        }
    }
}

impl Feature {
    /// Properties of this kind.
    pub fn of_property(property: &Property) -> Self {
        match property {
            Property::Safety { .. } => Self::Safety,
            Property::Temporal(_) => Self::Temporal,
            Property::Branching(_) => Self::Branching,
            Property::Distance(_) => Self::Distance,
        }
    }
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Safety => f.write_str("`safety`"),
            Self::Temporal => f.write_str("temporal properties"),
            Self::Branching => f.write_str("formulas of branching time"),
            Self::Distance => f.write_str("numbers of steps (`COMPUTE`)"),
            Self::Cycles => f.write_str("this property"),
            Self::StrongFairness => f.write_str("strong fairness"),
            Self::Fairness => f.write_str("fairness"),
            Self::Acceptance => f.write_str("the acceptance condition of this property"),
            Self::Tester => f.write_str("`--temporal-by tester` for this property"),
            Self::FairSearch(option) => write!(f, "`{option}` for this property"),
            Self::AcceptanceBy(name) => write!(f, "`--acceptance {name}` for this property"),
            Self::Store(store) => write!(f, "`--store {}`", store.name()),
            Self::Threads => f.write_str("several threads"),
            Self::Shortest => f.write_str("`--shortest`"),
            Self::DepthLimit => f.write_str("`--depth`"),
            Self::KeepGoing => f.write_str("`--keep-going`"),
            Self::Profile => f.write_str("`--profile` and `--coverage`"),
            Self::Choices => f.write_str("this many choices in one step"),
            Self::Size => f.write_str("states of this size"),
            Self::Code => f.write_str("`--code`"),
            Self::Native => f.write_str("`--code native`"),
            Self::Reduction => f.write_str("`--por on`"),
            Self::Runs => f.write_str("`--runs`"),
            Self::Disk => f.write_str("`--disk`"),
            Self::Order => f.write_str("`--order`"),
            Self::Heuristic => f.write_str("`--heuristic`"),
            Self::OrderFile => f.write_str("the file of `--order`"),
            Self::GraphLimit => f.write_str("a limit on the graph"),
            Self::Space => f.write_str("models written in Rust"),
            Self::Machine => f.write_str("this machine"),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is not supported", self.feature)?;
        self.why.as_ref().map_or(Ok(()), |why| write!(f, ": {why}"))
    }
}
