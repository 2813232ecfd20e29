//! How control moves in a process.

use lariat_base::Span;
use lariat_system::{Action, Expr, Frame, FrameId, LocalId, Place, Role, Slot, System, Type, Update};

fn system() -> System {
    let mut system = System::empty("control");
    let slots = [Slot::new("pc", Type::Int { lo: 0, hi: 3 }, 0)].into_iter().collect();
    system.frames.push(Frame { name: "P".into(), slots, control: Some(LocalId(0)), span: Span::NONE });
    system
}

fn step(from: i64, updates: Vec<Update>) -> Action {
    let mut action = Action::new("step", vec![FrameId(0)]);
    let pc = Place::local(Role::ACTOR, LocalId(0));
    action.guard.control.push(pc.read().equals(Expr::Const(from)));
    action.updates = updates;
    action
}

#[test]
fn control_goes_where_it_is_written_to_go() {
    let mut system = system();
    let pc = || Place::local(Role::ACTOR, LocalId(0));
    system.actions.push(step(0, vec![Update::Set(pc(), Expr::Const(2))]));
    system.actions.push(step(2, Vec::new()));
    system.actions.push(step(2, vec![Update::Exit]));
    let edges = system.control_edges(FrameId(0)).expect("every action tells");
    let ways: Vec<_> = edges.iter().map(|edge| (edge.from, edge.to)).collect();
    assert_eq!(ways, [(0, Some(2)), (2, Some(2)), (2, None)]);
}

#[test]
fn what_cannot_be_known_is_not_told() {
    let mut computed = system();
    let pc = || Place::local(Role::ACTOR, LocalId(0));
    computed.actions.push(step(0, vec![Update::Set(pc(), pc().read())]));
    assert_eq!(computed.control_edges(FrameId(0)), None);
    let mut anywhere = system();
    anywhere.actions.push(Action::new("anywhere", vec![FrameId(0)]));
    assert_eq!(anywhere.control_edges(FrameId(0)), None);
}
