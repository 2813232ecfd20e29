//! The automaton: states, edges with guards and marks, one initial state, an acceptance condition.
//!
//! Marks are on edges. "State-based" is a property an automaton may have (all edges that leave a state carry the same
//! marks), not another type: a Büchi automaton with accepting states is an automaton with that property and the
//! condition `Inf(0)`.

use crate::guards::{Guard, Guards};
use crate::hash::FastMap;
use crate::{Acceptance, MarkSet, TooLarge};
use lariat_base::{IdVec, define_id};

define_id! {
    /// A state of an [`Automaton`].
    StateId
}

/// A move to `target` on every letter that satisfies `guard`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Edge {
    /// Where it leads.
    pub target: StateId,
    /// The letters it is for, as a function of the automaton's [`Guards`].
    pub guard: Guard,
    /// The marks a run sees when it takes the edge.
    pub marks: MarkSet,
}

/// An omega-automaton. It accepts a word if some run over it sees, infinitely often, marks that satisfy the condition.
///
/// Laws: the initial state exists; variable `n` of a guard is the proposition at position `n`.
#[derive(Clone, Debug)]
pub struct Automaton {
    /// What to call it, if anything.
    pub name: Option<String>,
    /// The propositions; a letter says of each whether it is true.
    pub propositions: Vec<String>,
    /// The functions that edges use.
    pub guards: Guards,
    /// The edges that leave each state.
    pub edges: IdVec<StateId, Vec<Edge>>,
    /// Where runs begin.
    pub initial: StateId,
    /// Which runs are accepted.
    pub acceptance: Acceptance,
    /// Names of states, for people; states beyond the end have none.
    pub state_names: Vec<Option<String>>,
}

