//! The tests of `system`, as one program: it links once.

mod long_sequences;
mod text_form;
