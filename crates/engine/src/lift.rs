//! Runs of a simplified system as runs of the system.
//!
//! A [simplified](lariat_system::Simplified) system has the same firings, so its run is one of the system by the same actions and choices,
//! through the states that these lead to. A loop comes back to the same state of the simplified system, but what was forgotten may differ: then
//! it is gone round again, until the state comes back as well.

use crate::{RunControl, Trace, TraceStep};
use lariat_system::reference::{Evaluator, Firing, Scope, Valuation};
use lariat_system::{Layout, Position, System};
use std::collections::HashMap;

/// A loop is gone round no more often. What is dead is the same after two rounds; what is never read may count.
const MOST_ROUNDS: usize = 1 << 12;
/// And no longer.
const MOST_STEPS: usize = 1 << 17;
/// How many steps are made between looks at the limits.
const CHECK_INTERVAL: usize = 64;

/// The run of `system` that a run of its simplified form is; `None` if a loop does not come back soon, a step does not say which choices were
/// made, or a limit is met.
pub fn lifted(system: &System, trace: &Trace, control: &RunControl) -> Option<Trace> {
    let layout = Layout::new(system).ok()?;
    let evaluator = Evaluator::new(system);
    let heeded = control.interrupts();
    let mut state = layout.try_unpack(&trace.initial)?;
    let mut lifted = Trace { steps: Vec::with_capacity(trace.steps.len()), ..trace.clone() };
    // By state at the beginning of a round, how many steps lead there.
    let mut rounds: HashMap<Vec<u64>, usize> = HashMap::new();
    let mut next = 0;
    loop {
        if lifted.steps.len().is_multiple_of(CHECK_INTERVAL) {
            control.check_telling(heeded).ok()?;
        }
        if trace.loop_start == Some(next) {
            let steps = lifted.steps.len();
            if let Some(start) = rounds.insert(layout.pack(&state), steps) {
                lifted.loop_start = Some(start);
                roll_back(&mut lifted);
                return Some(lifted);
            }
            if rounds.len() > MOST_ROUNDS || steps > MOST_STEPS.max(2 * trace.steps.len()) {
                return None;
            }
        }
        let Some(step) = trace.steps.get(next) else { return Some(lifted) };
        let mut made = step.clone();
        if step.target.is_some() {
            state = after(&evaluator, state, step)?;
            made.target = Some(layout.pack(&state));
        }
        lifted.steps.push(made);
        next += 1;
        if let (Some(start), true) = (trace.loop_start, next == trace.steps.len()) {
            next = start;
        }
    }
}

/// The loop begins as early as it can: its last step may be the one that leads there from the stem.
fn roll_back(lasso: &mut Trace) {
    let Some(mut start) = lasso.loop_start.filter(|_| lasso.decided.is_none()) else { return };
    let before = |lasso: &Trace, step: usize| match step.checked_sub(1) {
        Some(earlier) => lasso.steps[earlier].target.clone(),
        None => Some(lasso.initial.clone()),
    };
    while let Some(earlier) = start.checked_sub(1) {
        let last = lasso.steps.len() - 1;
        let is_same = lasso.steps[earlier] == lasso.steps[last] && before(lasso, earlier) == before(lasso, last);
        if earlier == last || !is_same {
            break;
        }
        lasso.steps.pop();
        start = earlier;
    }
    lasso.loop_start = Some(start);
}

/// The state after the actions of a step, if it says which choices were made.
fn after(evaluator: &Evaluator<'_>, mut state: Valuation, step: &TraceStep) -> Option<Valuation> {
    let mut choices = step.choices.as_deref().unwrap_or_default();
    for by in &step.via {
        let count = evaluator.system.actions[by.action].choices.len();
        let (own, others) = choices.split_at_checked(count)?;
        choices = others;
        let positions: Vec<Position> = by.participants().collect();
        let firing = Firing { action: by.action, scope: Scope { positions, choices: own.to_vec() } };
        state = evaluator.fire(&state, &firing).1?;
    }
    Some(state)
}
