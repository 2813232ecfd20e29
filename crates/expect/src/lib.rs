//! Model files that state their own answers.
//!
//! A test is a model with lines such as
//!
//! ```text
//! // with: -D N=2..4 --fairness weak
//! // expect: holds safety
//! // expect: fails mutex, assertion, trace <= 7
//! // expect: undecided liveness
//! // expect: computes latency, 12
//! // expect: states 41
//! // expect N=3: states 118
//! // expect: transitions 50
//! // expect: unreached 12, 14
//! // expect: error P0102
//! ```
//!
//! `with:` adds options to the command line; a sweep such as `-D N=2..4` stands for one run for each value, and `expect N=3:`
//! is about the runs with that value only.
//!
//! [`run_folder`] reads all of a folder, asks the caller what happens with each, and compares. It knows no engine and no
//! language: the caller, who owns them, says which files are models, how their comments begin, and what was observed.

mod expectation;
mod sweep;

pub use expectation::{Expectation, Expected, TraceBound};
pub use sweep::{SweepRun, runs, words};

use std::fmt;
use std::path::{Path, PathBuf};

/// How a comment to the end of the line begins in a file, if the file is a model.
pub type CommentOf<'a> = dyn Fn(&Path) -> Option<&'static str> + 'a;

/// A model file and what it states about itself.
#[derive(Clone, PartialEq, Debug)]
pub struct Case {
    /// Where it is.
    pub path: PathBuf,
    /// How a comment to the end of the line begins in it.
    pub comment: &'static str,
    /// All of it.
    pub text: String,
    /// What to add to the command line.
    pub options: Vec<String>,
    /// What is stated. At least one thing is.
    pub expectations: Vec<Expectation>,
}

impl Case {
    /// Reads the statements of a model, whose comments begin with `sign`; or says, line by line, what is wrong with them.
    pub fn parse(path: &Path, sign: &'static str, text: String) -> Result<Self, Vec<Mismatch>> {
        let (mut options, mut expectations, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
        for (number, line) in (1..).zip(text.lines()) {
            let Some(comment) = line.trim_start().strip_prefix(sign).map(str::trim) else { continue };
            let mut mistake = |message| wrong.push(Mismatch { path: path.into(), line: number, message });
            if let Some(rest) = comment.strip_prefix("with:") {
                match words(rest) {
                    Ok(words) => options.extend(words),
                    Err(message) => mistake(message),
                }
            } else if comment.starts_with("options:") {
                mistake("options stand behind `with:`".to_owned());
            } else if let Some((when, rest)) = expectation_of(comment) {
                match Expected::parse(rest.trim()) {
                    Ok(expected) => expectations.push(Expectation { line: number, when, expected }),
                    Err(message) => mistake(message),
                }
            } else if is_almost_an_expectation(comment) {
                mistake("a statement begins with `expect:`, or with `expect NAME=VALUE:`".to_owned());
            } else if let Some(word) = misspelled(comment) {
                mistake(format!("`{word}:` is not a statement: did you mean `expect:`?"));
            }
        }
        match sweep::runs(&options) {
            Ok(runs) => {
                let meets =
                    |(name, value): &(String, String)| runs.iter().any(|run| run.defines.get(name) == Some(value));
                for Expectation { line, when, .. } in &expectations {
                    if let Some((name, value)) = when.as_ref().filter(|when| !meets(when)) {
                        let message = format!("no run has {name}={value}; `with: -D {name}=…` gives it values");
                        wrong.push(Mismatch { path: path.into(), line: *line, message });
                    }
                }
            }
            Err(message) => wrong.push(Mismatch { path: path.into(), line: 1, message }),
        }
        if wrong.is_empty() && expectations.is_empty() {
            let message = "the file states no answer; add a line such as `expect: holds safety`".to_string();
            wrong.push(Mismatch { path: path.into(), line: 1, message });
        }
        if wrong.is_empty() {
            Ok(Self { path: path.into(), comment: sign, text, options, expectations })
        } else {
            Err(wrong)
        }
    }

    /// A case for each run that its options stand for, with the statements about that run.
    pub fn runs(&self) -> Vec<(SweepRun, Self)> {
        let runs = sweep::runs(&self.options).expect("`parse` saw that they can be expanded");
        let concrete = |run: SweepRun| {
            let holds = |(name, value): &(String, String)| run.defines.get(name) == Some(value);
            let about = |expectation: &&Expectation| expectation.when.as_ref().is_none_or(holds);
            let expectations = self.expectations.iter().filter(about).cloned().collect();
            let case = Self { options: run.options.clone(), expectations, ..self.clone() };
            (run, case)
        };
        runs.into_iter().map(concrete).collect()
    }

    /// The properties that the statements speak of, each once, in order.
    pub fn properties(&self) -> Vec<&str> {
        let mut found: Vec<&str> = Vec::new();
        for property in self.expectations.iter().filter_map(|expectation| expectation.expected.property()) {
            if !found.contains(&property) {
                found.push(property);
            }
        }
        found
    }

    /// Whether the model was refused though no statement says so.
    pub fn is_refused(&self, observed: &Observed) -> bool {
        let refusal = |expectation: &Expectation| matches!(expectation.expected, Expected::Error { .. });
        !observed.errors.is_empty() && !self.expectations.iter().any(refusal)
    }

    /// Every statement that `observed` contradicts. A model that was refused, though no statement says so, is one
    /// contradiction and not many.
    pub fn compare(&self, observed: &Observed) -> Vec<Mismatch> {
        let mismatch = |line, message| Mismatch { path: self.path.clone(), line, message };
        if self.is_refused(observed) {
            let line = self.expectations.first().map_or(1, |expectation| expectation.line);
            let codes = observed.errors.join(", ");
            let first = observed.first_error.as_ref().map_or_else(String::new, |first| format!(": {first}"));
            return vec![mismatch(line, format!("expected no error, got {codes}{first}"))];
        }
        let wrong = |expectation: &Expectation| {
            let expected = &expectation.expected;
            let got = expected.contradicted_by(observed)?;
            let property = expected.property().and_then(|name| Some((name, observed.verdict(name)?)));
            let message = match property {
                Some((name, verdict)) => {
                    let stated = expected.to_string().replacen(&format!(" {name}"), "", 1);
                    format!("`{name}` {} (expected: {stated})", verdict.sentence())
                }
                None => format!("expected {expected}, got {got}"),
            };
            Some(mismatch(expectation.line, message))
        };
        self.expectations.iter().filter_map(wrong).collect()
    }
}

/// The options that a model states in its `with:` lines, whatever else is in it; lines that cannot be read are left out.
pub fn stated_options(comment: &str, text: &str) -> Vec<String> {
    let comments = text.lines().filter_map(|line| line.trim_start().strip_prefix(comment).map(str::trim));
    let stated = comments.filter_map(|comment| words(comment.strip_prefix("with:")?).ok());
    stated.flatten().collect()
}

/// What happened with a model.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Observed {
    /// What was found about properties, by name.
    pub verdicts: Vec<(String, ObservedVerdict)>,
    /// The number of states, if they were counted.
    pub states: Option<u64>,
    /// The number of transitions, if they were counted.
    pub transitions: Option<u64>,
    /// The lines with statements that are never executed, ascending and each once, if the whole graph was seen.
    pub unreached: Option<Vec<u32>>,
    /// The codes of the errors for which the model was refused.
    pub errors: Vec<String>,
    /// The place and the message of the first of them.
    pub first_error: Option<String>,
}

