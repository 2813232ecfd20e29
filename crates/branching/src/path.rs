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
    // Forwards, since the way begins in one state more often than not: few states are small sets, and all of them can be
    // reached.
    let mut rings: Vec<S::Set> = Vec::new();
    let mut ring = from.clone();
    let mut known = from.clone();
    let end = loop {
        if let Some(end) = sets.pick(&sets.intersect(&ring, goal)?)? {
            break end;
        }
        sets.safe_point()?;
        let inside = sets.intersect(&ring, within)?;
        ring = sets.minus(&sets.post(&inside, Steps::All)?, &known)?;
        if sets.is_empty(&ring) {
            return Ok(None);
        }
        known = sets.union(&known, &ring)?;
        rings.push(inside);
    };
    let mut states = vec![end];
    while let Some(ring) = rings.pop() {
        let here = sets.only(states.last().expect("it has an end"))?;
        let before = sets.intersect(&sets.pre(&here, Steps::All)?, &ring)?;
        states.push(sets.pick(&before)?.expect("a state of a ring has a predecessor in the ring before"));
    }
    states.reverse();
    Ok(Some(states))
}
