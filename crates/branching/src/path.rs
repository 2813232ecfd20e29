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
    let mut rings = vec![goal.clone()];
    let mut known = goal.clone();
    let start = loop {
        let met = sets.intersect(from, &rings[rings.len() - 1])?;
        if let Some(start) = sets.pick(&met)? {
            break start;
        }
        sets.safe_point()?;
        let before = sets.intersect(&sets.pre(&rings[rings.len() - 1], Steps::All)?, within)?;
        let ring = sets.minus(&before, &known)?;
        if sets.is_empty(&ring) {
            return Ok(None);
        }
        known = sets.union(&known, &ring)?;
        rings.push(ring);
    };
    let mut states = vec![start];
    rings.pop();
    while let Some(ring) = rings.pop() {
        let here = sets.only(states.last().expect("it has a beginning"))?;
        let next = sets.intersect(&sets.post(&here, Steps::All)?, &ring)?;
        states.push(sets.pick(&next)?.expect("a state of a ring has a successor in the ring before"));
    }
    Ok(Some(states))
}
