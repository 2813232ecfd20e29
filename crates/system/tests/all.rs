//! The tests of `system`, as one program: it links once.

mod choices;
mod control;
mod intervals;
mod layout;
mod long_sequences;
mod text_form;
mod validation;
