//! Answers by sets of states, with the runs that show them.

use super::aside::Aside;
use crate::diagrams::{Capacity, Diagram};
use crate::sets::BddSets;
use lariat_branching::{
    Answer, Invariant, SpaceStepper, Stepper, answer, breadth_first, failing, measure, path_between,
};
use lariat_engine::{
    Branching, Distance, EngineError, Evidence, FailureKind, Report, RunError, Shortfall, Stats, SymbolicFigures,
    Trace, TraceStep, Verdict, Watched, Witness,
};
use lariat_exec::Program;
use lariat_space::{Faults, Natural, StateSets};
use lariat_store::Exactness;
use lariat_system::System;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// While a search runs, sets of more nodes are not counted: that takes time, and memory beside the budget.
const MOST_COUNTED: usize = 100_000;
/// And others not more often than this.
const COUNT_INTERVAL: Duration = Duration::from_millis(100);

/// What is asked of the system.
pub(super) enum Asked {
    Safety { invalid_ends: bool },
    Invariant(Invariant),
    Ctl(Box<Branching>),
    Distance(Box<Distance>),
}

/// What is to be settled.
pub(super) struct Question {
    pub(super) system: System,
    pub(super) asked: Asked,
    pub(super) pool_may_grow: bool,
    /// Whether a failure must be shown by a shortest run.
    pub(super) shortest: bool,
}

/// The answer. A small cache and few nodes are tried first, since larger ones take time to be made.
pub(super) fn solve(
    question: &Question,
    capacity: Capacity,
    full: Shortfall,
    shared: &Arc<Aside>,
) -> Result<Report, RunError> {
    let program = Program::compile(&question.system).map_err(|error| EngineError { reason: error.to_string() })?;
    let stepper = SpaceStepper::new(&program, &question.system);
    let first = capacity.at_first();
    if first != capacity
        && let Some(report) = attempt(question, first, full, shared, &stepper, false)?
    {
        return Ok(report);
    }
    Ok(attempt(question, capacity, full, shared, &stepper, true)?.expect("the last attempt has an answer"))
}

/// The answer that can be had with this capacity; `None` if a larger one may help.
fn attempt(
    question: &Question,
    capacity: Capacity,
    full: Shortfall,
    shared: &Arc<Aside>,
    stepper: &impl Stepper,
    is_last: bool,
) -> Result<Option<Report>, RunError> {
    let watched = Arc::clone(shared);
    let sets = BddSets::new(&question.system, capacity, full, move || watched.check())
        .map_err(|_| EngineError { reason: "the system is too large to be encoded".to_owned() })?;
    let sets = match sets {
        Ok(sets) => sets,
        Err(shortfall) if shortfall == full && !is_last => return Ok(None),
        Err(shortfall) => return Ok(Some(Report::at_once(shortfall))),
    };
    sets.diagrams().reorder_when_full(is_last);
    let mut search = Search {
        question,
        sets: &sets,
        stepper,
        shared,
        is_last,
        seen: sets.empty(),
        depth: 0,
        passes: None,
        complete: false,
    };
    let solved = search.solve();
    if solved.as_ref().err() == Some(&full) && !is_last {
        return Ok(None);
    }
    let stats = search.stats();
    Ok(Some(match solved {
        Err(shortfall) => Report { stats, ..Report::at_once(shortfall) },
        Ok(None) => return Err(RunError::PoolTooSmall),
        Ok(Some(Found { verdict, witnesses, dead_end, watched })) => {
            let failures: Vec<Evidence> =
                if let Verdict::Fails(evidence) = &verdict { vec![evidence.clone()] } else { Vec::new() };
            Report {
                verdict,
                failure_count: failures.len() as u64,
                failures,
                unfinished: None,
                witnesses,
                dead_end,
                watched,
                stats,
                ..Report::at_once(Shortfall::Interrupted)
            }
        }
    }))
}

/// What was found.
struct Found {
    verdict: Verdict,
    witnesses: Vec<Witness>,
    /// Whether a state without a step can be reached, if that was looked for.
    dead_end: Option<bool>,
    /// Of an invariant that holds, what was seen by the way.
    watched: Option<Watched>,
}

impl Found {
    fn plain(verdict: Verdict) -> Self {
        Self { verdict, witnesses: Vec::new(), dead_end: None, watched: None }
    }
}

struct Search<'s, 'a, T> {
    question: &'s Question,
    sets: &'s BddSets<'a>,
    stepper: &'s T,
    shared: &'s Arc<Aside>,
    is_last: bool,
    /// What was reached so far.
    seen: Diagram,
    depth: u64,
    /// How often all actions were applied, if not ring by ring.
    passes: Option<u64>,
    complete: bool,
}

/// Why the search ends before all is reached.
enum Early {
    PoolFull,
    /// `safety` fails in these states.
    Failing(Diagram),
}

impl<T: Stepper> Search<'_, '_, T> {
    /// The answer; `None` if the pool was a guess, and too small.
    fn solve(&mut self) -> Result<Option<Found>, Shortfall> {
        match &self.question.asked {
            Asked::Safety { invalid_ends } => self.safety(*invalid_ends),
            Asked::Invariant(invariant) => self.invariant(invariant),
            Asked::Ctl(property) => self.branching(|search| {
                answer(search.sets, property, &search.question.system, search.seen.clone(), search.stepper)
            }),
            Asked::Distance(distance) => self.branching(|search| {
                measure(search.sets, distance, &search.question.system, search.seen.clone(), search.stepper)
            }),
        }
    }

