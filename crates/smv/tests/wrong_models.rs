//! Models with a mistake each: `-- expect: error CODE` says which, and `-- says: words` what the author must be told, in
//! the message or in the help.

use lariat_base::{Diagnostic, SourceMap};
use lariat_smv::read_model;
use lariat_testkit::check_mistakes;
use std::path::Path;

/// What is wrong with a text; nothing if it is a model.
fn mistakes(name: &str, text: &str) -> (SourceMap, Vec<Diagnostic>) {
    let mut sources = SourceMap::default();
    let read = read_model(&mut sources, name, text);
    let wrong = match read.and_then(|model| model.system()) {
        Ok(_) => Vec::new(),
        Err(diagnostics) => diagnostics.into_iter().filter(Diagnostic::is_error).collect(),
    };
    (sources, wrong)
}

#[test]
fn every_mistake_is_told_where_it_is_and_how_to_mend_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mistakes");
    assert!(check_mistakes(&folder, "--", mistakes) >= 30);
}
