//! Steps: from one ordinary state to the next, along a path of actions.
//!
//! A path is longer than one action only where an atomic sequence is passed through. The search inside removes
//! duplicates by (transient state, holder, labels and participants so far); a transient state that leads back to itself is the fault
//! [`Fault::EndlessAtomic`]. Faults are reported where they are met and do not otherwise change what happens, except
//! that a stopping trap leaves its action without successor.

use super::{Evaluator, Firing, Scope, Valuation};
use crate::{Action, AfterTrap, Fault, LabelId, LabelMeaning, Position, TrapTime};
use std::collections::{BTreeSet, HashSet};

/// A step, or a fault met on the way to one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RefStep {
    /// The actions, in order. For a fault of a guard the last one is the action at which control stands, not taken.
    pub path: Vec<Firing>,
    /// Where it leads.
    pub outcome: Outcome,
    /// What can be observed of it.
    pub marks: PathMarks,
}

/// Where a path of actions leads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// To an ordinary state.
    State(Valuation),
    /// To a run-time error. Where the path goes on past it, that is another [`RefStep`].
    Fault(Fault),
}

/// What can be observed of a path.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct PathMarks {
    /// The step labels that hold of it.
    pub labels: BTreeSet<LabelId>,
    /// The positions of the processes that took part.
    pub participants: BTreeSet<Position>,
}

/// A transient state on the way, with all that its continuation depends on.
type Node = (Valuation, Position, PathMarks);

struct Search<'a, 'e> {
    evaluator: &'e Evaluator<'a>,
    path: Vec<Firing>,
    open: Vec<Node>,
    closed: HashSet<Node>,
    found: Vec<RefStep>,
}

impl Evaluator<'_> {
    /// Every step from the ordinary state `state`, and every fault met in it or on the way, in the defined order: the
    /// guard faults of a state first, then what its firings lead to.
    pub fn steps(&self, state: &Valuation) -> Vec<RefStep> {
        let mut search =
            Search { evaluator: self, path: Vec::new(), open: Vec::new(), closed: HashSet::new(), found: Vec::new() };
        search.expand(state, None, &PathMarks::default());
        search.found
    }

    /// The state labels that hold in `state`.
    pub fn state_labels(&self, state: &Valuation) -> BTreeSet<LabelId> {
        let holds = |meaning: &LabelMeaning| match meaning {
            LabelMeaning::State(expr) => self.holds(expr, state, &Scope::default()),
            LabelMeaning::Step | LabelMeaning::By(_) => false,
        };
        self.system.labels.entries().filter(|(_, label)| holds(&label.meaning)).map(|(id, _)| id).collect()
    }

    /// Whether `state`, which has no step, is a proper end.
    pub fn is_proper_end(&self, state: &Valuation) -> bool {
        self.holds(&self.system.proper_end, state, &Scope::default())
    }

    /// The faults of guards at which control stands in `state`; only the holder's if there is one.
    pub fn guard_faults(&self, state: &Valuation, holder: Option<Position>) -> Vec<(Firing, Fault)> {
        let mut found = Vec::new();
        for (id, action) in self.system.actions.entries() {
            if !action.traps.iter().any(|trap| trap.time == TrapTime::Guard) {
                continue;
            }
            for scope in self.at_control(action, state) {
                if holder.is_some() && scope.positions.first() != holder.as_ref() {
                    continue;
                }
                for (number, trap) in action.traps.iter().enumerate() {
                    if trap.time == TrapTime::Guard && self.holds(&trap.condition, state, &scope) {
                        let firing = Firing { action: id, scope: scope.clone() };
                        found.push((firing, Fault::Trap(id, number as u16)));
                    }
                }
            }
        }
        found
    }

    /// The faults of taking `firing` in `state`, and the state it leads to, if it leads anywhere.
    pub fn fire(&self, state: &Valuation, firing: &Firing) -> (Vec<Fault>, Option<Valuation>) {
        let action = &self.system.actions[firing.action];
        let mut faults = Vec::new();
        for (number, trap) in action.traps.iter().enumerate() {
            if trap.time == TrapTime::Effect && self.holds(&trap.condition, state, &firing.scope) {
                faults.push(Fault::Trap(firing.action, number as u16));
                if trap.after == AfterTrap::Stops {
                    return (faults, None);
                }
            }
        }
        let next = self.updated(&action.updates, state, &firing.scope);
        if next.is_none() {
            faults.push(Fault::PoolFull(firing.action));
        }
        (faults, next)
    }

    /// The process that holds control after `firing`, if one does.
    pub fn holder_after(&self, firing: &Firing) -> Option<Position> {
        self.system.actions[firing.action].hold.map(|role| firing.scope.positions[role.index()])
    }

    /// `marks`, and what `firing`, taken in `state`, adds to them.
    pub fn marks_with(&self, marks: &PathMarks, state: &Valuation, firing: &Firing) -> PathMarks {
        let action: &Action = &self.system.actions[firing.action];
        let mut marks = marks.clone();
        marks.participants.extend(&firing.scope.positions);
        for (label, condition) in &action.labels {
            if self.holds(condition, state, &firing.scope) {
                marks.labels.insert(*label);
            }
        }
        for (id, label) in self.system.labels.entries() {
            if let LabelMeaning::By(position) = label.meaning
                && marks.participants.contains(&position)
            {
                marks.labels.insert(id);
            }
        }
        marks
    }
}

impl Search<'_, '_> {
    /// Lists what `state` leads to. With a holder: returns whether the state is transient, and if it is not, does
    /// nothing.
    fn expand(&mut self, state: &Valuation, holder: Option<Position>, marks: &PathMarks) -> bool {
        let (firings, transient) = self.evaluator.firings(state, holder);
        if holder.is_some() && !transient {
            return false;
        }
        for (firing, fault) in self.evaluator.guard_faults(state, holder) {
            self.report(&firing, Outcome::Fault(fault), marks);
        }
        for firing in firings {
            self.follow(state, &firing, marks);
        }
        true
    }

    fn follow(&mut self, state: &Valuation, firing: &Firing, marks: &PathMarks) {
        let marks = self.evaluator.marks_with(marks, state, firing);
        let (faults, next) = self.evaluator.fire(state, firing);
        for fault in faults {
            self.report(firing, Outcome::Fault(fault), &marks);
        }
        let Some(next) = next else { return };
        let Some(holder) = self.evaluator.holder_after(firing) else {
            return self.report(firing, Outcome::State(next), &marks);
        };
        let node = (next, holder, marks.clone());
        if self.open.contains(&node) {
            return self.report(firing, Outcome::Fault(Fault::EndlessAtomic(firing.action)), &marks);
        }
        if self.closed.contains(&node) {
            return;
        }
        self.open.push(node.clone());
        self.path.push(firing.clone());
        let transient = self.expand(&node.0, Some(holder), &marks);
        self.path.pop();
        self.open.pop();
        if transient {
            self.closed.insert(node);
        } else {
            self.report(firing, Outcome::State(node.0), &marks);
        }
    }

    fn report(&mut self, last: &Firing, outcome: Outcome, marks: &PathMarks) {
        let path = self.path.iter().chain([last]).cloned().collect();
        self.found.push(RefStep { path, outcome, marks: marks.clone() });
    }
}
