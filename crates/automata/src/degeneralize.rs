//! From generalised Büchi to state-based Büchi by copies of the automaton (Gastin, Oddoux, CAV 2001, for the copies;
//! Babiak, Badie, Duret-Lutz, Křetínský, Strejček, SPIN 2013, for doing it one component at a time).
//!
//! Copy `l` of a state waits for the `l`-th mark; the last copy, behind all marks, is accepting and waits for the first
//! again. Only components in which some cycles accept and some do not need copies. Marks a component does not need are
//! left out, in an order chosen for it. From which copy a component is entered does not change what is accepted, so it is
//! entered where it stays: in the smallest terminal component of its copies. That makes the level a cached function of
//! the entered state, and no copy exists only to be left.

use crate::hash::FastMap;
use crate::reduce::{all_cycles_accept, necessary_marks};
use crate::{
    Acceptance, Automaton, Components, Edge, Mark, MarkSet, StateId, TooLarge, TranslateOptions, accepting_part_of,
};
use lariat_base::{Id, IdVec};

/// A state of the result: a state, and how many marks of the component's order have been seen in this round.
type Copy = (StateId, usize);

/// A Büchi automaton with accepting states (marks on states, `Inf(0)`) for the same language.
///
/// The condition must be generalised Büchi; see [`Acceptance::as_generalized_buchi`].
pub fn degeneralize(automaton: &Automaton, options: &TranslateOptions) -> Result<Automaton, TooLarge> {
    let required = automaton.acceptance.as_generalized_buchi().expect("a generalised Büchi condition");
    let components = Components::of(automaton);
    let plans: Vec<Plan> =
        components.members().iter().map(|members| Plan::of(automaton, &components, members, &required)).collect();

    let enter = |state: StateId| {
        let component = components.component(state).expect("targets of reachable states are reachable");
        (state, plans[component].entry(state))
    };
    let mut states: Vec<Copy> = vec![enter(automaton.initial)];
    let mut place: FastMap<Copy, StateId> = FastMap::from_iter([(states[0], StateId(0))]);
    let mut edges = IdVec::<StateId, Vec<Edge>>::new();
    while edges.len() < states.len() {
        let (source, level) = states[edges.len()];
        let plan = &plans[components.component(source).expect("copies are of reachable states")];
        let marks = if plan.accepts(level) { MarkSet::first(1) } else { MarkSet::EMPTY };
        let mut list = Vec::with_capacity(automaton.edges[source].len());
        for edge in &automaton.edges[source] {
            let copy = match components.together(source, edge.target) {
                true => (edge.target, plan.advance(level, &edge.marks, edge.target)),
                false => enter(edge.target),
            };
            let target = *place.entry(copy).or_insert_with(|| {
                states.push(copy);
                StateId(states.len() as u32 - 1)
            });
            list.push(Edge { target, guard: edge.guard, marks: marks.clone() });
        }
        if states.len() > options.max_states {
            return Err(TooLarge::States { limit: options.max_states });
        }
        edges.push(list);
    }
    let guards = automaton.guards.clone();
    let mut result = Automaton::over(automaton.propositions.clone(), guards, edges, StateId(0), Acceptance::buchi());
    result.name.clone_from(&automaton.name);
    result.merge_edges();
    result.checked()
}

/// How one component is copied.
#[derive(Clone, Debug)]
enum Plan {
    /// One copy, accepting or not.
    Single { accepting: bool },
    /// A copy for each mark of `order`, and one behind.
    Levels {
        order: Vec<Mark>,
        /// Marks on every edge by which a run can stay in the component from here; they are as good as seen on arrival.
        ahead: FastMap<StateId, MarkSet>,
        entries: FastMap<StateId, usize>,
    },
}

