//! A graph gone through from end to end: what is in it that a reduction must keep.

use crate::reduction::observed;
use crate::{OverSpace, StepLimits, with_space};
use lariat_engine::{RunControl, RunError, Shortfall, Task};
use lariat_space::{Outcome, State, StateSpace};
use lariat_store::hash_state;
use lariat_system::{ActionId, Fault, LabelId};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// More labels than this are not made into letters.
const MOST_LABELS: usize = 64;
/// The states that a table has room for in the beginning.
const FIRST_ROOM: usize = 1 << 10;
/// How many states are looked at between looks at the clock.
const CHECK_INTERVAL: usize = 1 << 10;

/// What there is in a graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Survey {
    /// The number of states.
    pub states: u64,
    /// The number of states without steps, and the sum of their hashes.
    pub dead_ends: (u64, u64),
    /// Run-time errors.
    pub faults: BTreeSet<Fault>,
    /// Actions that are taken and lead somewhere.
    pub actions: BTreeSet<ActionId>,
    /// Values that are truncated.
    pub cuts: BTreeSet<(ActionId, u16)>,
    /// The letters of states, the observed labels that hold in them, each with those of a successor, repetitions included; `None`
    /// if there are too many labels.
    pub letters: Option<BTreeSet<(u64, u64)>>,
}

impl Survey {
    /// What differs between the graph of a simplified system and that of the system, and must not: dead ends may become one.
    pub fn difference_of_simplified(&self, whole: &Survey) -> Option<String> {
        let (left, all) = (self.dead_ends.0, whole.dead_ends.0);
        if (left > 0) != (all > 0) || left > all {
            return Some(format!("dead ends differ: {left} in the simplified graph, {all} in the whole"));
        }
        Survey { dead_ends: whole.dead_ends, ..self.clone() }.difference(whole)
    }

    /// What differs between the graph that a reduction leaves and the whole one, and must not.
    pub fn difference(&self, whole: &Survey) -> Option<String> {
        let letters = |survey: &Survey| survey.letters.as_ref().map_or(0, BTreeSet::len);
        let compared = [
            ("dead ends", self.dead_ends == whole.dead_ends, self.dead_ends.0, whole.dead_ends.0),
            ("run-time errors", self.faults == whole.faults, self.faults.len() as u64, whole.faults.len() as u64),
            ("actions taken", self.actions == whole.actions, self.actions.len() as u64, whole.actions.len() as u64),
            ("truncated values", self.cuts == whole.cuts, self.cuts.len() as u64, whole.cuts.len() as u64),
            ("letters", self.letters == whole.letters, letters(self) as u64, letters(whole) as u64),
            ("states", self.states <= whole.states, self.states, whole.states),
        ];
        let (what, _, left, all) = compared.into_iter().find(|(_, is_kept, ..)| !is_kept)?;
        Some(format!("{what} differ: {left} in the reduced graph, {all} in the whole"))
    }
}

/// Goes through the graph of the task's system, reduced or not, as its options say, within the limits of the run.
pub fn survey(task: &Task<'_>, control: &RunControl) -> Result<Result<Survey, Shortfall>, RunError> {
    with_space(task, Surveying { labels: observed(&task.property), control })
}

struct Surveying<'a> {
    labels: &'a [LabelId],
    control: &'a RunControl,
}

impl OverSpace for Surveying<'_> {
    type Output = Result<Survey, Shortfall>;

    fn over<S: StateSpace>(self, space: &S) -> Result<Self::Output, RunError> {
        let mut seen = Seen::new(space.words_per_state(), self.control);
        let surveyed = self.go(space, &mut seen);
        self.control.budget.give_back(seen.taken_bytes);
        Ok(surveyed)
    }
}

