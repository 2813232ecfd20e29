//! What happens in a run, action by action.
//!
//! A run may be a million actions long, and its states are large. A [`Story`] keeps who did what and the values of choices,
//! some bytes for each action; the states between them are what the reference evaluator makes of that, once more each
//! time the story is read ([`Story::events`]). So a story takes memory and time in proportion to its actions.

use crate::Loop;
use lariat_space::Move;
use lariat_system::reference::{Evaluator, Firing, Scope, Valuation};
use lariat_system::{Fault, Position, System, TrapTime};
use std::sync::Arc;

/// A run in full detail.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Story {
    initial: Arc<Valuation>,
    last: Arc<Valuation>,
    actions: Vec<TakenAction>,
    /// For each step, the number of actions up to its end.
    ends: Vec<usize>,
    /// What the run ends in, where that is not what comes of taking its last action.
    fault: Option<Fault>,
    /// Of a run that goes on for ever, its loop.
    pub cycle: Option<Loop>,
}

/// An action that was taken.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TakenAction {
    /// The action and who took part.
    pub by: Move,
    /// The values of its choices.
    pub choices: Box<[i64]>,
}

/// One step of a run, its actions together with the states between them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoryStep {
    /// What happened, action by action; nothing for a stutter step.
    pub events: Vec<Event>,
}

/// One action of a run, with the states around it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// The action with its participants and choices.
    pub firing: Firing,
    /// The state before.
    pub before: Arc<Valuation>,
    /// The state after; `None` if the action stopped, or was not taken because its guard failed.
    pub after: Option<Arc<Valuation>>,
    /// What went wrong.
    pub faults: Vec<Fault>,
}

/// One item of a story: an action, or a step in which nothing happens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoryItem {
    /// The number of the step, from 0.
    pub step: usize,
    /// Whether the step has further actions.
    pub grouped: bool,
    /// What happens; `None` if nothing does: the state repeats.
    pub event: Option<Event>,
    /// The state before.
    pub before: Arc<Valuation>,
}

impl TakenAction {
    /// What `firing` is.
    pub fn of(firing: &Firing) -> Self {
        Self { by: Move::from(firing), choices: firing.scope.choices.as_slice().into() }
    }
    /// The firing that it is.
    pub fn firing(&self) -> Firing {
        let positions: Vec<Position> = self.by.participants().collect();
        Firing { action: self.by.action, scope: Scope { positions, choices: self.choices.to_vec() } }
    }
    /// What it takes in memory, beside the values of its choices.
    pub(crate) const BYTES: u64 = size_of::<Self>() as u64;
    /// What it takes in memory.
    pub(crate) fn bytes(&self) -> u64 {
        Self::BYTES + 8 * self.choices.len() as u64
    }
}

impl Story {
    /// A story in which nothing has happened yet.
    pub fn new(initial: Arc<Valuation>) -> Self {
        Self { last: initial.clone(), initial, actions: Vec::new(), ends: Vec::new(), fault: None, cycle: None }
    }

    /// Adds an action to the step that is being told; `after` is the state it leads to, if it leads anywhere.
    pub fn push(&mut self, action: TakenAction, after: Option<&Arc<Valuation>>) {
        self.actions.push(action);
        if let Some(after) = after {
            self.last = after.clone();
        }
    }

    /// Adds an event of a run of `system` to the step that is being told.
    pub fn push_event(&mut self, system: &System, event: &Event) {
        self.push(TakenAction::of(&event.firing), event.after.as_ref());
        self.fault = event.faults.iter().copied().find(|&fault| event.after.is_none() && is_of_guard(system, fault));
    }

    /// What is told next is another step. Without an action it is one in which nothing happens.
    pub fn end_step(&mut self) {
        self.ends.push(self.actions.len());
    }

    /// The run ends in this run-time error, whether or not taking the last action leads to it.
    pub fn end_in(&mut self, fault: Fault) {
        self.fault = Some(fault);
    }

    /// The initial state.
    pub fn initial(&self) -> &Arc<Valuation> {
        &self.initial
    }
    /// The last state.
    pub fn last(&self) -> &Arc<Valuation> {
        &self.last
    }
    /// How many steps there are.
    pub fn step_count(&self) -> usize {
        self.ends.len()
    }
    /// Every action, in order.
    pub fn actions(&self) -> &[TakenAction] {
        &self.actions
    }
    /// The actions of a step.
    pub fn actions_of(&self, step: usize) -> &[TakenAction] {
        &self.actions[self.ends[..step].last().copied().unwrap_or(0)..self.ends[step]]
    }
    /// How many lines tell of the run: its actions, and the steps in which nothing happens.
    pub fn entry_count(&self) -> usize {
        self.entries_before(self.step_count())
    }
    /// How many of these lines belong to steps before the given one.
    pub fn entries_before(&self, step: usize) -> usize {
        let idle = (0..step).filter(|&step| self.actions_of(step).is_empty()).count();
        self.ends[..step].last().copied().unwrap_or(0) + idle
    }
    /// Whether the last action was not taken, because of an error in its guard.
    pub fn stops_before_last(&self, system: &System) -> bool {
        self.fault.is_some_and(|fault| is_of_guard(system, fault))
    }
    /// What it takes in memory.
    pub fn bytes(&self) -> u64 {
        self.actions.iter().map(TakenAction::bytes).sum::<u64>() + (self.ends.len() * size_of::<usize>()) as u64
    }

    /// What happens, one action after the other, with the states in between. `system` is the one it is a run of.
    pub fn events<'s>(&'s self, system: &'s System) -> impl Iterator<Item = StoryItem> + 's {
        let evaluator = Evaluator::new(system);
        let mut state = self.initial.clone();
        let numbers = (0..self.step_count()).flat_map(|step| {
            let actions = self.actions_of(step);
            (0..actions.len().max(1)).map(move |number| (step, actions, number))
        });
        let mut fired = 0;
        numbers.map(move |(step, actions, number)| {
            let before = state.clone();
            let grouped = actions.len() > 1;
            let Some(action) = actions.get(number) else { return StoryItem { step, grouped, event: None, before } };
            fired += 1;
            let firing = action.firing();
            let fault = self.fault.filter(|_| fired == self.actions.len());
            let (faults, after) = match fault {
                Some(fault) if is_of_guard(system, fault) => (vec![fault], None),
                _ => {
                    let (mut faults, after) = evaluator.fire(&before, &firing);
                    faults.extend(fault.filter(|fault| !faults.contains(fault)));
                    (faults, after.map(Arc::new))
                }
            };
            if let Some(after) = &after {
                state = after.clone();
            }
            StoryItem { step, grouped, event: Some(Event { firing, before: before.clone(), after, faults }), before }
        })
    }

    /// All steps with all states.
    pub fn in_full(&self, system: &System) -> Vec<StoryStep> {
        let mut steps: Vec<StoryStep> = (0..self.step_count()).map(|_| StoryStep { events: Vec::new() }).collect();
        for item in self.events(system) {
            steps[item.step].events.extend(item.event);
        }
        steps
    }
}

/// Whether it is a run-time error of a guard, so that its action was not taken.
fn is_of_guard(system: &System, fault: Fault) -> bool {
    match fault {
        Fault::Trap(action, number) => system.actions[action].traps[usize::from(number)].time == TrapTime::Guard,
        Fault::PoolFull(_) | Fault::EndlessAtomic(_) => false,
    }
}
