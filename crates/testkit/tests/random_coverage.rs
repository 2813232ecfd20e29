//! Random systems really meet what they are there to meet. A feature that no system reaches is a feature that no test
//! of the engines covers.

use lariat_base::Id;
use lariat_system::reference::{Evaluator, Firing, Outcome, Valuation};
use lariat_system::{
    BinaryOp, Expr, Fault, IDLE_RANK, LabelMeaning, Layout, Owner, Place, System, TrapKind, TrapTime, Type, UnaryOp,
    Update,
};
use lariat_testkit::{Knobs, RandomSystem};
use std::collections::{BTreeMap, HashSet};

const SYSTEMS: u64 = 300;
const LIMIT: usize = 600;
/// Looking closely is slow: not more than this many steps of a system are replayed.
const FOLLOWED: usize = 120;

/// In how many systems something was met.
#[derive(Default)]
struct Met {
    in_systems: BTreeMap<String, usize>,
    here: HashSet<String>,
}

impl Met {
    fn note(&mut self, what: impl Into<String>) {
        self.here.insert(what.into());
    }
    fn note_if(&mut self, condition: bool, what: &str) {
        if condition {
            self.note(what);
        }
    }
    fn end_system(&mut self) {
        for what in self.here.drain() {
            *self.in_systems.entry(what).or_default() += 1;
        }
    }
}

#[test]
fn every_feature_occurs_and_matters() {
    let mut met = Met::default();
    let mut sizes = Vec::new();
    for seed in 0..SYSTEMS {
        let system = RandomSystem::generate(seed, &Knobs::default());
        assert_eq!(system, RandomSystem::generate(seed, &Knobs::default()), "seed {seed} gives one system");
        assert_eq!(system.validate(), Ok(()), "seed {seed}");
        static_features(&system, &mut met);
        sizes.push(explore(&system, &mut met));
        met.end_system();
    }
    sizes.sort_unstable();
    for (what, count) in &met.in_systems {
        println!("{count:5} {what}");
    }
    println!("states: {sizes:?}");
    let larger = sizes.iter().filter(|&&size| size > 3).count();
    assert!(larger * 10 > sizes.len() * 8, "most systems have more than three states");
    let cut = sizes.iter().filter(|&&size| size >= LIMIT).count();
    assert!(cut * 10 < sizes.len() * 4, "most systems are small, {cut} are not");

    let mut wanted: Vec<String> = TrapKind::ALL.iter().map(|kind| format!("trap {kind:?}")).collect();
    wanted.extend(BinaryOp::ALL.iter().map(|op| format!("operator {op:?}")));
    wanted.extend([UnaryOp::Not, UnaryOp::Neg, UnaryOp::BitNot].iter().map(|op| format!("operator {op:?}")));
    wanted.extend(
        [
            "guard trap",
            "effect trap",
            "pool full",
            "endless atomic",
            "atomic sequence passed through",
            "atomic sequence blocked in the middle",
            "hold handed to the peer",
            "duplicate inside an atomic sequence",
            "ranks cut",
            "idle action runs",
            "spawn",
            "spawn with arguments",
            "spawn with a cell",
            "exit",
            "step without participants",
            "step with 2 participants",
            "choice made",
            "choice excluded by the guard",
            "condition of a step label true",
            "condition of a step label false",
            "by label",
            "state label true",
            "state label false",
            "invariant cuts",
            "several initial states",
            "no initial state",
            "dead end",
            "improper end",
            "read outside an array",
            "read of a dead process",
            "write outside an array",
            "write to a dead process",
            "write overridden",
            "exists true",
            "exists false",
            "lives true",
            "lives false",
            "wrap cuts",
            "division by zero",
            "a slot of one value",
            "a negative bound",
            "an enum slot",
            "a bool slot",
            "an array",
            "a frame without control",
            "a wide slot",
            "a state of several words",
        ]
        .map(String::from),
    );
    let missing: Vec<String> =
        wanted.into_iter().filter(|what| met.in_systems.get(what).is_none_or(|&count| count < 3)).collect();
    assert!(missing.is_empty(), "met in fewer than three of {SYSTEMS} systems: {missing:?}");
}

