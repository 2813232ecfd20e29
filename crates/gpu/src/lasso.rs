//! An accepting run out of the states that have an accepting cycle behind them.
//!
//! From a state one goes back along shortest ways to a step with the first mark, from there to one with the second, and so on, and then
//! tries to go on back to the state itself. A way back is a breadth-first search backwards: the card expands the whole set once for
//! each level, and notes the distance of states with a step to the level before. If the state is not met again, the search goes on from one
//! of the last level, behind which there are strictly fewer states ([ADR 48]).
//!
//! [ADR 48]: ../../../docs/adr/0048-strong-fairness-and-lassos-on-disk.md

use crate::owcty::{Sets, bit_of};
use crate::search::{Halt, Pass, Search, counter, words_of};
use lariat_automata::{Mark, MarkSet};
use lariat_space::{Outcome, StateSpace};
use lariat_subject::CycleGoal;
use std::ops::ControlFlow;

/// The loop of an accepting run: its states, and the marks of the step from each to the next.
pub(crate) struct FoundCycle {
    pub(crate) states: Vec<Vec<u64>>,
    pub(crate) marks: Vec<MarkSet>,
    /// How many steps lead to its first state.
    pub(crate) depth: u64,
}

/// A state on a way, with the marks of the step that leaves it.
struct OnWay {
    entry: u64,
    state: Vec<u64>,
    marks: MarkSet,
}

type Way = Vec<OnWay>;

/// What a way back leads to.
#[derive(Clone, Copy)]
enum Wanted {
    /// A step with this mark.
    Mark(Mark),
    /// A step from the state at this entry.
    Source(u64),
}

/// What a search backwards has found.
enum Back {
    Found(Way),
    /// Nothing; a state of its last level.
    None(u64),
}

/// No entry of a table.
const NO_ENTRY: u64 = u64::MAX;