impl Automaton {
    /// An automaton of one state without edges, which accepts nothing.
    pub fn empty(propositions: Vec<String>, acceptance: Acceptance) -> Self {
        Self::over(propositions, Guards::default(), IdVec::from_iter([Vec::new()]), StateId(0), acceptance)
    }
    /// An automaton of the given parts, without names.
    pub fn over(
        propositions: Vec<String>,
        guards: Guards,
        edges: IdVec<StateId, Vec<Edge>>,
        initial: StateId,
        acceptance: Acceptance,
    ) -> Self {
        Self { name: None, propositions, guards, edges, initial, acceptance, state_names: Vec::new() }
    }
    /// The automaton, unless its arena overflowed and its guards are meaningless.
    pub(crate) fn checked(self) -> Result<Self, TooLarge> {
        match self.guards.overflowed() {
            true => Err(self.guards.refusal()),
            false => Ok(self),
        }
    }
    /// The number of states.
    pub fn state_count(&self) -> usize {
        self.edges.len()
    }
    /// The number of edges, each with all letters of its guard.
    pub fn edge_count(&self) -> usize {
        self.edges.iter().map(Vec::len).sum()
    }
    /// Whether all labels together, written as sums of products, have at most so many products.
    pub fn ensure_few_terms(&self, limit: usize) -> Result<(), TooLarge> {
        let mut guards = self.guards.clone();
        let mut left = limit;
        for (_, edge) in self.all_edges() {
            let terms = guards.cover_within(edge.guard, left).ok_or(TooLarge::Terms { limit })?.len();
            left = left.checked_sub(terms).ok_or(TooLarge::Terms { limit })?;
        }
        Ok(())
    }
    /// The number of marks: one more than the largest that an edge or the condition mentions.
    pub fn mark_count(&self) -> u32 {
        let on_edges = self.edges.iter().flatten().filter_map(|edge| edge.marks.iter().last());
        on_edges.chain(self.acceptance.marks().iter().last()).map(|mark| mark.0 + 1).max().unwrap_or(0)
    }
    /// Source states with their edges.
    pub fn all_edges(&self) -> impl Iterator<Item = (StateId, &Edge)> {
        self.edges.entries().flat_map(|(source, edges)| edges.iter().map(move |edge| (source, edge)))
    }
    /// The edges that `letter` allows to leave `state`.
    pub fn moves(&self, state: StateId, letter: impl Fn(u32) -> bool) -> impl Iterator<Item = &Edge> {
        self.edges[state].iter().filter(move |edge| self.guards.holds(edge.guard, &letter))
    }
    /// The marks common to all edges that leave `state`, if they carry the same.
    pub fn state_marks(&self, state: StateId) -> Option<&MarkSet> {
        let edges = &self.edges[state];
        let first = edges.first().map_or(MarkSet::none(), |edge| &edge.marks);
        edges.iter().all(|edge| edge.marks == *first).then_some(first)
    }
    /// Whether all edges that leave a state carry the same marks, for every state.
    pub fn is_state_based(&self) -> bool {
        self.edges.ids().all(|state| self.state_marks(state).is_some())
    }
    /// Joins edges between the same states with the same marks, and drops those without letters. Same language.
    pub fn merge_edges(&mut self) {
        for edges in self.edges.iter_mut() {
            let mut place: FastMap<(StateId, MarkSet), usize> = FastMap::default();
            let mut merged: Vec<Edge> = Vec::with_capacity(edges.len());
            for edge in edges.drain(..).filter(|edge| edge.guard != Guard::FALSE) {
                match place.get(&(edge.target, edge.marks.clone())) {
                    Some(&at) => merged[at].guard = self.guards.or(merged[at].guard, edge.guard),
                    None => {
                        place.insert((edge.target, edge.marks.clone()), merged.len());
                        merged.push(edge);
                    }
                }
            }
            *edges = merged;
        }
    }
    /// Keeps the states that `keep` names, in their order, with the edges between them. The initial state stays, at
    /// least as a state without edges.
    pub(crate) fn retain(&mut self, keep: impl Fn(StateId) -> bool) {
        let mut place: FastMap<StateId, StateId> = FastMap::default();
        let mut edges = IdVec::<StateId, Vec<Edge>>::new();
        let mut names = Vec::new();
        for state in self.edges.ids().filter(|&state| keep(state) || state == self.initial) {
            let kept = if keep(state) { std::mem::take(&mut self.edges[state]) } else { Vec::new() };
            names.push(self.state_names.get(state.0 as usize).cloned().flatten());
            place.insert(state, edges.push(kept));
        }
        for list in edges.iter_mut() {
            list.retain_mut(|edge| place.get(&edge.target).map(|&target| edge.target = target).is_some());
        }
        self.initial = place[&self.initial];
        self.edges = edges;
        if !self.state_names.is_empty() {
            self.state_names = names;
        }
    }
    /// Numbers the states in the order in which a breadth-first walk from the initial state meets them; drops the
    /// others. Equal automata up to numbering, edge orders kept, become equal.
    pub fn renumber(&mut self) {
        let mut order = vec![self.initial];
        let mut place: FastMap<StateId, StateId> = FastMap::from_iter([(self.initial, StateId(0))]);
        let mut next = 0;
        while next < order.len() {
            for edge in &self.edges[order[next]] {
                place.entry(edge.target).or_insert_with(|| {
                    order.push(edge.target);
                    StateId(order.len() as u32 - 1)
                });
            }
            next += 1;
        }
        let names = order.iter().map(|old| self.state_names.get(old.0 as usize).cloned().flatten()).collect();
        let edges = order.iter().map(|&old| {
            let mut edges = std::mem::take(&mut self.edges[old]);
            edges.iter_mut().for_each(|edge| edge.target = place[&edge.target]);
            edges
        });
        self.edges = edges.collect();
        self.initial = StateId(0);
        if !self.state_names.is_empty() {
            self.state_names = names;
        }
    }
    /// Moves the guards that edges use into a fresh arena: what construction left behind is dropped. An arena that
    /// overflowed stays as it is, so that nobody mistakes its functions for meaningful ones.
    pub(crate) fn compact_guards(&mut self) {
        if self.guards.overflowed() {
            return;
        }
        let (mut guards, mut known) = (self.guards.fresh(), FastMap::default());
        for edge in self.edges.iter_mut().flatten() {
            edge.guard = guards.import_known(&self.guards, edge.guard, &|variable| variable, &mut known);
        }
        guards.clear_caches();
        self.guards = guards;
    }
}
