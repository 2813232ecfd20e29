//! Where the automaton of the bad runs stands along a run.
//!
//! An automaton may have a choice of moves. Of its runs along a run of the system one that accepts is shown.

use crate::{Settled, Story, SystemReplay, Temporal};
use lariat_automata::{
    Acceptance, Analysis, Automaton, ComponentKind, Components, Edge, StateId, accepting_part_of, guard_texts,
};
use lariat_base::{Id, IdVec};
use lariat_logic::{Letter, PropId};
use lariat_system::reference::PathMarks;
use std::collections::BTreeSet;
use std::iter;

/// Runs with more positions, each counted once for every state of the automaton, are not followed: that would take more than some
/// ten megabytes, and nobody looks at so long a run step by step.
const MOST_PLACES: usize = 200_000;

/// An automaton as it is shown, and where it stands along a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AutomatonRun {
    /// The names of its states.
    pub states: Vec<String>,
    /// The initial state.
    pub initial: usize,
    /// Whether acceptance is that of Büchi by states: then these are the accepting ones.
    pub accepting: Option<Vec<usize>>,
    /// The edges.
    pub edges: Vec<AutomatonEdge>,
    /// The acceptance condition over marks of edges.
    pub acceptance: String,
    /// For each number of letters read, from none on, where it stands: one state, or all from which it can go on to accept.
    pub run: Vec<Vec<usize>>,
}

/// An edge of an automaton as it is shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AutomatonEdge {
    /// The state it leaves.
    pub from: usize,
    /// The state it leads to.
    pub to: usize,
    /// What must be true.
    pub guard: String,
    /// Its marks.
    pub marks: Vec<u32>,
}

impl AutomatonRun {
    /// Of the automaton by which the property's runs were judged, along one of them; `None` where there is nothing to show.
    pub fn new(settled: &Settled, story: &Story) -> Option<Self> {
        let temporal = settled.temporal()?;
        let bad = &temporal.bad;
        let replay = SystemReplay::of_temporal(settled.system(), temporal).ok()?;
        let run = replay.automaton_states(story)?;
        let by_states = bad.acceptance == Acceptance::buchi() && bad.is_state_based();
        let is_marked = |state: &StateId| bad.state_marks(*state).is_some_and(|marks| !marks.is_empty());
        let edge = |((from, edge), guard): ((StateId, &Edge), String)| AutomatonEdge {
            from: from.index(),
            to: edge.target.index(),
            guard,
            marks: edge.marks.iter().map(|mark| mark.0).collect(),
        };
        let name = |state: StateId| bad.state_names.get(state.index()).cloned().flatten();
        Some(Self {
            states: bad.edges.ids().map(|state| name(state).unwrap_or_else(|| state.0.to_string())).collect(),
            initial: bad.initial.index(),
            accepting: by_states.then(|| bad.edges.ids().filter(is_marked).map(|state| state.index()).collect()),
            edges: bad.all_edges().zip(guard_texts(bad)).map(edge).collect(),
            acceptance: bad.acceptance.to_string(),
            run: run.into_iter().map(|states| states.into_iter().map(|state| state.index()).collect()).collect(),
        })
    }
}

impl SystemReplay<'_> {
    /// For each number of letters read, from none on, where the automaton stands in a run that accepts. A letter is
    /// read for every step; of a run that ends one more for its last state, unless the property speaks of steps. `None` if
    /// there is no automaton, if the run is too long to follow, or if the automaton does not accept it.
    fn automaton_states(&self, story: &Story) -> Option<Vec<Vec<StateId>>> {
        let temporal = self.temporal()?;
        let bad = &temporal.bad;
        let positions = story.step_count() + 2;
        if positions.checked_mul(bad.state_count()).is_none_or(|places| places > MOST_PLACES) {
            return None;
        }
        let mut letters: Vec<Letter> = self.letters(story).collect();
        let found = match &story.cycle {
            Some(cycle) => along_lasso(bad, &letters[..story.step_count()], cycle.start),
            None => {
                if temporal.reads_steps(crate::Subject::System(self.system())) {
                    letters.pop();
                }
                along_prefix(temporal, &letters)
            }
        };
        found.first().is_some_and(|first| !first.is_empty()).then_some(found)
    }
}

impl SystemReplay<'_> {
    /// What is true in each state of the run and of the step taken there; of the last state, in which no step is taken, too.
    pub(crate) fn letters<'s>(&'s self, story: &'s Story) -> impl Iterator<Item = Letter> + 's {
        let system = self.system();
        let evaluator = self.evaluator();
        // A run may be long, and its states large: one is kept at a time.
        let mut items = story.events(system).peekable();
        let mut state = story.initial().clone();
        let mut numbers = 0..=story.step_count();
        iter::from_fn(move || {
            let number = numbers.next()?;
            let (before, mut marks) = (state.clone(), PathMarks::default());
            while let Some(item) = items.next_if(|item| item.step == number) {
                if let Some(event) = item.event {
                    marks = evaluator.marks_with(&marks, &event.before, &event.firing);
                    state = event.after.unwrap_or(state.clone());
                }
            }
            Some(self.letter(&evaluator.state_labels(&before), &marks.labels))
        })
    }
}

