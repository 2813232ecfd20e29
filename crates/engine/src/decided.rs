//! When a run is bad whatever follows.

use crate::{Story, Subject, SystemReplay, Temporal};
use lariat_automata::{Analysis, ComponentKind, StateId};
use lariat_logic::{Letter, PropId};
use lariat_system::DeadEnds;
use std::collections::BTreeSet;

impl Temporal {
    /// Whether the property speaks of steps, and not of states alone.
    pub fn reads_steps(&self, subject: Subject<'_>) -> bool {
        self.labels.iter().any(|&label| !subject.is_of_states(label))
    }

    /// Follows a run from its beginning; `None` if no finite part of a run shows that it is bad.
    pub fn watch(&self) -> Option<Watch<'_>> {
        let analysis = Analysis::of(&self.bad);
        analysis.is_terminal().then(|| Watch { temporal: self, analysis, stands: BTreeSet::from([self.bad.initial]) })
    }
}

/// The states in which the automaton of the bad runs can be after a part of a run.
#[derive(Debug)]
pub struct Watch<'a> {
    temporal: &'a Temporal,
    analysis: Analysis,
    stands: BTreeSet<StateId>,
}

impl Watch<'_> {
    /// Reads what is true next; whether the run is bad from then on whatever follows.
    pub fn read(&mut self, letter: &Letter) -> bool {
        let bad = &self.temporal.bad;
        let after = |&from: &StateId| {
            bad.moves(from, |variable| letter.contains(PropId(variable))).map(|edge| edge.target).collect::<Vec<_>>()
        };
        self.stands = self.stands.iter().flat_map(after).collect();
        self.stands.iter().any(|&at| self.analysis.kind(at) == Some(ComponentKind::Accepting))
    }
}

impl SystemReplay<'_> {
    /// The number of steps after which the run is bad whatever follows, if the automaton of the bad runs tells: as soon as it
    /// accepts everything. A state is read where the run comes to it, also the last one.
    ///
    /// Nothing is known of systems with fairness constraints, nor of such whose ended runs do not count.
    pub fn decided_after(&self, story: &Story) -> Option<usize> {
        let (system, temporal) = (self.system(), self.temporal()?);
        let mut watch = temporal.watch()?;
        if !system.fairness.is_empty() || system.dead_ends != DeadEnds::Stutter {
            return None;
        }
        let reads_steps = temporal.reads_steps(Subject::System(system));
        for (number, letter) in self.letters(story).enumerate() {
            if number == story.step_count() && reads_steps {
                return None;
            }
            if watch.read(&letter) {
                return Some(number + usize::from(reads_steps));
            }
        }
        None
    }
}
