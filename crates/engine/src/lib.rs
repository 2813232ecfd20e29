//! What it is to settle a property: [`Engine`], [`Task`], [`Verdict`], [`Trace`], [`Replay`].
//!
//! No engine is named here, and nothing here searches. The replay of traces of a [`System`](lariat_system::System) by its
//! reference evaluator is here, because no verdict leaves without it.

mod attendance;
mod control;
mod coverage;
mod follow;
pub mod growth;
mod pace;
mod packing;
pub mod profile;
mod replay;
pub mod retell;
mod settled;
mod story;
mod task;
mod temporal;
mod trace;
mod verdict;

pub use lariat_store::Replacement;

pub use attendance::{Attendance, Loop, Unfair};
pub use control::{Counters, RunControl};
pub use coverage::{Statement, never_taken, statements_of, statements_of_actions};
pub use packing::{Packing, Split};
pub use profile::Profile;
pub use replay::{Replay, ReplayError, SystemReplay};
pub use settled::Settled;
pub use story::{Deed, Event, Story, StoryStep, Told};
pub use task::{AcceptanceKind, CodeKind, Engine, EngineError, Options, Property, Refusal, StoreKind, Task};
pub use temporal::{Demand, Temporal};
pub use trace::{Trace, TraceStep};
pub use verdict::{Evidence, FailureKind, Remembered, Report, Shortfall, Stats, Unproven, Verdict, Watched};
