//! The machine before anything is merged: sets of states for stems, relations of states for loops.

use super::letters::Letters;
use super::{NOWHERE, ReaderState};
use crate::{
    Acceptance, Analysis, Automaton, ComponentKind, Edge, Guard, Guards, Mark, MarkSet, StateId, TooLarge, is_empty,
};
use lariat_base::{Id, IdVec};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// More states, before any are merged, are refused.
const MOST_STATES: usize = 1 << 14;
/// And more moves.
const MOST_MOVES: usize = 1 << 20;
/// And more entries of all relations together.
const MOST_ENTRIES: usize = 1 << 21;

/// From a state to a state, with marks, as bits. In ascending order; of the marks between two states those that matter.
type Relation = Vec<(u32, u32, u64)>;

/// States of stems come first.
pub(super) struct Built {
    pub(super) stems: usize,
    pub(super) next: Vec<ReaderState>,
    pub(super) begin: Vec<ReaderState>,
    pub(super) accepting: Vec<bool>,
}

pub(super) fn build(automaton: &Automaton, letters: &Letters) -> Result<Built, TooLarge> {
    let builder = Builder::new(automaton, letters)?;
    let classes = letters.classes();
    // Stems.
    let mut stems: Vec<Vec<u32>> = Vec::new();
    let mut known: HashMap<Vec<u32>, ReaderState> = HashMap::new();
    let first = automaton.initial.0;
    if builder.is_live[first as usize] {
        stems.push(vec![first]);
        known.insert(vec![first], 0);
    }
    let mut next_stem = Vec::new();
    let mut at = 0;
    while at < stems.len() {
        for class in 0..classes {
            let mut set: Vec<u32> =
                stems[at].iter().flat_map(|&state| builder.edges(state, class)).map(|&(to, _)| to).collect();
            set.sort_unstable();
            set.dedup();
            if set.is_empty() {
                next_stem.push(NOWHERE);
                continue;
            }
            next_stem.push(match known.entry(set) {
                Entry::Occupied(entry) => *entry.get(),
                Entry::Vacant(entry) => {
                    let number = stems.len() as ReaderState;
                    stems.push(entry.key().clone());
                    *entry.insert(number)
                }
            });
            ensure_few(stems.len(), classes)?;
        }
        at += 1;
    }
    // Loops behind each of them.
    let count = stems.len();
    let mut loops: Vec<(ReaderState, Relation)> = Vec::new();
    let mut known: HashMap<(ReaderState, Relation), ReaderState> = HashMap::new();
    let mut entries = 0;
    let mut enter = |key: (ReaderState, Relation), loops: &mut Vec<(ReaderState, Relation)>| {
        if !key.1.iter().any(|&(from, to, _)| builder.may_close(from, to)) {
            return Ok(NOWHERE);
        }
        Ok(match known.entry(key) {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                entries += entry.key().1.len();
                ensure_few(if entries > MOST_ENTRIES { usize::MAX } else { count + loops.len() + 1 }, classes)?;
                let number = (count + loops.len()) as ReaderState;
                loops.push(entry.key().clone());
                *entry.insert(number)
            }
        })
    };
    let mut begin = Vec::new();
    for (number, stem) in stems.iter().enumerate() {
        let identity: Relation = builder.reachable(stem).into_iter().map(|state| (state, state, 0)).collect();
        for class in 0..classes {
            begin.push(enter((number as ReaderState, builder.extended(&identity, class)), &mut loops)?);
        }
    }
    let mut next = next_stem;
    let mut at = 0;
    while at < loops.len() {
        for class in 0..classes {
            let (stem, relation) = &loops[at];
            let key = (*stem, builder.extended(relation, class));
            next.push(enter(key, &mut loops)?);
        }
        at += 1;
    }
    let mut accepting = vec![false; count];
    accepting.extend(loops.iter().map(|(stem, relation)| builder.accepts(&stems[*stem as usize], relation)));
    Ok(Built { stems: count, next, begin, accepting })
}

fn ensure_few(states: usize, classes: usize) -> Result<(), TooLarge> {
    if states > MOST_STATES || states.saturating_mul(classes) > MOST_MOVES {
        Err(TooLarge::Lassos { limit: MOST_STATES })
    } else {
        Ok(())
    }
}

struct Builder {
    classes: usize,
    /// By state and class: targets from which something is accepted, and marks.
    edges: Vec<Vec<(u32, u64)>>,
    is_live: Vec<bool>,
    components: Vec<Option<usize>>,
    kinds: Vec<ComponentKind>,
    acceptance: Acceptance,
    /// If acceptance asks for all of some marks and nothing else: these.
    wanted: Option<u64>,
}

