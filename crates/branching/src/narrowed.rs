//! Some of the steps between states, as a system of its own.

use crate::fairness::Event;
use crate::slip::{Slip, slips};
use lariat_space::{DirectWay, Faults, Natural, State, StateSets, Steps};
use lariat_system::LabelId;

/// In which direction steps are followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    /// Against them.
    Back,
    /// Along them.
    Forth,
}

/// The sets of states of a system in which only some steps are left; and where dead ends repeat for ever, they have a step to
/// themselves.
pub(crate) struct Narrowed<'a, S: StateSets> {
    pub(crate) sets: &'a S,
    /// The steps that are left: from each of these sets, which have no state in common, those.
    pub(crate) left: &'a [Event<S::Set>],
    /// The dead ends that repeat.
    pub(crate) stuttering: &'a S::Set,
}

impl<S: StateSets> Narrowed<'_, S> {
    /// Which steps are left in the state.
    pub(crate) fn left_in(&self, state: &State) -> Result<Option<Steps>, S::Error> {
        for (sources, steps) in self.left {
            if self.sets.contains(sources, state)? {
                return Ok(Some(steps.clone()));
            }
        }
        Ok(None)
    }

    /// What one step leads to or from.
    pub(crate) fn one_step(&self, set: &S::Set, steps: Steps, way: Way) -> Result<S::Set, S::Error> {
        match way {
            Way::Back => self.pre(set, steps),
            Way::Forth => self.post(set, steps),
        }
    }

    /// Backwards, the states of the set from which one of these events leads on inside it, if some step does. Forwards, those that
    /// it leads to; and where being in a state suffices, that state.
    pub(crate) fn meeting(&self, events: &[Event<S::Set>], set: &S::Set, way: Way) -> Result<S::Set, S::Error> {
        let mut found = self.sets.empty();
        for (sources, steps) in events {
            let sources = self.sets.intersect(sources, set)?;
            let meeting = match (steps, way) {
                (Steps::All, _) => sources,
                _ if self.sets.is_empty(&sources) => sources,
                (_, Way::Back) => self.sets.intersect(&sources, &self.pre(set, steps.clone())?)?,
                (_, Way::Forth) => self.sets.intersect(set, &self.post(&sources, steps.clone())?)?,
            };
            found = self.sets.union(&found, &meeting)?;
        }
        Ok(found)
    }

    /// The states from which a way through `f` leads into `g`.
    pub(crate) fn until(&self, f: &S::Set, g: &S::Set) -> Result<S::Set, S::Error> {
        // With all of these there is nothing to look for.
        self.closure(f, g, &self.union(f, g)?, Way::Back)
    }

    /// Those of the states `asked` from which a way through `f` leads into `g`, or to which one leads from `g`, and perhaps others
    /// of that kind.
    pub(crate) fn closure(&self, f: &S::Set, g: &S::Set, asked: &S::Set, way: Way) -> Result<S::Set, S::Error> {
        let mut found = g.clone();
        while !self.is_empty(&self.minus(asked, &found)?) {
            self.safe_point()?;
            let grown = match way {
                Way::Back if slips(Slip::OneRound) => {
                    return self.union(&found, &self.intersect(&self.pre(&found, Steps::All)?, f)?);
                }
                Way::Back => self.grown_back(&found, f)?,
                Way::Forth => self.grown_forth(&found, f)?,
            };
            if grown == found {
                break;
            }
            found = grown;
        }
        Ok(found)
    }

    /// Where the steps that are left lead from the set, if `next` follows those of all; and where they repeat.
    fn onwards(
        &self,
        set: &S::Set,
        steps: &Steps,
        next: impl Fn(&S::Set, Steps) -> Result<S::Set, S::Error>,
    ) -> Result<S::Set, S::Error> {
        self.by_kind(steps, |sources, steps| {
            let from = self.sets.intersect(set, sources)?;
            let stutters = steps.contain_stutter();
            let next = next(&from, steps)?;
            if stutters { self.sets.union(&next, &self.sets.intersect(&from, self.stuttering)?) } else { Ok(next) }
        })
    }

    /// The same against the steps.
    fn backwards(
        &self,
        set: &S::Set,
        steps: &Steps,
        before: impl Fn(&S::Set, Steps) -> Result<S::Set, S::Error>,
    ) -> Result<S::Set, S::Error> {
        self.by_kind(steps, |sources, steps| {
            let repeating = match steps.contain_stutter() {
                true => self.sets.intersect(set, self.stuttering)?,
                false => self.sets.empty(),
            };
            let before = self.sets.union(&before(set, steps)?, &repeating)?;
            self.sets.intersect(sources, &before)
        })
    }

    /// Follows the steps that are left, by `one` for those of one kind from or to a set.
    fn by_kind(
        &self,
        steps: &Steps,
        one: impl Fn(&S::Set, Steps) -> Result<S::Set, S::Error>,
    ) -> Result<S::Set, S::Error> {
        let mut found = self.sets.empty();
        for (sources, left) in self.left {
            if let Some(steps) = steps.and(left) {
                found = self.sets.union(&found, &one(sources, steps)?)?;
            }
        }
        Ok(found)
    }
}