/// The states that the automaton can be in after each number of letters.
fn reached(automaton: &Automaton, letters: &[Letter]) -> Vec<BTreeSet<StateId>> {
    let mut sets = vec![BTreeSet::from([automaton.initial])];
    for letter in letters {
        let before = &sets[sets.len() - 1];
        sets.push(before.iter().flat_map(|&state| targets(automaton, state, letter)).collect());
    }
    sets
}

fn targets<'a>(automaton: &'a Automaton, state: StateId, letter: &'a Letter) -> impl Iterator<Item = StateId> + 'a {
    automaton.moves(state, |variable| letter.contains(PropId(variable))).map(|edge| edge.target)
}

/// Along a run that is bad whatever follows: a way to a state where everything is accepted.
fn along_prefix(temporal: &Temporal, letters: &[Letter]) -> Vec<Vec<StateId>> {
    let analysis = Analysis::of(&temporal.bad);
    let sets = reached(&temporal.bad, letters);
    let accepts_all = |state: &&StateId| analysis.kind(**state) == Some(ComponentKind::Accepting);
    match sets.last().and_then(|last| last.iter().find(accepts_all)) {
        Some(&end) => way_to(&temporal.bad, letters, &sets, end).into_iter().map(|state| vec![state]).collect(),
        None => Vec::new(),
    }
}

/// A way through the sets that ends in a state. It stays where it ends as long as possible: so one sees from when on the run is
/// held against the property.
fn way_to(automaton: &Automaton, letters: &[Letter], sets: &[BTreeSet<StateId>], end: StateId) -> Vec<StateId> {
    let mut way = vec![end];
    for (set, letter) in sets[..sets.len() - 1].iter().zip(letters).rev() {
        let next = way[way.len() - 1];
        let leads = |state: &StateId| targets(automaton, *state, letter).any(|target| target == next);
        let stays = set.get(&next).copied().filter(leads);
        way.push(
            stays.or_else(|| set.iter().copied().find(leads)).expect("the set after is made of targets of this one"),
        );
    }
    way.reverse();
    way
}

/// Along a lasso: a way to an accepting cycle of the product with its positions, and one round of it. If the automaton needs
/// several rounds of the loop to come to the cycle, all states that lead there.
fn along_lasso(automaton: &Automaton, letters: &[Letter], start: usize) -> Vec<Vec<StateId>> {
    let (positions, states) = (letters.len(), automaton.state_count());
    let place = |state: StateId, position: usize| StateId::new(position * states + state.index());
    let mut product = Automaton::empty(Vec::new(), automaton.acceptance.clone());
    product.edges = IdVec::new();
    for (position, letter) in letters.iter().enumerate() {
        let next = if position + 1 == positions { start } else { position + 1 };
        for state in automaton.edges.ids() {
            let moves = automaton.moves(state, |variable| letter.contains(PropId(variable)));
            product.edges.push(moves.map(|edge| Edge { target: place(edge.target, next), ..edge.clone() }).collect());
        }
    }
    product.initial = place(automaton.initial, 0);
    let components = Components::of(&product);
    let mut is_useful = vec![false; product.state_count()];
    let mut accepting: Vec<BTreeSet<StateId>> = Vec::new();
    for members in components.members() {
        // Components come before those that lead to them.
        let leads_on =
            members.iter().flat_map(|&member| &product.edges[member]).any(|edge| is_useful[edge.target.index()]);
        let is_accepting = accepting_part_of(&product, members).is_some();
        if is_accepting {
            accepting.push(members.iter().copied().collect());
        }
        if leads_on || is_accepting {
            members.iter().for_each(|member| is_useful[member.index()] = true);
        }
    }
    let first = reached(automaton, &letters[..start]);
    let arrival = first[start].iter().find_map(|&state| {
        let component = accepting.iter().find(|component| component.contains(&place(state, start)))?;
        Some((state, component))
    });
    let Some((state, component)) = arrival else {
        let is_on = |state: &StateId, position: usize| {
            let number = place(*state, position);
            components.component(number).is_some() && is_useful[number.index()]
        };
        let at = |position: usize| automaton.edges.ids().filter(|state| is_on(state, position)).collect();
        return (0..positions).map(at).chain([at(start)]).collect();
    };
    let mut way = way_to(automaton, &letters[..start], &first, state);
    for (position, letter) in letters.iter().enumerate().skip(start) {
        let now = way[way.len() - 1];
        let next = if position + 1 == positions { start } else { position + 1 };
        let inside = |target: &StateId| component.contains(&place(*target, next));
        let moves: BTreeSet<StateId> = targets(automaton, now, letter).filter(inside).collect();
        let stays = moves.get(&now).or(moves.first());
        way.push(*stays.expect("a component with a cycle can be stayed in"));
    }
    way.into_iter().map(|state| vec![state]).collect()
}
