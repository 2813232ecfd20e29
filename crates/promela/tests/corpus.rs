//! Every Promela model of the shared corpus is read without an error (embedded C aside), with the options its row in
//! `conformance/expected.tsv` asks for. Without a corpus there is nothing to read, which is a failure only where
//! `LARIAT_NEEDS_CORPUS=1` says so.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use lariat_base::SourceMap;
use lariat_promela::{Options, parse_model};

fn models(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let extension = path.extension().and_then(|extension| extension.to_str());
        if path.is_dir() {
            models(&path, found);
        } else if matches!(extension, Some("pml" | "spin" | "prm" | "pr" | "promela")) {
            found.push(path);
        }
    }
}

/// Options by the model's path in the corpus.
fn flags(corpus: &Path) -> HashMap<PathBuf, Vec<(String, String)>> {
    let table = std::fs::read_to_string(corpus.join("conformance/expected.tsv")).unwrap_or_default();
    let mut flags = HashMap::new();
    for row in table.lines().skip(1) {
        let mut columns = row.split('\t');
        let (Some(file), Some(options)) = (columns.next(), columns.next()) else { continue };
        let defines = options.split_whitespace().filter_map(|option| option.strip_prefix("-D"));
        let define = |text: &str| match text.split_once('=') {
            Some((name, body)) => (name.to_string(), body.to_string()),
            None => (text.to_string(), "1".to_string()),
        };
        flags.insert(corpus.join("conformance").join(file), defines.map(define).collect());
    }
    flags
}

#[test]
fn every_model_of_the_corpus_is_read() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/promela");
    let mut paths = Vec::new();
    models(&corpus, &mut paths);
    let flags = flags(&corpus);
    if paths.is_empty() && flags.is_empty() {
        let needed = std::env::var("LARIAT_NEEDS_CORPUS").is_ok_and(|value| value == "1");
        assert!(!needed, "no corpus in {}", corpus.display());
        println!("skipped: no corpus");
        return;
    }
    let missing: Vec<_> = flags.keys().filter(|path| !paths.contains(path)).collect();
    assert!(missing.is_empty(), "the table lists models that are not there: {missing:?}");
    let mut complaints = Vec::new();
    for path in &paths {
        let text = String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
        let mut sources = SourceMap::default();
        let options = Options { defines: flags.get(path).cloned().unwrap_or_default() };
        let folder = path.parent().unwrap().to_path_buf();
        let parsed = parse_model(&mut sources, &path.display().to_string(), &text, &options, &mut |include, _| {
            let text = std::fs::read_to_string(folder.join(include)).map_err(|error| error.to_string())?;
            Ok((include.to_string(), text))
        });
        for diagnostic in parsed.diagnostics.iter().filter(|diagnostic| diagnostic.is_error()) {
            let place = sources.file(diagnostic.span.file).map_or("", |file| file.name.as_str());
            complaints.push(format!("{place}:{}: {}", sources.line(diagnostic.span), diagnostic.message));
        }
    }
    assert!(complaints.is_empty(), "{} models, complaints:\n{}", paths.len(), complaints.join("\n"));
}
