//! What can be observed: conditions of states and of steps.

use super::{Cx, Lowering};
use crate::check::Condition;
use crate::term::{Term, same};
use lariat_system::{Fairness, Label, LabelId, LabelMeaning};

/// A label of steps: those in which the condition holds.
pub(super) struct StepLabel {
    pub(super) id: LabelId,
    pub(super) term: Term,
}

impl Lowering<'_> {
    /// A label for each of `observed`, then those of fairness, and the fairness itself. A condition that speaks of inputs
    /// or of the next state is one of steps.
    pub(super) fn add_labels(&mut self, observed: &[Condition]) -> Vec<StepLabel> {
        let mut steps = Vec::new();
        for condition in observed {
            self.add_label(condition, &mut steps);
        }
        let mut fairness: Vec<Fairness> = Vec::new();
        for condition in &self.flat.justice {
            fairness.push(Fairness::justice(self.fairness_label(condition, &mut steps)));
        }
        for (asked, given) in &self.flat.compassion {
            let asked = self.fairness_label(asked, &mut steps);
            let given = self.fairness_label(given, &mut steps);
            fairness.push(Fairness::compassion(asked, given));
        }
        // Instances of one module may all ask for the same.
        for constraint in fairness {
            if !self.system.fairness.contains(&constraint) {
                self.system.fairness.push(constraint);
            }
        }
        steps
    }

    /// A label of this meaning; one that there is already does.
    fn fairness_label(&mut self, condition: &Condition, steps: &mut Vec<StepLabel>) -> LabelId {
        let known = match condition.term.reach.is_step() {
            true => steps.iter().find(|step| same(&step.term, &condition.term)).map(|step| step.id),
            false => {
                let meaning = LabelMeaning::State(self.truth(&condition.term, Cx::STATE));
                self.system.labels.entries().find(|(_, label)| label.meaning == meaning).map(|(id, _)| id)
            }
        };
        known.unwrap_or_else(|| self.add_label(condition, steps))
    }

    fn add_label(&mut self, condition: &Condition, steps: &mut Vec<StepLabel>) -> LabelId {
        let (term, span) = (&condition.term, condition.term.span);
        let is_step = term.reach.is_step();
        let meaning = if is_step { LabelMeaning::Step } else { LabelMeaning::State(self.truth(term, Cx::STATE)) };
        let mut name = condition.text.clone();
        for copy in 2.. {
            if !self.system.labels.iter().any(|label| label.name == name) {
                break;
            }
            name = format!("{} ({copy})", condition.text);
        }
        let id = self.system.labels.push(Label { name, meaning, span });
        if is_step {
            steps.push(StepLabel { id, term: term.clone() });
        }
        id
    }
}
