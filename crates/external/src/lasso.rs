//! An accepting run out of the states that have an accepting cycle behind them.
//!
//! The steps inside the set are written down in memory, backwards. From a state one goes back along shortest ways to a step
//! with the first mark, from there to one with the second, and so on, and then tries to go on back to the state itself. If
//! that is not possible the state lies in a component behind which there is another; the search goes on from where it came to.
//! Components have no cycles among them, so this ends.

use crate::error::Halt;
use crate::owcty::Goal;
use crate::pass::PassGround;
use crate::run::{Run, RunCursor};
use crate::sort::gallop;
use lariat_automata::{Mark, MarkSet};
use lariat_space::{Outcome, State, StateSpace};
use lariat_store::{Budget, Full};
use lariat_subject::StepLimits;
use std::collections::VecDeque;
use std::ops::ControlFlow;

/// The loop of an accepting run: its states, and the marks of the step from each to the next.
pub(crate) struct FoundCycle {
    pub(crate) states: Vec<Vec<u64>>,
    pub(crate) marks: Vec<MarkSet>,
}

/// The steps inside a set, by target.
struct Inside<'a> {
    words: usize,
    states: Vec<u64>,
    /// Target, source, marks.
    steps: Vec<(u32, u32, u32)>,
    marks: Vec<MarkSet>,
    budget: &'a Budget,
    taken_bytes: u64,
}

/// Finds a loop that carries all marks. The set is what [`Owcty`](crate::owcty::Owcty) left, and is not empty.
pub(crate) fn find_cycle<S: StateSpace>(
    ground: PassGround<'_, S>,
    set: &Run<'_>,
    goal: &Goal<'_>,
) -> Result<FoundCycle, Halt> {
    let heeded = ground.control.interrupts();
    let inside = Inside::new(ground, set, goal)?;
    let mut start = 0;
    loop {
        // From the start backwards: each step with where it begins, the latest first.
        let (mut way, mut at) = (Vec::new(), start);
        for &mark in &goal.marks {
            let is_marked = |marks: &MarkSet, _: u32| marks.contains(mark);
            let more = inside.way_back(at, is_marked).expect("each mark lies behind every state");
            at = more.last().expect("at least one step").1;
            way.extend(more);
        }
        let is_closed = at == start && !way.is_empty();
        let closing = if is_closed { Some(Vec::new()) } else { inside.way_back(at, |_, source| source == start) };
        if let Some(more) = closing {
            way.extend(more);
            way.reverse();
            let states = way.iter().map(|&(_, source, _)| inside.state(source).to_vec()).collect();
            let marks = way.iter().map(|&(_, _, marks)| inside.marks[marks as usize].clone()).collect();
            return Ok(FoundCycle { states, marks });
        }
        // Without marks to look for there is a predecessor at least.
        start = match at == start {
            true => inside.way_back(at, |_, source| source != start).expect("every state has one")[0].1,
            false => at,
        };
        ground.control.check_telling(heeded)?;
    }
}

