//! States of fair runs: the algorithm FEASIBLE of Kesten, Pnueli, Raviv and Shahar (2006), with its variants.
//!
//! What cannot be part of a fair loop is taken away until nothing is: states without a step that stays inside, and what is in
//! the way of constraints. Justice takes away the states from which what it gives
//! cannot be reached any more. Compassion takes away, in such states, only what is asked for: the state where that is one of
//! states, and else the steps. So sets of states do not suffice to tell what is left, and steps that are left in some states
//! and not in others are remembered beside them.
//!
//! In the end every component that no step leads out of has a fair loop: it has what justice gives, and for each compassion
//! it has what is given or nothing is asked for. From every other state that is left such a component can be reached.
//!
//! Forwards, the same is done along steps: what cannot be reached from what is given is taken away. Then components that no step
//! leads *into* are fair, and others may not be, so what is left is searched backwards in the end. In both directions at once,
//! components without a way out are fair too.
//!
//! With light restriction, ways may pass what was taken away. As printed that is wrong where there are several constraints of
//! compassion: a state stays that reaches what is given only through states that were taken away
//! (`tests/variants.rs`). So once nothing changes any more, the search goes on with full restriction.

use crate::components;
use crate::fairness::{Event, InSets};
use crate::how::How;
use crate::narrowed::{Narrowed, Way};
use crate::slip::{Slip, slips};
use lariat_engine::{FairBy, Prune, Restrict};
use lariat_space::{StateSets, Steps};

/// What is left of a system.
#[derive(Clone, Debug)]
pub(crate) struct Core<Set> {
    /// The states.
    pub(crate) states: Set,
    /// The steps that are left: from each of these sets, those.
    pub(crate) left: Vec<Event<Set>>,
}

/// What fair loops are looked for in.
pub(crate) struct Within<'a, S: StateSets> {
    pub(crate) sets: &'a S,
    /// The states that they may pass.
    pub(crate) f: &'a S::Set,
    /// The dead ends that repeat.
    pub(crate) stuttering: &'a S::Set,
    pub(crate) constraints: &'a [InSets<S::Set>],
}

impl<Set: Clone + Eq> Core<Set> {
    /// What is left; of a search by components, one of them if that is `enough`.
    pub(crate) fn new<S: StateSets<Set = Set>>(
        within: &Within<'_, S>,
        how: How,
        enough: Enough,
    ) -> Result<Self, S::Error> {
        let mut core = Self::whole(within);
        match how.by {
            FairBy::Backward => core.shrink(within, &[Way::Back], how)?,
            FairBy::Both => core.shrink(within, &[Way::Back, Way::Forth], how)?,
            FairBy::Forward => {
                core.shrink(within, &[Way::Forth], how)?;
                if slips(Slip::WrongEnd) {
                    return Ok(core);
                }
                core.shrink(within, &[Way::Back], how)?;
            }
            FairBy::Components => return components::fair(within, how, enough),
        }
        Ok(core)
    }

    /// All of it.
    pub(crate) fn whole<S: StateSets<Set = Set>>(within: &Within<'_, S>) -> Self {
        let f = within.f;
        Self { states: f.clone(), left: vec![(f.clone(), Steps::All)] }
    }

