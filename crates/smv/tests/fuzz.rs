//! Almost-models through the whole front end, for a second; and the texts on which it failed once.
//!
//! `cargo xtask fuzz --smv` does the same for longer.

use lariat_smv::fuzz::{SEEDS, WORDS, front_end};
use lariat_testkit::{check_almost_models, check_kept_texts};
use std::path::Path;

const TESTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests");

#[test]
fn what_failed_once_does_so_no_more() {
    check_kept_texts(&Path::new(TESTS).join("fuzz"), |text| drop(front_end(text)));
}

#[test]
fn almost_models_do_no_harm() {
    check_almost_models(SEEDS, &Path::new(TESTS).join("mistakes"), WORDS, |text| front_end(text).system.is_some());
}
