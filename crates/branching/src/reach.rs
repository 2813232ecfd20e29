//! What can be reached, level by level, and what is wrong there.

use lariat_space::{Faults, StateSets, Steps};
use std::ops::ControlFlow;

/// The states that can be reached, by the least number of steps they take.
#[derive(Clone, Debug)]
pub struct Rings<Set> {
    /// All of them.
    pub reached: Set,
    /// Ring `n` holds those that take `n` steps. The last one is not empty, unless there is no initial state.
    pub rings: Vec<Set>,
}

/// Goes through the reachable states ring by ring. `see` looks at each new ring, with all that was reached so far, and may
/// break off.
pub fn breadth_first<S: StateSets>(
    sets: &S,
    mut see: impl FnMut(&S::Set, &S::Set, usize) -> Result<ControlFlow<()>, S::Error>,
) -> Result<Rings<S::Set>, S::Error> {
    let mut ring = sets.initial()?;
    let mut found = Rings { reached: ring.clone(), rings: Vec::new() };
    while !sets.is_empty(&ring) {
        sets.safe_point()?;
        found.rings.push(ring);
        let (ring_now, depth) = (&found.rings[found.rings.len() - 1], found.rings.len() - 1);
        if see(ring_now, &found.reached, depth)?.is_break() {
            break;
        }
        let next = sets.post(ring_now, Steps::All)?;
        ring = sets.minus(&next, &found.reached)?;
        found.reached = sets.union(&found.reached, &ring)?;
    }
    Ok(found)
}

/// Those states of the set in which `safety` fails: a run-time error is met, or nothing can happen, not even an error, and
/// that is no proper end, if `invalid_ends` asks about it.
pub fn failing<S: StateSets>(sets: &S, of: &S::Set, invalid_ends: bool) -> Result<S::Set, S::Error> {
    let faulty = sets.faulty(of, Faults::Any)?;
    if !invalid_ends {
        return Ok(faulty);
    }
    let improper = sets.minus(&sets.dead_ends(of)?, &sets.proper_ends()?)?;
    sets.union(&faulty, &improper)
}