    /// The system that is left.
    pub(crate) fn narrowed<'a, S: StateSets<Set = Set>>(&'a self, sets: &'a S, stuttering: &'a Set) -> Narrowed<'a, S> {
        Narrowed { sets, left: &self.left, stuttering }
    }

    /// Takes away what has no way that constraints need, in these directions, until nothing changes.
    fn shrink<S: StateSets<Set = Set>>(
        &mut self,
        within: &Within<'_, S>,
        ways: &[Way],
        how: How,
    ) -> Result<(), S::Error> {
        let count = within.constraints.len();
        let mut restrict = how.restrict;
        // Nothing is taken away any more once everything was looked at since something was: by turn, after how many changes it had
        // nothing to take away.
        let mut changes = 0;
        let mut idle: Vec<Option<usize>> = vec![None; count + 1];
        // Compassion is gone through up and down in turn: what one constraint takes away may be what its neighbour on either side
        // waits for. Justice alone is faster up: TERM-DET takes a sixth longer otherwise.
        let has_compassion = within.constraints.iter().any(|constraint| constraint.asked.is_some());
        let down = if has_compassion { count } else { 0 };
        for turn in (0..=count).chain((0..=down).rev().skip(usize::from(!has_compassion))).cycle() {
            if idle[turn] == Some(changes) {
                continue;
            }
            within.sets.safe_point()?;
            let (states, left) = (self.states.clone(), self.left.clone());
            for &way in ways {
                match turn.checked_sub(1) {
                    None => self.prune(within, way, how.prune)?,
                    Some(number) => self.take_away(within, way, restrict, number)?,
                }
            }
            if self.states != states || self.left != left {
                changes += 1;
                continue;
            }
            idle[turn] = Some(changes);
            if idle.iter().any(|idle| *idle != Some(changes)) {
                continue;
            }
            if restrict == Restrict::Full || slips(Slip::StaysLight) {
                break;
            }
            restrict = Restrict::Full;
            idle.fill(None);
        }
        Ok(())
    }

    /// Takes away the states that no step inside leads out of, or into.
    pub(crate) fn prune<S: StateSets<Set = Set>>(
        &mut self,
        &Within { sets, stuttering, .. }: &Within<'_, S>,
        way: Way,
        prune: Prune,
    ) -> Result<(), S::Error> {
        while !slips(Slip::NoPruning) {
            sets.safe_point()?;
            if way == Way::Back
                && let Some(fewer) = self.narrowed(sets, stuttering).lasting(&self.states, stuttering)?
            {
                self.states = fewer;
                break;
            }
            let neighbours = self.narrowed(sets, stuttering).one_step(&self.states, Steps::All, way)?;
            let fewer = sets.intersect(&self.states, &neighbours)?;
            let is_done = prune == Prune::OneStep || fewer == self.states;
            self.states = fewer;
            if is_done {
                break;
            }
        }
        Ok(())
    }

    /// Takes away what cannot be part of a loop that meets the constraint with this number.
    fn take_away<S: StateSets<Set = Set>>(
        &mut self,
        &Within { sets, f, stuttering, constraints }: &Within<'_, S>,
        way: Way,
        restrict: Restrict,
        number: usize,
    ) -> Result<(), S::Error> {
        let constraint = &constraints[number];
        let everything = [(f.clone(), Steps::All)];
        let slip = match constraint.asked {
            None => Slip::JusticeUnrestricted,
            Some(_) => Slip::CompassionUnrestricted,
        };
        let (narrowed, passed) = match restrict {
            Restrict::Full if !slips(slip) => (self.narrowed(sets, stuttering), &self.states),
            _ => (Narrowed { sets, left: &everything, stuttering }, f),
        };
        let meeting = narrowed.meeting(&constraint.given, &self.states, way)?;
        match &constraint.asked {
            None => {
                self.states = sets.intersect(&narrowed.closure(passed, &meeting, &self.states, way)?, &self.states)?
            }
            Some(asked) => {
                // Where nothing is asked for it does not matter what can be reached.
                let mut asking = sets.empty();
                for (sources, _) in asked {
                    asking = sets.union(&asking, &sets.intersect(sources, &self.states)?)?;
                }
                let answered = narrowed.closure(passed, &meeting, &asking, way)?;
                self.refuse(sets, asked, &answered)?;
            }
        }
        Ok(())
    }

    /// Takes away what is asked for outside of `answered`. Whether there was something.
    pub(crate) fn refuse<S: StateSets<Set = Set>>(
        &mut self,
        sets: &S,
        asked: &[Event<Set>],
        answered: &Set,
    ) -> Result<bool, S::Error> {
        let mut found = false;
        for (sources, steps) in asked {
            let unanswered = sets.minus(&sets.intersect(sources, &self.states)?, answered)?;
            if sets.is_empty(&unanswered) {
                continue;
            }
            match steps {
                Steps::All => {
                    self.states = sets.minus(&self.states, &unanswered)?;
                    found = true;
                }
                _ => {
                    let fewer = without(sets, &self.left, &unanswered, steps)?;
                    found |= fewer != self.left;
                    self.left = fewer;
                }
            }
        }
        Ok(found)
    }
}

/// Which of the fair loops are looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Enough {
    /// All.
    All,
    /// Some, if there are any.
    Some,
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
