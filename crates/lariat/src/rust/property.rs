//! What is asked of a Rust model.

use lariat_system::{Fairness, Who};

/// A property of a model, and which infinite runs count for it.
#[derive(Clone, PartialEq, Debug)]
pub struct Property {
    pub(super) name: String,
    pub(super) stated: Stated,
    pub(super) fairness: Vec<Fairness<String>>,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Stated {
    NoDeadlock,
    Formula(String),
}

impl Property {
    /// Wherever nothing can happen the run [may end](super::Model::may_end).
    pub fn no_deadlock() -> Self {
        Self { name: "no_deadlock".to_owned(), stated: Stated::NoDeadlock, fairness: Vec::new() }
    }
    /// A formula of linear time over the model's propositions, which is to hold on all runs.
    pub fn ltl(name: impl Into<String>, formula: impl Into<String>) -> Self {
        Self { name: name.into(), stated: Stated::Formula(formula.into()), fairness: Vec::new() }
    }
    /// A proposition of states is true in every state that can be reached.
    pub fn always(name: impl Into<String>, proposition: &str) -> Self {
        Self::ltl(name, format!("[] ({proposition})"))
    }
    /// Only infinite runs that meet this constraint count. It makes no difference to deadlocks.
    #[must_use]
    pub fn fair(mut self, constraint: Fairness<String>) -> Self {
        self.fairness.push(constraint);
        self
    }
    /// Only runs count in which these processes act infinitely often, or are infinitely often unable to.
    #[must_use]
    pub fn weakly_fair(self, processes: impl IntoIterator<Item = u8>) -> Self {
        processes.into_iter().fold(self, |property, process| property.fair(Fairness::weak(Who::Process(process))))
    }
    /// Only runs count in which these processes act infinitely often, if they are infinitely often able to.
    #[must_use]
    pub fn strongly_fair(self, processes: impl IntoIterator<Item = u8>) -> Self {
        processes.into_iter().fold(self, |property, process| property.fair(Fairness::strong(Who::Process(process))))
    }
    /// Only runs count in which steps of which this proposition is true are taken infinitely often, or are infinitely often
    /// impossible.
    #[must_use]
    pub fn weakly_fair_steps(self, proposition: &str) -> Self {
        self.fair(Fairness::weak(Who::Steps(proposition.to_owned())))
    }
    /// Only runs count in which steps of which this proposition is true are taken infinitely often, if they are infinitely
    /// often possible.
    #[must_use]
    pub fn strongly_fair_steps(self, proposition: &str) -> Self {
        self.fair(Fairness::strong(Who::Steps(proposition.to_owned())))
    }
    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }
}
