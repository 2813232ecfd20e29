//! Strongly connected components, in one depth-first pass without recursion (Tarjan, SIAM J. Comput. 1972).

use crate::{Automaton, StateId};
use lariat_base::Id;

/// The components of a graph. Component numbers are a reverse topological order: an edge never leads to a larger
/// number.
#[derive(Clone, Debug)]
pub struct Components {
    /// The component of each state; nothing for states that the walk did not reach.
    of_state: Vec<Option<u32>>,
    /// The states of each component.
    members: Vec<Vec<StateId>>,
}

impl Components {
    /// The components of what is reachable from the initial state.
    pub fn of(automaton: &Automaton) -> Self {
        let edge =
            |state: usize, at: usize| automaton.edges[StateId::new(state)].get(at).map(|edge| edge.target.index());
        Self::explore(automaton.state_count(), [automaton.initial.index()], |state, at| edge(state, at).map(Some))
    }
    /// The components of a graph with states `0..count`, as far as it is reachable from `roots`. `edge` gives the target
    /// of the edge with a number, nothing inside if it is not to be followed, nothing at all behind the last edge.
    pub(crate) fn explore(
        count: usize,
        roots: impl IntoIterator<Item = usize>,
        edge: impl Fn(usize, usize) -> Option<Option<usize>>,
    ) -> Self {
        let mut walk = Walk { index: vec![0; count], low: vec![0; count], next: 1, stack: Vec::new() };
        let mut found = Self { of_state: vec![None; count], members: Vec::new() };
        for root in roots {
            if walk.index[root] == 0 {
                walk.from(root, &edge, &mut found);
            }
        }
        found
    }
    /// The component of `state`, if it was reached.
    pub fn component(&self, state: StateId) -> Option<usize> {
        self.of_state[state.index()].map(|component| component as usize)
    }
    /// Whether both were reached and are in one component.
    pub fn together(&self, a: StateId, b: StateId) -> bool {
        self.of_state[a.index()].is_some() && self.of_state[a.index()] == self.of_state[b.index()]
    }
    /// The states of each component.
    pub fn members(&self) -> &[Vec<StateId>] {
        &self.members
    }
    /// The number of components.
    pub fn len(&self) -> usize {
        self.members.len()
    }
    /// Whether nothing was reached.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }
}

struct Walk {
    /// When a state was met, from 1; 0 if it was not.
    index: Vec<u32>,
    low: Vec<u32>,
    next: u32,
    stack: Vec<usize>,
}

impl Walk {
    fn from(&mut self, root: usize, edge: &impl Fn(usize, usize) -> Option<Option<usize>>, found: &mut Components) {
        let mut path = vec![(root, 0)];
        self.enter(root);
        while let Some(&mut (state, ref mut next_edge)) = path.last_mut() {
            let target = edge(state, *next_edge);
            *next_edge += 1;
            match target {
                Some(None) => {}
                Some(Some(target)) if self.index[target] == 0 => {
                    self.enter(target);
                    path.push((target, 0));
                }
                Some(Some(target)) => {
                    if found.of_state[target].is_none() {
                        self.low[state] = self.low[state].min(self.index[target]);
                    }
                }
                None => {
                    path.pop();
                    if let Some(&(parent, _)) = path.last() {
                        self.low[parent] = self.low[parent].min(self.low[state]);
                    }
                    if self.low[state] == self.index[state] {
                        self.close(state, found);
                    }
                }
            }
        }
    }
    fn enter(&mut self, state: usize) {
        (self.index[state], self.low[state]) = (self.next, self.next);
        self.next += 1;
        self.stack.push(state);
    }
    fn close(&mut self, root: usize, found: &mut Components) {
        let number = found.members.len() as u32;
        let start = self.stack.iter().rposition(|&state| state == root).expect("a root is on the stack");
        let members = self.stack.split_off(start);
        members.iter().for_each(|&state| found.of_state[state] = Some(number));
        found.members.push(members.into_iter().map(StateId::new).collect());
    }
}
