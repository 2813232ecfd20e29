//! What can influence some labels: their cone of influence.
//!
//! A part of a system that no label reads, and that nothing read by a label depends on, makes no difference to what can be said
//! by these labels, as long as it cannot block the rest: it must have a next value whatever the rest does. So a guard, an
//! invariant and every constraint on choices belong to the cone, but for constraints of which it is seen that they can always
//! be met. Then a state of the whole and its part in the cone have the same runs, as far as the labels tell.

use crate::{
    Action, Cells, Choice, ChoiceId, Expr, Fairness, Interval, LabelId, LabelMeaning, Occasion, Owner, SlotId, System,
    Update, Who,
};
use lariat_base::{IdVec, safe_point};
use std::collections::{BTreeMap, BTreeSet, HashSet};

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
    /// or fairness that speaks of processes or of what is enabled.
    pub fn cone(&self, labels: &[LabelId]) -> Option<Cone> {
        let is_plain = |action: &Action| {
            action.participants.is_empty() && action.traps.is_empty() && action.rank.as_const() == Some(0)
        };
        let sets = |update: &Update| matches!(update, Update::Set(..));
        let updates = || self.actions.iter().flat_map(|action| &action.updates).chain(&self.init.updates);
        if !self.frames.is_empty() || !self.actions.iter().all(is_plain) || !updates().all(sets) {
            return None;
        }
        let mut all: BTreeSet<LabelId> = labels.iter().copied().collect();
        for &Fairness { asked, given, .. } in &self.fairness {
            for occasion in [asked, given] {
                match occasion {
                    Occasion::Always => {}
                    Occasion::Labelled(label) | Occasion::Taken(Who::Steps(label)) => {
                        all.insert(label);
                    }
                    Occasion::Enabled(_) | Occasion::Taken(Who::Process(_)) => return None,
                }
            }
        }
        Some(Growing::new(self, all).grown())
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
    parts: Vec<JointChoices<'s>>,
}

struct JointChoices<'s> {
    choices: BTreeSet<ChoiceId>,
    conjuncts: Vec<&'s Expr>,
    /// Whether there are such choices in every state, as far as that is seen.
    can_be_met: bool,
}

impl<'s> Constraints<'s> {
    fn new(system: &System, choices: &IdVec<ChoiceId, Choice>, conjuncts: Vec<&'s Expr>) -> Self {
        // Conjuncts that share a choice go together: each choice leads to the part that has it, perhaps by way of others.
        let mut parent: Vec<usize> = Vec::new();
        let mut part_of: BTreeMap<ChoiceId, usize> = BTreeMap::new();
        let mut spoken: Vec<BTreeSet<ChoiceId>> = Vec::new();
        for (number, conjunct) in conjuncts.iter().enumerate() {
            safe_point();
            parent.push(number);
            let own = conjunct.choices();
            for choice in &own {
                let known = *part_of.entry(*choice).or_insert(number);
                let root = root_of(&mut parent, known);
                parent[root] = number;
            }
            spoken.push(own);
        }
        let mut parts: Vec<JointChoices<'s>> = Vec::new();
        let mut place: BTreeMap<usize, usize> = BTreeMap::new();
        for (number, conjunct) in conjuncts.into_iter().enumerate() {
            let at = *place.entry(root_of(&mut parent, number)).or_insert_with(|| {
                parts.push(JointChoices { choices: BTreeSet::new(), conjuncts: Vec::new(), can_be_met: false });
                parts.len() - 1
            });
            parts[at].conjuncts.push(conjunct);
            parts[at].choices.append(&mut spoken[number]);
        }
        for part in &mut parts {
            safe_point();
            part.can_be_met = part.can_be_met(system, choices);
        }
        Self { parts }
    }
}

/// What a number leads to; the ways there are made shorter.
fn root_of(parent: &mut [usize], mut number: usize) -> usize {
    while parent[number] != number {
        parent[number] = parent[parent[number]];
        number = parent[number];
    }
    number
}

impl JointChoices<'_> {
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

/// An action, or the beginning.
struct Scope<'s> {
    constraints: Constraints<'s>,
    /// By choice, the part of the constraints that speaks of it.
    part_of: BTreeMap<ChoiceId, usize>,
    /// By part, whether it matters.
    needed: Vec<bool>,
    updates: &'s [Update],
    /// By slot, the updates that write it.
    writing: BTreeMap<SlotId, Vec<usize>>,
    /// The conditions of labels that matter.
    conditions: Vec<&'s Expr>,
}

impl<'s> Scope<'s> {
    fn new(constraints: Constraints<'s>, updates: &'s [Update], conditions: Vec<&'s Expr>) -> Self {
        let parts = constraints.parts.iter().enumerate();
        let part_of =
            parts.flat_map(|(number, part)| part.choices.iter().map(move |&choice| (choice, number))).collect();
        let mut writing: BTreeMap<SlotId, Vec<usize>> = BTreeMap::new();
        for (number, update) in updates.iter().enumerate() {
            if let Update::Set(place, _) = update
                && let Owner::Global(slot) = &place.owner
            {
                writing.entry(*slot).or_default().push(number);
            }
        }
        let needed = vec![false; constraints.parts.len()];
        Self { constraints, part_of, needed, updates, writing, conditions }
    }

