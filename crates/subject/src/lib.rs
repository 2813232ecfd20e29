//! What a task becomes before any engine searches it, and what becomes of what was found.
//!
//! An engine that goes from state to state, in memory, on disk or over many machines, is generic over [`StateSpace`]. Here is
//! the rest of it, the same for all of them:
//!
//! * [`ensure_searchable`] refuses what no search of single states can do; [`with_space`] makes the space of the task, a
//!   compiled system, reduced or not, or a model written in Rust, and gives it to an [`OverSpace`];
//! * [`with_product`] makes the product with the automaton of a property, under fairness; [`bad_prefix`] is for properties
//!   that fail at some moment, [`shortest`] for shortest lassos;
//! * [`Objective`] says what a search has to find, [`CycleGoal`] what it asks of a cycle;
//! * [`StepLimits`] keeps a search within time and memory in the middle of a step;
//! * [`Tally`], [`Failures`] and [`Cycles`] are what a search counts and meets; [`trace_along`] and [`Lift`] make runs of the
//!   subject out of what it found, and [`report`](report()) and [`report_cycles`] make the answer.
//!
//! [`StateSpace`]: lariat_space::StateSpace

pub mod bad_prefix;
mod choices;
mod control_distance;
mod cycles;
mod demands;
mod failures;
mod fairness;
mod limits;
mod objective;
mod product;
mod prolong;
mod reduction;
mod report;
pub mod shortest;
mod space;
mod survey;
mod tally;
mod trace;

pub use choices::{ensure_listable, too_many_ways};
pub use control_distance::{ControlDistances, UNREACHABLE};
pub use cycles::{Cycles, Lasso, Lift, report_cycles};
pub use demands::Demands;
pub use failures::{Failures, Keep, Sighting};
pub use fairness::{acting_label, participant_label};
pub use limits::{Limited, StepLimits};
pub use objective::{CycleGoal, Objective, ensure_sets_decide};
pub use product::with_product;
pub use prolong::prolonged;
pub use reduction::{ensure_sound, reduction_obstacle};
pub use report::{Ending, Memory, Traces, report};
pub use space::{OverSpace, ensure_search_options, ensure_searchable, ensure_undirected, state_bits, with_space};
pub use survey::{Survey, survey};
pub use tally::{Stop, Tally, work_of};
pub use trace::{Lister, steps_along, trace_along, trace_step};