impl<S: StateSets> StateSets for Narrowed<'_, S> {
    type Set = S::Set;
    type Error = S::Error;

    fn empty(&self) -> S::Set {
        self.sets.empty()
    }
    fn initial(&self) -> Result<S::Set, S::Error> {
        self.sets.initial()
    }
    fn satisfying(&self, label: LabelId) -> Result<S::Set, S::Error> {
        self.sets.satisfying(label)
    }
    fn proper_ends(&self) -> Result<S::Set, S::Error> {
        self.sets.proper_ends()
    }
    fn dead_ends(&self, of: &S::Set) -> Result<S::Set, S::Error> {
        let mut all = self.sets.empty();
        for (sources, _) in self.left {
            all = self.sets.union(&all, sources)?;
        }
        self.sets.minus(of, &self.pre(&all, Steps::All)?)
    }
    fn faulty(&self, of: &S::Set, faults: Faults) -> Result<S::Set, S::Error> {
        self.sets.faulty(of, faults)
    }
    fn union(&self, a: &S::Set, b: &S::Set) -> Result<S::Set, S::Error> {
        self.sets.union(a, b)
    }
    fn intersect(&self, a: &S::Set, b: &S::Set) -> Result<S::Set, S::Error> {
        self.sets.intersect(a, b)
    }
    fn minus(&self, a: &S::Set, b: &S::Set) -> Result<S::Set, S::Error> {
        self.sets.minus(a, b)
    }
    fn post(&self, set: &S::Set, steps: Steps) -> Result<S::Set, S::Error> {
        self.onwards(set, &steps, |from, steps| self.sets.post(from, steps))
    }
    fn pre(&self, set: &S::Set, steps: Steps) -> Result<S::Set, S::Error> {
        self.backwards(set, &steps, |to, steps| self.sets.pre(to, steps))
    }
    fn parts(&self) -> Result<Vec<usize>, S::Error> {
        self.sets.parts()
    }
    fn post_part(&self, part: usize, set: &S::Set, steps: Steps) -> Result<S::Set, S::Error> {
        self.onwards(set, &steps, |from, steps| self.sets.post_part(part, from, steps))
    }
    fn pre_part(&self, part: usize, set: &S::Set, steps: Steps) -> Result<S::Set, S::Error> {
        self.backwards(set, &steps, |to, steps| self.sets.pre_part(part, to, steps))
    }
    fn effort(&self) -> u64 {
        self.sets.effort()
    }
    fn pick(&self, set: &S::Set) -> Result<Option<Vec<u64>>, S::Error> {
        self.sets.pick(set)
    }
    fn only(&self, state: &State) -> Result<S::Set, S::Error> {
        self.sets.only(state)
    }
    fn contains(&self, set: &S::Set, state: &State) -> Result<bool, S::Error> {
        self.sets.contains(set, state)
    }
    fn count(&self, set: &S::Set) -> Result<Natural, S::Error> {
        self.sets.count(set)
    }
    fn grown_back(&self, set: &S::Set, within: &S::Set) -> Result<S::Set, S::Error> {
        match self.left {
            // A stutter step leads nowhere else.
            [(sources, Steps::All)] => self.sets.grown_back(set, &self.sets.intersect(within, sources)?),
            _ => self.union(set, &self.intersect(&self.pre(set, Steps::All)?, within)?),
        }
    }
    fn grown_forth(&self, set: &S::Set, within: &S::Set) -> Result<S::Set, S::Error> {
        let mut grown = set.clone();
        // A stutter step leads nowhere else.
        if let [(sources, Steps::All)] = self.left {
            let (from, through) = (self.intersect(set, sources)?, self.intersect(within, sources)?);
            grown = self.union(set, &self.sets.grown_forth(&from, &through)?)?;
        }
        self.union(&grown, &self.intersect(&self.post(&grown, Steps::All)?, within)?)
    }
    fn handier<'s>(&self, first: &'s S::Set, second: &'s S::Set) -> &'s S::Set {
        self.sets.handier(first, second)
    }
    fn lasting(&self, set: &S::Set, stuttering: &S::Set) -> Result<Option<S::Set>, S::Error> {
        match self.left {
            [(sources, Steps::All)] => self.sets.lasting(&self.intersect(set, sources)?, stuttering),
            _ => Ok(None),
        }
    }
    fn direct_way(&self, from: &S::Set, within: &S::Set, goal: &S::Set) -> Result<DirectWay, S::Error> {
        match self.left {
            // A stutter step leads nowhere else.
            [(sources, Steps::All)] => self.sets.direct_way(from, &self.intersect(within, sources)?, goal),
            _ => Ok(DirectWay::NotSearched),
        }
    }
    fn safe_point(&self) -> Result<(), S::Error> {
        self.sets.safe_point()
    }
}
