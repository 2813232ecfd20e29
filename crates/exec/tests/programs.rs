//! Systems written by hand for what random ones seldom reach. Each is compared with the reference evaluator, and states
//! its own figures.

use lariat_base::{Id, IdVec, Span};
use lariat_exec::{Backend, CompileError, Program, SpaceVisitor, first_difference, with_program};
use lariat_space::{Enumerated, Outcome, ReferenceSpace, Sink, StateSpace, Step, Underway, each};
use lariat_system::*;
use std::ops::ControlFlow;

const PC: LocalId = LocalId(0);

fn int(lo: i64, hi: i64) -> Type {
    Type::Int { lo, hi }
}

fn frame(system: &mut System, name: &str, slots: Vec<Slot>) -> FrameId {
    let slots: IdVec<LocalId, Slot> = slots.into_iter().collect();
    system.frames.push(Frame { name: name.into(), slots, control: Some(PC), span: Span::NONE })
}

fn pc_is(role: Role, value: i64) -> Expr {
    Place::local(role, PC).read().equals(Expr::Const(value))
}

fn go(role: Role, value: i64) -> Update {
    Update::Set(Place::local(role, PC), Expr::Const(value))
}

/// An action of one process, from one place of control to another.
fn local(frame: FrameId, from: i64, to: i64) -> Action {
    let mut action = Action::new(format!("{from} to {to}"), vec![frame]);
    action.guard.control.push(pc_is(Role::ACTOR, from));
    action.updates.push(go(Role::ACTOR, to));
    action
}

fn spawn(frame: FrameId) -> Update {
    Update::Spawn { frame, arguments: Vec::new() }
}

/// Compares with the reference on up to `limit` states, and returns the number of reachable states.
fn states(system: &System, limit: usize) -> usize {
    system.validate().expect("a valid system");
    let program = Program::compile(system).expect("it compiles");
    let reference = ReferenceSpace::new(system).expect("it is small");
    assert_eq!(first_difference(&reference, &program, limit), None, "{}", program.disassemble());
    assert_eq!(first_difference(&program, &reference, limit), None);
    compare_native(system, &reference, limit);
    Enumerated::new(&program, 1 << 20).expect("not too many states").states.len()
}

/// Compares native code, where it is to be had, with the reference.
fn compare_native(system: &System, reference: &ReferenceSpace<'_>, limit: usize) {
    let compare = Comparison { reference, limit };
    assert_eq!(with_program(system, Backend::Native, None, compare).expect("it compiles"), None);
}

struct Comparison<'a> {
    reference: &'a ReferenceSpace<'a>,
    limit: usize,
}

impl SpaceVisitor for Comparison<'_> {
    type Output = Option<String>;

    fn visit<S: StateSpace>(self, space: &S, _: Backend) -> Option<String> {
        first_difference(self.reference, space, self.limit)
    }
}

/// `bit g; byte y; active proctype P(){atomic{y=1; g==1; y=2}} active proctype Q(){do :: g=1-g od}`
fn atomic_that_blocks() -> System {
    let mut system = System::empty("atomic that blocks");
    let g = Place::global(system.slots.push(Slot::new("g", int(0, 1), 0)));
    let y = Place::global(system.slots.push(Slot::new("y", int(0, 255), 0)));
    let p = frame(&mut system, "P", vec![Slot::new("pc", int(0, 3), 0)]);
    let q = frame(&mut system, "Q", vec![Slot::new("pc", int(0, 0), 0)]);
    system.pool_size = 2;
    system.init.updates = vec![spawn(p), spawn(q)];
    let mut first = local(p, 0, 1);
    first.updates.push(Update::Set(y.clone(), Expr::Const(1)));
    first.hold = Some(Role::ACTOR);
    let mut second = local(p, 1, 2);
    second.guard.condition.push(g.clone().read().equals(Expr::Const(1)));
    second.hold = Some(Role::ACTOR);
    let mut third = local(p, 2, 3);
    third.updates.push(Update::Set(y, Expr::Const(2)));
    let mut flip = local(q, 0, 0);
    let flipped = Expr::binary(BinaryOp::Sub, Expr::Const(1), g.clone().read());
    flip.updates.push(Update::Set(g, flipped));
    for action in [first, second, third, flip] {
        system.actions.push(action);
    }
    system
}

