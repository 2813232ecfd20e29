//! Ways between states that are far apart, where shortest ones take too long to find.
//!
//! The states that are so many steps away from a state and no fewer are no small set where many processes move on their own: which of
//! them have moved, and how far, must add up. So here one part of the steps (what one process does) is followed after the other,
//! each as long as it leads to something new, and all that was found so far is kept each time. These sets say of each process by
//! itself how far it may be. A way is read from them backwards: a state was found by one part of the steps, from a state that had been
//! found before. It is not always a shortest one.

use lariat_space::{StateSets, Steps};

/// What is reached from some states, part by part.
pub(crate) struct Chain<Set> {
    /// What was reached so far, ascending, and the part of the steps that led there.
    found: Vec<(Set, usize)>,
    within: Set,
}

impl<Set: Clone + Eq> Chain<Set> {
    /// Goes on from `from`, in states of `within`, until what was reached is `enough`, or all. What is enough stays so as that grows.
    pub(crate) fn new<S: StateSets<Set = Set>>(
        sets: &S,
        from: Set,
        within: &Set,
        mut enough: impl FnMut(&Set) -> Result<bool, S::Error>,
    ) -> Result<Self, S::Error> {
        let is_at_once = enough(&from)?;
        let mut chain = Self { found: vec![(from.clone(), 0)], within: within.clone() };
        let (mut reached, mut is_growing) = (from, !is_at_once);
        while is_growing {
            is_growing = false;
            // More processes may come to life on the way.
            for part in sets.parts()? {
                loop {
                    sets.safe_point()?;
                    let next = sets.intersect(&sets.post_part(part, &reached, Steps::All)?, within)?;
                    let more = sets.union(&reached, &next)?;
                    if more == reached {
                        break;
                    }
                    reached = more;
                    is_growing = true;
                    chain.found.push((reached.clone(), part));
                    if enough(&reached)? {
                        return Ok(chain);
                    }
                }
            }
        }
        Ok(chain)
    }

    /// All that was reached.
    pub(crate) fn reached(&self) -> &Set {
        &self.found[self.found.len() - 1].0
    }

    /// A way to a state of `goal`, both ends included; `None` if none was reached.
    pub(crate) fn way<S: StateSets<Set = Set>>(&self, sets: &S, goal: &Set) -> Result<Option<Vec<Vec<u64>>>, S::Error> {
        let Some(first) = self.first(self.found.len(), |set| Ok(!sets.is_empty(&sets.intersect(set, goal)?)))? else {
            return Ok(None);
        };
        let end = sets.pick(&sets.intersect(&self.found[first].0, goal)?)?.expect("the set has such a state");
        let (mut states, mut place) = (vec![end], first);
        while place > 0 {
            sets.safe_point()?;
            let here = sets.only(&states[states.len() - 1])?;
            let before = sets.pre_part(self.found[place].1, &here, Steps::All)?;
            let before = sets.intersect(&sets.intersect(&before, &self.found[place - 1].0)?, &self.within)?;
            let before = sets.pick(&before)?.expect("what was found by a step has a state before it");
            let earlier = self.first(place, |set| sets.contains(set, &before))?;
            place = earlier.expect("it had been found before");
            states.push(before);
        }
        states.reverse();
        Ok(Some(states))
    }

    /// The first of the sets up to `end` of which that is so: it is so of all that follow.
    fn first<E>(&self, end: usize, is_so: impl Fn(&Set) -> Result<bool, E>) -> Result<Option<usize>, E> {
        if !is_so(&self.found[end - 1].0)? {
            return Ok(None);
        }
        let (mut low, mut high) = (0, end - 1);
        while low < high {
            let middle = (low + high) / 2;
            if is_so(&self.found[middle].0)? {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        Ok(Some(low))
    }
}
