//! `G` and `F`, written in the form that the tableau does best with.
//!
//! Under `G`, what is eventual (holds now if it holds later) loses its `X`, and a recurrence of it stands alone:
//! `G X e` is `G e`, `G F (a & e)` is `G (F a & e)`. The tableau then needs one state and a promise for each recurrence.
//! For `F` and universal formulas it is the dual.

use super::term::{Term, TermId, Terms};

impl Terms {
    pub(crate) fn globally(&mut self, operand: TermId) -> TermId {
        if operand <= TermId::TRUE || self.is_universal(operand) {
            return operand;
        }
        let mut parts = Vec::new();
        self.parts_under_globally(operand, &mut parts);
        let inner = self.and(parts);
        if inner <= TermId::TRUE || self.is_universal(inner) { inner } else { self.intern(Term::Globally(inner)) }
    }
    pub(crate) fn finally(&mut self, operand: TermId) -> TermId {
        if operand <= TermId::TRUE || self.is_eventual(operand) {
            return operand;
        }
        let mut parts = Vec::new();
        self.parts_under_finally(operand, &mut parts);
        let inner = self.or(parts);
        if inner <= TermId::TRUE || self.is_eventual(inner) { inner } else { self.intern(Term::Finally(inner)) }
    }

    /// Formulas whose conjunction is, under `G`, the same as `operand`.
    fn parts_under_globally(&mut self, operand: TermId, parts: &mut Vec<TermId>) {
        match self.get(operand).clone() {
            Term::And(inner) => inner.into_iter().for_each(|part| self.parts_under_globally(part, parts)),
            Term::Globally(inner) | Term::Release(_, inner) => self.parts_under_globally(inner, parts),
            Term::Next(inner) if self.is_eventual(inner) => self.parts_under_globally(inner, parts),
            Term::Finally(goal) => {
                let goals = match self.get(goal).clone() {
                    Term::And(goals) => goals,
                    Term::Next(goal) => vec![goal],
                    _ => return parts.push(operand),
                };
                let (eventual, rest): (Vec<TermId>, Vec<TermId>) =
                    goals.into_iter().partition(|&goal| self.is_eventual(goal));
                eventual.into_iter().for_each(|part| self.parts_under_globally(part, parts));
                let rest = self.and(rest);
                parts.push(self.finally(rest));
            }
            _ => parts.push(operand),
        }
    }
    /// Formulas whose disjunction is, under `F`, the same as `operand`.
    fn parts_under_finally(&mut self, operand: TermId, parts: &mut Vec<TermId>) {
        match self.get(operand).clone() {
            Term::Or(inner) => inner.into_iter().for_each(|part| self.parts_under_finally(part, parts)),
            Term::Finally(inner) | Term::Until(_, inner) => self.parts_under_finally(inner, parts),
            Term::Next(inner) if self.is_universal(inner) => self.parts_under_finally(inner, parts),
            Term::Globally(stays) => {
                let alternatives = match self.get(stays).clone() {
                    Term::Or(alternatives) => alternatives,
                    Term::Next(stays) => vec![stays],
                    _ => return parts.push(operand),
                };
                let (universal, rest): (Vec<TermId>, Vec<TermId>) =
                    alternatives.into_iter().partition(|&part| self.is_universal(part));
                universal.into_iter().for_each(|part| self.parts_under_finally(part, parts));
                let rest = self.or(rest);
                parts.push(self.globally(rest));
            }
            _ => parts.push(operand),
        }
    }
}
