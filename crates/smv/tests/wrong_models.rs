//! Models with a mistake each: `-- expect: error CODE` says which, and `-- says: words` what the author must be told, in
//! the message or in the help.

use lariat_base::{Diagnostic, SourceMap};
use lariat_smv::read_model;
use lariat_testkit::file_test::{Observed, run_folder};
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
    let count = run_folder(&folder, &mut |case| {
        let name = case.path.display().to_string();
        let (sources, wrong) = mistakes(&name, &case.text);
        let told: Vec<String> = wrong
            .iter()
            .flat_map(|diagnostic| {
                diagnostic.notes.iter().map(|note| &note.message).chain(&diagnostic.help).chain([&diagnostic.message])
            })
            .cloned()
            .collect();
        let told = told.join("\n");
        for words in case.text.lines().filter_map(|line| line.strip_prefix("-- says: ")) {
            assert!(told.contains(words), "{name} is not told {words:?} but\n{told}");
        }
        for diagnostic in &wrong {
            assert!(sources.location(diagnostic.span).is_some(), "{name}: {} has no place", diagnostic.message);
        }
        let stated = |code: &str| case.text.contains(&format!("expect: error {code}\n"));
        let unstated: Vec<&Diagnostic> = wrong.iter().filter(|diagnostic| !stated(diagnostic.code)).collect();
        assert!(unstated.is_empty(), "{name}: {unstated:?}");
        Observed::refused(wrong.iter().map(|diagnostic| diagnostic.code))
    });
    assert!(count.expect("every statement is true") >= 30);
}