#[test]
fn an_atomic_that_blocks_has_the_states_of_spin() {
    assert_eq!(states(&atomic_that_blocks(), 300), 6);
}

/// Senders and receivers of one frame: every ordered pair meets, the youngest first, by the receiver's control.
#[test]
fn a_rendezvous_finds_its_receivers_by_control() {
    let mut system = System::empty("rendezvous");
    let p = frame(&mut system, "P", vec![Slot::new("pc", int(-2, 3), -2), Slot::new("got", int(0, 9), 0)]);
    let other = frame(&mut system, "Other", vec![Slot::new("pc", int(-2, 3), 1)]);
    system.pool_size = 5;
    system.init.updates = vec![spawn(p), spawn(p), spawn(other), spawn(p), spawn(p)];
    for (from, asked) in [(-2, Some(-2)), (-1, Some(1)), (-1, None)] {
        let mut meet = Action::new("meet", vec![p, p]);
        meet.guard.control.push(pc_is(Role::ACTOR, from));
        if let Some(asked) = asked {
            meet.guard.control.push(pc_is(Role::PEER, asked));
        }
        meet.updates = vec![
            go(Role::ACTOR, from + 1),
            go(Role::PEER, 1),
            Update::Set(Place::local(Role::PEER, LocalId(1)), Expr::Position(Role::ACTOR)),
        ];
        meet.traps.push(Trap {
            time: TrapTime::Guard,
            condition: Place::local(Role::PEER, LocalId(1)).read().equals(Expr::Const(3)),
            kind: TrapKind::Channel,
            after: AfterTrap::GoesOn,
            span: Span::NONE,
        });
        system.actions.push(meet);
    }
    system.actions.push(local(p, 1, -1));
    assert!(states(&system, 300) > 100);
}

/// A choice that the guard settles is not tried: a range of a million values takes no time.
#[test]
fn a_settled_choice_is_not_enumerated() {
    let mut system = System::empty("settled");
    let x = Place::global(system.slots.push(Slot::new("x", int(0, 999_999), 17)));
    let y = Place::global(system.slots.push(Slot::new("y", int(0, 999_999), 0)));
    let mut action = Action::new("swap", vec![]);
    for name in ["a", "b"] {
        action.choices.push(Choice { name: name.into(), ty: int(0, 999_999) });
    }
    let (a, b) = (Expr::Choice(ChoiceId(0)), Expr::Choice(ChoiceId(1)));
    action
        .guard
        .condition
        .push(x.clone().read().plus(Expr::Const(1)).equals(a.clone()).and(b.clone().equals(a.clone())));
    action.updates = vec![Update::Set(x, a), Update::Set(y, b)];
    system.actions.push(action);
    let program = Program::compile(&system).expect("it compiles");
    let mut scratch = program.scratch();
    let mut state = Vec::new();
    let _ = program.initial(&mut scratch, |initial| {
        state = initial.to_vec();
        ControlFlow::<()>::Continue(())
    });
    for _ in 0..10_000 {
        let mut next = Vec::new();
        let _ = program.steps(
            &state,
            &mut scratch,
            each(|step| {
                assert!(next.is_empty(), "one step");
                let Outcome::State(target) = step.target else { panic!("no fault") };
                next = target.to_vec();
                ControlFlow::<()>::Continue(())
            }),
        );
        state = next;
    }
    let valuation = program.layout().unpack(&state);
    assert_eq!(valuation.globals, [[10_017], [10_017]]);
}

#[test]
fn choices_come_out_in_order_whatever_settles_them() {
    let mut system = System::empty("choices");
    let x = Place::global(system.slots.push(Slot::new("x", int(-2, 2), 0)));
    let mut action = Action::new("choose", vec![]);
    for name in ["a", "b", "c"] {
        action.choices.push(Choice { name: name.into(), ty: int(-2, 2) });
    }
    let choice = |number: u32| Expr::Choice(ChoiceId(number));
    // `b` is settled by `a`, often outside its range; `c` is bounded by both.
    action.guard.condition.push(choice(0).plus(x.clone().read()).equals(choice(1)));
    action.guard.condition.push(choice(2).less(choice(1)));
    action.guard.condition.push(choice(0).equals(Expr::Const(1)).negated());
    action.updates.push(Update::Set(x, choice(2)));
    system.init.choices.push(Choice { name: "i".into(), ty: int(-2, 2) });
    system.init.guard.push(choice(0).equals(Expr::Const(2)).negated());
    system
        .init
        .updates
        .push(Update::Set(Place::global(SlotId(0)), Expr::binary(BinaryOp::BitAnd, choice(0), Expr::Const(1))));
    system.actions.push(action);
    assert_eq!(states(&system, 300), 4);
}

