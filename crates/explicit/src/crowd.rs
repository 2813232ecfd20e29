//! Systems that have too many steps from one state to list them one by one.

use lariat_engine::{Refusal, Task};

/// The most ways to make the choices of one action of which its guard says nothing.
const MAX_WAYS: u64 = 1 << 20;

/// A refusal if the choices of an action, or of the beginning, can be made in too many ways.
pub(crate) fn admits(task: &Task<'_>) -> Result<(), Refusal> {
    let system = task.system;
    let refuse = |what: String, ways: u64| {
        let number = if ways == u64::MAX { "2^64 or more".to_owned() } else { ways.to_string() };
        let reason = format!(
            "{what} leaves {number} ways open, and it goes through states one by one, {MAX_WAYS} at most from each; an \
             engine for sets of states, `symbolic`, is for this"
        );
        Err(Refusal { reason })
    };
    let ways = system.free_valuations(&system.init.choices, &system.init.guard);
    if ways > MAX_WAYS {
        return refuse("the beginning".to_owned(), ways);
    }
    for action in system.actions.iter() {
        let ways = system.free_valuations(&action.choices, action.guard.conjuncts());
        if ways > MAX_WAYS {
            return refuse(format!("the step `{}`", action.name), ways);
        }
    }
    Ok(())
}
