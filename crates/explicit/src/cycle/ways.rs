//! Shortest ways from some states to others.

use super::explorer::{Edge, Explorer};
use super::marks::{MarksId, Mixing};
use crate::budgeted_stack::BudgetedStack;
use lariat_space::StateSpace;
use lariat_store::{Budget, Full, Handle, Notes};
use lariat_subject::Stop;
use std::collections::HashMap;

/// A step, by where it begins.
pub(crate) type Departure = (Handle, MarksId);

/// How states were first reached, breadth first. Its memory is taken from a budget.
pub(crate) struct Ways<'a> {
    budget: &'a Budget,
    came_by: HashMap<Handle, Option<Departure>, Mixing>,
    /// The states in the order they were reached.
    reached: BudgetedStack<'a, Handle>,
    paid_bytes: u64,
}

/// How a search for a shortest way treats an edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EdgeUse {
    /// It must not be taken.
    No,
    /// It may be taken.
    Yes,
    /// It is what is looked for.
    End,
}

impl<'a> Ways<'a> {
    pub(crate) fn new(budget: &'a Budget) -> Self {
        Self { budget, came_by: HashMap::default(), reached: BudgetedStack::new(budget), paid_bytes: 0 }
    }

    /// The search may begin, or go on, at the state; it was reached so.
    pub(crate) fn reach(&mut self, state: Handle, by: Option<Departure>) -> Result<(), Full> {
        if self.came_by.contains_key(&state) {
            return Ok(());
        }
        if self.came_by.len() == self.came_by.capacity() {
            self.grow()?;
        }
        self.came_by.insert(state, by);
        self.reached.push(state)
    }

    /// A shortest way to an edge that is looked for: the departures, that of this edge last, and where it leads. The edges
    /// that are listed on the way count as seen before.
    pub(crate) fn find<S: StateSpace, T: Notes>(
        &mut self,
        explorer: &mut Explorer<'_, S, T>,
        mut judge: impl FnMut(Edge, &Explorer<'_, S, T>) -> EdgeUse,
    ) -> Result<Option<(Vec<Departure>, Handle)>, Stop> {
        let transitions = explorer.transitions;
        let mut next = 0;
        while next < self.reached.len() {
            let source = self.reached.get(next);
            next += 1;
            explorer.expand(source)?;
            explorer.transitions = transitions;
            for &edge in &explorer.found.edges {
                match judge(edge, explorer) {
                    EdgeUse::No => {}
                    EdgeUse::Yes => self.reach(edge.target, Some((source, edge.marks)))?,
                    EdgeUse::End => return Ok(Some((self.way((source, edge.marks)), edge.target))),
                }
            }
        }
        Ok(None)
    }

    /// The departures of the way that ends with this one.
    fn way(&self, last: Departure) -> Vec<Departure> {
        let mut way: Vec<Departure> = std::iter::successors(Some(last), |(state, _)| self.came_by[state]).collect();
        way.reverse();
        way
    }

    fn grow(&mut self) -> Result<(), Full> {
        // While a table grows, the old one is still there.
        let more = self.came_by.len().max(448);
        let new_bytes = table_bytes(self.came_by.len() + more);
        self.budget.take(new_bytes)?;
        let old_bytes = std::mem::replace(&mut self.paid_bytes, new_bytes);
        let reserved = self.came_by.try_reserve(more);
        self.budget.give_back(old_bytes);
        reserved.map_err(|_| Full { limit_bytes: self.budget.limit_bytes() })
    }
}

/// What a table for so many entries takes: it is full at seven eighths, and has a byte more for each.
fn table_bytes(entries: usize) -> u64 {
    let places = (entries * 8 / 7 + 1).next_power_of_two();
    (places * (size_of::<(Handle, Option<Departure>)>() + 1) + 64) as u64
}

impl Drop for Ways<'_> {
    fn drop(&mut self) {
        self.budget.give_back(self.paid_bytes);
    }
}
