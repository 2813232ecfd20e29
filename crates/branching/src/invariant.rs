//! Invariants: a condition on states that holds in every state that can be reached.
//!
//! To an engine an invariant is a property of linear time whose bad runs come to a state where the condition does not hold.
//! That is a question about reachable states, which sets of states answer without an automaton. What is shown is a run that
//! goes on for ever, as for every property of linear time, if a short way on from the bad state to one seen before is found.

use crate::temporal::letters;
use crate::{Stepper, path_between};
use lariat_engine::{Demand, Evidence, FailureKind, MOST_FURTHER_STEPS, Temporal, Trace, TraceStep, Watched};
use lariat_logic::Formula;
use lariat_space::{StateSets, Steps};
use lariat_system::{DeadEnds, LabelId, LabelMeaning, System};
use std::collections::HashMap;

/// A condition that is to hold in every state that can be reached.
#[derive(Clone, PartialEq, Debug)]
pub struct Invariant {
    /// A formula without temporal operators.
    condition: Formula,
    /// The label of states that each proposition is.
    labels: Vec<LabelId>,
}

impl Invariant {
    /// The invariant that a property of linear time is: every run counts, and a bad one is one that comes to a state where a
    /// condition does not hold. `None` if it is another kind of property.
    pub fn of(temporal: &Temporal, system: &System) -> Option<Self> {
        let [Demand::Satisfies(Formula::Not(good))] = &temporal.demands[..] else { return None };
        let Formula::Globally(condition) = &**good else { return None };
        let is_of_states = |label: &LabelId| matches!(system.labels[*label].meaning, LabelMeaning::State(_));
        let every_run_counts = system.fairness.is_empty() && system.dead_ends == DeadEnds::Stutter;
        let fits = every_run_counts && condition.is_boolean() && temporal.labels.iter().all(is_of_states);
        fits.then(|| Self { condition: (**condition).clone(), labels: temporal.labels.clone() })
    }

    /// The labels that it speaks of.
    pub fn labels(&self) -> &[LabelId] {
        &self.labels
    }

    /// The states of the set in which the condition does not hold.
    pub fn violations<S: StateSets>(&self, sets: &S, of: &S::Set) -> Result<S::Set, S::Error> {
        sets.minus(of, &self.holding(sets, &self.condition, of)?)
    }

    /// The states of the set in which the formula holds.
    fn holding<S: StateSets>(&self, sets: &S, formula: &Formula, of: &S::Set) -> Result<S::Set, S::Error> {
        let not = |set: &S::Set| sets.minus(of, set);
        Ok(match formula {
            Formula::True => of.clone(),
            Formula::Prop(prop) => sets.intersect(&sets.satisfying(self.labels[prop.0 as usize])?, of)?,
            Formula::Not(part) => not(&self.holding(sets, part, of)?)?,
            Formula::And(parts) => parts.iter().try_fold(of.clone(), |all, part| self.holding(sets, part, &all))?,
            Formula::Or(parts) => {
                parts.iter().try_fold(sets.empty(), |any, part| sets.union(&any, &self.holding(sets, part, of)?))?
            }
            Formula::Implies(left, right) => {
                sets.union(&not(&self.holding(sets, left, of)?)?, &self.holding(sets, right, of)?)?
            }
            Formula::Iff(left, right) | Formula::Xor(left, right) => {
                let (left, right) = (self.holding(sets, left, of)?, self.holding(sets, right, of)?);
                let differ = sets.union(&sets.minus(&left, &right)?, &sets.minus(&right, &left)?)?;
                if matches!(formula, Formula::Xor(..)) { differ } else { not(&differ)? }
            }
            Formula::False => sets.empty(),
            _ => unreachable!("a condition has no temporal operators"),
        })
    }

    /// A run to one of the `bad` states, which goes on for ever if a short way to do so is found. All of them can be reached
    /// through `reached`.
    pub fn evidence<S: StateSets>(
        &self,
        sets: &S,
        reached: &S::Set,
        bad: &S::Set,
        stepper: &impl Stepper,
    ) -> Result<Evidence, S::Error> {
        let way = path_between(sets, &sets.initial()?, reached, bad)?;
        let mut states = way.expect("what was reached is reached from an initial state");
        let decided = states.len() - 1;
        // Without the time for more, what was met is told all the same.
        let loop_start = go_on(sets, &mut states).unwrap_or(None);
        if loop_start.is_none() {
            states.truncate(decided + 1);
        }
        let kind = if loop_start.is_some() { FailureKind::Cycle } else { FailureKind::BadPrefix };
        let step = |ends: &[Vec<u64>]| {
            let stutter = || {
                assert!(ends[0] == ends[1], "there is a step between neighbours of a run");
                TraceStep::stutter(ends[1].clone(), None)
            };
            stepper.step(&ends[0], &ends[1], &Steps::All).unwrap_or_else(stutter)
        };
        let trace = Trace {
            initial: states[0].clone(),
            steps: states.windows(2).map(step).collect(),
            loop_start,
            decided: Some(decided),
        };
        Ok(Evidence { kind, trace })
    }

    /// What is true in the states of the set: for remarks about conditions that never matter.
    pub fn watched<S: StateSets>(&self, sets: &S, of: &S::Set) -> Result<Watched, S::Error> {
        let letters = letters(sets, &self.labels, of)?;
        Ok(Watched { letters, idle_constraints: Vec::new() })
    }
}

/// Goes on from the last of the states until one of them comes again, and says where it was before. A dead end repeats. If
/// that takes too many steps it stays where it is.
fn go_on<S: StateSets>(sets: &S, states: &mut Vec<Vec<u64>>) -> Result<Option<usize>, S::Error> {
    let start = states.len() - 1;
    let mut places: HashMap<Vec<u64>, usize> = HashMap::new();
    let mut seen = sets.empty();
    while states.len() - start <= MOST_FURTHER_STEPS {
        sets.safe_point()?;
        let here = states[states.len() - 1].clone();
        places.insert(here.clone(), states.len() - 1);
        let only = sets.only(&here)?;
        seen = sets.union(&seen, &only)?;
        let next = sets.post(&only, Steps::All)?;
        // Back to where it has been if that is possible; always the same state otherwise, so that it comes again.
        let back = sets.pick(&sets.intersect(&next, &seen)?)?;
        let next = match back {
            Some(back) => back,
            None => sets.pick(&next)?.unwrap_or(here),
        };
        let place = places.get(&next).copied();
        states.push(next);
        if let Some(place) = place {
            debug_assert!(place >= start);
            return Ok(Some(place));
        }
    }
    Ok(None)
}
