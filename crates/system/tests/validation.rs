//! What a valid system obeys: each law is broken once.

use lariat_base::Span;
use lariat_system::*;

/// One of everything, valid.
fn sample() -> System {
    let mut system = System::empty("sample");
    let x = system.slots.push(Slot::new("x", Type::Int { lo: 0, hi: 3 }, 0));
    system.slots.push(Slot::array("a", Type::Bool, 2, 0));
    let slots = [Slot::new("pc", Type::Int { lo: 0, hi: 1 }, 0)].into_iter().collect();
    let frame = system.frames.push(Frame { name: "P".into(), slots, control: Some(LocalId(0)), span: Span::NONE });
    system.pool_size = 2;
    system.init.updates.push(Update::Spawn { frame, arguments: vec![Argument::new(LocalId(0), Expr::Const(1))] });
    let mut action = Action::new("go", vec![frame]);
    action.choices.push(Choice { name: "c".into(), ty: Type::Int { lo: 0, hi: 3 } });
    action.updates.push(Update::Set(Place::global(x), Expr::Choice(ChoiceId(0))));
    system.actions.push(action);
    system.labels.push(Label { name: "l".into(), meaning: LabelMeaning::Step, span: Span::NONE });
    system
}

/// The code of the first error after `change`.
fn broken(change: impl FnOnce(&mut System)) -> &'static str {
    let mut system = sample();
    change(&mut system);
    system.validate().expect_err("the change breaks a law")[0].code
}

fn with_action(change: impl FnOnce(&mut Action)) -> &'static str {
    broken(|system| change(&mut system.actions[ActionId(0)]))
}

#[test]
fn the_sample_is_valid() {
    assert_eq!(sample().validate(), Ok(()));
}

#[test]
fn declarations_are_checked() {
    assert_eq!(broken(|s| s.slots[SlotId(1)].name = "x".into()), "S0101");
    assert_eq!(broken(|s| s.frames[FrameId(0)].name = String::new()), "S0101");
    assert_eq!(broken(|s| s.slots[SlotId(0)].ty = Type::Int { lo: 1, hi: 0 }), "S0103");
    assert_eq!(broken(|s| s.slots[SlotId(0)].ty = Type::Int { lo: 0, hi: i64::MAX }), "S0103");
    assert_eq!(broken(|s| s.slots[SlotId(0)].ty = Type::Enum(EnumId(0))), "S0104");
    assert_eq!(broken(|s| s.slots[SlotId(0)].initial = vec![4]), "S0105");
    assert_eq!(broken(|s| s.slots[SlotId(1)].initial = vec![0, 0, 0]), "S0105");
    assert_eq!(broken(|s| s.frames[FrameId(0)].control = Some(LocalId(1))), "S0106");
    assert_eq!(broken(|s| s.pool_size = 256), "S0107");
    assert_eq!(broken(|s| s.slots[SlotId(1)].len = Some(1 << 30)), "S0108");
}

/// Cells of one value take no bits, but each takes memory wherever a state is not packed.
#[test]
fn cells_without_bits_are_counted() {
    let nothing = Type::Int { lo: 0, hi: 0 };
    let global = |len| move |s: &mut System| s.slots[SlotId(1)] = Slot::array("a", nothing, len, 0);
    let local = |len| {
        move |s: &mut System| {
            let _ = s.frames[FrameId(0)].slots.push(Slot::array("l", nothing, len, 0));
        }
    };
    for len in [4_000_000_000, u32::MAX, MAX_CELLS as u32] {
        assert_eq!(broken(global(len)), "S0108");
        assert_eq!(broken(local(len)), "S0108");
    }
    assert_eq!(broken(local(MAX_CELLS as u32 / 2)), "S0108", "two processes have it");
    let mut system = sample();
    global(MAX_CELLS as u32 / 2)(&mut system);
    assert_eq!(system.validate(), Ok(()));
}

