//! Runs of a Rust model, made again by calling the model afresh.
//!
//! Nothing here goes through the state space that the engine searched: states are made by [`Model::next`], what holds in them
//! is asked of the propositions, the property is evaluated on the run itself, and fairness by its definition.

use super::model::{Meaning, Model, Proposition};
use super::{Pack, Packer};
use lariat_base::Id;
use lariat_engine::{FailureKind, Replay, ReplayError, RunControl, Temporal, Trace, TraceStep};
use lariat_logic::{LassoWord, Letter, PropId};
use lariat_system::{Fairness, LabelId, Occasion, Strength, Who};
use std::collections::BTreeSet;
use std::fmt;

/// A run of a model.
#[derive(Clone, PartialEq, Debug)]
pub struct ModelRun<S, A> {
    /// The state that it begins in.
    pub initial: S,
    /// The steps, in order.
    pub steps: Vec<ModelStep<S, A>>,
    /// Of a run that goes on for ever, the number of the step that follows the last one.
    pub loop_start: Option<usize>,
}

/// One step of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct ModelStep<S, A> {
    /// What happens; `None` where nothing can, and the state repeats for ever.
    pub action: Option<A>,
    /// The state that it leads to.
    pub state: S,
}

/// A run in lines: the first state, then each action with the state that it leads to.
impl<S: fmt::Debug, A: fmt::Debug> fmt::Display for ModelRun<S, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "initially {:?}", self.initial)?;
        for (number, step) in self.steps.iter().enumerate() {
            if self.loop_start == Some(number) {
                writeln!(f, "for ever:")?;
            }
            match &step.action {
                Some(action) => writeln!(f, "{:4}  {action:?}", number + 1)?,
                None => writeln!(f, "{:4}  nothing can happen", number + 1)?,
            }
            writeln!(f, "      {:?}", step.state)?;
        }
        Ok(())
    }
}

/// A run of the model `M`.
pub type RunOf<M> = ModelRun<<M as Model>::State, <M as Model>::Action>;
type StepOf<M> = ModelStep<<M as Model>::State, <M as Model>::Action>;

/// Replays traces of a model.
pub(super) struct ModelReplay<'a, M: Model> {
    pub(super) model: &'a M,
    pub(super) propositions: &'a [Proposition<M>],
    /// Which infinite runs are bad, of a temporal property.
    pub(super) temporal: Option<&'a Temporal>,
    /// Which runs count.
    pub(super) fairness: &'a [Fairness],
    pub(super) control: &'a RunControl,
}

/// What is observed at a step: of the state that is left, of what happens, and of what could happen.
#[derive(Default)]
struct Observed {
    of_state: BTreeSet<LabelId>,
    of_step: BTreeSet<LabelId>,
    process: Option<u8>,
    enabled_processes: BTreeSet<u8>,
    enabled_labels: BTreeSet<LabelId>,
}

impl Observed {
    fn carries(&self, label: LabelId) -> bool {
        self.of_state.contains(&label) || self.of_step.contains(&label)
    }
    fn is_so(&self, occasion: Occasion) -> bool {
        match occasion {
            Occasion::Always => true,
            Occasion::Labelled(label) => self.carries(label),
            Occasion::Enabled(Who::Process(process)) => self.enabled_processes.contains(&process),
            Occasion::Enabled(Who::Steps(label)) => self.enabled_labels.contains(&label),
            Occasion::Taken(Who::Process(process)) => self.process == Some(process),
            Occasion::Taken(Who::Steps(label)) => self.of_step.contains(&label),
        }
    }
}

impl<M: Model> Replay for ModelReplay<'_, M> {
    type Story = RunOf<M>;

    fn replay(&self, trace: &Trace, kind: FailureKind) -> Result<RunOf<M>, ReplayError> {
        let end = trace.steps.len();
        let initial = self.model.initial().into_iter().find(|state| packed(state) == trace.initial);
        let initial = initial.ok_or_else(|| ReplayError::wrong(0, "the run does not begin in an initial state"))?;
        let (mut run, mut observed) =
            (ModelRun { initial, steps: Vec::new(), loop_start: trace.loop_start }, Vec::new());
        let heeded = self.control.interrupts();
        for (number, step) in trace.steps.iter().enumerate() {
            self.control.check_telling(heeded).map_err(|shortfall| ReplayError::short(number, shortfall))?;
            let wrong = |reason| ReplayError::wrong(number, reason);
            let (next, seen) = self.step(run.last(), step).map_err(wrong)?;
            run.steps.push(next);
            observed.push(seen);
        }
        let judged = match kind {
            FailureKind::InvalidEnd => self.ensure_deadlock(&run),
            FailureKind::Cycle => self.ensure_bad(&run, &observed),
            FailureKind::BadPrefix => self.ensure_bad_prefix(&run, &observed),
            FailureKind::Fault(_) | FailureKind::Branching => Err("a model written in Rust does not fail like this"),
        };
        judged.map_err(|reason| ReplayError::wrong(end, reason))?;
        Ok(run)
    }
}

impl<S, A> ModelRun<S, A> {
    /// The last state.
    pub fn last(&self) -> &S {
        self.steps.last().map_or(&self.initial, |step| &step.state)
    }
    /// The state before a step.
    fn before(&self, number: usize) -> &S {
        number.checked_sub(1).map_or(&self.initial, |number| &self.steps[number].state)
    }
}

