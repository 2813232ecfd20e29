//! Whether a formula of CTL holds in every initial state, and why.

use crate::{Checker, Explainer, FairStates, Stepper};
use lariat_engine::{Branching, Evidence, FailureKind, Trace, Verdict, Witness};
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

/// Settles `property` on the runs from `states`. `sets` is confined to those that can be reached.
pub fn answer<S: StateSets, T: Stepper>(
    sets: &S,
    property: &Branching,
    states: FairStates<S::Set>,
    dead_ends: DeadEnds,
    stepper: &T,
) -> Result<Answer<S::Error>, S::Error> {
    let dead_end = (dead_ends == DeadEnds::Cut).then_some(states.may_end);
    let mut checker = Checker::new(sets, property, states);
    let violations = checker.violations()?;
    let fails = !sets.is_empty(&violations);
    let holds = Verdict::of_exhausted(Exactness::Exact);
    let Some(start) = sets.pick(&if fails { violations } else { checker.beginnings()? })? else {
        return Ok(Answer { verdict: holds, witnesses: Vec::new(), unexplained: None, dead_end, is_vacuous: true });
    };
    let explained = Explainer::new(&mut checker, stepper).explain(property.root(), !fails, &start);
    let (witnesses, unexplained) = match explained {
        Ok(witnesses) => (witnesses, None),
        Err(error) => (Vec::new(), Some(error)),
    };
    let verdict = match fails {
        false => holds,
        true => {
            let run = witnesses.first().map(|first| (first.steps.clone(), first.loop_start));
            let (steps, loop_start) = run.unwrap_or_default();
            let trace = Trace { initial: start, steps, loop_start, decided: None };
            Verdict::Fails(Evidence { kind: FailureKind::Branching, trace })
        }
    };
    Ok(Answer { verdict, witnesses, unexplained, dead_end, is_vacuous: false })
}
