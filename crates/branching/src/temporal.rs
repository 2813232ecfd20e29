//! Properties of linear time: whether some fair run is bad.
//!
//! Bad runs are those of the product of the system with the automaton of the property that meet its acceptance condition,
//! which is fairness like any other. One is looked for among the fair states of the product. With a tester
//! ([`Extended`]) there is no product: every fair run is bad.

use crate::acceptance::{cases, ensure_few_cases};
use crate::bottom::{bottom, has_fair_run};
use crate::ctl::Staying;
use crate::fairness::InSets;
use crate::feasible::Enough;
use crate::lasso::{Lasso, Route};
use crate::product::{Factors, ProductSets, Proposition};
use crate::{Constraint, Extended, FairStates, How, Stepper};
use lariat_automata::{Automaton, Guard, Mark};
use lariat_engine::{
    Evidence, FailureKind, FairBy, Feature, Options, Refusal, Report, Shortfall, Temporal, Trace, TraceStep, Verdict,
    Watched,
};
use lariat_space::{State, StateSets, Steps};
use lariat_store::Exactness;
use lariat_system::{DeadEnds, LabelId, LabelMeaning, System};

/// A property of linear time of a system.
pub struct LinearTime<'a> {
    /// The system, with labels for everything that its fairness speaks of.
    pub system: &'a System,
    /// Its fairness.
    pub constraints: &'a [Constraint],
    /// Its bad runs, as they were stated.
    pub temporal: &'a Temporal,
    /// If `system` is not the one that was given, what was added to that.
    pub extended: Option<&'a Extended>,
    /// How fair loops are searched.
    pub how: How,
}

/// A refusal if sets of states cannot settle the property, which is no invariant, in the way that is asked for.
pub fn ensure_linear(temporal: &Temporal, options: &Options) -> Result<(), Refusal> {
    if options.shortest {
        return Err(Refusal::because(Feature::Shortest, "it finds some loop, and not the nearest"));
    }
    ensure_few_cases(&temporal.bad.acceptance)
}

