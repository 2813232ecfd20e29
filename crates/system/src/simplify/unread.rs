//! Variables that are never read are not kept.
//!
//! A variable is *needed* if a guard, a trap, a rank or a label reads it, if an invariant or the end of runs does, if it says where control is, or if what is
//! written to a needed variable, or where, depends on it. What the others hold makes no difference to anything, so nothing is
//! written to them. What runs print is no part of the state: the run of the system itself prints it.

use crate::{Expr, FrameId, LabelMeaning, LocalId, Owner, Place, SlotId, System, Update};
use lariat_base::safe_point;
use std::collections::BTreeSet;

/// A variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Variable {
    Global(SlotId),
    Local(FrameId, LocalId),
}

/// Takes away what writes variables that are not needed, and returns the names of those that were written.
pub(super) fn drop_unread(system: &mut System) -> Vec<String> {
    let needed = Needed::of(system).found;
    let mut dropped: BTreeSet<Variable> = BTreeSet::new();
    for action in system.actions.iter_mut() {
        let roles = action.participants.clone();
        action.updates.retain_mut(|update| match update {
            Update::Set(place, _) => {
                let variable = variable(place, &roles);
                let is_kept = needed.contains(&variable);
                if !is_kept {
                    dropped.insert(variable);
                }
                is_kept
            }
            Update::Spawn { frame, arguments } => {
                arguments.retain(|argument| {
                    let variable = Variable::Local(*frame, argument.slot);
                    let is_kept = needed.contains(&variable);
                    if !is_kept {
                        dropped.insert(variable);
                    }
                    is_kept
                });
                true
            }
            Update::Exit => true,
        });
    }
    let name = |variable: Variable| match variable {
        Variable::Global(slot) => system.slots[slot].name.clone(),
        Variable::Local(frame, local) => system.local_name(frame, local),
    };
    dropped.into_iter().map(name).collect()
}

fn variable(place: &Place, roles: &[FrameId]) -> Variable {
    match &place.owner {
        Owner::Global(slot) => Variable::Global(*slot),
        Owner::Role(role, local) => Variable::Local(roles[role.index()], *local),
        Owner::At(frame, local, _) => Variable::Local(*frame, *local),
    }
}

/// The needed variables, while they are being found.
struct Needed {
    found: BTreeSet<Variable>,
    /// Those whose writers were not looked at yet.
    new: Vec<Variable>,
}

impl Needed {
    fn of(system: &System) -> Self {
        let mut needed = Self { found: BTreeSet::new(), new: Vec::new() };
        for (frame, known) in system.frames.entries() {
            if let Some(control) = known.control {
                needed.add(Variable::Local(frame, control));
            }
        }
        for label in system.labels.iter() {
            if let LabelMeaning::State(condition) = &label.meaning {
                needed.read(condition, &mut Vec::new());
            }
        }
        for condition in system.invariants.iter().chain([&system.proper_end]) {
            needed.read(condition, &mut Vec::new());
        }
        for action in system.actions.iter() {
            let roles = &mut action.participants.clone();
            let conditions = action.guard.conjuncts().chain([&action.rank]);
            let traps = action.traps.iter().map(|trap| &trap.condition);
            let labels = action.labels.iter().map(|(_, condition)| condition);
            let cuts = action.cuts.iter().map(|cut| &cut.condition);
            conditions.chain(traps).chain(labels).chain(cuts).for_each(|condition| needed.read(condition, roles));
        }
        while let Some(variable) = needed.new.pop() {
            safe_point();
            for action in system.actions.iter() {
                let roles = &mut action.participants.clone();
                for update in &action.updates {
                    needed.written(variable, update, roles);
                }
            }
        }
        needed
    }

    fn add(&mut self, variable: Variable) {
        if self.found.insert(variable) {
            self.new.push(variable);
        }
    }

    /// What decides about the value that the update gives the variable.
    fn written(&mut self, needed: Variable, update: &Update, roles: &mut Vec<FrameId>) {
        match update {
            Update::Set(place, value) if variable(place, roles) == needed => {
                place.for_each_part(|part| self.read(part, roles));
                self.read(value, roles);
            }
            Update::Spawn { frame, arguments } => {
                for argument in arguments {
                    if Variable::Local(*frame, argument.slot) == needed {
                        self.read(&argument.value, roles);
                    }
                }
            }
            Update::Set(..) | Update::Exit => {}
        }
    }

    fn read(&mut self, expr: &Expr, roles: &mut Vec<FrameId>) {
        match expr {
            Expr::Read(place) => self.add(variable(place, roles)),
            Expr::Exists(frame, body) => {
                roles.push(*frame);
                self.read(body, roles);
                roles.pop();
                return;
            }
            _ => {}
        }
        expr.for_each_part(|part| self.read(part, roles));
    }
}
