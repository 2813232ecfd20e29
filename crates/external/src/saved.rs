//! What a search has met, as it is written into a manifest.

use lariat_base::Id;
use lariat_engine::FailureKind;
use lariat_space::Move;
use lariat_subject::{Keep, Sighting, Tally};
use lariat_system::{ActionId, Fault, Position};
use serde::{Deserialize, Serialize};

/// A tally.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct SavedTally {
    transitions: u64,
    work: u64,
    pub(crate) digest: u64,
    taken: Vec<usize>,
    cuts: Vec<(usize, u16)>,
    failure_count: u64,
    failures: Vec<SavedFailure>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct SavedFailure {
    kind: SavedKind,
    depth: u64,
    state: Vec<u64>,
    via: Vec<(usize, Option<Position>, Option<Position>)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SavedKind {
    Trap(usize, u16),
    PoolFull(usize),
    EndlessAtomic(usize),
    InvalidEnd,
}

impl SavedTally {
    pub(crate) fn of(tally: &Tally) -> Self {
        let taken = tally.taken.iter().enumerate().filter(|&(_, &taken)| taken).map(|(action, _)| action);
        Self {
            transitions: tally.transitions,
            work: tally.work,
            digest: tally.digest,
            taken: taken.collect(),
            cuts: tally.cuts.iter().map(|&(action, number)| (action.index(), number)).collect(),
            failure_count: tally.failures.count,
            failures: tally.failures.of_kind.iter().filter_map(SavedFailure::of).collect(),
        }
    }

    pub(crate) fn tally(&self) -> Tally {
        let mut tally = Tally::new(Keep::Least);
        (tally.transitions, tally.work, tally.digest) = (self.transitions, self.work, self.digest);
        // The counters of the run show what this one does.
        tally.shown = tally.transitions;
        tally.cuts = self.cuts.iter().map(|&(action, number)| (ActionId::new(action), number)).collect();
        tally.pass(self.taken.iter().map(|&action| ActionId::new(action)));
        tally.failures.count = self.failure_count;
        tally.failures.of_kind = self.failures.iter().map(SavedFailure::sighting).collect();
        tally
    }
}

impl SavedFailure {
    fn of(sighting: &Sighting) -> Option<Self> {
        let kind = match sighting.kind {
            FailureKind::Fault(Fault::Trap(action, number)) => SavedKind::Trap(action.index(), number),
            FailureKind::Fault(Fault::PoolFull(action)) => SavedKind::PoolFull(action.index()),
            FailureKind::Fault(Fault::EndlessAtomic(action)) => SavedKind::EndlessAtomic(action.index()),
            FailureKind::InvalidEnd => SavedKind::InvalidEnd,
            // Such are made of these when the search is over.
            FailureKind::Cycle | FailureKind::BadPrefix | FailureKind::Branching => return None,
        };
        let via = sighting.via.iter().map(|step| (step.action.index(), step.actor, step.peer));
        Some(Self { kind, depth: sighting.depth, state: sighting.state.clone(), via: via.collect() })
    }

    fn sighting(&self) -> Sighting {
        let kind = match self.kind {
            SavedKind::Trap(action, number) => FailureKind::Fault(Fault::Trap(ActionId::new(action), number)),
            SavedKind::PoolFull(action) => FailureKind::Fault(Fault::PoolFull(ActionId::new(action))),
            SavedKind::EndlessAtomic(action) => FailureKind::Fault(Fault::EndlessAtomic(ActionId::new(action))),
            SavedKind::InvalidEnd => FailureKind::InvalidEnd,
        };
        let step = |&(action, actor, peer)| Move { action: ActionId::new(action), actor, peer };
        let via = self.via.iter().map(step).collect();
        Sighting { kind, depth: self.depth, state: self.state.clone(), via, path: None }
    }
}
