//! The path that a depth-first search stands at the end of, with the states that wait to be gone to.

use super::explorer::{Edge, Explorer};
use crate::budgeted_stack::BudgetedStack;
use lariat_automata::Mark;
use lariat_space::StateSpace;
use lariat_store::{Budget, Handle, Notes};
use lariat_subject::Stop;

/// Of Büchi acceptance on states: the mark that every edge out of an accepting state carries.
const ACCEPTING: Mark = Mark(0);

/// A state on the path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Open {
    pub(crate) state: Handle,
    pub(crate) accepting: bool,
    /// How many others waited when its edges were listed.
    waiting: usize,
}

/// What becomes of an edge when it is listed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EdgeOutcome {
    /// It is followed later.
    Waits,
    /// It is of no interest, now and later.
    Drops,
    /// It is what the search looks for.
    Closes,
}

/// The path of a nested search, from where it began.
pub(crate) struct Path<'a> {
    open: BudgetedStack<'a, Open>,
    waiting: BudgetedStack<'a, Handle>,
    deepest: usize,
}

impl<'a> Path<'a> {
    pub(crate) fn new(budget: &'a Budget) -> Self {
        Self { open: BudgetedStack::new(budget), waiting: BudgetedStack::new(budget), deepest: 0 }
    }

    /// Goes on to a state. Its edges wait as far as `outcome` says, which is told whether the state is accepting; the first step
    /// is followed first. An edge that closes, if there is one.
    pub(crate) fn enter<S: StateSpace, T: Notes>(
        &mut self,
        explorer: &mut Explorer<'_, S, T>,
        state: Handle,
        mut outcome: impl FnMut(Edge, bool) -> EdgeOutcome,
    ) -> Result<Option<Edge>, Stop> {
        explorer.expand(state)?;
        let first = explorer.found.edges.first();
        let accepting = first.is_some_and(|edge| explorer.marks.get(edge.marks).contains(ACCEPTING));
        self.open.push(Open { state, accepting, waiting: self.waiting.len() })?;
        self.deepest = self.deepest.max(self.open.len() - 1);
        for &edge in explorer.found.edges.iter().rev() {
            match outcome(edge, accepting) {
                EdgeOutcome::Waits => self.waiting.push(edge.target)?,
                EdgeOutcome::Drops => {}
                EdgeOutcome::Closes => return Ok(Some(edge)),
            }
        }
        Ok(None)
    }

    /// Where the search stands.
    pub(crate) fn top(&self) -> Option<Open> {
        self.open.last()
    }
    /// The next state to go to from there, unless something else has led to it meanwhile.
    pub(crate) fn follow(&mut self) -> Option<Handle> {
        if self.waiting.len() > self.open.last()?.waiting { self.waiting.pop() } else { None }
    }
    /// Goes back; all edges of the top were followed, or the rest of them is of no interest.
    pub(crate) fn leave(&mut self) -> Option<Open> {
        let top = self.open.pop()?;
        while self.waiting.len() > top.waiting {
            self.waiting.pop();
        }
        Some(top)
    }
    /// The states of the path, the first one first.
    pub(crate) fn states(&self) -> impl Iterator<Item = Handle> + '_ {
        self.open.iter().map(|open| open.state)
    }
    /// How many states wait to be gone to.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.len()
    }
    /// How many states there are on the path.
    pub(crate) fn len(&self) -> usize {
        self.open.len()
    }
    pub(crate) fn deepest(&self) -> u64 {
        self.deepest as u64
    }
}
