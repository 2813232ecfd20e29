//! Signs of accepting cycles while the search is still going on (MAP: Brim, Černá, Moravec and Šimša, "Accepting Predecessors are Better
//! than Back Edges").
//!
//! With each state goes the greatest of the states on a way to it whose step there carried an accepting mark: its greatest accepting
//! *ancestor*. A step that leads back to the ancestor of its source closes a cycle with that mark. Only the way by which a state was met
//! first is followed, so that a sign may be missed; and a cycle may need further marks, so that a sign may be false. So a sign is only the
//! reason to look: OWCTY decides, on what was expanded so far, and finds the run. Whatever signs there are, the answer is the same.
//!
//! States are compared by numbers that are mixed: in the order in which they were met, the greatest ancestor would always be the last one.

use crate::share::{Job, Taken};
use lariat_automata::MarkSet;
use lariat_space::State;
use lariat_subject::CycleGoal;

/// The greatest accepting ancestors of a worker's states.
pub(crate) struct Ancestors<'a> {
    goal: &'a CycleGoal,
    worker: u64,
    workers: u64,
    /// By number of a state: its ancestor, or [`NONE`].
    of: Vec<u64>,
    /// Of the states in the batch.
    pub(crate) waiting: Vec<u64>,
    /// Steps that led back to the ancestor of their source.
    pub(crate) signs: u64,
    /// The memory for them; `None` from when they need too much.
    taken: Option<Taken<'a>>,
    most_bytes: u64,
}

pub(crate) const NONE: u64 = 0;

/// All workers of a process together take this part of its memory at most: signs are worth most while few states are known.
const PART: u64 = 16;

impl<'a> Ancestors<'a> {
    pub(crate) fn new(goal: &'a CycleGoal, job: Job<'a>, worker: usize, workers: usize) -> Self {
        let (worker, workers, budget) = (worker as u64, workers as u64, &job.control.budget);
        let most_bytes = budget.limit_bytes() / PART / job.options.threads.max(1) as u64;
        let taken = Taken::new(budget, 0).ok();
        Self { goal, worker, workers, of: Vec::new(), waiting: Vec::new(), signs: 0, taken, most_bytes }
    }

    /// The state with this number as an ancestor; different states are different ancestors.
    fn ancestor(&self, number: u64) -> u64 {
        (number * self.workers + self.worker + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    /// The ancestor that goes with a step from the state of this number.
    #[inline]
    pub(crate) fn along(&self, number: u64, source: &State, marks: &MarkSet, target: &State) -> u64 {
        let component = self.goal.component(target);
        if component.is_none() || component != self.goal.component(source) {
            return NONE;
        }
        let before = self.of.get(number as usize).copied().unwrap_or(NONE);
        let is_accepting = self.goal.demands.marks.first().is_none_or(|&mark| marks.contains(mark));
        if is_accepting { before.max(self.ancestor(number)) } else { before }
    }

    /// A step, with this ancestor, led to the state of this number.
    #[inline]
    pub(crate) fn arrive(&mut self, number: u64, is_new: bool, along: u64) {
        if !is_new {
            self.signs += u64::from(along != NONE && along == self.ancestor(number));
            return;
        }
        let place = number as usize;
        if place >= self.of.len() && !self.grow(place + 1) {
            return;
        }
        self.of[place] = along;
    }

    /// Makes room for so many states. Where they need too much nothing is noted any more.
    #[cold]
    fn grow(&mut self, states: usize) -> bool {
        let wanted = (2 * self.of.len()).max(states).max(1024);
        let Some(taken) = &mut self.taken else { return false };
        // While they are moved they are there twice.
        let bytes_of = |states: usize| 2 * 8 * states as u64;
        if bytes_of(wanted) > self.most_bytes || taken.take(bytes_of(wanted - self.of.len())).is_err() {
            self.taken = None;
            self.of = Vec::new();
            return false;
        }
        self.of.resize(wanted, NONE);
        true
    }
}
