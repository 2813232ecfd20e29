//! What it is to settle a property: [`Engine`], [`Task`], [`Verdict`], [`Trace`], [`Replay`].
//!
//! No engine is named here, and nothing here searches. The replay of traces of a [`System`](lariat_system::System) by its
//! reference evaluator is here, because no verdict leaves without it.

mod automaton_run;
mod branching;
mod control;
mod coverage;
mod decided;
mod distance;
mod fair_search;
mod fairness_steps;
pub mod find_run;
mod follow;
pub mod growth;
mod lift;
mod packing;
mod plan;
pub mod profile;
mod refusal;
mod replay;
mod replay_limits;
mod run_formula;
mod settled;
mod story;
mod subject;
mod task;
mod temporal;
mod trace;
mod verdict;
mod witness_replay;

pub use lariat_store::Replacement;

pub use automaton_run::{AutomatonEdge, AutomatonRun};
pub use branching::{Branching, PartId, RunId, StateFormula, Witness};
pub use control::{Counters, RunControl};
pub use coverage::{Coverage, Covered, Statement, Taken, Unreached, never_taken, statements_of, statements_of_actions};
pub use decided::Watch;
pub use distance::{Distance, Extremum, Quantity};
pub use fair_search::{CompassionBy, FairBy, FairSearch, Prune, Restrict};
pub use fairness_steps::{FairnessSteps, Loop, Unfair};
pub use lift::lifted;
pub use packing::{Packing, Split};
pub use plan::{
    After, CheckPlan, Considered, GraphLimit, NoSearch, ObjectivePlan, Plan, PlanLimits, PlannedSearch, ProductPlan,
    ProgramPlan, PropertyPlan, SearchPlan,
};
pub use profile::Profile;
pub use refusal::{Feature, Refusal};
pub use replay::{Replay, ReplayError, SystemReplay};
pub use run_formula::{RunClaim, RunFormula};
pub use settled::{Replayed, Settled};
pub use story::{Event, Story, StoryItem, StoryStep, TakenAction};
pub use subject::{SpaceLabel, SpaceSubject, Subject};
pub use task::{
    AcceptanceKind, CodeKind, Disk, Engine, EngineError, HeuristicKind, Options, PoolTooSmall, Preference, Prepared,
    Property, RunError, StoreKind, Task, TemporalBy,
};
pub use temporal::{Demand, Temporal};
pub use trace::{Trace, TraceStep};
pub use verdict::{
    Audit, AuditedGraphs, ClusterFigures, ConeFigures, DiskFigures, Evidence, FailureKind, GpuFigures,
    MOST_FURTHER_STEPS, Remembered, Report, Shortfall, Stats, SymbolicFigures, Unproven, Verdict, Watched,
    WorkerFigures,
};
pub use witness_replay::WitnessStory;
