//! On-line model checking with a deterministic automaton of the *good* runs (Jard, Jéron 1991, section 3).
//!
//! Where the good runs are those of a deterministic and complete Büchi automaton, every run of the system is one run of the
//! product, and is good if it comes by designated steps infinitely often. So a bad run ends in a cycle without designated
//! steps: all runs are good just if the product without its designated steps has no cycle, which a depth-first search sees
//! without a second search and without components. It is done piece by piece: a search from each initial state and from
//! each target of a designated step, the *roots*, stops at designated steps, and an edge back to its own path is a bad cycle.
//!
//! Departing from the paper: designated are steps, where the paper has states; the argument is the same and automata are
//! smaller. And a memory that forgets would meet roots again and again and search from them for ever, so the roots are kept
//! in a set of their own, which is never forgotten and is charged to the budget.

use super::descent::{Descent, OPEN, StepOutcome};
use super::nested::{as_state, lasso};
use super::rows::Spill;
use crate::budgeted_stack::BudgetedStack;
use crate::retrace::way_to;
use crate::worker::Buffers;
use lariat_automata::Mark;
use lariat_engine::{PoolTooSmall, RunControl, Shortfall};
use lariat_space::{Outcome, State, StateSpace};
use lariat_store::{Answer, Batch, Figures, FlatStore, Full, Handle, KnowsPath, Origins, Phase, Recall, Store};
use lariat_subject::{Cycles, Lasso, Stop};

/// The kernel. Runs that take steps with mark 0 infinitely often are good. `visited` is empty and takes its memory from the
/// budget of `control`; the stack may go to `spill`.
pub fn online<S: StateSpace, V: KnowsPath>(
    space: &S,
    visited: V,
    control: &RunControl,
    spill: Option<&Spill>,
) -> Result<(Cycles, Figures), PoolTooSmall> {
    let mut descent = Descent::new(space, visited, control, spill);
    let mut roots = Roots::new(space.words_per_state(), control);
    let found = roots.as_mut().map_err(|full| Stop::from(*full)).and_then(|roots| run(&mut descent, roots));
    let counted = descent.counted();
    let mut cycles = counted.cycles();
    cycles.end(match (found, roots) {
        (Ok(Some(found)), Ok(roots)) => tell(descent, roots, found).map(Some),
        (ended, _) => ended.map(|_| None),
    })?;
    Ok((cycles, counted.figures))
}

const DESIGNATED: Mark = Mark(0);

/// A bad cycle.
struct Bad {
    /// The number of the root that the way to it begins in.
    root: usize,
    way: Vec<Vec<u64>>,
    cycle: Vec<Vec<u64>>,
}

fn run<S: StateSpace, V: KnowsPath>(
    descent: &mut Descent<'_, S, V>,
    roots: &mut Roots<'_>,
) -> Result<Option<Bad>, Stop> {
    descent.begin()?;
    while let Some((_, state)) = descent.rows.last() {
        roots.add(state, None)?;
        descent.rows.pop()?;
    }
    let mut number = 0;
    while number < roots.len() {
        let root = roots.state(number);
        descent.push(0, &root)?;
        let closing = search(descent, |state, visited| {
            if !visited.contains(state, Phase::First)? {
                roots.add(state, Some(number))?;
            }
            Ok(false)
        })?;
        if let Some(back_to) = closing {
            let mut way = Vec::new();
            descent.each_open(|_, state| way.push(state.to_vec()))?;
            let begin = way.iter().position(|state| *state == back_to).expect("it is on the path");
            let cycle = way.split_off(begin);
            return Ok(Some(Bad { root: number, way, cycle }));
        }
        number += 1;
    }
    Ok(None)
}

/// The lasso of a bad cycle. The way to its root is found breadth-first; where there is no memory for that, but the search has
/// a memory that forgets, piece by piece.
fn tell<S: StateSpace, V: KnowsPath>(
    mut descent: Descent<'_, S, V>,
    mut roots: Roots<'_>,
    found: Bad,
) -> Result<Lasso, Stop> {
    let (space, control, root) = (descent.space, descent.control, roots.state(found.root));
    descent.settle();
    descent.give_up();
    let mut stem = if descent.visited.clear() {
        match way_to(space, &root, control) {
            Err(Shortfall::Memory { .. }) => by_pieces(&mut descent, &mut roots, found.root)?,
            way => way.map_err(Stop::Short)?,
        }
    } else {
        drop((descent, roots));
        way_to(space, &root, control).map_err(Stop::Short)?
    };
    stem.extend(found.way);
    Ok(lasso(space, stem, found.cycle, |marks| !marks.contains(DESIGNATED)))
}

