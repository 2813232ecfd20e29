//! Nested depth-first searches for Büchi acceptance on states: a first search finds accepting states, a second one asks
//! whether such a state can reach itself.
//!
//! * `cvwy-a`: all of the first search, then the second from each accepting state in the order the first left them
//!   (Courcoubetis, Vardi, Wolper, Yannakakis 1992, algorithm A).
//! * `cvwy-b`: the second search begins whenever the first leaves an accepting state (algorithm B).
//! * `ndfs`: algorithm B that notices at once when an edge closes a cycle of the first search, and lets the second search
//!   stop at any state of the first one's path (Schwoon, Esparza 2005).
//!
//! A second search never enters what an earlier one has seen: that is what the order of leaving is for. Each state keeps a
//! few bits.

use super::explorer::Explorer;
use super::lasso::{Lasso, lasso_along};
use super::path::Path;
use super::scc::Cycles;
use crate::worker::Stop;
use lariat_engine::RunControl;
use lariat_space::StateSpace;
use lariat_store::{Handle, Notes};
use std::collections::{HashMap, VecDeque};

/// Which nested search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Nested {
    /// Two searches, one after the other.
    CvwyA,
    /// Two searches, interleaved.
    CvwyB,
    /// Two searches, interleaved, with early detection.
    Ndfs,
}

/// The first search has been here.
const FIRST: u32 = 1;
/// The second search has been here.
const SECOND: u32 = 2;
/// On the path of the first search.
const OPEN: u32 = 4;
/// An accepting state on that path.
const ACCEPTING: u32 = 8;

/// The kernel. The edges out of accepting states, and no others, carry mark 0. `store` is empty.
pub fn nested<S: StateSpace, T: Notes>(which: Nested, space: &S, store: &T, control: &RunControl) -> Cycles {
    let mut cycles = Cycles { lasso: None, unfinished: None, transitions: 0, depth: 0, refinements: 0 };
    let mut explorer = match Explorer::new(space, store, control) {
        Ok(explorer) => explorer,
        Err(full) => return Cycles { unfinished: Some(full.into()), ..cycles },
    };
    let mut search = Search {
        which,
        first: Path::new(&control.budget),
        second: Path::new(&control.budget),
        accepting: Vec::new(),
        found: None,
    };
    let ended = search.run(&mut explorer).and_then(|()| search.lasso(&mut explorer));
    cycles.transitions = explorer.transitions;
    cycles.depth = search.first.deepest();
    match ended {
        Ok(lasso) => cycles.lasso = lasso,
        Err(Stop::Short(shortfall)) => cycles.unfinished = Some(shortfall),
        Err(Stop::Failure | Stop::PoolFull) => unreachable!("a cycle is found, not failed"),
    }
    cycles
}

struct Search<'a> {
    which: Nested,
    first: Path<'a>,
    second: Path<'a>,
    /// For algorithm A, the accepting states in the order the first search left them.
    accepting: Vec<Handle>,
    /// The states of a run up to where it closes, and the state it comes back to, which is one of them.
    found: Option<(Vec<Handle>, Handle)>,
}

