//! Lariat as a library: read a model, check it or run it, get plain data back.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use lariat::{CheckOptions, Limits, Model, ReadOptions};
//! let mut model = Model::read("mutex.sys".as_ref(), &ReadOptions::default()).map_err(|_| "not a model")?;
//! let control = Limits::default().control();
//! let checked = lariat::check(&mut model, &CheckOptions::default(), &control)?;
//! assert!(checked.settled.iter().all(|settled| settled.report().verdict == lariat::Verdict::Holds));
//! # Ok(())
//! # }
//! ```
//!
//! This is the only crate that names concrete engines and front ends, and nothing here prints.

mod begun;
mod branching;
mod check;
mod choice;
mod engines;
mod explore;
mod fairness;
mod find_run;
pub mod front;
mod graph;
mod job;
mod machine;
mod misread;
mod model;
mod moved;
mod observed;
mod plan;
mod pool;
mod random;
mod read;
mod reduction;
pub mod rust;
mod search;
mod select;
mod shorten;
mod simulation;
mod temporal;
mod truncation;
mod unbounded;
mod unused;
mod vacuity;
mod value;

pub use check::{
    CheckError, CheckOptions, Checked, CoverageWanted, Listener, Questions, ResumedRun, Simplify, WhenFull, check,
    check_with, plan,
};
pub use engines::{Engines, engines};
pub use explore::{Explorer, MOST_STEPS, NoWalk, Walk, Walked};
pub use fairness::{FairnessOptions, ProcessFairness};
pub use find_run::{ClaimedProperty, RunSearch, SavedTrace, find_run, read_trace};
pub use front::front_ends;
pub use graph::{state_graph, state_graph_around};
pub use lariat_cluster::{Cluster, Network, NetworkOptions, Times, parse_hosts};
pub use lariat_engine::{
    CheckPlan, GraphStep, Options, PropertyPlan, Report, RunControl, Settled, StateGraph, Stats, StepEnd, Verdict,
};
pub use lariat_external::{Manifest, RealFiles, default_folder, read_manifest};
pub use lariat_promela::Overflow;
pub use machine::{Limits, allocated_memory_bytes, default_memory_bytes};
pub use model::{Model, ReadOptions, Rejected};
pub use observed::observed_verdicts;
pub use random::Random;
pub use read::read_statements;
pub use shorten::{Shorter, shorten};
pub use simulation::Simulation;
pub use temporal::observed;
pub use unbounded::{MAX_CHANNEL_BOUND, UnboundedOptions, unbounded};
pub use unused::UnusedOption;
pub use value::StateExpression;