    /// All reachable states, or what was reached when a state was found that ends the search: one that `failing_in` gives, or
    /// in which the pool is full that was only a guess.
    fn reach(
        &mut self,
        failing_in: impl Fn(&BddSets<'_>, &Diagram) -> Result<Diagram, Shortfall>,
    ) -> Result<Option<Early>, Shortfall> {
        let (sets, may_grow, shared) = (self.sets, self.question.pool_may_grow, self.shared);
        let mut counted = Instant::now();
        let mut look = |new: &Diagram, reached: &Diagram, depth: u64| -> Result<Option<Early>, Shortfall> {
            let is_time = counted.elapsed() >= COUNT_INTERVAL;
            let countable = is_time && sets.diagrams().size_of(reached) <= MOST_COUNTED;
            if is_time {
                counted = Instant::now();
            }
            let states = countable.then(|| sets.count(reached)).transpose()?;
            shared.tell(states.map(|states| states.to_u64().unwrap_or(u64::MAX)), depth, sets.diagrams().bytes());
            if may_grow && !sets.is_empty(&sets.faulty(new, Faults::PoolFull)?) {
                return Ok(Some(Early::PoolFull));
            }
            let failing = failing_in(sets, new)?;
            Ok((!sets.is_empty(&failing)).then_some(Early::Failing(failing)))
        };
        let mut early = None;
        if self.question.shortest || sets.has_one_rule() {
            let (seen, reached_depth) = (&mut self.seen, &mut self.depth);
            breadth_first(sets, |ring, reached, depth| {
                (*seen, *reached_depth) = (reached.clone(), depth as u64);
                early = look(ring, reached, depth as u64)?;
                Ok(if early.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
            })?;
        } else {
            self.seen = sets.initial()?;
            let mut new = self.seen.clone();
            let mut passes = 0;
            while !sets.is_empty(&new) {
                sets.safe_point()?;
                self.passes = Some(passes);
                early = look(&new, &self.seen, passes)?;
                if early.is_some() {
                    break;
                }
                let grown = sets.grown(&self.seen)?;
                new = sets.minus(&grown, &self.seen)?;
                self.seen = grown;
                passes += 1;
            }
        }
        self.complete = early.is_none();
        sets.confine(&self.seen)?;
        Ok(early)
    }

    fn safety(&mut self, invalid_ends: bool) -> Result<Option<Found>, Shortfall> {
        let failing = match self.reach(|sets, new| failing(sets, new, invalid_ends))? {
            None => return Ok(Some(Found::plain(Verdict::of_exhausted(Exactness::Exact)))),
            Some(Early::PoolFull) => return Ok(None),
            Some(Early::Failing(failing)) => failing,
        };
        let states = path_between(self.sets, &self.sets.initial()?, &self.seen, &failing)?;
        let states = states.expect("what was reached is reached from an initial state");
        let end = &states[states.len() - 1];
        let mut steps: Vec<TraceStep> = states.windows(2).map(|ends| self.step(&ends[0], &ends[1])).collect();
        let kind = match self.stepper.fault(end) {
            Some((step, fault)) => {
                steps.push(step);
                FailureKind::Fault(fault)
            }
            None => FailureKind::InvalidEnd,
        };
        let trace = Trace { initial: states[0].clone(), steps, loop_start: None, decided: None };
        Ok(Some(Found::plain(Verdict::Fails(Evidence { kind, trace }))))
    }

    fn invariant(&mut self, invariant: &Invariant) -> Result<Option<Found>, Shortfall> {
        let (bad, verdict) = match self.reach(|sets, new| invariant.violations(sets, new))? {
            None => (None, Verdict::of_exhausted(Exactness::Exact)),
            Some(Early::PoolFull) => return Ok(None),
            Some(Early::Failing(bad)) => {
                let evidence = invariant.evidence(self.sets, &self.seen, &bad, self.stepper)?;
                (Some(bad), Verdict::Fails(evidence))
            }
        };
        let watched = bad.is_none().then(|| invariant.watched(self.sets, &self.seen)).transpose()?;
        Ok(Some(Found { watched, ..Found::plain(verdict) }))
    }

    fn step(&self, from: &[u64], to: &[u64]) -> TraceStep {
        self.stepper.step(from, to, None).expect("neighbours on a way are joined by a step")
    }

    /// Reaches all states, and then finds the answer about them.
    fn branching(
        &mut self,
        answer: impl FnOnce(&Self) -> Result<Answer<Shortfall>, Shortfall>,
    ) -> Result<Option<Found>, Shortfall> {
        if self.reach(|sets, _| Ok(sets.empty()))?.is_some() {
            return Ok(None);
        }
        let found = answer(self)?;
        match found.unexplained {
            Some(shortfall @ Shortfall::Memory { .. }) if !self.is_last => Err(shortfall),
            _ => {
                let Answer { verdict, witnesses, dead_end, .. } = found;
                Ok(Some(Found { verdict, witnesses, dead_end, watched: None }))
            }
        }
    }

    fn stats(&self) -> Stats {
        let states: Natural = self.sets.count(&self.seen).unwrap_or_default();
        let figures = self.sets.diagrams().figures();
        let bytes = self.sets.diagrams().bytes();
        let whole = states.to_u64().unwrap_or(u64::MAX);
        self.shared.tell(Some(whole), self.depth, bytes);
        Stats {
            states: whole,
            depth: self.depth,
            bytes_per_state: bytes as f64 / whole.max(1) as f64,
            symbolic: Some(SymbolicFigures {
                states,
                complete: self.complete,
                passes: self.passes,
                variables: self.sets.state_variables() as u64,
                nodes: self.sets.diagrams().size_of(&self.seen) as u64,
                peak_nodes: figures.peak_nodes as u64,
                images: self.sets.images(),
                reorderings: figures.reorderings,
            }),
            ..Stats::default()
        }
    }
}
