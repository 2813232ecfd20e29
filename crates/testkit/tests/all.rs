//! The tests of `testkit`, as one program: it links once.

mod laws;
mod making_small;
mod random_coverage;
mod shrinking;
mod support;
mod text_form;
mod tidy;
