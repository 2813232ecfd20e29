//! Processes that do much by themselves: what reductions of the state space look for, and what is rare in systems where
//! everything speaks of everything.

use crate::Rng;
use lariat_base::{Id, IdVec, Span};
use lariat_system::{
    Action, AfterTrap, Expr, Frame, FrameId, LocalId, Place, Role, Slot, SlotId, System, Trap, TrapKind, TrapTime,
    Type, Update,
};

/// The values of a slot that a process has for itself.
const LAST_VALUE: i64 = 2;
const CONTROL: LocalId = LocalId(0);
const OWN: LocalId = LocalId(1);

/// The system with one or two processes more, which do most of what they do with a slot of their own, and now and then read
/// or write what all see; `None` if there is no room for them.
pub fn with_private_steps(system: &System, rng: &mut Rng) -> Option<System> {
    let mut system = system.clone();
    let slots = |last: i64, own: i64| -> IdVec<LocalId, Slot> {
        let pc = Slot::new("pc", Type::Int { lo: 0, hi: last }, 0).hidden();
        [pc, Slot::new("own", Type::Int { lo: 0, hi: LAST_VALUE }, own)].into_iter().collect()
    };
    let last = rng.between(2, 4);
    let slots = slots(last, rng.between(0, LAST_VALUE));
    let frame = system.frames.push(Frame { name: "Loner".into(), slots, control: Some(CONTROL), span: Span::NONE });
    for place in 0..=last {
        for _ in 0..1 + rng.below(2) {
            let to = if rng.chance(70) { (place + 1) % (last + 1) } else { rng.between(0, last) };
            let action = step(&system, rng, frame, place, to);
            system.actions.push(action);
        }
    }
    let loners = 1 + rng.below(2);
    let spawn = || Update::Spawn { frame, arguments: Vec::new() };
    system.init.updates.extend((0..loners).map(|_| spawn()));
    system.pool_size += loners as u16;
    system.validate().is_ok().then_some(system)
}

fn step(system: &System, rng: &mut Rng, frame: FrameId, from: i64, to: i64) -> Action {
    let mut action = Action::new(format!("own {from} {to}"), vec![frame]);
    let (pc, own) = (Place::local(Role::ACTOR, CONTROL), Place::local(Role::ACTOR, OWN));
    action.guard.control.push(pc.clone().read().equals(Expr::Const(from)));
    let is = |rng: &mut Rng| own.clone().read().equals(Expr::Const(rng.between(0, LAST_VALUE)));
    if rng.chance(30) {
        let conjunct = is(rng);
        action.guard.condition.push(if rng.chance(50) { conjunct.negated() } else { conjunct });
    }
    action.updates.push(Update::Set(pc, Expr::Const(to)));
    if rng.chance(60) {
        action.updates.push(Update::Set(own.clone(), Expr::Const(rng.between(0, LAST_VALUE))));
    }
    let shared = SlotId::new(rng.below(system.slots.len()));
    if system.slots[shared].len.is_none() {
        let range = system.range(system.slots[shared].ty);
        let (place, value) = (Place::global(shared), Expr::Const(*rng.pick(&[range.lo, range.hi])));
        match rng.below(6) {
            0 => action.guard.condition.push(place.read().equals(value)),
            1 => action.updates.push(Update::Set(place, value)),
            _ => {}
        }
    }
    if rng.chance(20) {
        let time = *rng.pick(&[TrapTime::Guard, TrapTime::Effect]);
        let after = *rng.pick(&[AfterTrap::GoesOn, AfterTrap::Stops]);
        action.traps.push(Trap { time, condition: is(rng), kind: TrapKind::Assertion, after, span: Span::NONE });
    }
    match rng.below(10) {
        0 => action.updates.push(Update::Exit),
        1 | 2 => action.hold = Some(Role::ACTOR),
        _ => {}
    }
    action
}
