//! Steps: from one ordinary state to the next, along a path of actions.
//!
//! A path is longer than one action only where an atomic sequence is passed through. The search inside removes
//! duplicates by (transient state, holder, labels and participants so far); a transient state that leads back to itself is the fault
//! [`Fault::EndlessAtomic`]. Faults are reported where they are met and do not otherwise change what happens, except
//! that a stopping trap leaves its action without successor.

use super::index::Candidate;
use super::{Evaluator, Firing, Scope, Valuation};
use crate::{Action, ActionId, AfterTrap, Fault, LabelId, LabelMeaning, Position, TrapTime};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

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

/// A state on the way, with all that its continuation depends on: the holder, and what was observed so far.
type Node = (Valuation, Option<Position>, PathMarks);

/// The search goes depth first with a stack of its own: an atomic sequence may be longer than the machine's.
struct StepSearch<'a, 'e> {
    evaluator: &'e Evaluator<'a>,
    levels: Vec<Level>,
    /// The firings that led to all levels but the first.
    path: Vec<Firing>,
    /// The transient states that were met, and whether they are still on the path.
    met: HashMap<Rc<Node>, bool>,
    found: Vec<RefStep>,
    /// No more transient states and steps than these.
    most: usize,
}

/// A state on the path, and what is still to be followed from there.
struct Level {
    node: Rc<Node>,
    rest: std::vec::IntoIter<Firing>,
}

impl Evaluator<'_> {
    /// Every step from the ordinary state `state`, and every fault met in it or on the way, in the defined order: the
    /// guard faults of a state first, then what its firings lead to.
    pub fn steps(&self, state: &Valuation) -> Vec<RefStep> {
        self.steps_within(state, usize::MAX).expect("there are not that many")
    }

    /// The same; `None` if there are more than `most` steps and transient states on the way. The work can be
    /// [stopped](lariat_base::stoppable).
    pub fn steps_within(&self, state: &Valuation, most: usize) -> Option<Vec<RefStep>> {
        let mut search = StepSearch {
            most,
            evaluator: self,
            levels: Vec::new(),
            path: Vec::new(),
            met: HashMap::new(),
            found: Vec::new(),
        };
        let root = Rc::new((state.clone(), None, PathMarks::default()));
        search.open(root, self.firings(state, None).0);
        while let Some(level) = search.levels.last_mut() {
            if search.met.len() + search.found.len() > search.most {
                return None;
            }
            lariat_base::safe_point();
            match level.rest.next() {
                Some(firing) => {
                    let node = Rc::clone(&level.node);
                    search.follow(&node, firing);
                }
                None => search.close(),
            }
        }
        Some(search.found)
    }

    /// The state labels that hold in `state`.
    pub fn state_labels(&self, state: &Valuation) -> BTreeSet<LabelId> {
        let holds = |meaning: &LabelMeaning| match meaning {
            LabelMeaning::State(expr) => self.holds(expr, state, &Scope::default()),
            LabelMeaning::Step | LabelMeaning::By(_) | LabelMeaning::Acting(_) => false,
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
        for Candidate { action: id, actor } in self.candidates(state) {
            let action = &self.system.actions[id];
            if !action.traps.iter().any(|trap| trap.time == TrapTime::Guard) {
                continue;
            }
            for scope in self.at_control(action, actor, state) {
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
        // An index lists by process.
        let order = |firing: &Firing| -> (ActionId, Vec<Position>) {
            let youngest_first = firing.scope.positions.iter().map(|&position| Position::MAX - position);
            (firing.action, youngest_first.collect())
        };
        found.sort_by_key(|(firing, _)| order(firing));
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
            let is_meant = match label.meaning {
                LabelMeaning::By(position) => marks.participants.contains(&position),
                LabelMeaning::Acting(position) => firing.scope.positions.first() == Some(&position),
                LabelMeaning::State(_) | LabelMeaning::Step => false,
            };
            if is_meant {
                marks.labels.insert(id);
            }
        }
        marks
    }
}

impl StepSearch<'_, '_> {
    /// Reports the guard faults of a state, and begins to follow its firings.
    fn open(&mut self, node: Rc<Node>, firings: Vec<Firing>) {
        let (state, holder, marks) = &*node;
        for (firing, fault) in self.evaluator.guard_faults(state, *holder) {
            self.report(&firing, Outcome::Fault(fault), marks);
        }
        self.levels.push(Level { node, rest: firings.into_iter() });
    }

    /// Everything that the last state of the path leads to has been reported.
    fn close(&mut self) {
        self.path.pop();
        if let Some(on_path) = self.levels.pop().and_then(|level| self.met.get_mut(&level.node)) {
            *on_path = false;
        }
    }

    fn follow(&mut self, source: &Node, firing: Firing) {
        let (state, _, marks) = source;
        let marks = self.evaluator.marks_with(marks, state, &firing);
        let (faults, next) = self.evaluator.fire(state, &firing);
        for fault in faults {
            self.report(&firing, Outcome::Fault(fault), &marks);
        }
        let Some(next) = next else { return };
        let Some(holder) = self.evaluator.holder_after(&firing) else {
            return self.report(&firing, Outcome::State(next), &marks);
        };
        let node = (next, Some(holder), marks);
        match self.met.get(&node) {
            Some(true) => {
                return self.report(&firing, Outcome::Fault(Fault::EndlessAtomic(firing.action)), &node.2);
            }
            Some(false) => return,
            None => {}
        }
        let (firings, transient) = self.evaluator.firings(&node.0, Some(holder));
        if !transient {
            let (next, _, marks) = node;
            return self.report(&firing, Outcome::State(next), &marks);
        }
        let node = Rc::new(node);
        self.met.insert(Rc::clone(&node), true);
        self.path.push(firing);
        self.open(node, firings);
    }

    fn report(&mut self, last: &Firing, outcome: Outcome, marks: &PathMarks) {
        let path = self.path.iter().chain([last]).cloned().collect();
        self.found.push(RefStep { path, outcome, marks: marks.clone() });
    }
}