impl LinearTime<'_> {
    /// Whether some fair run is bad. `reached` are all reachable states, to which `sets` is confined.
    pub fn has_bad_run<S: StateSets>(&self, sets: &S, reached: &S::Set) -> Result<bool, S::Error> {
        Ok(match self.automaton() {
            None => self.with_fair_runs(sets, reached, |_, _, _| Ok(()))?.is_some(),
            Some(bad) => self.with_bad_runs(bad, sets, reached, |_, _, _, _| Ok(()))?.is_some(),
        })
    }

    /// A fair run that is bad; `None` if there is none.
    pub fn bad_run<S: StateSets>(
        &self,
        sets: &S,
        reached: &S::Set,
        stepper: &impl Stepper,
    ) -> Result<Option<Evidence>, S::Error> {
        let trace = match self.automaton() {
            None => self.with_fair_runs(sets, reached, |states, fair, start| {
                let Route { states: passed, steps: among, loop_start } = Lasso::new(sets, states, fair).find(start)?;
                let step = |(ends, among): (&[Vec<u64>], &Steps)| {
                    stepper.step(&ends[0], &ends[1], among).expect("neighbours of a run are joined by a step")
                };
                let steps = passed.windows(2).zip(&among).map(step).collect();
                Ok(Trace { initial: start.to_vec(), steps, loop_start, decided: None })
            })?,
            Some(bad) => self.with_bad_runs(bad, sets, reached, |product, states, bad, start| {
                let route = Lasso::new(product, states, bad).find(start)?;
                let (states, steps) = own_run(product, &route, stepper)?;
                Ok(Trace { initial: states[0].clone(), steps, loop_start: route.loop_start, decided: None })
            })?,
        };
        Ok(trace.map(|trace| {
            let trace = self.extended.map_or_else(|| trace.clone(), |extended| extended.own_trace(&trace));
            Evidence { kind: FailureKind::Cycle, trace }
        }))
    }

    /// What accepts bad runs; `None` if a tester leaves these alone.
    fn automaton(&self) -> Option<&Temporal> {
        self.extended.map_or(Some(self.temporal), |extended| extended.bad.as_ref())
    }

    /// What `tell` says of fair runs, which are all bad, and an initial state that has some; `None` if there are none.
    fn with_fair_runs<S: StateSets, R>(
        &self,
        sets: &S,
        reached: &S::Set,
        tell: impl FnOnce(&FairStates<S::Set>, &Staying<S::Set>, &State) -> Result<R, S::Error>,
    ) -> Result<Option<R>, S::Error> {
        let constraints = self.constraints.iter().map(|one| one.in_sets(sets, reached)).collect::<Result<_, _>>()?;
        let states = FairStates::of_product(sets, reached.clone(), constraints, self.how);
        let fair = states.always_with_loops(sets, reached, reached, Enough::Some)?;
        let start = sets.pick(&sets.intersect(&sets.initial()?, &fair.states)?)?;
        start.map(|start| tell(&states, &fair, &start)).transpose()
    }

    /// What `tell` says of bad runs, and an initial state of the product that has some; `None` if there are none.
    fn with_bad_runs<S: StateSets, R>(
        &self,
        temporal: &Temporal,
        sets: &S,
        reached: &S::Set,
        tell: impl FnOnce(
            &ProductSets<'_, S>,
            &FairStates<Vec<S::Set>>,
            &Staying<Vec<S::Set>>,
            &State,
        ) -> Result<R, S::Error>,
    ) -> Result<Option<R>, S::Error> {
        let stuttering = self.stuttering(sets, reached)?;
        let Temporal { bad: automaton, labels, .. } = temporal;
        let proposition = |&label: &LabelId| match self.system.labels[label].meaning {
            LabelMeaning::State(_) => sets.satisfying(label).map(Proposition::States),
            _ => Ok(Proposition::Step(label)),
        };
        let propositions: Vec<_> = labels.iter().map(proposition).collect::<Result<_, _>>()?;
        let (propositions, labels) = (&propositions[..], self.system.labels.len());
        let factors = Factors { reached, stuttering: &stuttering, automaton, propositions, labels };
        let product = ProductSets::new(sets, &factors)?;
        let fairness = self.constraints.iter().map(|constraint| {
            let constraint = constraint.in_sets(sets, reached)?;
            constraint.try_map(|(states, steps)| Ok((product.lifted(states), steps.clone())))
        });
        let fairness: Vec<InSets<Vec<S::Set>>> = fairness.collect::<Result<_, S::Error>>()?;
        // Against steps it does not matter what the product comes to; along them it does.
        let loops = match self.how.by {
            FairBy::Backward => product.loops(),
            _ => product.intersect(&product.loops(), &product.reached()?)?,
        };
        for case in cases(&automaton.acceptance) {
            let marked = |mark: &Mark| Ok::<_, S::Error>(product.marked(*mark));
            let accepting = case.iter().map(|constraint| constraint.try_map(marked)).collect::<Result<Vec<_>, _>>()?;
            let constraints = [accepting, fairness.clone()].concat();
            let states = FairStates::of_product(&product, product.all(), constraints, self.how);
            let mut places = vec![loops.clone()];
            if is_any_run(automaton) {
                // Whether any run is fair: where runs end up there is a loop more often than not.
                let place = product.intersect(&loops, &product.lifted(&bottom(sets, reached)?.states))?;
                if place != loops {
                    places.insert(0, place);
                }
            }
            for place in places {
                let bad = states.always_with_loops(&product, &states.reached, &place, Enough::Some)?;
                let beginnings = product.intersect(&product.initial()?, &bad.states)?;
                if let Some(start) = product.pick(&beginnings)? {
                    return tell(&product, &states, &bad, &start).map(Some);
                }
            }
        }
        Ok(None)
    }

    /// The dead ends that repeat.
    fn stuttering<S: StateSets>(&self, sets: &S, reached: &S::Set) -> Result<S::Set, S::Error> {
        match self.system.dead_ends {
            DeadEnds::Stutter => sets.dead_ends(reached),
            DeadEnds::Cut => Ok(sets.empty()),
        }
    }

    /// The report about the property, without figures. Once the property is known to hold, `known` is told so: what remarks need
    /// comes after it, and is left out where that fails.
    pub fn report<S: StateSets<Error = Shortfall>>(
        &self,
        sets: &S,
        reached: &S::Set,
        stepper: &impl Stepper,
        known: impl FnOnce(&Report),
    ) -> Result<Report, Shortfall> {
        let report = Report { unfinished: None, ..Report::at_once(Shortfall::Interrupted) };
        Ok(match self.bad_run(sets, reached, stepper)? {
            None => {
                let report = Report { verdict: Verdict::of_exhausted(Exactness::Exact), unwatched: true, ..report };
                known(&report);
                match self.watched(sets, reached) {
                    Err(_) => report,
                    Ok(watched) => {
                        let has_runs = self.has_fair_run(sets, reached).unwrap_or(false);
                        Report { watched, has_runs, unwatched: false, ..report }
                    }
                }
            }
            Some(evidence) => {
                let verdict = Verdict::Fails(evidence.clone());
                Report { verdict, failure_count: 1, failures: vec![evidence], ..report }
            }
        })
    }

    /// Whether some run meets the constraints, as far as that is found out at little cost: `false` if it is not known. Runs of a
    /// tester are not runs of the system, so nothing is said of these.
    pub fn has_fair_run<S: StateSets>(&self, sets: &S, reached: &S::Set) -> Result<bool, S::Error> {
        if self.extended.is_some() {
            return Ok(false);
        }
        // Where no run ends, and all count, every state has one.
        if self.constraints.is_empty() && sets.is_empty(&sets.dead_ends(reached)?) {
            return Ok(!sets.is_empty(reached));
        }
        let constraints =
            self.constraints.iter().map(|one| one.in_sets(sets, reached)).collect::<Result<Vec<_>, _>>()?;
        has_fair_run(sets, reached, &self.stuttering(sets, reached)?, &constraints)
    }

    /// What is true in the states that were reached, and which constraints every run meets: for remarks about what never
    /// matters. `None` where that cannot be told by states.
    pub fn watched<S: StateSets>(&self, sets: &S, reached: &S::Set) -> Result<Option<Watched>, S::Error> {
        let is_of_states = |label: &LabelId| matches!(self.system.labels[*label].meaning, LabelMeaning::State(_));
        if !self.temporal.labels.iter().all(is_of_states) {
            return Ok(None);
        }
        let letters = letters(sets, &self.temporal.labels, reached)?;
        let mut idle_constraints = Vec::new();
        let own = self.extended.map_or(self.constraints.len(), |extended| extended.own_constraints);
        for (number, constraint) in self.constraints[..own].iter().enumerate() {
            if is_idle(sets, reached, &constraint.in_sets(sets, reached)?)? {
                idle_constraints.push(number);
            }
        }
        Ok(Some(Watched { letters, idle_constraints }))
    }
}

