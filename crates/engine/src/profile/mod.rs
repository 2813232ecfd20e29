//! Where the states of a search come from, and what would make them fewer: plain data.
//!
//! All of it is about the states that the search has seen, in whatever order: breadth-first searches by one thread and by
//! several have the same profile, but for the times. Numbers of states that *would* be there are estimates, good to a few
//! per cent; they are marked so.

mod advice;
mod places;

pub use advice::{Advice, advise};
pub use places::Places;

use crate::Statement;
use lariat_base::Span;
use std::time::Duration;

/// What a search has written down about itself.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Profile {
    /// How many states it is about.
    pub states: u64,
    /// Whether these are all there are.
    pub complete: bool,
    /// Whether all was measured; otherwise there was too little memory for it, and figures are missing.
    pub measured: bool,
    /// How many threads searched.
    pub threads: usize,
    /// Where the time went, in the order in which things happen.
    pub phases: Vec<Phase>,
    /// The processes that lived in some state, by position.
    pub processes: Vec<ProcessShare>,
    /// The statements that were taken, most often taken first.
    pub statements: Vec<StatementShare>,
    /// The variables, most costly first.
    pub variables: Vec<VariableShare>,
    /// States that `atomic` could leave out.
    pub joinable: Joinable,
    /// Values that nobody reads any more.
    pub stale: Stale,
}

/// What some part of the work took.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Phase {
    /// Which part.
    pub name: &'static str,
    /// How long it took; for a part of the search that threads do side by side, their times together.
    pub time: Duration,
    /// Whether threads do it side by side.
    pub by_threads: bool,
}

impl Phase {
    /// A part that one thread does.
    pub fn new(name: &'static str, time: Duration) -> Self {
        Self { name, time, by_threads: false }
    }
}

/// A process: all that were at one position and of one frame.
#[derive(Clone, PartialEq, Debug)]
pub struct ProcessShare {
    /// Its name, as in `P(1)`.
    pub name: String,
    /// Where its frame was declared.
    pub span: Span,
    /// How many times it took part in an action.
    pub taken: u64,
    /// The states in which it lives.
    pub lives_in: u64,
    /// About how many states there would be if its control and its variables were no part of them; `None` if it was
    /// not measured.
    pub states_without: Option<u64>,
}

/// A statement.
#[derive(Clone, PartialEq, Debug)]
pub struct StatementShare {
    /// Which.
    pub statement: Statement,
    /// How many times it was taken; a step through an atomic sequence takes several.
    pub taken: u64,
    /// To about how many different states the steps lead that it is a part of; `None` if it was not measured.
    pub leads_to: Option<u64>,
}

/// A variable: a declaration of the model, with all of its cells and, if it is a process's, in all processes.
#[derive(Clone, PartialEq, Debug)]
pub struct VariableShare {
    /// Its name, as in `x` or `P.x`.
    pub name: String,
    /// Where it was declared.
    pub span: Span,
    /// What it is.
    pub kind: VariableKind,
    /// What it takes of a state.
    pub bits: u64,
    /// How many different values it has, as a whole: for an array, how many different contents.
    pub values: ValueCount,
    /// About how many states there would be if it were no part of them; `None` if it was not measured.
    pub states_without: Option<u64>,
}

/// What holds a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VariableKind {
    /// A variable of the model.
    Variable,
    /// The contents of a channel.
    Channel,
    /// Where the processes of a frame stand.
    Control,
}

/// A number of different values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueCount {
    /// So many.
    Exactly(u64),
    /// They were not counted further.
    MoreThan(u64),
}

/// The states in which some process stands where it can only do things that nobody else sees. If such statements were
/// joined with those before them by `atomic`, nobody would rest there, and these states would not be.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Joinable {
    /// How many there are.
    pub states: u64,
    /// The statements, and in how many states how many processes stand before each; most first.
    pub statements: Vec<(Statement, u64)>,
}

/// Variables of processes that keep a value which nobody reads before it is overwritten.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Stale {
    /// About how many states there would be if all of them were reset in time; `None` if it was not measured.
    pub states_without: Option<u64>,
    /// By name and place: in how many states how many processes keep such a value; most first.
    pub variables: Vec<(String, Span, u64)>,
}

/// How many times as many states there are as there would be without something.
pub fn factor(states: u64, without: u64) -> f64 {
    (states as f64 / without.max(1) as f64).max(1.0)
}
