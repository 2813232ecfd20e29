//! Fixpoints over sets of states: reachability, safety, invariants, CTL, CTL* and properties of linear time under fairness, and
//! numbers of steps, with the runs that show them.
//!
//! Everything is written once, over [`StateSets`](lariat_space::StateSets), and knows neither decision diagrams nor
//! graphs. A [`Stepper`] finds the actions of a step where a run is to be shown. The engine [`Graph`] is here too: it writes a
//! graph out and uses the fixpoints on it.

mod acceptance;
mod answer;
mod bottom;
mod chain;
mod compassion;
mod components;
mod ctl;
mod distance;
mod extended;
mod fairness;
mod feasible;
mod graph;
mod how;
mod invariant;
mod lasso;
mod narrowed;
mod path;
mod product;
mod reach;
mod runs;
mod slip;
mod stepper;
mod temporal;
mod tester;
mod witness;
mod written;

pub use answer::{Answer, answer};
pub use ctl::{Checker, FairStates};
pub use distance::measure;
pub use extended::Extended;
pub use fairness::{Condition, Constraint, constraints_of, meaning_of};
pub use graph::{Graph, ensure_ctl, is_about_sets};
pub use how::{How, fair_search};
pub use invariant::Invariant;
pub use path::{Layers, path_between};
pub use reach::{Rings, breadth_first, failing};
#[doc(hidden)]
pub use slip::{Slip, make_slip, slips};
pub use stepper::{SpaceStepper, Stepper};
pub use temporal::{LinearTime, ensure_linear};
pub use witness::Explainer;
