//! Runs between states, as the states they pass.

use lariat_space::{StateSets, Steps};

/// A shortest way through rings from an initial state to a state of the last ring: the states it passes, both ends
/// included.
pub fn path_through<S: StateSets>(sets: &S, rings: &[S::Set], to: &[u64]) -> Result<Vec<Vec<u64>>, S::Error> {
    let mut states = vec![to.to_vec()];
    for ring in rings.iter().rev().skip(1) {
        sets.safe_point()?;
        let here = sets.only(states.last().expect("it has an end"))?;
        let before = sets.intersect(&sets.pre(&here, Steps::All)?, ring)?;
        let before = sets.pick(&before)?.expect("a state of a ring has a predecessor in the ring before");
        states.push(before);
    }
    states.reverse();
    Ok(states)
}

/// A shortest way from a state to one of `goal`, through states of `within` up to the last one: the states it passes, both
/// ends included. `None` if there is none.
pub fn path_between<S: StateSets>(
    sets: &S,
    from: &[u64],
    within: &S::Set,
    goal: &S::Set,
) -> Result<Option<Vec<Vec<u64>>>, S::Error> {
    let start = sets.only(from)?;
    let mut rings = vec![goal.clone()];
    let mut known = goal.clone();
    while sets.is_empty(&sets.intersect(&start, &rings[rings.len() - 1])?) {
        sets.safe_point()?;
        let before = sets.intersect(&sets.pre(&rings[rings.len() - 1], Steps::All)?, within)?;
        let ring = sets.minus(&before, &known)?;
        if sets.is_empty(&ring) {
            return Ok(None);
        }
        known = sets.union(&known, &ring)?;
        rings.push(ring);
    }
    let mut states = vec![from.to_vec()];
    rings.pop();
    while let Some(ring) = rings.pop() {
        let here = sets.only(states.last().expect("it has a beginning"))?;
        let next = sets.intersect(&sets.post(&here, Steps::All)?, &ring)?;
        states.push(sets.pick(&next)?.expect("a state of a ring has a successor in the ring before"));
    }
    Ok(Some(states))
}
