//! Which statements of a model a whole search never saw executed.
//!
//! A statement counts as executed if some execution of it begins, in an ordinary state or on the way through an atomic
//! sequence: also where it leads to a state that is known, and where it ends in a run-time error. A condition whose
//! evaluation is an error has begun, too. The closing brace of a process counts as soon as control stands there, though the
//! process may have to wait for younger ones to end.

use lariat_base::Span;
use lariat_system::{ActionId, ControlEdge, Fault, FrameId, Owner, System, TrapTime, Update};
use std::collections::{BTreeSet, HashSet};

/// What a search of a whole graph saw happen.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Taken {
    /// The actions that led somewhere, ascending.
    pub actions: Vec<ActionId>,
    /// The run-time errors that were met, ascending.
    pub faults: Vec<Fault>,
}

/// A statement of a model.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Statement {
    /// The kind of process it belongs to; empty if to none.
    pub process: String,
    /// The statement as its author would recognise it.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// A statement that is never executed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unreached {
    /// The statement.
    pub statement: Statement,
    /// Control stands before it in some state, but it can never be executed there. Where control cannot be told from the form
    /// of the actions, this is not claimed.
    pub blocked: bool,
}

/// How often the statements of a model were executed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Coverage {
    /// Each statement once, in the order of the text.
    pub statements: Vec<Covered>,
    /// Whether the whole graph was seen: otherwise what was not seen may yet be executed.
    pub is_complete: bool,
}

/// A statement, and how often it was executed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Covered {
    /// The statement.
    pub statement: Statement,
    /// How many transitions execute it and lead to a state.
    pub taken: u64,
    /// Whether it was executed or reached: also if it was only ever executed with an error, or is the end of a process that waits
    /// for others to end.
    pub is_reached: bool,
}

impl Coverage {
    /// Of these statements; `unreached` are those that are never executed if the whole graph was seen, and `taken` says how often
    /// a statement was executed.
    pub fn new(
        statements: Vec<Statement>,
        unreached: Option<&[Unreached]>,
        taken: impl Fn(&Statement) -> u64,
    ) -> Coverage {
        let mut known = HashSet::new();
        let mut statements: Vec<Covered> = statements
            .into_iter()
            .filter(|statement| known.insert(statement.clone()))
            .map(|statement| {
                let taken = taken(&statement);
                let is_unreached = |list: &[Unreached]| list.iter().any(|one| one.statement == statement);
                Covered { is_reached: unreached.map_or(taken > 0, |list| !is_unreached(list)), statement, taken }
            })
            .collect();
        statements.sort_by_key(|covered| (covered.statement.span.file, covered.statement.span.start));
        Coverage { statements, is_complete: unreached.is_some() }
    }
}

/// Those of `statements`, in their order and each once, that are never executed.
pub fn never_taken(system: &System, taken: &Taken, statements: Vec<Statement>) -> Vec<Unreached> {
    let mut seen: HashSet<Statement> = taken.actions.iter().flat_map(|&action| statements_of(system, action)).collect();
    seen.extend(taken.faults.iter().flat_map(|&fault| failing(system, fault)));
    let mut stood_at: HashSet<Statement> = HashSet::new();
    for frame in system.frames.ids() {
        let Some((edges, places)) = control(system, frame, taken) else { continue };
        for edge in edges.iter().filter(|edge| places.contains(&edge.from)) {
            // Who waits to die, be it for a `provided` clause, has come to the end.
            let known = if edge.to.is_none() { &mut seen } else { &mut stood_at };
            known.extend(statements_of(system, edge.action).nth(edge.role.index()));
        }
    }
    let unseen = statements.into_iter().filter(|statement| seen.insert(statement.clone()));
    unseen.map(|statement| Unreached { blocked: stood_at.contains(&statement), statement }).collect()
}

/// The statements that the actions of a system come from.
pub fn statements_of_actions(system: &System) -> Vec<Statement> {
    system.actions.ids().flat_map(|action| statements_of(system, action)).collect()
}

/// The statement of an action; in a rendezvous the receiver's too.
pub fn statements_of(system: &System, action: ActionId) -> impl Iterator<Item = Statement> {
    let action = &system.actions[action];
    let process = |role: usize| {
        let frame = action.participants.get(role).map(|&frame| system.frames[frame].name.clone());
        frame.unwrap_or_default()
    };
    let own = Statement { process: process(0), text: action.name.clone(), span: action.span };
    let peer =
        action.peer.as_ref().map(|(text, span)| Statement { process: process(1), text: text.clone(), span: *span });
    std::iter::once(own).chain(peer)
}

/// The statements whose execution ends in the error. Where the guard of a rendezvous fails nobody executes anything yet, and
/// it is the half in which the error stands.
fn failing(system: &System, fault: Fault) -> Vec<Statement> {
    let mut halves: Vec<Statement> = statements_of(system, fault.action()).collect();
    if let Fault::Trap(action, number) = fault {
        let trap = &system.actions[action].traps[usize::from(number)];
        if trap.time == TrapTime::Guard {
            let is_peers =
                halves.len() > 1 && !lies_in(trap.span, halves[0].span) && lies_in(trap.span, halves[1].span);
            return vec![halves.swap_remove(usize::from(is_peers))];
        }
    }
    halves
}

fn lies_in(inner: Span, outer: Span) -> bool {
    inner.file == outer.file && outer.start <= inner.start && inner.end <= outer.end
}

