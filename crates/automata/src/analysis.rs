//! What an automaton is like: deterministic, complete, and how strong its acceptance is, for each component.
//!
//! Strength decides which emptiness check an engine may use: a terminal automaton needs reachability only, a weak one a
//! plain cycle search, a strong one a fair cycle search (Bloem, Ravi, Somenzi, CAV 1999).

use crate::guards::Guard;
use crate::{Automaton, Components, MarkSet, StateId, accepting_part_of};
use lariat_base::Id;

/// What the cycles of a component are like.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ComponentKind {
    /// There are no cycles.
    Transient,
    /// No cycle is accepting.
    Rejecting,
    /// Every cycle is accepting.
    Accepting,
    /// Some cycles are accepting and some are not.
    Mixed,
}

/// How hard it is to see that a run is accepting.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Strength {
    /// A run that reaches an accepting component is accepting, whatever follows.
    Terminal,
    /// A run that stays in an accepting component is accepting.
    Weak,
    /// Marks have to be watched.
    Strong,
}

/// Facts about an automaton, computed once.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// No letter allows two edges from one state.
    pub deterministic: bool,
    /// Every letter allows an edge from every reachable state.
    pub complete: bool,
    /// In each component all edges carry the same marks.
    pub uniform: bool,
    /// The reachable components, successors first.
    pub components: Components,
    /// What each of them is like.
    pub kinds: Vec<ComponentKind>,
    /// Of all the accepting ones together.
    pub strength: Strength,
}

impl Analysis {
    /// Analyses the reachable part of `automaton`.
    pub fn of(automaton: &Automaton) -> Self {
        let components = Components::of(automaton);
        let mut guards = automaton.guards.clone().unlimited();
        let (mut deterministic, mut complete) = (true, true);
        for &state in components.members().iter().flatten() {
            let mut covered = Guard::FALSE;
            for edge in &automaton.edges[state] {
                deterministic &= !guards.intersect(covered, edge.guard);
                covered = guards.or(covered, edge.guard);
            }
            complete &= covered == Guard::TRUE;
        }
        let mut opposite = Automaton::empty(Vec::new(), automaton.acceptance.complement());
        opposite.edges = automaton.edges.clone();
        let kind = |members: &Vec<StateId>| kind_of(automaton, &opposite, &components, members);
        let kinds: Vec<ComponentKind> = components.members().iter().map(kind).collect();
        let uniform = components.members().iter().all(|members| is_uniform(automaton, &components, members));
        let mut analysis = Self { deterministic, complete, uniform, components, kinds, strength: Strength::Strong };
        analysis.strength = match () {
            _ if analysis.kinds.contains(&ComponentKind::Mixed) => Strength::Strong,
            _ if analysis.accepting_never_ends(automaton) => Strength::Terminal,
            _ => Strength::Weak,
        };
        analysis
    }
    /// Whether no component has both accepting and rejecting cycles.
    pub fn is_weak(&self) -> bool {
        self.strength <= Strength::Weak
    }
    /// Whether reaching an accepting component settles acceptance.
    pub fn is_terminal(&self) -> bool {
        self.strength == Strength::Terminal
    }
    /// The kind of the component of `state`, if it is reachable.
    pub fn kind(&self, state: StateId) -> Option<ComponentKind> {
        self.components.component(state).map(|component| self.kinds[component])
    }

    /// Whether from accepting components every letter leads on, to accepting components only.
    fn accepting_never_ends(&self, automaton: &Automaton) -> bool {
        let mut guards = automaton.guards.clone().unlimited();
        let accepting = |state: StateId| self.kind(state) == Some(ComponentKind::Accepting);
        automaton.edges.entries().filter(|&(state, _)| accepting(state)).all(|(_, edges)| {
            let covered = edges.iter().fold(Guard::FALSE, |covered, edge| guards.or(covered, edge.guard));
            covered == Guard::TRUE && edges.iter().all(|edge| accepting(edge.target))
        })
    }
}

/// Whether the automaton has a run over every word, be it accepting or not.
pub fn follows_every_word(automaton: &Automaton) -> bool {
    let mut guards = automaton.guards.clone().unlimited();
    // The greatest set of states from which every letter leads on within the set.
    let mut lasting: Vec<bool> = automaton.edges.ids().map(|_| true).collect();
    loop {
        let mut lost = Vec::new();
        for (state, edges) in automaton.edges.entries().filter(|(state, _)| lasting[state.index()]) {
            let staying = edges.iter().filter(|edge| lasting[edge.target.index()]);
            if staying.fold(Guard::FALSE, |covered, edge| guards.or(covered, edge.guard)) != Guard::TRUE {
                lost.push(state);
            }
        }
        if lost.is_empty() {
            return lasting[automaton.initial.index()];
        }
        lost.iter().for_each(|state| lasting[state.index()] = false);
    }
}

fn kind_of(automaton: &Automaton, opposite: &Automaton, components: &Components, members: &[StateId]) -> ComponentKind {
    let cyclic =
        members.iter().any(|&state| automaton.edges[state].iter().any(|edge| components.together(state, edge.target)));
    let some = |automaton| accepting_part_of(automaton, members).is_some();
    match (cyclic, cyclic && some(automaton), cyclic && some(opposite)) {
        (false, ..) => ComponentKind::Transient,
        (true, true, true) => ComponentKind::Mixed,
        (true, true, false) => ComponentKind::Accepting,
        (true, false, _) => ComponentKind::Rejecting,
    }
}

fn is_uniform(automaton: &Automaton, components: &Components, members: &[StateId]) -> bool {
    let mut marks: Option<&MarkSet> = None;
    members.iter().all(|&state| {
        let mut staying = automaton.edges[state].iter().filter(|edge| components.together(state, edge.target));
        staying.all(|edge| **marks.get_or_insert(&edge.marks) == edge.marks)
    })
}
