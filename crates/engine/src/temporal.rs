//! Demands on runs that go on for ever.

use lariat_automata::{Automaton, TooLarge, TranslateOptions, accepts, is_stutter_invariant, translate};
use lariat_logic::{Formula, LassoWord, Propositions, holds};
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
    /// Whether the language states it as a condition on all states that can be reached, like `INVARSPEC`.
    pub is_of_all_states: bool,
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

impl Temporal {
    /// Whether a run stays as bad or good as it is when positions of it are repeated or repetitions left out. If that cannot
    /// be found out the answer is *no*.
    pub fn ignores_repetition(&self) -> bool {
        let propositions = Propositions::named(self.bad.propositions.iter().map(String::as_str));
        self.demands.iter().all(|demand| match demand {
            Demand::Satisfies(formula) => {
                formula.counts_no_steps() || ignores_repetition(formula, &propositions).unwrap_or(false)
            }
            Demand::IsAccepted(_) => false,
        })
    }
}

fn ignores_repetition(formula: &Formula, propositions: &Propositions) -> Result<bool, TooLarge> {
    let options = TranslateOptions::default();
    let automaton = translate(formula, propositions, &options)?;
    let complement = translate(&formula.negated(), propositions, &options)?;
    is_stutter_invariant(&automaton, &complement, &options)
}