impl<'a> Inside<'a> {
    fn new<S: StateSpace>(ground: PassGround<'a, S>, set: &Run<'_>, goal: &Goal<'_>) -> Result<Self, Halt> {
        let (space, budget) = (ground.space, &ground.control.budget);
        let words = space.words_per_state();
        let count = set.info.states;
        let mut inside =
            Self { words, states: Vec::new(), steps: Vec::new(), marks: Vec::new(), budget, taken_bytes: 0 };
        // The states, and what a search through them needs.
        inside.take(count * (8 * words as u64 + 16))?;
        if u32::try_from(count).is_err() {
            return Err(Full { limit_bytes: budget.limit_bytes() }.into());
        }
        inside.states.reserve_exact(count as usize * words);
        let mut cursor = RunCursor::new(&set.info, ground.folders, words)?;
        while let Some(state) = cursor.state() {
            inside.states.extend_from_slice(state);
            cursor.advance()?;
        }
        let (mut scratch, mut limits) = (space.scratch(), StepLimits::reporting(ground.control));
        for number in 0..count as u32 {
            if number % 1024 == 0 {
                limits.check()?;
            }
            let source = inside.state(number).to_vec();
            let mut found: Result<(), Full> = Ok(());
            let flow = space.steps(
                &source,
                &mut scratch,
                limits.limiting(Some, |step| {
                    let Outcome::State(target) = step.target else { return ControlFlow::Continue(()) };
                    if goal.is_inside(&source, target)
                        && let Some(target) = inside.number(target)
                    {
                        found = inside.add(target, number, step.marks);
                    }
                    if found.is_err() { ControlFlow::Break(None) } else { ControlFlow::Continue(()) }
                }),
            );
            found?;
            if let ControlFlow::Break(Some(shortfall)) = flow {
                return Err(shortfall.into());
            }
        }
        inside.steps.sort_unstable();
        Ok(inside)
    }

    fn take(&mut self, bytes: u64) -> Result<(), Full> {
        self.budget.take(bytes)?;
        self.taken_bytes += bytes;
        Ok(())
    }
    fn state(&self, number: u32) -> &State {
        &self.states[number as usize * self.words..][..self.words]
    }
    fn number(&self, state: &State) -> Option<u32> {
        let place = gallop(&self.states, self.words, 0, state);
        (self.states.get(place * self.words..(place + 1) * self.words) == Some(state)).then_some(place as u32)
    }
    fn add(&mut self, target: u32, source: u32, marks: &MarkSet) -> Result<(), Full> {
        let known = self.marks.iter().position(|known| known == marks);
        let number = known.unwrap_or_else(|| {
            self.marks.push(marks.clone());
            self.marks.len() - 1
        });
        // Steps have numbers of 32 bits.
        if u32::try_from(self.steps.len()).is_err() {
            return Err(Full { limit_bytes: self.budget.limit_bytes() });
        }
        if self.steps.len() == self.steps.capacity() {
            let more = self.steps.len().max(1024);
            self.take((more * size_of::<(u32, u32, u32)>()) as u64)?;
            self.steps.reserve_exact(more);
        }
        self.steps.push((target, source, number as u32));
        Ok(())
    }

    /// A shortest way back from a state to a step that `is_last` takes, by its marks and its source: its steps, beginning with
    /// the one that leads to the state. At least one.
    fn way_back(&self, from: u32, is_last: impl Fn(&MarkSet, u32) -> bool) -> Option<Vec<(u32, u32, u32)>> {
        let count = self.states.len() / self.words;
        // By state, the step by which it was met.
        let mut met: Vec<Option<u32>> = vec![None; count];
        let mut waiting = VecDeque::from([from]);
        while let Some(target) = waiting.pop_front() {
            let begin = self.steps.partition_point(|step| step.0 < target);
            for (offset, &(to, source, marks)) in self.steps[begin..].iter().enumerate() {
                if to != target {
                    break;
                }
                let number = (begin + offset) as u32;
                if is_last(&self.marks[marks as usize], source) {
                    let mut way = vec![self.steps[number as usize]];
                    let mut at = target;
                    while at != from {
                        let step = self.steps[met[at as usize].expect("it was met") as usize];
                        way.push(step);
                        at = step.0;
                    }
                    way.reverse();
                    return Some(way);
                }
                if source != from && met[source as usize].is_none() {
                    met[source as usize] = Some(number);
                    waiting.push_back(source);
                }
            }
        }
        None
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.budget.give_back(self.taken_bytes);
    }
}

/// The marks that a cycle must carry, where the acceptance condition asks for these and nothing else.
pub(crate) fn marks_from(marks: &MarkSet, first: u32) -> Vec<Mark> {
    marks.iter().filter(|mark| mark.0 >= first).collect()
}
