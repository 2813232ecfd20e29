//! What will be done to settle a property, as data: shown by `--plan`, and sealed into run directories.

use crate::{CodeKind, StoreKind, Task};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// How an engine settles a task. An engine makes one for a task it can run, and for no other.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Plan {
    /// The engine's name.
    pub engine: String,
    /// How the system is run.
    pub program: ProgramPlan,
    /// Whether steps are left out whose order makes no difference.
    pub reduction: bool,
    /// What the system is combined with, for a temporal property.
    pub product: Option<ProductPlan>,
    /// How the graph is searched.
    pub search: SearchPlan,
}

/// How a system is run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ProgramPlan {
    /// As machine code or interpreted.
    pub code: CodeKind,
    /// For how many processes there is room.
    pub pool_size: u16,
    /// Whether that is a guess: with too many processes the search begins again with more room.
    pub pool_may_grow: bool,
}

/// The product of a system with the automaton of a property.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ProductPlan {
    /// What is looked for in it.
    pub objective: ObjectivePlan,
    /// How many states the automaton has.
    pub automaton_states: usize,
    /// How many fairness constraints the system has.
    pub fairness_constraints: usize,
    /// Whether several acceptance sets are visited in turn, with a copy of the product for each.
    pub copies: bool,
}

/// What is looked for in a product.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ObjectivePlan {
    /// A state from which every run is bad.
    BadPrefix,
    /// An accepting cycle of the automaton of the bad runs.
    AcceptingCycle,
    /// A cycle that the automaton of the good runs does not accept.
    RejectingCycle,
}

/// How a graph is searched.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SearchPlan {
    /// The order of the search or its algorithm, in a few words.
    pub algorithm: String,
    /// How visited states are remembered.
    pub store: StoreKind,
    /// How many threads search.
    pub threads: usize,
    /// How often it is searched, with different hash functions.
    pub runs: u32,
    /// Where the stack goes for which memory has no room.
    pub disk: Option<PathBuf>,
    /// How deep to look at most.
    pub depth_limit: Option<u64>,
    /// Whether the search goes on past failures.
    pub keep_going: bool,
}

/// What will be done to settle one property: shown by `--plan`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PropertyPlan {
    /// The property's name.
    pub property: String,
    /// The first search.
    pub first: SearchChoice,
    /// What follows when memory is full, if that was asked for.
    pub when_full: Option<SearchChoice>,
}

/// A search, and why it is this one.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SearchChoice {
    /// What will be done.
    pub plan: Plan,
    /// What was considered first, each with the reason why not.
    pub considered: Vec<Considered>,
}

/// An engine that was considered and not taken.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Considered {
    /// Its name.
    pub engine: String,
    /// What it does not support.
    pub unsupported: String,
    /// Why, if that does not speak for itself.
    pub why: Option<String>,
}

impl Plan {
    /// The plan of an engine for a task that it searches in this way; without a product.
    pub fn new(engine: &str, task: &Task<'_>, algorithm: impl Into<String>) -> Self {
        let options = &task.options;
        Self {
            engine: engine.to_owned(),
            program: ProgramPlan {
                code: options.code,
                pool_size: task.system.pool_size,
                pool_may_grow: options.pool_may_grow,
            },
            reduction: options.reduce,
            product: None,
            search: SearchPlan {
                algorithm: algorithm.into(),
                store: options.store,
                threads: options.threads,
                runs: options.runs,
                disk: options.disk.clone(),
                depth_limit: options.depth_limit,
                keep_going: options.keep_going,
            },
        }
    }
}
