//! Finding again the run to a failure that a search has met.
//!
//! A breadth-first search keeps no parents. What it knows of a failure is the state, and that so many steps lead there and
//! no fewer. A second search, by one thread and with parents, goes the same way up to that state. Should there be no
//! memory for parents, the run is found by halves: a search that remembers, for each waiting state, only which state half
//! way it came through finds that state, and each half is a smaller task of the same kind.

use crate::frontier::Frontier;
use crate::walk::Walk;
use lariat_engine::{RunControl, Shortfall, Trace};
use lariat_space::{State, StateSpace};
use lariat_store::{Full, Handle, Recall, TreeStore};
use lariat_subject::{Sighting, trace_along};

/// A shortest run to what was sighted, within the limits for telling what was found. An interrupt that came before does not
/// matter.
pub(crate) fn retrace<S: StateSpace, T: Recall>(
    space: &S,
    make_store: &impl Fn() -> Result<T, Full>,
    sighting: &Sighting,
    control: &RunControl,
) -> Result<Trace, Shortfall> {
    let finder = RunFinder { space, make_store, control };
    let states = finder.states_between(None, &sighting.state, sighting.depth)?;
    trace_along(space, states, sighting, control)
}

/// The states of a shortest run to `state`, which is left out.
pub(crate) fn way_to<S: StateSpace>(space: &S, state: &State, control: &RunControl) -> Result<States, Shortfall> {
    let make_store = || TreeStore::new(space.words_per_state(), &control.budget);
    let finder = RunFinder { space, make_store: &make_store, control };
    let mut states = match finder.with_parents(None, state) {
        Err(Shortfall::Memory { .. }) => {
            let (_, steps) = finder.half_way(None, state, u64::MAX)?;
            if steps == 0 { Ok(vec![state.to_vec()]) } else { finder.by_halves(None, state, steps) }
        }
        found => found,
    }?;
    states.pop();
    Ok(states)
}

struct RunFinder<'a, S, M> {
    space: &'a S,
    make_store: &'a M,
    control: &'a RunControl,
}

type States = Vec<Vec<u64>>;

impl<S: StateSpace, T: Recall, M: Fn() -> Result<T, Full>> RunFinder<'_, S, M> {
    /// The states of a run of `steps` steps and no fewer, both ends included; from an initial state if `from` is not
    /// given.
    fn states_between(&self, from: Option<&State>, to: &State, steps: u64) -> Result<States, Shortfall> {
        match (from, steps) {
            (None, 0) => return Ok(vec![to.to_vec()]),
            (Some(from), 1) => return Ok(vec![from.to_vec(), to.to_vec()]),
            _ => {}
        }
        match self.with_parents(from, to) {
            Err(Shortfall::Memory { .. }) if steps > 1 => self.by_halves(from, to, steps),
            found => found,
        }
    }

    /// The same without memory for parents.
    fn by_halves(&self, from: Option<&State>, to: &State, steps: u64) -> Result<States, Shortfall> {
        let half = steps / 2;
        let (middle, _) = self.half_way(from, to, half)?;
        let mut states = self.states_between(from, &middle, half)?;
        states.pop();
        states.extend(self.states_between(Some(&middle), to, steps - half)?);
        Ok(states)
    }

    /// By a search that remembers every state's parent.
    fn with_parents(&self, from: Option<&State>, to: &State) -> Result<States, Shortfall> {
        let store = (self.make_store)()?;
        let mut walk = Walk::new(self.space, &store, self.control)?;
        let mut met = MetStates::new(self.control);
        walk.begin(from, |handle, state| met.add(handle, None, state == to))?;
        let mut next = 0;
        while met.found.is_none() {
            let source = met.states.get(next).expect("a state that was met before is met again");
            walk.expand(source, |handle, state| met.add(handle, Some(Handle(next)), state == to))?;
            next += 1;
        }
        let mut path: Vec<Handle> = std::iter::successors(met.found, |&Handle(number)| {
            met.notes.get(number).filter(|parent| parent.0 != number)
        })
        .collect();
        path.reverse();
        Ok(path.iter().filter_map(|number| met.states.get(number.0)).map(|handle| walk.state(handle)).collect())
    }

    /// The state that a shortest run from `from` to `to` comes through after `half` steps, or else comes to, and how many
    /// steps the run has; by a search that remembers this alone, level by level.
    fn half_way(&self, from: Option<&State>, to: &State, half: u64) -> Result<(Vec<u64>, u64), Shortfall> {
        let store = (self.make_store)()?;
        let mut walk = Walk::new(self.space, &store, self.control)?;
        let mut level = MetStates::new(self.control);
        walk.begin(from, |handle, state| level.add(handle, Some(handle), state == to))?;
        let mut depth = 0;
        while level.found.is_none() {
            depth += 1;
            let mut next = MetStates::new(self.control);
            let mut number = 0;
            while let Some(source) = level.states.get(number) {
                let through = level.notes.get(number).expect("there is a note with every state");
                walk.expand(source, |handle, state| {
                    next.add(handle, Some(if depth > half { through } else { handle }), state == to)
                })?;
                number += 1;
            }
            assert!(number > 0, "a state that was met before is met again");
            level = next;
        }
        let through = level.found.and_then(|Handle(number)| level.notes.get(number)).expect("it was found");
        Ok((walk.state(through), depth))
    }
}

