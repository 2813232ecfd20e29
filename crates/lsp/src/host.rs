//! What the server leaves to the program that it is a part of.

use lariat::front::FrontEnds;
use lariat::{Model, ReadOptions, RunControl};
use lariat_base::{Span, UnsavedTexts};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Knows the languages, the options that a model states for itself, and how models are checked.
pub trait Host: Send + Sync {
    /// The languages.
    fn front_ends(&self) -> &FrontEnds;

    /// How the model in this text is to be read: with the options that it states.
    fn read_options(&self, path: &Path, text: &str) -> ReadOptions;

    /// Checks a model, within the limits of `control`. An error says why nothing was checked.
    fn check(&self, request: &CheckRequest, control: &Arc<RunControl>) -> Result<Answers, String>;
}

/// What is to be checked.
#[derive(Clone, Debug)]
pub struct CheckRequest {
    /// The file of the model.
    pub path: PathBuf,
    /// Texts that stand for files.
    pub unsaved: UnsavedTexts,
    /// What about it.
    pub asked: Asked,
}

/// What is asked about a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Asked {
    /// The property of this name; all that the model states, if there is none.
    Property(Option<String>),
    /// Whether what the line `expect:` with this number says is so; lines count from 1.
    Expectation(u32),
}

/// What came of a check.
#[derive(Debug)]
pub struct Answers {
    /// One for each property or statement.
    pub answers: Vec<Answer>,
    /// The model that places in them belong to.
    pub model: Option<Model>,
}

/// The answer to one question.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The name of the property, or the statement.
    pub name: String,
    /// What came out.
    pub outcome: Outcome,
    /// All of that in one line.
    pub message: String,
    /// The same with figures and trace.
    pub text: String,
    /// The line that it is about, from 1; 0 if it is not about a line.
    pub line: u32,
    /// Where the failure is, if it has a place.
    pub place: Span,
    /// The last steps of the run that shows it: what happens where.
    pub steps: Vec<(Span, String)>,
}

/// What came out of a check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It holds, or is as stated.
    Passed,
    /// It fails, or is not as stated.
    Failed,
    /// Limits were met.
    Undecided,
}
