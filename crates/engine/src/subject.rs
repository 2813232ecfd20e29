//! What is checked.

use lariat_base::Id;
use lariat_space::AnySpace;
use lariat_system::{DeadEnds, Fairness, LabelId, LabelMeaning, System};

/// What a task is about: a system, or any state space.
#[derive(Clone, Copy, Debug)]
pub enum Subject<'a> {
    /// A valid system.
    System(&'a System),
    /// A space, like that of a model written in Rust.
    Space(&'a SpaceSubject<'a>),
}

/// A state space with what must be known about it beside its steps.
#[derive(Debug)]
pub struct SpaceSubject<'a> {
    /// The space. Its steps are single actions.
    pub space: AnySpace<'a>,
    /// How many bits of a state carry information.
    pub state_bits: u64,
    /// The labels of its states and steps, by their ids.
    pub labels: Vec<SpaceLabel>,
    /// Which infinite runs count.
    pub fairness: Vec<Fairness>,
    /// What becomes of runs that end.
    pub dead_ends: DeadEnds,
}

/// A label of a space.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpaceLabel {
    /// Its name.
    pub name: String,
    /// Whether states have it, and not steps.
    pub of_states: bool,
}

impl<'a> Subject<'a> {
    /// The system, if it is one.
    pub fn system(self) -> Option<&'a System> {
        match self {
            Self::System(system) => Some(system),
            Self::Space(_) => None,
        }
    }
    /// Which infinite runs count.
    pub fn fairness(self) -> &'a [Fairness] {
        match self {
            Self::System(system) => &system.fairness,
            Self::Space(given) => &given.fairness,
        }
    }
    /// What becomes of runs that end.
    pub fn dead_ends(self) -> DeadEnds {
        match self {
            Self::System(system) => system.dead_ends,
            Self::Space(given) => given.dead_ends,
        }
    }
    /// How many labels there are.
    pub fn label_count(self) -> usize {
        match self {
            Self::System(system) => system.labels.len(),
            Self::Space(given) => given.labels.len(),
        }
    }
    /// The name of a label.
    pub fn label_name(self, label: LabelId) -> &'a str {
        match self {
            Self::System(system) => &system.labels[label].name,
            Self::Space(given) => &given.labels[label.index()].name,
        }
    }
    /// Whether states have the label, and not steps.
    pub fn is_of_states(self, label: LabelId) -> bool {
        match self {
            Self::System(system) => matches!(system.labels[label].meaning, LabelMeaning::State(_)),
            Self::Space(given) => given.labels[label.index()].of_states,
        }
    }
}
