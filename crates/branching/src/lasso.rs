//! Fair runs that go on for ever: the algorithm WITNESS of Kesten, Pnueli, Raviv and Shahar (2006), made right.
//!
//! The loop is found in what [`Core`](crate::feasible::Core) leaves over, as Clarke, Grumberg, McMillan and Zhao do (DAC
//! 1995): go on to one constraint after the other, the nearest first, then try to go back to where that began; if there is no way back, a
//! component was left for good, and the search begins anew further down. So it ends, at the latest, in a component that no
//! step leads out of, and these are the fair ones. As printed, the algorithm looks for one that no step leads into, takes a way
//! of no step for a loop, and does not end where there is no way.
//!
//! Of compassion the loop needs what is given only if that can be reached from where the loop begins. Otherwise nothing on it
//! can reach it, and what is asked for was taken away from there.

use crate::chain::Chain;
use crate::ctl::Staying;
use crate::fairness::InSets;
use crate::narrowed::{Narrowed, Way};
use crate::slip::{Slip, slips};
use crate::{FairStates, Layers, path_between};
use lariat_space::{State, StateSets, Steps};
use std::cell::RefCell;
use std::collections::HashMap;

/// A run as states, and which step leads from each to the next.
pub(crate) struct Route {
    pub(crate) states: Vec<Vec<u64>>,
    pub(crate) steps: Vec<Steps>,
    pub(crate) loop_start: Option<usize>,
}

impl Route {
    fn here(&self) -> &State {
        self.states.last().expect("it has a beginning")
    }

    /// The run that goes round from `start` on, and goes into its loop as soon as it is at a state of it.
    fn looping(mut self, start: usize) -> Self {
        let place = |state: &Vec<u64>| self.states[start..].iter().position(|other| other == state);
        let early = self.states[..start].iter().enumerate().find_map(|(at, state)| Some((at, place(state)?)));
        let (at, place) = early.unwrap_or((start, 0));
        let mut states = self.states.split_off(start);
        let mut steps = self.steps.split_off(start);
        self.states.truncate(at);
        self.steps.truncate(at);
        // The last state is the first of the loop.
        states.pop();
        states.rotate_left(place);
        steps.rotate_left(place);
        states.push(states[0].clone());
        self.states.extend(states);
        self.steps.extend(steps);
        self.loop_start = Some(at);
        self
    }
}

/// Finds fair runs.
pub(crate) struct Lasso<'a, S: StateSets> {
    sets: &'a S,
    states: &'a FairStates<S::Set>,
    staying: &'a Staying<S::Set>,
    /// What is left in the core.
    narrowed: Narrowed<'a, S>,
    /// What was computed before.
    effort_before: u64,
    /// For each constraint, where a step that is left meets what it gives, as far as that was asked for.
    meeting: RefCell<HashMap<usize, S::Set>>,
}

/// Once this was computed, ways need not be the shortest any more.
const LONG: u64 = 2_000_000;

impl<'a, S: StateSets> Lasso<'a, S> {
    /// Runs of `states` that stay where they may.
    pub(crate) fn new(sets: &'a S, states: &'a FairStates<S::Set>, staying: &'a Staying<S::Set>) -> Self {
        let narrowed = staying.core.narrowed(sets, &states.stuttering);
        Self { sets, states, staying, narrowed, effort_before: sets.effort(), meeting: RefCell::default() }
    }

    /// A fair run from the state. There is one.
    pub(crate) fn find(&self, state: &State) -> Result<Route, S::Error> {
        let Self { sets, staying: Staying { states, core }, .. } = self;
        let stem = self.way_by(*sets, sets.only(state)?, states, &core.states)?;
        let stem = stem.expect("a fair run goes from the state");
        let mut route = Route { steps: vec![Steps::All; stem.len() - 1], states: stem, loop_start: None };
        loop {
            sets.safe_point()?;
            let start = route.states.len() - 1;
            let anchor = sets.only(route.here())?;
            let mut unmet = self.within_reach(&anchor)?;
            while !unmet.is_empty() && self.meet_next(&mut route, &mut unmet, &anchor)? {}
            // A way of no step is no loop.
            if route.states.len() - 1 == start && !slips(Slip::ZeroStepClose) {
                self.leap(&mut route, &Steps::All)?;
            }
            // What is not met any more could be from where this began: there is no way back.
            if unmet.is_empty()
                && let Some(back) = self.way(route.here(), &anchor)?
            {
                self.follow(&mut route, back)?;
                return self.with_short_stem(route.looping(start));
            }
        }
    }