impl Plan {
    fn of(automaton: &Automaton, components: &Components, members: &[StateId], required: &MarkSet) -> Self {
        if accepting_part_of(automaton, members).is_none() {
            return Self::Single { accepting: false };
        }
        if all_cycles_accept(automaton, members, required) {
            return Self::Single { accepting: true };
        }
        let needed = necessary_marks(automaton, &[members.to_vec()], required);
        let mut ahead = FastMap::default();
        for &state in members {
            let staying = automaton.edges[state].iter().filter(|edge| components.together(state, edge.target));
            let common = staying.fold(None, |common: Option<MarkSet>, edge| {
                let mut common = common.unwrap_or_else(|| edge.marks.clone());
                common.intersect_with(&edge.marks);
                Some(common)
            });
            ahead.insert(state, common.unwrap_or_default());
        }
        let mut best: Option<(usize, Self)> = None;
        let edge_count = members.iter().map(|&state| automaton.edges[state].len()).sum();
        for order in orders(needed.iter().collect(), edge_count) {
            for ahead in [ahead.clone(), FastMap::default()] {
                let plan = Self::Levels { order: order.clone(), ahead, entries: FastMap::default() };
                let copies = plan.smallest_terminal(automaton, components, members);
                if best.as_ref().is_none_or(|(count, _)| copies.len() < *count) {
                    let entries = copies.iter().rev().copied().collect();
                    let Self::Levels { order, ahead, .. } = plan else { unreachable!("made so above") };
                    best = Some((copies.len(), Self::Levels { order, ahead, entries }));
                }
            }
        }
        best.expect("there is at least one order").1
    }
    fn entry(&self, state: StateId) -> usize {
        match self {
            Self::Single { .. } => 0,
            Self::Levels { entries, .. } => entries[&state],
        }
    }
    fn accepts(&self, level: usize) -> bool {
        match self {
            Self::Single { accepting } => *accepting,
            Self::Levels { order, .. } => level == order.len(),
        }
    }
    /// The level after an edge inside the component that carries `marks` and leads to `target`.
    fn advance(&self, level: usize, marks: &MarkSet, target: StateId) -> usize {
        let Self::Levels { order, ahead, .. } = self else { return 0 };
        let start = if level == order.len() { 0 } else { level };
        let ahead = ahead.get(&target).unwrap_or(MarkSet::none());
        let seen = |mark: &&Mark| marks.contains(**mark) || ahead.contains(**mark);
        start + order[start..].iter().take_while(seen).count()
    }
    /// The copies of the smallest component of copies that cannot be left for other copies. Each state has one.
    fn smallest_terminal(&self, automaton: &Automaton, components: &Components, members: &[StateId]) -> Vec<Copy> {
        let Self::Levels { order, .. } = self else { return Vec::new() };
        let mut states: Vec<Copy> = (0..=order.len()).map(|level| (members[0], level)).collect();
        let mut place: FastMap<Copy, StateId> =
            states.iter().enumerate().map(|(at, &copy)| (copy, StateId(at as u32))).collect();
        let mut copies = Automaton::empty(Vec::new(), Acceptance::True);
        copies.edges = IdVec::new();
        while copies.edges.len() < states.len() {
            let (source, level) = states[copies.edges.len()];
            let staying = automaton.edges[source].iter().filter(|edge| components.together(source, edge.target));
            let targets = staying.map(|edge| {
                let copy = (edge.target, self.advance(level, &edge.marks, edge.target));
                let target = *place.entry(copy).or_insert_with(|| {
                    states.push(copy);
                    StateId(states.len() as u32 - 1)
                });
                Edge { target, guard: edge.guard, marks: MarkSet::EMPTY }
            });
            let targets = targets.collect();
            copies.edges.push(targets);
        }
        let count = copies.edges.len();
        let parts = Components::explore(count, 0..count, |state, at| {
            copies.edges[StateId::new(state)].get(at).map(|edge| Some(edge.target.index()))
        });
        let terminal = parts.members().iter().filter(|part| {
            part.iter().all(|&state| copies.edges[state].iter().all(|edge| parts.together(state, edge.target)))
        });
        let smallest = terminal.min_by_key(|part| part.len()).expect("a finite graph has a terminal component");
        let mut smallest: Vec<Copy> = smallest.iter().map(|state| states[state.0 as usize]).collect();
        smallest.sort_unstable();
        smallest
    }
}

/// Orders of the marks to try: all for few marks, else each rotation, as long as the copies with all of them together
/// have no more edges than is quickly looked at.
fn orders(marks: Vec<Mark>, edge_count: usize) -> Vec<Vec<Mark>> {
    let affordable = MAX_EDGES_TRIED / (edge_count * (marks.len() + 1)).max(1);
    let mut orders = match marks.len() {
        0..=4 => permutations(marks),
        count => {
            let rotated = |by: usize| [&marks[by..], &marks[..by]].concat();
            (0..count).map(rotated).collect()
        }
    };
    orders.truncate(affordable.max(1));
    orders
}

const MAX_EDGES_TRIED: usize = 100_000;

fn permutations(marks: Vec<Mark>) -> Vec<Vec<Mark>> {
    if marks.len() <= 1 {
        return vec![marks];
    }
    let with_first = |at: usize| {
        let mut rest = marks.clone();
        let first = rest.remove(at);
        permutations(rest).into_iter().map(move |rest| std::iter::once(first).chain(rest).collect())
    };
    (0..marks.len()).flat_map(with_first).collect()
}