impl<M: Model> ModelReplay<'_, M> {
    /// Takes a step of a trace.
    fn step(&self, state: &M::State, step: &TraceStep) -> Result<(StepOf<M>, Observed), &'static str> {
        let mut actions = Vec::new();
        self.model.actions(state, &mut actions);
        let mut observed = self.observe(state, &actions);
        let taken = match step.via[..] {
            [] if actions.iter().any(|action| self.model.next(state, action).is_some()) => {
                return Err("the state does not repeat for ever: something can happen");
            }
            [] => ModelStep { action: None, state: state.clone() },
            [by] => {
                let action = actions.get(by.action.index()).ok_or("there is no such action")?;
                let next = self.model.next(state, action).ok_or("the action cannot happen here")?;
                if self.model.process(action) != by.actor || by.peer.is_some() {
                    return Err("another process acts");
                }
                observed.process = by.actor;
                observed.of_step = self.labels_of(state, action);
                ModelStep { action: Some(action.clone()), state: next }
            }
            _ => return Err("a step is one action"),
        };
        if step.labels.as_ref().is_some_and(|labels| !labels.iter().eq(&observed.of_step)) {
            return Err("other propositions are true of the step");
        }
        match step.target.as_ref() == Some(&packed(&taken.state)) {
            true => Ok((taken, observed)),
            false => Err("the step leads to another state"),
        }
    }

    fn observe(&self, state: &M::State, actions: &[M::Action]) -> Observed {
        let holds = |(number, each): (usize, &Proposition<M>)| {
            each.meaning.holds_in(self.model, state).then(|| LabelId::new(number))
        };
        let mut observed = Observed {
            of_state: self.propositions.iter().enumerate().filter_map(holds).collect(),
            ..Observed::default()
        };
        for action in actions.iter().filter(|action| self.model.next(state, action).is_some()) {
            observed.enabled_processes.extend(self.model.process(action));
            observed.enabled_labels.extend(self.labels_of(state, action));
        }
        observed
    }

    fn labels_of(&self, state: &M::State, action: &M::Action) -> BTreeSet<LabelId> {
        let propositions = self.propositions.iter().enumerate();
        let holds = propositions.filter(|(_, each)| each.meaning.holds_of(self.model, state, action));
        holds.map(|(number, _)| LabelId::new(number)).collect()
    }

    /// An error unless nothing can happen in the last state, and the run may not end there.
    fn ensure_deadlock(&self, run: &RunOf<M>) -> Result<(), &'static str> {
        let state = run.last();
        let mut actions = Vec::new();
        self.model.actions(state, &mut actions);
        match () {
            _ if run.loop_start.is_some() => Err("a deadlock does not go on for ever"),
            _ if actions.iter().any(|action| self.model.next(state, action).is_some()) => Err("the run can go on"),
            _ if self.model.may_end(state) => Err("the run may end here"),
            () => Ok(()),
        }
    }

    /// An error unless the run goes on for ever, is fair and violates the property.
    fn ensure_bad(&self, run: &RunOf<M>, observed: &[Observed]) -> Result<(), &'static str> {
        let temporal = self.temporal.ok_or("nothing is known about which runs are bad")?;
        let start = run.loop_start.filter(|&start| start < observed.len()).ok_or("the run does not go on for ever")?;
        if run.before(start) != run.last() {
            return Err("the loop does not close");
        }
        if !self.fairness.iter().all(|constraint| is_met(constraint, &observed[start..])) {
            return Err("the loop is not fair");
        }
        let letter = |seen: &Observed| letter(temporal, seen);
        let (stem, round) = observed.split_at(start);
        let word = LassoWord::new(stem.iter().map(letter).collect(), round.iter().map(letter).collect());
        match temporal.demands.iter().all(|demand| demand.holds(&word)) {
            true => Ok(()),
            false => Err("the property holds on the run"),
        }
    }

    /// An error unless the run violates the property however it goes on.
    fn ensure_bad_prefix(&self, run: &RunOf<M>, observed: &[Observed]) -> Result<(), &'static str> {
        const NOT_YET: &str = "the run is not bad yet: it may go on so that the property holds";
        let temporal = self.temporal.ok_or("nothing is known about which runs are bad")?;
        let mut watch = temporal.watch().filter(|_| self.fairness.is_empty()).ok_or(NOT_YET)?;
        // What is true of the last state alone; of the step that leaves it nothing is known.
        let last = Observed { of_state: self.observe(run.last(), &[]).of_state, ..Observed::default() };
        let is_of_states = |label: &LabelId| matches!(self.propositions[label.index()].meaning, Meaning::State(_));
        let last = temporal.labels.iter().all(is_of_states).then_some(&last);
        match observed.iter().chain(last).any(|seen| watch.read(&letter(temporal, seen))) {
            true => Ok(()),
            false => Err(NOT_YET),
        }
    }
}

/// What is true of a step and the state it leaves, of what the property speaks of.
fn letter(temporal: &Temporal, seen: &Observed) -> Letter {
    let labels = temporal.labels.iter().enumerate();
    labels.filter(|(_, label)| seen.carries(**label)).map(|(number, _)| PropId::new(number)).collect()
}

fn is_met(constraint: &Fairness, round: &[Observed]) -> bool {
    let is_asked = match constraint.strength {
        Strength::Weak => round.iter().all(|seen| seen.is_so(constraint.asked)),
        Strength::Strong => round.iter().any(|seen| seen.is_so(constraint.asked)),
    };
    !is_asked || round.iter().any(|seen| seen.is_so(constraint.given))
}

/// A state as engines write it.
fn packed<S: Pack>(state: &S) -> Vec<u64> {
    let mut words = vec![0; S::BITS.div_ceil(64).max(1) as usize];
    state.pack(&mut Packer::new(&mut words));
    words
}
