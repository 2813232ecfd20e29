//! What a cycle must have for acceptance, once it is known which marks there are.
//!
//! Acceptance is a formula over `Inf` and `Fin`. Within a strongly connected set of states whose steps carry the marks `U`,
//! a mark outside `U` decides its atoms; those of the others are open: `Inf` can be had by going there, `Fin` by staying
//! away, which may take the set apart.

use lariat_automata::{Acceptance, Mark, MarkSet};

/// `acceptance` where only the marks of `there` exist, and each of them can be had.
pub(crate) fn given(acceptance: &Acceptance, there: &MarkSet) -> Acceptance {
    match acceptance {
        Acceptance::True => Acceptance::True,
        Acceptance::False => Acceptance::False,
        Acceptance::Inf(mark) if there.contains(*mark) => Acceptance::True,
        Acceptance::Inf(_) => Acceptance::False,
        Acceptance::Fin(mark) if there.contains(*mark) => Acceptance::Fin(*mark),
        Acceptance::Fin(_) => Acceptance::True,
        Acceptance::And(parts) => all(parts.iter().map(|part| given(part, there))),
        Acceptance::Or(parts) => any(parts.iter().map(|part| given(part, there))),
    }
}

/// `acceptance` where `Fin` of the mark is settled.
pub(crate) fn with_fin(acceptance: &Acceptance, mark: Mark, holds: bool) -> Acceptance {
    match acceptance {
        Acceptance::Fin(other) if *other == mark => constant(holds),
        Acceptance::And(parts) => all(parts.iter().map(|part| with_fin(part, mark, holds))),
        Acceptance::Or(parts) => any(parts.iter().map(|part| with_fin(part, mark, holds))),
        other => other.clone(),
    }
}

/// The marks whose `Fin` occurs.
pub(crate) fn fins(acceptance: &Acceptance) -> MarkSet {
    let mut marks = MarkSet::EMPTY;
    each_fin(acceptance, &mut |mark| marks.insert(mark));
    marks
}

fn each_fin(acceptance: &Acceptance, found: &mut impl FnMut(Mark)) {
    match acceptance {
        Acceptance::Fin(mark) => found(*mark),
        Acceptance::And(parts) | Acceptance::Or(parts) => parts.iter().for_each(|part| each_fin(part, found)),
        Acceptance::True | Acceptance::False | Acceptance::Inf(_) => {}
    }
}

/// What a cycle must carry and what it must not, so that it is accepted.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct CycleGoal {
    pub(crate) carry: MarkSet,
    pub(crate) avoid: MarkSet,
}

impl CycleGoal {
    /// The goal for a component whose edges carry exactly the marks of `there`, if such a cycle is accepted.
    pub(crate) fn new(acceptance: &Acceptance, there: &MarkSet) -> Option<Self> {
        let mut goal = Self::default();
        goal.add(acceptance, there).then_some(goal)
    }

    fn add(&mut self, acceptance: &Acceptance, there: &MarkSet) -> bool {
        match acceptance {
            Acceptance::True => true,
            Acceptance::False => false,
            Acceptance::Inf(mark) => {
                let found = there.contains(*mark);
                if found {
                    self.carry.insert(*mark);
                }
                found
            }
            Acceptance::Fin(mark) => {
                let found = there.contains(*mark);
                if !found {
                    self.avoid.insert(*mark);
                }
                !found
            }
            Acceptance::And(parts) => parts.iter().all(|part| self.add(part, there)),
            Acceptance::Or(parts) => parts.iter().any(|part| part.accepts(there) && self.add(part, there)),
        }
    }
}

fn constant(holds: bool) -> Acceptance {
    if holds { Acceptance::True } else { Acceptance::False }
}

fn all(parts: impl Iterator<Item = Acceptance>) -> Acceptance {
    let mut left = Vec::new();
    for part in parts {
        match part {
            Acceptance::True => {}
            Acceptance::False => return Acceptance::False,
            part => left.push(part),
        }
    }
    match left.len() {
        0 => Acceptance::True,
        1 => left.remove(0),
        _ => Acceptance::And(left),
    }
}

fn any(parts: impl Iterator<Item = Acceptance>) -> Acceptance {
    let mut left = Vec::new();
    for part in parts {
        match part {
            Acceptance::False => {}
            Acceptance::True => return Acceptance::True,
            part => left.push(part),
        }
    }
    match left.len() {
        0 => Acceptance::False,
        1 => left.remove(0),
        _ => Acceptance::Or(left),
    }
}