/// States in the order they were met, each with a note, and the position of the target state among them.
struct MetStates<'a> {
    states: Frontier<'a>,
    notes: Frontier<'a>,
    count: u64,
    found: Option<Handle>,
}

impl<'a> MetStates<'a> {
    fn new(control: &'a RunControl) -> Self {
        let list = || Frontier::list(&control.budget);
        Self { states: list(), notes: list(), count: 0, found: None }
    }

    /// Adds a state; its own number is the note where there is none.
    fn add(&mut self, state: Handle, note: Option<Handle>, is_it: bool) -> Result<(), Full> {
        self.states.push(state)?;
        self.notes.push(note.unwrap_or(Handle(self.count)))?;
        if is_it {
            self.found = Some(Handle(self.count));
        }
        self.count += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_store::FlatStore;
    use lariat_testkit::Doubling;
    use std::time::{Duration, Instant};

    const fn numbers(limit: u64) -> Doubling {
        Doubling { from: &[2, 3], limit, may_end: true }
    }

    #[test]
    fn the_run_is_found_in_the_time_there_is_for_telling_it() {
        let (limit, space) = (Duration::from_secs(1), numbers(1 << 18));
        let mut control = RunControl::new(1 << 30, Some(limit));
        let made_before = |seconds| Instant::now().checked_sub(Duration::from_secs(seconds)).expect("it is running");
        let found = |control: &RunControl| way_to(&space, &[(1 << 18) - 1], control).map(|way| way.len());
        assert_eq!(found(&control), Ok(found(&RunControl::new(1 << 30, None)).expect("there is time")));
        control.started = made_before(3);
        assert_eq!(found(&control), Err(Shortfall::Time { limit }));
        assert_eq!(control.budget.used_bytes(), 0);
    }

    #[test]
    fn without_memory_for_parents_the_run_is_as_short() {
        let (control, space) = (RunControl::new(1 << 30, None), numbers(5000));
        let make_store = || FlatStore::new(1, &control.budget);
        let finder = RunFinder { space: &space, make_store: &make_store, control: &control };
        for number in [2, 3, 4, 7, 100, 1023, 4999] {
            let known = finder.with_parents(None, &[number]).expect("there is memory");
            let (_, steps) = finder.half_way(None, &[number], u64::MAX).expect("there is memory");
            assert_eq!(steps, known.len() as u64 - 1, "{number}");
            if steps > 0 {
                let halved = finder.by_halves(None, &[number], steps).expect("there is memory");
                assert_eq!(halved.len(), known.len(), "{number}");
                assert!(halved[0] == [2] || halved[0] == [3], "{number}");
                assert_eq!(halved.last(), known.last());
                let follows = |pair: &[Vec<u64>]| pair[1][0] == pair[0][0] + 1 || pair[1][0] == 2 * pair[0][0];
                assert!(halved.windows(2).all(follows), "{number}: {halved:?}");
            }
        }
        assert_eq!(control.budget.used_bytes(), 0);
    }
}
