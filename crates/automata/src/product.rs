//! Automata combined: both accept, one of them accepts.

use crate::guards::{Guard, Guards};
use crate::hash::FastMap;
use crate::{Acceptance, Automaton, Edge, Mark, MarkSet, StateId, TooLarge, TranslateOptions};
use lariat_base::{Id, IdVec, safe_point};

/// The automaton that accepts what both accept. Propositions with the same name are the same; marks of `b` come behind
/// those of `a`.
pub fn intersection(a: &Automaton, b: &Automaton, options: &TranslateOptions) -> Result<Automaton, TooLarge> {
    let mut joined = Joined::of(a, b, options);
    let mut states = vec![(a.initial, b.initial)];
    let mut place: FastMap<(StateId, StateId), StateId> = FastMap::from_iter([(states[0], StateId(0))]);
    let mut edges = IdVec::<StateId, Vec<Edge>>::new();
    let mut edge_count = 0;
    while edges.len() < states.len() {
        let (in_a, in_b) = states[edges.len()];
        let mut list = Vec::new();
        for edge_a in &joined.a[in_a] {
            for edge_b in &joined.b[in_b] {
                let guard = joined.guards.and(edge_a.guard, edge_b.guard);
                if guard == Guard::FALSE {
                    continue;
                }
                let pair = (edge_a.target, edge_b.target);
                let fresh = StateId::new(states.len());
                let target = *place.entry(pair).or_insert(fresh);
                if target == fresh {
                    states.push(pair);
                }
                list.push(Edge { target, guard, marks: edge_a.marks.union(&edge_b.marks) });
            }
        }
        edge_count += list.len();
        joined.check(states.len(), edge_count, options)?;
        edges.push(list);
    }
    let acceptance = Acceptance::join([a.acceptance.clone(), joined.acceptance_b], true);
    Ok(Automaton::over(joined.propositions, joined.guards, edges, StateId(0), acceptance))
}

/// The automaton that accepts what one of them accepts: both side by side behind a new initial state, and a mark for each
/// that says whose run it is.
pub fn union(a: &Automaton, b: &Automaton, options: &TranslateOptions) -> Result<Automaton, TooLarge> {
    let mut joined = Joined::of(a, b, options);
    let (offset_a, offset_b) = (1, 1 + a.state_count() as u32);
    let marks = a.mark_count() + b.mark_count();
    let (mark_a, mark_b) = (Mark(marks), Mark(marks + 1));
    let place = |list: &mut Vec<Edge>, offset: u32, mark: Mark| {
        for edge in list {
            edge.target.0 += offset;
            edge.marks.insert(mark);
        }
    };
    joined.a.iter_mut().for_each(|list| place(list, offset_a, mark_a));
    joined.b.iter_mut().for_each(|list| place(list, offset_b, mark_b));
    let first = [joined.a[a.initial].clone(), joined.b[b.initial].clone()].concat();
    let lists = joined.a.iter().chain(joined.b.iter()).cloned();
    let edges: IdVec<StateId, Vec<Edge>> = std::iter::once(first).chain(lists).collect();
    joined.check(edges.len(), edges.iter().map(Vec::len).sum(), options)?;
    let side = |mark, acceptance| Acceptance::join([Acceptance::Inf(mark), acceptance], true);
    let sides = [side(mark_a, a.acceptance.clone()), side(mark_b, joined.acceptance_b)];
    let acceptance = Acceptance::join(sides, false);
    Ok(Automaton::over(joined.propositions, joined.guards, edges, StateId(0), acceptance))
}

impl Automaton {
    /// The same automaton over these propositions, which include its own by name; in their order.
    #[must_use]
    pub fn over_propositions(&self, propositions: &[String]) -> Self {
        let place =
            |name: &String| propositions.iter().position(|other| other == name).expect("its own are among them");
        let at: Vec<u32> = self.propositions.iter().map(|name| place(name) as u32).collect();
        let mut guards = self.guards.fresh();
        let edges = import(self, &mut guards, &|variable| at[variable as usize], 0);
        Self { propositions: propositions.to_vec(), guards, edges, ..self.clone() }
    }
}

/// Two automata over the same propositions, guards and disjoint marks.
struct Joined {
    propositions: Vec<String>,
    guards: Guards,
    a: IdVec<StateId, Vec<Edge>>,
    b: IdVec<StateId, Vec<Edge>>,
    acceptance_b: Acceptance,
}

impl Joined {
    fn of(a: &Automaton, b: &Automaton, options: &TranslateOptions) -> Self {
        let mut propositions = a.propositions.clone();
        let mut at: Vec<u32> = Vec::with_capacity(b.propositions.len());
        for name in &b.propositions {
            let known = propositions.iter().position(|other| other == name);
            at.push(known.unwrap_or(propositions.len()) as u32);
            if known.is_none() {
                propositions.push(name.clone());
            }
        }
        let mut guards = Guards::with_limit(options.max_guard_nodes);
        let shift = a.mark_count();
        let edges_a = import(a, &mut guards, &|variable| variable, 0);
        let edges_b = import(b, &mut guards, &|variable| at[variable as usize], shift);
        let acceptance_b = b.acceptance.rename(|mark| Mark(mark.0 + shift));
        Self { propositions, guards, a: edges_a, b: edges_b, acceptance_b }
    }
    fn check(&self, states: usize, edges: usize, options: &TranslateOptions) -> Result<(), TooLarge> {
        safe_point();
        match () {
            _ if states > options.max_states => Err(TooLarge::States { limit: options.max_states }),
            _ if edges > options.max_edges => Err(TooLarge::Edges { limit: options.max_edges }),
            _ if self.guards.overflowed() => Err(self.guards.refusal()),
            _ => Ok(()),
        }
    }
}

fn import(from: &Automaton, guards: &mut Guards, rename: &dyn Fn(u32) -> u32, shift: u32) -> IdVec<StateId, Vec<Edge>> {
    let mut known = FastMap::default();
    let mut edge = |edge: &Edge| Edge {
        target: edge.target,
        guard: guards.import_known(&from.guards, edge.guard, rename, &mut known),
        marks: if shift == 0 {
            edge.marks.clone()
        } else {
            edge.marks.iter().map(|mark| Mark(mark.0 + shift)).collect::<MarkSet>()
        },
    };
    from.edges.iter().map(|list| list.iter().map(&mut edge).collect()).collect()
}
