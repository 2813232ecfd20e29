//! A deterministic machine that reads a run as a stem and a loop, and says whether the automaton accepts the run that repeats
//! this loop for ever.
//!
//! A search for a shortest lasso in the product with an automaton finds a shortest one of the *product*: the automaton must be
//! in the same state again where the loop closes, and it may need several rounds of the loop, or some steps before it, to
//! get there. Whether `stem loop loop …` is accepted depends on less: on the set of states that the stem leads to, and on the
//! relation that the loop makes of states (from which to which, with which marks). Both are finite, so a deterministic machine
//! can keep track of them: a family of automata of finite words, one for loops behind each kind of stem (Angluin and Fisman,
//! "Learning regular omega languages", 2016). It is made smaller by merging what no continuation tells apart, and parts from which
//! nothing is accepted are left out. A lasso that it accepts is one of the model alone, and a shortest one of these is shortest
//! whatever automaton the property was translated to.

mod build;
mod letters;
mod merge;

use crate::{Automaton, TooLarge};
use letters::Letters;

/// Where reading is.
pub type ReaderState = u32;

const NOWHERE: ReaderState = ReaderState::MAX;

/// The machine. Its states are numbered from 0; first those of stems.
#[derive(Clone, Debug)]
pub struct LassoReader {
    letters: Letters,
    /// How many states read a stem; the others read a loop.
    stems: usize,
    /// By state and class of letters, where reading goes on.
    next: Vec<ReaderState>,
    /// By state of a stem and class, where a loop is read of which this is the first letter.
    begin: Vec<ReaderState>,
    accepting: Vec<bool>,
    /// The fewest letters after which a loop can be accepted.
    distance: Vec<u32>,
    initial: Option<ReaderState>,
}

impl LassoReader {
    /// The machine for an automaton of any acceptance condition.
    pub fn new(automaton: &Automaton) -> Result<Self, TooLarge> {
        let letters = Letters::new(automaton)?;
        let built = build::build(automaton, &letters)?;
        Ok(merge::merged(built, letters))
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.accepting.len()
    }
    /// Whether no run is accepted.
    pub fn is_empty(&self) -> bool {
        self.initial.is_none()
    }
    /// Where reading begins, unless no run is accepted.
    pub fn initial(&self) -> Option<ReaderState> {
        self.initial
    }
    /// Whether a stem is read; else a loop.
    pub fn is_stem(&self, state: ReaderState) -> bool {
        (state as usize) < self.stems
    }
    /// Whether the run with the stem and the loop that were read is accepted.
    pub fn is_accepting(&self, state: ReaderState) -> bool {
        self.accepting[state as usize]
    }
    /// At least so many letters are missing until a loop is accepted. It falls by one at most with every letter.
    pub fn distance(&self, state: ReaderState) -> u32 {
        self.distance[state as usize]
    }
    /// How many classes of letters it tells apart.
    pub fn classes(&self) -> usize {
        self.letters.classes()
    }
    /// The class of the letter in which these propositions are true.
    pub fn class(&self, is_true: impl Fn(u32) -> bool) -> usize {
        self.letters.class(is_true)
    }
    /// Where reading a letter leads, unless nothing that follows can be accepted.
    pub fn next(&self, state: ReaderState, class: usize) -> Option<ReaderState> {
        let next = self.next[state as usize * self.classes() + class];
        (next != NOWHERE).then_some(next)
    }
    /// Where reading it as the first letter of the loop leads.
    pub fn begin(&self, stem: ReaderState, class: usize) -> Option<ReaderState> {
        let begin = self.begin[stem as usize * self.classes() + class];
        (begin != NOWHERE).then_some(begin)
    }
}
