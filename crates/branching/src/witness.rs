//! Runs that show why a formula holds in a state, or does not.
//!
//! `E X`, `E U` and `E G` have one where they hold; what is said of all runs has none where it holds, and where it does not,
//! that is an `E` that does. Boolean operators are taken apart. Where a run shows that `f` holds until `g`, and `f` or `g`
//! are such formulas themselves, further runs begin in its states.
//!
//! A fair loop is found as Clarke, Grumberg, McMillan and Zhao do (DAC 1995): go on to one constraint after the other
//! inside the set of `E G f`, the nearest first, then try to close the loop; if it does not close, a component was left for
//! good, and the search begins anew further down. Where constraints are met is known from the fixpoint.

use crate::ctl::Staying;
use crate::{Checker, Justice, Stepper, path_between};
use lariat_engine::{PartId, StateFormula, TraceStep, Witness};
use lariat_space::{StateSets, Steps};
use lariat_system::LabelId;

/// Finds witnesses. The formula was computed by the checker.
pub struct Explainer<'a, 'c, S: StateSets, T> {
    checker: &'c mut Checker<'a, S>,
    stepper: &'c T,
    /// How many runs may still be made: a formula can ask for very many.
    room: usize,
}

/// The most runs that are made for one formula.
const MOST_RUNS: usize = 64;

/// A run as states, and the labels that its steps must carry.
struct Route {
    states: Vec<Vec<u64>>,
    carrying: Vec<Option<LabelId>>,
    loop_start: Option<usize>,
}

impl Route {
    /// Goes on along `way`, which begins where it ends.
    fn follow(&mut self, way: Vec<Vec<u64>>) {
        self.carrying.extend(vec![None; way.len() - 1]);
        self.states.extend(way.into_iter().skip(1));
    }
}

impl<'a, 'c, S: StateSets, T: Stepper> Explainer<'a, 'c, S, T> {
    /// An explainer of what `checker` computes.
    pub fn new(checker: &'c mut Checker<'a, S>, stepper: &'c T) -> Self {
        Self { checker, stepper, room: MOST_RUNS }
    }

    /// Runs that show that the part has this truth value in the state, as far as runs can.
    pub fn explain(&mut self, part: PartId, holds: bool, state: &[u64]) -> Result<Vec<Witness>, S::Error> {
        let property = self.checker.property;
        match property.part(part) {
            StateFormula::True | StateFormula::Prop(_) => Ok(Vec::new()),
            StateFormula::Not(f) => self.explain(*f, !holds, state),
            StateFormula::And(parts) | StateFormula::Or(parts) => {
                let needs_all = matches!(property.part(part), StateFormula::And(_)) == holds;
                let mut found = Vec::new();
                for &part in parts {
                    if needs_all {
                        found.extend(self.explain(part, holds, state)?);
                    } else if self.holds_in(part, state)? == holds {
                        return self.explain(part, holds, state);
                    }
                }
                Ok(found)
            }
            StateFormula::Iff(f, g) => {
                let mut found = Vec::new();
                for part in [*f, *g] {
                    let holds = self.holds_in(part, state)?;
                    found.extend(self.explain(part, holds, state)?);
                }
                Ok(found)
            }
            StateFormula::Next(_) | StateFormula::Until(..) | StateFormula::Always(_) if !holds => Ok(Vec::new()),
            _ if self.room == 0 => Ok(Vec::new()),
            StateFormula::Next(f) => {
                self.room -= 1;
                let f = *f;
                let sets = self.checker.sets;
                let goal = sets.intersect(&self.checker.value(f)?, &self.checker.states.fair)?;
                let here = sets.only(state)?;
                let next = sets.intersect(&sets.post(&here, Steps::All)?, &goal)?;
                // Without a step it repeats.
                let next = sets.pick(&next)?.unwrap_or_else(|| state.to_vec());
                let states = vec![state.to_vec(), next];
                Ok(vec![self.run(part, states, &[(1, f)])?])
            }
            StateFormula::Until(f, g) => {
                let sets = self.checker.sets;
                let goal = sets.intersect(&self.checker.value(*g)?, &self.checker.states.fair)?;
                let within = self.checker.value(*f)?;
                let way = path_between(sets, &sets.only(state)?, &within, &goal)?.expect("the formula holds here");
                Ok(vec![self.explain_until(part, way)?])
            }
            StateFormula::Always(f) => {
                self.room -= 1;
                let f = *f;
                let staying = self.checker.staying(part)?.clone();
                let route = self.lasso(state, &staying)?;
                let claims: Vec<(usize, PartId)> = (0..route.states.len() - 1).map(|at| (at, f)).collect();
                Ok(vec![self.witness(part, route, &claims)?])
            }
        }
    }

