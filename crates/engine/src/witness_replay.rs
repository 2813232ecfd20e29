//! Independent re-runs of the runs that show properties of branching time.
//!
//! Each run is followed by the reference evaluator, and what it claims is compared with what can be seen: propositions are
//! evaluated in its states, and parts with runs of their own are true where these replay. What is said of all runs has none
//! and stays unknown; nothing that is known may contradict a claim. So the steps of a number are counted, and that no run has
//! fewer, or more, is not seen. A formula of linear time is evaluated on the lasso by [`lariat_logic::truth`], without any
//! automaton, from what is seen in its states and what is claimed beside that.

use crate::{
    Branching, Distance, Extremum, PartId, Quantity, ReplayError, RunClaim, RunFormula, StateFormula, Story,
    SystemReplay, Witness,
};
use lariat_system::reference::Valuation;
use std::sync::Arc;

/// A run that shows part of a formula, in full detail.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WitnessStory {
    /// What it shows: a formula, or a bound on a number.
    pub claim: String,
    /// How many of its steps come before the state that it is shown of.
    pub past: usize,
    /// What happens.
    pub story: Story,
    /// The runs that show what holds after so many of its steps.
    pub nested: Vec<(usize, WitnessStory)>,
}

impl SystemReplay<'_> {
    /// Follows runs that show that the property holds, or does not hold, in an initial state.
    pub(crate) fn follow_witnesses(
        &self,
        property: &Branching,
        holds: bool,
        witnesses: &[Witness],
    ) -> Result<Vec<WitnessStory>, ReplayError> {
        let wrong = |reason: &str| ReplayError::wrong(0, reason);
        let Some(first) = witnesses.first() else { return Ok(Vec::new()) };
        let initial = self.initial_state(&first.start).ok_or_else(|| wrong("a run begins in no initial state"))?;
        let stories = self.follow_all(property, &initial, witnesses.iter())?;
        let known = self.seen(property, property.root(), &initial, &claims(witnesses.iter()));
        if known == Some(!holds) {
            return Err(wrong("the runs show the opposite of the verdict"));
        }
        Ok(stories)
    }

    /// Follows the run that shows a number of steps, or that there are infinitely many: from an initial state to where counting
    /// begins, unless it begins there, and from there on.
    pub(crate) fn follow_distance(
        &self,
        distance: &Distance,
        quantity: Quantity,
        witnesses: &[Witness],
    ) -> Result<Vec<WitnessStory>, ReplayError> {
        let wrong = |reason: &str| Err(ReplayError::wrong(0, reason));
        let [first] = witnesses else { return wrong("a number has one run that shows it") };
        let is_led_to = first.claim == distance.begins;
        let counted = match &first.nested[..] {
            _ if !is_led_to => first,
            [(at, counted)] if *at == first.steps.len() => counted,
            _ => return wrong("nothing is counted where the run has come to"),
        };
        let (claim, shown) = match quantity {
            Quantity::Steps(steps) => {
                if counted.steps.len() as u64 != steps {
                    return wrong("the run does not have as many steps as were counted");
                }
                let bound = if distance.extremum == Extremum::Least { "<=" } else { ">=" };
                (distance.arrives, format!("{distance} {bound} {steps}"))
            }
            Quantity::Unbounded => (distance.stays, format!("{distance} = {quantity}")),
            Quantity::Unreachable | Quantity::NoStart(_) => return wrong("where there is no way no run shows it"),
        };
        if counted.claim != claim {
            return wrong("the run does not show what is counted");
        }
        let Some(initial) = self.initial_state(&first.start) else { return wrong("a run begins in no initial state") };
        let Some(begin) = self.layout.try_unpack(&counted.start) else { return wrong("a run begins in no state") };
        let shown_there = claims(counted.nested.iter().filter(|(at, _)| *at == 0).map(|(_, inner)| inner));
        if self.seen(&distance.formulas, distance.from, &begin, &shown_there) == Some(false) {
            return wrong("nothing begins where counting begins");
        }
        let mut story = self.follow_witness(&distance.formulas, &initial, first)?;
        let counted = if is_led_to { &mut story.nested[0].1 } else { &mut story };
        counted.claim = shown;
        Ok(vec![story])
    }

    /// Follows runs that all begin in `state`.
    fn follow_all<'w>(
        &self,
        property: &Branching,
        state: &Arc<Valuation>,
        witnesses: impl Iterator<Item = &'w Witness>,
    ) -> Result<Vec<WitnessStory>, ReplayError> {
        witnesses.map(|witness| self.follow_witness(property, state, witness)).collect()
    }

    fn follow_witness(
        &self,
        property: &Branching,
        from: &Arc<Valuation>,
        witness: &Witness,
    ) -> Result<WitnessStory, ReplayError> {
        let wrong = |step: usize, reason: &str| Err(ReplayError::wrong(step, reason));
        let recalls = match property.part(witness.claim) {
            StateFormula::Run(run) => property.run(*run).here.is_some(),
            _ => false,
        };
        let begin = match recalls {
            true => self.initial_state(&witness.start),
            false => (witness.past == 0 && self.packed(from) == witness.start).then(|| from.clone()),
        };
        let Some(begin) = begin else { return wrong(0, "a run does not begin where it belongs") };
        let mut open = self.follow_open(begin, &witness.steps, witness.loop_start)?;
        let states = &open.states;
        if states.get(witness.past) != Some(from) {
            return wrong(witness.past, "a run does not pass the state that it is about");
        }
        let last = witness.steps.len();
        let mut nested = Vec::new();
        for (at, inner) in &witness.nested {
            let Some(state) = states.get(*at) else { return wrong(last, "a run begins after the end of another") };
            nested.push((*at, self.follow_witness(property, state, inner)?));
        }
        let holds = |at: usize, part: PartId| {
            let claims = claims(witness.nested.iter().filter(|(place, _)| *place == at).map(|(_, inner)| inner));
            match self.seen(property, part, &states[at], &claims) {
                Some(false) => Err(ReplayError::wrong(at, "what it shows does not hold here")),
                Some(true) | None => Ok(()),
            }
        };
        match (property.part(witness.claim), witness.loop_start) {
            (StateFormula::Next(f), None) if last == 1 => {
                holds(1, *f)?;
            }
            (StateFormula::Until(f, g), None) => {
                (0..last).try_for_each(|at| holds(at, *f))?;
                holds(last, *g)?;
            }
            (StateFormula::Always(f), Some(start)) if start < last => {
                (0..last).try_for_each(|at| holds(at, *f))?;
            }
            (StateFormula::Run(run), Some(start)) if start < last => {
                self.ensure_satisfied(property, property.run(*run), witness, states, start)?;
            }
            _ => return wrong(last, "the run is not of the kind that shows this"),
        }
        open.close(self, witness.loop_start)?;
        let (claim, past) = (property.text(witness.claim), witness.past);
        Ok(WitnessStory { claim, past, story: open.story, nested })
    }

    /// An error unless the run, a lasso through these states, satisfies the formula.
    fn ensure_satisfied(
        &self,
        property: &Branching,
        run: &RunFormula,
        witness: &Witness,
        states: &[Arc<Valuation>],
        start: usize,
    ) -> Result<(), ReplayError> {
        let last = witness.steps.len();
        let mut known = Vec::new();
        for (at, state) in states.iter().enumerate().take(last) {
            let shown = claims(witness.nested.iter().filter(|(place, _)| *place == at).map(|(_, inner)| inner));
            for &part in &run.parts {
                let claimed = witness.claims.iter().find(|claim| (claim.at, claim.part) == (at, part));
                let seen = self.seen(property, part, state, &shown);
                match (seen, claimed.map(|claim| claim.holds)) {
                    (Some(seen), Some(claimed)) if seen != claimed => {
                        return Err(ReplayError::wrong(at, "what is claimed of a state is not so"));
                    }
                    (None, None) => {}
                    (seen, claimed) => {
                        let holds = seen.or(claimed).expect("one is known");
                        known.push(RunClaim { at, part, holds });
                    }
                }
            }
        }
        match run.is_shown(known, last, start, witness.past) {
            true => Ok(()),
            false => Err(ReplayError::wrong(last, "the run does not satisfy the formula")),
        }
    }

    /// The truth of a part in a state, as far as it can be seen; the parts `shown` are true there.
    fn seen(&self, property: &Branching, part: PartId, state: &Valuation, shown: &[PartId]) -> Option<bool> {
        let of = |part: &PartId| self.seen(property, *part, state, shown);
        match property.part(part) {
            StateFormula::True => Some(true),
            StateFormula::Prop(prop) => {
                let label = property.labels.get(prop.0 as usize)?;
                Some(self.evaluator().state_labels(state).contains(label))
            }
            StateFormula::Not(f) => of(f).map(|holds| !holds),
            StateFormula::And(parts) => all(parts.iter().map(of)),
            StateFormula::Or(parts) => all(parts.iter().map(|part| of(part).map(|holds| !holds))).map(|none| !none),
            StateFormula::Iff(f, g) => Some(of(f)? == of(g)?),
            StateFormula::Next(_) | StateFormula::Until(..) | StateFormula::Always(_) | StateFormula::Run(_) => {
                shown.contains(&part).then_some(true)
            }
        }
    }
}

fn claims<'w>(witnesses: impl Iterator<Item = &'w Witness>) -> Vec<PartId> {
    witnesses.map(|witness| witness.claim).collect()
}

/// Whether all are true, as far as is known.
fn all(parts: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut known = Some(true);
    for part in parts {
        match part {
            Some(false) => return Some(false),
            Some(true) => {}
            None => known = None,
        }
    }
    known
}