/// Sets of labels across a word boundary, on paths that collect them.
#[test]
fn hundreds_of_labels_work() {
    for labels in [1, 31, 32, 33, 63, 64, 65, 200] {
        let mut system = atomic_that_blocks();
        for number in 0..labels {
            let meaning = match number % 3 {
                0 => LabelMeaning::Step,
                1 => LabelMeaning::By((number % 2) as Position),
                _ => LabelMeaning::State(Place::global(SlotId(0)).read()),
            };
            system.labels.push(Label { name: format!("l{number}"), meaning, span: Span::NONE });
        }
        let last_step = (labels - 1) / 3 * 3;
        let steps: Vec<LabelId> = (0..=last_step).step_by(3).map(LabelId::new).collect();
        for (number, &label) in steps.iter().enumerate() {
            let condition = if number % 2 == 0 { Expr::TRUE } else { Place::global(SlotId(0)).read() };
            let action = ActionId::new(number % system.actions.len());
            system.actions[action].labels.push((label, condition));
        }
        assert_eq!(states(&system, 300), 6);
        let program = Program::compile(&system).expect("it compiles");
        let graph = Enumerated::new(&program, 100).expect("six states");
        let of_states = (0..labels).filter(|number| number % 3 == 2).count();
        let with_g = graph.labels.iter().filter(|labels| labels.contains(LabelId(2))).count();
        assert_eq!(with_g, if of_states > 0 { 3 } else { 0 });
    }
}

/// `long` counts to a million inside one atomic sequence; neither stack nor time suffers.
#[test]
fn an_atomic_of_a_million_actions_is_one_step() {
    const LENGTH: i64 = 1_000_000;
    let mut system = System::empty("long");
    let p = frame(&mut system, "P", vec![Slot::new("pc", int(0, 1), 0), Slot::new("n", int(0, LENGTH), 0)]);
    system.pool_size = 1;
    system.init.updates = vec![spawn(p)];
    let n = Place::local(Role::ACTOR, LocalId(1));
    let mut count = local(p, 0, 0);
    count.guard.condition.push(n.clone().read().less(Expr::Const(LENGTH)));
    count.updates.push(Update::Set(n.clone(), n.clone().read().plus(Expr::Const(1))));
    count.hold = Some(Role::ACTOR);
    let mut end = local(p, 0, 1);
    end.guard.condition.push(n.read().equals(Expr::Const(LENGTH)));
    system.actions.push(count);
    system.actions.push(end);
    let program = Program::compile(&system).expect("it compiles");
    let mut scratch = program.scratch();
    let mut state = Vec::new();
    let _ = program.initial(&mut scratch, |initial| {
        state = initial.to_vec();
        ControlFlow::<()>::Continue(())
    });
    for _ in 0..2 {
        let mut lengths = Vec::new();
        let _ = program.steps(
            &state,
            &mut scratch,
            each(|step| {
                assert!(matches!(step.target, Outcome::State(_)));
                lengths.push(step.via.len());
                ControlFlow::<()>::Continue(())
            }),
        );
        assert_eq!(lengths, [LENGTH as usize + 1]);
    }
    // Whoever watches it is asked often, is told of growth, and can end it; which the next call does not notice.
    let mut asked = Vec::new();
    let mut listed = 0;
    let mut scratch = program.scratch();
    for stop_after in [1, 10, usize::MAX] {
        asked.clear();
        let sink = Impatient { asked: &mut asked, listed: &mut listed, stop_after };
        let flow = program.steps(&state, &mut scratch, sink);
        assert_eq!(flow.break_value(), (stop_after < usize::MAX).then_some(stop_after));
    }
    assert_eq!(listed, 1);
    assert!(asked.windows(2).all(|pair| pair[1].actions - pair[0].actions < 1000));
    assert!(asked.is_sorted_by_key(|underway| underway.scratch_bytes));
    // Three words a row at least, and the action.
    assert!(asked.last().is_some_and(|last| last.scratch_bytes > 32 * LENGTH as u64));
}