/// How control can move in processes of the frame, and where it stood; `None` if the form of the actions does not tell.
fn control(system: &System, frame: FrameId, taken: &Taken) -> Option<(Vec<ControlEdge>, BTreeSet<i64>)> {
    let control = system.frames[frame].control?;
    let edges = system.control_edges(frame)?;
    let is_taken = |edge: &&ControlEdge| taken.actions.binary_search(&edge.action).is_ok();
    let mut places: BTreeSet<i64> = edges.iter().filter(is_taken).filter_map(|edge| edge.to).collect();
    let taken = taken.actions.iter().flat_map(|&action| &system.actions[action].updates);
    for update in system.init.updates.iter().chain(taken) {
        match update {
            Update::Spawn { frame: born, arguments } if *born == frame => {
                let given = arguments.iter().rfind(|argument| argument.slot == control);
                let at = given.map(|argument| argument.value.as_const());
                places.insert(at.unwrap_or_else(|| Some(system.frames[frame].slots[control].initial_of(0)))?);
            }
            // Actions do not do this: it would be no edge. What begins a run could.
            Update::Set(place, _) if matches!(place.owner, Owner::At(of, local, _) if of == frame && local == control) =>
            {
                return None;
            }
            Update::Spawn { .. } | Update::Set(..) | Update::Exit => {}
        }
    }
    Some((edges, places))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_base::FileId;
    use lariat_system::{Action, AfterTrap, Argument, Expr, Frame, LocalId, Place, Role, Slot, Trap, TrapKind, Type};

    fn pc(role: Role) -> Place {
        Place::local(role, LocalId(0))
    }

    fn frame(name: &str) -> Frame {
        let slots = [Slot::new("pc", Type::Int { lo: 0, hi: 3 }, 0)].into_iter().collect();
        Frame { name: name.into(), slots, control: Some(LocalId(0)), span: Span::NONE }
    }

    fn action(name: &str, from: i64, updates: Vec<Update>) -> Action {
        let mut action = Action::new(name, vec![FrameId(0)]);
        action.guard.control.push(pc(Role::ACTOR).read().equals(Expr::Const(from)));
        action.updates = updates;
        action
    }

    fn go(to: i64) -> Vec<Update> {
        vec![Update::Set(pc(Role::ACTOR), Expr::Const(to))]
    }

    /// `first; second; }`, begun once.
    fn system() -> System {
        let mut system = System::empty("coverage");
        system.frames.push(frame("P"));
        system.pool_size = 2;
        system.init.updates.push(Update::Spawn { frame: FrameId(0), arguments: Vec::new() });
        system.actions.push(action("first", 0, go(1)));
        system.actions.push(action("second", 1, go(2)));
        system.actions.push(action("}", 2, vec![Update::Exit]));
        system
    }

    fn unreached(system: &System, actions: &[u32], faults: &[Fault]) -> Vec<(String, bool)> {
        let taken =
            Taken { actions: actions.iter().map(|&action| ActionId(action)).collect(), faults: faults.to_vec() };
        let found = never_taken(system, &taken, statements_of_actions(system));
        found.into_iter().map(|found| (found.statement.text, found.blocked)).collect()
    }

    fn rows(texts: &[(&str, bool)]) -> Vec<(String, bool)> {
        texts.iter().map(|&(text, blocked)| (text.to_owned(), blocked)).collect()
    }

    #[test]
    fn a_process_that_waits_to_end_has_come_to_its_end() {
        let system = system();
        assert_eq!(unreached(&system, &[0, 1, 2], &[]), []);
        assert_eq!(unreached(&system, &[0, 1], &[]), []);
        assert_eq!(unreached(&system, &[0], &[]), rows(&[("second", true), ("}", false)]));
        assert_eq!(unreached(&system, &[], &[]), rows(&[("first", true), ("second", false), ("}", false)]));
    }

    #[test]
    fn what_fails_is_executed_and_leads_nowhere() {
        let system = system();
        let fault = Fault::PoolFull(ActionId(1));
        assert_eq!(unreached(&system, &[0], &[fault]), rows(&[("}", false)]));
    }

    #[test]
    fn one_who_is_born_at_its_end_waits_there() {
        let mut system = system();
        system.init.updates =
            vec![Update::Spawn { frame: FrameId(0), arguments: vec![Argument::new(LocalId(0), Expr::Const(2))] }];
        assert_eq!(unreached(&system, &[], &[]), rows(&[("first", false), ("second", false)]));
        // Nobody knows where this one is born.
        let unknown = Update::Spawn { frame: FrameId(0), arguments: vec![Argument::new(LocalId(0), Expr::PoolCount)] };
        system.init.updates.push(unknown);
        assert_eq!(unreached(&system, &[], &[]).len(), 3);
    }

    #[test]
    fn a_guard_that_fails_is_that_of_its_own_half() {
        let mut system = system();
        let mut meeting = action("q!a[3]", 0, go(1));
        meeting.participants.push(FrameId(0));
        meeting.guard.control.push(pc(Role::PEER).read().equals(Expr::Const(1)));
        meeting.span = Span::new(FileId(0), 10, 20);
        meeting.peer = Some(("q?a[4]".to_owned(), Span::new(FileId(0), 30, 40)));
        for (start, time) in [(12, TrapTime::Guard), (32, TrapTime::Guard), (12, TrapTime::Effect)] {
            let span = Span::new(FileId(0), start, start + 2);
            let (condition, kind, after) = (Expr::TRUE, TrapKind::Index, AfterTrap::GoesOn);
            meeting.traps.push(Trap { time, condition, kind, after, span });
        }
        system.actions.push(meeting);
        let failed = |number: u16| {
            let found = unreached(&system, &[0, 1, 2], &[Fault::Trap(ActionId(3), number)]);
            found.into_iter().map(|(text, _)| text).collect::<Vec<_>>()
        };
        assert_eq!(failed(0), ["q?a[4]"]);
        assert_eq!(failed(1), ["q!a[3]"]);
        assert_eq!(failed(2), Vec::<String>::new());
    }
}
