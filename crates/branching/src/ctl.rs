//! CTL under justice.
//!
//! Path quantifiers speak of *fair* runs: infinite ones that meet every justice constraint infinitely often. Where the
//! system says that dead ends repeat for ever they are runs too; where it says that they are cut, no run goes there.
//! `E G f` is the greatest fixpoint of Emerson and Lei (LICS 1986), with constraints on steps beside those on states: a
//! step that carries the label is looked for instead of a state.

use crate::Layers;
use lariat_engine::{Branching, PartId, StateFormula};
use lariat_space::{StateSets, Steps};
use lariat_system::{DeadEnds, Fairness, LabelId, LabelMeaning, System};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// Something that fair runs do infinitely often.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Justice {
    /// They are in a state with this label.
    State(LabelId),
    /// They take a step with this label.
    Step(LabelId),
}

impl Justice {
    /// The label.
    pub fn label(self) -> LabelId {
        match self {
            Self::State(label) | Self::Step(label) => label,
        }
    }
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

/// The reachable states, and those of them from which fair runs go: the same for all formulas. Copies share what they find out
/// later.
#[derive(Clone, Debug)]
pub struct FairStates<Set> {
    pub(crate) reached: Set,
    /// The states that repeat for ever.
    pub(crate) stuttering: Set,
    pub(crate) justice: Vec<(Justice, Set)>,
    /// The states from which some fair run goes.
    pub(crate) fair: Set,
    /// Whether a run can end that does not count then.
    pub(crate) may_end: bool,
    /// What is reached from the initial states, as far as somebody asked for a way.
    layers: Rc<RefCell<Option<Layers<Set>>>>,
}

/// The states from which some fair run stays in a set for ever.
#[derive(Clone, Debug)]
pub(crate) struct Staying<Set> {
    /// These states.
    pub(crate) states: Set,
    /// For each constraint, those of them from which a step that stays among them meets it.
    pub(crate) meeting: Vec<Set>,
}

impl<Set: Clone + Eq> FairStates<Set> {
    /// Those under these constraints. `reached` are all reachable states, to which `sets` is confined.
    pub fn new<S: StateSets<Set = Set>>(
        sets: &S,
        reached: Set,
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
        // Without constraints only dead ends are in the way of a run.
        let may_end = dead_ends == DeadEnds::Cut && !sets.is_empty(&sets.dead_ends(&reached)?);
        let layers = Rc::default();
        let mut states = Self { fair: reached.clone(), reached, stuttering, justice, may_end, layers };
        if !states.justice.is_empty() || may_end {
            states.fair = states.always(sets, &states.reached)?.states;
        }
        Ok(states)
    }

    /// The reachable states from which one step, perhaps a stutter step, leads into the set.
    pub(crate) fn before<S: StateSets<Set = Set>>(&self, sets: &S, set: &Set) -> Result<Set, S::Error> {
        let before = sets.intersect(&sets.pre(set, Steps::All)?, &self.reached)?;
        sets.union(&before, &sets.intersect(&self.stuttering, set)?)
    }

