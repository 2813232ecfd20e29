//! Models written in Rust.
//!
//! A model says what its states are, what can happen in them and what formulas can speak of; see [`Model`]. [`check`] settles a
//! property of it by the same engines that check Promela and SMV. Every run in an answer was made again by calling the model
//! afresh, and the property and the fairness evaluated on it.
//!
//! ```
//! use lariat::rust::{CheckOptions, Model, Property, Propositions, check};
//!
//! /// Counts up to a limit and begins again.
//! struct Counter {
//!     limit: u8,
//! }
//!
//! impl Model for Counter {
//!     type State = u8;
//!     type Action = &'static str;
//!
//!     fn initial(&self) -> Vec<u8> {
//!         vec![0]
//!     }
//!     fn actions(&self, _: &u8, found: &mut Vec<&'static str>) {
//!         found.extend(["count", "wait"]);
//!     }
//!     fn next(&self, count: &u8, action: &&'static str) -> Option<u8> {
//!         Some(if *action == "wait" { *count } else { (count + 1) % self.limit })
//!     }
//!     fn propositions(&self, found: &mut Propositions<Self>) {
//!         found.state("zero", |_, count| *count == 0);
//!         found.step("counts", |_, _, action| *action == "count");
//!     }
//! }
//!
//! # fn main() -> Result<(), lariat::CheckError> {
//! let control = lariat::Limits::default().control();
//! let again = Property::ltl("again", "[]<> zero");
//! let settled = check(&Counter { limit: 3 }, &again, &CheckOptions::default(), &control)?;
//! assert!(settled.counterexample().is_some_and(|run| run.loop_start.is_some()), "it may wait for ever");
//!
//! let fairly = again.strongly_fair_steps("counts");
//! assert!(check(&Counter { limit: 3 }, &fairly, &CheckOptions::default(), &control)?.holds());
//! # Ok(())
//! # }
//! ```

mod check;
mod model;
mod pack;
mod property;
mod replay;
mod space;

pub use check::{CheckOptions, Settled, SettledModel, check};
pub use lariat_system::{Fairness, Occasion, Strength, Who};
pub use model::{Model, Propositions};
pub use pack::{List, Pack, Packer, Unpacker};
pub use property::Property;
use property::Stated;
pub use replay::{ModelRun, ModelStep, RunOf};
