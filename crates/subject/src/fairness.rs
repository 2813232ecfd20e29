//! Labels for who acts: systems whose steps tell everything that fairness asks about. Labels that a system has keep their
//! numbers.

use lariat_base::Span;
use lariat_system::{Fairness, Label, LabelId, LabelMeaning, Occasion, Position, System, Who};
use std::borrow::Cow;

/// The label of the steps with an action in which the process at this position acts: one that there is, or a new one.
pub fn acting_label(system: &mut Cow<'_, System>, position: Position) -> LabelId {
    labelled(system, LabelMeaning::Acting(position), || format!("acting {position}"))
}

/// The label of the steps in which the process at this position takes part: one that there is, or a new one.
pub fn participant_label(system: &mut Cow<'_, System>, position: Position) -> LabelId {
    labelled(system, LabelMeaning::By(position), || format!("by {position}"))
}

fn labelled(system: &mut Cow<'_, System>, meaning: LabelMeaning, name: impl Fn() -> String) -> LabelId {
    let known = system.labels.entries().find(|(_, label)| label.meaning == meaning).map(|(id, _)| id);
    known.unwrap_or_else(|| system.to_mut().labels.push(Label { name: name(), meaning, span: Span::NONE }))
}

/// The system, with labels for who acts where paths that differ in that alone could be taken for one.
pub(crate) fn with_labelled_actors(system: &System) -> Cow<'_, System> {
    let mut labelled = Cow::Borrowed(system);
    // Paths through an atomic sequence that come to the same state with the same labels and participants are followed as
    // one: after a rendezvous it may be that on one of them the process acted and on the other it was only met.
    if system.actions.iter().any(|action| action.hold.is_some() && action.participants.len() > 1) {
        for occasion in system.fairness.iter().flat_map(Fairness::occasions) {
            if let Occasion::Enabled(Who::Process(position)) = occasion {
                acting_label(&mut labelled, position);
            }
        }
    }
    labelled
}
