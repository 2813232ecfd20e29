//! Cases of one action, apart by the value of a variable that says who acts.
//!
//! Models of concurrent processes in a language of synchronous steps often have a variable, or an input, that names the process
//! that acts, and all others keep their values. As one relation that is large, and a fixpoint gets nowhere by one step of it.
//! Apart by the value of that variable, each case writes little, and fixpoints can go on from one case to the next.
//!
//! The variable is found by trying those that most written bits depend on: it is one if, for its single values, far fewer bits
//! are written.

use super::relation::Formula;
use super::rule::{Bdd, Made, Variables};
use crate::diagrams::Diagram;
use crate::{BitAlgebra, BitFunctions, Variable};
use std::collections::HashMap;

/// Fewer written bits are not worth it.
const LEAST_WRITTEN: usize = 6;
/// The most bits of a variable that is tried.
const MOST_BITS: usize = 10;
/// The most cases there are.
pub(super) const MOST_CASES: usize = 1 << MOST_BITS;
/// The most variables that are tried.
const MOST_TRIED: usize = 4;
/// More parts than this are not looked at: that takes longer than it saves.
const MOST_PARTS: usize = 2000;
/// The cases are worth it if they write at most so many of a hundred bits of all, on average.
const WORTH_PERCENT: usize = 67;

/// The formula apart by the value of one of the variables in `candidates`, each by its bits; the formula itself if no variable is
/// worth it.
pub(super) fn cases(
    algebra: &Bdd,
    variables: &Variables,
    formula: Formula,
    candidates: &[Vec<Variable>],
) -> Made<Vec<Formula>> {
    let parts = formula.written.len() + formula.conjuncts.len();
    if formula.written.len() < LEAST_WRITTEN || parts > MOST_PARTS {
        return Ok(vec![formula]);
    }
    let mut users: HashMap<Variable, usize> = HashMap::new();
    let functions = formula.written.iter().map(|(_, value)| value).chain(&formula.conjuncts);
    for variable in functions.flat_map(|function| algebra.support(function)) {
        *users.entry(variable).or_insert(0) += 1;
    }
    // What few bits depend on does not keep the others from being written.
    let count = |bits: &Vec<Variable>| bits.iter().map(|bit| users.get(bit).copied().unwrap_or(0)).min().unwrap_or(0);
    let least = formula.written.len() / 3;
    let mut tried: Vec<(usize, &Vec<Variable>)> = candidates
        .iter()
        .filter(|bits| (1..=MOST_BITS).contains(&bits.len()))
        .map(|bits| (count(bits), bits))
        .filter(|(count, _)| *count > least)
        .collect();
    tried.sort_by_key(|(count, bits)| (std::cmp::Reverse(*count), (*bits).clone()));
    let mut best: Option<(usize, Vec<Formula>)> = None;
    for (_, bits) in tried.into_iter().take(MOST_TRIED) {
        let mut split = Vec::new();
        for value in 0..1_u64 << bits.len() {
            let literals = bits.iter().enumerate().map(|(place, &bit)| (bit, value >> place & 1 == 1));
            split.extend(formula.case(algebra, variables, &literals.collect::<Vec<_>>())?);
        }
        let written: usize = split.iter().map(|case| case.written.len()).sum();
        let is_worth_it = split.len() > 1 && written * 100 <= formula.written.len() * split.len() * WORTH_PERCENT;
        let average = written * 100 / split.len().max(1);
        if is_worth_it && best.as_ref().is_none_or(|(least, _)| average < *least) {
            best = Some((average, split));
        }
    }
    Ok(best.map_or_else(|| vec![formula], |(_, split)| split))
}

impl Formula {
    /// The formula where the variables have these values; `None` if they never do.
    fn case(&self, algebra: &Bdd, variables: &Variables, literals: &[(Variable, bool)]) -> Made<Option<Self>> {
        let cube = algebra.cube(literals)?;
        let fixed = algebra.variables(&literals.iter().map(|(variable, _)| *variable).collect::<Vec<_>>())?;
        let known = |function: &Diagram| algebra.and_exists(&fixed, function, &cube);
        let mut case = Self { conjuncts: Vec::new(), written: Vec::new(), ..self.clone() };
        for conjunct in &self.conjuncts {
            case.conjuncts.push(known(conjunct)?);
        }
        for (bit, value) in &self.written {
            // A choice that has a value here still is the value of the bit.
            case.written.push((*bit, known(value)?));
        }
        while case.bind(algebra, variables)? {}
        case.conjuncts.retain(|conjunct| algebra.known(conjunct) != Some(true));
        case.written.retain(|(bit, value)| variables.state[*bit] != *value);
        if case.conjuncts.iter().any(|conjunct| algebra.known(conjunct) == Some(false)) {
            return Ok(None);
        }
        case.conjuncts.push(cube);
        Ok(Some(case))
    }

    /// Puts the old value of a bit in the place of a choice that is its new value, if a conjunct says that both are the same.
    /// Whether there is such a choice.
    fn bind(&mut self, algebra: &Bdd, variables: &Variables) -> Made<bool> {
        for &choice in &self.choices {
            let own = algebra.variable(choice)?;
            let Some((bit, _)) = self.written.iter().find(|(_, value)| *value == own) else { continue };
            let old = variables.state[*bit].clone();
            let differ = algebra.xor(&own, &old)?;
            let mut keeps = false;
            for conjunct in self.conjuncts.iter().filter(|conjunct| algebra.known(conjunct).is_none()) {
                keeps = keeps || algebra.known(&algebra.and(conjunct, &differ)?) == Some(false);
            }
            if !keeps {
                continue;
            }
            let bound = algebra.substitution(vec![(choice, old.clone())]);
            let functions = self.conjuncts.iter_mut().chain(self.written.iter_mut().map(|(_, value)| value));
            for function in functions {
                *function = algebra.substitute(function, &bound)?;
            }
            self.choices.retain(|other| *other != choice);
            self.bound.push((choice, old));
            return Ok(true);
        }
        Ok(false)
    }
}
