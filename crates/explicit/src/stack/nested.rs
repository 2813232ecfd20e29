//! Pairs of depth-first searches for Büchi acceptance on states, with any memory of visited states.
//!
//! * Algorithm A: all of the first search; then the second, from each accepting state in the order the first left them. The
//!   memory is emptied in between, so it is needed once. The queue of accepting states is written and read in order.
//! * Algorithm B (Courcoubetis, Vardi, Wolper, Yannakakis 1992) and magic search (Godefroid, Holzmann 1993): the second
//!   search begins whenever the first leaves an accepting state. The papers differ in how they write it down: two stacks
//!   of which the second stands on the first are one stack. A state is remembered for each phase.
//!
//! Under replacement only the second form is used: the first may have forgotten what it left, and the order of the queue
//! is what makes the second search right. In the second form no state of either path is ever forgotten, and that is enough.
//! Every successor of a state that was ever left was left, too, or is on the path. Suppose that second searches miss their
//! cycles, and take the first one that does, from `s`. It was stopped by a state that an earlier one, from `t`, had marked:
//! so `t` leads to `s`. If the way from `t` meets the path of that time, then `t` is on a cycle with it, which its search has
//! found, being earlier. If not, then `s` had been left before `t`: a search from `s` had failed before. Neither can be.

use super::descent::{ACCEPTING, Descent, OPEN, ROOT, StepOutcome};
use super::rows::{Rows, Spill};
use crate::retrace::way_to;
use lariat_automata::{Mark, MarkSet};
use lariat_engine::{PoolTooSmall, RunControl};
use lariat_space::{Outcome, State, StateSpace, Step, each};
use lariat_store::{Figures, Phase, Visited};
use lariat_subject::{Cycles, Lasso, Stop};
use lariat_system::Fault;
use std::ops::ControlFlow;

/// How the two searches go together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pair {
    /// One after the other.
    InTurn,
    /// The second whenever the first leaves an accepting state.
    Interleaved,
}

/// The kernel. The edges out of accepting states, and no others, carry mark 0. `visited` is empty and takes its memory from
/// the budget of `control`; stack and queue may go to `spill`.
pub fn pair<S: StateSpace, V: Visited>(
    which: Pair,
    space: &S,
    visited: V,
    control: &RunControl,
    spill: Option<&Spill>,
) -> Result<(Cycles, Figures), PoolTooSmall> {
    let mut descent = Descent::new(space, visited, control, spill);
    let ended = match which {
        Pair::InTurn => in_turn(&mut descent, spill),
        Pair::Interleaved => interleaved(&mut descent),
    };
    let counted = descent.counted();
    let mut cycles = counted.cycles();
    cycles.end(ended)?;
    Ok((cycles, counted.figures))
}

const ACCEPTING_MARK: Mark = Mark(0);

