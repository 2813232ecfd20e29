//! A set of states at a time.

use crate::{Natural, State, Steps};
use lariat_system::LabelId;

/// A system whose sets of states are values. Reachability, branching time and every fair-cycle fixpoint are written once
/// over this trait.
///
/// Laws: sets are sets of *ordinary* states (transient ones are passed through); `union`, `intersect` and `minus` are
/// those of sets; `t` is in `post(a)` iff some `s` in `a` has a step to `t`; `s` is in `pre(b)` iff it has a step to some
/// `t` in `b`; so `post(a)` meets `b` iff `a` meets `pre(b)`. A stutter step is no step here. All this is promised of
/// reachable states: whether a set that is made from labels, or by `pre`, holds states that cannot be reached is left
/// open.
///
/// Every operation can fail: there may be no memory for the result, or the run is to stop. Nothing is known about the
/// result then, and the sets made before are what they were.
pub trait StateSets {
    /// A set of states. Equality is equality of sets.
    type Set: Clone + Eq;
    /// Why an operation gave no result.
    type Error;

    /// No state.
    fn empty(&self) -> Self::Set;
    /// The initial states.
    fn initial(&self) -> Result<Self::Set, Self::Error>;
    /// The states in which the state label holds.
    fn satisfying(&self, label: LabelId) -> Result<Self::Set, Self::Error>;
    /// The states in which a run may properly end.
    fn proper_ends(&self) -> Result<Self::Set, Self::Error>;
    /// Those states of the set that have no step.
    fn dead_ends(&self, of: &Self::Set) -> Result<Self::Set, Self::Error>;
    /// Those states of the set in which such a run-time error is met, or on the way from which to another state one is met.
    fn faulty(&self, of: &Self::Set, faults: Faults) -> Result<Self::Set, Self::Error>;
    /// In one or the other.
    fn union(&self, a: &Self::Set, b: &Self::Set) -> Result<Self::Set, Self::Error>;
    /// In both.
    fn intersect(&self, a: &Self::Set, b: &Self::Set) -> Result<Self::Set, Self::Error>;
    /// In the first and not in the second.
    fn minus(&self, a: &Self::Set, b: &Self::Set) -> Result<Self::Set, Self::Error>;
    /// Where one of these steps leads from the set.
    fn post(&self, set: &Self::Set, steps: Steps) -> Result<Self::Set, Self::Error>;
    /// From where one of these steps leads into the set.
    fn pre(&self, set: &Self::Set, steps: Steps) -> Result<Self::Set, Self::Error>;
    /// A state of the set, always the same one; `None` if it is empty.
    fn pick(&self, set: &Self::Set) -> Result<Option<Vec<u64>>, Self::Error>;
    /// The set of this one state, which is a reachable one.
    fn only(&self, state: &State) -> Result<Self::Set, Self::Error>;
    /// How many states there are in the set.
    fn count(&self, set: &Self::Set) -> Result<Natural, Self::Error>;

