//! What NuSMV accepts and refuses, where the corpus is at hand (`../shared` beside the project).

use lariat_base::SourceMap;
use lariat_smv::read_model;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn corpus() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/smv");
    if folder.is_dir() {
        return Some(folder);
    }
    let needed = std::env::var("LARIAT_NEEDS_CORPUS").is_ok_and(|value| value == "1");
    assert!(!needed, "no corpus in {}", folder.display());
    println!("skipped: no corpus");
    None
}

fn models(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "smv"));
    paths.sort();
    paths
}

/// What is told of a model, the first line of each error.
fn refusal(path: &Path) -> Option<Vec<String>> {
    let text = std::fs::read_to_string(path).expect("a text");
    let mut sources = SourceMap::default();
    match read_model(&mut sources, &path.display().to_string(), &text) {
        Ok(_) => None,
        Err(found) => {
            let told = found.iter().map(|d| format!("{}: {} {}", sources.line(d.span), d.code, d.message));
            Some(told.collect())
        }
    }
}

#[test]
fn refused_is_what_nusmv_refuses() {
    let Some(folder) = corpus() else { return };
    let folder = folder.join("semantics");
    let table = std::fs::read_to_string(folder.join("expected.tsv")).expect("a table");
    let wrong_models: BTreeSet<&str> = table
        .lines()
        .filter_map(|line| {
            let mut cells = line.split('\t');
            let (file, what) = (cells.next()?, cells.next()?);
            (what == "error").then_some(file)
        })
        .collect();
    let mut differences = Vec::new();
    for path in models(&folder) {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        match (refusal(&path), wrong_models.contains(&*name)) {
            (None, true) => differences.push(format!("{name} is accepted")),
            (Some(told), false) => differences.push(format!("{name} is refused: {told:?}")),
            (Some(told), true) => println!("{name}: {}", told.join("; ")),
            (None, false) => {}
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn larger_models_are_accepted() {
    let Some(folder) = corpus() else { return };
    for part in ["nusmv", "fairness", "known-bugs"] {
        for path in models(&folder.join(part)) {
            assert_eq!(refusal(&path), None, "{}", path.display());
        }
    }
}
