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
//! few bits. What they say about the target of an edge when the edge is listed is final, but for targets that the search
//! has not entered yet: so only these wait.

use super::explorer::Explorer;
use super::lasso::lasso_along;
use super::path::{EdgeOutcome, Path};
use super::ways::{EdgeUse, Ways};
use crate::budgeted_stack::BudgetedStack;
use lariat_engine::{PoolTooSmall, RunControl};
use lariat_space::StateSpace;
use lariat_store::{Handle, Notes};
use lariat_subject::{Cycles, Lasso, Stop};

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
/// For `ndfs`: on the path of the first search.
const OPEN: u32 = 4;
/// For `ndfs`: an accepting state on that path.
const ACCEPTING: u32 = 8;

impl Nested {
    /// The greatest note.
    pub(crate) fn most_note(self) -> u32 {
        match self {
            Self::CvwyA | Self::CvwyB => FIRST | SECOND,
            Self::Ndfs => FIRST | SECOND | OPEN | ACCEPTING,
        }
    }
}

/// The kernel. The edges out of accepting states, and no others, carry mark 0. `store` is empty; a byte will do for notes.
pub fn nested<S: StateSpace, T: Notes>(
    which: Nested,
    space: &S,
    store: &T,
    control: &RunControl,
) -> Result<Cycles, PoolTooSmall> {
    let mut cycles = Cycles::default();
    let mut explorer = match Explorer::new(space, store, control) {
        Ok(explorer) => explorer,
        Err(full) => return Ok(Cycles { unfinished: Some(full.into()), ..cycles }),
    };
    let mut search = NestedSearch {
        which,
        first: Path::new(&control.budget),
        second: Path::new(&control.budget),
        accepting: BudgetedStack::new(&control.budget),
        found: None,
        searched: [0; 2],
    };
    let ended = search.run(&mut explorer).and_then(|()| search.lasso(&mut explorer));
    cycles.transitions = explorer.transitions;
    cycles.digest = explorer.found.digest;
    cycles.depth = search.first.deepest();
    cycles.searched = search.searched;
    cycles.end(ended)?;
    Ok(cycles)
}

struct NestedSearch<'a> {
    which: Nested,
    first: Path<'a>,
    second: Path<'a>,
    /// For algorithm A, the accepting states in the order the first search left them.
    accepting: BudgetedStack<'a, Handle>,
    /// The states of a run up to where it closes, and the state it comes back to, which is one of them.
    found: Option<(Vec<Handle>, Handle)>,
    /// How many states, by the first search and by the second.
    searched: [u64; 2],
}

