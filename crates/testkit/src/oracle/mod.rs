//! What a temporal property of a small system comes to, found out the slow way.
//!
//! It shares no code with the engines, the product or the automata: [`RunGraph`] writes the system out by the reference
//! evaluator, [`Lassos`](RunGraph::lassos) tries runs one after the other, and [`RunGraph::has_fair_run`] decides by sets of
//! subformulas that are guessed to hold (Lichtenstein and Pnueli 1985) and by trying, of every set of strong constraints,
//! that just these ask for nothing any more. [`RunGraph::states_satisfying`] does the same for formulas of CTL*, quantifier by
//! quantifier. [`nearest_failures`] goes through all states of a system for the nearest failure.

mod failures;
mod fairness;
mod graph;
mod lassos;
mod star;
mod tableau;

pub use failures::{NearestFailures, nearest_failures, nearest_without};
pub use fairness::is_fair;
pub use graph::{GraphLimits, RunGraph, RunStep};
pub use lassos::RunLasso;
