//! The least and the greatest number of steps from some states to others.
//!
//! Only states from which a fair run goes are looked at. The least number is that of a search forwards, ring by ring. For the
//! greatest, what can be passed before an end is written down, and what has no successor in it is taken away until nothing is
//! left: what is left after `n` times has ways of `n` further steps. If some states are never taken away, a run can stay
//! there. It need not be a fair one: it may go on to the end after any number of steps.

use crate::{Answer, Checker, Explainer, FairStates, Layers, Stepper};
use lariat_engine::{Distance, Extremum, Quantity, Verdict, Witness};
use lariat_space::{StateSets, Steps};
use lariat_system::DeadEnds;

/// Counts the steps that `distance` asks for on the runs from `states`. `sets` is confined to those that can be reached. Before
/// runs are looked for that show the number, `known` is told the answer without them.
pub fn measure<S: StateSets, T: Stepper>(
    sets: &S,
    distance: &Distance,
    states: FairStates<S::Set>,
    dead_ends: DeadEnds,
    stepper: &T,
    known: impl Fn(&Answer<S::Error>),
) -> Result<Answer<S::Error>, S::Error> {
    let dead_end = (dead_ends == DeadEnds::Cut).then_some(states.may_end);
    let mut checker = Checker::new(sets, &distance.formulas, states);
    let ends = Ends {
        starts: sets.intersect(&checker.value(distance.from)?, &checker.states.fair)?,
        goal: sets.intersect(&checker.value(distance.to)?, &checker.states.fair)?,
    };
    let (quantity, ways) = match distance.extremum {
        extremum if sets.is_empty(&ends.starts) => (Quantity::NoStart(extremum), Ways::None),
        Extremum::Least => ends.least(&checker)?,
        Extremum::Greatest => ends.greatest(&checker)?,
    };
    let is_vacuous = sets.is_empty(&checker.states.fair);
    let verdict = Verdict::Computed(quantity);
    let found = Answer { verdict, witnesses: Vec::new(), unexplained: None, dead_end, is_vacuous };
    known(&found);
    let (witnesses, unexplained) = match explain(&mut checker, distance, &ends, &ways, stepper) {
        Ok(witnesses) => (witnesses, None),
        Err(error) => (Vec::new(), Some(error)),
    };
    Ok(Answer { witnesses, unexplained, ..found })
}

/// Where counting begins and ends: states of fair runs.
struct Ends<Set> {
    starts: Set,
    goal: Set,
}

/// The ways that have the number of steps.
enum Ways<Set> {
    /// There is none, or nothing to count.
    None,
    /// Those of so many steps.
    Shortest(Layers<Set>, usize),
    /// Set `n` holds what has a way of at least `n` further steps before the last one, which leads to the goal. The last set is
    /// not empty.
    Longest(Vec<Set>),
    /// They have no end.
    Endless,
}

impl<Set: Clone + Eq> Ends<Set> {
    fn least<S: StateSets<Set = Set>>(&self, checker: &Checker<'_, S>) -> Result<(Quantity, Ways<Set>), S::Error> {
        let mut layers = Layers::new(self.starts.clone(), checker.states.fair.clone());
        Ok(match layers.steps_to(checker.sets, &self.goal)? {
            Some(steps) => (Quantity::Steps(steps as u64), Ways::Shortest(layers, steps)),
            None => (Quantity::Unreachable, Ways::None),
        })
    }

    fn greatest<S: StateSets<Set = Set>>(&self, checker: &Checker<'_, S>) -> Result<(Quantity, Ways<Set>), S::Error> {
        let sets = checker.sets;
        let mut left = self.passed_before_goal(checker)?;
        let mut layers = Vec::new();
        while !sets.is_empty(&left) {
            sets.safe_point()?;
            let fewer = sets.intersect(&left, &checker.states.before(sets, &left)?)?;
            if fewer == left {
                return Ok((Quantity::Unbounded, Ways::Endless));
            }
            layers.push(std::mem::replace(&mut left, fewer));
        }
        Ok((Quantity::Steps(layers.len() as u64), Ways::Longest(layers)))
    }