fn static_features(system: &System, met: &mut Met) {
    let locals = system.frames.iter().flat_map(|frame| frame.slots.iter());
    for slot in system.slots.iter().chain(locals) {
        let range = system.range(slot.ty);
        met.note_if(range.lo == range.hi, "a slot of one value");
        met.note_if(range.lo < 0, "a negative bound");
        met.note_if(range.count() > 300, "a wide slot");
        met.note_if(matches!(slot.ty, Type::Enum(_)), "an enum slot");
        met.note_if(slot.ty == Type::Bool, "a bool slot");
        met.note_if(slot.len.is_some(), "an array");
    }
    met.note_if(system.frames.iter().any(|frame| frame.control.is_none()), "a frame without control");
    met.note_if(Layout::new(system).expect("random systems are small").words > 1, "a state of several words");
}

/// Walks the system, up to the limit, and returns the number of states seen.
fn explore(system: &System, met: &mut Met) -> usize {
    let evaluator = Evaluator::new(system);
    let mut states = evaluator.initial();
    met.note_if(states.is_empty(), "no initial state");
    met.note_if(states.len() > 1, "several initial states");
    let mut seen: HashSet<Valuation> = states.iter().cloned().collect();
    let mut next = 0;
    let mut followed = 0;
    while next < states.len() && states.len() < LIMIT {
        let state = states[next].clone();
        next += 1;
        let steps = evaluator.steps(&state);
        if steps.is_empty() {
            met.note("dead end");
            met.note_if(!evaluator.is_proper_end(&state), "improper end");
        }
        let labels = evaluator.state_labels(&state);
        for (id, label) in system.labels.entries() {
            if matches!(label.meaning, LabelMeaning::State(_)) {
                met.note(if labels.contains(&id) { "state label true" } else { "state label false" });
            }
        }
        if followed < FOLLOWED {
            ranks_and_choices(&evaluator, &state, met);
        }
        for step in steps {
            match &step.outcome {
                Outcome::Fault(Fault::Trap(action, number)) => {
                    let trap = &system.actions[*action].traps[usize::from(*number)];
                    met.note(format!("trap {:?}", trap.kind));
                    met.note(if trap.time == TrapTime::Guard { "guard trap" } else { "effect trap" });
                    continue;
                }
                Outcome::Fault(Fault::PoolFull(_)) => met.note("pool full"),
                Outcome::Fault(Fault::EndlessAtomic(_)) => met.note("endless atomic"),
                Outcome::State(target) => {
                    for label in &step.marks.labels {
                        met.note_if(matches!(system.labels[*label].meaning, LabelMeaning::By(_)), "by label");
                    }
                    if seen.insert(target.clone()) {
                        states.push(target.clone());
                    }
                }
            }
            if followed < FOLLOWED {
                follow(&evaluator, &state, &step.path, met);
            }
            followed += 1;
        }
    }
    states.len()
}

fn ranks_and_choices(evaluator: &Evaluator<'_>, state: &Valuation, met: &mut Met) {
    let enabled = evaluator.enabled(state);
    let (firings, _) = evaluator.firings(state, None);
    met.note_if(firings.len() < enabled.len(), "ranks cut");
    for (id, action) in evaluator.system.actions.entries() {
        let mine: Vec<&Firing> =
            enabled.iter().map(|(_, firing)| firing).filter(|firing| firing.action == id).collect();
        let values: u64 = action.choices.iter().map(|choice| evaluator.system.range(choice.ty).count()).product();
        met.note_if(values > 1 && !mine.is_empty(), "choice made");
        met.note_if(!mine.is_empty() && !(mine.len() as u64).is_multiple_of(values), "choice excluded by the guard");
    }
    let without = System { invariants: Vec::new(), ..evaluator.system.clone() };
    met.note_if(Evaluator::new(&without).enabled(state).len() > enabled.len(), "invariant cuts");
}

