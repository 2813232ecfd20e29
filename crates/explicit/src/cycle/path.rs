//! The path that a depth-first search stands at the end of, with the edges that wait to be followed.

use super::explorer::{Edge, Explorer};
use crate::dfs::reserve;
use crate::worker::Stop;
use lariat_automata::Mark;
use lariat_space::StateSpace;
use lariat_store::{Budget, Full, Handle, Notes};

/// Of Büchi acceptance on states: the mark that every edge out of an accepting state carries.
const ACCEPTING: Mark = Mark(0);

/// A state on the path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Open {
    pub(crate) state: Handle,
    pub(crate) accepting: bool,
    /// Where its edges that were not followed begin.
    waiting: usize,
}

/// The path of a nested search, from where it began.
pub(crate) struct Path<'a> {
    budget: &'a Budget,
    open: Vec<Open>,
    waiting: Vec<Edge>,
    deepest: usize,
    paid_bytes: u64,
}

impl<'a> Path<'a> {
    pub(crate) fn new(budget: &'a Budget) -> Self {
        Self { budget, open: Vec::new(), waiting: Vec::new(), deepest: 0, paid_bytes: 0 }
    }

    /// Goes on to a state; its edges wait, the first step on top.
    pub(crate) fn enter<S: StateSpace, T: Notes>(
        &mut self,
        explorer: &mut Explorer<'_, S, T>,
        state: Handle,
    ) -> Result<(), Stop> {
        self.paid_bytes += reserve(&mut self.open, self.budget)?;
        let begin = self.waiting.len();
        let Self { waiting, budget, paid_bytes, .. } = self;
        let mut kept = Ok(());
        explorer.edges(state, |edge| {
            kept = kept.and_then(|()| {
                *paid_bytes += reserve(waiting, budget)?;
                waiting.push(edge);
                Ok::<(), Full>(())
            });
        })?;
        kept?;
        self.waiting[begin..].reverse();
        let first = self.waiting.get(begin);
        let accepting = first.is_some_and(|edge| explorer.marks.get(edge.marks).contains(ACCEPTING));
        self.open.push(Open { state, accepting, waiting: begin });
        self.deepest = self.deepest.max(self.open.len() - 1);
        Ok(())
    }

    /// Where the search stands.
    pub(crate) fn top(&self) -> Option<Open> {
        self.open.last().copied()
    }
    /// The next edge to follow from there.
    pub(crate) fn follow(&mut self) -> Option<Edge> {
        if self.waiting.len() > self.open.last()?.waiting { self.waiting.pop() } else { None }
    }
    /// Goes back; all edges of the top were followed, or the rest of them is of no interest.
    pub(crate) fn leave(&mut self) -> Option<Open> {
        let top = self.open.pop()?;
        self.waiting.truncate(top.waiting);
        Some(top)
    }
    /// The states of the path, the first one first.
    pub(crate) fn states(&self) -> impl DoubleEndedIterator<Item = Handle> + '_ {
        self.open.iter().map(|open| open.state)
    }
    /// How many states there are on the path.
    pub(crate) fn len(&self) -> usize {
        self.open.len()
    }
    pub(crate) fn deepest(&self) -> u64 {
        self.deepest as u64
    }
}

impl Drop for Path<'_> {
    fn drop(&mut self) {
        self.budget.give_back(self.paid_bytes);
    }
}
