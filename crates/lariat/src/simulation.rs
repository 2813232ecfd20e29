//! One run of a model, action by action, forth and back.
//!
//! The reference evaluator runs the model, so a simulation is what the model means. Only the numbers of the choices made
//! are kept, and some of the states on the way: going back redoes the choices from the last kept state. In the same way a
//! run outgrows its pool of processes: all its choices are made again on a system with a larger one.

use crate::pool::{NoAnswer, with_growing_pool};
use crate::{CheckError, Model};
use lariat_base::{Diagnostic, Span};
use lariat_engine::{Event, Story};
use lariat_subject::too_many_ways;
use lariat_system::reference::{ControlIndex, Evaluator, Firing, Valuation};
use lariat_system::{ActionId, Fault, Position, System};
use std::sync::Arc;

/// As many states are kept at most, whatever the length of the run.
const MAX_KEPT: usize = 512;

/// A run of a model that can be continued and taken back.
#[derive(Debug)]
pub struct Simulation<'m> {
    model: &'m Model,
    system: Arc<System>,
    index: ControlIndex,
    /// Which of the initial states it began in.
    initial: usize,
    now: Moment,
    /// What can happen now, and whether an atomic sequence is going on.
    offers: (Vec<Firing>, bool),
    taken: Vec<Taken>,
    /// States on the way: the first is the initial one, the others stand after multiples of `interval` actions.
    kept: Vec<Kept>,
    interval: usize,
}

/// A point of a run.
#[derive(Clone, PartialEq, Debug)]
struct Moment {
    state: Arc<Valuation>,
    holder: Option<Position>,
    /// The run-time errors of the last action.
    faults: Vec<Fault>,
    /// One of them left it without successor, so nothing follows.
    stopped: bool,
}

#[derive(Clone, Debug)]
struct Kept {
    after: usize,
    moment: Moment,
}

/// A choice that was made.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Taken {
    /// Its number among what could happen.
    number: u32,
    /// What it was; tells whether it is the same when it is made again.
    action: ActionId,
    /// Whether a run-time error was met before it.
    faulty: bool,
}

impl<'m> Simulation<'m> {
    /// A run that begins in the first initial state.
    pub fn new(model: &'m Model) -> Result<Self, CheckError> {
        let pool_size = model.first_pool_size()?;
        let system = model.system(pool_size).map_err(CheckError::Model)?;
        if let Some(reason) = too_many_ways(&system) {
            let way_out = "`lariat check --engine symbolic` goes through sets of states instead";
            return Err(CheckError::Refused(format!("{reason}; {way_out}")));
        }
        Self::beginning(model, Arc::new(system), 0).ok_or_else(|| {
            let message = "the model has no initial state, so it has no run";
            CheckError::Model(vec![Diagnostic::error(Span::NONE, "C0001", message)])
        })
    }

    /// A run of `system`, which `model` is, that begins in the initial state of this number.
    fn beginning(model: &'m Model, system: Arc<System>, initial: usize) -> Option<Self> {
        let state = Evaluator::new(&system).initial().into_iter().nth(initial)?;
        let now = Moment { state: Arc::new(state), holder: None, faults: Vec::new(), stopped: false };
        let kept = vec![Kept { after: 0, moment: now.clone() }];
        let offers = (Vec::new(), false);
        let index = ControlIndex::new(&system);
        let mut simulation = Self { model, system, index, initial, now, offers, taken: Vec::new(), kept, interval: 1 };
        simulation.look();
        Some(simulation)
    }