impl NestedSearch<'_> {
    fn run<S: StateSpace, T: Notes>(&mut self, explorer: &mut Explorer<'_, S, T>) -> Result<(), Stop> {
        explorer.initial()?;
        for state in std::mem::take(&mut explorer.found.edges).into_iter().map(|edge| edge.target) {
            self.search_first(explorer, state)?;
            if self.found.is_some() {
                return Ok(());
            }
        }
        for number in 0..self.accepting.len() {
            self.search_second(explorer, self.accepting.get(number))?;
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
        while let Some(top) = self.first.top().filter(|_| self.found.is_none()) {
            if let Some(state) = self.first.follow() {
                self.enter_first(explorer, state)?;
                continue;
            }
            if top.accepting {
                match self.which {
                    Nested::CvwyA => self.accepting.push(top.state)?,
                    Nested::CvwyB | Nested::Ndfs => self.search_second(explorer, top.state)?,
                }
                if self.found.is_some() {
                    return Ok(());
                }
            }
            self.first.leave();
            if self.which == Nested::Ndfs {
                // The second search has entered no other state of this path: it would have stopped there.
                explorer.store.set_note(top.state, if top.accepting { FIRST | SECOND } else { FIRST });
            }
        }
        Ok(())
    }

    /// Goes on to a state, unless the first search has been there.
    fn enter_first<S: StateSpace, T: Notes>(
        &mut self,
        explorer: &mut Explorer<'_, S, T>,
        state: Handle,
    ) -> Result<(), Stop> {
        // The second search comes later than the first, wherever it comes: a state is new to this one if it has no note.
        let early = self.which == Nested::Ndfs;
        if explorer.store.claim(state, if early { FIRST | OPEN } else { FIRST }) != 0 {
            return Ok(());
        }
        self.searched[0] += 1;
        let closes = self.first.enter(explorer, state, |edge, accepting| match edge.note {
            0 => EdgeOutcome::Waits,
            // A cycle of the path. It is accepting if this state or the other is.
            note if note & OPEN != 0 && (accepting || note & ACCEPTING != 0) => EdgeOutcome::Closes,
            _ => EdgeOutcome::Drops,
        })?;
        explorer.tell_depth(self.first.len(), self.first.waiting());
        if let Some(edge) = closes {
            self.found = Some((explorer.list(self.first.states())?, edge.target));
        } else if early && self.first.top().is_some_and(|top| top.accepting) {
            explorer.store.set_note(state, FIRST | OPEN | ACCEPTING);
        }
        Ok(())
    }

    /// Looks for a way from `seed` back to it; for `ndfs`, to any state on the path of the first search.
    fn search_second<S: StateSpace, T: Notes>(
        &mut self,
        explorer: &mut Explorer<'_, S, T>,
        seed: Handle,
    ) -> Result<(), Stop> {
        let transitions = explorer.transitions;
        self.enter_second(explorer, seed, seed)?;
        while self.second.top().is_some() && self.found.is_none() {
            match self.second.follow() {
                Some(state) => self.enter_second(explorer, state, seed)?,
                None => {
                    self.second.leave();
                }
            }
        }
        explorer.transitions = transitions;
        Ok(())
    }

    /// Goes on to a state, unless the second search has been there.
    fn enter_second<S: StateSpace, T: Notes>(
        &mut self,
        explorer: &mut Explorer<'_, S, T>,
        state: Handle,
        seed: Handle,
    ) -> Result<(), Stop> {
        let note = explorer.store.note(state);
        if note & SECOND != 0 {
            return Ok(());
        }
        explorer.store.set_note(state, note | SECOND);
        self.searched[1] += 1;
        let closes = self.second.enter(explorer, state, |edge, _| match edge.note {
            _ if edge.target == seed => EdgeOutcome::Closes,
            note if note & OPEN != 0 => EdgeOutcome::Closes,
            note if note & SECOND != 0 => EdgeOutcome::Drops,
            _ => EdgeOutcome::Waits,
        })?;
        let waiting = self.first.waiting() + self.second.waiting();
        explorer.tell_depth(self.first.len() + self.second.len(), waiting);
        if let Some(edge) = closes {
            let before = self.first.states().take_while(|&state| state != seed);
            self.found = Some((explorer.list(before.chain(self.second.states()))?, edge.target));
        }
        Ok(())
    }

    fn lasso<S: StateSpace, T: Notes>(&mut self, explorer: &mut Explorer<'_, S, T>) -> Result<Option<Lasso>, Stop> {
        let Some((mut states, back_to)) = self.found.take() else { return Ok(None) };
        if self.which == Nested::CvwyA {
            // The first search is over, and its path forgotten.
            let stem = stem_to(explorer, states[0])?;
            states = explorer.list(stem.into_iter().chain(states))?;
        }
        lasso_along(explorer, &states, back_to).map(Some)
    }
}

/// A shortest way from an initial state to `to`, the last one not included.
pub(super) fn stem_to<S: StateSpace, T: Notes>(
    explorer: &mut Explorer<'_, S, T>,
    to: Handle,
) -> Result<Vec<Handle>, Stop> {
    let mut ways = Ways::new(&explorer.control.budget);
    explorer.initial()?;
    for edge in &explorer.found.edges {
        if edge.target == to {
            return Ok(Vec::new());
        }
        ways.reach(edge.target, None)?;
    }
    let found = ways.find(explorer, |edge, _| if edge.target == to { EdgeUse::End } else { EdgeUse::Yes })?;
    let (way, _) = found.expect("it was reached before");
    Ok(way.into_iter().map(|(state, _)| state).collect())
}