    /// The run along the states of `way`, which shows that the part, an `E (f U g)`, holds in the first of them.
    pub(crate) fn explain_until(&mut self, part: PartId, way: Vec<Vec<u64>>) -> Result<Witness, S::Error> {
        let &StateFormula::Until(f, g) = self.checker.property.part(part) else {
            unreachable!("only such a formula has such a way")
        };
        self.room -= 1;
        let last = way.len() - 1;
        let claims: Vec<(usize, PartId)> = (0..last).map(|at| (at, f)).chain([(last, g)]).collect();
        self.run(part, way, &claims)
    }

    /// What computes the formulas.
    pub(crate) fn checker(&self) -> &Checker<'a, S> {
        self.checker
    }

    /// The run along the states, which shows the part, with what shows the claims at its states.
    pub(crate) fn run(
        &mut self,
        claim: PartId,
        states: Vec<Vec<u64>>,
        claims: &[(usize, PartId)],
    ) -> Result<Witness, S::Error> {
        let carrying = vec![None; states.len() - 1];
        self.witness(claim, Route { states, carrying, loop_start: None }, claims)
    }

    fn holds_in(&mut self, part: PartId, state: &[u64]) -> Result<bool, S::Error> {
        let sets = self.checker.sets;
        let value = self.checker.value(part)?;
        Ok(!sets.is_empty(&sets.intersect(&value, &sets.only(state)?)?))
    }

    /// The run along `route`, with what shows the claims at its states.
    fn witness(&mut self, claim: PartId, route: Route, claims: &[(usize, PartId)]) -> Result<Witness, S::Error> {
        let mut steps = Vec::new();
        for (ends, carrying) in route.states.windows(2).zip(&route.carrying) {
            let step = self.stepper.step(&ends[0], &ends[1], *carrying);
            let stutter = || {
                assert!(ends[0] == ends[1], "there is a step between neighbours of a run");
                TraceStep { via: Vec::new(), labels: None, target: Some(ends[1].clone()) }
            };
            steps.push(step.unwrap_or_else(stutter));
        }
        let mut nested = Vec::new();
        for &(at, part) in claims {
            nested.extend(self.explain(part, true, &route.states[at])?.into_iter().map(|witness| (at, witness)));
        }
        let start = route.states[0].clone();
        Ok(Witness { claim, start, steps, loop_start: route.loop_start, nested })
    }

    /// A fair run from the state that stays where it may.
    fn lasso(&self, state: &[u64], staying: &Staying<S::Set>) -> Result<Route, S::Error> {
        let sets = self.checker.sets;
        let within = &staying.states;
        let mut route = Route { states: vec![state.to_vec()], carrying: Vec::new(), loop_start: None };
        loop {
            sets.safe_point()?;
            let start = route.states.len() - 1;
            let anchor = route.states[start].clone();
            let mut unmet: Vec<usize> = (0..staying.meeting.len()).collect();
            while !unmet.is_empty() {
                self.meet_next(&mut route, staying, &mut unmet)?;
            }
            if route.states.len() - 1 == start {
                self.leap(&mut route, within, None)?;
            }
            let here = route.states.last().expect("it has a beginning").clone();
            if let Some(back) = path_between(sets, &sets.only(&here)?, within, &sets.only(&anchor)?)? {
                route.follow(back);
                route.loop_start = Some(start);
                return Ok(route);
            }
        }
    }

    /// Goes on to the nearest state where a constraint that was not met yet is met, and takes away what is met there.
    fn meet_next(&self, route: &mut Route, staying: &Staying<S::Set>, unmet: &mut Vec<usize>) -> Result<(), S::Error> {
        let sets = self.checker.sets;
        let mut goal = sets.empty();
        for &number in &*unmet {
            goal = sets.union(&goal, &staying.meeting[number])?;
        }
        let here = route.states.last().expect("it has a beginning");
        let way = path_between(sets, &sets.only(here)?, &staying.states, &goal)?;
        route.follow(way.expect("every state of a fair set has a way on"));
        let here = sets.only(route.states.last().expect("it has a beginning"))?;
        let (mut left, mut by_step) = (Vec::new(), None);
        for &number in &*unmet {
            let constraint = self.checker.states.justice[number].0;
            let is_met = !sets.is_empty(&sets.intersect(&here, &staying.meeting[number])?);
            match constraint {
                Justice::State(_) if is_met => {}
                Justice::Step(label) if is_met && by_step.is_none() => by_step = Some(label),
                _ => left.push(number),
            }
        }
        *unmet = left;
        by_step.map_or(Ok(()), |label| self.leap(route, &staying.states, Some(label)))
    }

    /// Takes one more step inside `within`, one that carries the label if there is one.
    fn leap(&self, route: &mut Route, within: &S::Set, carrying: Option<LabelId>) -> Result<(), S::Error> {
        let sets = self.checker.sets;
        let here = route.states.last().expect("it has a beginning").clone();
        let next = sets.post(&sets.only(&here)?, carrying.map_or(Steps::All, Steps::Carrying))?;
        // Without a step it repeats.
        route.states.push(sets.pick(&sets.intersect(&next, within)?)?.unwrap_or(here));
        route.carrying.push(carrying);
        Ok(())
    }
}