    fn evaluator(&self) -> Evaluator<'_> {
        Evaluator::with_index(&self.system, &self.index)
    }

    /// How many initial states there are; not 0.
    pub fn initial_count(&self) -> usize {
        self.evaluator().initial().len()
    }

    /// Forgets the run and begins in the initial state of this number, which is less than their count.
    pub fn restart(&mut self, initial: usize) {
        *self = self.begun_again(Arc::clone(&self.system), initial);
    }

    /// The system that is run. Another one, with more room for processes, may take its place in [`Simulation::take`].
    pub fn system(&self) -> &System {
        &self.system
    }
    /// The state now.
    pub fn state(&self) -> &Valuation {
        &self.now.state
    }
    /// How many actions were taken.
    pub fn action_count(&self) -> usize {
        self.taken.len()
    }
    /// What can happen now, in the evaluator's order.
    pub fn offers(&self) -> &[Firing] {
        &self.offers.0
    }
    /// Whether an atomic sequence is going on.
    pub fn is_transient(&self) -> bool {
        self.offers.1
    }
    /// Whether a run-time error was met on the way, or is met now.
    pub fn met_fault(&self) -> bool {
        self.taken.iter().any(|taken| taken.faulty) || !self.faults().is_empty()
    }
    /// Whether nothing can happen because the run has come to its end, and not because an error stopped it.
    pub fn is_dead_end(&self) -> bool {
        self.offers.0.is_empty() && !self.now.stopped
    }
    /// Whether the run may end here, if it must.
    pub fn is_proper_end(&self) -> bool {
        self.evaluator().is_proper_end(&self.now.state)
    }

    /// The run-time errors that are met now: those of the last action, then those of the guards at which control stands.
    pub fn faults(&self) -> Vec<Fault> {
        let mut faults = self.now.faults.clone();
        if !self.now.stopped {
            // A holder that cannot go on holds nothing any more, and everybody's guards count.
            let holder = self.now.holder.filter(|_| self.offers.1);
            let guards = self.evaluator().guard_faults(&self.now.state, holder);
            faults.extend(guards.into_iter().map(|(_, fault)| fault));
        }
        faults
    }

    /// What taking the offer of this number would be. Where the pool is full it shows no state after.
    pub fn preview(&self, number: usize) -> Event {
        let firing = self.offers.0[number].clone();
        let (faults, after) = self.evaluator().fire(&self.now.state, &firing);
        Event { firing, before: self.now.state.clone(), after: after.map(Arc::new), faults }
    }

    /// Takes the offer of this number. An error says that the model with more processes is no model that we can run;
    /// then the run is the same as before.
    pub fn take(&mut self, number: usize) -> Result<Event, CheckError> {
        let (model, first) = (self.model, Arc::clone(&self.system));
        let make = |pool_size| model.system(pool_size).map_err(CheckError::Model);
        let (_, event) = with_growing_pool(first, model.has_fixed_pool(), make, |system, may_grow| {
            self.move_to(system);
            let event = self.preview(number);
            let is_full = event.faults.contains(&Fault::PoolFull(event.firing.action));
            if is_full && may_grow { Err(NoAnswer::PoolTooSmall) } else { Ok(event) }
        })?;
        self.accept(number, &event);
        Ok(event)
    }

    /// Begins anew and takes the actions of a run of the model, as many as it has of the first `steps` steps. An error says after how
    /// many actions there is no such action.
    pub fn follow(&mut self, story: &Story, steps: usize) -> Result<(), CheckError> {
        let lost = |after: usize| {
            CheckError::Refused(format!("it is not a run of the model, from its action {} on", after + 1))
        };
        let same = |state: &Valuation| *state == **story.initial();
        let initial = self.evaluator().initial().iter().position(same).ok_or_else(|| lost(0))?;
        self.restart(initial);
        for step in 0..story.step_count().min(steps) {
            for action in story.actions_of(step) {
                let firing = action.firing();
                // At a run-time error of a guard the run stands before the action.
                let Some(number) = self.offers().iter().position(|offer| *offer == firing) else {
                    let is_end = step + 1 == story.step_count() && !self.faults().is_empty();
                    return if is_end { Ok(()) } else { Err(lost(self.action_count())) };
                };
                self.take(number)?;
            }
        }
        Ok(())
    }

    /// Takes back as many actions, or all there are; gives the numbers of the offers that were taken, in their order, so that they
    /// can be taken again.
    pub fn back(&mut self, actions: usize) -> Vec<usize> {
        let wanted = self.taken.len().saturating_sub(actions);
        let taken_back = self.taken[wanted..].iter().map(|taken| taken.number as usize).collect();
        self.kept.retain(|kept| kept.after <= wanted);
        let last = self.kept.last().expect("the initial state is kept, and is never after `wanted`").clone();
        let again = self.taken[last.after..wanted].to_vec();
        self.taken.truncate(last.after);
        self.now = last.moment;
        self.look();
        self.redo(&again, |_, _| {});
        taken_back
    }

    /// The whole run, for traces.
    pub fn story(&self) -> Story {
        let mut again = self.begun_again(Arc::clone(&self.system), self.initial);
        let mut story = Story::new(again.now.state.clone());
        let mut inside = false;
        again.redo(&self.taken, |event, transient| {
            story.push_event(&self.system, &event);
            if !transient {
                story.end_step();
            }
            inside = transient;
        });
        if inside {
            story.end_step();
        }
        story
    }

    fn begun_again(&self, system: Arc<System>, initial: usize) -> Self {
        Self::beginning(self.model, system, initial).expect("there are as many initial states as there were")
    }

    /// Makes the same choices on `system`, which is the same one or has a larger pool: it has the same actions, and offers
    /// them in the same order.
    fn move_to(&mut self, system: &Arc<System>) {
        if Arc::ptr_eq(system, &self.system) {
            return;
        }
        let mut larger = self.begun_again(Arc::clone(system), self.initial);
        larger.redo(&self.taken, |_, _| {});
        *self = larger;
    }

    /// Makes choices again; `then` gets each event, and whether an atomic sequence goes on after it.
    fn redo(&mut self, choices: &[Taken], mut then: impl FnMut(Event, bool)) {
        for choice in choices {
            let event = self.preview(choice.number as usize);
            assert_eq!(event.firing.action, choice.action, "the same choices lead to the same run");
            self.accept(choice.number as usize, &event);
            then(event, self.is_transient());
        }
    }

    fn accept(&mut self, number: usize, event: &Event) {
        let number = u32::try_from(number).expect("nobody lists 2^32 offers");
        let faulty = !self.faults().is_empty();
        self.taken.push(Taken { number, action: event.firing.action, faulty });
        self.now.faults.clone_from(&event.faults);
        match &event.after {
            None => self.now.stopped = true,
            Some(after) => {
                self.now.state = after.clone();
                self.now.holder = self.evaluator().holder_after(&event.firing);
            }
        }
        self.look();
        self.keep();
    }

    /// Finds out what can happen now.
    fn look(&mut self) {
        self.offers = if self.now.stopped {
            (Vec::new(), false)
        } else {
            self.evaluator().firings(&self.now.state, self.now.holder)
        };
    }

    /// Keeps the state if it is one of those to be kept. When there are too many, every second one goes.
    fn keep(&mut self) {
        let after = self.taken.len();
        if !after.is_multiple_of(self.interval) {
            return;
        }
        self.kept.push(Kept { after, moment: self.now.clone() });
        if self.kept.len() > MAX_KEPT {
            self.interval *= 2;
            let interval = self.interval;
            self.kept.retain(|kept| kept.after.is_multiple_of(interval));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Random, ReadOptions};

    fn model(text: &str) -> Model {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.pml");
        std::fs::write(&path, text).unwrap();
        Model::read(&path, &ReadOptions::default()).unwrap_or_else(|rejected| panic!("{:?}", rejected.diagnostics))
    }

    fn run(simulation: &mut Simulation<'_>, random: &mut Random, actions: usize) {
        for _ in 0..actions {
            let Some(number) = (!simulation.offers().is_empty()).then(|| random.below(simulation.offers().len()))
            else {
                return;
            };
            simulation.take(number).unwrap();
        }
    }

    const LOOP: &str = "byte x; chan q = [3] of { byte };
        active proctype P() { do :: q!x :: atomic { x++; q!x; x++ } od }
        active [2] proctype Q() { byte v; do :: q?v :: q?<v>; v = v + x od }";

    #[test]
    fn back_restores_every_state_exactly() {
        let model = model(LOOP);
        let mut simulation = Simulation::new(&model).unwrap();
        let mut random = Random::new(3);
        let mut past = vec![(simulation.now.clone(), simulation.offers.clone())];
        for _ in 0..3 * MAX_KEPT {
            run(&mut simulation, &mut random, 1);
            past.push((simulation.now.clone(), simulation.offers.clone()));
        }
        assert!(simulation.kept.len() <= MAX_KEPT && simulation.interval > 1);
        let story = simulation.story();
        assert_eq!(story.actions().len(), 3 * MAX_KEPT);
        assert!((0..story.step_count()).any(|step| story.actions_of(step).len() > 1));
        let states = story.events(simulation.system()).filter_map(|item| item.event?.after);
        assert!(states.eq(past[1..].iter().map(|(moment, _)| moment.state.clone())));
        while simulation.action_count() > 0 {
            simulation.back(random.below(5));
            let (now, offers) = &past[simulation.action_count()];
            assert_eq!((now, offers), (&simulation.now, &simulation.offers));
        }
        simulation.back(1);
        assert_eq!(simulation.now, past[0].0);
    }

    #[test]
    fn a_run_outgrows_its_pool() {
        let spawner = |wanted: u32| {
            model(&format!(
                "byte n; chan q = [1] of {{ chan }};
                 proctype P(byte id) {{ chan mine = [2] of {{ byte }}; mine!id; q!mine; q?mine; (false) }}
                 init {{ do :: n < {wanted} -> n++; run P(n) :: else -> break od }}"
            ))
        };
        let fine = spawner(100);
        let mut simulation = Simulation::new(&fine).unwrap();
        let before = simulation.system().pool_size;
        run(&mut simulation, &mut Random::new(1), 5000);
        assert_eq!((simulation.state().pool.len(), simulation.met_fault()), (101, false));
        assert!(simulation.system().pool_size > before && simulation.is_dead_end() && !simulation.is_proper_end());

        let many = spawner(255);
        let mut simulation = Simulation::new(&many).unwrap();
        run(&mut simulation, &mut Random::new(1), 5000);
        assert!(simulation.met_fault() && !simulation.is_dead_end() && simulation.offers().is_empty());
        simulation.back(1);
        assert!(!simulation.met_fault() && !simulation.offers().is_empty());
    }

    #[test]
    fn faults_are_met_where_control_stands_and_where_actions_are_taken() {
        let guard = model("byte i = 7; byte a[3]; active proctype P() { a[i] == 0 }");
        let simulation = Simulation::new(&guard).unwrap();
        assert!(simulation.met_fault() && simulation.faults().len() == 1);
        let effect = model("byte x; active proctype P() { assert(x == 1); x = 1 }");
        let mut simulation = Simulation::new(&effect).unwrap();
        assert!(!simulation.met_fault());
        assert_eq!(simulation.take(0).unwrap().faults.len(), 1);
        assert!(simulation.met_fault() && simulation.offers().len() == 1, "a failed assertion goes on");
        simulation.back(1);
        assert!(!simulation.met_fault());
    }
}
