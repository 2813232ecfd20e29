//! Models that are Rust code.

use super::Pack;
use std::fmt::{self, Debug};

/// A model written in Rust: states, and what can happen in them.
///
/// Laws: all functions depend on their arguments alone.
pub trait Model: Sync {
    /// A state.
    type State: Pack + Clone + PartialEq + Debug + Send;
    /// What can happen in one step.
    type Action: Clone + PartialEq + Debug + Send;

    /// The states that runs begin in.
    fn initial(&self) -> Vec<Self::State>;

    /// Adds what can happen in `state`, each action once.
    fn actions(&self, state: &Self::State, found: &mut Vec<Self::Action>);

    /// The state that `action`, one that can happen in `state`, leads to; `None` if it cannot happen after all.
    fn next(&self, state: &Self::State, action: &Self::Action) -> Option<Self::State>;

    /// The process that acts, for fairness of processes; `None` if it is nobody's action.
    fn process(&self, action: &Self::Action) -> Option<u8> {
        let _ = action;
        None
    }

    /// How many processes there are: those that [`process`](Self::process) names are below this. Needed only where fairness of
    /// every process is asked for.
    fn processes(&self) -> u8 {
        0
    }

    /// Whether a run may end in `state`. Where nothing can happen a run repeats its last state for ever; that this is no
    /// deadlock must be said here.
    fn may_end(&self, state: &Self::State) -> bool {
        let _ = state;
        false
    }

    /// Adds what formulas can speak of.
    fn propositions(&self, found: &mut Propositions<Self>)
    where
        Self: Sized,
    {
        let _ = found;
    }
}

type OfState<M> = Box<dyn Fn(&M, &<M as Model>::State) -> bool + Send + Sync>;
type OfStep<M> = Box<dyn Fn(&M, &<M as Model>::State, &<M as Model>::Action) -> bool + Send + Sync>;

/// Propositions of a model, each of which is true or false of a state, or of a step.
pub struct Propositions<M: Model> {
    pub(super) list: Vec<Proposition<M>>,
}

pub(super) struct Proposition<M: Model> {
    pub(super) name: String,
    pub(super) meaning: Meaning<M>,
}

pub(super) enum Meaning<M: Model> {
    State(OfState<M>),
    Step(OfStep<M>),
}

impl<M: Model> Propositions<M> {
    pub(super) fn of(model: &M) -> Self {
        let mut found = Self { list: Vec::new() };
        model.propositions(&mut found);
        found
    }

    /// One that is true of some states.
    pub fn state(
        &mut self,
        name: impl Into<String>,
        holds: impl Fn(&M, &M::State) -> bool + Send + Sync + 'static,
    ) -> &mut Self {
        self.list.push(Proposition { name: name.into(), meaning: Meaning::State(Box::new(holds)) });
        self
    }
    /// One that is true of some steps: of an action that happens in a state. It is true where the step is taken, before its
    /// target is reached.
    pub fn step(
        &mut self,
        name: impl Into<String>,
        holds: impl Fn(&M, &M::State, &M::Action) -> bool + Send + Sync + 'static,
    ) -> &mut Self {
        self.list.push(Proposition { name: name.into(), meaning: Meaning::Step(Box::new(holds)) });
        self
    }
}

impl<M: Model> Meaning<M> {
    pub(super) fn holds_in(&self, model: &M, state: &M::State) -> bool {
        match self {
            Self::State(holds) => holds(model, state),
            Self::Step(_) => false,
        }
    }
    pub(super) fn holds_of(&self, model: &M, state: &M::State, action: &M::Action) -> bool {
        match self {
            Self::State(_) => false,
            Self::Step(holds) => holds(model, state, action),
        }
    }
}

impl<M: Model> Debug for Propositions<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.list.iter().map(|each| &each.name)).finish()
    }
}
