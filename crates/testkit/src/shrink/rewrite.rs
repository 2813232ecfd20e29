//! Walking over every expression of a system to change it.

use lariat_system::{Expr, FrameId, LabelMeaning, Place, System, Update};

/// What is done at every node and every place; `roles` are the frames of the roles in scope there.
pub(super) trait Rewrite {
    /// Called before the parts of the expression are visited; those visited are the parts of what is left in it.
    fn expr(&mut self, _: &mut Expr, _roles: &[FrameId]) {}
    /// Called on the places of reads and updates.
    fn place(&mut self, _: &mut Place, _roles: &[FrameId]) {}
}

/// Visits every expression and place of the system, in a fixed order.
pub(super) fn rewrite(system: &mut System, by: &mut impl Rewrite) {
    let closed = &mut Vec::new();
    system.init.guard.iter_mut().for_each(|conjunct| expr(conjunct, closed, by));
    updates(&mut system.init.updates, closed, by);
    system.invariants.iter_mut().for_each(|invariant| expr(invariant, closed, by));
    expr(&mut system.proper_end, closed, by);
    for label in system.labels.iter_mut() {
        if let LabelMeaning::State(meaning) = &mut label.meaning {
            expr(meaning, closed, by);
        }
    }
    for id in system.actions.ids() {
        action(system, id, by);
    }
}

/// Visits every expression and place of one action.
pub(super) fn action(system: &mut System, id: lariat_system::ActionId, by: &mut impl Rewrite) {
    let action = &mut system.actions[id];
    let roles = &mut action.participants.clone();
    expr(&mut action.rank, roles, by);
    let conjuncts = action.guard.control.iter_mut().chain(&mut action.guard.condition);
    conjuncts.for_each(|conjunct| expr(conjunct, roles, by));
    updates(&mut action.updates, roles, by);
    action.traps.iter_mut().for_each(|trap| expr(&mut trap.condition, roles, by));
    action.cuts.iter_mut().for_each(|cut| expr(&mut cut.condition, roles, by));
    action.labels.iter_mut().for_each(|(_, condition)| expr(condition, roles, by));
    if let Some(print) = &mut action.print {
        print.arguments.iter_mut().for_each(|argument| expr(argument, roles, by));
    }
}

/// Visits the guard and the updates of init.
pub(super) fn init(system: &mut System, by: &mut impl Rewrite) {
    let roles = &mut Vec::new();
    system.init.guard.iter_mut().for_each(|conjunct| expr(conjunct, roles, by));
    updates(&mut system.init.updates, roles, by);
}

fn updates(updates: &mut [Update], roles: &mut Vec<FrameId>, by: &mut impl Rewrite) {
    for update in updates {
        match update {
            Update::Set(place, value) => {
                by.place(place, roles);
                place.for_each_part_mut(|part| expr(part, roles, by));
                expr(value, roles, by);
            }
            Update::Spawn { arguments, .. } => {
                arguments.iter_mut().for_each(|argument| expr(&mut argument.value, roles, by))
            }
            Update::Exit => {}
        }
    }
}

fn expr(node: &mut Expr, roles: &mut Vec<FrameId>, by: &mut impl Rewrite) {
    by.expr(node, roles);
    match node {
        Expr::Exists(frame, body) => {
            roles.push(*frame);
            expr(body, roles, by);
            roles.pop();
        }
        Expr::Read(place) => {
            by.place(place, roles);
            place.for_each_part_mut(|part| expr(part, roles, by));
        }
        _ => node.for_each_part_mut(|part| expr(part, roles, by)),
    }
}
