//! Which statements of a model a whole search never took.

use lariat_base::Span;
use lariat_system::{ActionId, System};
use std::collections::HashSet;

/// A statement of a model.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Statement {
    /// The kind of process it belongs to; empty if to none.
    pub process: String,
    /// The statement as its author would recognise it.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// Those of `statements`, in their order and each once, that none of the actions in `taken` comes from.
pub fn never_taken(system: &System, taken: &[ActionId], statements: Vec<Statement>) -> Vec<Statement> {
    let mut seen: HashSet<Statement> = taken.iter().flat_map(|&action| statements_of(system, action)).collect();
    statements.into_iter().filter(|statement| seen.insert(statement.clone())).collect()
}

/// The statements that the actions of a system come from.
pub fn statements_of_actions(system: &System) -> Vec<Statement> {
    system.actions.ids().flat_map(|action| statements_of(system, action)).collect()
}

/// The statement of an action; in a rendezvous the receiver's too.
pub fn statements_of(system: &System, action: ActionId) -> impl Iterator<Item = Statement> {
    let action = &system.actions[action];
    let process = |role: usize| {
        let frame = action.participants.get(role).map(|&frame| system.frames[frame].name.clone());
        frame.unwrap_or_default()
    };
    let own = Statement { process: process(0), text: action.name.clone(), span: action.span };
    let peer =
        action.peer.as_ref().map(|(text, span)| Statement { process: process(1), text: text.clone(), span: *span });
    std::iter::once(own).chain(peer)
}
