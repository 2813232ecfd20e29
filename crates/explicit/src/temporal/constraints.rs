//! Fairness as the product knows it.

use lariat_automata::Mark;
use lariat_base::Span;
use lariat_space::{Constraint, Who};
use lariat_system::{ActionId, Expr, Fairness, Label, LabelId, LabelMeaning, Position, Role, System};
use std::borrow::Cow;

/// The fairness of a system in terms of what its steps carry. Where a constraint names actions, the system gets a further
/// label that these carry; and one for who acts, where paths that differ in that alone could be taken for one.
pub(super) fn constraints(system: &System) -> (Cow<'_, System>, Vec<Constraint>) {
    let mut system = Cow::Borrowed(system);
    let mut constraints = Vec::new();
    for constraint in system.fairness.clone() {
        let mark = |label: LabelId| Mark(label.0);
        let mut who = |who: &lariat_system::Who| match who {
            lariat_system::Who::Process(position) => {
                if system.actions.iter().any(|action| action.hold.is_some() && action.participants.len() > 1) {
                    label_actor(system.to_mut(), *position);
                }
                Who::Process(*position)
            }
            lariat_system::Who::Actions(actions) => Who::Carrying(mark(label_actions(system.to_mut(), actions))),
        };
        constraints.push(match &constraint {
            Fairness::Justice(label) => Constraint::Justice(mark(*label)),
            Fairness::Compassion(asked, given) => Constraint::Compassion(mark(*asked), mark(*given)),
            Fairness::Weak(of) => Constraint::Weak(who(of)),
            Fairness::Strong(of) => Constraint::Strong(who(of)),
        });
    }
    (system, constraints)
}

fn new_label(system: &mut System) -> LabelId {
    let name = format!("fair {}", system.labels.len());
    system.labels.push(Label { name, meaning: LabelMeaning::Step, span: Span::NONE })
}

/// Gives the system a label that every action carries in which this process is the acting one. Paths through an atomic
/// sequence that come to the same state with the same labels and participants are followed as one: after a rendezvous it
/// may be that on one of them the process acted and on the other it was only met.
fn label_actor(system: &mut System, position: Position) {
    let label = new_label(system);
    let acts = Expr::Position(Role::ACTOR).equals(Expr::Const(i64::from(position)));
    for action in system.actions.iter_mut().filter(|action| !action.participants.is_empty()) {
        action.labels.push((label, acts.clone()));
    }
}

/// A new label that these actions carry.
fn label_actions(system: &mut System, actions: &[ActionId]) -> LabelId {
    let label = new_label(system);
    for &action in actions {
        system.actions[action].labels.push((label, Expr::TRUE));
    }
    label
}
