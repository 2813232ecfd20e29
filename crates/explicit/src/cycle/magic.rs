//! Magic search (Godefroid, Holzmann 1993): both searches on one stack.
//!
//! Every state is searched with a demon asleep. When the search is about to leave an accepting state, the *magic* one, the
//! demon wakes: the state is searched once more, and so is all that is reached from it, until the magic state is met again,
//! which is a cycle, or everything was seen and the demon falls asleep. What was searched with the demon awake is not
//! searched so again. A state costs two bits.
//!
//! The paper stops at the first cycle. Who goes on past it must know that the second search may come, by way of a state on
//! the path, to states that the first one has not searched yet.

use super::explorer::{Edge, Explorer};
use super::lasso::lasso_along;
use super::path::{EdgeOutcome, Path};
use lariat_engine::{PoolTooSmall, RunControl};
use lariat_space::StateSpace;
use lariat_store::{Handle, Notes};
use lariat_subject::{Cycles, Lasso, Stop};

/// Searched while the demon slept.
const ASLEEP: u32 = 1;
/// Searched while the demon was awake.
const AWAKE: u32 = 2;

/// The kernel. The edges out of accepting states, and no others, carry mark 0. `store` is empty; notes are at most 3.
pub fn magic<S: StateSpace, T: Notes>(space: &S, store: &T, control: &RunControl) -> Result<Cycles, PoolTooSmall> {
    search(space, store, control, false)
}

/// The same, but the search goes on past cycles until everything was searched, and counts the accepting states that it came
/// back to. The run told is the first that was found.
pub fn every_magic<S: StateSpace, T: Notes>(
    space: &S,
    store: &T,
    control: &RunControl,
) -> Result<Cycles, PoolTooSmall> {
    search(space, store, control, true)
}

/// The greatest note.
pub(crate) const MOST_NOTE: u32 = ASLEEP | AWAKE;

fn search<S: StateSpace, T: Notes>(
    space: &S,
    store: &T,
    control: &RunControl,
    keep_going: bool,
) -> Result<Cycles, PoolTooSmall> {
    let mut cycles = Cycles::default();
    let mut explorer = match Explorer::new(space, store, control) {
        Ok(explorer) => explorer,
        Err(full) => return Ok(Cycles { unfinished: Some(full.into()), ..cycles }),
    };
    let mut search =
        MagicSearch { path: Path::new(&control.budget), searched: [0; 2], keep_going, lasso: None, count: 0 };
    let ended = search.run(&mut explorer).map(|()| search.lasso.take());
    cycles.end(ended)?;
    cycles.lasso = cycles.lasso.or(search.lasso);
    cycles.count = search.count;
    cycles.transitions = explorer.transitions;
    cycles.digest = explorer.found.digest;
    cycles.depth = search.path.deepest();
    cycles.searched = search.searched;
    Ok(cycles)
}

/// The magic state while the demon is awake.
#[derive(Clone, Copy)]
struct Demon {
    magic: Handle,
    /// How many states were on the path when it woke.
    slept: usize,
}

struct MagicSearch<'a> {
    path: Path<'a>,
    /// How many states with the demon asleep, and how many with it awake.
    searched: [u64; 2],
    keep_going: bool,
    lasso: Option<Lasso>,
    /// The accepting states that were come back to.
    count: u64,
}

impl MagicSearch<'_> {
    fn run<S: StateSpace, T: Notes>(&mut self, explorer: &mut Explorer<'_, S, T>) -> Result<(), Stop> {
        explorer.initial()?;
        for start in std::mem::take(&mut explorer.found.edges) {
            self.enter_asleep(explorer, start.target)?;
            self.go_on(explorer)?;
            if self.is_over() {
                break;
            }
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.lasso.is_some() && !self.keep_going
    }

    /// Follows everything that can be reached from the one state on the path, if there is one.
    fn go_on<S: StateSpace, T: Notes>(&mut self, explorer: &mut Explorer<'_, S, T>) -> Result<(), Stop> {
        let mut demon: Option<Demon> = None;
        // Whether the magic state was come back to.
        let mut closed = false;
        while let Some(top) = self.path.top() {
            let closes = match (self.path.follow(), demon) {
                (Some(state), None) => {
                    self.enter_asleep(explorer, state)?;
                    false
                }
                (Some(state), Some(awake)) if explorer.store.note(state) & AWAKE == 0 => {
                    self.enter_awake(explorer, state, awake)?
                }
                (None, None) if top.accepting && explorer.store.note(top.state) & AWAKE == 0 => {
                    let awake = Demon { magic: top.state, slept: self.path.len() };
                    (demon, closed) = (Some(awake), false);
                    self.enter_awake(explorer, top.state, awake)?
                }
                (None, Some(awake)) if self.path.len() == awake.slept + 1 => {
                    demon = None;
                    self.path.leave();
                    self.path.leave();
                    false
                }
                (None, _) => {
                    self.path.leave();
                    false
                }
                (Some(_), Some(_)) => false,
            };
            if closes && let Some(awake) = demon {
                self.tell(explorer, awake)?;
                self.count += u64::from(!closed);
                closed = true;
                if self.is_over() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// The top has an edge to the magic state.
    fn tell<S: StateSpace, T: Notes>(&mut self, explorer: &mut Explorer<'_, S, T>, demon: Demon) -> Result<(), Stop> {
        if self.lasso.is_none() {
            // The magic state is on the path twice, one after the other.
            let states = self.path.states().enumerate().filter(|&(number, _)| number != demon.slept);
            let states = explorer.list(states.map(|(_, state)| state))?;
            self.lasso = Some(lasso_along(explorer, &states, demon.magic)?);
        }
        Ok(())
    }

    /// Goes on to a state, unless it was searched before with the demon asleep.
    fn enter_asleep<S: StateSpace, T: Notes>(
        &mut self,
        explorer: &mut Explorer<'_, S, T>,
        state: Handle,
    ) -> Result<(), Stop> {
        match explorer.store.claim(state, ASLEEP) {
            0 => {}
            note if note & ASLEEP != 0 => return Ok(()),
            // By way of a state on the path a search with the demon awake comes to such.
            note => explorer.store.set_note(state, note | ASLEEP),
        }
        self.searched[0] += 1;
        let outcome = |edge: Edge, _| if edge.note & ASLEEP == 0 { EdgeOutcome::Waits } else { EdgeOutcome::Drops };
        self.path.enter(explorer, state, outcome)?;
        explorer.tell_depth(self.path.len(), self.path.waiting());
        Ok(())
    }

    /// Goes on to a state that was not searched with a demon awake. Whether an edge of it leads to the magic state.
    fn enter_awake<S: StateSpace, T: Notes>(
        &mut self,
        explorer: &mut Explorer<'_, S, T>,
        state: Handle,
        demon: Demon,
    ) -> Result<bool, Stop> {
        explorer.store.set_note(state, explorer.store.note(state) | AWAKE);
        self.searched[1] += 1;
        let transitions = explorer.transitions;
        let mut closes = false;
        self.path.enter(explorer, state, |edge, _| match edge.note {
            _ if edge.target == demon.magic => {
                closes = true;
                if self.keep_going { EdgeOutcome::Drops } else { EdgeOutcome::Closes }
            }
            note if note & AWAKE != 0 => EdgeOutcome::Drops,
            _ => EdgeOutcome::Waits,
        })?;
        explorer.tell_depth(self.path.len(), self.path.waiting());
        // These were counted before, or will be.
        explorer.transitions = transitions;
        Ok(closes)
    }
}