impl Surveying<'_> {
    fn go<S: StateSpace>(&self, space: &S, seen: &mut Seen<'_>) -> Result<Survey, Shortfall> {
        let mut limits = StepLimits::new(self.control);
        let (mut scratch, mut labelling) = (space.scratch(), space.scratch());
        let started = space.initial(&mut scratch, |state| match seen.add(state) {
            Ok(()) => ControlFlow::Continue(()),
            Err(shortfall) => ControlFlow::Break(shortfall),
        });
        if let ControlFlow::Break(shortfall) = started {
            return Err(shortfall);
        }
        let has_letters = self.labels.len() <= MOST_LABELS;
        let mut letter = |state: &State| {
            let held = if self.labels.is_empty() { return 0 } else { space.labels(state, &mut labelling) };
            let bits = self.labels.iter().enumerate().map(|(number, label)| u64::from(held.contains(*label)) << number);
            bits.sum::<u64>()
        };
        let mut survey = Survey {
            states: 0,
            dead_ends: (0, 0),
            faults: BTreeSet::new(),
            actions: BTreeSet::new(),
            cuts: BTreeSet::new(),
            letters: has_letters.then(BTreeSet::new),
        };
        let mut source = Vec::new();
        let mut next = 0;
        while let Some(state) = seen.state(next) {
            source.clear();
            source.extend_from_slice(state);
            let from = if has_letters { letter(&source) } else { 0 };
            if let Some(letters) = &mut survey.letters {
                letters.insert((from, from));
            }
            let mut listed = false;
            let flow = space.steps(
                &source,
                &mut scratch,
                limits.limiting(
                    |shortfall| shortfall,
                    |step| {
                        listed = true;
                        match step.target {
                            Outcome::State(target) => {
                                survey.actions.extend(step.via.iter().map(|by| by.action));
                                if let Some(letters) = &mut survey.letters {
                                    letters.insert((from, letter(target)));
                                }
                                seen.add(target).map_or_else(ControlFlow::Break, ControlFlow::Continue)
                            }
                            Outcome::Fault(fault) => {
                                survey.faults.insert(fault);
                                ControlFlow::Continue(())
                            }
                        }
                    },
                ),
            );
            if let ControlFlow::Break(shortfall) = flow {
                return Err(shortfall);
            }
            if !listed {
                let (count, sum) = survey.dead_ends;
                survey.dead_ends = (count + 1, sum.wrapping_add(hash_state(&source)));
            }
            next += 1;
            if next.is_multiple_of(CHECK_INTERVAL) {
                self.control.check()?;
            }
        }
        let passed = space.passed(&scratch);
        survey.actions.extend(passed.actions);
        survey.cuts.extend(passed.cuts);
        survey.states = next as u64;
        Ok(survey)
    }
}

/// States in the order in which they were met.
struct Seen<'a> {
    width: usize,
    words: Vec<u64>,
    /// Numbers of states, from 1, where their hashes lead to; the length is a power of two.
    table: Vec<u32>,
    count: usize,
    control: &'a RunControl,
    taken_bytes: u64,
}

impl<'a> Seen<'a> {
    fn new(width: usize, control: &'a RunControl) -> Self {
        Self { width, words: Vec::new(), table: Vec::new(), count: 0, control, taken_bytes: 0 }
    }

    fn state(&self, number: usize) -> Option<&State> {
        (number < self.count).then(|| &self.words[number * self.width..(number + 1) * self.width])
    }

    /// Where the state stands in the table, or would.
    fn place(&self, state: &State) -> usize {
        let mask = self.table.len() - 1;
        let mut at = hash_state(state) as usize & mask;
        while self.table[at] != 0 && self.state(self.table[at] as usize - 1) != Some(state) {
            at = (at + 1) & mask;
        }
        at
    }

    fn add(&mut self, state: &State) -> Result<(), Shortfall> {
        if self.table.len() < 2 * (self.count + 1) {
            self.grow()?;
        }
        let at = self.place(state);
        if self.table[at] == 0 {
            self.words.extend_from_slice(state);
            self.count += 1;
            self.table[at] = self.count as u32;
        }
        Ok(())
    }

    /// Makes room for twice as many states.
    fn grow(&mut self) -> Result<(), Shortfall> {
        let room = (2 * self.count).max(FIRST_ROOM);
        let bytes = 8 * (room * self.width) as u64 + 4 * (2 * room) as u64;
        // While it grows, the old and the new are there.
        self.control.budget.take(bytes)?;
        let mut words = Vec::with_capacity(room * self.width);
        words.extend_from_slice(&self.words);
        self.words = words;
        self.table = vec![0; 2 * room];
        for number in 0..self.count {
            let at = self.place(&self.words[number * self.width..(number + 1) * self.width]);
            self.table[at] = number as u32 + 1;
        }
        self.control.budget.give_back(self.taken_bytes);
        self.taken_bytes = bytes;
        Ok(())
    }
}