    /// The states from which a way through `f` leads into `g`.
    pub(crate) fn until<S: StateSets<Set = Set>>(&self, sets: &S, f: &Set, g: &Set) -> Result<Set, S::Error> {
        let mut found = g.clone();
        // With all of these there is nothing to look for.
        let most = sets.union(f, g)?;
        while found != most {
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
    pub(crate) fn always<S: StateSets<Set = Set>>(&self, sets: &S, f: &Set) -> Result<Staying<Set>, S::Error> {
        let mut inside = f.clone();
        loop {
            sets.safe_point()?;
            let (mut fewer, mut meeting) = (inside.clone(), Vec::new());
            if self.justice.is_empty() {
                fewer = sets.intersect(&fewer, &self.before(sets, &fewer)?)?;
            }
            for number in 0..self.justice.len() {
                let goal = self.meeting(sets, number, &fewer)?;
                fewer = self.until(sets, &fewer, &goal)?;
                meeting.push(goal);
            }
            if fewer == inside {
                return Ok(Staying { states: inside, meeting });
            }
            inside = fewer;
        }
    }

    /// A shortest way from an initial state to one of `goal`, both ends included. `None` if there is none.
    pub(crate) fn way_to<S: StateSets<Set = Set>>(
        &self,
        sets: &S,
        goal: &Set,
    ) -> Result<Option<Vec<Vec<u64>>>, S::Error> {
        let mut layers = self.layers.borrow_mut();
        if layers.is_none() {
            *layers = Some(Layers::new(sets.initial()?, self.reached.clone()));
        }
        layers.as_mut().expect("they have just been set").path(sets, goal)
    }

    /// Drops what is only kept to be faster: it is found again.
    pub fn forget(&self) {
        *self.layers.borrow_mut() = None;
    }

    /// The states of the set from which a step that stays in the set meets the constraint with this number.
    fn meeting<S: StateSets<Set = Set>>(&self, sets: &S, number: usize, set: &Set) -> Result<Set, S::Error> {
        let (constraint, states) = &self.justice[number];
        match constraint {
            Justice::State(_) => sets.intersect(&sets.intersect(set, states)?, &self.before(sets, set)?),
            Justice::Step(label) => sets.intersect(set, &sets.pre(set, Steps::Carrying(*label))?),
        }
    }
}

/// Computes in which reachable states formulas hold.
#[derive(Debug)]
pub struct Checker<'a, S: StateSets> {
    pub(crate) sets: &'a S,
    pub(crate) property: &'a Branching,
    pub(crate) states: FairStates<S::Set>,
    /// For each part that was asked about, where it holds.
    values: HashMap<PartId, S::Set>,
    /// For each `E G f` that was asked about, how its runs are fair.
    staying: HashMap<PartId, Staying<S::Set>>,
}

impl<'a, S: StateSets> Checker<'a, S> {
    /// A checker of the parts of `property`.
    pub fn new(sets: &'a S, property: &'a Branching, states: FairStates<S::Set>) -> Self {
        Self { sets, property, states, values: HashMap::new(), staying: HashMap::new() }
    }

    /// The reachable states.
    pub fn reached(&self) -> &S::Set {
        &self.states.reached
    }
    /// The states from which some fair run goes.
    pub fn fair(&self) -> &S::Set {
        &self.states.fair
    }
    /// The initial states from which some fair run goes. A formula is asked of these alone.
    pub fn beginnings(&self) -> Result<S::Set, S::Error> {
        self.sets.intersect(&self.sets.initial()?, &self.states.fair)
    }
    /// The initial states of fair runs in which the part does not hold.
    pub(crate) fn violations(&mut self, part: PartId) -> Result<S::Set, S::Error> {
        let holds = self.value(part)?;
        self.sets.minus(&self.beginnings()?, &holds)
    }
    /// Where fair runs of the part, an `E G f`, stay.
    pub(crate) fn staying(&mut self, part: PartId) -> Result<&Staying<S::Set>, S::Error> {
        self.value(part)?;
        Ok(&self.staying[&part])
    }

    /// The reachable states in which the part holds.
    pub fn value(&mut self, part: PartId) -> Result<S::Set, S::Error> {
        if let Some(known) = self.values.get(&part) {
            return Ok(known.clone());
        }
        let sets = self.sets;
        let value = match self.property.part(part) {
            StateFormula::True => self.states.reached.clone(),
            StateFormula::Prop(prop) => {
                let label = self.property.labels[prop.0 as usize];
                sets.intersect(&sets.satisfying(label)?, &self.states.reached)?
            }
            StateFormula::Not(f) => {
                let f = self.value(*f)?;
                sets.minus(&self.states.reached, &f)?
            }
            StateFormula::And(parts) => {
                let mut all = self.states.reached.clone();
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
                sets.minus(&self.states.reached, &differ)?
            }
            StateFormula::Next(f) => {
                let f = sets.intersect(&self.value(*f)?, &self.states.fair)?;
                self.states.before(sets, &f)?
            }
            StateFormula::Until(f, g) => {
                let f = self.value(*f)?;
                let g = sets.intersect(&self.value(*g)?, &self.states.fair)?;
                self.states.until(sets, &f, &g)?
            }
            StateFormula::Always(f) => {
                let f = self.value(*f)?;
                let staying = self.states.always(sets, &f)?;
                self.staying.entry(part).insert_entry(staying).get().states.clone()
            }
        };
        sets.safe_point()?;
        self.values.insert(part, value.clone());
        Ok(value)
    }
}
