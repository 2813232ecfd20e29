//! A part of the reachable states that no step leads out of, and that is small.
//!
//! Where every run is asked for, as when it is asked whether any run is fair, a fair loop is most easily found there: runs end
//! up in components that no step leads out of, and on the whole of such a component what justice gives is met if it is
//! met anywhere. Begin with some state; from what it leads to and what does not lead back, take another; and so on. Once all of it
//! leads back it is a component, and whether that is fair is said by the constraints at once, without a search.

use crate::components::is_fair;
use crate::fairness::InSets;
use crate::feasible::Within;
use crate::slip::{Slip, slips};
use lariat_space::StateSets;

/// The most times that another state is taken.
const MOST_TURNS: usize = 100;

/// States that no step leads out of.
pub(crate) struct Bottom<Set> {
    pub(crate) states: Set,
    /// Whether each of them leads to each other one.
    pub(crate) is_component: bool,
}

/// States of `reached`, which is closed under steps, that no step leads out of: a component if that is found soon. Empty if there
/// are no states.
pub(crate) fn bottom<S: StateSets>(sets: &S, reached: &S::Set) -> Result<Bottom<S::Set>, S::Error> {
    let mut states = reached.clone();
    let mut next = sets.pick(reached)?;
    let mut turns = 0;
    let most_turns = if slips(Slip::BottomIsComponent) { 1 } else { MOST_TURNS };
    while let Some(state) = next.take_if(|_| turns < most_turns) {
        turns += 1;
        sets.safe_point()?;
        let here = sets.only(&state)?;
        states = sets.intersect(&sets.reachable(&here)?, &states)?;
        let mut leading_back = here;
        while leading_back != states {
            sets.safe_point()?;
            let grown = sets.grown_back(&leading_back, &states)?;
            if grown == leading_back {
                break;
            }
            leading_back = grown;
        }
        next = sets.pick(&sets.minus(&states, &leading_back)?)?;
    }
    Ok(Bottom { is_component: turns > 0 && next.is_none(), states })
}

/// Whether a fair run is found in such a part of the reachable states. There may be one if none is found.
pub(crate) fn has_fair_run<S: StateSets>(
    sets: &S,
    reached: &S::Set,
    stuttering: &S::Set,
    constraints: &[InSets<S::Set>],
) -> Result<bool, S::Error> {
    let found = bottom(sets, reached)?;
    let within = Within { sets, f: &found.states, stuttering, constraints };
    Ok((found.is_component || slips(Slip::BottomIsComponent)) && is_fair(&within)?)
}
