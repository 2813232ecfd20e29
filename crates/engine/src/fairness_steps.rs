//! What happens on the loop of an infinite run: which processes could move, which did, and whether that is fair.

use crate::follow::Way;
use crate::replay_limits::ReplayLimits;
use crate::{Shortfall, SystemReplay};
use lariat_base::Id;
use lariat_logic::{LassoWord, Letter, PropId};
use lariat_system::reference::{PathMarks, Valuation};
use lariat_system::{Fairness, LabelId, Occasion, Position, Strength, Who};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

/// The part of a run that repeats for ever.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loop {
    /// The number of its first step.
    pub start: usize,
    /// For each fairness constraint of the system, in order, where the loop meets it.
    pub fairness: Vec<FairnessSteps>,
    /// The processes that the loop is unfair to, whether or not that was asked about.
    pub unfair: Vec<Unfair>,
}

/// The steps of a loop at which a fairness constraint is asked for and at which it is given, by number.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FairnessSteps {
    /// Where it is enabled, or the first label of a compassion holds; none are named for justice, of which every step asks.
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

/// What is observed of an infinite run.
#[derive(Default)]
pub(crate) struct Observed {
    /// Of every step.
    letters: Vec<Letter>,
    /// Of every step of the loop.
    loop_steps: Vec<LoopStep>,
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
        limits: &mut ReplayLimits<'_>,
    ) -> Result<(), Shortfall> {
        limits.tick(size_of::<Letter>() as u64)?;
        self.state_labels = replay.evaluator().state_labels(state);
        if on_loop {
            let mut loop_step = LoopStep { state_labels: self.state_labels.clone(), ..LoopStep::default() };
            if replay.asks_what_is_possible() {
                let Possible { processes, labels, is_dead_end: _ } = replay.possible(state, limits)?;
                (loop_step.enabled_processes, loop_step.enabled_labels) = (processes, labels);
            }
            self.loop_steps.push(loop_step);
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
        if let Some(loop_step) = self.loop_steps.last_mut().filter(|_| on_loop) {
            loop_step.taken = way.marks.clone();
        }
    }
}

/// One step of the loop.
#[derive(Default)]
struct LoopStep {
    /// Of the state that is left.
    state_labels: BTreeSet<LabelId>,
    taken: PathMarks,
    /// The processes that act on some step from the state.
    enabled_processes: BTreeSet<Position>,
    /// The labels that some step from the state carries.
    enabled_labels: BTreeSet<LabelId>,
}

impl LoopStep {
    fn holds(&self, occasion: Occasion) -> bool {
        match occasion {
            Occasion::Always => true,
            Occasion::Labelled(label) => self.state_labels.contains(&label) || self.taken.labels.contains(&label),
            Occasion::Enabled(Who::Process(position)) => self.enabled_processes.contains(&position),
            Occasion::Enabled(Who::Steps(label)) => self.enabled_labels.contains(&label),
            Occasion::Taken(Who::Process(position)) => self.taken.participants.contains(&position),
            Occasion::Taken(Who::Steps(label)) => self.taken.labels.contains(&label),
        }
    }
}

