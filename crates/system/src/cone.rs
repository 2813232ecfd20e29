//! What can influence some labels: their cone of influence.
//!
//! A part of a system that no label reads, and that nothing read by a label depends on, makes no difference to what can be said
//! by these labels, as long as it cannot block the rest: it must have a next value whatever the rest does. So a guard, an
//! invariant and every constraint on choices belong to the cone, but for constraints of which it is seen that they can always
//! be met. Then a state of the whole and its part in the cone have the same runs, as far as the labels tell.

use crate::{Action, Cells, Choice, ChoiceId, Expr, Interval, LabelId, LabelMeaning, Owner, SlotId, System, Update};
use lariat_base::IdVec;
use std::collections::{BTreeMap, BTreeSet};

/// Expressions with more parts are not looked at.
const MOST_PARTS: usize = 10_000;

/// The part of a system that matters to some labels.
#[derive(Clone, PartialEq, Debug)]
pub struct Cone {
    /// The system without what does not matter: the slots outside of the cone keep the values they are declared with.
    pub system: System,
    /// The slots in the cone.
    pub slots: BTreeSet<SlotId>,
}

impl System {
    /// The cone of these labels and of all fairness constraints; `None` if the system has processes, errors that stop it, ranks
    /// or fairness other than justice.
    pub fn cone(&self, labels: &[LabelId]) -> Option<Cone> {
        let is_plain = |action: &Action| {
            action.participants.is_empty() && action.traps.is_empty() && action.rank.as_const() == Some(0)
        };
        let sets = |update: &Update| matches!(update, Update::Set(..));
        let updates = || self.actions.iter().flat_map(|action| &action.updates).chain(&self.init.updates);
        if !self.frames.is_empty() || !self.actions.iter().all(is_plain) || !updates().all(sets) {
            return None;
        }
        let fair: Option<Vec<LabelId>> = self.fairness.iter().map(|constraint| constraint.as_justice()).collect();
        Some(Growing::new(self, labels.iter().copied().chain(fair?).collect()).grown())
    }

    /// Whether it is seen that the action can happen in every state where no other action has a smaller rank.
    pub fn is_always_enabled(&self, action: &Action) -> bool {
        let is_plain = action.participants.is_empty() && action.traps.is_empty() && self.invariants.is_empty();
        let sets = |update: &Update| matches!(update, Update::Set(..));
        if !is_plain || !action.updates.iter().all(sets) {
            return false;
        }
        let constraints = Constraints::new(self, &action.choices, action.guard.conjuncts().collect());
        constraints.parts.iter().all(|part| part.can_be_met)
    }
}

/// The constraints on the choices of an action, or of the beginning, apart by which choices they speak of together.
struct Constraints<'s> {
    parts: Vec<Part<'s>>,
}

struct Part<'s> {
    choices: BTreeSet<ChoiceId>,
    conjuncts: Vec<&'s Expr>,
    /// Whether there are such choices in every state, as far as that is seen.
    can_be_met: bool,
}

impl<'s> Constraints<'s> {
    fn new(system: &System, choices: &IdVec<ChoiceId, Choice>, conjuncts: Vec<&'s Expr>) -> Self {
        let mut parts: Vec<Part<'s>> = Vec::new();
        for conjunct in conjuncts {
            let mut own = Part { choices: choices_of(conjunct), conjuncts: vec![conjunct], can_be_met: false };
            let (joined, others): (Vec<_>, Vec<_>) =
                parts.into_iter().partition(|part| !part.choices.is_disjoint(&own.choices));
            for part in joined {
                own.choices.extend(part.choices);
                own.conjuncts.extend(part.conjuncts);
            }
            parts = others;
            parts.push(own);
        }
        for part in &mut parts {
            part.can_be_met = part.can_be_met(system, choices);
        }
        Self { parts }
    }

    /// The parts that speak of one of these choices, or that may block.
    fn needed(&self, choices: &BTreeSet<ChoiceId>) -> impl Iterator<Item = &Part<'s>> {
        self.parts.iter().filter(|part| !part.can_be_met || !part.choices.is_disjoint(choices))
    }
}

impl Part<'_> {
    /// Tries one valuation: what a conjunct says that a choice equals, or the least value.
    fn can_be_met(&self, system: &System, choices: &IdVec<ChoiceId, Choice>) -> bool {
        let interval = |expr: &Expr| Interval::of(expr, system, &mut Vec::new(), choices);
        let mut values: BTreeMap<ChoiceId, Expr> = BTreeMap::new();
        let mut rest = self.conjuncts.clone();
        for &choice in &self.choices {
            let range = system.range(choices[choice].ty);
            let bound = rest.iter().position(|conjunct| conjunct.bound_value(choice).is_some());
            let value = match bound {
                Some(place) => {
                    let value = rest.swap_remove(place).bound_value(choice).expect("it was looked for");
                    match with_values(value, &values) {
                        Some(value) if interval(&value).is_some_and(|values| range.includes(values)) => value,
                        _ => return false,
                    }
                }
                None => Expr::Const(range.lo),
            };
            values.insert(choice, value);
        }
        let holds = |conjunct: &&Expr| {
            let known = with_values(conjunct, &values).and_then(|conjunct| interval(&conjunct));
            known.is_some_and(|values| !values.contains(0))
        };
        rest.iter().all(holds)
    }
}

