//! Systems that run: a [`System`](lariat_system::System) is compiled into a [`Program`], a state space that works
//! directly on packed words.
//!
//! * `fold`, `emit`, `places`, `code`: expressions and updates become instructions.
//! * `interpret`: the machine that runs them.
//! * `dispatch`: which actions to look at, by where control is.
//! * `choices`: the values that guards leave open.
//! * `compile`: an action as data, and the whole program.
//! * `walk`: what can fire in a state, written as `records` (each begins with its `head`).
//! * `path`, `chain`, `memory`, `seen`: ranks, atomic sequences, reports.
//! * `program`: the state space. `native`: the same by machine code. `tiered`: first one, then the other. `backend`: which.
//!
//! The meaning is that of the reference evaluator and nothing else: [`first_difference`] compares the two state by state,
//! and the tests do so on random systems.

mod backend;
mod chain;
mod choices;
mod code;
mod compare;
mod compile;
mod dispatch;
mod emit;
mod fold;
mod head;
mod interpret;
mod memory;
#[cfg(feature = "native")]
mod native;
mod path;
mod places;
mod program;
mod records;
mod seen;
#[cfg(feature = "native")]
mod tiered;
mod walk;

pub use backend::{Backend, SpaceVisitor, native_obstacle, with_program, with_program_noting_cuts};
pub use compare::first_difference;
pub use compile::{CompileError, Program};
#[cfg(feature = "native")]
#[doc(hidden)]
pub use native::Spread;
#[cfg(feature = "native")]
pub use native::{NativeError, NativeProgram};
pub use program::Scratch;
#[cfg(feature = "native")]
pub use tiered::Tiered;
