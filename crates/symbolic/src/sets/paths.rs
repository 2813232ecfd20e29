//! Steps of several actions as one relation each.
//!
//! A step of a system with atomic sequences is a path of actions: after each but the last, a process holds control and can run on. Put
//! into one another, the actions of a path are one action, from an ordinary state to the next ordinary one, and its relation is small,
//! since each action writes little. So these systems can be saturated like others, and `pre` needs no inner fixpoint.
//!
//! That is done where ranks forbid nothing and there are few paths. A path is longer than that where a sequence can go on for
//! ever, and where it goes through a loop of many rounds; actions with choices of their own are not taken twice, since each has one
//! set of variables for them.

use super::BddSets;
use super::relation::{Formula, Relation};
use super::rule::Made;
use crate::diagrams::{Diagram, Transition};
use crate::{BitAlgebra, BitFunctions, Variable};
use lariat_branching::{Slip, slips};
use lariat_space::Steps;
use lariat_system::{LabelId, Position};
use oxidd::Subst;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// The most rules that are put together.
const MOST_RULES: usize = 2000;
/// The most actions of a path.
const MOST_ACTIONS: usize = 64;
/// The most paths, for each rule and beside that.
const PATHS_PER_RULE: usize = 4;
const PATHS_BESIDE: usize = 100;
/// The most nodes of the condition that a process runs on.
const MOST_NODES: usize = 2000;
/// What putting paths together may take.
const MOST_EFFORT: u64 = 1_000_000;

/// The steps along a path of actions.
pub(super) struct StepPath {
    /// The rules, each once.
    rules: Vec<usize>,
    pub(super) transition: Transition,
}

/// The same as functions, before it is known which bits are forgotten.
pub(super) type PathFormulas = Vec<(Vec<usize>, Formula)>;

/// The paths as relations without these bits; `None` if they are not small.
pub(super) type KnownPaths = (Vec<usize>, Option<Rc<Vec<StepPath>>>);

/// Whether there is another formula, or why paths end.
enum Longer {
    Path(Formula),
    /// No step goes along it.
    Nothing,
    /// Both have choices with the same variables.
    Refused,
}

