//! CTL under justice.
//!
//! Path quantifiers speak of *fair* runs: infinite ones that meet every justice constraint infinitely often. Where the
//! system says that dead ends repeat for ever they are runs too; where it says that they are cut, no run goes there.
//! `E G f` is the greatest fixpoint of Emerson and Lei (LICS 1986), with constraints on steps beside those on states: a
//! step that carries the label is looked for instead of a state.

use lariat_engine::{Branching, PartId, StateFormula};
use lariat_space::{StateSets, Steps};
use lariat_system::{DeadEnds, Fairness, LabelId, LabelMeaning, System};
use std::collections::HashMap;

/// Something that fair runs do infinitely often.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Justice {
    /// They are in a state with this label.
    State(LabelId),
    /// They take a step with this label.
    Step(LabelId),
}

/// A fairness constraint that is no justice, by number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unsupported(pub usize);

/// The fairness constraints of the system, if all of them are justice.
pub fn justice_of(system: &System) -> Result<Vec<Justice>, Unsupported> {
    let constraint = |(number, constraint): (usize, &Fairness)| match constraint.as_justice() {
        Some(label) => Ok(match system.labels[label].meaning {
            LabelMeaning::State(_) => Justice::State(label),
            LabelMeaning::Step | LabelMeaning::By(_) => Justice::Step(label),
        }),
        None => Err(Unsupported(number)),
    };
    system.fairness.iter().enumerate().map(constraint).collect()
}

/// Computes in which reachable states formulas hold.
#[derive(Debug)]
pub struct Checker<'a, S: StateSets> {
    pub(crate) sets: &'a S,
    pub(crate) property: &'a Branching,
    pub(crate) reached: S::Set,
    /// The states that repeat for ever.
    pub(crate) stuttering: S::Set,
    pub(crate) justice: Vec<(Justice, S::Set)>,
    /// The states from which some fair run goes.
    pub(crate) fair: S::Set,
    /// Whether a run can end that does not count then.
    pub(crate) may_end: bool,
    /// For each part that was asked about, where it holds.
    values: HashMap<PartId, S::Set>,
}

impl<'a, S: StateSets> Checker<'a, S> {
    /// A checker of the parts of `property`. `reached` are all reachable states, to which `sets` is confined.
    pub fn new(
        sets: &'a S,
        property: &'a Branching,
        reached: S::Set,
        dead_ends: DeadEnds,
        justice: &[Justice],
    ) -> Result<Self, S::Error> {
        let stuttering = match dead_ends {
            DeadEnds::Stutter => sets.dead_ends(&reached)?,
            DeadEnds::Cut => sets.empty(),
        };
        let set_of = |constraint: &Justice| {
            let set = match constraint {
                Justice::State(label) => sets.intersect(&sets.satisfying(*label)?, &reached)?,
                Justice::Step(_) => sets.empty(),
            };
            Ok((*constraint, set))
        };
        let justice = justice.iter().map(set_of).collect::<Result<Vec<_>, S::Error>>()?;
        let fair = reached.clone();
        let mut checker =
            Self { sets, property, reached, stuttering, justice, fair, may_end: false, values: HashMap::new() };
        // Without constraints only dead ends are in the way of a run.
        let may_end = dead_ends == DeadEnds::Cut && !sets.is_empty(&sets.dead_ends(&checker.reached)?);
        if !checker.justice.is_empty() || may_end {
            checker.fair = checker.always(&checker.reached)?;
        }
        checker.may_end = may_end;
        Ok(checker)
    }

    /// The reachable states.
    pub fn reached(&self) -> &S::Set {
        &self.reached
    }
    /// The states from which some fair run goes.
    pub fn fair(&self) -> &S::Set {
        &self.fair
    }
    /// The initial states from which some fair run goes. A formula is asked of these alone.
    pub fn beginnings(&self) -> Result<S::Set, S::Error> {
        self.sets.intersect(&self.sets.initial()?, &self.fair)
    }
    /// The initial states of fair runs in which the whole formula does not hold.
    pub fn violations(&mut self) -> Result<S::Set, S::Error> {
        let holds = self.value(self.property.root())?;
        self.sets.minus(&self.beginnings()?, &holds)
    }

