//! Demands on runs that go on for ever.

use lariat_automata::{Automaton, accepts};
use lariat_logic::{Formula, LassoWord, holds};
use lariat_system::LabelId;

/// A property of infinite runs: none that meets every fairness constraint of the system is bad.
///
/// The letter of a position is made of the labels of the state there and of the step taken from it.
#[derive(Clone, Debug)]
pub struct Temporal {
    /// Accepts the bad runs.
    pub bad: Automaton,
    /// For each proposition of the automaton and of the demands, in order, the label of the system that it is.
    pub labels: Vec<LabelId>,
    /// What makes a run bad, as it was stated: all of it together. The automaton was made from this, and what it finds is
    /// judged by this.
    pub demands: Vec<Demand>,
}

/// Something that a bad run does.
#[derive(Clone, Debug)]
pub enum Demand {
    /// It satisfies the formula.
    Satisfies(Formula),
    /// The automaton accepts it.
    IsAccepted(Box<Automaton>),
}

impl Demand {
    /// The automaton accepts the run.
    pub fn is_accepted(automaton: Automaton) -> Self {
        Self::IsAccepted(Box::new(automaton))
    }
    /// Whether the word does it; evaluated directly.
    pub fn holds(&self, word: &LassoWord) -> bool {
        match self {
            Self::Satisfies(formula) => holds(formula, word),
            Self::IsAccepted(automaton) => accepts(automaton, word),
        }
    }
}
