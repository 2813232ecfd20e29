//! Taking something out of a system, with all that names it. What is read of it becomes a constant; ids above it move
//! down.

use super::rewrite::{self, Rewrite, rewrite};
use lariat_base::Id;
use lariat_system::{
    ActionId, ChoiceId, EnumId, Expr, Fairness, FrameId, LabelId, LocalId, Occasion, Owner, Place, Slot, SlotId,
    System, Type, Update,
};

/// `id` after the removal of `removed`.
fn lowered<I: Id>(id: I, removed: I) -> I {
    if id > removed { I::new(id.index() - 1) } else { id }
}

pub(super) fn action(system: &mut System, removed: ActionId) {
    system.actions.remove(removed);
}

pub(super) fn label(system: &mut System, removed: LabelId) {
    system.labels.remove(removed);
    for action in system.actions.iter_mut() {
        action.labels.retain(|(id, _)| *id != removed);
        action.labels.iter_mut().for_each(|(id, _)| *id = lowered(*id, removed));
    }
    let names = |constraint: &Fairness| constraint.occasions().iter().any(|occasion| occasion.label() == Some(removed));
    system.fairness.retain(|constraint| !names(constraint));
    let occasions = system.fairness.iter_mut().flat_map(Fairness::occasions_mut);
    for label in occasions.filter_map(Occasion::label_mut) {
        *label = lowered(*label, removed);
    }
}

/// Turns the enum into the range it is, and removes it.
pub(super) fn enum_type(system: &mut System, removed: EnumId) {
    let (lo, hi) = (system.enums[removed].lo, system.enums[removed].hi);
    let change = |ty: &mut Type| match ty {
        Type::Enum(id) if *id == removed => *ty = Type::Int { lo, hi },
        Type::Enum(id) => *id = lowered(*id, removed),
        Type::Bool | Type::Int { .. } => {}
    };
    system.slots.iter_mut().for_each(|slot| change(&mut slot.ty));
    for frame in system.frames.iter_mut() {
        frame.slots.iter_mut().for_each(|slot| change(&mut slot.ty));
    }
    system.init.choices.iter_mut().for_each(|choice| change(&mut choice.ty));
    for action in system.actions.iter_mut() {
        action.choices.iter_mut().for_each(|choice| change(&mut choice.ty));
    }
    system.enums.remove(removed);
}

/// Gives the choice a value for good.
struct SettleChoice(ChoiceId, i64);

impl Rewrite for SettleChoice {
    fn expr(&mut self, expr: &mut Expr, _: &[FrameId]) {
        match expr {
            Expr::Choice(id) if *id == self.0 => *expr = Expr::Const(self.1),
            Expr::Choice(id) => *id = lowered(*id, self.0),
            _ => {}
        }
    }
}

pub(super) fn choice(system: &mut System, action: ActionId, removed: ChoiceId, value: i64) {
    rewrite::action(system, action, &mut SettleChoice(removed, value));
    system.actions[action].choices.remove(removed);
}

pub(super) fn init_choice(system: &mut System, removed: ChoiceId, value: i64) {
    rewrite::init(system, &mut SettleChoice(removed, value));
    system.init.choices.remove(removed);
}

pub(super) fn argument(system: &mut System, action: ActionId, update: usize, index: usize) {
    if let Some(Update::Spawn { arguments, .. }) = system.actions[action].updates.get_mut(update)
        && index < arguments.len()
    {
        arguments.remove(index);
    }
}

/// One cell less; the last one becomes a single slot only if nothing indexes it.
pub(super) fn shorten(slot: &mut Slot) {
    if let Some(len) = slot.len
        && len > 1
    {
        slot.len = Some(len - 1);
        if slot.initial.len() > 1 {
            slot.initial.truncate(len as usize - 1);
        }
    }
}

/// Removes a slot of the system or of a frame.
struct RemoveSlot {
    frame: Option<FrameId>,
    slot: usize,
    value: i64,
}