impl SystemReplay<'_> {
    /// Makes sure that the run is fair and bad, by what was observed of it; `start` is the number of the loop's first step.
    pub(crate) fn judge(&self, start: usize, observed: Observed) -> Result<Loop, String> {
        let cycle = self.fair_loop(start, &observed)?;
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
    pub(crate) fn fair_loop(&self, start: usize, observed: &Observed) -> Result<Loop, String> {
        let loop_steps = &observed.loop_steps;
        let mut fairness = Vec::new();
        for (number, constraint) in self.system().fairness.iter().enumerate() {
            let steps = fairness_steps(constraint, start, loop_steps);
            if !is_met(constraint, &steps, loop_steps.len()) {
                return Err(format!("the loop is not fair: it does not meet constraint {}", number + 1));
            }
            fairness.push(steps);
        }
        Ok(Loop { start, fairness, unfair: unfair(loop_steps) })
    }

    /// Whether it matters to fairness, or to what is said of it, which steps a state has. Of many processes that are none of the
    /// pool, as those of SMV, each state has many.
    fn asks_what_is_possible(&self) -> bool {
        let asks = |occasion: Occasion| matches!(occasion, Occasion::Enabled(_));
        self.system().fairness.iter().any(|one| asks(one.asked) || asks(one.given))
            || self.system().actions.iter().any(|action| !action.participants.is_empty())
    }

    /// What is done on some step from an ordinary state. The evaluator lists of several paths that come to the same one of
    /// them: here all are followed, and those that never end are left out again.
    pub(crate) fn possible(&self, state: &Valuation, limits: &mut ReplayLimits<'_>) -> Result<Possible, Shortfall> {
        let evaluator = self.evaluator();
        let (node_bytes, done_bytes) = (128 + 8 * self.layout.words as u64, 2 * size_of::<PathAction>() as u64);
        let mut waiting: VecDeque<(Valuation, Option<Position>)> = VecDeque::from([(state.clone(), None)]);
        let mut numbers: HashMap<(Vec<u64>, Option<Position>), usize> = HashMap::new();
        let mut done: Vec<PathAction> = Vec::new();
        let (mut source, mut label_bytes) = (0, 0);
        while let Some((before, holder)) = waiting.pop_front() {
            for firing in evaluator.some_firings(&before, holder).0 {
                limits.tick(done_bytes)?;
                let Some(after) = evaluator.fire(&before, &firing).1 else { continue };
                let holder = evaluator.holder_after(&firing);
                let is_transient = holder.is_some() && evaluator.firings(&after, holder).1;
                let mut target = None;
                if is_transient {
                    // The first node is the ordinary state.
                    let next = numbers.len() + 1;
                    let number = *numbers.entry((self.layout.pack(&after), holder)).or_insert(next);
                    if number == next {
                        limits.tick(node_bytes)?;
                        waiting.push_back((after, holder));
                    }
                    target = Some(number);
                }
                let labels = evaluator.marks_with(&PathMarks::default(), &before, &firing).labels;
                limits.tick((labels.len() * size_of::<LabelId>()) as u64)?;
                label_bytes += (labels.len() * size_of::<LabelId>()) as u64;
                done.push(PathAction { source, actor: firing.scope.positions.first().copied(), labels, target });
            }
            source += 1;
        }
        let mut ends = vec![false; source];
        let mut changed = true;
        while changed {
            changed = false;
            for PathAction { source, target, .. } in done.iter().rev() {
                if !ends[*source] && target.is_none_or(|target| ends[target]) {
                    ends[*source] = true;
                    changed = true;
                }
            }
        }
        limits.release(done_bytes * done.len() as u64 + node_bytes * numbers.len() as u64 + label_bytes);
        let mut possible = Possible { is_dead_end: true, ..Possible::default() };
        for done in done.into_iter().filter(|done| done.target.is_none_or(|target| ends[target])) {
            possible.is_dead_end = false;
            possible.processes.extend(done.actor);
            possible.labels.extend(done.labels);
        }
        Ok(possible)
    }

    /// The letter of a position, in terms of the property's propositions.
    pub(crate) fn letter(&self, of_state: &BTreeSet<LabelId>, of_step: &BTreeSet<LabelId>) -> Letter {
        let carried = |label: &LabelId| of_state.contains(label) || of_step.contains(label);
        let labels = self.temporal().map_or(&[][..], |temporal| &temporal.labels);
        labels.iter().enumerate().filter(|(_, label)| carried(label)).map(|(number, _)| PropId::new(number)).collect()
    }
}

/// What can be done in an ordinary state.
#[derive(Default)]
pub(crate) struct Possible {
    /// Whether nothing can.
    pub(crate) is_dead_end: bool,
    /// The processes that act on some step.
    pub(crate) processes: BTreeSet<Position>,
    /// The labels that some step carries.
    pub(crate) labels: BTreeSet<LabelId>,
}

/// Something that is done on the way from an ordinary state: in which state, by whom, with which labels, and the transient
/// state that it leads to, or none if the step ends there.
struct PathAction {
    source: usize,
    actor: Option<Position>,
    labels: BTreeSet<LabelId>,
    target: Option<usize>,
}

fn fairness_steps(constraint: &Fairness, start: usize, loop_steps: &[LoopStep]) -> FairnessSteps {
    let places = |occasion: Occasion| {
        let loop_steps = loop_steps.iter().enumerate().filter(|(_, loop_step)| loop_step.holds(occasion));
        loop_steps.map(|(number, _)| start + number).collect()
    };
    let asked = if constraint.asked == Occasion::Always { Vec::new() } else { places(constraint.asked) };
    FairnessSteps { asked, given: places(constraint.given) }
}

fn is_met(constraint: &Fairness, steps: &FairnessSteps, loop_len: usize) -> bool {
    let is_asked = match constraint.strength {
        _ if constraint.asked == Occasion::Always => true,
        Strength::Weak => steps.asked.len() == loop_len,
        Strength::Strong => !steps.asked.is_empty(),
    };
    !is_asked || !steps.given.is_empty()
}

/// The processes that could move, always or now and then, and never do.
fn unfair(loop_steps: &[LoopStep]) -> Vec<Unfair> {
    let asking: BTreeSet<Position> =
        loop_steps.iter().flat_map(|loop_step| &loop_step.enabled_processes).copied().collect();
    let idle = asking
        .into_iter()
        .filter(|position| !loop_steps.iter().any(|loop_step| loop_step.taken.participants.contains(position)));
    idle.map(|position| {
        let always_enabled = loop_steps.iter().all(|loop_step| loop_step.enabled_processes.contains(&position));
        Unfair { position, always_enabled }
    })
    .collect()
}