    /// Whether the state, which is a reachable one, is in the set.
    fn contains(&self, set: &Self::Set, state: &State) -> Result<bool, Self::Error> {
        Ok(!self.is_empty(&self.intersect(set, &self.only(state)?)?))
    }
    /// Whether there is no state in the set.
    fn is_empty(&self, set: &Self::Set) -> bool {
        *set == self.empty()
    }
    /// The set, what one step leads to from it, and perhaps more that can be reached from it: as much as comes at
    /// little cost.
    fn grown(&self, set: &Self::Set) -> Result<Self::Set, Self::Error> {
        self.union(set, &self.post(set, Steps::All)?)
    }
    /// The set, those states of `within` from which one step leads into it, and perhaps more states of `within` from which it
    /// can be reached through `within`: as much as comes at little cost.
    fn grown_back(&self, set: &Self::Set, within: &Self::Set) -> Result<Self::Set, Self::Error> {
        self.union(set, &self.intersect(&self.pre(set, Steps::All)?, within)?)
    }
    /// The set, those states of `within` that one step leads to from it, and perhaps more states of `within` that can be reached
    /// from it through `within`: as much as comes at little cost.
    fn grown_forth(&self, set: &Self::Set, within: &Self::Set) -> Result<Self::Set, Self::Error> {
        self.union(set, &self.intersect(&self.post(set, Steps::All)?, within)?)
    }
    /// One of two sets that will both do: the one that takes less to be followed.
    fn handier<'s>(&self, first: &'s Self::Set, second: &'s Self::Set) -> &'s Self::Set {
        let _ = second;
        first
    }
    /// The parts that steps are made of, as numbers: what one process does, for example. A number means the same part for ever; there
    /// may be more of them once more states are known.
    fn parts(&self) -> Result<Vec<usize>, Self::Error> {
        Ok(vec![0])
    }
    /// Where those of these steps lead from the set that are in the part with this number: all together they are `post`.
    fn post_part(&self, part: usize, set: &Self::Set, steps: Steps) -> Result<Self::Set, Self::Error> {
        debug_assert_eq!(part, 0);
        self.post(set, steps)
    }
    /// From where they lead into the set; perhaps with states from which steps of other parts do.
    fn pre_part(&self, part: usize, set: &Self::Set, steps: Steps) -> Result<Self::Set, Self::Error> {
        debug_assert_eq!(part, 0);
        self.pre(set, steps)
    }
    /// What was computed so far, in a measure that is the same on every machine; 0 where sets are so cheap that it does not matter.
    fn effort(&self) -> u64 {
        0
    }
    /// The largest part of the set from each state of which a step leads on inside it, or that repeats because it is `stuttering`.
    /// `None` if that does not come at little cost.
    fn lasting(&self, set: &Self::Set, stuttering: &Self::Set) -> Result<Option<Self::Set>, Self::Error> {
        let _ = (set, stuttering);
        Ok(None)
    }
    /// A way with as few steps as possible from a state of `from` to one of `goal`, through states of `within` up to the last one, if
    /// that is found without a set for each number of steps.
    fn direct_way(&self, from: &Self::Set, within: &Self::Set, goal: &Self::Set) -> Result<DirectWay, Self::Error> {
        let _ = (from, within, goal);
        Ok(DirectWay::NotSearched)
    }
    /// The state as one of the system, from which one of these steps leads to `next`; `None` if there is no such step. Sets may
    /// leave out a part of states that is chosen anew with every step, and then `pick` gives states without it.
    fn whole(&self, state: &State, next: &State, steps: &Steps) -> Result<Option<Vec<u64>>, Self::Error> {
        let _ = (next, steps);
        Ok(Some(state.to_vec()))
    }
    /// From now on only steps from the states of `sources` matter: `pre` may leave others out. What each of them leads to was
    /// asked for before, by `post` or `grown`.
    fn confine(&self, sources: &Self::Set) -> Result<(), Self::Error> {
        let _ = sources;
        Ok(())
    }
    /// Called between operations, often: the time to collect what is not used, to reorder, and to look at limits.
    fn safe_point(&self) -> Result<(), Self::Error>;

    /// The states that can be reached from `from` in any number of steps, none included.
    fn reachable(&self, from: &Self::Set) -> Result<Self::Set, Self::Error> {
        let mut reached = from.clone();
        loop {
            self.safe_point()?;
            let grown = self.grown(&reached)?;
            if grown == reached {
                return Ok(reached);
            }
            reached = grown;
        }
    }
}

/// What became of the search for a way: see [`StateSets::direct_way`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DirectWay {
    /// These sets have no search of their own.
    NotSearched,
    /// There is none.
    None,
    /// The states that it passes, both ends included.
    Found(Vec<Vec<u64>>),
}

/// Which run-time errors are looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Faults {
    /// Any.
    Any,
    /// That a process is created and the pool is full.
    PoolFull,
}
