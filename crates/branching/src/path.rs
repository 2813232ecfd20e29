//! Runs between states, as the states they pass.

use lariat_space::{StateSets, Steps};

/// A shortest way from a state of `from` to one of `goal`, through states of `within` up to the last one: the states it
/// passes, both ends included. `None` if there is none.
pub fn path_between<S: StateSets>(
    sets: &S,
    from: &S::Set,
    within: &S::Set,
    goal: &S::Set,
) -> Result<Option<Vec<Vec<u64>>>, S::Error> {
    let approach = Approach::new(sets, from, within, goal)?;
    approach.map(|approach| approach.path(sets)).transpose()
}

/// All shortest ways from one set to another, of which one can be taken.
pub(crate) struct Approach<Set> {
    /// Ring `n` holds what is reached in `n` steps and no fewer, up to the ring before the goal.
    rings: Vec<Set>,
    /// The states of the goal that are reached first.
    ends: Set,
}

impl<Set: Clone + Eq> Approach<Set> {
    /// The shortest ways from a state of `from` to one of `goal`, through states of `within` up to the last one. `None` if
    /// there is none.
    pub(crate) fn new<S: StateSets<Set = Set>>(
        sets: &S,
        from: &Set,
        within: &Set,
        goal: &Set,
    ) -> Result<Option<Self>, S::Error> {
        // Forwards, since the way begins in one state more often than not: few states are small sets, and all of them can be
        // reached.
        let mut rings: Vec<Set> = Vec::new();
        let mut ring = from.clone();
        let mut known = from.clone();
        loop {
            let ends = sets.intersect(&ring, goal)?;
            if !sets.is_empty(&ends) {
                return Ok(Some(Self { rings, ends }));
            }
            sets.safe_point()?;
            let inside = sets.intersect(&ring, within)?;
            ring = sets.minus(&sets.post(&inside, Steps::All)?, &known)?;
            if sets.is_empty(&ring) {
                return Ok(None);
            }
            known = sets.union(&known, &ring)?;
            rings.push(inside);
        }
    }

    /// How many steps each of the ways has.
    pub(crate) fn steps(&self) -> u64 {
        self.rings.len() as u64
    }

    /// The states that one of the ways passes, both ends included.
    pub(crate) fn path<S: StateSets<Set = Set>>(&self, sets: &S) -> Result<Vec<Vec<u64>>, S::Error> {
        let mut states = vec![sets.pick(&self.ends)?.expect("a way has an end")];
        for ring in self.rings.iter().rev() {
            let here = sets.only(states.last().expect("it has an end"))?;
            let before = sets.intersect(&sets.pre(&here, Steps::All)?, ring)?;
            states.push(sets.pick(&before)?.expect("a state of a ring has a predecessor in the ring before"));
        }
        states.reverse();
        Ok(states)
    }
}