impl Observed {
    /// The model was refused.
    pub fn refused(codes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { errors: codes.into_iter().map(Into::into).collect(), ..Self::default() }
    }
    /// Whether some property was not decided.
    pub fn is_undecided(&self) -> bool {
        self.verdicts.iter().any(|(_, verdict)| matches!(verdict, ObservedVerdict::Undecided { .. }))
    }
    fn verdict(&self, property: &str) -> Option<&ObservedVerdict> {
        self.verdicts.iter().find(|(name, _)| name == property).map(|(_, verdict)| verdict)
    }
}

/// What was found about a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ObservedVerdict {
    /// It holds.
    Holds,
    /// It fails.
    Fails {
        /// What kind of failure it is, such as `assertion`.
        reason: String,
        /// The number of steps of the trace.
        trace: u64,
    },
    /// It asks for a number.
    Computed {
        /// The number, or a word in its place.
        value: String,
    },
    /// It was not decided.
    Undecided {
        /// Why not.
        reason: String,
    },
}

impl ObservedVerdict {
    /// What is said of a property: `holds`, `fails: assertion violated after 3 steps`.
    fn sentence(&self) -> String {
        match self {
            Self::Holds => "holds".to_owned(),
            Self::Fails { reason, trace } => {
                let what = if reason == "assertion" { "assertion violated" } else { reason };
                let steps = if *trace == 1 { "step" } else { "steps" };
                format!("fails: {what} after {trace} {steps}")
            }
            Self::Computed { value } => format!("is {value}"),
            Self::Undecided { reason } => format!("is undecided: {reason}"),
        }
    }
}

impl fmt::Display for ObservedVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Holds => f.write_str("holds"),
            Self::Fails { reason, trace } => write!(f, "fails, {reason}, trace {trace}"),
            Self::Computed { value } => write!(f, "computed, {value}"),
            Self::Undecided { reason } => write!(f, "undecided, {reason}"),
        }
    }
}

/// A statement that is not true, or not a statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mismatch {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1; 0 where no line is to blame.
    pub line: u32,
    /// What was expected, and what came.
    pub message: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.path.display(), self.message),
            line => write!(f, "{}:{line}: {}", self.path.display(), self.message),
        }
    }
}

