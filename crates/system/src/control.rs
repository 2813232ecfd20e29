//! How control moves in the processes of a frame, found from the form of the actions alone.

use crate::{Action, ActionId, BinaryOp, Expr, FrameId, LocalId, Owner, Place, Role, System, Update};

/// One way for control to move: the action, taken in this role, leads from one value of the control slot to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ControlEdge {
    /// The action.
    pub action: ActionId,
    /// Which of its participants is meant.
    pub role: Role,
    /// Where control is before.
    pub from: i64,
    /// Where it is afterwards; `None` if the process ends.
    pub to: Option<i64>,
}

impl System {
    /// Every way for control to move in a process of the frame; `None` if the frame has no control slot, or if the form of
    /// some action does not tell where control comes from or goes.
    pub fn control_edges(&self, frame: FrameId) -> Option<Vec<ControlEdge>> {
        let control = self.frames[frame].control?;
        let mut edges = Vec::new();
        for (id, action) in self.actions.entries() {
            if action.updates.iter().any(|update| writes_from_afar(update, frame, control)) {
                return None;
            }
            for (number, _) in action.participants.iter().enumerate().filter(|(_, own)| **own == frame) {
                let role = Role(number as u8);
                let from = action.guard.control.iter().find_map(|conjunct| control_value(conjunct, role, control))?;
                let to = destination(action, role, control, from)?;
                edges.push(ControlEdge { action: id, role, from, to });
            }
        }
        Some(edges)
    }
}

/// The value that the conjunct says the control slot of `role` has.
pub(crate) fn control_value(conjunct: &Expr, role: Role, control: LocalId) -> Option<i64> {
    let Expr::Binary(BinaryOp::Eq, left, right) = conjunct else { return None };
    match (&**left, &**right) {
        (Expr::Read(place), Expr::Const(value)) | (Expr::Const(value), Expr::Read(place)) => {
            is_control(place, role, control).then_some(*value)
        }
        _ => None,
    }
}

/// Where the action leads the participant; the outer `None` if its form does not tell.
fn destination(action: &Action, role: Role, control: LocalId, from: i64) -> Option<Option<i64>> {
    let mut to = Some(from);
    for update in &action.updates {
        match update {
            Update::Set(place, value) if is_control(place, role, control) => to = Some(value.as_const()?),
            Update::Exit if role == Role::ACTOR => return Some(None),
            Update::Set(..) | Update::Spawn { .. } | Update::Exit => {}
        }
    }
    Some(to)
}

fn is_control(place: &Place, role: Role, control: LocalId) -> bool {
    place.index.is_none() && place.owner == Owner::Role(role, control)
}

fn writes_from_afar(update: &Update, frame: FrameId, control: LocalId) -> bool {
    let Update::Set(place, _) = update else { return false };
    matches!(place.owner, Owner::At(of, local, _) if of == frame && local == control)
}
