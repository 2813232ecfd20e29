//! What happens on the loop of a run that goes on for ever: who could move and who did, and whether that is fair.

use crate::{Event, StoryStep, SystemReplay};
use lariat_base::Id;
use lariat_logic::{LassoWord, Letter, PropId};
use lariat_system::reference::{Firing, PathMarks, Valuation};
use lariat_system::{ActionId, Fairness, LabelId, Position, Who};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// The part of a run that repeats for ever.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loop {
    /// The number of its first step.
    pub start: usize,
    /// For each fairness constraint of the system, in order, where the loop meets it.
    pub fairness: Vec<Attendance>,
    /// The processes that the loop is unfair to, whether or not that was asked about.
    pub unfair: Vec<Unfair>,
}

/// Where on a loop something is asked for, and where it is given: numbers of steps.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Attendance {
    /// Where it is enabled, or the first label of a compassion holds; of justice every step asks.
    pub asked: Vec<usize>,
    /// Where it is taken, or the label holds that is to hold.
    pub given: Vec<usize>,
}

/// A process that could move and does not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unfair {
    /// The process.
    pub position: Position,
    /// Whether it could move all the time, not only time and again.
    pub always_enabled: bool,
}

/// One step of the loop.
struct Turn {
    /// Of the state that is left.
    state_labels: BTreeSet<LabelId>,
    taken: PathMarks,
    actions: Vec<ActionId>,
    /// The processes that act on some step from the state.
    enabled_processes: BTreeSet<Position>,
    /// The actions on some step from the state.
    enabled_actions: BTreeSet<ActionId>,
}

impl Turn {
    fn carries(&self, label: LabelId) -> bool {
        self.state_labels.contains(&label) || self.taken.labels.contains(&label)
    }
    fn enables(&self, who: &Who) -> bool {
        match who {
            Who::Process(position) => self.enabled_processes.contains(position),
            Who::Actions(actions) => actions.iter().any(|action| self.enabled_actions.contains(action)),
        }
    }
    fn takes(&self, who: &Who) -> bool {
        match who {
            Who::Process(position) => self.taken.participants.contains(position),
            Who::Actions(actions) => actions.iter().any(|action| self.actions.contains(action)),
        }
    }
}

