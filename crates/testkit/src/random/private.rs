//! Steps that are nobody else's business: what reductions of the state space look for, and what is rare in systems where
//! everything speaks of everything.

use crate::Rng;
use lariat_base::Span;
use lariat_system::{
    Action, AfterTrap, Expr, FrameId, LocalId, Place, Role, Slot, System, Trap, TrapKind, TrapTime, Type, Update,
};

/// The values of a slot that a process has for itself.
const LAST_VALUE: i64 = 2;

/// Gives every frame with control a slot of its own, and puts places on the ways of its processes where they do nothing but
/// read and write it. The system stays valid.
pub fn add_private_steps(system: &mut System, rng: &mut Rng) {
    for frame in system.frames.ids() {
        let Some(control) = system.frames[frame].control else { continue };
        let Type::Int { lo, hi } = system.frames[frame].slots[control].ty else { continue };
        let places = 1 + rng.below(3) as i64;
        system.frames[frame].slots[control].ty = Type::Int { lo, hi: hi + places };
        let range = Type::Int { lo: 0, hi: LAST_VALUE };
        let own = system.frames[frame].slots.push(Slot::new("own", range, rng.between(0, LAST_VALUE)));
        let pc = Place::local(Role::ACTOR, control);
        let mut targets = vec![hi, lo];
        for action in system.actions.iter_mut().filter(|action| action.participants.first() == Some(&frame)) {
            for update in &mut action.updates {
                if let Update::Set(place, Expr::Const(to)) = update
                    && *place == pc
                {
                    targets.push(*to);
                    if rng.chance(60) {
                        *to = hi + rng.between(1, places);
                    }
                }
            }
        }
        for place in hi + 1..=hi + places {
            for _ in 0..1 + rng.below(2) {
                let to = if rng.chance(40) { hi + rng.between(1, places) } else { *rng.pick(&targets) };
                let action = private_step(rng, (frame, control, own), place, to);
                system.actions.push(action);
            }
        }
    }
}

fn private_step(rng: &mut Rng, (frame, control, own): (FrameId, LocalId, LocalId), from: i64, to: i64) -> Action {
    let mut action = Action::new(format!("own {from} {to}"), vec![frame]);
    let (pc, own) = (Place::local(Role::ACTOR, control), Place::local(Role::ACTOR, own));
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
