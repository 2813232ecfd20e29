//! Formulas without past become terms: negations are pushed to the propositions, derived operators are written out.

use super::term::{TermId, Terms};
use crate::hash::FastMap;
use lariat_base::{Id, safe_point};
use lariat_logic::Formula;

/// The term of `formula`, or of its negation.
///
/// # Panics
///
/// If the formula has a past operator (the caller removes them, see `history`) or a path quantifier (not linear time).
pub(super) fn term(formula: &Formula, negated: bool, terms: &mut Terms) -> TermId {
    Reader { terms, known: FastMap::default() }.read(formula, negated)
}

struct Reader<'a> {
    terms: &'a mut Terms,
    /// Parts by address, which is theirs alone while the formula is borrowed; `<->` would visit them again and again.
    known: FastMap<(usize, bool), TermId>,
}

impl Reader<'_> {
    fn read(&mut self, formula: &Formula, negated: bool) -> TermId {
        safe_point();
        let key = (std::ptr::from_ref(formula) as usize, negated);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let term = self.read_anew(formula, negated);
        self.known.insert(key, term);
        term
    }
    fn read_anew(&mut self, formula: &Formula, negated: bool) -> TermId {
        match formula {
            Formula::True | Formula::False => {
                if (*formula == Formula::True) == negated {
                    TermId::FALSE
                } else {
                    TermId::TRUE
                }
            }
            Formula::Prop(proposition) => self.terms.literal(proposition.index() as u32, !negated),
            Formula::Not(part) => self.read(part, !negated),
            Formula::And(parts) | Formula::Or(parts) => {
                let conjunction = matches!(formula, Formula::And(_)) != negated;
                let parts: Vec<TermId> = parts.iter().map(|part| self.read(part, negated)).collect();
                if conjunction { self.terms.and(parts) } else { self.terms.or(parts) }
            }
            Formula::Implies(left, right) => {
                let parts = [self.read(left, !negated), self.read(right, negated)];
                if negated { self.terms.and(parts) } else { self.terms.or(parts) }
            }
            Formula::Iff(left, right) => self.equal(left, right, !negated),
            Formula::Xor(left, right) => self.equal(left, right, negated),
            Formula::Next(part) => {
                let part = self.read(part, negated);
                self.terms.next(part)
            }
            Formula::Finally(part) | Formula::Globally(part) => {
                let finally = matches!(formula, Formula::Finally(_)) != negated;
                let part = self.read(part, negated);
                if finally { self.terms.finally(part) } else { self.terms.globally(part) }
            }
            Formula::Until(left, right) => self.pair(left, right, negated, [Terms::until, Terms::release]),
            Formula::Release(left, right) => self.pair(left, right, negated, [Terms::release, Terms::until]),
            Formula::WeakUntil(left, right) => self.pair(left, right, negated, [Terms::weak, Terms::strong]),
            Formula::StrongRelease(left, right) => self.pair(left, right, negated, [Terms::strong, Terms::weak]),
            Formula::Yesterday(_)
            | Formula::WeakYesterday(_)
            | Formula::Once(_)
            | Formula::Historically(_)
            | Formula::Since(..)
            | Formula::Trigger(..) => unreachable!("past operators were replaced by history bits"),
            Formula::ForSome(_) | Formula::ForAll(_) => panic!("a formula of linear time has no path quantifier"),
        }
    }
    /// Both have the same value, or else both have different values.
    fn equal(&mut self, left: &Formula, right: &Formula, same: bool) -> TermId {
        let both = [self.read(left, false), self.read(right, !same)];
        let neither = [self.read(left, true), self.read(right, same)];
        let cases = [self.terms.and(both), self.terms.and(neither)];
        self.terms.or(cases)
    }
    fn pair(
        &mut self,
        left: &Formula,
        right: &Formula,
        negated: bool,
        [plain, dual]: [fn(&mut Terms, TermId, TermId) -> TermId; 2],
    ) -> TermId {
        let (left, right) = (self.read(left, negated), self.read(right, negated));
        (if negated { dual } else { plain })(self.terms, left, right)
    }
}
