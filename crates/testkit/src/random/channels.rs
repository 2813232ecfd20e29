//! Processes that talk through channels, as systems: everything that the form of a send or a receive may have beside it, which
//! front ends write rarely or never.

use crate::Rng;
use lariat_base::{IdVec, Span};
use lariat_system::{
    Action, AfterTrap, Argument, BinaryOp, DeadEnds, Expr, Frame, FrameId, IDLE_RANK, Label, LabelMeaning, LocalId,
    Owner, Place, Queue, Role, Slot, SlotId, System, Trap, TrapKind, TrapTime, Type, Update,
};

const CONTROL: LocalId = LocalId(0);
const OWN: LocalId = LocalId(1);
const WHICH: LocalId = LocalId(2);
const SHARED: SlotId = SlotId(0);
const POSITIONS: u16 = 4;
const BITS: u8 = 2;

/// What a system may have, each rarely enough that the others are met without it.
struct Features {
    traps: bool,
    holds: bool,
    afar: bool,
    pool: bool,
    ends: bool,
    creates: bool,
    polls: bool,
    which: bool,
    ranks: bool,
    idle: bool,
    nobody: bool,
}

/// A class of channels: how many, and for how many messages.
struct Class {
    len: SlotId,
    content: SlotId,
    channels: i64,
    capacity: i64,
}

/// A small system of this seed, whose processes send, receive, and do things beside that matter to others.
pub fn random_talkers(rng: &mut Rng) -> System {
    let mut flip = |percent| rng.chance(percent);
    let features = Features {
        traps: flip(30),
        holds: flip(40),
        afar: flip(25),
        pool: flip(20),
        ends: flip(40),
        creates: flip(25),
        polls: flip(20),
        which: flip(25),
        ranks: flip(6),
        idle: flip(15),
        nobody: flip(15),
    };
    let mut system = System::empty("talkers");
    system.pool_size = POSITIONS;
    let bit = Type::Int { lo: 0, hi: 1 };
    system.slots.push(Slot::new("shared", bit, 0));
    let mut classes: Vec<Class> = Vec::new();
    let number = 1 + rng.below(2);
    for class in 0..number {
        let (channels, capacity) = (rng.between(1, 2), rng.between(1, 2));
        let len = Type::Int { lo: 0, hi: (1 << BITS) - 1 };
        let len = system.slots.push(Slot::array(format!("len{class}"), len, channels as u32, 0));
        let content = match classes.first() {
            // What front ends never do, and what the form allows.
            Some(first) if first.channels * first.capacity == channels * capacity && rng.chance(30) => first.content,
            _ => system.slots.push(Slot::array(format!("cells{class}"), bit, (channels * capacity) as u32, 0)),
        };
        for number in 0..channels as u32 {
            let (name, fields) = (format!("q{class}[{number}]"), vec![content]);
            let capacity = capacity as u32;
            system.queues.push(Queue { name, owner: None, capacity, len, number, fields, span: Span::NONE });
        }
        classes.push(Class { len, content, channels, capacity });
    }
    let frames = 1 + rng.below(3);
    let places: Vec<i64> = (0..frames).map(|_| rng.between(1, 3)).collect();
    for (number, last) in places.iter().enumerate() {
        let pc = Slot::new("pc", Type::Int { lo: 0, hi: *last }, 0).hidden();
        let which = Slot::new("which", bit, rng.between(0, 1));
        let slots: IdVec<LocalId, Slot> = [pc, Slot::new("own", bit, rng.between(0, 1)), which].into_iter().collect();
        let name = format!("Talker{number}");
        system.frames.push(Frame { name, slots, control: Some(CONTROL), span: Span::NONE });
    }
    let mut writer = Writer { rng, system, classes, features };
    for (number, last) in places.iter().enumerate() {
        let frame = FrameId(number as u32);
        let looped = writer.rng.chance(40);
        for place in 0..=*last {
            if place == *last && !looped {
                continue;
            }
            for _ in 0..1 + usize::from(writer.rng.chance(35)) {
                let to = if place == *last { 0 } else { place + 1 };
                let action = writer.action(frame, place, to);
                writer.system.actions.push(action);
            }
        }
        // Who has come to the end leaves the pool, if it is the youngest.
        if !looped && writer.features.ends {
            let mut action = writer.at(frame, *last, "end");
            action.updates.push(Update::Exit);
            writer.system.actions.push(action);
        }
    }
    writer.finish(frames)
}

struct Writer<'r> {
    rng: &'r mut Rng,
    system: System,
    classes: Vec<Class>,
    features: Features,
}

