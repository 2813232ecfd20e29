//! Limits of construction, as values. They count work, not time: the same formula gives the same answer on every machine.

use std::fmt;

/// What a construction may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TranslateOptions {
    /// How many states an automaton may have, at any moment of its construction.
    pub max_states: usize,
    /// How many edges it may have.
    pub max_edges: usize,
    /// How many nodes the diagrams of its guards may have.
    pub max_guard_nodes: usize,
    /// How much work the construction may do, counted in comparisons of formulas and in steps of operations on guards.
    pub max_steps: u64,
    /// How much work reductions may do, counted in comparisons of edges. Beyond it the automaton stays as it is.
    pub max_reduction_steps: u64,
}

impl Default for TranslateOptions {
    fn default() -> Self {
        Self {
            max_states: 50_000,
            max_edges: 200_000,
            max_guard_nodes: 1 << 19,
            max_steps: 6_000_000,
            max_reduction_steps: 3_000_000,
        }
    }
}

/// A construction met a limit and was given up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TooLarge {
    /// More states than allowed.
    States {
        /// The limit.
        limit: usize,
    },
    /// More edges than allowed.
    Edges {
        /// The limit.
        limit: usize,
    },
    /// More work than allowed.
    Steps {
        /// The limit.
        limit: u64,
    },
    /// More work on labels than allowed.
    GuardSteps,
    /// More products in the labels, written as sums of products, than allowed.
    Terms {
        /// The limit.
        limit: usize,
    },
    /// More classes of letters than allowed.
    Letters {
        /// The limit.
        limit: usize,
    },
    /// More states of a machine that reads stems and loops than allowed.
    Lassos {
        /// The limit.
        limit: usize,
    },
    /// More nodes in diagrams of guards than allowed.
    GuardNodes {
        /// The limit.
        limit: usize,
    },
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::States { limit } => write!(f, "the automaton would have more than {limit} states"),
            Self::Edges { limit } => write!(f, "the automaton would have more than {limit} edges"),
            Self::Steps { limit } => write!(f, "the automaton would take more than {limit} steps to construct"),
            Self::GuardSteps => write!(f, "the labels of the automaton take too many steps to construct"),
            Self::Terms { limit } => {
                write!(f, "the labels of the automaton would take more than {limit} products to write")
            }
            Self::Letters { limit } => write!(f, "the labels of the automaton distinguish more than {limit} letters"),
            Self::Lassos { limit } => {
                write!(f, "the machine that reads stems and loops would have more than {limit} states")
            }
            Self::GuardNodes { limit } => write!(f, "the labels of the automaton need more than {limit} nodes"),
        }
    }
}

impl std::error::Error for TooLarge {}
