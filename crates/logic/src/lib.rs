//! Temporal logic: LTL with past, CTL and CTL*. Nothing here knows a model or an automaton: propositions are numbers
//! with a text, and what the text means is for the front end of the model's language to say.
//!
//! A text becomes a [`Formula`] by [`parse`] and a text again by [`print`](fn@print), in the spelling of SPIN, NuSMV or
//! Spot.

mod classify;
mod evaluate;
mod formula;
mod measure;
mod nnf;
mod parse;
mod print;
mod propositions;
mod simplify;
mod word;

pub use classify::{Class, Classes, Logic};
pub use evaluate::{Truth, holds, truth};
pub use formula::{Formula, PropId};
pub use nnf::FormulaTooLarge;
pub use parse::{Dialect, MAX_DEPTH, MAX_SIZE, ParseOptions, parse, recognise};
pub use print::print;
pub use propositions::{Proposition, Propositions};
pub use word::{LassoWord, Letter};
