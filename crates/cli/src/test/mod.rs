//! `lariat test`: model files that state their own answers, in files and folders.
//!
//! Each run of a file is checked as `lariat check` would check it with the options of its `with:` lines, and what was observed is
//! compared with its `expect:` lines. Counts of states and transitions are those of the whole graph; traces are shortest ones
//! where a line speaks of their length. The syntax is in docs/test.md.

mod format;
pub(crate) mod observe;
mod update;

use crate::exit::{Exit, start};
use crate::output;
use clap::Args;
use lariat::front::FrontEnds;
use lariat::{Engines, RunControl};
use lariat_base::UnsavedTexts;
use lariat_expect::{Case, Mismatch, model_files};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lariat test models/                  all models of a folder that state their answers
  lariat test mutex.pml --update       write what was observed into the file
  lariat test --format junit > out.xml for a CI server

A model states its answers in comments:
  // with: -D N=2..4 --fairness weak   options; a sweep stands for several runs
  // expect: holds safety
  // expect: fails mutex, assertion, trace <= 7
  // expect N=3: states 41

Exit codes: 0 all answers are as stated, 1 an answer differs, 2 usage or model error, 70 an internal error.")]
pub(crate) struct TestArgs {
    /// Model files and folders [default: the current folder]
    #[arg(value_hint = clap::ValueHint::AnyPath)]
    paths: Vec<PathBuf>,
    /// How to print the results: `pretty` (a table), or for CI: `junit`, `sarif`, `github`, `tap`
    #[arg(long, value_name = "F", default_value = "pretty", value_parser = format::parser())]
    format: format::Format,
    /// Write the observed answers into the files
    #[arg(long)]
    update: bool,
}

/// The engines that check, and the languages that are read.
pub(crate) struct By {
    pub(crate) engines: Engines,
    pub(crate) front_ends: FrontEnds,
    /// Texts that stand for files.
    pub(crate) unsaved: UnsavedTexts,
    /// The limits, in place of those that the files state.
    pub(crate) control: Option<Arc<RunControl>>,
}

/// One run of a file, and what came of it.
pub(crate) struct Outcome {
    pub(crate) path: PathBuf,
    /// `N=3`, if it is one of several runs.
    pub(crate) label: String,
    /// What was stated, by line and text.
    pub(crate) stated: Vec<(u32, String)>,
    /// Whether the statements were compared with answers: not if the model or the options were refused.
    pub(crate) was_checked: bool,
    /// What was not so, or what is wrong with the file.
    pub(crate) mismatches: Vec<Mismatch>,
    /// The number of states, if they were counted.
    pub(crate) states: Option<u64>,
    pub(crate) time: Duration,
}

pub(crate) fn run(arguments: TestArgs, engines: &Engines, front_ends: &FrontEnds) -> Exit {
    let (engines, front_ends) = (engines.clone(), front_ends.clone());
    let by = By { engines, front_ends, unsaved: UnsavedTexts::default(), control: None };
    // Deep expressions are walked by recursion.
    start("test", move || test(&arguments, &by)).join().unwrap_or(Exit::Bug)
}

