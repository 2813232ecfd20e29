//! Properties of linear time, by a tester of what is bad: whether a system with its tester has a fair run.

use crate::lasso::{Lasso, Route};
use crate::tester::Tested;
use crate::{Constraint, FairStates, LinearTime, Stepper};
use lariat_engine::{
    Demand, Evidence, FailureKind, Feature, Options, Refusal, Report, Shortfall, Temporal, TemporalBy, Trace,
    TraceStep, Verdict,
};
use lariat_logic::Formula;
use lariat_space::StateSets;
use lariat_store::Exactness;
use lariat_system::{DeadEnds, System};

/// The system with a tester of bad runs, if that is asked for.
pub fn tested(system: &System, temporal: &Temporal, options: &Options) -> Result<Option<Box<Tested>>, Refusal> {
    if options.temporal_by == TemporalBy::Automaton {
        return Ok(None);
    }
    if options.shortest {
        return Err(Refusal::because(Feature::Shortest, "it finds some loop, and not the nearest"));
    }
    let formulas = temporal.demands.iter().map(|demand| match demand {
        Demand::Satisfies(formula) => Ok(formula.clone()),
        Demand::IsAccepted(_) => Err(Refusal::because(Feature::Tester, "bad runs are given by an automaton")),
    });
    let bad = Formula::and(formulas.collect::<Result<Vec<_>, _>>()?);
    Tested::new(system, &bad, &temporal.labels).map(|tested| Some(Box::new(tested)))
}

/// A property of linear time of a system with a tester.
pub struct ByTester<'a> {
    /// The system with its tester.
    pub tested: &'a Tested,
    /// The same with labels for everything that its fairness speaks of.
    pub system: &'a System,
    /// Its fairness, that of the tester last.
    pub constraints: &'a [Constraint],
    /// The bad runs of the system itself.
    pub temporal: &'a Temporal,
}

impl ByTester<'_> {
    /// Whether some fair run is bad. `reached` are all reachable states, to which `sets` is confined.
    pub fn has_bad_run<S: StateSets>(&self, sets: &S, reached: &S::Set) -> Result<bool, S::Error> {
        let states = FairStates::new(sets, reached.clone(), DeadEnds::Cut, self.constraints)?;
        Ok(!sets.is_empty(&sets.intersect(&sets.initial()?, &states.fair)?))
    }

    /// A fair run that is bad, one of the system without its tester; `None` if there is none.
    pub fn bad_run<S: StateSets>(
        &self,
        sets: &S,
        reached: &S::Set,
        stepper: &impl Stepper,
    ) -> Result<Option<Evidence>, S::Error> {
        let mut states = FairStates::of_product(sets, reached.clone(), Vec::new());
        states.constraints = self.constraints.iter().map(|one| one.in_sets(sets, reached)).collect::<Result<_, _>>()?;
        let staying = states.always(sets, reached)?;
        let Some(start) = sets.pick(&sets.intersect(&sets.initial()?, &staying.states)?)? else { return Ok(None) };
        let Route { states: passed, steps: among, loop_start } = Lasso::new(sets, &states, &staying).find(&start)?;
        let steps: Vec<TraceStep> = passed
            .windows(2)
            .zip(&among)
            .map(|(ends, among)| {
                stepper.step(&ends[0], &ends[1], among).expect("neighbours of a run are joined by a step")
            })
            .collect();
        let trace = Trace { initial: start, steps, loop_start, decided: None };
        Ok(Some(Evidence { kind: FailureKind::Cycle, trace: self.tested.own_trace(&trace) }))
    }

    /// The report about the property, without figures.
    pub fn report<S: StateSets<Error = Shortfall>>(
        &self,
        sets: &S,
        reached: &S::Set,
        stepper: &impl Stepper,
    ) -> Result<Report, Shortfall> {
        let report = Report { unfinished: None, ..Report::at_once(Shortfall::Interrupted) };
        Ok(match self.bad_run(sets, reached, stepper)? {
            None => {
                let own = &self.constraints[..self.tested.own_constraints];
                let property = LinearTime { system: self.system, constraints: own, temporal: self.temporal };
                let watched = property.watched(sets, reached).unwrap_or(None);
                Report { verdict: Verdict::of_exhausted(Exactness::Exact), watched, ..report }
            }
            Some(evidence) => {
                let verdict = Verdict::Fails(evidence.clone());
                Report { verdict, failure_count: 1, failures: vec![evidence], ..report }
            }
        })
    }
}