/// All that went wrong in a folder. Shown one a line, also by `expect`.
#[derive(Clone, PartialEq, Eq)]
pub struct Mismatches(pub Vec<Mismatch>);

impl fmt::Display for Mismatches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|mismatch| write!(f, "\n{mismatch}"))
    }
}

impl fmt::Debug for Mismatches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Mismatches {}

/// Runs every model file below `folder`, in the order of their paths. Returns how many there are; there must be one.
pub fn run_folder(
    folder: &Path,
    comment_of: &CommentOf<'_>,
    observe: &mut dyn FnMut(&Case) -> Observed,
) -> Result<usize, Mismatches> {
    let (paths, mut wrong) = model_files(folder, comment_of);
    for (path, comment) in &paths {
        let case = match std::fs::read_to_string(path) {
            Ok(text) => Case::parse(path, comment, text),
            Err(error) => Err(vec![Mismatch { path: path.clone(), line: 0, message: error.to_string() }]),
        };
        match case {
            Ok(case) => {
                for (_, case) in case.runs() {
                    wrong.extend(case.compare(&observe(&case)));
                }
            }
            Err(mistakes) => wrong.extend(mistakes),
        }
    }
    if paths.is_empty() && wrong.is_empty() {
        wrong.push(Mismatch { path: folder.into(), line: 0, message: "no model file in this folder".into() });
    }
    if wrong.is_empty() { Ok(paths.len()) } else { Err(Mismatches(wrong)) }
}

/// The condition and the text of an expectation: `expect: …` or `expect N=3: …`.
fn expectation_of(comment: &str) -> Option<(Option<(String, String)>, &str)> {
    let rest = comment.strip_prefix("expect")?;
    if let Some(text) = rest.strip_prefix(':') {
        return Some((None, text));
    }
    let (condition, text) = rest.strip_prefix(char::is_whitespace)?.split_once(':')?;
    let (name, value) = condition.split_once('=')?;
    Some((Some((name.trim().to_owned(), value.trim().to_owned())), text))
}

/// Whether somebody meant to state something: `expects: …`, `expect states 3`.
fn is_almost_an_expectation(comment: &str) -> bool {
    let mut words = comment.split_whitespace();
    match words.next() {
        Some("expects:" | "expected:" | "Expect:") => true,
        Some("expect" | "expects") => words.next().is_some_and(|word| FIRST_WORDS.contains(&word)),
        _ => false,
    }
}

/// The words that a statement begins with.
const FIRST_WORDS: [&str; 8] =
    ["holds", "fails", "undecided", "computes", "states", "transitions", "unreached", "error"];

/// A word that is nearly `expect` before a statement: `expct: holds safety`.
fn misspelled(comment: &str) -> Option<&str> {
    let (word, statement) = comment.split_once(':')?;
    let is_statement = statement.split_whitespace().next().is_some_and(|first| FIRST_WORDS.contains(&first));
    let is_near = !word.contains(char::is_whitespace) && distance(&word.to_lowercase(), "expect") <= 2;
    (is_statement && is_near).then_some(word)
}

/// How many letters are to be added, left out or changed to make one word of the other.
fn distance(word: &str, wanted: &str) -> usize {
    let mut row: Vec<usize> = (0..=wanted.len()).collect();
    for (number, letter) in word.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], number + 1);
        for (at, other) in wanted.chars().enumerate() {
            let changed = diagonal + usize::from(letter != other);
            diagonal = row[at + 1];
            row[at + 1] = changed.min(row[at] + 1).min(diagonal + 1);
        }
    }
    row[wanted.len()]
}

/// The model files below `folder` with how their comments begin, in the order of their paths, and the folders that cannot be read. Hidden files and folders, with a
/// dot in front of their names, are left out: editors lock files by such.
pub fn model_files(folder: &Path, comment_of: &CommentOf<'_>) -> (Vec<(PathBuf, &'static str)>, Vec<Mismatch>) {
    let (mut found, mut wrong) = (Vec::new(), Vec::new());
    gather(folder, comment_of, &mut found, &mut wrong);
    found.sort();
    (found, wrong)
}

fn gather(
    folder: &Path,
    comment_of: &CommentOf<'_>,
    found: &mut Vec<(PathBuf, &'static str)>,
    wrong: &mut Vec<Mismatch>,
) {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => {
            return wrong.push(Mismatch { path: folder.into(), line: 0, message: error.to_string() });
        }
    };
    let is_hidden = |path: &PathBuf| path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
    for path in entries.flatten().map(|entry| entry.path()).filter(|path| !is_hidden(path)) {
        if path.is_dir() {
            gather(&path, comment_of, found, wrong);
        } else if let Some(comment) = comment_of(&path) {
            found.push((path, comment));
        }
    }
}

#[cfg(test)]
mod tests;
