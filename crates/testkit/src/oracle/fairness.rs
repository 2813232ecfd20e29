//! Fairness, straight from its definition.

use super::RunStep;
use lariat_system::{Fairness, Who};

/// Whether a run that does these steps for ever meets the constraint.
pub fn is_fair(constraint: &Fairness, steps: &[&RunStep]) -> bool {
    match constraint {
        Fairness::Justice(label) => steps.iter().any(|step| step.has(*label)),
        Fairness::Compassion(asked, given) => {
            !steps.iter().any(|step| step.has(*asked)) || steps.iter().any(|step| step.has(*given))
        }
        Fairness::Weak(who) => steps.iter().any(|step| !is_enabled(who, step) || is_taken(who, step)),
        Fairness::Strong(who) => {
            !steps.iter().any(|step| is_enabled(who, step)) || steps.iter().any(|step| is_taken(who, step))
        }
    }
}

/// Whether it could move in the state that the step leaves.
pub(super) fn is_enabled(who: &Who, step: &RunStep) -> bool {
    match who {
        Who::Process(position) => step.able.contains(position),
        Who::Actions(actions) => actions.iter().any(|action| step.possible.contains(action)),
    }
}

/// Whether it does move.
pub(super) fn is_taken(who: &Who, step: &RunStep) -> bool {
    match who {
        Who::Process(position) => step.participants.contains(position),
        Who::Actions(actions) => actions.iter().any(|action| step.actions.contains(action)),
    }
}
