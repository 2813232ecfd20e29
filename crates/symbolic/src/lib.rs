//! Systems as functions on bits.
//!
//! A state is a row of bits, laid out as [`Layout`](lariat_system::Layout) says: bit `i` of the packed words is state
//! variable `i`. The [`Encoder`] turns guards, effects, ranks, traps and labels of a system into functions of those
//! bits, over any [`BitAlgebra`]: plain truth values ([`Bools`]) evaluate them, decision diagrams represent them.
//!
//! It is a second reading of the intermediate form: written straight from the [`System`](lariat_system::System), it
//! shares nothing with the reference evaluator but the layout and the intervals. [`BitSpace`] walks a system by the
//! encoder over [`Bools`], so that the two readings can be compared step by step.

mod algebra;
mod arithmetic;
mod bit_space;
mod bit_vec;
mod diagrams;
mod encoder;
mod engine;
mod sets;
mod supports;

pub use algebra::{BitAlgebra, BitFunctions, Bools, Variable};
pub use arithmetic::{binary, unary, wrap};
pub use bit_space::BitSpace;
pub use bit_vec::{BitVec, width_of};
pub use diagrams::{Capacity, Diagram, Diagrams, Figures};
pub use encoder::{Binding, ChoiceValue, Contest, Encoder};
pub use engine::Symbolic;
pub use sets::{BddSets, MOST_BINDINGS, NoSets};
