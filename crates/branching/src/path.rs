//! Runs between states, as the states they pass.

use lariat_space::{DirectWay, StateSets, Steps};

/// A shortest way from a state of `from` to one of `goal`, through states of `within` up to the last one: the states it
/// passes, both ends included. `None` if there is none.
pub fn path_between<S: StateSets>(
    sets: &S,
    from: &S::Set,
    within: &S::Set,
    goal: &S::Set,
) -> Result<Option<Vec<Vec<u64>>>, S::Error> {
    Layers::new(from.clone(), within.clone()).path(sets, goal)
}

/// What is reached from some states, by the least number of steps it takes; made as far as it is asked about.
#[derive(Clone, Debug)]
pub struct Layers<Set> {
    /// The states that are gone on from.
    within: Set,
    /// Layer `n` holds what is reached in `n` steps and no fewer. None but the first is empty.
    layers: Vec<Set>,
    /// All of them together.
    known: Set,
    /// Whether there is nothing further.
    complete: bool,
}

impl<Set: Clone + Eq> Layers<Set> {
    /// What is reached from `from` through states of `within`.
    pub fn new(from: Set, within: Set) -> Self {
        Self { within, layers: vec![from.clone()], known: from, complete: false }
    }

    /// A shortest way to a state of `goal`: the states it passes, both ends included. `None` if there is none.
    pub fn path<S: StateSets<Set = Set>>(&mut self, sets: &S, goal: &Set) -> Result<Option<Vec<Vec<u64>>>, S::Error> {
        if let Some(from) = self.layers.first() {
            match sets.direct_way(from, &self.within, goal)? {
                DirectWay::Found(way) => return Ok(Some(way)),
                DirectWay::None => return Ok(None),
                DirectWay::NotSearched => {}
            }
        }
        self.steps_to(sets, goal)?.map(|steps| self.walk(sets, steps, goal)).transpose()
    }

    /// The least number of steps to a state of `goal`. `None` if none is reached.
    pub(crate) fn steps_to<S: StateSets<Set = Set>>(
        &mut self,
        sets: &S,
        goal: &Set,
    ) -> Result<Option<usize>, S::Error> {
        let mut steps = 0;
        loop {
            if !sets.is_empty(&sets.intersect(&self.layers[steps], goal)?) {
                return Ok(Some(steps));
            }
            steps += 1;
            if steps == self.layers.len() && !self.grow(sets)? {
                return Ok(None);
            }
        }
    }

    /// The same; `None` if `is_long` says so before it is known.
    pub(crate) fn steps_unless<S: StateSets<Set = Set>>(
        &mut self,
        sets: &S,
        goal: &Set,
        is_long: impl Fn() -> bool,
    ) -> Result<Option<Option<usize>>, S::Error> {
        let mut steps = 0;
        loop {
            if !sets.is_empty(&sets.intersect(&self.layers[steps], goal)?) {
                return Ok(Some(Some(steps)));
            }
            if is_long() {
                return Ok(None);
            }
            steps += 1;
            if steps == self.layers.len() && !self.grow(sets)? {
                return Ok(Some(None));
            }
        }
    }

    /// What is reached in so many steps and no fewer; it was asked for before.
    pub(crate) fn layer(&self, steps: usize) -> &Set {
        &self.layers[steps]
    }

    /// Goes one step further. Whether that leads to new states.
    pub(crate) fn grow<S: StateSets<Set = Set>>(&mut self, sets: &S) -> Result<bool, S::Error> {
        if self.complete {
            return Ok(false);
        }
        sets.safe_point()?;
        // Forwards, since the way begins in one state more often than not: few states are small sets, and all of them can be
        // reached.
        // From what was known before nothing new is reached, and all together may be a smaller diagram than its border.
        let from = sets.handier(&self.layers[self.layers.len() - 1], &self.known);
        let inside = sets.intersect(from, &self.within)?;
        let layer = sets.minus(&sets.post(&inside, Steps::All)?, &self.known)?;
        self.complete = sets.is_empty(&layer);
        if !self.complete {
            self.known = sets.union(&self.known, &layer)?;
            self.layers.push(layer);
        }
        Ok(!self.complete)
    }

    /// The states that a way of so many steps to `goal` passes, both ends included. There is one.
    pub(crate) fn walk<S: StateSets<Set = Set>>(
        &self,
        sets: &S,
        steps: usize,
        goal: &Set,
    ) -> Result<Vec<Vec<u64>>, S::Error> {
        let end = sets.pick(&sets.intersect(&self.layers[steps], goal)?)?;
        let mut states = vec![end.expect("a way has an end")];
        for layer in self.layers[..steps].iter().rev() {
            let here = sets.only(states.last().expect("it has an end"))?;
            let before = sets.intersect(&sets.pre(&here, Steps::All)?, layer)?;
            let before = sets.pick(&sets.intersect(&before, &self.within)?)?;
            states.push(before.expect("a state of a layer has a predecessor in the layer before"));
        }
        states.reverse();
        Ok(states)
    }
}
