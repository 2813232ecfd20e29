//! One step of a formula: what must hold now, what must hold from the next moment on, and what is put off.
//!
//! The expansion of a formula is a Boolean function over three kinds of variables: propositions; "formula n holds next";
//! and promises, "the fulfilment of formula n is put off at this step". A promise that is made at every step from some
//! moment on is a broken one; acceptance forbids that. Couvreur, "On-the-fly verification of linear temporal logic",
//! FM 1999. All variables but the propositions occur positively only.

use super::term::{Term, TermId, Terms};
use crate::guards::{Guard, Guards, Variable};
use crate::hash::FastMap;

/// What a variable stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Duty {
    /// The proposition holds now.
    Now(u32),
    /// The formula holds at the next moment.
    Next(TermId),
    /// The fulfilment of the formula is put off.
    Promise(TermId),
}

/// How formulas are expanded. Neither is always better than another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Style {
    /// `X (a | b)` is a choice of two duties, which keeps states few. Letters are told apart as far as they leave
    /// different duties.
    Choices,
    /// `X (a | b)` is one duty, which keeps the automaton deterministic.
    Whole,
    /// Edges are the products of a cover, which need not be disjoint. For formulas with so many propositions that telling
    /// letters apart is too much: variables are ordered as the formula has them, so that `a U (b U (c U …))` stays small.
    Covered,
}

/// Expansions met so far.
#[derive(Debug)]
pub(super) struct Expansions {
    /// How many of the first variables are the propositions in their order; with [`Style::Covered`] none are.
    pub(super) proposition_count: u32,
    pub(super) style: Style,
    duties: Vec<Duty>,
    variables: FastMap<Duty, Variable>,
    known: FastMap<TermId, Guard>,
}

impl Expansions {
    pub(super) fn new(proposition_count: u32, style: Style) -> Self {
        let (variables, known) = (FastMap::default(), FastMap::default());
        let proposition_count = if style == Style::Covered { 0 } else { proposition_count };
        Self { proposition_count, style, duties: Vec::new(), variables, known }
    }
    /// What a variable stands for.
    pub(super) fn duty(&self, variable: Variable) -> Duty {
        match variable.checked_sub(self.proposition_count) {
            Some(behind) => self.duties[behind as usize],
            None => Duty::Now(variable),
        }
    }
    /// The expansion of `term`.
    ///
    /// Law: a word satisfies `term` iff its first letter, the formulas its tail satisfies, and some promises, all of
    /// which are kept, satisfy the function.
    pub(super) fn expand(&mut self, term: TermId, terms: &mut Terms, guards: &mut Guards) -> Guard {
        if let Some(&known) = self.known.get(&term) {
            return known;
        }
        let result = match terms.get(term).clone() {
            Term::False => Guard::FALSE,
            Term::True => Guard::TRUE,
            Term::Literal { proposition, positive } => {
                let variable = match self.style {
                    Style::Covered => self.variable(Duty::Now(proposition), guards),
                    _ => guards.variable(proposition),
                };
                if positive { variable } else { guards.not(variable) }
            }
            Term::And(parts) => parts.into_iter().fold(Guard::TRUE, |all, part| {
                let part = self.expand(part, terms, guards);
                guards.and(all, part)
            }),
            Term::Or(parts) => parts.into_iter().fold(Guard::FALSE, |any, part| {
                let part = self.expand(part, terms, guards);
                guards.or(any, part)
            }),
            Term::Next(operand) => self.later(operand, terms, guards),
            Term::Globally(operand) => self.expand_globally(term, operand, terms, guards),
            Term::Finally(operand) => self.put_off(term, operand, Guard::TRUE, terms, guards),
            Term::Until(left, right) => {
                let left = self.expand(left, terms, guards);
                self.put_off(term, right, left, terms, guards)
            }
            Term::Weak(left, right) => {
                let (left, right) = (self.expand(left, terms, guards), self.expand(right, terms, guards));
                let later = self.later(term, terms, guards);
                let stays = guards.and(left, later);
                guards.or(right, stays)
            }
            Term::Release(left, right) => {
                let (left, right) = (self.expand(left, terms, guards), self.expand(right, terms, guards));
                let later = self.later(term, terms, guards);
                let either = guards.or(left, later);
                guards.and(right, either)
            }
            Term::Strong(left, right) => {
                let right = self.expand(right, terms, guards);
                let either = self.put_off(term, left, Guard::TRUE, terms, guards);
                guards.and(right, either)
            }
        };
        self.known.insert(term, result);
        result
    }

    /// `goal` now, or else `meanwhile` now and `term` again later, which is a promise of `goal`.
    fn put_off(
        &mut self,
        term: TermId,
        goal: TermId,
        meanwhile: Guard,
        terms: &mut Terms,
        guards: &mut Guards,
    ) -> Guard {
        let later = self.later(term, terms, guards);
        let promise = self.variable(Duty::Promise(goal), guards);
        let (waiting, now) = (guards.and(later, promise), self.expand(goal, terms, guards));
        let waiting = guards.and(meanwhile, waiting);
        guards.or(now, waiting)
    }
    /// `G F x` keeps no memory of whether `x` is awaited: awaiting it is the promise alone.
    fn expand_globally(&mut self, term: TermId, operand: TermId, terms: &mut Terms, guards: &mut Guards) -> Guard {
        let parts = match terms.get(operand) {
            Term::And(parts) => parts.clone(),
            _ => vec![operand],
        };
        let mut result = self.later(term, terms, guards);
        for part in parts {
            let now = match *terms.get(part) {
                Term::Finally(goal) => {
                    let promise = self.variable(Duty::Promise(goal), guards);
                    let goal = self.expand(goal, terms, guards);
                    guards.or(goal, promise)
                }
                _ => self.expand(part, terms, guards),
            };
            result = guards.and(result, now);
        }
        result
    }
    fn later(&mut self, term: TermId, terms: &Terms, guards: &mut Guards) -> Guard {
        match terms.get(term) {
            Term::True => Guard::TRUE,
            Term::False => Guard::FALSE,
            // One variable for each conjunct: what conjunctions share is then shared.
            Term::And(parts) => parts.iter().fold(Guard::TRUE, |all, &part| {
                let part = self.variable(Duty::Next(part), guards);
                guards.and(all, part)
            }),
            Term::Or(parts) if self.style != Style::Whole => parts.iter().fold(Guard::FALSE, |any, &part| {
                let part = self.later(part, terms, guards);
                guards.or(any, part)
            }),
            _ => self.variable(Duty::Next(term), guards),
        }
    }
    fn variable(&mut self, duty: Duty, guards: &mut Guards) -> Guard {
        let next = self.proposition_count + self.duties.len() as u32;
        let variable = *self.variables.entry(duty).or_insert(next);
        if variable == next {
            self.duties.push(duty);
        }
        guards.variable(variable)
    }
}