/// Searches from what waits, stopping at designated steps: `designated` is told where they lead. Where a step leads that ends
/// the search: back to the path, or designated and such that `designated` says so. The path stays then.
fn search<S: StateSpace, V: KnowsPath>(
    descent: &mut Descent<'_, S, V>,
    mut designated: impl FnMut(&State, &mut V) -> Result<bool, Stop>,
) -> Result<Option<Vec<u64>>, Stop> {
    while let Some((note, _)) = descent.rows.last() {
        if note & OPEN != 0 {
            descent.leave(Phase::First)?;
        } else if descent.enter(Phase::First)? {
            let mut ending = None;
            descent.expand(Phase::First, |step, visited| {
                let Outcome::State(target) = step.target else { return as_state(step) };
                let (ends, otherwise) = match step.marks.contains(DESIGNATED) {
                    true => (designated(target, visited)?, StepOutcome::Drops),
                    false => (visited.is_open(target)?, StepOutcome::Waits),
                };
                if ends {
                    ending = Some(target.to_vec());
                }
                Ok(if ends { StepOutcome::Closes } else { otherwise })
            })?;
            if ending.is_some() {
                return Ok(ending);
            }
        }
    }
    Ok(None)
}

/// The states of a run from an initial state to a root, which is not included. From which root each was found was kept, and
/// the way from one to the other is searched once more.
fn by_pieces<S: StateSpace, V: KnowsPath>(
    descent: &mut Descent<'_, S, V>,
    roots: &mut Roots<'_>,
    number: usize,
) -> Result<Vec<Vec<u64>>, Stop> {
    let mut pieces = Vec::new();
    let mut at = number;
    while let Some(parent) = roots.parent(at) {
        descent.give_up();
        descent.visited.clear();
        let (from, to) = (roots.state(parent), roots.state(at));
        descent.push(0, &from)?;
        let found = search(descent, |state, _| Ok(state == to))?;
        assert_eq!(found.as_deref(), Some(&to[..]), "a root is met again, and no bad cycle before it");
        let mut piece = Vec::new();
        descent.each_open(|_, state| piece.push(state.to_vec()))?;
        pieces.push(piece);
        at = parent;
    }
    Ok(pieces.into_iter().rev().flatten().collect())
}

/// The states that searches begin in, in the order they were met.
struct Roots<'a> {
    states: FlatStore<'a>,
    /// One more than the number of the root that each was found from; zero for initial states.
    parents: BudgetedStack<'a, u32>,
    batch: Batch,
    origins: Origins,
    _buffers: Buffers<'a>,
}

impl<'a> Roots<'a> {
    fn new(words_per_state: usize, control: &'a RunControl) -> Result<Self, Full> {
        let budget = &control.budget;
        let buffer_bytes = Batch::most_bytes(words_per_state, 1) + Origins::most_bytes(words_per_state, 1);
        Ok(Self {
            states: FlatStore::new(words_per_state, budget)?,
            parents: BudgetedStack::new(budget),
            batch: Batch::new(words_per_state),
            origins: Origins::new(words_per_state),
            _buffers: Buffers::new(budget, buffer_bytes)?,
        })
    }
    fn len(&self) -> usize {
        self.parents.len()
    }
    fn add(&mut self, state: &State, parent: Option<usize>) -> Result<(), Full> {
        self.batch.clear();
        self.batch.push(state, None);
        self.states.probe(&mut self.batch, &self.origins)?;
        if let Answer::New(_) = self.batch.answers[0] {
            self.parents.push(parent.map_or(0, |parent| parent as u32 + 1))?;
        }
        Ok(())
    }
    fn parent(&self, number: usize) -> Option<usize> {
        (self.parents.get(number) as usize).checked_sub(1)
    }
    fn state(&mut self, number: usize) -> Vec<u64> {
        self.states.recall(&[Handle(number as u64)], &mut self.origins);
        self.origins.state(0).to_vec()
    }
}
