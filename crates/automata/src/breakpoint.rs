//! Deterministic Büchi automata for what a weak automaton does not accept: the breakpoint construction (Miyano, Hayashi
//! 1984).
//!
//! A run of a weak automaton is accepting if it ends up in accepting components. The deterministic automaton follows all
//! runs at once, as a subset, and apart from that those of them that have been in accepting components since the last
//! *breakpoint*. There is a breakpoint, a marked edge, when none of these is left; then the accepting states of the subset
//! are followed anew. A word has an accepting run just if some run is never dropped, that is, if there are no breakpoints
//! from some moment on. So with breakpoints infinitely often it is the complement that is accepted.
//!
//! The properties that have a deterministic Büchi automaton are those whose negation has a weak one (Kupferman, Vardi 2005);
//! but the automaton at hand for the negation need not be it.

use crate::determinize::split;
use crate::guards::Guard;
use crate::hash::FastMap;
use crate::{Acceptance, Analysis, Automaton, ComponentKind, Edge, Mark, MarkSet, StateId, TooLarge, TranslateOptions};
use lariat_base::{Id, IdVec};

/// A deterministic and complete Büchi automaton that accepts the words that `automaton` does not; `None` if that is not weak.
pub fn complement_of_weak(automaton: &Automaton, options: &TranslateOptions) -> Result<Option<Automaton>, TooLarge> {
    let analysis = Analysis::of(automaton);
    if !analysis.is_weak() {
        return Ok(None);
    }
    let accepting = |state: StateId| analysis.kind(state) == Some(ComponentKind::Accepting);
    let mut guards = automaton.guards.clone();
    let start = Following::new(vec![automaton.initial], accepting);
    let mut place: FastMap<Following, usize> = FastMap::from_iter([(start.clone(), 0)]);
    let mut states = vec![start];
    let mut edges: IdVec<StateId, Vec<Edge>> = IdVec::new();
    let mut edge_count = 0;
    while edges.len() < states.len() {
        let from = states[edges.len()].clone();
        // Where an edge leads, twice over: for all runs, and, odd, for those in accepting components.
        let mut by_target: Vec<(StateId, Guard)> = Vec::new();
        let all = from.runs.iter().flat_map(|&state| &automaton.edges[state]);
        by_target.extend(all.map(|edge| (StateId::new(2 * edge.target.index()), edge.guard)));
        let staying = from.staying.iter().flat_map(|&state| &automaton.edges[state]);
        let staying = staying.filter(|edge| accepting(edge.target));
        by_target.extend(staying.map(|edge| (StateId::new(2 * edge.target.index() + 1), edge.guard)));
        by_target.sort_unstable();
        let mut joined: Vec<(StateId, Guard)> = Vec::new();
        for (target, guard) in by_target {
            match joined.last_mut() {
                Some((last, so_far)) if *last == target => *so_far = guards.or(*so_far, guard),
                _ => joined.push((target, guard)),
            }
        }
        let mut list = Vec::new();
        for (guard, targets) in split(&joined, &mut guards, options.max_edges)? {
            let half = |odd: usize| {
                let those = targets.iter().map(|target| target.index()).filter(move |target| target % 2 == odd);
                those.map(|target| StateId::new(target / 2)).collect::<Vec<_>>()
            };
            let (runs, staying) = (half(0), half(1));
            let breakpoint = staying.is_empty();
            let next = if breakpoint { Following::new(runs, accepting) } else { Following { runs, staying } };
            let fresh = states.len();
            let target = *place.entry(next.clone()).or_insert(fresh);
            if target == fresh {
                states.push(next);
            }
            let marks = if breakpoint { [Mark(0)].into_iter().collect() } else { MarkSet::EMPTY };
            list.push(Edge { target: StateId::new(target), guard, marks });
        }
        edge_count += list.len();
        edges.push(list);
        if states.len() > options.max_states {
            return Err(TooLarge::States { limit: options.max_states });
        }
        if edge_count > options.max_edges {
            return Err(TooLarge::Edges { limit: options.max_edges });
        }
    }
    let mut made = Automaton::over(automaton.propositions.clone(), guards, edges, StateId::new(0), Acceptance::buchi());
    made.merge_edges();
    made.compact_guards();
    made.checked().map(Some)
}

/// A state of the deterministic automaton; both ascending.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Following {
    /// Where all runs are.
    runs: Vec<StateId>,
    /// Where those are that have been in accepting components since the last breakpoint.
    staying: Vec<StateId>,
}

impl Following {
    /// After a breakpoint.
    fn new(runs: Vec<StateId>, accepting: impl Fn(StateId) -> bool) -> Self {
        let staying = runs.iter().copied().filter(|&state| accepting(state)).collect();
        Self { runs, staying }
    }
}