/// A sink that ends the enumeration when it was asked so often whether to go on.
struct Impatient<'a> {
    asked: &'a mut Vec<Underway>,
    listed: &'a mut usize,
    stop_after: usize,
}

impl Sink for Impatient<'_> {
    type Break = usize;

    fn step(&mut self, _: Step<'_>) -> ControlFlow<usize> {
        *self.listed += 1;
        ControlFlow::Continue(())
    }
    fn underway(&mut self, underway: Underway) -> ControlFlow<usize> {
        self.asked.push(underway);
        if self.asked.len() == self.stop_after {
            ControlFlow::Break(self.stop_after)
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// An atomic loop is an error on its first return, and the branch that leaves it is a step.
#[test]
fn an_endless_atomic_is_reported_where_it_closes() {
    let mut system = System::empty("endless");
    let x = Place::global(system.slots.push(Slot::new("x", int(0, 3), 0)));
    let p = frame(&mut system, "P", vec![Slot::new("pc", int(0, 2), 0)]);
    system.pool_size = 2;
    system.init.updates = vec![spawn(p), spawn(p)];
    let mut enter = local(p, 0, 1);
    enter.hold = Some(Role::ACTOR);
    let mut turn = local(p, 1, 1);
    let next = Expr::binary(BinaryOp::Rem, x.clone().read().plus(Expr::Const(1)), Expr::Const(4));
    turn.updates.push(Update::Set(x, next));
    turn.hold = Some(Role::ACTOR);
    let leave = local(p, 1, 2);
    for action in [enter, turn, leave] {
        system.actions.push(action);
    }
    states(&system, 300);
    let program = Program::compile(&system).expect("it compiles");
    let mut scratch = program.scratch();
    let graph = Enumerated::new(&program, 100).expect("few states");
    let mut faults = Vec::new();
    let _ = program.steps(
        &graph.states[0],
        &mut scratch,
        each(|step| {
            if let Outcome::Fault(fault) = step.target {
                faults.push((fault, step.via.len()));
            }
            ControlFlow::<()>::Continue(())
        }),
    );
    assert_eq!(faults, [(Fault::EndlessAtomic(ActionId(1)), 5); 2]);
}

/// Two processes begin, each on its own, sequences that a rendezvous makes the same: whoever comes second adds nothing,
/// although neither sequence branches.
#[test]
fn sequences_that_meet_are_followed_once() {
    let mut system = System::empty("meet");
    let slots = || vec![Slot::new("pc", int(0, 3), 0)];
    let (p, q) = (frame(&mut system, "P", slots()), frame(&mut system, "Q", slots()));
    system.pool_size = 2;
    system.init.updates = vec![spawn(p), spawn(q)];
    for (sender, receiver, holder) in [(p, q, Role::PEER), (q, p, Role::ACTOR)] {
        let mut enter = local(sender, 0, 1);
        enter.hold = Some(Role::ACTOR);
        let mut meet = Action::new("meet", vec![sender, receiver]);
        meet.guard.control = vec![pc_is(Role::ACTOR, 1), pc_is(Role::PEER, 0)];
        meet.updates = vec![go(Role::ACTOR, 2), go(Role::PEER, 2)];
        meet.hold = Some(holder);
        system.actions.push(enter);
        system.actions.push(meet);
    }
    system.actions.push(local(q, 2, 3));
    assert_eq!(states(&system, 300), 2);
    let graph = Enumerated::new(&Program::compile(&system).expect("it compiles"), 100).expect("two states");
    assert_eq!(graph.transitions(), 1);
}

/// Regions of many words, regions that share a word, arrays with computed indices, remote reads and writes, and least
/// values that fit no instruction.
#[test]
fn processes_of_any_size_come_and_go() {
    for (cells, lo) in [(2, 0), (3, -5), (40, -(1 << 40)), (200, 1 << 50)] {
        let mut system = System::empty("sizes");
        let ty = int(lo, lo + 6);
        let global = system.slots.push(Slot::array("g", ty, cells, lo + 2));
        let wide = system.slots.push(Slot::new("wide", int(-(1 << 61), 1 << 61), -(1 << 61)));
        let child = frame(
            &mut system,
            "Child",
            vec![Slot::new("pc", int(0, 1), 0), Slot::array("m", ty, cells, lo + 3), Slot::new("one", int(lo, lo), lo)],
        );
        let parent = frame(&mut system, "Parent", vec![Slot::new("pc", int(0, 70_000), 0)]);
        system.pool_size = 3;
        system.init.updates = vec![spawn(parent)];
        let mut born = local(parent, 0, 0);
        born.updates.push(Update::Spawn {
            frame: child,
            arguments: vec![
                Argument::new(LocalId(1), Expr::Const(lo + 1)),
                Argument::new(LocalId(1), Expr::Const(lo + 4)).at(cells - 1),
            ],
        });
        let cell = |index: Expr| Place { owner: Owner::Role(Role::ACTOR, LocalId(1)), index: Some(Box::new(index)) };
        let mut shift = local(child, 0, 1);
        let last =
            Expr::binary(BinaryOp::Sub, Expr::Position(Role::ACTOR).plus(Expr::Const(cells.into())), Expr::Const(2));
        shift.updates = vec![
            go(Role::ACTOR, 1),
            Update::Set(
                cell(last.clone()),
                Place::global(global).at(last.clone()).read().ite(Expr::Const(lo + 4), Expr::Const(lo)),
            ),
            Update::Set(Place::global(global).at(last.clone()), Expr::Const(lo + 5)),
            Update::Set(Place::global(wide), Expr::Const(1 << 61)),
        ];
        let mut remote = local(parent, 0, 0);
        let at = |position: Expr| Owner::At(child, LocalId(1), Box::new(position));
        let there = Place { owner: at(Expr::PoolCount.plus(Expr::Const(-1))), index: Some(Box::new(Expr::Const(1))) };
        remote.guard.condition.push(there.clone().read().equals(Expr::Const(lo + 1)));
        remote.guard.condition.push(Expr::Exists(child, Box::new(pc_is(Role(1), 1))));
        remote.updates.push(Update::Set(there, Expr::Const(lo + 6)));
        let mut exit = local(child, 1, 1);
        exit.guard.condition.push(Place::global(wide).read().equals(Expr::Const(1 << 61)));
        exit.updates.push(Update::Exit);
        for action in [born, shift, remote, exit] {
            system.actions.push(action);
        }
        system.invariants.push(Expr::for_all(child, Place::local(Role(0), LocalId(2)).read().equals(Expr::Const(lo))));
        assert!(states(&system, 300) > 5);
    }
}

/// Nested to the right, to the left and on both sides as deeply as validation allows.
#[test]
fn deep_expressions_fit_the_registers() {
    let x = Place::global(SlotId(0)).read();
    let add = |left: Expr, right: Expr| Expr::Binary(BinaryOp::BitXor, Box::new(left), Box::new(right));
    let product = || Expr::binary(BinaryOp::BitOr, x.clone(), Expr::Choice(ChoiceId(0)));
    let left = (0..900).fold(x.clone(), |sum, _| add(sum, product()));
    let right = (0..900).fold(x.clone(), |sum, _| add(product(), sum));
    let balanced = (0..12).fold(x.clone(), |sum, _| add(sum.clone(), sum.plus(Expr::Const(1))));
    for deep in [left, right, balanced] {
        let mut system = System::empty("deep");
        system.slots.push(Slot::new("x", int(0, 255), 1));
        let mut action = Action::new("deep", vec![]);
        action.choices.push(Choice { name: "c".into(), ty: int(0, 3) });
        let cut = Expr::Wrap { bits: 8, signed: false, value: Box::new(deep) };
        action.updates.push(Update::Set(Place::global(SlotId(0)), cut));
        system.actions.push(action);
        let program = Program::compile(&system).expect("it compiles");
        let reference = ReferenceSpace::new(&system).expect("it is small");
        assert_eq!(first_difference(&reference, &program, 20), None);
        compare_native(&system, &reference, 20);
    }
}

#[test]
fn what_cannot_be_compiled_is_an_error() {
    let mut system = System::empty("huge");
    system.slots.push(Slot::array("a", int(0, 255), 1_000_000_000, 0));
    assert!(matches!(Program::compile(&system), Err(CompileError::TooLarge(_))));
    let mut system = System::empty("three");
    let p = frame(&mut system, "P", vec![Slot::new("pc", int(0, 1), 0)]);
    system.actions.push(Action::new("three", vec![p, p, p]));
    assert_eq!(Program::compile(&system).err(), Some(CompileError::Participants(ActionId(0))));
}
