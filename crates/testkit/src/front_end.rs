//! What every front end is tested with: models with one mistake each, texts on which it failed once, and almost-models.

use crate::file_test::{Observed, run_folder};
use crate::{Rng, mutate_text, shrink_text};
use lariat_base::{Diagnostic, SourceMap};
use std::panic::{RefUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

/// No text of a folder may take longer than this.
const MOST_TIME: Duration = Duration::from_secs(10);
/// How long almost-models are tried for.
const FUZZ_TIME: Duration = Duration::from_secs(1);

/// Reads every model of a folder and compares its errors with what it states: `expect: error CODE` lines name all of them,
/// and `says: words` lines name words of the message, a note or the help. `comment` begins a line of comment; `read` returns
/// the errors of a text. The number of models.
pub fn check_mistakes(
    folder: &Path,
    comment: &'static str,
    read: impl Fn(&str, &str) -> (SourceMap, Vec<Diagnostic>),
) -> usize {
    let says = format!("{comment} says: ");
    let count = run_folder(folder, &|_| Some(comment), &mut |case| {
        let name = case.path.display().to_string();
        let (sources, errors) = read(&name, &case.text);
        let messages: Vec<&str> = errors.iter().flat_map(words_of).collect();
        let messages = messages.join("\n");
        for words in case.text.lines().filter_map(|line| line.strip_prefix(&says)) {
            assert!(messages.contains(words), "{name} does not say {words:?} but\n{messages}");
        }
        for error in &errors {
            assert!(sources.location(error.span).is_some(), "{name}: {} has no place", error.message);
        }
        let is_stated = |error: &Diagnostic| case.text.contains(&format!("expect: error {}\n", error.code));
        let unstated: Vec<&Diagnostic> = errors.iter().filter(|error| !is_stated(error)).collect();
        assert!(unstated.is_empty(), "{name}: {unstated:?}");
        Observed::refused(errors.iter().map(|error| error.code))
    });
    count.expect("every statement is true")
}

/// The message of a diagnostic, its notes and its help.
fn words_of(diagnostic: &Diagnostic) -> impl Iterator<Item = &str> {
    let notes = diagnostic.notes.iter().map(|note| note.message.as_str());
    notes.chain(diagnostic.help.as_deref()).chain([diagnostic.message.as_str()])
}

/// Gives every text of a folder to a front end, which must neither panic nor take long.
pub fn check_kept_texts(folder: &Path, front_end: impl Fn(&[u8])) {
    for (name, text) in texts(folder) {
        println!("{name}");
        let start = Instant::now();
        front_end(&text);
        assert!(start.elapsed() < MOST_TIME, "{name} took {:?}", start.elapsed());
    }
}

/// Gives almost-models to a front end for a second: the seeds and the models of a folder, with mistakes made of `words`.
/// `is_model` says whether a text is a model, and must not panic.
pub fn check_almost_models(
    seeds: &[&str],
    folder: &Path,
    words: &[&str],
    is_model: impl Fn(&[u8]) -> bool + RefUnwindSafe,
) {
    let mut seeds: Vec<String> = seeds.iter().map(|&seed| seed.to_owned()).collect();
    seeds.extend(texts(folder).into_iter().map(|(_, text)| String::from_utf8_lossy(&text).into_owned()));
    let mut rng = Rng::new(0);
    let start = Instant::now();
    let (mut rounds, mut models) = (0, 0);
    while start.elapsed() < FUZZ_TIME {
        let text = mutate_text(&mut rng, &seeds, words);
        rounds += 1;
        match catch_unwind(|| is_model(&text)) {
            Ok(is_model) => models += usize::from(is_model),
            Err(_) => {
                let small = shrink_text(&text, 2000, |text| catch_unwind(|| is_model(text)).is_err());
                panic!("the front end fails on\n{}", String::from_utf8_lossy(&small));
            }
        }
    }
    assert!(rounds > 50 && models > 0, "{rounds} rounds, {models} models");
}

/// The files of a folder with their names, in order.
fn texts(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let files = std::fs::read_dir(folder).expect("the folder is there").flatten();
    let read = |path: &Path| (path.display().to_string(), std::fs::read(path).expect("a file can be read"));
    let mut texts: Vec<_> = files.map(|file| read(&file.path())).collect();
    texts.sort();
    texts
}