#[test]
fn expressions_are_checked() {
    let guard = |expr: Expr| with_action(|action| action.guard.condition.push(expr));
    assert_eq!(guard(Place::global(SlotId(2)).read()), "S0201");
    assert_eq!(guard(Place::local(Role(1), LocalId(0)).read()), "S0202");
    assert_eq!(guard(Place::local(Role(0), LocalId(1)).read()), "S0201");
    assert_eq!(guard(Place::global(SlotId(1)).read()), "S0203");
    assert_eq!(guard(Place::global(SlotId(0)).at(Expr::Const(0)).read()), "S0203");
    assert_eq!(guard(Expr::Choice(ChoiceId(1))), "S0204");
    assert_eq!(guard(Expr::Wrap { bits: 0, signed: false, value: Box::new(Expr::Const(0)) }), "S0205");
    assert_eq!(guard(Expr::Wrap { bits: 63, signed: false, value: Box::new(Expr::Const(0)) }), "S0205");
    let large = Expr::Const(1 << 40);
    assert_eq!(guard(Expr::Binary(BinaryOp::Mul, Box::new(large.clone()), Box::new(large))), "S0206");
    let deep = (0..MAX_DEPTH).fold(Expr::PoolCount, |expr, _| Expr::Unary(UnaryOp::Not, Box::new(expr)));
    assert_eq!(guard(deep), "S0207");
}

#[test]
fn actions_are_checked() {
    let choice = || Expr::Choice(ChoiceId(0));
    assert_eq!(with_action(|a| a.participants.push(FrameId(1))), "S0201");
    assert_eq!(with_action(|a| a.participants = vec![FrameId(0); 3]), "S0301");
    assert_eq!(with_action(|a| a.choices[ChoiceId(0)].ty = Type::Int { lo: 1, hi: 0 }), "S0103");
    assert_eq!(with_action(|a| a.guard.control.push(choice())), "S0204");
    assert_eq!(with_action(|a| a.rank = choice()), "S0204");
    let too_much = choice().plus(Expr::Const(1));
    assert_eq!(with_action(|a| a.updates.push(Update::Set(Place::global(SlotId(0)), too_much))), "S0303");
    let spawn = Update::Spawn { frame: FrameId(0), arguments: vec![Argument::new(LocalId(0), choice())] };
    assert_eq!(with_action(|a| a.updates.push(spawn)), "S0303");
    assert_eq!(with_action(|a| a.updates.extend([Update::Exit, Update::Exit])), "S0304");
    let spawn = Update::Spawn { frame: FrameId(0), arguments: Vec::new() };
    assert_eq!(with_action(|a| a.updates.extend([Update::Exit, spawn])), "S0304");
    assert_eq!(with_action(|a| a.hold = Some(Role(1))), "S0305");
    assert_eq!(with_action(|a| a.trail = vec![1, 2]), "S0307");
    let trap = Trap {
        time: TrapTime::Effect,
        condition: Expr::TRUE,
        kind: TrapKind::Division,
        after: AfterTrap::Stops,
        span: Span::NONE,
    };
    assert_eq!(with_action(|a| a.traps = vec![trap.clone(); MAX_TRAPS + 1]), "S0308");
    let mut system = sample();
    system.actions[ActionId(0)].traps = vec![trap; MAX_TRAPS];
    assert_eq!(system.validate(), Ok(()));
    assert_eq!(with_action(|a| a.labels.push((LabelId(1), Expr::TRUE))), "S0306");
    assert_eq!(broken(|s| s.init.updates.push(Update::Exit)), "S0304");
}

#[test]
fn what_is_observed_is_checked() {
    assert_eq!(broken(|s| s.labels[LabelId(0)].meaning = LabelMeaning::By(2)), "S0401");
    assert_eq!(broken(|s| s.invariants.push(Expr::Position(Role(0)))), "S0202");
    assert_eq!(broken(|s| s.proper_end = Expr::Choice(ChoiceId(0))), "S0204");
    assert_eq!(broken(|s| s.fairness.push(Fairness::justice(LabelId(1)))), "S0402");
    assert_eq!(broken(|s| s.fairness.push(Fairness::weak(Who::Process(2)))), "S0402");
    assert_eq!(broken(|s| s.fairness.push(Fairness::strong(Who::Steps(LabelId(1))))), "S0402");
}
