//! Models written in Rust.
//!
//! A model says what its states are, what can happen in them and what formulas can speak of; see [`Model`]. A [`Check`] settles a
//! property of it by the same engines that check Promela and SMV. Every run in an answer was made again by calling the model
//! afresh, and the property and the fairness evaluated on it.
//!
//! ```
//! use lariat::rust::{Check, Fairness, Model, Propositions, Who};
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
//! let counter = Counter { limit: 3 };
//! let settled = Check::of(&counter).ltl("[]<> zero").run()?;
//! assert!(settled.counterexample().is_some_and(|run| run.loop_start.is_some()), "it may wait for ever");
//!
//! let counts = Fairness::strong(Who::Steps("counts".to_owned()));
//! assert!(Check::of(&counter).ltl("[]<> zero").fair(counts).run()?.holds());
//! # Ok(())
//! # }
//! ```

mod builder;
mod check;
mod model;
mod pack;
mod property;
mod replay;
mod space;

pub use builder::Check;
pub use check::{CheckOptions, Settled, SettledModel, check};
pub use lariat_system::{Fairness, Occasion, Strength, Who};
pub use model::{Model, Propositions};
pub use pack::{List, Pack, Packer, Unpacker};
pub use property::Property;
use property::Stated;
pub use replay::{ModelRun, ModelStep, RunOf};
