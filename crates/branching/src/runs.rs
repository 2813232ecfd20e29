//! Formulas of CTL* behind one quantifier: the algorithm SAT-E of Kesten, Pnueli, Raviv and Shahar (2006), with automata where
//! they have testers.
//!
//! `E f` holds in the states from which, in the product with the automaton of `f`, a fair run goes that the automaton accepts:
//! [`Core`](crate::feasible::Core) finds these, acceptance being fairness like any other. Formulas of states in `f` were computed
//! before, and are sets of states by now.
//!
//! Where the formula recalls (see [`RunFormula`]), the automaton reads runs from initial states on, and what is asked for are
//! the states that such a run leaves by a marked step. The states of the product that runs come to are computed forwards for
//! that.

use crate::acceptance::cases;
use crate::ctl::Staying;
use crate::fairness::{Event, InSets};
use crate::feasible::Enough;
use crate::lasso::{Lasso, Route};
use crate::product::{Factors, ProductSets, Proposition};
use crate::temporal::own_run;
use crate::{FairStates, Stepper, path_between};
use lariat_automata::Mark;
use lariat_engine::{RunFormula, TraceStep};
use lariat_space::{State, StateSets, Steps};

/// Where a formula of runs holds, and what its runs are found by.
#[derive(Clone, Debug)]
pub(crate) struct RunStates<Set> {
    /// The states in which some fair run satisfies it.
    pub(crate) states: Set,
    /// The formulas of states in it.
    parts: Vec<Set>,
    /// For each case of the acceptance condition, the states of the product.
    cases: Vec<Case<Set>>,
}

#[derive(Clone, Debug)]
struct Case<Set> {
    product: FairStates<Vec<Set>>,
    /// Those with an accepted fair run.
    accepted: Staying<Vec<Set>>,
    /// If the formula recalls: those that a run from an initial state comes to, and leaves by a marked step to an accepted one.
    marked: Option<Vec<Set>>,
}

/// A run of the system that satisfies a formula.
pub(crate) struct FoundRun {
    pub(crate) states: Vec<Vec<u64>>,
    pub(crate) steps: Vec<TraceStep>,
    pub(crate) loop_start: usize,
    /// How many steps come before the state that was asked about.
    pub(crate) past: usize,
}

impl<Set: Clone + Eq> RunStates<Set> {
    /// Those of the formula, in which `parts` are where its formulas of states hold.
    pub(crate) fn new<S: StateSets<Set = Set>>(
        sets: &S,
        run: &RunFormula,
        states: &FairStates<Set>,
        parts: Vec<Set>,
    ) -> Result<Self, S::Error> {
        let mut found = Self { states: sets.empty(), parts, cases: Vec::new() };
        let propositions = found.propositions();
        let product = ProductSets::new(sets, &factors(run, states, &propositions))?;
        let lift = |(states, steps): &Event<Set>| Ok::<_, S::Error>((product.lifted(states), steps.clone()));
        let fairness = states.constraints.iter().map(|constraint| constraint.try_map(lift));
        let fairness: Vec<InSets<Vec<Set>>> = fairness.collect::<Result<_, _>>()?;
        let reached = run.here.is_some().then(|| product.reached()).transpose()?;
        for case in cases(&run.automaton.acceptance) {
            let marked = |mark: &Mark| Ok::<_, S::Error>(product.marked(*mark));
            let accepting = case.iter().map(|constraint| constraint.try_map(marked)).collect::<Result<Vec<_>, _>>()?;
            let of_product =
                FairStates::of_product(&product, product.all(), [accepting, fairness.clone()].concat(), states.how);
            let accepted =
                of_product.always_with_loops(&product, &of_product.reached, &product.loops(), Enough::All)?;
            let marked = match (run.here, &reached) {
                (Some(here), Some(reached)) => {
                    let before = product.pre(&accepted.states, product.marked(here).1)?;
                    Some(product.intersect(reached, &before)?)
                }
                _ => None,
            };
            let holds = match &marked {
                Some(marked) => product.projected(marked)?,
                None => product.begun(&accepted.states),
            };
            found.states = sets.union(&found.states, &holds)?;
            found.cases.push(Case { product: of_product, accepted, marked });
        }
        found.states = sets.intersect(&found.states, &states.reached)?;
        Ok(found)
    }

    fn propositions(&self) -> Vec<Proposition<Set>> {
        self.parts.iter().map(|part| Proposition::States(part.clone())).collect()
    }

    /// A fair run that shows the formula in the state. There is one.
    pub(crate) fn find<S: StateSets<Set = Set>>(
        &self,
        sets: &S,
        run: &RunFormula,
        states: &FairStates<Set>,
        state: &State,
        stepper: &impl Stepper,
    ) -> Result<FoundRun, S::Error> {
        let propositions = self.propositions();
        let product = ProductSets::new(sets, &factors(run, states, &propositions))?;
        let (mut route, mut past) = (None, 0);
        for case in &self.cases {
            let lasso = Lasso::new(&product, &case.product, &case.accepted);
            route = match (&case.marked, run.here) {
                (Some(marked), Some(here)) => {
                    let goal = product.intersect(marked, &product.lifted(&sets.only(state)?))?;
                    let way = path_between(&product, &product.initial()?, &product.all(), &goal)?;
                    way.map(|way| -> Result<Route, S::Error> {
                        past = way.len() - 1;
                        let by_mark = product.marked(here).1;
                        let next = product.post(&product.only(&way[past])?, by_mark.clone())?;
                        let next = product.pick(&product.intersect(&next, &case.accepted.states)?)?;
                        let rest = lasso.find(&next.expect("a marked step leads to an accepted state"))?;
                        let mut steps = vec![Steps::All; past];
                        steps.push(by_mark);
                        steps.extend(rest.steps);
                        let loop_start = rest.loop_start.map(|start| start + way.len());
                        Ok(Route { states: [way, rest.states].concat(), steps, loop_start })
                    })
                    .transpose()?
                }
                _ => {
                    let start = product.beginning(state);
                    let is_accepted = product.intersect(&product.only(&start)?, &case.accepted.states)?;
                    (!product.is_empty(&is_accepted)).then(|| lasso.find(&start)).transpose()?
                }
            };
            if route.is_some() {
                break;
            }
        }
        let route = route.expect("the formula holds here");
        let (states, steps) = own_run(&product, &route, stepper)?;
        let loop_start = route.loop_start.expect("a lasso has a loop");
        Ok(FoundRun { states, steps, loop_start, past })
    }
}

fn factors<'a, Set>(
    run: &'a RunFormula,
    states: &'a FairStates<Set>,
    propositions: &'a [Proposition<Set>],
) -> Factors<'a, Set> {
    let FairStates { reached, stuttering, constraints, .. } = states;
    let events = constraints.iter().flat_map(|constraint| constraint.asked.iter().flatten().chain(&constraint.given));
    let spoken_of = events.flat_map(|(_, steps)| steps.carried().iter().chain(steps.missed()));
    let labels = spoken_of.map(|label| label.0 as usize + 1).max().unwrap_or(0);
    Factors { reached, stuttering, automaton: &run.automaton, propositions, labels }
}