    /// The states that fair runs pass from where counting begins, before they come to the goal.
    fn passed_before_goal<S: StateSets<Set = Set>>(&self, checker: &Checker<'_, S>) -> Result<Set, S::Error> {
        let sets = checker.sets;
        let within = sets.minus(&checker.states.fair, &self.goal)?;
        let mut ring = sets.minus(&self.starts, &self.goal)?;
        let mut passed = ring.clone();
        while !sets.is_empty(&ring) {
            sets.safe_point()?;
            let next = sets.intersect(&sets.post(&ring, Steps::All)?, &within)?;
            ring = sets.minus(&next, &passed)?;
            passed = sets.union(&passed, &ring)?;
        }
        Ok(passed)
    }

    /// The states of a longest way, given its layers.
    fn longest<S: StateSets<Set = Set>>(&self, sets: &S, layers: &[Set]) -> Result<Vec<Vec<u64>>, S::Error> {
        let first = match layers.last() {
            // Every predecessor would have a longer way, so a start is among them.
            Some(last) => sets.intersect(last, &self.starts)?,
            None => self.starts.clone(),
        };
        let mut states = vec![sets.pick(&first)?.expect("a longest way has a beginning")];
        let further = layers.iter().rev().skip(1).chain((!layers.is_empty()).then_some(&self.goal));
        for layer in further {
            let here = sets.only(states.last().expect("it has a beginning"))?;
            let next = sets.intersect(&sets.post(&here, Steps::All)?, layer)?;
            states.push(sets.pick(&next)?.expect("a way goes on to the next layer, and from the last one to the goal"));
        }
        Ok(states)
    }
}

/// The run that shows the number, from an initial state on.
fn explain<S: StateSets, T: Stepper>(
    checker: &mut Checker<'_, S>,
    distance: &Distance,
    ends: &Ends<S::Set>,
    ways: &Ways<S::Set>,
    stepper: &T,
) -> Result<Vec<Witness>, S::Error> {
    let sets = checker.sets;
    let states = match ways {
        Ways::None => return Ok(Vec::new()),
        Ways::Endless => return explain_endless(checker, distance, ends, stepper),
        Ways::Shortest(layers, steps) => layers.walk(sets, *steps, &ends.goal)?,
        Ways::Longest(layers) => ends.longest(sets, layers)?,
    };
    let last = states.len() - 1;
    let before = (0..last).map(|at| (at, distance.before));
    let claims: Vec<_> = [(0, distance.from)].into_iter().chain(before).chain([(last, distance.to)]).collect();
    let mut explainer = Explainer::new(checker, stepper);
    let counted = explainer.run(distance.arrives, states, &claims)?;
    from_the_beginning(&mut explainer, distance, counted)
}

/// A fair run that never comes to the goal, if there is one.
fn explain_endless<S: StateSets, T: Stepper>(
    checker: &mut Checker<'_, S>,
    distance: &Distance,
    ends: &Ends<S::Set>,
    stepper: &T,
) -> Result<Vec<Witness>, S::Error> {
    let staying = checker.value(distance.stays)?;
    let Some(start) = checker.sets.pick(&checker.sets.intersect(&ends.starts, &staying)?)? else {
        return Ok(Vec::new());
    };
    let mut explainer = Explainer::new(checker, stepper);
    let mut found = explainer.explain(distance.stays, true, &start)?;
    let Some(mut endless) = found.pop() else { return Ok(Vec::new()) };
    let begins = explainer.explain(distance.from, true, &start)?;
    endless.nested.extend(begins.into_iter().map(|witness| (0, witness)));
    from_the_beginning(&mut explainer, distance, endless)
}

/// The run with one before it that leads to its beginning, unless that is an initial state.
fn from_the_beginning<S: StateSets, T: Stepper>(
    explainer: &mut Explainer<'_, '_, S, T>,
    distance: &Distance,
    counted: Witness,
) -> Result<Vec<Witness>, S::Error> {
    let checker = explainer.checker();
    let stem = checker.states.way_to(checker.sets, &checker.sets.only(&counted.start)?)?;
    let stem = stem.expect("what was reached is reached from an initial state");
    if stem.len() == 1 {
        return Ok(vec![counted]);
    }
    let mut led = explainer.run(distance.begins, stem, &[])?;
    led.nested.push((led.steps.len(), counted));
    Ok(vec![led])
}
