//! Strongly connected components, in one depth-first pass without recursion (Tarjan, SIAM J. Comput. 1972).

use crate::{Automaton, Edge, StateId};
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
        Self::within(automaton, [automaton.initial], |_, _| true)
    }
    /// The components of what is reachable from `roots` by edges that `follow` allows.
    pub fn within(
        automaton: &Automaton,
        roots: impl IntoIterator<Item = StateId>,
        follow: impl Fn(StateId, &Edge) -> bool,
    ) -> Self {
        let count = automaton.state_count();
        let mut walk = Walk { index: vec![0; count], low: vec![0; count], next: 1, stack: Vec::new() };
        let mut found = Self { of_state: vec![None; count], members: Vec::new() };
        for root in roots {
            if walk.index[root.index()] == 0 {
                walk.from(root, automaton, &follow, &mut found);
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
    stack: Vec<StateId>,
}

impl Walk {
    fn from(
        &mut self,
        root: StateId,
        automaton: &Automaton,
        follow: &impl Fn(StateId, &Edge) -> bool,
        found: &mut Components,
    ) {
        let mut path = vec![(root, 0)];
        self.enter(root);
        while let Some(&mut (state, ref mut next_edge)) = path.last_mut() {
            let edge = automaton.edges[state].get(*next_edge);
            *next_edge += 1;
            match edge {
                Some(edge) if !follow(state, edge) => {}
                Some(edge) if self.index[edge.target.index()] == 0 => {
                    self.enter(edge.target);
                    path.push((edge.target, 0));
                }
                Some(edge) => {
                    if found.of_state[edge.target.index()].is_none() {
                        let low = self.index[edge.target.index()];
                        self.low[state.index()] = self.low[state.index()].min(low);
                    }
                }
                None => {
                    path.pop();
                    if let Some(&(parent, _)) = path.last() {
                        self.low[parent.index()] = self.low[parent.index()].min(self.low[state.index()]);
                    }
                    if self.low[state.index()] == self.index[state.index()] {
                        self.close(state, found);
                    }
                }
            }
        }
    }
    fn enter(&mut self, state: StateId) {
        (self.index[state.index()], self.low[state.index()]) = (self.next, self.next);
        self.next += 1;
        self.stack.push(state);
    }
    fn close(&mut self, root: StateId, found: &mut Components) {
        let number = found.members.len() as u32;
        let start = self.stack.iter().rposition(|&state| state == root).expect("a root is on the stack");
        let members = self.stack.split_off(start);
        members.iter().for_each(|state| found.of_state[state.index()] = Some(number));
        found.members.push(members);
    }
}
