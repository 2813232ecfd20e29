//! CTL under fairness, and the part of CTL* that is CTL.
//!
//! Path quantifiers speak of *fair* runs: infinite ones that meet every constraint. Where the system says that dead ends repeat
//! for ever they are runs too; where it says that they are cut, no run goes there. Under justice, `E G f` is the greatest
//! fixpoint of Emerson and Lei (LICS 1986), with constraints on steps beside those on states; under compassion, what has a way
//! to what [`Core`] leaves over. Formulas of CTL* that these operators do not suffice for are the business of
//! [`RunStates`].

use crate::Layers;
use crate::fairness::{Constraint, InSets};
use crate::feasible::{Core, Enough, Within};
use crate::how::How;
use crate::narrowed::Narrowed;
use crate::runs::RunStates;
use crate::slip::{Slip, slips};
use lariat_engine::{Branching, FairBy, PartId, RunId, StateFormula};
use lariat_space::{StateSets, Steps};
use lariat_system::DeadEnds;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// The reachable states, and those of them from which fair runs go: the same for all formulas. Copies share what they find out
/// later.
#[derive(Clone, Debug)]
pub struct FairStates<Set> {
    pub(crate) reached: Set,
    /// The states that repeat for ever.
    pub(crate) stuttering: Set,
    pub(crate) constraints: Vec<InSets<Set>>,
    /// The states from which some fair run goes.
    pub(crate) fair: Set,
    /// Whether a run can end that does not count then.
    pub(crate) may_end: bool,
    /// How fair loops are searched.
    pub(crate) how: How,
    /// What is reached from the initial states, as far as somebody asked for a way.
    layers: Rc<RefCell<Option<Layers<Set>>>>,
}

/// The states from which some fair run stays in a set for ever.
#[derive(Clone, Debug)]
pub(crate) struct Staying<Set> {
    /// These states.
    pub(crate) states: Set,
    /// Where their loops are.
    pub(crate) core: Core<Set>,
}

impl<Set: Clone + Eq> FairStates<Set> {
    /// Those under these constraints. `reached` are all reachable states, to which `sets` is confined.
    pub fn new<S: StateSets<Set = Set>>(
        sets: &S,
        reached: Set,
        dead_ends: DeadEnds,
        constraints: &[Constraint],
        how: How,
    ) -> Result<Self, S::Error> {
        let stuttering = match dead_ends {
            DeadEnds::Stutter => sets.dead_ends(&reached)?,
            DeadEnds::Cut => sets.empty(),
        };
        let constraints = in_sets(sets, &reached, constraints)?;
        // Without constraints only dead ends are in the way of a run.
        let may_end = dead_ends == DeadEnds::Cut && !sets.is_empty(&sets.dead_ends(&reached)?);
        let layers = Rc::default();
        let mut states = Self { fair: reached.clone(), reached, stuttering, constraints, may_end, how, layers };
        if !states.constraints.is_empty() || may_end {
            states.fair = states.always(sets, &states.reached)?.states;
        }
        Ok(states)
    }

    /// Those of a product, in which runs that end do not count, under these constraints; which of them are fair is not looked
    /// for.
    pub(crate) fn of_product<S: StateSets<Set = Set>>(
        sets: &S,
        reached: Set,
        constraints: Vec<InSets<Set>>,
        how: How,
    ) -> Self {
        let (fair, stuttering) = (reached.clone(), sets.empty());
        Self { fair, reached, stuttering, constraints, may_end: true, how, layers: Rc::default() }
    }

    /// The same where labels have other numbers: `constraints` mean what they meant.
    pub fn renamed<S: StateSets<Set = Set>>(&self, sets: &S, constraints: &[Constraint]) -> Result<Self, S::Error> {
        Ok(Self { constraints: in_sets(sets, &self.reached, constraints)?, ..self.clone() })
    }

    /// The reachable states from which one step, perhaps a stutter step, leads into the set.
    pub(crate) fn before<S: StateSets<Set = Set>>(&self, sets: &S, set: &Set) -> Result<Set, S::Error> {
        let before = sets.intersect(&sets.pre(set, Steps::All)?, &self.reached)?;
        if slips(Slip::StutterForgotten) {
            return Ok(before);
        }
        sets.union(&before, &sets.intersect(&self.stuttering, set)?)
    }

