//! Systems that have too many steps from one state to list them one by one.

use lariat_engine::{Feature, Refusal};
use lariat_system::{MOST_LISTED_WAYS, MOST_TRIED_BEGINNINGS, System};

/// A refusal if the choices of an action, or of the beginning, can be made in too many ways.
pub fn ensure_listable(system: &System) -> Result<(), Refusal> {
    too_many_ways(system).map_or(Ok(()), |why| Err(Refusal::because(Feature::Choices, why)))
}

/// Why the steps of a system cannot be listed one by one, if that is so.
pub fn too_many_ways(system: &System) -> Option<String> {
    let free = system.free_valuations(&system.init.choices, &system.init.guard);
    let tried = system.most_valuations(&system.init.choices, &system.init.guard);
    let of_init = ("the beginning".to_owned(), if tried > MOST_TRIED_BEGINNINGS { tried } else { free });
    let of_actions = system.actions.iter().map(|action| {
        let ways = system.free_valuations(&action.choices, action.guard.conjuncts());
        (format!("the step `{}`", action.name), ways)
    });
    let (what, ways) = std::iter::once(of_init).chain(of_actions).find(|(_, ways)| *ways > MOST_LISTED_WAYS)?;
    let number = if ways == u64::MAX { "2^64 or more".to_owned() } else { ways.to_string() };
    Some(format!(
        "{what} leaves {number} ways open, and steps are gone through one by one, {MOST_LISTED_WAYS} at most from each state"
    ))
}
