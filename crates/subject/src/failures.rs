//! The failures a search has met.

use lariat_engine::FailureKind;
use lariat_space::{Move, State};
use lariat_store::Handle;

/// Where a failure was met: enough to find its trace later.
#[derive(Clone, Debug)]
pub struct Sighting {
    /// What fails.
    pub kind: FailureKind,
    /// How many steps lead to the last state of the run.
    pub depth: u64,
    /// That state.
    pub state: Vec<u64>,
    /// For a fault, the actions of the step that ends in it.
    pub via: Vec<Move>,
    /// The states on the way, the last one included, if the search knows them at once.
    pub path: Option<Vec<Handle>>,
}

impl Sighting {
    fn place(&self) -> (u64, &[u64], &[Move]) {
        (self.depth, &self.state, &self.via)
    }
}

/// One failure of each kind, and how many there were in all.
#[derive(Debug)]
pub struct Failures {
    /// The first, or the least, of each kind.
    pub of_kind: Vec<Sighting>,
    /// How many were met.
    pub count: u64,
    keep: Keep,
}

/// Which failure of a kind is reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keep {
    /// The one that was met first.
    First,
    /// The least of those that are as shallow as can be: the same one, in whatever order the states of a level are looked
    /// at and by however many threads.
    Least,
}

impl Failures {
    /// None yet.
    pub fn new(keep: Keep) -> Self {
        Self { of_kind: Vec::new(), count: 0, keep }
    }

    /// A failure is met in a state that `depth` steps lead to; for a fault, by these actions.
    pub fn add(&mut self, kind: FailureKind, depth: u64, state: &State, via: &[Move]) {
        self.count += 1;
        let known = self.of_kind.iter_mut().find(|known| known.kind == kind);
        let sighting = || Sighting { kind, depth, state: state.to_vec(), via: via.to_vec(), path: None };
        match known {
            None => self.of_kind.push(sighting()),
            Some(known) if self.keep == Keep::Least && (depth, state, via) < known.place() => *known = sighting(),
            Some(_) => {}
        }
    }

    /// Those that are shown, the one with the shortest run first: only that, unless the search went on past it.
    pub fn shown(&self, keep_going: bool) -> Vec<Sighting> {
        let steps = |sighting: &Sighting| sighting.depth + u64::from(sighting.kind != FailureKind::InvalidEnd);
        let mut shown = self.of_kind.clone();
        shown.sort_by_key(|sighting| (steps(sighting), sighting.kind));
        if !keep_going {
            shown.truncate(1);
        }
        shown
    }

    /// Takes over what another thread met.
    pub fn merge(&mut self, other: Failures) {
        self.count += other.count;
        for sighting in other.of_kind {
            match self.of_kind.iter_mut().find(|known| known.kind == sighting.kind) {
                None => self.of_kind.push(sighting),
                Some(known) if sighting.place() < known.place() => *known = sighting,
                Some(_) => {}
            }
        }
    }
}