    /// The states from which a way through `f` leads into `g`.
    pub(crate) fn until<S: StateSets<Set = Set>>(&self, sets: &S, f: &Set, g: &Set) -> Result<Set, S::Error> {
        let (left, stuttering) = ([(self.reached.clone(), Steps::All)], sets.empty());
        let f = if slips(Slip::UntilUnrestricted) { &self.reached } else { f };
        let found = Narrowed { sets, left: &left, stuttering: &stuttering }.until(f, g)?;
        sets.intersect(&found, &self.reached)
    }

    /// The states from which some fair run stays in `f` for ever.
    pub(crate) fn always<S: StateSets<Set = Set>>(&self, sets: &S, f: &Set) -> Result<Staying<Set>, S::Error> {
        self.always_with_loops(sets, f, f, Enough::All)
    }

    /// The same where the loops of fair runs are known to be in `loops`, a part of `f`; or of some of these states, if that is
    /// `enough`.
    pub(crate) fn always_with_loops<S: StateSets<Set = Set>>(
        &self,
        sets: &S,
        f: &Set,
        loops: &Set,
        enough: Enough,
    ) -> Result<Staying<Set>, S::Error> {
        let (stuttering, constraints) = (&self.stuttering, &self.constraints[..]);
        let core = Core::new(&Within { sets, f: loops, stuttering, constraints }, self.how, enough)?;
        let is_backward = self.how.by == FairBy::Backward;
        let is_closed =
            is_backward && f == loops && self.constraints.iter().all(|constraint| constraint.asked.is_none());
        let states = match is_closed {
            true => core.states.clone(),
            false if slips(Slip::AlwaysOnLoops) => core.states.clone(),
            // What is in the way on a loop may be passed on the way to one.
            false => self.until(sets, f, &core.states)?,
        };
        Ok(Staying { states, core })
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
}

fn in_sets<S: StateSets>(
    sets: &S,
    reached: &S::Set,
    constraints: &[Constraint],
) -> Result<Vec<InSets<S::Set>>, S::Error> {
    constraints.iter().map(|constraint| constraint.in_sets(sets, reached)).collect()
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
    /// For each formula of runs that was asked about, what its runs are found by.
    runs: HashMap<RunId, Rc<RunStates<S::Set>>>,
}

impl<'a, S: StateSets> Checker<'a, S> {
    /// A checker of the parts of `property`.
    pub fn new(sets: &'a S, property: &'a Branching, states: FairStates<S::Set>) -> Self {
        Self { sets, property, states, values: HashMap::new(), staying: HashMap::new(), runs: HashMap::new() }
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

    /// What the runs of a formula are found by.
    pub(crate) fn run_states(&mut self, run: RunId) -> Result<Rc<RunStates<S::Set>>, S::Error> {
        if let Some(known) = self.runs.get(&run) {
            return Ok(Rc::clone(known));
        }
        let formula = self.property.run(run);
        let parts = formula.parts.iter().map(|&part| self.value(part)).collect::<Result<_, _>>()?;
        let found = Rc::new(RunStates::new(self.sets, formula, &self.states, parts)?);
        self.runs.insert(run, Rc::clone(&found));
        Ok(found)
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
                let f = self.value(*f)?;
                let fair = if slips(Slip::NextToUnfair) { &self.states.reached } else { &self.states.fair };
                self.states.before(sets, &sets.intersect(&f, fair)?)?
            }
            StateFormula::Until(f, g) => {
                let (f, g) = (self.value(*f)?, self.value(*g)?);
                let fair = if slips(Slip::UntilToUnfair) { &self.states.reached } else { &self.states.fair };
                self.states.until(sets, &f, &sets.intersect(&g, fair)?)?
            }
            StateFormula::Always(f) => {
                let f = self.value(*f)?;
                let staying = self.states.always(sets, &f)?;
                self.staying.entry(part).insert_entry(staying).get().states.clone()
            }
            StateFormula::Run(run) => self.run_states(*run)?.states.clone(),
        };
        sets.safe_point()?;
        self.values.insert(part, value.clone());
        Ok(value)
    }
}