/// Replays the path of a step and notes what happens on it.
fn follow(evaluator: &Evaluator<'_>, state: &Valuation, path: &[Firing], met: &mut Met) {
    let system = evaluator.system;
    let mut state = state.clone();
    met.note_if(path.len() > 1, "atomic sequence passed through");
    for firing in path {
        let action = &system.actions[firing.action];
        let scope = &firing.scope;
        met.note_if(evaluator.value(&action.rank, &state, scope) >= IDLE_RANK, "idle action runs");
        met.note_if(scope.positions.is_empty(), "step without participants");
        met.note_if(scope.positions.len() == 2, "step with 2 participants");
        for (_, condition) in &action.labels {
            let holds = evaluator.holds(condition, &state, scope);
            met.note(if holds { "condition of a step label true" } else { "condition of a step label false" });
        }
        let guard = action.guard.conjuncts();
        let values =
            action.updates.iter().filter_map(|u| if let Update::Set(_, value) = u { Some(value) } else { None });
        for expr in guard.chain(values) {
            inspect(evaluator, expr, &state, scope, met);
        }
        let mut written = HashSet::new();
        for update in &action.updates {
            match update {
                Update::Set(place, _) => match locate(evaluator, place, &state, scope) {
                    Ok(cell) => met.note_if(!written.insert(cell), "write overridden"),
                    Err(why) => met.note(format!("write {why}")),
                },
                Update::Spawn { arguments, .. } => {
                    met.note("spawn");
                    met.note_if(!arguments.is_empty(), "spawn with arguments");
                    met.note_if(arguments.iter().any(|argument| argument.cell.is_some()), "spawn with a cell");
                }
                Update::Exit => met.note("exit"),
            }
        }
        let Some(after) = evaluator.fire(&state, firing).1 else { return };
        if let Some(holder) = evaluator.holder_after(firing) {
            met.note_if(action.hold.is_some_and(|role| role.index() == 1), "hold handed to the peer");
            let (firings, transient) = evaluator.firings(&after, Some(holder));
            met.note_if(!transient, "atomic sequence blocked in the middle");
            let targets: Vec<_> = firings.iter().filter_map(|next| evaluator.fire(&after, next).1).collect();
            let different: HashSet<_> = targets.iter().collect();
            met.note_if(transient && different.len() < targets.len(), "duplicate inside an atomic sequence");
        }
        state = after;
    }
}

type Scope = lariat_system::reference::Scope;

fn locate(
    evaluator: &Evaluator<'_>,
    place: &Place,
    state: &Valuation,
    scope: &Scope,
) -> Result<(usize, usize, i64), &'static str> {
    let index = place.index.as_ref().map_or(0, |index| evaluator.value(index, state, scope));
    let (position, slot, cells) = match &place.owner {
        Owner::Global(slot) => (usize::MAX, slot.index(), state.globals[slot.index()].len()),
        Owner::Role(role, local) => {
            let position = usize::from(scope.positions[role.index()]);
            (position, local.index(), state.pool[position].locals[local.index()].len())
        }
        Owner::At(frame, local, position) => {
            let position = usize::try_from(evaluator.value(position, state, scope)).unwrap_or(usize::MAX);
            let instance = state.pool.get(position).filter(|instance| instance.frame == *frame);
            (position, local.index(), instance.ok_or("to a dead process")?.locals[local.index()].len())
        }
    };
    let inside = usize::try_from(index).is_ok_and(|index| index < cells);
    if inside { Ok((position, slot, index)) } else { Err("outside an array") }
}

fn inspect(evaluator: &Evaluator<'_>, expr: &Expr, state: &Valuation, scope: &Scope, met: &mut Met) {
    let value = evaluator.value(expr, state, scope);
    match expr {
        Expr::Read(place) => match locate(evaluator, place, state, scope) {
            Err("to a dead process") => met.note("read of a dead process"),
            Err(_) => met.note("read outside an array"),
            Ok(_) => {}
        },
        Expr::Exists(..) => return met.note(if value != 0 { "exists true" } else { "exists false" }),
        Expr::Lives(..) => met.note(if value != 0 { "lives true" } else { "lives false" }),
        Expr::Unary(op, _) => met.note(format!("operator {op:?}")),
        Expr::Binary(op, _, right) => {
            met.note(format!("operator {op:?}"));
            let zero = evaluator.value(right, state, scope) == 0;
            met.note_if(matches!(op, BinaryOp::Div | BinaryOp::Rem) && zero, "division by zero");
        }
        Expr::Wrap { value: inner, .. } => {
            met.note_if(evaluator.value(inner, state, scope) != value, "wrap cuts");
        }
        _ => {}
    }
    expr.for_each_part(|part| inspect(evaluator, part, state, scope, met));
}
