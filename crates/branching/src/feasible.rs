//! States of fair runs: the algorithm FEASIBLE of Kesten, Pnueli, Raviv and Shahar (2006), backwards.
//!
//! What cannot be part of a fair loop is taken away until nothing is: states without a step that stays inside, and what is in
//! the way of constraints. Justice takes away the states from which what it gives
//! cannot be reached any more. Compassion takes away, in such states, only what is asked for: the state where that is one of
//! states, and else the steps. So sets of states do not suffice to tell what is left, and steps that are left in some states
//! and not in others are remembered beside them.
//!
//! In the end every component that no step leads out of has a fair loop: it has what justice gives, and for each compassion
//! it has what is given or nothing is asked for. From every other state that is left such a component can be reached.

use crate::fairness::{Event, InSets};
use crate::narrowed::Narrowed;
use lariat_space::{StateSets, Steps};

/// What is left of a system.
#[derive(Clone, Debug)]
pub(crate) struct Core<Set> {
    /// The states.
    pub(crate) states: Set,
    /// For each constraint, those of them from which a step inside meets what it gives.
    pub(crate) meeting: Vec<Set>,
    /// The steps that are left: from each of these sets, those.
    pub(crate) left: Vec<Event<Set>>,
}

impl<Set: Clone + Eq> Core<Set> {
    /// What is left of the states `f` under the constraints. `stuttering` are the dead ends that repeat.
    pub(crate) fn new<S: StateSets<Set = Set>>(
        sets: &S,
        f: &Set,
        stuttering: &Set,
        constraints: &[InSets<Set>],
    ) -> Result<Self, S::Error> {
        let left = vec![(f.clone(), Steps::All)];
        let mut core = Self { states: f.clone(), meeting: vec![sets.empty(); constraints.len()], left };
        // Nothing is taken away any more once everything was looked at since something was.
        let mut unchanged = 0;
        for turn in (0..=constraints.len()).cycle() {
            sets.safe_point()?;
            let (states, left) = (core.states.clone(), core.left.clone());
            match turn.checked_sub(1) {
                None => {
                    let before = core.narrowed(sets, stuttering).pre(&core.states, Steps::All)?;
                    core.states = sets.intersect(&core.states, &before)?;
                }
                Some(number) => core.take_away(sets, stuttering, number, &constraints[number])?,
            }
            unchanged = if core.states == states && core.left == left { unchanged + 1 } else { 0 };
            if unchanged > constraints.len() {
                break;
            }
        }
        Ok(core)
    }

    /// The system that is left.
    pub(crate) fn narrowed<'a, S: StateSets<Set = Set>>(&'a self, sets: &'a S, stuttering: &'a Set) -> Narrowed<'a, S> {
        Narrowed { sets, left: &self.left, stuttering }
    }

    /// Takes away what cannot be part of a loop that meets the constraint with this number.
    fn take_away<S: StateSets<Set = Set>>(
        &mut self,
        sets: &S,
        stuttering: &Set,
        number: usize,
        constraint: &InSets<Set>,
    ) -> Result<(), S::Error> {
        let narrowed = self.narrowed(sets, stuttering);
        let meeting = narrowed.meeting(&constraint.given, &self.states)?;
        match &constraint.asked {
            None => self.states = narrowed.until(&self.states, &meeting)?,
            Some(asked) => {
                // Where nothing is asked for it does not matter what can be reached.
                let mut asking = sets.empty();
                for (sources, _) in asked {
                    asking = sets.union(&asking, &sets.intersect(sources, &self.states)?)?;
                }
                let answered = narrowed.until_for(&self.states, &meeting, &asking)?;
                for (sources, steps) in asked {
                    let unanswered = sets.minus(&sets.intersect(sources, &self.states)?, &answered)?;
                    if sets.is_empty(&unanswered) {
                        continue;
                    }
                    match steps {
                        Steps::All => self.states = sets.minus(&self.states, &unanswered)?,
                        _ => self.left = without(sets, &self.left, &unanswered, steps)?,
                    }
                }
            }
        }
        self.meeting[number] = meeting;
        Ok(())
    }
}

/// What is left without such steps from these states.
fn without<S: StateSets>(
    sets: &S,
    left: &[Event<S::Set>],
    from: &S::Set,
    steps: &Steps,
) -> Result<Vec<Event<S::Set>>, S::Error> {
    let mut fewer = Vec::new();
    for (sources, kept) in left {
        let mut keep = |sources: S::Set, steps: Steps| {
            if !sets.is_empty(&sources) {
                fewer.push((sources, steps));
            }
        };
        keep(sets.minus(sources, from)?, kept.clone());
        let concerned = sets.intersect(sources, from)?;
        // They lack one of the labels, or carry one that these do not.
        let lacking = steps.carried().iter().map(|&label| Steps::missing(label));
        let mut ways = lacking.chain(steps.missed().iter().map(|&label| Steps::Carrying(label)));
        let way = ways.next().expect("not all steps are taken away");
        assert!(ways.next().is_none(), "what is asked for is told by one label");
        if let Some(rest) = kept.and(&way) {
            keep(concerned, rest);
        }
    }
    Ok(fewer)
}