    /// The reachable states in which the part holds.
    pub fn value(&mut self, part: PartId) -> Result<S::Set, S::Error> {
        if let Some(known) = self.values.get(&part) {
            return Ok(known.clone());
        }
        let sets = self.sets;
        let value = match self.property.part(part) {
            StateFormula::True => self.reached.clone(),
            StateFormula::Prop(prop) => {
                let label = self.property.labels[prop.0 as usize];
                sets.intersect(&sets.satisfying(label)?, &self.reached)?
            }
            StateFormula::Not(f) => {
                let f = self.value(*f)?;
                sets.minus(&self.reached, &f)?
            }
            StateFormula::And(parts) => {
                let mut all = self.reached.clone();
                for &part in parts {
                    all = sets.intersect(&all, &self.value(part)?)?;
                }
                all
            }
            StateFormula::Or(parts) => {
                let mut any = sets.empty();
                for &part in parts {
                    any = sets.union(&any, &self.value(part)?)?;
                }
                any
            }
            StateFormula::Iff(f, g) => {
                let (f, g) = (self.value(*f)?, self.value(*g)?);
                let differ = sets.union(&sets.minus(&f, &g)?, &sets.minus(&g, &f)?)?;
                sets.minus(&self.reached, &differ)?
            }
            StateFormula::Next(f) => {
                let f = sets.intersect(&self.value(*f)?, &self.fair)?;
                self.before(&f)?
            }
            StateFormula::Until(f, g) => {
                let f = self.value(*f)?;
                let g = sets.intersect(&self.value(*g)?, &self.fair)?;
                self.until(&f, &g)?
            }
            StateFormula::Always(f) => {
                let f = self.value(*f)?;
                self.always(&f)?
            }
        };
        sets.safe_point()?;
        self.values.insert(part, value.clone());
        Ok(value)
    }

    /// The reachable states from which one step, perhaps a stutter step, leads into the set.
    pub(crate) fn before(&self, set: &S::Set) -> Result<S::Set, S::Error> {
        let sets = self.sets;
        let before = sets.intersect(&sets.pre(set, Steps::All)?, &self.reached)?;
        sets.union(&before, &sets.intersect(&self.stuttering, set)?)
    }

    /// The states from which a way through `f` leads into `g`.
    pub(crate) fn until(&self, f: &S::Set, g: &S::Set) -> Result<S::Set, S::Error> {
        let sets = self.sets;
        let mut found = g.clone();
        loop {
            sets.safe_point()?;
            let grown = sets.grown_back(&found, f)?;
            if grown == found {
                break;
            }
            found = grown;
        }
        sets.intersect(&found, &self.reached)
    }

    /// The states from which some fair run stays in `f` for ever.
    pub(crate) fn always(&self, f: &S::Set) -> Result<S::Set, S::Error> {
        let sets = self.sets;
        let mut inside = f.clone();
        loop {
            sets.safe_point()?;
            let mut fewer = inside.clone();
            if self.justice.is_empty() {
                fewer = sets.intersect(&fewer, &self.before(&fewer)?)?;
            }
            for number in 0..self.justice.len() {
                let goal = self.meeting(number, &fewer)?;
                fewer = self.until(&fewer, &goal)?;
            }
            if fewer == inside {
                return Ok(inside);
            }
            inside = fewer;
        }
    }

    /// The states of the set from which a step that stays in the set meets the constraint with this number.
    pub(crate) fn meeting(&self, number: usize, set: &S::Set) -> Result<S::Set, S::Error> {
        let sets = self.sets;
        let (constraint, states) = &self.justice[number];
        match constraint {
            Justice::State(_) => sets.intersect(&sets.intersect(set, states)?, &self.before(set)?),
            Justice::Step(label) => sets.intersect(set, &sets.pre(set, Steps::Carrying(*label))?),
        }
    }
}
