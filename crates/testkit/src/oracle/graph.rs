//! A small system written out in full, by the reference evaluator.
//!
//! Two steps between the same states are one only if they agree in everything that labels, processes and fairness can tell
//! apart: so the search inside atomic sequences forgets nothing of what was done on the way.

use lariat_space::Move;
use lariat_system::reference::{Evaluator, Firing, Outcome, PathMarks, Valuation};
use lariat_system::{DeadEnds, LabelId, Layout, Position, System};
use std::collections::{BTreeSet, HashSet};

/// All runs of a system.
#[derive(Clone, Debug)]
pub struct RunGraph<'a> {
    pub(super) evaluator: Evaluator<'a>,
    pub(super) layout: Layout,
    /// The reachable states.
    pub states: Vec<Valuation>,
    /// The numbers of those that runs begin in.
    pub initial: Vec<usize>,
    /// The steps from all states, stutter steps included.
    pub steps: Vec<RunStep>,
    /// By state, the numbers of the steps from it.
    pub from: Vec<Vec<usize>>,
}

/// One step of a run, with all that can be asked about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunStep {
    /// The number of the state it leaves.
    pub source: usize,
    /// The number of the state it leads to.
    pub target: usize,
    /// The labels of the state it leaves.
    pub of_state: BTreeSet<LabelId>,
    /// The labels that it carries itself.
    pub carried: BTreeSet<LabelId>,
    /// Who takes part.
    pub participants: BTreeSet<Position>,
    /// What could have been done instead: the processes that act on some step from the state.
    pub able: BTreeSet<Position>,
    /// The labels that some step from the state carries.
    pub possible: BTreeSet<LabelId>,
    /// One way of doing it, move by move; none for a stutter step.
    pub via: Vec<Move>,
}

impl RunStep {
    /// Whether the label holds here, of the state that is left or of the step.
    pub fn has(&self, label: LabelId) -> bool {
        self.of_state.contains(&label) || self.carried.contains(&label)
    }
}

/// What was done on a path so far.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Done {
    marks: PathMarks,
    actors: BTreeSet<Position>,
}

/// A whole path from one ordinary state to the next.
struct Path {
    target: Valuation,
    done: Done,
    via: Vec<Move>,
}

/// How much is written out.
#[derive(Clone, Copy, Debug)]
pub struct GraphLimits {
    /// States.
    pub states: usize,
    /// Steps of all states together.
    pub steps: usize,
    /// Transient states with what was done before them, from one state.
    pub transient: usize,
}

impl Default for GraphLimits {
    fn default() -> Self {
        Self { states: 10, steps: 60, transient: 400 }
    }
}

impl<'a> RunGraph<'a> {
    /// All runs of `system`, which is valid; `None` if it is too large.
    pub fn new(system: &'a System, limits: &GraphLimits) -> Option<Self> {
        let evaluator = Evaluator::new(system);
        let layout = Layout::new(system).ok()?;
        let states = evaluator.initial();
        let initial = (0..states.len()).collect();
        let mut graph = Self { evaluator, layout, states, initial, steps: Vec::new(), from: Vec::new() };
        while graph.from.len() < graph.states.len() {
            let source = graph.from.len();
            graph.expand(source, limits.transient)?;
            if graph.states.len() > limits.states || graph.steps.len() > limits.steps {
                return None;
            }
        }
        Some(graph)
    }

    /// Adds the steps from a state.
    fn expand(&mut self, source: usize, limit: usize) -> Option<()> {
        let state = self.states[source].clone();
        let paths = self.paths(&state, limit)?;
        self.compare_with_steps(&state, &paths);
        let able: BTreeSet<Position> = paths.iter().flat_map(|path| &path.done.actors).copied().collect();
        let possible: BTreeSet<LabelId> = paths.iter().flat_map(|path| &path.done.marks.labels).copied().collect();
        let of_state = self.evaluator.state_labels(&state);
        let first = self.steps.len();
        for Path { target, done, via } in paths {
            let target = self.number_of(target);
            let PathMarks { labels, participants } = done.marks;
            let known = self.steps[first..]
                .iter()
                .any(|step| (step.target, &step.carried, &step.participants) == (target, &labels, &participants));
            if !known {
                self.steps.push(RunStep {
                    source,
                    target,
                    of_state: of_state.clone(),
                    carried: labels,
                    participants,
                    able: able.clone(),
                    possible: possible.clone(),
                    via,
                });
            }
        }
        if self.steps.len() == first && self.evaluator.system.dead_ends == DeadEnds::Stutter {
            self.steps.push(stutter(source, of_state));
        }
        self.from.push((first..self.steps.len()).collect());
        Some(())
    }

    fn number_of(&mut self, state: Valuation) -> usize {
        self.states.iter().position(|known| *known == state).unwrap_or_else(|| {
            self.states.push(state);
            self.states.len() - 1
        })
    }

