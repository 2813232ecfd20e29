//! What tests of the other crates are made with: random systems and formulas, shrinking of those on which a test fails, deliberate
//! mistakes to try the tests themselves with, and model files that state their own answers. For tests only: nothing of it belongs in a program.

mod automata;
mod bisimulation;
mod cases;
mod check;
mod formulas;
mod front_end;
mod mutate;
pub mod oracle;
mod random;
mod reduction;
mod rng;
mod shrink;
mod text;
mod toy;

pub use automata::check_automata;
pub use bisimulation::{Compared, compare_simplified};
pub use cases::TemporalCase;
pub use check::check_random_systems;
pub use formulas::{FormulaKnobs, check_random_formulas, random_ctl, random_formula, random_word, shrink_formula};
pub use front_end::{check_almost_models, check_kept_texts, check_mistakes};
pub use lariat_expect as file_test;
pub use mutate::Mutation;
pub use random::{CONDITIONS, Knobs, RandomSystem, random_model, random_talkers, with_private_steps};
pub use reduction::Reduction;
pub use rng::Rng;
pub use shrink::shrink;
pub use text::{mutate_text, shrink_text};
pub use toy::{Doubling, ToyGraph};

/// What [`toy_space!`] refers to.
#[doc(hidden)]
pub use lariat_space as space;
