//! What will be done to settle a property, as data: shown by `--plan`, and sealed into run directories.

use crate::{CodeKind, StoreKind, Task};
use lariat_base::document;
use lariat_base::document::{Described, Shape};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

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

impl Described for ObjectivePlan {
    fn shape() -> Shape {
        Shape::Word(&["bad_prefix", "accepting_cycle", "rejecting_cycle"])
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
        /// Where to put what memory has no room for.
        required disk: Vec<PathBuf>,
        /// How deep to look at most.
        always depth_limit: Option<u64>,
        /// Whether the search goes on past failures.
        required keep_going: bool,
    }
}

document! {
    /// What will be done to settle one property: shown by `--plan`.
    pub struct PropertyPlan {
        /// The property's name.
        required property: String,
        /// The first search.
        required first: SearchChoice,
        /// What follows when memory is full, if that was asked for.
        always when_full: Option<SearchChoice>,
    }
}

document! {
    /// A search, and why it is this one.
    pub struct SearchChoice {
        /// What will be done.
        required plan: Plan,
        /// What was considered first, each with the reason why not.
        required considered: Vec<Considered>,
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
    /// The plan of an engine for a task that it searches in this way; without a product.
    pub fn new(engine: &str, task: &Task<'_>, algorithm: impl Into<String>) -> Self {
        let options = &task.options;
        Self {
            engine: engine.to_owned(),
            program: task.system().map(|system| ProgramPlan {
                code: options.code,
                pool_size: system.pool_size,
                pool_may_grow: options.pool_may_grow,
            }),
            reduction: options.reduce,
            product: None,
            search: SearchPlan {
                algorithm: algorithm.into(),
                store: Some(options.store),
                threads: options.threads,
                runs: options.runs,
                disk: options.disk.as_ref().map_or(Vec::new(), |disk| disk.folders.clone()),
                depth_limit: options.depth_limit,
                keep_going: options.keep_going,
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
}
