//! Magic search (Godefroid, Holzmann 1993): both searches on one stack.
//!
//! Every state is searched with a demon asleep. When the search is about to leave an accepting state, the *magic* one, the
//! demon wakes: the state is searched once more, and so is all that is reached from it, until the magic state is met again,
//! which is a cycle, or everything was seen and the demon falls asleep. What was searched with the demon awake is not
//! searched so again. A state costs two bits.

use super::explorer::Explorer;
use super::lasso::{Lasso, lasso_along};
use super::path::{Fate, Path};
use super::scc::Cycles;
use crate::worker::Stop;
use lariat_engine::RunControl;
use lariat_space::StateSpace;
use lariat_store::{Handle, Notes};

/// Searched while the demon slept.
const ASLEEP: u32 = 1;
/// Searched while the demon was awake.
const AWAKE: u32 = 2;

/// The kernel. The edges out of accepting states, and no others, carry mark 0. `store` is empty; a byte will do for notes.
pub fn magic<S: StateSpace, T: Notes>(space: &S, store: &T, control: &RunControl) -> Cycles {
    let mut cycles = Cycles::default();
    let mut explorer = match Explorer::new(space, store, control) {
        Ok(explorer) => explorer,
        Err(full) => return Cycles { unfinished: Some(full.into()), ..cycles },
    };
    let mut path = Path::new(&control.budget);
    let ended = run(&mut explorer, &mut path);
    cycles.transitions = explorer.transitions;
    cycles.digest = explorer.found.digest;
    cycles.depth = path.deepest();
    cycles.end(ended);
    cycles
}

/// The magic state while the demon is awake.
#[derive(Clone, Copy)]
struct Demon {
    magic: Handle,
    /// How many states were on the path when it woke.
    slept: usize,
}

fn run<S: StateSpace, T: Notes>(explorer: &mut Explorer<'_, S, T>, path: &mut Path<'_>) -> Result<Option<Lasso>, Stop> {
    explorer.initial()?;
    for start in std::mem::take(&mut explorer.found.edges) {
        let mut demon: Option<Demon> = None;
        enter_asleep(explorer, path, start.target)?;
        while let Some(top) = path.top() {
            let closes = match (path.follow(), demon) {
                (Some(state), None) => {
                    enter_asleep(explorer, path, state)?;
                    false
                }
                (Some(state), Some(awake)) => enter_awake(explorer, path, state, awake)?,
                (None, None) if top.accepting => {
                    let awake = Demon { magic: top.state, slept: path.len() };
                    demon = Some(awake);
                    enter_awake(explorer, path, top.state, awake)?
                }
                (None, Some(awake)) if path.len() == awake.slept + 1 => {
                    demon = None;
                    path.leave();
                    path.leave();
                    false
                }
                (None, _) => {
                    path.leave();
                    false
                }
            };
            if closes && let Some(Demon { magic, slept }) = demon {
                // The magic state is on the path twice, one after the other.
                let states = path.states().enumerate().filter(|&(number, _)| number != slept);
                let states = explorer.list(states.map(|(_, state)| state))?;
                return lasso_along(explorer, &states, magic).map(Some);
            }
        }
    }
    Ok(None)
}

/// Goes on to a state, unless it was searched before.
fn enter_asleep<S: StateSpace, T: Notes>(
    explorer: &mut Explorer<'_, S, T>,
    path: &mut Path<'_>,
    state: Handle,
) -> Result<(), Stop> {
    if explorer.store.claim(state, ASLEEP) == 0 {
        path.enter(explorer, state, |edge, _| if edge.note == 0 { Fate::Waits } else { Fate::Drops })?;
    }
    Ok(())
}

/// Goes on to a state, unless it was searched with a demon awake. Whether an edge of it leads to the magic state.
fn enter_awake<S: StateSpace, T: Notes>(
    explorer: &mut Explorer<'_, S, T>,
    path: &mut Path<'_>,
    state: Handle,
    demon: Demon,
) -> Result<bool, Stop> {
    let note = explorer.store.note(state);
    // The magic state is entered in any case: it is on the path a second time for as long as the demon is awake.
    if note & AWAKE != 0 && state != demon.magic {
        return Ok(false);
    }
    explorer.store.set_note(state, note | AWAKE);
    let transitions = explorer.transitions;
    let closes = path.enter(explorer, state, |edge, _| match edge.note {
        _ if edge.target == demon.magic => Fate::Closes,
        note if note & AWAKE != 0 => Fate::Drops,
        _ => Fate::Waits,
    })?;
    // These were counted before.
    explorer.transitions = transitions;
    Ok(closes.is_some())
}
