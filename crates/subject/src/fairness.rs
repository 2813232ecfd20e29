//! Systems whose steps tell everything that fairness asks about.

use lariat_base::Span;
use lariat_system::{Fairness, Label, LabelMeaning, Occasion, Position, System, Who};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The system, with further labels for who acts where paths that differ in that alone could be taken for one. Its other
/// labels keep their numbers.
pub(crate) fn with_labelled_actors(system: &System) -> Cow<'_, System> {
    let meets = system.actions.iter().any(|action| action.hold.is_some() && action.participants.len() > 1);
    let enabled = system.fairness.iter().flat_map(Fairness::occasions).filter_map(|occasion| match occasion {
        Occasion::Enabled(Who::Process(position)) => Some(position),
        _ => None,
    });
    let positions: BTreeSet<Position> = enabled.filter(|_| meets).collect();
    let mut system = Cow::Borrowed(system);
    for position in positions {
        // Paths through an atomic sequence that come to the same state with the same labels and participants are followed as
        // one: after a rendezvous it may be that on one of them the process acted and on the other it was only met.
        let (name, meaning) = (format!("acting {position}"), LabelMeaning::Acting(position));
        system.to_mut().labels.push(Label { name, meaning, span: Span::NONE });
    }
    system
}
