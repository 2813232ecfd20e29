//! Random actions.

use super::Builder;
use super::exprs::Context;
use lariat_base::{Id, Span};
use lariat_system::{
    Action, AfterTrap, Argument, Expr, FrameId, IDLE_RANK, LabelId, LabelMeaning, LocalId, Place, Print, Role, Trap,
    TrapKind, TrapTime, Update,
};

impl Builder<'_> {
    /// For every control location an action, and some more of every form.
    pub(super) fn actions(&mut self) {
        for frame in self.system.frames.ids() {
            let last = self.system.frames[frame]
                .control
                .map_or(0, |local| self.system.range(self.system.frames[frame].slots[local].ty).hi);
            for location in 0..=last {
                self.action(vec![frame], Some(location));
            }
        }
        for _ in 0..1 + self.rng.below(self.knobs.actions.max(1)) {
            let frames = self.system.frames.len();
            let count = if frames == 0 { 0 } else { *self.rng.pick(&[0, 1, 1, 1, 2, 2]) };
            let participants = (0..count).map(|_| FrameId::new(self.rng.below(frames))).collect();
            self.action(participants, None);
        }
    }

    fn action(&mut self, participants: Vec<FrameId>, location: Option<i64>) {
        let number = self.system.actions.len();
        let mut action = Action::new(format!("a{number} = \"{}\"", participants.len()), participants.clone());
        action.choices = self.choices();
        let mut closed = Context::new(participants.clone(), &Default::default());
        let mut open = Context::new(participants.clone(), &action.choices);

        for (role, frame) in participants.iter().enumerate() {
            if let Some((place, hi)) = self.control(Role(role as u8), *frame) {
                let at = location.unwrap_or_else(|| self.rng.between(0, hi));
                action.guard.control.push(place.clone().read().equals(Expr::Const(at)));
                if self.rng.chance(85) {
                    let to = if self.rng.chance(75) { (at + 1) % (hi + 1) } else { self.rng.between(0, hi) };
                    action.updates.push(Update::Set(place, Expr::Const(to)));
                }
            }
        }
        if self.rng.chance(10) {
            action.guard.control.push(self.truth(1, &mut closed));
        }
        let conditions = if action.choices.is_empty() { self.rng.below(3) / 2 } else { self.rng.below(3) };
        for _ in 0..conditions {
            action.guard.condition.push(self.truth(2, &mut open));
        }
        self.effects(&mut action, &mut open);
        if self.knobs.ranks && self.rng.chance(18) {
            action.rank = self.rank(&mut closed);
        }
        if self.knobs.holds && !participants.is_empty() && self.rng.chance(30) {
            action.hold = Some(Role(self.rng.below(participants.len()) as u8));
        }
        if self.knobs.traps && self.rng.chance(30) {
            for _ in 0..1 + self.rng.below(2) {
                let trap = self.trap(&mut closed, &mut open);
                action.traps.push(trap);
            }
        }
        for label in self.system.labels.ids() {
            if self.system.labels[label].meaning == LabelMeaning::Step && self.rng.chance(40) {
                let condition = if self.rng.chance(40) { Expr::TRUE } else { self.truth(2, &mut open) };
                action.labels.push((LabelId::new(label.index()), condition));
            }
        }
        if self.rng.chance(15) {
            let format = "value %d\n\t\"quoted\" \\".to_string();
            action.print = Some(Print { format, arguments: vec![self.number(2, &mut open)] });
        }
        if participants.len() == 2 && self.rng.chance(50) {
            action.peer = Some((format!("c?{number}"), Span::NONE));
        }
        if number.is_multiple_of(4) {
            action.trail = (0..participants.len() as u32).collect();
        }
        self.system.actions.push(action);
    }

    /// Actions that lead between the same states as others do, and are told apart by what can be observed of them.
    pub(super) fn twins(&mut self) {
        for id in self.system.actions.ids() {
            if !self.rng.chance(self.knobs.twin_percent) {
                continue;
            }
            let mut twin = self.system.actions[id].clone();
            twin.name = format!("{} again", twin.name);
            twin.trail = Vec::new();
            if twin.participants.len() == 1 && self.rng.chance(40) {
                twin.participants.push(FrameId::new(self.rng.below(self.system.frames.len())));
            }
            if twin.hold.is_some() && self.rng.chance(50) {
                twin.hold = Some(Role(self.rng.below(twin.participants.len()) as u8));
            }
            let of_steps = self.system.labels.entries().filter(|(_, label)| label.meaning == LabelMeaning::Step);
            let of_steps: Vec<LabelId> = of_steps.map(|(label, _)| label).collect();
            twin.labels.retain(|_| self.rng.chance(50));
            for label in of_steps {
                if self.rng.chance(40) && twin.labels.iter().all(|(known, _)| *known != label) {
                    twin.labels.push((label, Expr::TRUE));
                }
            }
            let mut with_twin = self.system.clone();
            with_twin.actions.push(twin);
            // What is bound within expressions is numbered after the participants: one more may make them meaningless.
            if with_twin.validate().is_ok() {
                self.system = with_twin;
            }
        }
    }

    fn control(&self, role: Role, frame: FrameId) -> Option<(Place, i64)> {
        let local = self.system.frames[frame].control?;
        let range = self.system.range(self.system.frames[frame].slots[local].ty);
        Some((Place::local(role, local), range.hi))
    }

    fn effects(&mut self, action: &mut Action, open: &mut Context) {
        let exits = self.knobs.dynamic && !open.roles.is_empty() && self.rng.chance(12);
        let spawns = !exits && self.knobs.dynamic && !self.system.frames.is_empty() && self.rng.chance(18);
        for _ in 0..self.rng.below(4) {
            let place = self.place(2, open);
            let range = self.system.range(self.system.slot_of(&place, &open.roles).ty);
            let value = if range.count() <= 16 && self.rng.chance(25) {
                self.next_value(&place, range, open)
            } else {
                self.value_for(range, self.knobs.depth, open)
            };
            action.updates.push(Update::Set(place.clone(), value));
            if self.rng.chance(15) {
                let value = self.value_for(range, 1, open);
                action.updates.push(Update::Set(place, value));
            }
        }
        if spawns {
            for _ in 0..1 + usize::from(self.rng.chance(20)) {
                let spawn = self.spawn(open);
                let at = self.rng.below(action.updates.len() + 1);
                action.updates.insert(at, spawn);
            }
        }
        if exits {
            let at = self.rng.below(action.updates.len() + 1);
            action.updates.insert(at, Update::Exit);
        }
    }

    /// The creation of a process.
    pub(super) fn spawn(&mut self, context: &mut Context) -> Update {
        let frame = FrameId::new(self.rng.below(self.system.frames.len()));
        let mut arguments = Vec::new();
        for local in 0..self.system.frames[frame].slots.len() {
            if self.rng.chance(30) {
                let local = LocalId::new(local);
                let slot = &self.system.frames[frame].slots[local];
                let (range, len) = (self.system.range(slot.ty), slot.len);
                arguments.push(Argument::new(local, self.value_for(range, 2, context)));
                // Single cells of arrays, after the whole or alone.
                for _ in 0..len.map_or(0, |_| self.rng.below(3)) {
                    let cell = self.rng.below(len.unwrap_or(1) as usize) as u32;
                    arguments.push(Argument::new(local, self.value_for(range, 2, context)).at(cell));
                    if self.rng.chance(30) {
                        arguments.retain(|argument| argument.slot != local || argument.cell.is_some());
                    }
                }
            }
        }
        Update::Spawn { frame, arguments }
    }

    /// Constants and expressions, ordinary and idle. A rank reads no choice: all choices of a binding share it.
    fn rank(&mut self, closed: &mut Context) -> Expr {
        match self.rng.below(8) {
            0 | 1 => Expr::Const(1),
            2 => Expr::Const(IDLE_RANK),
            3 => Expr::Const(IDLE_RANK + 1),
            4 => {
                let condition = self.truth(1, closed);
                Expr::Ite(Box::new([condition, Expr::Const(0), Expr::Const(IDLE_RANK)]))
            }
            5 if !closed.roles.is_empty() => Expr::Position(Role::ACTOR),
            6 => self.truth(1, closed),
            _ => self.number(1, closed),
        }
    }

    fn trap(&mut self, closed: &mut Context, open: &mut Context) -> Trap {
        let time = *self.rng.pick(&[TrapTime::Guard, TrapTime::Effect]);
        let condition = self.truth(2, if time == TrapTime::Guard { closed } else { open });
        let after = *self.rng.pick(&[AfterTrap::GoesOn, AfterTrap::Stops]);
        Trap { time, condition, kind: *self.rng.pick(&TrapKind::ALL), after, span: Span::NONE }
    }
}