    /// The values that the slot gets, where it is written.
    fn results(&self, slot: SlotId) -> Vec<&'s Expr> {
        let mut results = Vec::new();
        for &number in self.writing.get(&slot).into_iter().flatten() {
            if let Update::Set(place, value) = &self.updates[number] {
                results.push(value);
                results.extend(place.index.as_deref());
            }
        }
        results
    }

    /// The conjuncts of the part, if they did not matter before.
    fn need(&mut self, part: usize) -> Vec<&'s Expr> {
        match std::mem::replace(&mut self.needed[part], true) {
            true => Vec::new(),
            false => self.constraints.parts[part].conjuncts.clone(),
        }
    }

    /// The conjuncts that matter because the value is read: those that speak of its choices.
    fn needed_for(&mut self, value: &Expr) -> Vec<&'s Expr> {
        let parts: BTreeSet<usize> =
            value.choices().iter().filter_map(|choice| self.part_of.get(choice).copied()).collect();
        parts.into_iter().flat_map(|part| self.need(part)).collect()
    }

    /// The conjuncts that matter, by where they are.
    fn needed_conjuncts(&self) -> HashSet<*const Expr> {
        let parts = self.constraints.parts.iter().zip(&self.needed).filter(|(_, needed)| **needed);
        parts.flat_map(|(part, _)| part.conjuncts.iter().map(|&conjunct| std::ptr::from_ref(conjunct))).collect()
    }
}

/// A cone that is not closed yet.
struct Growing<'s> {
    system: &'s System,
    labels: BTreeSet<LabelId>,
    /// Those of actions, by number; then that of the beginning.
    scopes: Vec<Scope<'s>>,
    slots: BTreeSet<SlotId>,
    /// Those of the slots whose next values were not looked at yet.
    new: Vec<SlotId>,
}

impl<'s> Growing<'s> {
    fn new(system: &'s System, labels: BTreeSet<LabelId>) -> Self {
        let of_action = |action: &'s Action| {
            let constraints = Constraints::new(system, &action.choices, action.guard.conjuncts().collect());
            let conditions = action.labels.iter().filter(|(id, _)| labels.contains(id)).map(|(_, when)| when).collect();
            Scope::new(constraints, &action.updates, conditions)
        };
        let constraints = Constraints::new(system, &system.init.choices, system.init.guard.iter().collect());
        let begin = Scope::new(constraints, &system.init.updates, Vec::new());
        let scopes = system.actions.iter().map(of_action).chain([begin]).collect();
        let mut growing = Self { system, labels, scopes, slots: BTreeSet::new(), new: Vec::new() };
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
        safe_point();
        for cells in self.system.reads_of(expr) {
            if let Cells::Global(slot, _) = cells
                && self.slots.insert(slot)
            {
                self.new.push(slot);
            }
        }
    }

    /// Adds what decides about this value in a scope.
    fn read_result(&mut self, scope: usize, value: &'s Expr) {
        self.read(value);
        for conjunct in self.scopes[scope].needed_for(value) {
            self.read(conjunct);
        }
    }

    fn grown(mut self) -> Cone {
        for scope in 0..self.scopes.len() {
            for condition in self.scopes[scope].conditions.clone() {
                self.read_result(scope, condition);
            }
            for part in 0..self.scopes[scope].needed.len() {
                // What may block matters.
                if !self.scopes[scope].constraints.parts[part].can_be_met {
                    self.scopes[scope].need(part).into_iter().for_each(|conjunct| self.read(conjunct));
                }
            }
        }
        while let Some(slot) = self.new.pop() {
            for scope in 0..self.scopes.len() {
                for value in self.scopes[scope].results(slot) {
                    self.read_result(scope, value);
                }
            }
        }
        Cone { system: self.reduced(), slots: self.slots }
    }

    /// The system with only what matters.
    fn reduced(&self) -> System {
        let mut system = self.system.clone();
        let (of_actions, begin) = self.scopes.split_at(self.system.actions.len());
        for ((action, own), scope) in system.actions.iter_mut().zip(self.system.actions.iter()).zip(of_actions) {
            let kept = scope.needed_conjuncts();
            action.guard.control = those(&own.guard.control, &kept);
            action.guard.condition = those(&own.guard.condition, &kept);
            action.updates.retain(|update| writes(update, &self.slots));
            action.labels.retain(|(label, _)| self.labels.contains(label));
            action.print = None;
        }
        system.init.guard = those(&self.system.init.guard, &begin[0].needed_conjuncts());
        system.init.updates.retain(|update| writes(update, &self.slots));
        system
    }
}

/// Those of the conjuncts that are kept.
fn those(conjuncts: &[Expr], kept: &HashSet<*const Expr>) -> Vec<Expr> {
    conjuncts.iter().filter(|conjunct| kept.contains(&std::ptr::from_ref(*conjunct))).cloned().collect()
}

/// Whether one of these slots is written.
fn writes(update: &Update, slots: &BTreeSet<SlotId>) -> bool {
    match update {
        Update::Set(place, _) => matches!(&place.owner, Owner::Global(slot) if slots.contains(slot)),
        Update::Spawn { .. } | Update::Exit => true,
    }
}
