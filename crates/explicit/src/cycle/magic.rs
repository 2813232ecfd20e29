//! Magic search (Godefroid, Holzmann 1993): both searches on one stack.
//!
//! Every state is searched with a demon asleep. When the search is about to leave an accepting state, the *magic* one, the
//! demon wakes: the state is searched once more, and so is all that is reached from it, until the magic state is met again,
//! which is a cycle, or everything was seen and the demon falls asleep. What was searched with the demon awake is not
//! searched so again. A state costs two bits.

use super::explorer::Explorer;
use super::lasso::{Lasso, lasso_along};
use super::path::Path;
use super::scc::Cycles;
use crate::worker::Stop;
use lariat_engine::RunControl;
use lariat_space::StateSpace;
use lariat_store::{Handle, Notes};

/// Searched while the demon slept.
const ASLEEP: u32 = 1;
/// Searched while the demon was awake.
const AWAKE: u32 = 2;

/// The kernel. The edges out of accepting states, and no others, carry mark 0. `store` is empty.
pub fn magic<S: StateSpace, T: Notes>(space: &S, store: &T, control: &RunControl) -> Cycles {
    let mut cycles = Cycles { lasso: None, unfinished: None, transitions: 0, depth: 0, refinements: 0 };
    let mut explorer = match Explorer::new(space, store, control) {
        Ok(explorer) => explorer,
        Err(full) => return Cycles { unfinished: Some(full.into()), ..cycles },
    };
    let mut path = Path::new(&control.budget);
    let ended = run(&mut explorer, &mut path);
    cycles.transitions = explorer.transitions;
    cycles.depth = path.deepest();
    match ended {
        Ok(lasso) => cycles.lasso = lasso,
        Err(Stop::Short(shortfall)) => cycles.unfinished = Some(shortfall),
        Err(Stop::Failure | Stop::PoolFull) => unreachable!("a cycle is found, not failed"),
    }
    cycles
}

fn run<S: StateSpace, T: Notes>(explorer: &mut Explorer<'_, S, T>, path: &mut Path<'_>) -> Result<Option<Lasso>, Stop> {
    let mut initial = Vec::new();
    explorer.initial(|state| initial.push(state))?;
    for start in initial {
        // The magic state, and how long the path was when the demon woke.
        let mut demon: Option<(Handle, usize)> = None;
        if explorer.store.note(start) & ASLEEP == 0 {
            enter(explorer, path, start, ASLEEP)?;
        }
        while let Some(top) = path.top() {
            match (path.follow(), demon) {
                (Some(edge), Some((magic, slept))) if edge.target == magic => {
                    // The magic state is on the path twice, one after the other.
                    let mut states: Vec<Handle> = path.states().collect();
                    states.remove(slept);
                    return lasso_along(explorer, &states, magic).map(Some);
                }
                (Some(edge), _) => {
                    let bit = if demon.is_some() { AWAKE } else { ASLEEP };
                    if explorer.store.note(edge.target) & bit == 0 {
                        enter(explorer, path, edge.target, bit)?;
                    }
                }
                (None, None) if top.accepting => {
                    demon = Some((top.state, path.len()));
                    enter(explorer, path, top.state, AWAKE)?;
                }
                (None, Some((_, slept))) if path.len() == slept + 1 => {
                    demon = None;
                    path.leave();
                    path.leave();
                }
                (None, _) => {
                    path.leave();
                }
            }
        }
    }
    Ok(None)
}

fn enter<S: StateSpace, T: Notes>(
    explorer: &mut Explorer<'_, S, T>,
    path: &mut Path<'_>,
    state: Handle,
    bit: u32,
) -> Result<(), Stop> {
    let note = explorer.store.note(state);
    explorer.store.set_note(state, note | bit);
    let transitions = explorer.transitions;
    path.enter(explorer, state)?;
    if bit == AWAKE {
        // These were counted before.
        explorer.transitions = transitions;
    }
    Ok(())
}