impl BddSets<'_> {
    /// All steps, if there are atomic sequences and few paths.
    pub(super) fn paths(&self) -> Made<Option<Rc<Vec<StepPath>>>> {
        // These mistakes are made where one action follows the other.
        let by_actions = [Slip::InnerEndsEarly, Slip::InnerBackEndsEarly, Slip::CarriedForgotten];
        if self.holders.is_empty() || !self.ranks_are_alike || by_actions.into_iter().any(slips) {
            return Ok(None);
        }
        let forgotten = self.variables.forgotten.borrow().clone();
        if let Some((of, known)) = &*self.known_paths.borrow()
            && *of == forgotten.bits
        {
            return Ok(known.clone());
        }
        if self.path_formulas.get().is_none() {
            let _ = self.path_formulas.set(self.made_formulas()?);
        }
        let algebra = &self.encoder.algebra;
        let mut paths = self.path_formulas.get().expect("it has just been set").as_ref().map(|_| Vec::new());
        for (rules, formula) in self.path_formulas.get().into_iter().flatten().flatten() {
            let relation = Relation::new(algebra, &self.variables, formula, true, &forgotten)?;
            match (relation.whole(algebra, &self.variables)?, &mut paths) {
                (Some(transition), Some(paths)) => {
                    paths.push(StepPath { rules: rules.clone(), transition: transition.clone() });
                }
                _ => {
                    paths = None;
                    break;
                }
            }
        }
        let found = paths.map(Rc::new);
        *self.known_paths.borrow_mut() = Some((forgotten.bits, found.clone()));
        Ok(found)
    }

    /// What all paths do; `None` if there are too many.
    fn made_formulas(&self) -> Made<Option<PathFormulas>> {
        let rules = self.bindings.len();
        if rules > MOST_RULES {
            return Ok(None);
        }
        let algebra = &self.encoder.algebra;
        let most_effort = algebra.effort() + MOST_EFFORT;
        let mut runs_on: BTreeMap<Position, Diagram> = BTreeMap::new();
        for &holder in &self.holders {
            let mut enabled = algebra.constant(false);
            for rule in (0..rules).filter(|&rule| self.actor(rule) == Some(holder)) {
                let own = self.rule(rule)?.enabled_in(algebra, &algebra.constant(true), None)?;
                enabled = algebra.or(&enabled, &own)?;
                if algebra.size(&enabled) > MOST_NODES {
                    return Ok(None);
                }
            }
            runs_on.insert(holder, enabled);
        }
        let mut found: PathFormulas = Vec::new();
        for rule in 0..rules {
            let formulas = &self.rule(rule)?.formulas;
            let mut waiting: PathFormulas = formulas.iter().map(|formula| (vec![rule], formula.clone())).collect();
            while let Some((rules_passed, formula)) = waiting.pop() {
                let is_long = rules_passed.len() > MOST_ACTIONS || found.len() > PATHS_PER_RULE * rules + PATHS_BESIDE;
                if is_long || algebra.effort() > most_effort {
                    return Ok(None);
                }
                let last = rules_passed[rules_passed.len() - 1];
                let Some(holder) = self.rule(last)?.holder else {
                    found.push((rules_passed, formula));
                    continue;
                };
                let afterwards = formula.afterwards(&self.variables, algebra);
                let runs_on = algebra.substitute(&runs_on[&holder], &afterwards)?;
                if algebra.known(&runs_on) != Some(false) {
                    for next in (0..rules).filter(|&next| self.actor(next) == Some(holder)) {
                        for own in &self.rule(next)?.formulas {
                            match formula.then(own, &afterwards, algebra, self)? {
                                Longer::Path(longer) => {
                                    waiting.push(([rules_passed.as_slice(), &[next]].concat(), longer));
                                }
                                Longer::Nothing => {}
                                Longer::Refused => return Ok(None),
                            }
                        }
                    }
                }
                // Where the holder cannot run on, the step is over.
                if algebra.known(&runs_on) != Some(true) {
                    let mut ended = formula;
                    if !slips(Slip::PathEndsEarly) {
                        ended.conjuncts.push(algebra.not(&runs_on)?);
                    }
                    found.push((rules_passed, ended));
                }
            }
        }
        Ok(Some(found))
    }

    /// From where such steps lead into the set; `None` if steps are no paths, or labels are not told by who acts.
    pub(super) fn backwards_by_paths(&self, set: &Diagram, steps: &Steps) -> Made<Option<Diagram>> {
        let Some(paths) = self.paths()? else { return Ok(None) };
        let algebra = &self.encoder.algebra;
        let mut carries: HashMap<(usize, LabelId), bool> = HashMap::new();
        for &label in steps.carried().iter().chain(steps.missed()) {
            for rule in paths.iter().flat_map(|path| &path.rules).copied() {
                let Some(carried) = algebra.known(&self.label_of(rule, label)?) else { return Ok(None) };
                carries.insert((rule, label), carried);
            }
        }
        let mut found = algebra.constant(false);
        for path in &*paths {
            let carried = |label: &LabelId| path.rules.iter().any(|rule| carries[&(*rule, *label)]);
            if steps.carried().iter().all(carried) && !steps.missed().iter().any(carried) {
                self.images.set(self.images.get() + 1);
                found = algebra.or(&found, &algebra.follow_back(set, &path.transition)?)?;
            }
        }
        Ok(Some(found))
    }
}

impl Formula {
    /// The values of bits afterwards, in the place of those now.
    fn afterwards(&self, variables: &super::rule::Variables, algebra: &super::rule::Bdd) -> Subst<Diagram> {
        algebra.substitution(self.written.iter().map(|(bit, value)| (variables.of(*bit).0, value.clone())).collect())
    }

    /// This, and the other after it.
    fn then(
        &self,
        other: &Self,
        afterwards: &Subst<Diagram>,
        algebra: &super::rule::Bdd,
        sets: &BddSets<'_>,
    ) -> Made<Longer> {
        let mut conjuncts = self.conjuncts.clone();
        for part in &other.conjuncts {
            let part = algebra.substitute(part, afterwards)?;
            match algebra.known(&part) {
                Some(false) => return Ok(Longer::Nothing),
                Some(true) => {}
                None => conjuncts.push(part),
            }
        }
        let shared = |choice: &Variable| self.choices.contains(choice);
        if other.choices.iter().any(shared) || !(self.bound.is_empty() && other.bound.is_empty()) {
            return Ok(Longer::Refused);
        }
        let mut written: BTreeMap<usize, Diagram> = self.written.iter().cloned().collect();
        for (bit, value) in &other.written {
            written.insert(*bit, algebra.substitute(value, afterwards)?);
        }
        written.retain(|bit, value| sets.variables.state[*bit] != *value);
        let choices = [self.choices.as_slice(), &other.choices].concat();
        Ok(Longer::Path(Self { conjuncts, written: written.into_iter().collect(), choices, bound: Vec::new() }))
    }
}
