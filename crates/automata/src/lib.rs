//! Omega-automata: sets of marks and acceptance conditions, which every observer and every fairness constraint is
//! expressed in; automata over them; their construction from formulas of linear time.

mod acceptance;
mod analysis;
mod automaton;
mod breakpoint;
mod components;
mod degeneralize;
mod determinize;
mod dot;
mod emptiness;
mod guards;
mod hash;
mod hierarchy;
mod hoa;
mod lasso_reader;
mod limits;
mod marks;
mod monitor;
mod never;
mod obligation;
mod product;
mod reduce;
mod stutter;
mod translate;
mod word;

pub use acceptance::Acceptance;
pub use analysis::{Analysis, ComponentKind, Strength, follows_every_word};
pub use automaton::{Automaton, Edge, StateId};
pub use breakpoint::complement_of_weak;
pub use components::Components;
pub use degeneralize::degeneralize;
pub use dot::{guard_texts, write_dot};
pub use emptiness::{AcceptingPart, accepting_part, accepting_part_of, is_empty};
pub use guards::{Cube, Guard, Guards, Literal, Variable};
pub use hierarchy::Hierarchy;
pub use hoa::{acceptance_name, read_hoa, read_hoa_with_places, write_hoa};
pub use lasso_reader::{LassoReader, ReaderState};
pub use limits::{TooLarge, TranslateOptions};
pub use marks::{Mark, MarkSet};
pub use monitor::monitor;
pub use never::{NotBuchi, read_never, write_never};
pub use obligation::minimize_obligation;
pub use product::{intersection, union};
pub use reduce::{
    Direction, OffCycles, better_start, reduce, reduce_by_simulation, settle_marks, simplify_acceptance, trim,
};
pub use stutter::is_stutter_invariant;
pub use translate::{to_buchi, translate};
pub use word::{accepted_word, accepts};