    /// The constraints that can be met by what is left from here on: all of justice, and some of compassion.
    fn within_reach(&self, from: &S::Set) -> Result<Vec<usize>, S::Error> {
        let (sets, core) = (self.sets, &self.staying.core);
        let constraints = &self.states.constraints;
        let is_open = |number: &usize| constraints[*number].asked.is_some();
        let (mut open, mut found): (Vec<usize>, Vec<usize>) = (0..constraints.len()).partition(is_open);
        let (mut known, mut new) = (from.clone(), from.clone());
        // Ring by ring this would take as long as all ways are.
        if sets.effort() > 0 {
            let mut waiting = open.clone();
            let chain = Chain::new(&self.narrowed, known, &core.states, |all| self.meets_more(all, &mut waiting))?;
            for number in open {
                if !waiting.contains(&number) || self.is_met_in(chain.reached(), number)? {
                    found.push(number);
                }
            }
            found.sort_unstable();
            return Ok(found);
        }
        while !open.is_empty() && !sets.is_empty(&new) {
            sets.safe_point()?;
            let mut others = Vec::new();
            for number in open {
                let place = if self.is_met_in(&new, number)? { &mut found } else { &mut others };
                place.push(number);
            }
            open = others;
            let next = sets.intersect(&self.narrowed.post(&new, Steps::All)?, &core.states)?;
            new = sets.minus(&next, &known)?;
            known = sets.union(&known, &new)?;
        }
        found.sort_unstable();
        Ok(found)
    }

    /// The run with a shortest way to its loop.
    fn with_short_stem(&self, route: Route) -> Result<Route, S::Error> {
        let sets = self.sets;
        if self.is_long() {
            return Ok(route);
        }
        let start = route.loop_start.expect("it goes round");
        let mut goal = sets.empty();
        for state in &route.states[start..] {
            goal = sets.union(&goal, &sets.only(state)?)?;
        }
        let stem = path_between(sets, &sets.only(&route.states[0])?, &self.staying.states, &goal)?;
        let mut stem = stem.expect("the run goes there");
        if stem.len() > start {
            return Ok(route);
        }
        let entry = stem.pop().expect("a way has an end");
        let place = route.states[start..].iter().position(|state| *state == entry).expect("that is where it went");
        let mut states = route.states[start..route.states.len() - 1].to_vec();
        let mut steps = route.steps[start..].to_vec();
        states.rotate_left(place);
        steps.rotate_left(place);
        states.push(entry);
        let begin = stem.len();
        let steps = [vec![Steps::All; begin], steps].concat();
        Ok(Route { states: [stem, states].concat(), steps, loop_start: Some(begin) })
    }

    /// Goes on to the nearest state where a constraint that was not met yet is met, if possible several of them, and takes away
    /// what is met there. Whether there is a way.
    fn meet_next(&self, route: &mut Route, unmet: &mut Vec<usize>, anchor: &S::Set) -> Result<bool, S::Error> {
        let (sets, core) = (self.sets, &self.staying.core);
        let goal = sets.intersect(&self.union_of(unmet)?, &core.states)?;
        let meeting_most = |mut end: S::Set, unmet: &[usize]| {
            for &number in unmet {
                let fewer = self.meeting_in(&end, number)?;
                if !sets.is_empty(&fewer) {
                    end = fewer;
                }
            }
            Ok::<_, S::Error>(end)
        };
        let mut layers = Layers::new(sets.only(route.here())?, core.states.clone());
        let way = match layers.steps_unless(&self.narrowed, &goal, || self.is_long())? {
            Some(None) => return Ok(false),
            Some(Some(steps)) => {
                let end = meeting_most(sets.intersect(layers.layer(steps), &goal)?, unmet)?;
                layers.walk(&self.narrowed, steps, &end)?
            }
            None => {
                let mut waiting = unmet.clone();
                let chain = Chain::new(&self.narrowed, sets.only(route.here())?, &core.states, |all| {
                    self.meets_more(all, &mut waiting)
                })?;
                // As long as there is a way back, if that will do.
                let back = self.narrowed.closure(&core.states, anchor, chain.reached(), Way::Back)?;
                let inside = sets.intersect(chain.reached(), &back)?;
                let end = if self.meets_more(&inside, &mut unmet.clone())? { inside } else { chain.reached().clone() };
                let end = sets.intersect(&end, &goal)?;
                if sets.is_empty(&end) {
                    return Ok(false);
                }
                let way = chain.way(&self.narrowed, &meeting_most(end, unmet)?)?;
                way.expect("what was reached has a way to it")
            }
        };
        self.follow(route, way)?;
        let (mut left, mut by_step) = (Vec::new(), None);
        for &number in &*unmet {
            if !sets.contains(&self.meeting(number)?, route.here())? {
                left.push(number);
                continue;
            }
            match self.given_here(route.here(), &self.states.constraints[number])? {
                Some(Steps::All) => {}
                Some(steps) if by_step.is_none() => by_step = Some(steps),
                _ => left.push(number),
            }
        }
        *unmet = left;
        by_step.map_or(Ok(()), |steps| self.leap(route, &steps))?;
        Ok(true)
    }

    /// Those states of the set, which are some of the core, in which what the constraint gives is met by a step that is left.
    fn meeting_in(&self, set: &S::Set, number: usize) -> Result<S::Set, S::Error> {
        self.sets.intersect(set, &self.meeting(number)?)
    }
    fn is_met_in(&self, set: &S::Set, number: usize) -> Result<bool, S::Error> {
        Ok(!self.sets.is_empty(&self.meeting_in(set, number)?))
    }