/// Whether the automaton looks at nothing.
fn is_any_run(automaton: &Automaton) -> bool {
    automaton.state_count() == 1 && automaton.all_edges().all(|(_, edge)| edge.guard == Guard::TRUE)
}

/// A run of the system: the states that it passes, and the steps.
pub(crate) type OwnRun = (Vec<Vec<u64>>, Vec<TraceStep>);

/// The run of the system that a run of the product is.
pub(crate) fn own_run<S: StateSets>(
    product: &ProductSets<'_, S>,
    route: &Route,
    stepper: &impl Stepper,
) -> Result<OwnRun, S::Error> {
    let own = |state: &Vec<u64>| state[..state.len() - 1].to_vec();
    let mut states: Vec<Vec<u64>> = route.states.iter().map(own).collect();
    // What sets leave out of a state is told by the step from it; in the end a loop is back where it began.
    let mut ways = Vec::new();
    for (number, among) in route.steps.iter().enumerate() {
        let mut possible = product.ways(&route.states[number], &route.states[number + 1], among)?;
        while let Some(way) = possible.first() {
            if let Some(whole) = product.factor().whole(&states[number], &states[number + 1], way)? {
                states[number] = whole;
                break;
            }
            possible.remove(0);
        }
        ways.push(possible);
    }
    if let (Some(start), Some(last)) = (route.loop_start, states.len().checked_sub(1)) {
        states[last] = states[start].clone();
    }
    let mut steps = Vec::new();
    for (ends, ways) in states.windows(2).zip(&ways) {
        let found = ways.iter().find_map(|way| stepper.step(&ends[0], &ends[1], way));
        steps.push(found.unwrap_or_else(|| {
            let repeats = ends[0] == ends[1] && ways.iter().any(Steps::contain_stutter);
            assert!(repeats, "neighbours of a run are joined by a step");
            TraceStep::stutter(ends[1].clone(), Some(Vec::new()))
        }));
    }
    Ok((states, steps))
}

/// Whether every state says that the constraint is met: nothing is ever asked for, or it is always given.
fn is_idle<S: StateSets>(sets: &S, reached: &S::Set, constraint: &InSets<S::Set>) -> Result<bool, S::Error> {
    match &constraint.asked {
        Some(asked) => {
            for (states, steps) in asked {
                let states = sets.intersect(states, reached)?;
                let asking = sets.intersect(&states, &sets.pre(reached, steps.clone())?)?;
                if !sets.is_empty(&asking) || *steps == Steps::All && !sets.is_empty(&states) {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        None => {
            let mut rest = reached.clone();
            for (states, _) in constraint.given.iter().filter(|(_, steps)| *steps == Steps::All) {
                rest = sets.minus(&rest, states)?;
            }
            Ok(sets.is_empty(&rest))
        }
    }
}

/// The most different letters that are told about.
const MOST_LETTERS: usize = 256;

/// The letters that the states of the set have: bit `n` of one is the label of states `n`. `None` if there are too many.
pub(crate) fn letters<S: StateSets>(sets: &S, labels: &[LabelId], of: &S::Set) -> Result<Option<Vec<u64>>, S::Error> {
    let mut letters: Vec<(u64, S::Set)> = if sets.is_empty(of) { Vec::new() } else { vec![(0, of.clone())] };
    for (number, label) in labels.iter().enumerate() {
        if number >= 64 || letters.len() > MOST_LETTERS {
            return Ok(None);
        }
        let holds = sets.satisfying(*label)?;
        let mut longer = Vec::new();
        for (letter, states) in letters {
            let parts =
                [(letter | 1 << number, sets.intersect(&states, &holds)?), (letter, sets.minus(&states, &holds)?)];
            longer.extend(parts.into_iter().filter(|(_, states)| !sets.is_empty(states)));
        }
        letters = longer;
    }
    let mut letters: Vec<u64> = letters.into_iter().map(|(letter, _)| letter).collect();
    letters.sort_unstable();
    Ok(Some(letters))
}