/// The first search. `left` is told of each state before it is left, whether it is accepting; the search ends, and the path
/// stays, if it says so.
fn first_search<S: StateSpace, V: Visited>(
    descent: &mut Descent<'_, S, V>,
    mut left: impl FnMut(&mut Descent<'_, S, V>, bool) -> Result<bool, Stop>,
) -> Result<bool, Stop> {
    descent.begin()?;
    while let Some((note, _)) = descent.rows.last() {
        if note & OPEN == 0 {
            go_on(descent)?;
            continue;
        }
        if left(descent, note & ACCEPTING != 0)? {
            return Ok(true);
        }
        descent.leave(Phase::First)?;
    }
    Ok(false)
}

/// Enters the state that waits on top, lists its steps and notes whether it is accepting, unless it was visited by the
/// first search.
fn go_on<S: StateSpace, V: Visited>(descent: &mut Descent<'_, S, V>) -> Result<(), Stop> {
    if descent.enter(Phase::First)? {
        // Steps that are listed come to lie above the state.
        let (place, mut accepting) = (descent.rows.len() - 1, false);
        descent.expand(Phase::First, |step, _| {
            accepting |= step.marks.contains(ACCEPTING_MARK);
            as_state(step)
        })?;
        if accepting {
            descent.rows.set_note(place, OPEN | ACCEPTING)?;
        }
    }
    Ok(())
}

/// The product tells of no fault but that the pool, which is only a guess, is too small.
pub(super) fn as_state(step: &Step<'_>) -> Result<StepOutcome, Stop> {
    match step.target {
        Outcome::State(_) => Ok(StepOutcome::Waits),
        Outcome::Fault(Fault::PoolFull(_)) => Err(Stop::PoolTooSmall),
        Outcome::Fault(_) => Ok(StepOutcome::Drops),
    }
}

/// Looks for a way from `seed`, which waits on top as a root, back to it. If there is one, it is on the stack; else the stack
/// is what it was below the root.
fn second_search<S: StateSpace, V: Visited>(descent: &mut Descent<'_, S, V>, seed: &State) -> Result<bool, Stop> {
    let below = descent.rows.len() - 1;
    while descent.rows.len() > below {
        let (note, _) = descent.rows.last().expect("there is more than what is below");
        if note & OPEN != 0 {
            descent.leave(Phase::Second)?;
        } else if descent.enter(Phase::Second)? {
            let closes = descent.expand(Phase::Second, |step, _| {
                if step.target == Outcome::State(seed) { Ok(StepOutcome::Closes) } else { as_state(step) }
            })?;
            if closes {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

fn interleaved<S: StateSpace, V: Visited>(descent: &mut Descent<'_, S, V>) -> Result<Option<Lasso>, Stop> {
    let found = first_search(descent, |descent, accepting| {
        if !accepting {
            return Ok(false);
        }
        let seed = descent.rows.last().expect("it is about to be left").1.to_vec();
        descent.push(ROOT, &seed)?;
        second_search(descent, &seed)
    })?;
    if !found {
        return Ok(None);
    }
    // The seed is on the path twice, one after the other.
    let (mut stem, mut cycle) = (Vec::new(), Vec::new());
    descent.each_open(|note, state| match note & ROOT != 0 || !cycle.is_empty() {
        true => cycle.push(state.to_vec()),
        false => stem.push(state.to_vec()),
    })?;
    stem.pop();
    Ok(Some(lasso(descent.space, stem, cycle, |_| true)))
}

fn in_turn<S: StateSpace, V: Visited>(
    descent: &mut Descent<'_, S, V>,
    spill: Option<&Spill>,
) -> Result<Option<Lasso>, Stop> {
    // What is found is told by a search that must go the same way once more: the memory must say the same again.
    descent.yields = false;
    let mut queue = Rows::new(descent.space.words_per_state(), &descent.control.budget, spill);
    if spill.is_some() {
        // The stack may take all the rest.
        queue.reserve()?;
    }
    first_search(descent, |descent, accepting| {
        if accepting {
            let (_, state) = descent.rows.last().expect("it is about to be left");
            queue.push(0, state).map_err(Stop::Short)?;
        }
        Ok(false)
    })?;
    descent.visited.clear();
    for number in 0..queue.len() {
        let seed = queue.row(number).map_err(Stop::Short)?.1.to_vec();
        descent.push(ROOT, &seed)?;
        if second_search(descent, &seed)? {
            drop(queue);
            let mut cycle = Vec::new();
            descent.each_open(|_, state| cycle.push(state.to_vec()))?;
            let stem = stem_to(descent, &seed)?;
            return Ok(Some(lasso(descent.space, stem, cycle, |_| true)));
        }
    }
    Ok(None)
}

/// The states of a run to `to`, which is left out. A memory that forgets has the first search run once more: it goes the same
/// way, as the memory says the same.
fn stem_to<S: StateSpace, V: Visited>(descent: &mut Descent<'_, S, V>, to: &State) -> Result<Vec<Vec<u64>>, Stop> {
    descent.settle();
    descent.give_up();
    if !descent.visited.clear() {
        return way_to(descent.space, to, descent.control).map_err(Stop::Short);
    }
    let found = first_search(descent, |descent, accepting| {
        Ok(accepting && descent.rows.last().is_some_and(|(_, state)| state == to))
    })?;
    assert!(found, "a state that was met before is met again");
    let mut stem = Vec::new();
    descent.each_open(|_, state| stem.push(state.to_vec()))?;
    stem.pop();
    Ok(stem)
}

/// The lasso of these states. Which steps lead from one to the next was not kept: they are listed once more, until one
/// with marks that fit is there.
pub(super) fn lasso<S: StateSpace>(
    space: &S,
    stem: Vec<Vec<u64>>,
    cycle: Vec<Vec<u64>>,
    fits: impl Fn(&MarkSet) -> bool,
) -> Lasso {
    let mut scratch = space.scratch();
    let marks = cycle.iter().enumerate().map(|(number, source)| {
        let target = &cycle[(number + 1) % cycle.len()];
        let found = space.steps(
            source,
            &mut scratch,
            each(|step| match step.target == Outcome::State(target) && fits(step.marks) {
                true => ControlFlow::Break(step.marks.clone()),
                false => ControlFlow::Continue(()),
            }),
        );
        found.break_value().expect("a state has a step to the next one of the run")
    });
    let marks: Vec<MarkSet> = marks.collect();
    Lasso { stem, cycle, marks }
}
