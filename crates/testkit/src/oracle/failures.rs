//! The nearest failures of a system, found by the reference evaluator alone, layer by layer.

use lariat_system::reference::{Evaluator, Outcome, Valuation};
use lariat_system::{LabelId, System};
use std::collections::HashSet;

/// How many steps the shortest runs to failures have; `None` where there is no such failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NearestFailures {
    /// To a run-time error, the step to it included.
    pub fault: Option<usize>,
    /// To a state without steps that is no proper end.
    pub invalid_end: Option<usize>,
}

impl NearestFailures {
    /// The nearest one, among invalid ends if these count.
    pub fn steps(&self, invalid_ends: bool) -> Option<usize> {
        let end = self.invalid_end.filter(|_| invalid_ends);
        self.fault.into_iter().chain(end).min()
    }
}

/// The nearest failures of `system`, which is valid; `None` if it has more than `most` states.
pub fn nearest_failures(system: &System, most: usize) -> Option<NearestFailures> {
    let evaluator = Evaluator::new(system);
    let mut nearest = NearestFailures::default();
    let within = walk(&evaluator, most, |depth, state, steps| {
        let has_fault = steps.iter().any(|outcome| matches!(outcome, Outcome::Fault(_)));
        if has_fault {
            nearest.fault.get_or_insert(depth + 1);
        }
        if steps.is_empty() && !evaluator.is_proper_end(state) {
            nearest.invalid_end.get_or_insert(depth);
        }
    });
    within.then_some(nearest)
}

/// The steps of a shortest run to a state in which the label does not hold; the outer `None` if `system` has more than `most` states.
pub fn nearest_without(system: &System, label: LabelId, most: usize) -> Option<Option<usize>> {
    let evaluator = Evaluator::new(system);
    let mut nearest = None;
    let within = walk(&evaluator, most, |depth, state, _| {
        if !evaluator.state_labels(state).contains(&label) {
            nearest.get_or_insert(depth);
        }
    });
    within.then_some(nearest)
}

/// Shows every state with the steps that lead there and what its own steps lead to, the nearest first; false if there are more
/// than `most`.
fn walk(evaluator: &Evaluator<'_>, most: usize, mut show: impl FnMut(usize, &Valuation, &[Outcome])) -> bool {
    let mut layer = evaluator.initial();
    let mut seen: HashSet<Valuation> = layer.iter().cloned().collect();
    let mut depth = 0;
    while !layer.is_empty() {
        let mut next = Vec::new();
        for state in &layer {
            let outcomes: Vec<Outcome> = evaluator.steps(state).into_iter().map(|step| step.outcome).collect();
            show(depth, state, &outcomes);
            for outcome in outcomes {
                if let Outcome::State(target) = outcome
                    && seen.insert(target.clone())
                {
                    next.push(target);
                }
            }
        }
        if seen.len() > most {
            return false;
        }
        (layer, depth) = (next, depth + 1);
    }
    true
}