/// The expression with these values in place of choices; `None` if it is large.
fn with_values(expr: &Expr, values: &BTreeMap<ChoiceId, Expr>) -> Option<Expr> {
    fn put(expr: &mut Expr, values: &BTreeMap<ChoiceId, Expr>, room: &mut usize) {
        if let Expr::Choice(choice) = expr
            && let Some(value) = values.get(choice)
        {
            *room = room.saturating_sub(parts(value));
            if *room > 0 {
                *expr = value.clone();
            }
            return;
        }
        expr.for_each_part_mut(|part| put(part, values, room));
    }
    let mut room = MOST_PARTS.saturating_sub(parts(expr));
    let mut expr = expr.clone();
    put(&mut expr, values, &mut room);
    (room > 0).then_some(expr)
}

fn parts(expr: &Expr) -> usize {
    let mut count = 1;
    expr.for_each_part(|part| count += parts(part));
    count
}

fn choices_of(expr: &Expr) -> BTreeSet<ChoiceId> {
    fn gather(expr: &Expr, found: &mut BTreeSet<ChoiceId>) {
        if let Expr::Choice(choice) = expr {
            found.insert(*choice);
        }
        expr.for_each_part(|part| gather(part, found));
    }
    let mut found = BTreeSet::new();
    gather(expr, &mut found);
    found
}

/// An action, or the beginning.
struct Scope<'s> {
    constraints: Constraints<'s>,
    updates: &'s [Update],
    /// The conditions of labels that matter.
    conditions: Vec<&'s Expr>,
}

/// A cone that is not closed yet.
struct Growing<'s> {
    system: &'s System,
    labels: BTreeSet<LabelId>,
    /// Those of actions, by number; then that of the beginning.
    scopes: Vec<Scope<'s>>,
    slots: BTreeSet<SlotId>,
}

impl<'s> Growing<'s> {
    fn new(system: &'s System, labels: BTreeSet<LabelId>) -> Self {
        let of_action = |action: &'s Action| Scope {
            constraints: Constraints::new(system, &action.choices, action.guard.conjuncts().collect()),
            updates: &action.updates,
            conditions: action.labels.iter().filter(|(id, _)| labels.contains(id)).map(|(_, when)| when).collect(),
        };
        let begin = Scope {
            constraints: Constraints::new(system, &system.init.choices, system.init.guard.iter().collect()),
            updates: &system.init.updates,
            conditions: Vec::new(),
        };
        let scopes = system.actions.iter().map(of_action).chain([begin]).collect();
        let mut growing = Self { system, labels, scopes, slots: BTreeSet::new() };
        let of_states = |label: &LabelId| match &system.labels[*label].meaning {
            LabelMeaning::State(condition) => Some(condition),
            LabelMeaning::Step | LabelMeaning::By(_) | LabelMeaning::Acting(_) => None,
        };
        let conditions: Vec<&Expr> = growing.labels.iter().filter_map(of_states).chain(&system.invariants).collect();
        conditions.into_iter().for_each(|condition| growing.read(condition));
        growing
    }

    /// Adds what the expression reads.
    fn read(&mut self, expr: &Expr) {
        let slot = |cells: Cells| if let Cells::Global(slot, _) = cells { Some(slot) } else { None };
        self.slots.extend(self.system.reads_of(expr).into_iter().filter_map(slot));
    }

    fn grown(mut self) -> Cone {
        loop {
            let before = self.slots.len();
            let read: Vec<&'s Expr> = self.scopes.iter().flat_map(|scope| scope.read(&self.slots)).collect();
            read.into_iter().for_each(|expr| self.read(expr));
            if self.slots.len() == before {
                return Cone { system: self.reduced(), slots: self.slots };
            }
        }
    }

    /// The system with only what matters.
    fn reduced(&self) -> System {
        let mut system = self.system.clone();
        let (of_actions, begin) = self.scopes.split_at(self.system.actions.len());
        for (action, scope) in system.actions.iter_mut().zip(of_actions) {
            let kept = scope.needed_conjuncts(&self.slots);
            action.guard.control.retain(|conjunct| kept.contains(&conjunct));
            action.guard.condition.retain(|conjunct| kept.contains(&conjunct));
            action.updates.retain(|update| writes(update, &self.slots));
            action.labels.retain(|(label, _)| self.labels.contains(label));
            action.print = None;
        }
        let kept = begin[0].needed_conjuncts(&self.slots);
        system.init.guard.retain(|conjunct| kept.contains(&conjunct));
        system.init.updates.retain(|update| writes(update, &self.slots));
        system
    }
}

impl<'s> Scope<'s> {
    /// What is read to find the next values of these slots, and whether there are any.
    fn read(&self, slots: &BTreeSet<SlotId>) -> Vec<&'s Expr> {
        [self.needed_conjuncts(slots), self.results(slots)].concat()
    }

    /// The conjuncts that can matter to these slots, or that may block.
    fn needed_conjuncts(&self, slots: &BTreeSet<SlotId>) -> Vec<&'s Expr> {
        let choices: BTreeSet<ChoiceId> = self.results(slots).into_iter().flat_map(choices_of).collect();
        self.constraints.needed(&choices).flat_map(|part| part.conjuncts.iter().copied()).collect()
    }

    /// The values that these slots get, where they are written, and the conditions of labels.
    fn results(&self, slots: &BTreeSet<SlotId>) -> Vec<&'s Expr> {
        let mut results = self.conditions.clone();
        for update in self.updates.iter().filter(|update| writes(update, slots)) {
            if let Update::Set(place, value) = update {
                results.push(value);
                results.extend(place.index.as_deref());
            }
        }
        results
    }
}

/// Whether one of these slots is written.
fn writes(update: &Update, slots: &BTreeSet<SlotId>) -> bool {
    match update {
        Update::Set(place, _) => matches!(&place.owner, Owner::Global(slot) if slots.contains(slot)),
        Update::Spawn { .. } | Update::Exit => true,
    }
}