impl Writer<'_> {
    fn at(&self, frame: FrameId, from: i64, name: &str) -> Action {
        let mut action = Action::new(format!("{name} {} {from}", frame.0), vec![frame]);
        action.guard.control.push(Place::local(Role::ACTOR, CONTROL).read().equals(Expr::Const(from)));
        action
    }

    fn action(&mut self, frame: FrameId, from: i64, to: i64) -> Action {
        let mut action = self.at(frame, from, "do");
        let (pc, own) = (Place::local(Role::ACTOR, CONTROL), Place::local(Role::ACTOR, OWN));
        action.updates.push(Update::Set(pc, Expr::Const(to)));
        let number = self.rng.below(self.classes.len());
        let class = &self.classes[number];
        let index = match self.rng.below(3) {
            0 if class.channels == 2 => Place::local(Role::ACTOR, WHICH).read(),
            1 => Expr::Const(class.channels - 1),
            _ => Expr::Const(0),
        };
        let (len, content) = (Place::global(class.len).at(index.clone()), class.content);
        let capacity = class.capacity;
        let count = |op: BinaryOp| {
            let value = Box::new(Expr::binary(op, len.clone().read(), Expr::Const(1)));
            Update::Set(len.clone(), Expr::Wrap { bits: BITS, signed: false, value })
        };
        let cell = |k: Expr| {
            let first = Expr::binary(BinaryOp::Mul, index.clone(), Expr::Const(capacity));
            Place::global(content).at(if first == Expr::Const(0) { k } else { first.plus(k) })
        };
        let head = cell(Expr::Const(0)).read();
        let mut sets_own = false;
        match self.rng.below(8) {
            0..3 => {
                let value = match self.rng.below(4) {
                    0 => own.clone().read(),
                    1 => Place::global(SHARED).read(),
                    _ => Expr::Const(self.rng.between(0, 1)),
                };
                action.guard.condition.push(len.clone().read().less(Expr::Const(capacity)));
                action.updates.push(count(BinaryOp::Add));
                action.updates.push(Update::Set(cell(len.clone().read()), value));
            }
            3..6 => {
                action.guard.condition.push(Expr::Const(0).less(len.clone().read()));
                match self.rng.below(4) {
                    0 => action.guard.condition.push(head.clone().equals(Expr::Const(1))),
                    1 => {}
                    _ => {
                        sets_own = true;
                        action.updates.push(Update::Set(own.clone(), head.clone()));
                    }
                }
                if self.features.traps && self.rng.chance(40) {
                    let time = *self.rng.pick(&[TrapTime::Guard, TrapTime::Effect]);
                    action.traps.push(self.trap(time, head.equals(Expr::Const(1))));
                }
                action.updates.push(count(BinaryOp::Sub));
                for k in 0..capacity {
                    let next = if k + 1 < capacity { cell(Expr::Const(k + 1)).read() } else { Expr::Const(0) };
                    action.updates.push(Update::Set(cell(Expr::Const(k)), next));
                }
            }
            6 if self.features.polls => {
                action.guard.condition.push(len.clone().read().less(Expr::Const(self.rng.between(1, 2))));
            }
            _ => {}
        }
        self.beside(&mut action, frame, sets_own);
        action
    }

    /// What an action does beside.
    fn beside(&mut self, action: &mut Action, frame: FrameId, sets_own: bool) {
        let (own, which) = (Place::local(Role::ACTOR, OWN), Place::local(Role::ACTOR, WHICH));
        let value = Expr::Const(self.rng.between(0, 1));
        // A slot of whoever lives at a position: it may be nobody, or the process itself.
        let afar = |writer: &mut Self, slot: LocalId| {
            let position = Expr::Const(writer.rng.between(0, i64::from(POSITIONS) - 1));
            let of = FrameId(writer.rng.below(writer.system.frames.len()) as u32);
            let is_own = of == frame;
            (Place { owner: Owner::At(of, slot, Box::new(position)), index: None }, is_own)
        };
        for _ in 0..1 + self.rng.below(2) {
            match self.rng.below(16) {
                0 if !sets_own && !writes(action, &own) => action.updates.push(Update::Set(own.clone(), value.clone())),
                1 => action.guard.condition.push(own.clone().read().equals(value.clone())),
                2 if !writes(action, &Place::global(SHARED)) => {
                    action.updates.push(Update::Set(Place::global(SHARED), value.clone()));
                }
                3 => action.guard.condition.push(Place::global(SHARED).read().equals(value.clone())),
                4 if self.features.traps => {
                    let time = *self.rng.pick(&[TrapTime::Guard, TrapTime::Effect]);
                    let of = if self.rng.chance(60) { Place::global(SHARED) } else { own.clone() };
                    action.traps.push(self.trap(time, of.read().equals(value.clone())));
                }
                5 | 6 if self.features.holds => action.hold = Some(Role::ACTOR),
                7 if self.features.afar => {
                    let slot = *self.rng.pick(&[OWN, OWN, WHICH]);
                    let (place, is_own) = afar(self, slot);
                    // An action writes a cell once.
                    let is_afar =
                        |update: &Update| matches!(update, Update::Set(to, _) if matches!(to.owner, Owner::At(..)));
                    if !is_own && !action.updates.iter().any(is_afar) {
                        action.updates.push(Update::Set(place, value.clone()));
                    }
                }
                8 if self.features.afar => {
                    let (place, _) = afar(self, OWN);
                    action.guard.condition.push(place.read().equals(value.clone()));
                }
                9 if self.features.pool => {
                    action.guard.condition.push(Expr::PoolCount.less(Expr::Const(self.rng.between(2, 4))));
                }
                10 if self.features.creates && !has_spawn(action) => {
                    let of = FrameId(self.rng.below(self.system.frames.len()) as u32);
                    let argument = Argument { slot: WHICH, cell: None, value: value.clone() };
                    action.guard.condition.push(Expr::PoolCount.less(Expr::Const(i64::from(POSITIONS))));
                    action.updates.push(Update::Spawn { frame: of, arguments: vec![argument] });
                }
                11 if self.features.which && !writes(action, &which) => {
                    action.updates.push(Update::Set(which.clone(), value.clone()));
                }
                12 if self.features.ranks => action.rank = Expr::Const(self.rng.between(0, 1)),
                13 if self.features.idle => action.rank = Expr::Const(IDLE_RANK),
                // A second partner, who stands where it likes.
                14 if self.features.afar && action.participants.len() == 1 => {
                    let of = FrameId(self.rng.below(self.system.frames.len()) as u32);
                    action.participants.push(of);
                    let peer = Place::local(Role(1), CONTROL);
                    action.guard.control.push(peer.clone().read().equals(Expr::Const(0)));
                    action.updates.push(Update::Set(peer, Expr::Const(1)));
                }
                _ => {}
            }
        }
    }

    fn trap(&mut self, time: TrapTime, condition: Expr) -> Trap {
        let after = *self.rng.pick(&[AfterTrap::GoesOn, AfterTrap::Stops]);
        Trap { time, condition, kind: TrapKind::Assertion, after, span: Span::NONE }
    }

    fn finish(mut self, frames: usize) -> System {
        if self.features.nobody {
            let mut action = Action::new("nobody".to_owned(), Vec::new());
            let shared = Place::global(SHARED);
            action.guard.condition.push(shared.clone().read().equals(Expr::Const(self.rng.between(0, 1))));
            match self.rng.below(3) {
                0 => {
                    action.guard.condition.push(Expr::PoolCount.less(Expr::Const(i64::from(POSITIONS))));
                    action.updates.push(Update::Spawn { frame: FrameId(0), arguments: Vec::new() });
                }
                _ => action.updates.push(Update::Set(shared, Expr::Const(self.rng.between(0, 1)))),
            }
            self.system.actions.push(action);
        }
        if self.rng.chance(12) {
            let (class, bound) = (&self.classes[0], self.rng.between(1, 2));
            let len = Place::global(class.len).at(Expr::Const(0)).read();
            let other = match self.rng.below(3) {
                0 => Place::global(SHARED).read().equals(Expr::Const(0)),
                1 => Expr::PoolCount.less(Expr::Const(3)),
                _ => Expr::FALSE,
            };
            self.system.invariants.push(Expr::binary(BinaryOp::Or, len.less(Expr::Const(bound)), other));
        }
        let count = 2 + self.rng.below(2);
        for number in 0..count {
            let frame = if number < frames { number } else { self.rng.below(frames) };
            let argument = Argument { slot: WHICH, cell: None, value: Expr::Const(self.rng.between(0, 1)) };
            let arguments = if self.rng.chance(60) { vec![argument] } else { Vec::new() };
            self.system.init.updates.push(Update::Spawn { frame: FrameId(frame as u32), arguments });
        }
        let mut label = |name: &str, meaning: LabelMeaning| {
            self.system.labels.push(Label { name: name.to_owned(), meaning, span: Span::NONE })
        };
        label("shared", LabelMeaning::State(Place::global(SHARED).read().equals(Expr::Const(1))));
        let position = Box::new(Expr::Const(1));
        let far = Place { owner: Owner::At(FrameId(0), OWN, position), index: None };
        label("far", LabelMeaning::State(far.read().equals(Expr::Const(1))));
        label("many", LabelMeaning::State(Expr::Const(2).less(Expr::PoolCount)));
        let len = Place::global(self.classes[0].len).at(Expr::Const(0)).read();
        label("full", LabelMeaning::State(Expr::Const(0).less(len)));
        label("by", LabelMeaning::By(0));
        if self.rng.chance(30) {
            self.system.dead_ends = DeadEnds::Cut;
        }
        self.system
    }
}

fn writes(action: &Action, place: &Place) -> bool {
    action.updates.iter().any(|update| matches!(update, Update::Set(to, _) if to == place))
}

fn has_spawn(action: &Action) -> bool {
    action.updates.iter().any(|update| matches!(update, Update::Spawn { .. }))
}
