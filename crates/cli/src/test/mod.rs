//! `lariat test`: model files that state their own answers, in files and folders.
//!
//! Each run of a file is checked as `lariat check` would check it with the options of its `with:` lines, and what was observed is
//! compared with its `expect:` lines. Counts of states and transitions are those of the whole graph; traces are shortest ones
//! where a line speaks of their length. The syntax is in docs/test.md.

mod format;
pub(crate) mod observe;
mod update;

use crate::exit::{Exit, start};
use crate::interrupt::Interrupts;
use crate::output;
use clap::Args;
use lariat::front::FrontEnds;
use lariat::{Engines, RunControl};
use lariat_base::UnsavedTexts;
use lariat_expect::{Case, Mismatch, model_files};
use std::io::IsTerminal;
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
    /// What interrupts the runs that have limits of their own.
    pub(crate) interrupts: Option<Interrupts>,
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
    let interrupts = Some(Interrupts::listen());
    let by = By { engines, front_ends, unsaved: UnsavedTexts::default(), control: None, interrupts };
    // Deep expressions are walked by recursion.
    start("test", move || test(&arguments, &by)).join().unwrap_or(Exit::Bug)
}

fn test(arguments: &TestArgs, by: &By) -> Exit {
    let here = [PathBuf::from(".")];
    let paths = if arguments.paths.is_empty() { &here[..] } else { &arguments.paths };
    let mut files: Vec<(PathBuf, &'static str, bool)> = Vec::new();
    let mut worst = Exit::Holds;
    for path in paths {
        if path.is_dir() {
            let (found, unread) = model_files(path, &|path| by.front_ends.comment_of(path));
            for unread in &unread {
                output::complain(&format!("cannot read the folder `{}`: {}", unread.path.display(), unread.message));
                worst = Exit::Usage;
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
    // All are read first, so that the rows of a table are of one width although each is printed when it is known.
    let count = files.len();
    let tests: Vec<Test> =
        files.into_iter().filter_map(|(path, comment, named)| Test::read(&path, comment, named)).collect();
    if tests.is_empty() && worst == Exit::Holds {
        output::complain("no model here states its answers; a line `// expect: holds safety` does");
        return Exit::Usage;
    }
    let silent = count - tests.len();
    let width = tests.iter().flat_map(Test::names).map(|name| name.chars().count()).max().unwrap_or(0);
    let mut table = format::Table::new(arguments.format, output::stdout_style(), width, silent);
    let mut printed = output::print(&table.head());
    let shows_progress = std::io::stderr().is_terminal();
    let mut outcomes = Vec::new();
    let is_interrupted = || by.interrupts.as_ref().is_some_and(Interrupts::any);
    for (number, test) in tests.iter().enumerate() {
        if is_interrupted() {
            break;
        }
        if shows_progress {
            output::note(&format!("\r\x1b[K[{} of {}] {}", number + 1, tests.len(), test.path.display()));
        }
        let found = match &test.case {
            Read::Unreadable(message) => {
                worst = Exit::Usage;
                let mismatch = Mismatch { path: test.path.clone(), line: 0, message: message.clone() };
                Ok(vec![Outcome::unchecked(&test.path, vec![mismatch])])
            }
            Read::Mistaken(mismatches) if !(arguments.update && test.named && !test.text.contains("expect")) => {
                Ok(vec![Outcome::unchecked(&test.path, mismatches.clone())])
            }
            _ => test_file(test, arguments.update, by),
        };
        if shows_progress {
            output::note("\r\x1b[K");
        }
        match found {
            Ok(found) => {
                found.iter().for_each(|outcome| printed = printed.max(output::print(&table.row(outcome))));
                outcomes.extend(found);
            }
            Err(message) => {
                output::complain(&message);
                worst = Exit::Usage;
            }
        }
    }
    let is_cut_off = is_interrupted();
    printed = printed.max(output::print(&table.rest(&outcomes, is_cut_off)));
    if is_cut_off {
        output::note("interrupted: not all models were tested\n");
        worst = worst.max(Exit::Undecided);
    }
    let differs = outcomes.iter().any(|outcome| !outcome.mismatches.is_empty());
    worst.max(printed).max(if differs { Exit::Fails } else { Exit::Holds })
}

/// A file that is to be tested.
struct Test {
    path: PathBuf,
    comment: &'static str,
    /// Whether it is named on the command line.
    named: bool,
    text: String,
    case: Read,
}

/// What a file states.
enum Read {
    Case(Box<Case>),
    /// What is wrong with its statements.
    Mistaken(Vec<Mismatch>),
    Unreadable(String),
}

impl Test {
    /// Reads the file; nothing if it states nothing and was not named.
    fn read(path: &Path, comment: &'static str, named: bool) -> Option<Self> {
        let (path, text) = (path.to_owned(), lariat::read_statements(path));
        let (text, case) = match text {
            Err(diagnostic) => (String::new(), Read::Unreadable(diagnostic.message)),
            Ok(text) => match Case::parse(&path, comment, text.clone()) {
                Ok(case) => (text, Read::Case(Box::new(case))),
                // A model of a folder that states nothing is no test.
                Err(mistakes)
                    if !named && mistakes.iter().all(|mistake| mistake.message.starts_with("the file states no")) =>
                {
                    return None;
                }
                Err(mistakes) => (text, Read::Mistaken(mistakes)),
            },
        };
        Some(Self { path, comment, named, text, case })
    }

    /// The names of its runs.
    fn names(&self) -> Vec<String> {
        let labels = match &self.case {
            Read::Case(case) => case.runs().into_iter().map(|(run, _)| run.label).collect(),
            Read::Mistaken(_) | Read::Unreadable(_) => vec![String::new()],
        };
        labels.iter().map(|label| format::name(&self.path, label)).collect()
    }
}

impl Outcome {
    /// That of a file that was not checked.
    fn unchecked(path: &Path, mismatches: Vec<Mismatch>) -> Self {
        Self {
            path: path.to_owned(),
            label: String::new(),
            stated: Vec::new(),
            was_checked: false,
            mismatches,
            states: None,
            time: Duration::ZERO,
        }
    }
}

/// The outcomes of all runs of a file, those before an interrupt. An error if the file cannot be updated.
fn test_file(test: &Test, updating: bool, by: &By) -> Result<Vec<Outcome>, String> {
    let Test { path, text, comment, .. } = test;
    let wrong = |error: std::io::Error| format!("cannot write `{}`: {error}", path.display());
    let again = || Test::read(path, comment, true).map_or(Ok(Vec::new()), |test| test_file(&test, false, by));
    if updating && text.contains(char::REPLACEMENT_CHARACTER) {
        let path = path.display();
        return Err(format!(
            "`{path}` is not in UTF-8, so `--update` would spoil its other characters: convert it first"
        ));
    }
    let case = match &test.case {
        Read::Case(case) => case,
        Read::Mistaken(_) if updating && test.named => {
            let new = update::first_lines(path, comment, text, by)?;
            std::fs::write(path, &new).map_err(wrong)?;
            return again();
        }
        Read::Mistaken(mismatches) => return Ok(vec![Outcome::unchecked(path, mismatches.clone())]),
        Read::Unreadable(message) => return Err(message.clone()),
    };
    let mut observations = Vec::new();
    let mut outcomes = Vec::new();
    for (run, case) in case.runs() {
        let begin = Instant::now();
        let properties = case.properties().into_iter().map(str::to_owned).collect();
        let observed = observe::observe(&case, by, properties);
        if by.interrupts.as_ref().is_some_and(Interrupts::any) {
            return Ok(outcomes);
        }
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
        let new = update::updated(case, &observations)?;
        if new != case.text {
            std::fs::write(path, &new).map_err(wrong)?;
            return again();
        }
    }
    Ok(outcomes)
}
