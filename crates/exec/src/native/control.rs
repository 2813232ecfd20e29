//! Where an action leaves control, as far as that is known before it runs.

use crate::code::Op;
use crate::compile::Program;
use crate::dispatch::{Receivers, StopId};
use lariat_system::{ActionId, FrameId, Owner, Place, Role, System, Update};
use std::collections::BTreeSet;

/// The stop of the participant in `role` after an action that it took part in at `stop`, if that is always the same.
pub(super) fn control_after(program: &Program, action: ActionId, role: Role, stop: StopId) -> Option<StopId> {
    let taken = role.0;
    let (bit, mask, by_raw) = program.dispatch.control(program.dispatch.stops[stop].frame);
    let mut raws = by_raw.iter().enumerate().filter(|(_, found)| **found == stop).map(|(raw, _)| raw as u64);
    let mut raw = raws.next().filter(|_| raws.next().is_none());
    for op in program.code.piece(program.actions[action].update) {
        match *op {
            Op::StoreRoleConst { role, bit: written, raw: value, .. }
                if role == taken && written == bit && mask != 0 =>
            {
                raw = Some(u64::from(value) & mask);
            }
            Op::StoreRole { role, bit: written, .. } if role == taken && written == bit => raw = None,
            Op::StoreRoleCell { role, field, .. }
                if role == taken && program.code.fields[field as usize].bit == bit =>
            {
                raw = None;
            }
            // Somebody's slot, found at run time, may be this one.
            Op::StoreAt { .. } | Op::StoreAtCell { .. } => return None,
            _ => {}
        }
    }
    by_raw.get(raw? as usize).copied()
}

/// The stop at which every process of the frame begins, unless others move its control from afar or choose where it
/// begins: then `None`.
pub(super) fn first_stop(program: &Program, system: &System, frame: FrameId) -> Option<StopId> {
    let control = system.frames[frame].control?;
    let disturbs = |update: &Update| match update {
        Update::Set(Place { owner: Owner::At(other, ..), .. }, _) => *other == frame,
        Update::Spawn { frame: other, arguments } => {
            *other == frame && arguments.iter().any(|argument| argument.slot == control)
        }
        _ => false,
    };
    let updates = system.actions.iter().flat_map(|action| &action.updates).chain(&system.init.updates);
    if updates.into_iter().any(disturbs) {
        return None;
    }
    let raw = system.frames[frame].slots[control].initial_of(0) - program.layout.frames[frame][control].lo;
    let (_, _, by_raw) = program.dispatch.control(frame);
    by_raw.get(raw as usize).copied()
}

/// The stops that processes of the frame can come to; `None` if that is not known.
pub(super) fn reachable(program: &Program, system: &System, frame: FrameId) -> Option<BTreeSet<StopId>> {
    let first = first_stop(program, system, frame)?;
    let received =
        || program.actions.entries().filter(|(id, _)| system.actions[*id].participants.get(1) == Some(&frame));
    let (mut found, mut open) = (BTreeSet::from([first]), vec![first]);
    while let Some(stop) = open.pop() {
        let mut next = BTreeSet::new();
        for &action in program.dispatch.actions(stop) {
            next.insert(control_after(program, action, Role::ACTOR, stop)?);
        }
        for (action, code) in received() {
            if code.receivers == Some(Receivers::At(stop)) || code.receivers == Some(Receivers::Of(frame)) {
                next.insert(control_after(program, action, Role::PEER, stop)?);
            }
        }
        open.extend(next.into_iter().filter(|&stop| found.insert(stop)));
    }
    Some(found)
}