impl Builder {
    fn new(automaton: &Automaton, letters: &Letters) -> Result<Self, TooLarge> {
        let analysis = Analysis::of(automaton);
        let marks: Vec<Mark> = automaton.acceptance.marks().iter().collect();
        if marks.len() > 64 {
            return Err(TooLarge::Lassos { limit: MOST_STATES });
        }
        let number = |mark: Mark| marks.iter().position(|&known| known == mark).map(|at| at as u32);
        let bits = |set: &MarkSet| set.iter().filter_map(number).fold(0_u64, |bits, at| bits | 1 << at);
        let acceptance = automaton.acceptance.rename(|mark| Mark(number(mark).expect("it is one of the condition")));
        let wanted = automaton.acceptance.as_generalized_buchi().map(|marks| bits(&marks));
        let states = automaton.state_count();
        let components = automaton.edges.ids().map(|state| analysis.components.component(state)).collect();
        let accepting = |state| matches!(analysis.kind(state), Some(ComponentKind::Accepting | ComponentKind::Mixed));
        let mut is_live: Vec<bool> = automaton.edges.ids().map(accepting).collect();
        loop {
            let leads_on = |state: &StateId| automaton.edges[*state].iter().any(|edge| is_live[edge.target.index()]);
            let more: Vec<StateId> =
                automaton.edges.ids().filter(|state| !is_live[state.index()]).filter(leads_on).collect();
            if more.is_empty() {
                break;
            }
            more.into_iter().for_each(|state| is_live[state.index()] = true);
        }
        let mut letters = letters.clone();
        let classes = letters.classes();
        let mut edges = vec![Vec::new(); states * classes];
        for (source, edge) in automaton.all_edges().filter(|(_, edge)| is_live[edge.target.index()]) {
            for class in 0..classes {
                if letters.satisfies(class, edge.guard) {
                    edges[source.index() * classes + class].push((edge.target.0, bits(&edge.marks)));
                }
            }
        }
        Ok(Self { classes, edges, is_live, components, kinds: analysis.kinds, acceptance, wanted })
    }

    fn edges(&self, state: u32, class: usize) -> &[(u32, u64)] {
        &self.edges[state as usize * self.classes + class]
    }

    /// All states that any word leads to from some of these, in ascending order.
    fn reachable(&self, from: &[u32]) -> Vec<u32> {
        let mut met = vec![false; self.is_live.len()];
        let mut waiting = from.to_vec();
        while let Some(state) = waiting.pop() {
            if !std::mem::replace(&mut met[state as usize], true) {
                waiting.extend((0..self.classes).flat_map(|class| self.edges(state, class)).map(|&(to, _)| to));
            }
        }
        (0..met.len() as u32).filter(|&state| met[state as usize]).collect()
    }

    /// The component of both states, if it is the same.
    fn shared(&self, from: u32, to: u32) -> Option<usize> {
        self.components[from as usize].filter(|&it| self.components[to as usize] == Some(it))
    }
    /// Whether an accepting round may lead from one to the other.
    fn may_close(&self, from: u32, to: u32) -> bool {
        let can_accept = |it: usize| matches!(self.kinds[it], ComponentKind::Accepting | ComponentKind::Mixed);
        self.shared(from, to).is_some_and(can_accept)
    }

    /// What is worth knowing of the marks between two states: nothing if no cycle goes through both, or if the component settles
    /// acceptance.
    fn relevant(&self, from: u32, to: u32, marks: u64) -> u64 {
        let Some(component) = self.shared(from, to) else { return 0 };
        match (self.wanted, self.kinds[component]) {
            (Some(wanted), ComponentKind::Accepting) => wanted,
            (Some(_), ComponentKind::Rejecting | ComponentKind::Transient) => 0,
            (Some(wanted), ComponentKind::Mixed) => marks & wanted,
            (None, _) => marks,
        }
    }

    /// The relation of a word and one more letter.
    fn extended(&self, relation: &Relation, class: usize) -> Relation {
        let mut longer: Relation = Vec::new();
        for &(from, to, marks) in relation {
            let more = self.edges(to, class).iter();
            longer.extend(more.map(|&(next, own)| (from, next, self.relevant(from, next, marks | own))));
        }
        longer.sort_unstable();
        longer.dedup();
        if self.wanted.is_some() {
            // Fewer marks are of no use where more can be had.
            let all = std::mem::take(&mut longer);
            let of_pair = all.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1));
            longer = of_pair
                .flat_map(|same| {
                    let is_most = |entry: &&(u32, u32, u64)| {
                        !same.iter().any(|other| other.2 != entry.2 && entry.2 & !other.2 == 0)
                    };
                    same.iter().filter(is_most).copied()
                })
                .collect();
        }
        longer
    }

    /// Whether repeating a loop for ever, from one of the states that its stem leads to, is accepted.
    fn accepts(&self, stem: &[u32], relation: &Relation) -> bool {
        let states = self.is_live.len();
        let mut edges: IdVec<StateId, Vec<Edge>> = (0..=states).map(|_| Vec::new()).collect();
        let edge = |target: u32, marks: MarkSet| Edge { target: StateId(target), guard: Guard::TRUE, marks };
        let marks = |bits: u64| (0..64).filter(|at| bits >> at & 1 == 1).map(Mark).collect();
        for &(from, to, own) in relation {
            edges[StateId(from)].push(edge(to, marks(own)));
        }
        let first = StateId::new(states);
        edges[first].extend(stem.iter().map(|&state| edge(state, MarkSet::EMPTY)));
        !is_empty(&Automaton::over(Vec::new(), Guards::default(), edges, first, self.acceptance.clone()))
    }
}