fn test(arguments: &TestArgs, by: &By) -> Exit {
    let here = [PathBuf::from(".")];
    let paths = if arguments.paths.is_empty() { &here[..] } else { &arguments.paths };
    let mut files: Vec<(PathBuf, &'static str, bool)> = Vec::new();
    for path in paths {
        if path.is_dir() {
            let (found, unread) = model_files(path, &|path| by.front_ends.comment_of(path));
            if let Some(unread) = unread.first() {
                output::complain(&format!("cannot read the folder `{}`: {}", unread.path.display(), unread.message));
                return Exit::Usage;
            }
            files.extend(found.into_iter().map(|(path, comment)| (path, comment, false)));
            continue;
        }
        let Some(comment) = by.front_ends.comment_of(path) else {
            let endings = by.front_ends.endings();
            output::complain(&format!("`{}` is neither a folder nor a model ({endings})", path.display()));
            return Exit::Usage;
        };
        files.push((path.clone(), comment, true));
    }
    let mut outcomes = Vec::new();
    for (path, comment, named) in files {
        match test_file(&path, comment, named, arguments.update, by) {
            Ok(found) => outcomes.extend(found),
            Err(message) => {
                output::complain(&message);
                return Exit::Usage;
            }
        }
    }
    if outcomes.is_empty() {
        output::complain("no model here states its answers; a line `// expect: holds safety` does");
        return Exit::Usage;
    }
    let printed = output::print(&format::text(arguments.format, &outcomes, output::stdout_style()));
    let differs = outcomes.iter().any(|outcome| !outcome.mismatches.is_empty());
    printed.max(if differs { Exit::Fails } else { Exit::Holds })
}

/// The outcomes of all runs of a file; none for a file that states nothing, unless it was named. An error if the file cannot be
/// read or written.
fn test_file(path: &Path, comment: &'static str, named: bool, updating: bool, by: &By) -> Result<Vec<Outcome>, String> {
    let wrong = |what: &str, error: std::io::Error| format!("cannot {what} `{}`: {error}", path.display());
    let text = match std::fs::read(path) {
        // Other encodings are read as models are: statements are ASCII.
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) => return Err(wrong("read", error)),
    };
    if updating && text.contains(char::REPLACEMENT_CHARACTER) {
        let path = path.display();
        return Err(format!(
            "`{path}` is not in UTF-8, so `--update` would spoil its other characters: convert it first"
        ));
    }
    if updating && named && !text.contains("expect") {
        let new = update::first_lines(path, comment, &text, by)?;
        std::fs::write(path, &new).map_err(|error| wrong("write", error))?;
        return test_file(path, comment, named, false, by);
    }
    let case = match Case::parse(path, comment, text) {
        Ok(case) => case,
        // A model of a folder that states nothing is no test.
        Err(mistakes) if !named && mistakes.iter().all(|mistake| mistake.message.starts_with("the file states no")) => {
            return Ok(Vec::new());
        }
        Err(mismatches) => {
            let (path, time) = (path.to_owned(), Duration::ZERO);
            return Ok(vec![Outcome {
                path,
                label: String::new(),
                stated: Vec::new(),
                was_checked: false,
                mismatches,
                states: None,
                time,
            }]);
        }
    };
    let mut observations = Vec::new();
    let mut outcomes = Vec::new();
    for (run, case) in case.runs() {
        let begin = Instant::now();
        let properties = case.properties().into_iter().map(str::to_owned).collect();
        let observed = observe::observe(&case, by, properties);
        let mut mismatches = match &observed {
            Ok(observed) => case.compare(observed),
            Err(message) => vec![Mismatch { path: path.to_owned(), line: 1, message: message.clone() }],
        };
        if !run.label.is_empty() {
            mismatches
                .iter_mut()
                .for_each(|mismatch| mismatch.message = format!("with {}: {}", run.label, mismatch.message));
        }
        let stated = case.expectations.iter().map(|stated| (stated.line, stated.expected.to_string())).collect();
        let was_checked = observed.as_ref().is_ok_and(|observed| !case.is_refused(observed));
        let states = observed.as_ref().ok().and_then(|observed| observed.states);
        outcomes.push(Outcome {
            path: path.to_owned(),
            label: run.label,
            stated,
            was_checked,
            mismatches,
            states,
            time: begin.elapsed(),
        });
        observations.push((case, observed));
    }
    if updating && outcomes.iter().any(|outcome| !outcome.mismatches.is_empty()) {
        let new = update::updated(&case, &observations)?;
        if new != case.text {
            std::fs::write(path, &new).map_err(|error| wrong("write", error))?;
            return test_file(path, comment, named, false, by);
        }
    }
    Ok(outcomes)
}