    /// The paths from an ordinary state to the next ones, one for each way in which they differ.
    fn paths(&self, state: &Valuation, limit: usize) -> Option<Vec<Path>> {
        let mut found = Vec::new();
        let mut seen: HashSet<(Valuation, Position, Done)> = HashSet::new();
        let mut waiting: Vec<(Valuation, Done, Vec<Move>, Firing)> = Vec::new();
        for firing in self.evaluator.firings(state, None).0 {
            waiting.push((state.clone(), Done::default(), Vec::new(), firing));
        }
        while let Some((before, mut done, mut via, firing)) = waiting.pop() {
            done.marks = self.evaluator.marks_with(&done.marks, &before, &firing);
            done.actors.extend(firing.scope.positions.first());
            via.push(Move::from(&firing));
            let Some(after) = self.evaluator.fire(&before, &firing).1 else { continue };
            let holder = self.evaluator.holder_after(&firing);
            let going_on = holder.map(|holder| (holder, self.evaluator.firings(&after, Some(holder))));
            let Some((holder, (firings, true))) = going_on else {
                found.push(Path { target: after, done, via });
                continue;
            };
            if seen.insert((after.clone(), holder, done.clone())) {
                if seen.len() > limit {
                    return None;
                }
                waiting.extend(firings.into_iter().map(|next| (after.clone(), done.clone(), via.clone(), next)));
            }
        }
        Some(found)
    }

    /// What the evaluator itself calls steps are the same, as far as they tell.
    fn compare_with_steps(&self, state: &Valuation, paths: &[Path]) {
        let ours: HashSet<(&Valuation, &PathMarks)> =
            paths.iter().map(|path| (&path.target, &path.done.marks)).collect();
        let steps = self.evaluator.steps(state);
        let theirs: HashSet<(&Valuation, &PathMarks)> = steps
            .iter()
            .filter_map(|step| match &step.outcome {
                Outcome::State(target) => Some((target, &step.marks)),
                Outcome::Fault(_) => None,
            })
            .collect();
        assert!(ours == theirs, "the paths of a state are its steps");
    }

    /// The states between the actions of a trace's step, followed without looking at any engine: the step, if the moves
    /// can be made in this order, carry these labels and lead to the packed state.
    pub fn step_by(&self, source: usize, via: &[Move], carried: &[LabelId], target: &[u64]) -> Option<RunStep> {
        let like = &self.steps[*self.from[source].first()?];
        let target = self.states.iter().position(|state| self.layout.pack(state) == target)?;
        let carried: BTreeSet<LabelId> = carried.iter().copied().collect();
        if via.is_empty() {
            let stays = like.via.is_empty() && target == source && carried.is_empty();
            return stays.then(|| like.clone());
        }
        let mut reached = vec![(self.states[source].clone(), None, PathMarks::default())];
        for (number, wanted) in via.iter().enumerate() {
            let mut next = Vec::new();
            for (state, holder, marks) in &reached {
                let (firings, transient) = self.evaluator.firings(state, *holder);
                if transient != (number > 0) {
                    continue;
                }
                for firing in firings.iter().filter(|firing| is_move(firing, wanted)) {
                    let Some(after) = self.evaluator.fire(state, firing).1 else { continue };
                    let marks = self.evaluator.marks_with(marks, state, firing);
                    let node = (after, self.evaluator.holder_after(firing), marks);
                    if (number + 1 == via.len() || node.1.is_some()) && !next.contains(&node) {
                        next.push(node);
                    }
                }
            }
            reached = next;
        }
        let arrives = reached.iter().any(|(state, holder, marks)| {
            *state == self.states[target]
                && marks.labels == carried
                && !holder.is_some_and(|holder| self.evaluator.firings(state, Some(holder)).1)
        });
        arrives.then(|| RunStep {
            target,
            carried,
            participants: via.iter().flat_map(|by| by.actor.into_iter().chain(by.peer)).collect(),
            via: via.to_vec(),
            ..like.clone()
        })
    }

    /// The system that it is the graph of.
    pub fn system(&self) -> &'a System {
        self.evaluator.system
    }
    /// The number of the initial state that is packed like this.
    pub fn initial_at(&self, packed: &[u64]) -> Option<usize> {
        self.initial.iter().copied().find(|&number| self.packed(number) == packed)
    }
    /// A state as engines write it.
    pub fn packed(&self, state: usize) -> Vec<u64> {
        self.layout.pack(&self.states[state])
    }
}

fn is_move(firing: &Firing, wanted: &Move) -> bool {
    let positions: Vec<Position> = wanted.actor.into_iter().chain(wanted.peer).collect();
    firing.action == wanted.action && firing.scope.positions == positions
}

/// Nothing happens, and nobody takes part in it.
fn stutter(at: usize, of_state: BTreeSet<LabelId>) -> RunStep {
    RunStep {
        source: at,
        target: at,
        of_state,
        carried: BTreeSet::new(),
        participants: BTreeSet::new(),
        able: BTreeSet::new(),
        possible: BTreeSet::new(),
        via: Vec::new(),
    }
}