impl RemoveSlot {
    fn slot_in<'p>(&self, place: &'p mut Place, roles: &[FrameId]) -> Option<SlotNumber<'p>> {
        match (&mut place.owner, self.frame) {
            (Owner::Global(slot), None) => Some(SlotNumber::Global(slot)),
            (Owner::Role(role, local), Some(frame)) if roles.get(role.index()) == Some(&frame) => {
                Some(SlotNumber::Local(local))
            }
            (Owner::At(at, local, _), Some(frame)) if *at == frame => Some(SlotNumber::Local(local)),
            _ => None,
        }
    }
    fn is_removed(&self, place: &Place, roles: &[FrameId]) -> bool {
        self.slot_in(&mut place.clone(), roles).is_some_and(|number| number.index() == self.slot)
    }
    fn remove_updates(&self, updates: &mut Vec<Update>, roles: &[FrameId]) {
        updates.retain(|update| !matches!(update, Update::Set(place, _) if self.is_removed(place, roles)));
        for update in updates {
            if let Update::Spawn { frame, arguments } = update
                && Some(*frame) == self.frame
            {
                let removed = LocalId::new(self.slot);
                arguments.retain(|argument| argument.slot != removed);
                arguments.iter_mut().for_each(|argument| argument.slot = lowered(argument.slot, removed));
            }
        }
    }
    fn apply(&mut self, system: &mut System) {
        self.remove_updates(&mut system.init.updates, &[]);
        for action in system.actions.iter_mut() {
            self.remove_updates(&mut action.updates, &action.participants);
        }
        rewrite(system, self);
    }
}

enum SlotNumber<'p> {
    Global(&'p mut SlotId),
    Local(&'p mut LocalId),
}

impl SlotNumber<'_> {
    fn index(&self) -> usize {
        match self {
            Self::Global(slot) => slot.index(),
            Self::Local(local) => local.index(),
        }
    }
}

impl Rewrite for RemoveSlot {
    fn expr(&mut self, expr: &mut Expr, roles: &[FrameId]) {
        if let Expr::Read(place) = expr
            && self.is_removed(place, roles)
        {
            *expr = Expr::Const(self.value);
        }
    }
    fn place(&mut self, place: &mut Place, roles: &[FrameId]) {
        match self.slot_in(place, roles) {
            Some(SlotNumber::Global(slot)) => *slot = lowered(*slot, SlotId::new(self.slot)),
            Some(SlotNumber::Local(local)) => *local = lowered(*local, LocalId::new(self.slot)),
            None => {}
        }
    }
}

pub(super) fn slot(system: &mut System, removed: SlotId) {
    let value = system.slots[removed].initial_of(0);
    RemoveSlot { frame: None, slot: removed.index(), value }.apply(system);
    system.slots.remove(removed);
}

pub(super) fn local(system: &mut System, frame: FrameId, removed: LocalId) {
    let value = system.frames[frame].slots[removed].initial_of(0);
    RemoveSlot { frame: Some(frame), slot: removed.index(), value }.apply(system);
    let frame = &mut system.frames[frame];
    frame.slots.remove(removed);
    frame.control = frame.control.filter(|control| *control != removed).map(|control| lowered(control, removed));
}

/// Removes a frame that no participant has.
struct RemoveFrame(FrameId);

impl Rewrite for RemoveFrame {
    fn expr(&mut self, expr: &mut Expr, _: &[FrameId]) {
        match expr {
            Expr::Lives(frame, _) | Expr::Exists(frame, _) if *frame == self.0 => *expr = Expr::Const(0),
            Expr::Lives(frame, _) | Expr::Exists(frame, _) => *frame = lowered(*frame, self.0),
            Expr::Read(Place { owner: Owner::At(frame, ..), .. }) if *frame == self.0 => *expr = Expr::Const(0),
            _ => {}
        }
    }
    fn place(&mut self, place: &mut Place, _: &[FrameId]) {
        if let Owner::At(frame, ..) = &mut place.owner {
            *frame = lowered(*frame, self.0);
        }
    }
}

pub(super) fn frame(system: &mut System, removed: FrameId) {
    for id in system.actions.ids().rev() {
        if system.actions[id].participants.contains(&removed) {
            action(system, id);
        }
    }
    let names_it = |update: &Update| match update {
        Update::Spawn { frame, .. } => *frame == removed,
        Update::Set(Place { owner: Owner::At(frame, ..), .. }, _) => *frame == removed,
        Update::Set(..) | Update::Exit => false,
    };
    let lists = system.actions.iter_mut().map(|action| &mut action.updates).chain([&mut system.init.updates]);
    for updates in lists {
        updates.retain(|update| !names_it(update));
        for update in updates {
            if let Update::Spawn { frame, .. } = update {
                *frame = lowered(*frame, removed);
            }
        }
    }
    rewrite(system, &mut RemoveFrame(removed));
    for action in system.actions.iter_mut() {
        action.participants.iter_mut().for_each(|frame| *frame = lowered(*frame, removed));
    }
    system.frames.remove(removed);
}