impl<S: StateSpace> Search<'_, S> {
    /// Finds a loop that carries all that it must. The sets are what [`owcty`](Self::owcty) left, and have a state.
    pub(crate) fn find_cycle(&mut self, sets: &mut Sets, goal: &CycleGoal) -> Result<FoundCycle, Halt> {
        let demands = &goal.demands;
        self.over_all("count_set")?;
        let mut start = self.least_found()?;
        // Pairs whose first mark was met on a loop that did not have the second.
        let mut asked: Vec<usize> = Vec::new();
        loop {
            // Ways that lead to the start, the last one first.
            let mut ways: Vec<Way> = Vec::new();
            let of_pairs = asked.iter().map(|&pair| demands.pairs[pair].1);
            let wanted: Vec<Mark> = demands.marks.iter().copied().chain(of_pairs).collect();
            for mark in wanted {
                if ways.iter().flatten().any(|on_way| on_way.marks.contains(mark)) {
                    continue;
                }
                let at = ways.last().map_or(start, |way| way[0].entry);
                match self.way_back(sets, goal, at, Wanted::Mark(mark))? {
                    Back::Found(way) => ways.push(way),
                    Back::None(_) => {
                        unreachable!("each mark lies behind every state, and the second of a pair behind the first")
                    }
                }
            }
            let at = ways.last().map_or(start, |way| way[0].entry);
            if at != start || ways.is_empty() {
                match self.way_back(sets, goal, at, Wanted::Source(start))? {
                    Back::Found(way) => ways.push(way),
                    Back::None(behind) => {
                        start = behind;
                        asked.clear();
                        continue;
                    }
                }
            }
            let carries = |mark: Mark| ways.iter().flatten().any(|on_way| on_way.marks.contains(mark));
            let missed = demands.pairs.iter().position(|&(first, second)| carries(first) && !carries(second));
            if let Some(pair) = missed {
                asked.push(pair);
                continue;
            }
            let cycle: Way = ways.into_iter().rev().flatten().collect();
            self.set("WANTED", cycle[0].entry);
            self.over_all("find_index")?;
            let found = self.counters()?[counter("FOUND")];
            let index = *self.found(found)?.first().ok_or_else(|| lost("an entry is not in the order of states"))?;
            let depth = self.depth_of(index);
            let (states, marks) = cycle.into_iter().map(|on_way| (on_way.state, on_way.marks)).unzip();
            return Ok(FoundCycle { states, marks, depth });
        }
    }

    /// Of the entries that a launch named the one with the least state.
    fn least_found(&mut self) -> Result<u64, Halt> {
        let found = self.counters()?[counter("FOUND")];
        let entries = self.found(found)?;
        let states = self.states_of(&entries)?;
        let least = states.into_iter().zip(entries).min();
        least.map(|(_, entry)| entry).ok_or_else(|| lost("a set that is not empty has no state"))
    }

    /// A shortest way, of at least one step, to a state from what is wanted.
    fn way_back(&mut self, sets: &Sets, goal: &CycleGoal, to: u64, wanted: Wanted) -> Result<Back, Halt> {
        let card = self.job.card;
        card.fill(&sets.counts, 0..sets.counts.bytes(), 0xff)?;
        card.write(&sets.counts, 4 * to, &0_u32.to_ne_bytes())?;
        let (marks, source) = match wanted {
            Wanted::Mark(mark) => (bit_of(mark), NO_ENTRY),
            Wanted::Source(entry) => (0, entry),
        };
        self.set("MARKS", marks);
        self.set("WANTED", source);
        for distance in 0.. {
            self.set("DISTANCE", distance);
            self.clear_queue()?;
            let mut sources = Vec::new();
            let chunk = if self.has_punts { self.least_chunk() } else { crate::search::CHUNK };
            for first in (0..self.states).step_by(chunk as usize) {
                self.expand(first, self.states.min(first + chunk), Pass::Back, 0)?;
                let found = self.counters()?[counter("FOUND")];
                sources.extend(self.found(found)?);
                self.job.control.check()?;
            }
            if !sources.is_empty() {
                let states = self.states_of(&sources)?;
                let least = states.into_iter().zip(sources).min();
                let (state, source) = least.ok_or_else(|| lost("a source has no state"))?;
                return Ok(Back::Found(self.forwards(sets, goal, (source, state), distance, to, wanted)?));
            }
            if self.counters()?[counter("QUEUE")] == 0 {
                self.over_all("find_distance")?;
                return Ok(Back::None(self.least_found()?));
            }
        }
        unreachable!("a search ends before its levels are counted to the end")
    }

    /// The way that begins with a step from the source to a state at this distance and then comes nearer with each step.
    fn forwards(
        &mut self,
        sets: &Sets,
        goal: &CycleGoal,
        (mut entry, mut state): (u64, Vec<u64>),
        distance: u64,
        to: u64,
        wanted: Wanted,
    ) -> Result<Way, Halt> {
        let mut way = Way::new();
        for distance in (0..=distance).rev() {
            let wanted = match wanted {
                Wanted::Mark(mark) if way.is_empty() => Some(mark),
                _ => None,
            };
            let mut steps = self.usable_steps(sets, goal, entry, &state)?;
            steps.retain(|(marks, _)| wanted.is_none_or(|mark| marks.contains(mark)));
            let targets: Vec<Vec<u64>> = steps.iter().map(|(_, target)| target.clone()).collect();
            let entries = self.entries_of(&targets)?;
            let mut next = None;
            for ((marks, target), found) in steps.into_iter().zip(entries) {
                let Some(found) = found else { continue };
                let mut bytes = [0; 4];
                self.job.card.read(&sets.counts, 4 * found, &mut bytes)?;
                if u64::from(u32::from_ne_bytes(bytes)) == distance {
                    next = Some((marks, target, found));
                    break;
                }
            }
            let (marks, target, found) = next.ok_or_else(|| lost("a way back has a gap"))?;
            way.push(OnWay { entry, state, marks });
            (entry, state) = (found, target);
        }
        if entry != to {
            return Err(lost("a way back does not lead to its end"));
        }
        Ok(way)
    }

    /// The steps of a state that a cycle may use, with their marks.
    fn usable_steps(
        &mut self,
        sets: &Sets,
        goal: &CycleGoal,
        entry: u64,
        state: &[u64],
    ) -> Result<Vec<(MarkSet, Vec<u64>)>, Halt> {
        let mut had = vec![u64::MAX];
        if let Some(block) = &sets.had {
            let mut bytes = [0; 8];
            self.job.card.read(block, 8 * entry, &mut bytes)?;
            had = words_of(&bytes);
        }
        let component = |state: &[u64]| goal.component(state);
        let own = component(state);
        let mut steps = Vec::new();
        let Self { space, scratch, limits, .. } = self;
        let flow = space.steps(
            state,
            scratch,
            limits.limiting(Halt::from, |step| {
                if let Outcome::State(target) = step.target
                    && component(target) == own
                    && !goal.demands.asks_in_vain(step.marks, &had)
                {
                    steps.push((step.marks.clone(), target.to_vec()));
                }
                ControlFlow::Continue(())
            }),
        );
        match flow {
            ControlFlow::Break(halt) => Err(halt),
            ControlFlow::Continue(()) => Ok(steps),
        }
    }
}

/// What the card says cannot be.
fn lost(what: &str) -> Halt {
    Halt::Card(format!("internal error: {what}; please report it"))
}
