//! Answers by sets of states, with the runs that show them.

use super::aside::Aside;
use crate::diagrams::{Capacity, Diagram};
use crate::sets::BddSets;
use lariat_branching::{
    Checker, Explainer, Rings, SpaceStepper, Stepper, breadth_first, failing, justice_of, path_through,
};
use lariat_engine::{
    Branching, EngineError, Evidence, FailureKind, Property, Report, Shortfall, Stats, SymbolicFigures, Trace,
    TraceStep, Verdict, Witness,
};
use lariat_exec::Program;
use lariat_space::{Faults, Natural, StateSets};
use lariat_store::Exactness;
use lariat_system::System;
use std::ops::ControlFlow;
use std::sync::Arc;

/// What is to be settled.
pub(super) struct Question {
    pub(super) system: System,
    pub(super) property: Property,
    pub(super) pool_may_grow: bool,
}

/// The answer. A small cache and few nodes are tried first, since larger ones take time to be made.
pub(super) fn answer(
    question: &Question,
    capacity: Capacity,
    full: Shortfall,
    shared: &Arc<Aside>,
) -> Result<Report, EngineError> {
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
) -> Result<Option<Report>, EngineError> {
    let watched = Arc::clone(shared);
    let sets = BddSets::new(&question.system, capacity, full, move || watched.check())
        .map_err(|_| EngineError { reason: "the system is too large to be encoded".to_owned() })?;
    let sets = match sets {
        Ok(sets) => sets,
        Err(shortfall) if shortfall == full && !is_last => return Ok(None),
        Err(shortfall) => return Ok(Some(Report::at_once(shortfall))),
    };
    sets.diagrams().reorder_when_full(is_last);
    let mut search =
        Search { question, sets: &sets, stepper, shared, is_last, seen: sets.empty(), depth: 0, complete: false };
    let solved = search.solve();
    if solved.as_ref().err() == Some(&full) && !is_last {
        return Ok(None);
    }
    let stats = search.stats();
    Ok(Some(match solved {
        Err(shortfall) => Report { stats, ..Report::at_once(shortfall) },
        Ok(Found { verdict, witnesses, pool_was_full }) => {
            let failures: Vec<Evidence> =
                if let Verdict::Fails(evidence) = &verdict { vec![evidence.clone()] } else { Vec::new() };
            Report {
                verdict,
                failure_count: failures.len() as u64,
                failures,
                pool_was_full,
                unfinished: pool_was_full.then_some(Shortfall::Interrupted),
                witnesses,
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
    pool_was_full: bool,
}

impl Found {
    fn plain(verdict: Verdict) -> Self {
        Self { verdict, witnesses: Vec::new(), pool_was_full: false }
    }
    /// Nothing is known: the pool was a guess, and too small.
    fn pool_was_full() -> Self {
        Self { pool_was_full: true, ..Self::plain(Verdict::Undecided(Shortfall::Interrupted)) }
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
    complete: bool,
}

/// Why the search ends before all is reached.
enum Early {
    PoolFull,
    /// `safety` fails in these states of the last ring.
    Failing(Diagram),
}

impl<T: Stepper> Search<'_, '_, T> {
    fn solve(&mut self) -> Result<Found, Shortfall> {
        match &self.question.property {
            Property::Safety { invalid_ends } => self.safety(*invalid_ends),
            Property::Branching(property) => self.branching(property),
            Property::Temporal(_) => unreachable!("it is not admitted"),
        }
    }

    /// Goes through the rings; `failing_in` says which states of a ring end the search.
    fn rings(
        &mut self,
        failing_in: impl Fn(&BddSets<'_>, &Diagram) -> Result<Diagram, Shortfall>,
    ) -> Result<(Rings<Diagram>, Option<Early>), Shortfall> {
        let (sets, may_grow, shared) = (self.sets, self.question.pool_may_grow, self.shared);
        let (seen, reached_depth) = (&mut self.seen, &mut self.depth);
        let mut early = None;
        let rings = breadth_first(sets, |ring, reached, depth| {
            (*seen, *reached_depth) = (reached.clone(), depth as u64);
            let states = sets.count(reached)?.to_u64().unwrap_or(u64::MAX);
            shared.tell(states, depth as u64, sets.diagrams().bytes());
            if may_grow && !sets.is_empty(&sets.faulty(ring, Faults::PoolFull)?) {
                early = Some(Early::PoolFull);
                return Ok(ControlFlow::Break(()));
            }
            let failing = failing_in(sets, ring)?;
            if sets.is_empty(&failing) {
                return Ok(ControlFlow::Continue(()));
            }
            early = Some(Early::Failing(failing));
            Ok(ControlFlow::Break(()))
        })?;
        self.complete = early.is_none();
        Ok((rings, early))
    }

    fn safety(&mut self, invalid_ends: bool) -> Result<Found, Shortfall> {
        let (rings, early) = self.rings(|sets, ring| failing(sets, ring, invalid_ends))?;
        let failing = match early {
            None => return Ok(Found::plain(Verdict::of_exhausted(Exactness::Exact))),
            Some(Early::PoolFull) => return Ok(Found::pool_was_full()),
            Some(Early::Failing(failing)) => failing,
        };
        let end = self.sets.pick(&failing)?.expect("the set is not empty");
        if rings.rings.len() > 1 {
            let before = self.sets.minus(&rings.reached, &rings.rings[rings.rings.len() - 1])?;
            self.sets.confine(&before)?;
        }
        let states = path_through(self.sets, &rings.rings, &end)?;
        let mut steps: Vec<TraceStep> = states.windows(2).map(|ends| self.step(&ends[0], &ends[1])).collect();
        let kind = match self.stepper.fault(&end) {
            Some((step, fault)) => {
                steps.push(step);
                FailureKind::Fault(fault)
            }
            None => FailureKind::InvalidEnd,
        };
        let trace = Trace { initial: states[0].clone(), steps, loop_start: None, decided: None };
        Ok(Found::plain(Verdict::Fails(Evidence { kind, trace })))
    }

    fn step(&self, from: &[u64], to: &[u64]) -> TraceStep {
        self.stepper.step(from, to, None).expect("neighbours on a way through rings are joined by a step")
    }

    fn branching(&mut self, property: &Branching) -> Result<Found, Shortfall> {
        let (rings, early) = self.rings(|sets, _| Ok(sets.empty()))?;
        if early.is_some() {
            return Ok(Found::pool_was_full());
        }
        let sets = self.sets;
        sets.confine(&rings.reached)?;
        let system = &self.question.system;
        let justice = justice_of(system).expect("other constraints are not admitted");
        let mut checker = Checker::new(sets, property, rings.reached, system.dead_ends, &justice)?;
        drop(rings.rings);
        let violations = checker.violations()?;
        let fails = !sets.is_empty(&violations);
        let start = sets.pick(&if fails { violations } else { sets.initial()? })?;
        let Some(start) = start else { return Ok(Found::plain(Verdict::of_exhausted(Exactness::Exact))) };
        let explained = Explainer::new(&mut checker, self.stepper).explain(property.root(), !fails, &start);
        let witnesses = match explained {
            Ok(witnesses) => witnesses,
            Err(shortfall @ Shortfall::Memory { .. }) if !self.is_last => return Err(shortfall),
            // The verdict is known, whether or not runs to show it can be found.
            Err(_) => Vec::new(),
        };
        if !fails {
            return Ok(Found { witnesses, ..Found::plain(Verdict::of_exhausted(Exactness::Exact)) });
        }
        let (steps, loop_start) =
            witnesses.first().map_or((Vec::new(), None), |first| (first.steps.clone(), first.loop_start));
        let trace = Trace { initial: start, steps, loop_start, decided: None };
        let evidence = Evidence { kind: FailureKind::Branching, trace };
        Ok(Found { witnesses, ..Found::plain(Verdict::Fails(evidence)) })
    }

    fn stats(&self) -> Stats {
        let states: Natural = self.sets.count(&self.seen).unwrap_or_default();
        let figures = self.sets.diagrams().figures();
        let bytes = self.sets.diagrams().bytes();
        self.shared.tell(states.to_u64().unwrap_or(u64::MAX), self.depth, bytes);
        let whole = states.to_u64().unwrap_or(u64::MAX);
        Stats {
            states: whole,
            depth: self.depth,
            bytes_per_state: bytes as f64 / whole.max(1) as f64,
            symbolic: Some(SymbolicFigures {
                states,
                complete: self.complete,
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