impl SystemReplay<'_> {
    /// Makes sure that the run through `states` is fair and bad; `start` is the number of the loop's first step.
    pub(crate) fn judge(&self, start: usize, states: &[Arc<Valuation>], steps: &[StoryStep]) -> Result<Loop, String> {
        let cycle = self.attend(start, states, steps)?;
        let Some(temporal) = self.temporal() else {
            return Err("nothing is known about which runs are bad".to_owned());
        };
        let letters: Vec<Letter> =
            states.iter().zip(steps).map(|(state, step)| self.letter(state, &step.events)).collect();
        let word = LassoWord::new(letters[..start].to_vec(), letters[start..].to_vec());
        if !temporal.demands.iter().all(|demand| demand.holds(&word)) {
            return Err("the run is not bad: the property holds on it".to_owned());
        }
        Ok(cycle)
    }

    /// Makes sure that the run through `states` is fair; `start` is the number of the loop's first step.
    pub(crate) fn attend(&self, start: usize, states: &[Arc<Valuation>], steps: &[StoryStep]) -> Result<Loop, String> {
        let turns: Vec<Turn> =
            states.iter().zip(steps).skip(start).map(|(state, step)| self.turn(state, step)).collect();
        let mut fairness = Vec::new();
        for (number, constraint) in self.evaluator().system.fairness.iter().enumerate() {
            let attendance = attendance(constraint, start, &turns);
            if !is_met(constraint, &attendance, turns.len()) {
                return Err(format!("the loop is not fair: it does not meet constraint {}", number + 1));
            }
            fairness.push(attendance);
        }
        Ok(Loop { start, fairness, unfair: unfair(&turns) })
    }

    fn turn(&self, state: &Valuation, step: &StoryStep) -> Turn {
        let mut turn = Turn {
            state_labels: self.evaluator().state_labels(state),
            taken: self.marks(&step.events),
            actions: step.events.iter().map(|event| event.firing.action).collect(),
            enabled_processes: BTreeSet::new(),
            enabled_actions: BTreeSet::new(),
        };
        for firing in self.possible(state) {
            turn.enabled_actions.insert(firing.action);
            turn.enabled_processes.extend(firing.scope.positions.first());
        }
        turn
    }

    /// Everything that is done on some step from an ordinary state. The evaluator lists of several paths that come to the
    /// same one of them: here all are followed, and those that never end are left out again.
    fn possible(&self, state: &Valuation) -> Vec<Firing> {
        let mut nodes: Vec<(Valuation, Option<Position>)> = vec![(state.clone(), None)];
        let mut numbers: HashMap<(Valuation, Option<Position>), usize> = HashMap::new();
        // From where, what is done, and the transient state that it leads to, or none if the step ends there.
        let mut done: Vec<(usize, Firing, Option<usize>)> = Vec::new();
        let mut next = 0;
        while next < nodes.len() {
            let (before, holder) = nodes[next].clone();
            for firing in self.evaluator().firings(&before, holder).0 {
                let Some(after) = self.evaluator().fire(&before, &firing).1 else { continue };
                let holder = self.evaluator().holder_after(&firing);
                let is_transient = holder.is_some() && self.evaluator().firings(&after, holder).1;
                let target = is_transient.then(|| {
                    *numbers.entry((after, holder)).or_insert_with_key(|node| {
                        nodes.push(node.clone());
                        nodes.len() - 1
                    })
                });
                done.push((next, firing, target));
            }
            next += 1;
        }
        let mut ends = vec![false; nodes.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for (source, _, target) in done.iter().rev() {
                if !ends[*source] && target.is_none_or(|target| ends[target]) {
                    ends[*source] = true;
                    changed = true;
                }
            }
        }
        let on_steps = done.into_iter().filter(|(_, _, target)| target.is_none_or(|target| ends[target]));
        on_steps.map(|(_, firing, _)| firing).collect()
    }

    /// The letter of a position, in terms of the property's propositions.
    pub(crate) fn letter(&self, state: &Valuation, events: &[Event]) -> Letter {
        let (of_state, of_step) = (self.evaluator().state_labels(state), self.marks(events).labels);
        let carried = |label: &LabelId| of_state.contains(label) || of_step.contains(label);
        let labels = self.temporal().map_or(&[][..], |temporal| &temporal.labels);
        labels.iter().enumerate().filter(|(_, label)| carried(label)).map(|(number, _)| PropId::new(number)).collect()
    }
}

fn attendance(constraint: &Fairness, start: usize, turns: &[Turn]) -> Attendance {
    let places = |test: &dyn Fn(&Turn) -> bool| {
        turns.iter().enumerate().filter(|(_, turn)| test(turn)).map(|(number, _)| start + number).collect()
    };
    match constraint {
        Fairness::Justice(label) => Attendance { asked: Vec::new(), given: places(&|turn| turn.carries(*label)) },
        Fairness::Compassion(asked, given) => {
            Attendance { asked: places(&|turn| turn.carries(*asked)), given: places(&|turn| turn.carries(*given)) }
        }
        Fairness::Weak(who) | Fairness::Strong(who) => {
            Attendance { asked: places(&|turn| turn.enables(who)), given: places(&|turn| turn.takes(who)) }
        }
    }
}

fn is_met(constraint: &Fairness, attendance: &Attendance, steps: usize) -> bool {
    !attendance.given.is_empty()
        || match constraint {
            Fairness::Justice(_) => false,
            Fairness::Weak(_) => attendance.asked.len() < steps,
            Fairness::Compassion(..) | Fairness::Strong(_) => attendance.asked.is_empty(),
        }
}

/// The processes that could move, always or now and then, and never do.
fn unfair(turns: &[Turn]) -> Vec<Unfair> {
    let asking: BTreeSet<Position> = turns.iter().flat_map(|turn| &turn.enabled_processes).copied().collect();
    let idle =
        asking.into_iter().filter(|position| !turns.iter().any(|turn| turn.taken.participants.contains(position)));
    idle.map(|position| {
        let always_enabled = turns.iter().all(|turn| turn.enabled_processes.contains(&position));
        Unfair { position, always_enabled }
    })
    .collect()
}