impl Search<'_> {
    fn run<S: StateSpace, T: Notes>(&mut self, explorer: &mut Explorer<'_, S, T>) -> Result<(), Stop> {
        let mut initial = Vec::new();
        explorer.initial(|state| initial.push(state))?;
        for state in initial {
            if explorer.store.note(state) & FIRST == 0 {
                self.search_first(explorer, state)?;
            }
            if self.found.is_some() {
                return Ok(());
            }
        }
        for state in std::mem::take(&mut self.accepting) {
            self.search_second(explorer, state)?;
            if self.found.is_some() {
                return Ok(());
            }
        }
        Ok(())
    }

    fn search_first<S: StateSpace, T: Notes>(
        &mut self,
        explorer: &mut Explorer<'_, S, T>,
        start: Handle,
    ) -> Result<(), Stop> {
        self.enter_first(explorer, start)?;
        while let Some(top) = self.first.top() {
            if let Some(edge) = self.first.follow() {
                let note = explorer.store.note(edge.target);
                if note & FIRST == 0 {
                    self.enter_first(explorer, edge.target)?;
                } else if self.which == Nested::Ndfs && note & OPEN != 0 {
                    // A cycle closes. It is accepting if this state or the other is.
                    if top.accepting || note & ACCEPTING != 0 {
                        self.found = Some((self.first.states().collect(), edge.target));
                        return Ok(());
                    }
                }
                continue;
            }
            if top.accepting {
                match self.which {
                    Nested::CvwyA => self.accepting.push(top.state),
                    Nested::CvwyB | Nested::Ndfs => self.search_second(explorer, top.state)?,
                }
                if self.found.is_some() {
                    return Ok(());
                }
            }
            self.first.leave();
            let note = explorer.store.note(top.state);
            explorer.store.set_note(top.state, note & !(OPEN | ACCEPTING));
        }
        Ok(())
    }

    fn enter_first<S: StateSpace, T: Notes>(
        &mut self,
        explorer: &mut Explorer<'_, S, T>,
        state: Handle,
    ) -> Result<(), Stop> {
        let note = explorer.store.note(state);
        self.first.enter(explorer, state)?;
        let accepting = self.first.top().is_some_and(|top| top.accepting);
        explorer.store.set_note(state, note | FIRST | OPEN | if accepting { ACCEPTING } else { 0 });
        Ok(())
    }

    /// Looks for a way from `seed` back to it; for `ndfs`, to any state on the path of the first search.
    fn search_second<S: StateSpace, T: Notes>(
        &mut self,
        explorer: &mut Explorer<'_, S, T>,
        seed: Handle,
    ) -> Result<(), Stop> {
        let transitions = explorer.transitions;
        self.enter_second(explorer, seed)?;
        while self.second.top().is_some() {
            let Some(edge) = self.second.follow() else {
                self.second.leave();
                continue;
            };
            let note = explorer.store.note(edge.target);
            let closes = edge.target == seed || (self.which == Nested::Ndfs && note & OPEN != 0);
            if closes {
                let before = self.first.states().take_while(|&state| state != seed);
                self.found = Some((before.chain(self.second.states()).collect(), edge.target));
                break;
            }
            if note & SECOND == 0 {
                self.enter_second(explorer, edge.target)?;
            }
        }
        explorer.transitions = transitions;
        Ok(())
    }

    fn enter_second<S: StateSpace, T: Notes>(
        &mut self,
        explorer: &mut Explorer<'_, S, T>,
        state: Handle,
    ) -> Result<(), Stop> {
        let note = explorer.store.note(state);
        explorer.store.set_note(state, note | SECOND);
        self.second.enter(explorer, state)
    }

    fn lasso<S: StateSpace, T: Notes>(&mut self, explorer: &mut Explorer<'_, S, T>) -> Result<Option<Lasso>, Stop> {
        let Some((mut states, back_to)) = self.found.take() else { return Ok(None) };
        if self.which == Nested::CvwyA {
            // The first search is over, and its path forgotten.
            let mut whole = stem_to(explorer, states[0])?;
            whole.pop();
            whole.append(&mut states);
            states = whole;
        }
        lasso_along(explorer, &states, back_to).map(Some)
    }
}

/// A shortest way from an initial state to `to`, both included.
fn stem_to<S: StateSpace, T: Notes>(explorer: &mut Explorer<'_, S, T>, to: Handle) -> Result<Vec<Handle>, Stop> {
    let mut came_from: HashMap<Handle, Option<Handle>> = HashMap::new();
    let mut queue = VecDeque::new();
    let transitions = explorer.transitions;
    explorer.initial(|state| {
        came_from.insert(state, None);
        queue.push_back(state);
    })?;
    while !came_from.contains_key(&to) {
        let source = queue.pop_front().expect("it was reached before");
        explorer.edges(source, |edge| {
            came_from.entry(edge.target).or_insert_with(|| {
                queue.push_back(edge.target);
                Some(source)
            });
        })?;
    }
    explorer.transitions = transitions;
    let mut way: Vec<Handle> = std::iter::successors(Some(to), |state| came_from[state]).collect();
    way.reverse();
    Ok(way)
}