    /// Where the constraint is met. What states meet by themselves is not confined to the core: it is a small set as it is, and
    /// one for each of many constraints would be many large ones.
    fn meeting(&self, number: usize) -> Result<S::Set, S::Error> {
        if let Some(known) = self.meeting.borrow().get(&number) {
            return Ok(known.clone());
        }
        let (sets, given) = (self.sets, &self.states.constraints[number].given);
        let mut found = sets.empty();
        for event in given {
            let meeting = match event {
                (sources, Steps::All) => sources.clone(),
                _ => self.narrowed.meeting(std::slice::from_ref(event), &self.staying.core.states, Way::Back)?,
            };
            found = sets.union(&found, &meeting)?;
        }
        self.meeting.borrow_mut().insert(number, found.clone());
        Ok(found)
    }

    /// Where one of these constraints is met. Joined two by two: one after the other, each would be as large as all before it.
    fn union_of(&self, constraints: &[usize]) -> Result<S::Set, S::Error> {
        Ok(match constraints {
            [] => self.sets.empty(),
            [number] => self.meeting(*number)?,
            several => {
                let (left, right) = several.split_at(several.len() / 2);
                self.sets.union(&self.union_of(left)?, &self.union_of(right)?)?
            }
        })
    }

    /// By which steps from the state the constraint gets what it asks for: any, if being there suffices.
    fn given_here(&self, here: &State, constraint: &InSets<S::Set>) -> Result<Option<Steps>, S::Error> {
        let sets = self.sets;
        let mut found = None;
        for (sources, steps) in &constraint.given {
            if !sets.contains(sources, here)? {
                continue;
            }
            if *steps == Steps::All {
                return Ok(Some(Steps::All));
            }
            let next = self.narrowed.post(&sets.only(here)?, steps.clone())?;
            if !sets.is_empty(&sets.intersect(&next, &self.staying.core.states)?) {
                found = Some(steps.clone());
            }
        }
        Ok(found)
    }

    /// A shortest way to the goal by what is left; `None` if there is none.
    fn way(&self, from: &State, goal: &S::Set) -> Result<Option<Vec<Vec<u64>>>, S::Error> {
        self.way_by(&self.narrowed, self.sets.only(from)?, &self.staying.core.states, goal)
    }

    /// A way through states of `within`; a shortest one unless much was computed already. `None` if there is none.
    fn way_by<T: StateSets<Set = S::Set, Error = S::Error>>(
        &self,
        sets: &T,
        from: S::Set,
        within: &S::Set,
        goal: &S::Set,
    ) -> Result<Option<Vec<Vec<u64>>>, S::Error> {
        if sets.effort() == 0 {
            return path_between(sets, &from, within, goal);
        }
        let mut layers = Layers::new(from.clone(), within.clone());
        match layers.steps_unless(sets, goal, || self.is_long())? {
            Some(steps) => steps.map(|steps| layers.walk(sets, steps, goal)).transpose(),
            None => {
                let enough = |all: &S::Set| Ok(!sets.is_empty(&sets.intersect(all, goal)?));
                Chain::new(sets, from, within, enough)?.way(sets, goal)
            }
        }
    }

    /// Whether so much was computed that ways need not be the shortest any more.
    fn is_long(&self) -> bool {
        self.sets.effort() - self.effort_before > LONG
    }

    /// Whether each of the constraints that `waiting` names is met in some state of the set, of the core. Takes away those that are, up
    /// to one that is not: so a set that grows is not asked for all of them each time.
    fn meets_more(&self, set: &S::Set, waiting: &mut Vec<usize>) -> Result<bool, S::Error> {
        while let Some(&number) = waiting.last() {
            if !self.is_met_in(set, number)? {
                return Ok(false);
            }
            waiting.pop();
        }
        Ok(true)
    }

    /// Goes along states, of which the first is where the route stands.
    fn follow(&self, route: &mut Route, way: Vec<Vec<u64>>) -> Result<(), S::Error> {
        for state in way.into_iter().skip(1) {
            let steps = self.narrowed.left_in(route.here())?.expect("the state has a step");
            route.steps.push(steps);
            route.states.push(state);
        }
        Ok(())
    }

    /// Takes one of these steps.
    fn leap(&self, route: &mut Route, steps: &Steps) -> Result<(), S::Error> {
        let sets = self.sets;
        let left = self.narrowed.left_in(route.here())?.expect("the state has a step");
        let steps = left.and(steps).expect("the state has such a step");
        let next = self.narrowed.post(&sets.only(route.here())?, steps.clone())?;
        let next = sets.pick(&sets.intersect(&next, &self.staying.core.states)?)?.expect("the state has such a step");
        route.states.push(next);
        route.steps.push(steps);
        Ok(())
    }
}
