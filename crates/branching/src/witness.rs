//! Runs that show why a formula holds in a state, or does not.
//!
//! `E X`, `E U` and `E G` have one where they hold; what is said of all runs has none where it holds, and where it does not,
//! that is an `E` that does. Boolean operators are taken apart. Where a run shows that `f` holds until `g`, and `f` or `g`
//! are such formulas themselves, further runs begin in its states.
//!
//! Where a run goes on for ever, its loop is found by [`Lasso`]. A run that shows a formula of CTL* comes with the claims about
//! its states that suffice for that, and with runs for those that speak of runs.

use crate::lasso::{Lasso, Route};
use crate::runs::FoundRun;
use crate::{Checker, Stepper, path_between};
use lariat_engine::{PartId, RunClaim, RunFormula, RunId, StateFormula, TraceStep, Witness};
use lariat_space::{StateSets, Steps};

/// Finds witnesses. The formula was computed by the checker.
pub struct Explainer<'a, 'c, S: StateSets, T> {
    checker: &'c mut Checker<'a, S>,
    stepper: &'c T,
    /// How many runs may still be made: a formula can ask for very many.
    room: usize,
}

/// The most runs that are made for one formula.
const MOST_RUNS: usize = 64;
/// The most claims about the states of a run of which it is tried whether they are needed.
const MOST_TRIED: usize = 256;

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
            StateFormula::Next(_) | StateFormula::Until(..) | StateFormula::Always(_) | StateFormula::Run(_)
                if !holds =>
            {
                Ok(Vec::new())
            }
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
                let route = Lasso::new(self.checker.sets, &self.checker.states, &staying).find(state)?;
                let claims: Vec<(usize, PartId)> = (0..route.states.len() - 1).map(|at| (at, f)).collect();
                Ok(vec![self.witness(part, route, &claims)?])
            }
            StateFormula::Run(run) => Ok(vec![self.explain_run(part, *run, state)?]),
        }
    }

    /// The run that shows that the part, a formula of runs, holds in the state.
    fn explain_run(&mut self, claim: PartId, run: RunId, state: &[u64]) -> Result<Witness, S::Error> {
        self.room -= 1;
        let formula = self.checker.property.run(run);
        let found = self.checker.run_states(run)?;
        let FoundRun { states, steps, loop_start, past } =
            found.find(self.checker.sets, formula, &self.checker.states, state, self.stepper)?;
        let claims = self.needed_claims(formula, &states, loop_start, past)?;
        let mut nested = Vec::new();
        for &RunClaim { at, part, holds } in &claims {
            nested.extend(self.explain(part, holds, &states[at])?.into_iter().map(|witness| (at, witness)));
        }
        let start = states[0].clone();
        Ok(Witness { claim, start, past, steps, loop_start: Some(loop_start), claims, nested })
    }

    /// What of the formulas behind quantifiers has to be known so that the run is seen to satisfy the formula: few of them, so
    /// that few runs are shown beside it.
    fn needed_claims(
        &mut self,
        formula: &RunFormula,
        states: &[Vec<u64>],
        loop_start: usize,
        past: usize,
    ) -> Result<Vec<RunClaim>, S::Error> {
        let (mut plain, mut claims) = (Vec::new(), Vec::new());
        let last = states.len() - 1;
        for (at, state) in states.iter().enumerate().take(last) {
            for &part in &formula.parts {
                let claim = RunClaim { at, part, holds: self.holds_in(part, state)? };
                // These replay sees by itself.
                let is_plain = matches!(self.checker.property.part(part), StateFormula::Prop(_) | StateFormula::True);
                if is_plain { plain.push(claim) } else { claims.push(claim) }
            }
        }
        let is_shown = |claims: &[RunClaim]| {
            let all = plain.iter().chain(claims).copied();
            formula.is_shown(all, last, loop_start, past)
        };
        assert!(is_shown(&claims), "a run that was found satisfies its formula");
        for number in (0..claims.len().min(MOST_TRIED)).rev() {
            let mut fewer = claims.clone();
            fewer.remove(number);
            if is_shown(&fewer) {
                claims = fewer;
            }
        }
        Ok(claims)
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
        let steps = vec![Steps::All; states.len() - 1];
        self.witness(claim, Route { states, steps, loop_start: None }, claims)
    }

    fn holds_in(&mut self, part: PartId, state: &[u64]) -> Result<bool, S::Error> {
        let sets = self.checker.sets;
        let value = self.checker.value(part)?;
        Ok(!sets.is_empty(&sets.intersect(&value, &sets.only(state)?)?))
    }

    /// The run along `route`, with what shows the claims at its states.
    fn witness(&mut self, claim: PartId, route: Route, claims: &[(usize, PartId)]) -> Result<Witness, S::Error> {
        let mut steps = Vec::new();
        for (ends, among) in route.states.windows(2).zip(&route.steps) {
            let step = self.stepper.step(&ends[0], &ends[1], among);
            let stutter = || {
                assert!(ends[0] == ends[1], "there is a step between neighbours of a run");
                TraceStep::stutter(ends[1].clone(), None)
            };
            steps.push(step.unwrap_or_else(stutter));
        }
        let mut nested = Vec::new();
        for &(at, part) in claims {
            nested.extend(self.explain(part, true, &route.states[at])?.into_iter().map(|witness| (at, witness)));
        }
        let start = route.states[0].clone();
        Ok(Witness { claim, start, past: 0, steps, loop_start: route.loop_start, claims: Vec::new(), nested })
    }
}
