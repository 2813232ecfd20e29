//! What happens on the loop of a run that goes on for ever: who could move and who did, and whether that is fair.

use crate::follow::Way;
use crate::pace::Pace;
use crate::{Shortfall, SystemReplay};
use lariat_base::Id;
use lariat_logic::{LassoWord, Letter, PropId};
use lariat_system::reference::{PathMarks, Valuation};
use lariat_system::{ActionId, Fairness, LabelId, Position, Who};
use std::collections::{BTreeSet, HashMap, VecDeque};
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

/// What is observed of a run that goes on for ever.
#[derive(Default)]
pub(crate) struct Observed {
    /// Of every step.
    letters: Vec<Letter>,
    /// Of every step of the loop.
    turns: Vec<Turn>,
    /// The state in which the loop begins.
    pub(crate) loop_state: Option<Arc<Valuation>>,
    /// Of the state before the step that is followed now.
    state_labels: BTreeSet<LabelId>,
}

impl Observed {
    /// Looks at the state before a step, which is one of the loop or not.
    pub(crate) fn before(
        &mut self,
        replay: &SystemReplay<'_>,
        state: &Arc<Valuation>,
        on_loop: bool,
        pace: &mut Pace<'_>,
    ) -> Result<(), Shortfall> {
        pace.tick(size_of::<Letter>() as u64)?;
        self.state_labels = replay.evaluator().state_labels(state);
        if on_loop {
            let mut turn = Turn { state_labels: self.state_labels.clone(), ..Turn::default() };
            for (action, actor) in replay.possible(state, pace)? {
                turn.enabled_actions.insert(action);
                turn.enabled_processes.extend(actor);
            }
            self.turns.push(turn);
            self.loop_state.get_or_insert_with(|| state.clone());
        }
        Ok(())
    }

    /// Nothing happened in the step.
    pub(crate) fn stutter(&mut self, replay: &SystemReplay<'_>) {
        self.letters.push(replay.letter(&self.state_labels, &BTreeSet::new()));
    }

    /// What happened in the step.
    pub(crate) fn step(&mut self, replay: &SystemReplay<'_>, way: &Way, on_loop: bool) {
        self.letters.push(replay.letter(&self.state_labels, &way.marks.labels));
        if let Some(turn) = self.turns.last_mut().filter(|_| on_loop) {
            turn.actions = way.deeds.iter().map(|deed| deed.by.action).collect();
            turn.taken = way.marks.clone();
        }
    }
}

/// One step of the loop.
#[derive(Default)]
struct Turn {
    /// Of the state that is left.
    state_labels: BTreeSet<LabelId>,
    taken: PathMarks,
    actions: BTreeSet<ActionId>,
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
    /// Makes sure that the run is fair and bad, by what was observed of it; `start` is the number of the loop's first step.
    pub(crate) fn judge(&self, start: usize, observed: Observed) -> Result<Loop, String> {
        let cycle = self.attend(start, &observed)?;
        let Some(temporal) = self.temporal() else {
            return Err("nothing is known about which runs are bad".to_owned());
        };
        let mut letters = observed.letters;
        let round = letters.split_off(start);
        let word = LassoWord::new(letters, round);
        if !temporal.demands.iter().all(|demand| demand.holds(&word)) {
            return Err("the run is not bad: the property holds on it".to_owned());
        }
        Ok(cycle)
    }

    /// Makes sure that the run is fair, by what was observed of it.
    pub(crate) fn attend(&self, start: usize, observed: &Observed) -> Result<Loop, String> {
        let turns = &observed.turns;
        let mut fairness = Vec::new();
        for (number, constraint) in self.system().fairness.iter().enumerate() {
            let attendance = attendance(constraint, start, turns);
            if !is_met(constraint, &attendance, turns.len()) {
                return Err(format!("the loop is not fair: it does not meet constraint {}", number + 1));
            }
            fairness.push(attendance);
        }
        Ok(Loop { start, fairness, unfair: unfair(turns) })
    }

    /// Everything that is done on some step from an ordinary state: the actions with their actors. The evaluator lists of
    /// several paths that come to the same one of them: here all are followed, and those that never end are left out again.
    pub(crate) fn possible(
        &self,
        state: &Valuation,
        pace: &mut Pace<'_>,
    ) -> Result<Vec<(ActionId, Option<Position>)>, Shortfall> {
        let evaluator = self.evaluator();
        let (node_bytes, done_bytes) = (128 + 8 * self.layout.words as u64, 2 * size_of::<Done>() as u64);
        let mut waiting: VecDeque<(Valuation, Option<Position>)> = VecDeque::from([(state.clone(), None)]);
        let mut numbers: HashMap<(Vec<u64>, Option<Position>), usize> = HashMap::new();
        let mut done: Vec<Done> = Vec::new();
        let mut source = 0;
        while let Some((before, holder)) = waiting.pop_front() {
            for firing in evaluator.some_firings(&before, holder).0 {
                pace.tick(done_bytes)?;
                let Some(after) = evaluator.fire(&before, &firing).1 else { continue };
                let holder = evaluator.holder_after(&firing);
                let is_transient = holder.is_some() && evaluator.firings(&after, holder).1;
                let mut target = None;
                if is_transient {
                    // The first node is the ordinary state.
                    let next = numbers.len() + 1;
                    let number = *numbers.entry((self.layout.pack(&after), holder)).or_insert(next);
                    if number == next {
                        pace.tick(node_bytes)?;
                        waiting.push_back((after, holder));
                    }
                    target = Some(number);
                }
                done.push(Done { source, by: (firing.action, firing.scope.positions.first().copied()), target });
            }
            source += 1;
        }
        let mut ends = vec![false; source];
        let mut changed = true;
        while changed {
            changed = false;
            for Done { source, target, .. } in done.iter().rev() {
                if !ends[*source] && target.is_none_or(|target| ends[target]) {
                    ends[*source] = true;
                    changed = true;
                }
            }
        }
        pace.release(done_bytes * done.len() as u64 + node_bytes * numbers.len() as u64);
        let mut on_steps: Vec<_> =
            done.into_iter().filter(|done| done.target.is_none_or(|target| ends[target])).map(|done| done.by).collect();
        on_steps.sort_unstable();
        on_steps.dedup();
        Ok(on_steps)
    }

    /// The letter of a position, in terms of the property's propositions.
    pub(crate) fn letter(&self, of_state: &BTreeSet<LabelId>, of_step: &BTreeSet<LabelId>) -> Letter {
        let carried = |label: &LabelId| of_state.contains(label) || of_step.contains(label);
        let labels = self.temporal().map_or(&[][..], |temporal| &temporal.labels);
        labels.iter().enumerate().filter(|(_, label)| carried(label)).map(|(number, _)| PropId::new(number)).collect()
    }
}

/// Something that is done on the way from an ordinary state: in which state, by whom, and the transient state that it leads
/// to, or none if the step ends there.
struct Done {
    source: usize,
    by: (ActionId, Option<Position>),
    target: Option<usize>,
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
