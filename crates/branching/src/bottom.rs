//! A part of the reachable states that no step leads out of, and that is small.
//!
//! Where every run is asked for, as when it is asked whether any run is fair, a fair loop is most easily found there: runs end
//! up in components that no step leads out of, and on the whole of such a component what justice gives is met if it is
//! met anywhere. Begin with some state; from what it leads to and what does not lead back, take another; and so on.

use lariat_space::StateSets;

/// The most times that another state is taken.
const MOST_TURNS: usize = 12;

/// States of `reached`, which is closed under steps, that no step leads out of: a component if that is found soon. Empty if there
/// are no states.
pub(crate) fn bottom<S: StateSets>(sets: &S, reached: &S::Set) -> Result<S::Set, S::Error> {
    let mut found = reached.clone();
    let mut next = sets.pick(reached)?;
    for _ in 0..MOST_TURNS {
        let Some(state) = next else { break };
        sets.safe_point()?;
        let here = sets.only(&state)?;
        found = sets.intersect(&sets.reachable(&here)?, &found)?;
        let mut leading_back = here;
        loop {
            sets.safe_point()?;
            let grown = sets.grown_back(&leading_back, &found)?;
            if grown == leading_back {
                break;
            }
            leading_back = grown;
        }
        next = sets.pick(&sets.minus(&found, &leading_back)?)?;
    }
    Ok(found)
}
