//! Fairness, straight from its definition.

use super::RunStep;
use lariat_system::{Fairness, Occasion, Strength, Who};

/// Whether a run that does these steps for ever meets the constraint.
pub fn is_fair(constraint: &Fairness, steps: &[&RunStep]) -> bool {
    let asks = |step: &&&RunStep| is_so(constraint.asked, step);
    let gives = |step: &&&RunStep| is_so(constraint.given, step);
    let is_asked = match constraint.strength {
        Strength::Weak => steps.iter().filter(asks).count() == steps.len(),
        Strength::Strong => steps.iter().any(|step| asks(&step)),
    };
    !is_asked || steps.iter().any(|step| gives(&step))
}

/// Whether it is so at the step.
pub(super) fn is_so(occasion: Occasion, step: &RunStep) -> bool {
    match occasion {
        Occasion::Always => true,
        Occasion::Labelled(label) => step.has(label),
        Occasion::Enabled(Who::Process(position)) => step.able.contains(&position),
        Occasion::Enabled(Who::Steps(label)) => step.possible.contains(&label),
        Occasion::Taken(Who::Process(position)) => step.participants.contains(&position),
        Occasion::Taken(Who::Steps(label)) => step.carried.contains(&label),
    }
}
