//! Whether a formula of CTL holds in every initial state, and why.

use crate::{Checker, Explainer, FairStates, Stepper};
use lariat_engine::{Branching, Evidence, FailureKind, PartId, StateFormula, Trace, Verdict, Witness};
use lariat_space::StateSets;
use lariat_store::Exactness;
use lariat_system::DeadEnds;

/// The answer to a property of branching time.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer<E> {
    /// Whether it holds, or the number that was asked for.
    pub verdict: Verdict,
    /// Runs from one initial state that show why.
    pub witnesses: Vec<Witness>,
    /// Why these could not be found. The verdict is right nevertheless.
    pub unexplained: Option<E>,
    /// Whether a state without a step can be reached; looked for where runs that end do not count.
    pub dead_end: Option<bool>,
    /// Whether no run counts.
    pub is_vacuous: bool,
}

/// Settles `property` on the runs from `states`. `sets` is confined to those that can be reached. Before runs are looked for that
/// show the answer, `known` is told the answer without them.
pub fn answer<S: StateSets, T: Stepper>(
    sets: &S,
    property: &Branching,
    states: FairStates<S::Set>,
    dead_ends: DeadEnds,
    stepper: &T,
    known: impl Fn(&Answer<S::Error>),
) -> Result<Answer<S::Error>, S::Error> {
    let dead_end = (dead_ends == DeadEnds::Cut).then_some(states.may_end);
    let mut checker = Checker::new(sets, property, states);
    let holds = Verdict::of_exhausted(Exactness::Exact);
    let Some(violation) = violation(&mut checker, property.root())? else {
        let start = sets.pick(&checker.beginnings()?)?;
        let is_vacuous = start.is_none();
        let found = Answer { verdict: holds, witnesses: Vec::new(), unexplained: None, dead_end, is_vacuous };
        known(&found);
        let explained = start.map_or(Ok(Vec::new()), |start| {
            Explainer::new(&mut checker, stepper).explain(property.root(), true, &start)
        });
        let (witnesses, unexplained) = shown(explained);
        return Ok(Answer { witnesses, unexplained, ..found });
    };
    let (start, explained) = match violation {
        Violation::In(part, states) => {
            let start = sets.pick(&states)?.expect("it is not empty");
            known(&failing(start.clone(), Vec::new(), None, dead_end));
            let explained = Explainer::new(&mut checker, stepper).explain(part, false, &start);
            (start, explained)
        }
        Violation::Reachable(part, until, goal) => {
            // A limit that is met here must not cost the answer.
            let only = sets.initial().and_then(|initial| only_state(sets, &initial)).unwrap_or(None);
            if let Some(start) = &only {
                known(&failing(start.clone(), Vec::new(), None, dead_end));
            }
            match checker.states.way_to(sets, &goal) {
                Ok(way) => {
                    let way = way.expect("what was reached is reached from an initial state");
                    let start = way[0].clone();
                    (start, Explainer::new(&mut checker, stepper).explain_until(until, way).map(|run| vec![run]))
                }
                // There may be room to find the first state of the way alone.
                Err(error) => match only {
                    Some(start) => (start, Err(error)),
                    None => {
                        let start = sets.pick(&checker.violations(part)?)?;
                        (start.expect("a state of the goal is reached from it"), Err(error))
                    }
                },
            }
        }
    };
    let (witnesses, unexplained) = shown(explained);
    Ok(failing(start, witnesses, unexplained, dead_end))
}

/// The answer that the formula does not hold in the state, as the witnesses show.
fn failing<E>(start: Vec<u64>, witnesses: Vec<Witness>, unexplained: Option<E>, dead_end: Option<bool>) -> Answer<E> {
    let run = witnesses.first().map(|first| (first.steps.clone(), first.loop_start));
    let (steps, loop_start) = run.unwrap_or_default();
    let trace = Trace { initial: start, steps, loop_start, decided: None };
    let verdict = Verdict::Fails(Evidence { kind: FailureKind::Branching, trace });
    Answer { verdict, witnesses, unexplained, dead_end, is_vacuous: false }
}

/// The state of a set that has one.
fn only_state<S: StateSets>(sets: &S, set: &S::Set) -> Result<Option<Vec<u64>>, S::Error> {
    Ok(match sets.count(set)?.to_u64() {
        Some(1) => sets.pick(set)?,
        _ => None,
    })
}

fn shown<E>(explained: Result<Vec<Witness>, E>) -> (Vec<Witness>, Option<E>) {
    match explained {
        Ok(witnesses) => (witnesses, None),
        Err(error) => (Vec::new(), Some(error)),
    }
}

/// How a part is violated.
enum Violation<Set> {
    /// It does not hold in these initial states.
    In(PartId, Set),
    /// The first part says that the second, `E F g`, does not hold: these states of `g` are reached.
    Reachable(PartId, PartId, Set),
}

/// How the part is violated; `None` if it holds in all initial states of fair runs.
///
/// That `g` is never reached is seen by looking at the reachable states: no fixpoint is needed to find those from which it is.
/// A state from which one with a fair run is reached has a fair run itself.
fn violation<S: StateSets>(checker: &mut Checker<'_, S>, part: PartId) -> Result<Option<Violation<S::Set>>, S::Error> {
    let (sets, property) = (checker.sets, checker.property);
    match property.part(part) {
        StateFormula::And(parts) => {
            for &part in parts {
                let found = violation(checker, part)?;
                if found.is_some() {
                    return Ok(found);
                }
            }
            Ok(None)
        }
        &StateFormula::Not(until)
            if let StateFormula::Until(f, g) = *property.part(until)
                && *property.part(f) == StateFormula::True =>
        {
            let goal = sets.intersect(&checker.value(g)?, &checker.states.fair)?;
            Ok((!sets.is_empty(&goal)).then_some(Violation::Reachable(part, until, goal)))
        }
        _ => {
            let states = checker.violations(part)?;
            Ok((!sets.is_empty(&states)).then_some(Violation::In(part, states)))
        }
    }
}
