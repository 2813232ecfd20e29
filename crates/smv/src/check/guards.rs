//! Conditions that an operation stands under, which may keep it from failing.
//!
//! In `r = 0 ? a : a / r` the divisor is not 0, whatever a large expression `r` is. That is found without a look at the variables
//! of `r`: were the divisor 0, the condition would hold, and this branch would not be taken. So a condition is evaluated
//! with the values assumed that make the operation fail; if it cannot have the value then that leads here, the operation does
//! not fail here.

use super::decide::Decider;
use super::vals::Vals;
use crate::term::{Term, same};

/// Larger conditions are not evaluated again.
const LARGEST: u64 = 2000;

/// The conditions around the term that is evaluated.
#[derive(Default)]
pub(super) struct Guards {
    /// Whether they are kept at all.
    pub(super) are_kept: bool,
    /// With the values that they have.
    conditions: Vec<(Term, bool)>,
    /// A term, and the values that it is assumed to have.
    assumed: Option<(Term, Vals)>,
    /// The first of the conditions that was needed; what is found inside of all that were needed is found anywhere.
    first_needed: Option<usize>,
    /// How often a condition kept an operation from failing.
    pub(super) helped: u64,
}

impl Guards {
    pub(super) fn len(&self) -> usize {
        self.conditions.len()
    }
    pub(super) fn push(&mut self, condition: &Term, value: bool) {
        if self.are_kept && self.assumed.is_none() && condition.size <= LARGEST {
            self.conditions.push((condition.clone(), value));
        }
    }
    pub(super) fn cut(&mut self, len: usize) {
        self.conditions.truncate(len);
    }
    pub(super) fn are_assuming(&self) -> bool {
        self.assumed.is_some()
    }
    /// The values that the term is assumed to have.
    pub(super) fn assumed(&self, term: &Term) -> Option<&Vals> {
        let (subject, vals) = self.assumed.as_ref()?;
        same(subject, term).then_some(vals)
    }

    /// A term is evaluated. Gives what `leave` needs.
    pub(super) fn enter(&mut self) -> Option<usize> {
        self.first_needed.take()
    }
    /// It was evaluated. Whether the result does not depend on conditions around it.
    pub(super) fn leave(&mut self, outer: Option<usize>) -> bool {
        let own = self.first_needed;
        self.first_needed = [outer, own].into_iter().flatten().min();
        own.is_none_or(|first| first >= self.conditions.len())
    }
}

impl Decider<'_> {
    /// Whether the conditions around it keep the term from having a value outside of these bounds.
    pub(super) fn is_kept_within(&mut self, term: &Term, least: i128, most: i128) -> bool {
        let (low, high) = term.ty.base.bounds();
        (low >= least || self.is_excluded(term, Vals::between(low, least - 1)))
            && (high <= most || self.is_excluded(term, Vals::between(most + 1, high)))
    }

    /// Whether the conditions around it keep the term from having any of these values.
    pub(super) fn is_excluded(&mut self, term: &Term, vals: Vals) -> bool {
        // A set may be another of its values elsewhere.
        if self.guards.assumed.is_some() || term.ty.set {
            return false;
        }
        for number in (0..self.guards.conditions.len()).rev() {
            let (condition, value) = self.guards.conditions[number].clone();
            self.guards.assumed = Some((term.clone(), vals.clone()));
            let seen = self.eval(&condition);
            self.guards.assumed = None;
            // Where the condition has no value, nothing is said.
            if seen.is_other_than(i128::from(value)) {
                let first = self.guards.first_needed.map_or(number, |first| first.min(number));
                self.guards.first_needed = Some(first);
                self.guards.helped += 1;
                return true;
            }
        }
        false
    }
}
