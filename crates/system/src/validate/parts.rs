//! Init, actions, labels, fairness.

use super::MAX_TRAPS;
use super::exprs::{Check, Spot};
use crate::{
    Action, Argument, Choice, ChoiceId, Expr, FrameId, Interval, LabelMeaning, Position, Slot, SlotId, TrapTime, Update,
};
use lariat_base::{IdVec, Span};

impl Check<'_> {
    pub(super) fn init(&mut self) {
        let init = &self.system.init;
        if !self.choices(&init.choices, Span::NONE) {
            return;
        }
        let mut spot = Spot { roles: Vec::new(), choices: &init.choices, span: Span::NONE, what: "init".into() };
        for conjunct in &init.guard {
            self.expr(conjunct, &mut spot);
        }
        if init.updates.contains(&Update::Exit) {
            self.error(Span::NONE, "S0304", "no process can end in init");
        }
        self.updates(&init.updates, &mut spot);
    }

    pub(super) fn actions(&mut self) {
        self.system.actions.iter().for_each(|action| self.action(action));
    }

    pub(super) fn closed_expressions(&mut self) {
        let no_choices = IdVec::new();
        let invariants = self.system.invariants.iter().map(|expr| (expr, "an invariant"));
        for (expr, what) in invariants.chain([(&self.system.proper_end, "proper_end")]) {
            let mut spot = Spot { roles: Vec::new(), choices: &no_choices, span: Span::NONE, what: what.into() };
            self.expr(expr, &mut spot);
        }
    }

    pub(super) fn labels(&mut self) {
        self.names("label", self.system.labels.iter().map(|label| (label.name.as_str(), label.span)));
        let no_choices = IdVec::new();
        for label in self.system.labels.iter() {
            let what = format!("label `{}`", label.name);
            match &label.meaning {
                LabelMeaning::State(expr) => {
                    self.expr(expr, &mut Spot { roles: Vec::new(), choices: &no_choices, span: label.span, what });
                }
                LabelMeaning::By(position) | LabelMeaning::Acting(position) if !self.is_position(*position) => {
                    self.error(label.span, "S0401", format!("{what}: the pool has no position {position}"));
                }
                LabelMeaning::By(_) | LabelMeaning::Acting(_) | LabelMeaning::Step => {}
            }
        }
    }

    pub(super) fn fairness(&mut self) {
        for constraint in &self.system.fairness {
            let sound = constraint.occasions().into_iter().all(|occasion| {
                occasion.label().is_none_or(|id| self.system.labels.get(id).is_some())
                    && occasion.position().is_none_or(|position| self.is_position(position))
            });
            if !sound {
                self.error(Span::NONE, "S0402", "a fairness constraint names what does not exist");
            }
        }
    }

    pub(super) fn queues(&mut self) {
        for queue in &self.system.queues {
            let cells = |slot: SlotId| self.system.slots.get(slot).map_or(0, |slot| slot.cells() as u64);
            let (number, capacity) = (u64::from(queue.number), u64::from(queue.capacity));
            let sound = cells(queue.len) > number
                && queue.fields.iter().all(|&field| cells(field) >= (number + 1) * capacity)
                && queue.owner.is_none_or(|(frame, position)| {
                    self.system.frames.get(frame).is_some() && self.is_position(position)
                });
            if !sound {
                self.error(Span::NONE, "S0109", format!("queue `{}` names what does not exist", queue.name));
            }
        }
    }

    fn is_position(&self, position: Position) -> bool {
        u16::from(position) < self.system.pool_size
    }

    fn action(&mut self, action: &Action) {
        let span = action.span;
        let what = format!("action `{}`", action.name);
        if action.participants.len() > 2 {
            return self.error(span, "S0301", format!("{what} has more than two participants"));
        }
        if action.participants.iter().any(|frame| self.system.frames.get(*frame).is_none()) {
            return self.error(span, "S0201", format!("{what} names a frame that does not exist"));
        }
        if !self.choices(&action.choices, span) {
            return;
        }
        let no_choices = IdVec::new();
        let roles = || action.participants.clone();
        let closed =
            |part: &str| Spot { roles: roles(), choices: &no_choices, span, what: format!("{part} of {what}") };
        let open =
            |part: &str| Spot { roles: roles(), choices: &action.choices, span, what: format!("{part} of {what}") };

        self.expr(&action.rank, &mut closed("the rank"));
        for conjunct in &action.guard.control {
            self.expr(conjunct, &mut closed("the control"));
        }
        for conjunct in &action.guard.condition {
            self.expr(conjunct, &mut open("the condition"));
        }
        if action.traps.len() > MAX_TRAPS {
            return self.error(span, "S0308", format!("{what} has more than {MAX_TRAPS} traps"));
        }
        for trap in &action.traps {
            let mut spot = if trap.time == TrapTime::Guard { closed("a guard trap") } else { open("an effect trap") };
            self.expr(&trap.condition, &mut spot);
        }
        if action.cuts.len() > MAX_TRAPS {
            return self.error(span, "S0308", format!("{what} has more than {MAX_TRAPS} cuts"));
        }
        for cut in &action.cuts {
            self.expr(&cut.condition, &mut open("a cut"));
        }
        for argument in action.print.iter().flat_map(|print| &print.arguments) {
            self.expr(argument, &mut open("the output"));
        }
        self.updates(&action.updates, &mut open("an update"));
        self.ends_properly(action, &what);
        if action.hold.is_some_and(|role| role.index() >= action.participants.len()) {
            self.error(span, "S0305", format!("{what} lets a process hold that takes no part in it"));
        }
        if action.trail.len() > action.participants.len() {
            self.error(span, "S0307", format!("{what} has more lines of a trail than processes take part in it"));
        }
        for (label, condition) in &action.labels {
            if self.system.labels.get(*label).is_none_or(|label| label.meaning != LabelMeaning::Step) {
                self.error(span, "S0306", format!("{what} carries a label that is not a step label"));
            }
            self.expr(condition, &mut open("the condition of a label"));
        }
    }

    fn ends_properly(&mut self, action: &Action, what: &str) {
        let exits = action.updates.iter().filter(|update| **update == Update::Exit).count();
        let spawns = action.updates.iter().any(|update| matches!(update, Update::Spawn { .. }));
        let wrong = match exits {
            0 => return,
            1 if action.participants.is_empty() => "ends a process and has no participant",
            1 if spawns => "creates a process and ends one",
            1 => return,
            _ => "ends its process twice",
        };
        self.error(action.span, "S0304", format!("{what} {wrong}"));
    }

    fn choices(&mut self, choices: &IdVec<ChoiceId, Choice>, span: Span) -> bool {
        choices.iter().all(|choice| self.ty(choice.ty, span, &choice.name))
    }

    fn updates(&mut self, updates: &[Update], spot: &mut Spot<'_>) {
        for update in updates {
            match update {
                Update::Set(place, value) => {
                    if let Some(slot) = self.place(place, spot) {
                        self.fits(value, slot, spot);
                    }
                }
                Update::Spawn { frame, arguments } => self.spawn(*frame, arguments, spot),
                Update::Exit => {}
            }
        }
    }

    fn spawn(&mut self, frame: FrameId, arguments: &[Argument], spot: &mut Spot<'_>) {
        let system = self.system;
        let Some(frame) = system.frames.get(frame) else {
            return self.error(spot.span, "S0201", format!("{} names a frame that does not exist", spot.what));
        };
        for Argument { slot, cell, value } in arguments {
            match frame.slots.get(*slot) {
                Some(slot) if cell.is_some_and(|cell| slot.len.is_none_or(|len| cell >= len)) => {
                    let message = format!("{} names a cell that `{}` does not have", spot.what, slot.name);
                    self.error(spot.span, "S0201", message);
                }
                Some(slot) => self.fits(value, slot, spot),
                None => self.error(spot.span, "S0201", format!("{} names a slot that does not exist", spot.what)),
            }
        }
    }

    fn fits(&mut self, value: &Expr, slot: &Slot, spot: &mut Spot<'_>) {
        let range = self.system.range(slot.ty);
        if let Some(Interval { lo, hi }) = self.expr(value, spot)
            && !range.includes(Interval { lo, hi })
        {
            let message = format!(
                "{}: `{}` takes {}..{}, and the value may be {lo}..{hi}",
                spot.what, slot.name, range.lo, range.hi
            );
            self.error(spot.span, "S0303", message);
        }
    }
}
