//! Formulas as the translation sees them: in negation normal form, without past, each kept once, so that equal formulas
//! are equal numbers and facts about them can be remembered.
//!
//! The constructors simplify as they build (constants, absorption by syntactic implication, contradiction), because the
//! translation builds a conjunction for every edge, and what is simplified here is a state less.

use super::implication::Fact;
use crate::hash::FastMap;
use lariat_base::{IdVec, define_id, safe_point};

define_id! {
    /// A formula of one [`Terms`].
    TermId
}

impl TermId {
    pub(crate) const FALSE: TermId = TermId(0);
    pub(crate) const TRUE: TermId = TermId(1);
}

/// A formula in negation normal form. Operands of `And` and `Or` are sorted, distinct, and of another kind.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Term {
    False,
    True,
    Literal {
        proposition: u32,
        positive: bool,
    },
    And(Vec<TermId>),
    Or(Vec<TermId>),
    Next(TermId),
    /// `F`: some suffix.
    Finally(TermId),
    /// `G`: every suffix.
    Globally(TermId),
    /// `U`: the left one until the right one, which comes.
    Until(TermId, TermId),
    /// `W`: the same, but the right one need not come if the left one holds for ever.
    Weak(TermId, TermId),
    /// `R`: the right one up to and including the moment of the left one, or for ever.
    Release(TermId, TermId),
    /// `M`: the same, but the left one comes.
    Strong(TermId, TermId),
}

/// All formulas met so far.
#[derive(Debug)]
pub(crate) struct Terms {
    terms: IdVec<TermId, Term>,
    known: FastMap<Term, TermId>,
    /// The number of operators and literals of each term.
    sizes: IdVec<TermId, u32>,
    /// Of each term, whether it is seen that it holds now if it holds later, and later if it holds now.
    suffixes: IdVec<TermId, (bool, bool)>,
    negations: FastMap<TermId, TermId>,
    /// What implies what, as far as it was asked.
    pub(super) facts: FastMap<(TermId, TermId), Fact>,
}

impl Terms {
    pub(crate) fn new() -> Self {
        let (known, negations, facts) = (FastMap::default(), FastMap::default(), FastMap::default());
        let mut terms =
            Self { terms: IdVec::new(), known, sizes: IdVec::new(), suffixes: IdVec::new(), negations, facts };
        terms.intern(Term::False);
        terms.intern(Term::True);
        terms
    }
    pub(crate) fn get(&self, term: TermId) -> &Term {
        &self.terms[term]
    }
    pub(crate) fn len(&self) -> usize {
        self.terms.len()
    }
    /// The formula as it stands, without simplification.
    pub(crate) fn intern(&mut self, term: Term) -> TermId {
        safe_point();
        if let Some(&known) = self.known.get(&term) {
            return known;
        }
        let sizes = &self.sizes;
        let size = 1 + match &term {
            Term::False | Term::True | Term::Literal { .. } => 0,
            Term::And(parts) | Term::Or(parts) => {
                parts.iter().fold(0, |sum: u32, &part| sum.saturating_add(sizes[part]))
            }
            Term::Next(part) | Term::Finally(part) | Term::Globally(part) => sizes[*part],
            Term::Until(a, b) | Term::Weak(a, b) | Term::Release(a, b) | Term::Strong(a, b) => {
                sizes[*a].saturating_add(sizes[*b])
            }
        };
        self.sizes.push(size.min(u32::MAX - 1));
        self.suffixes.push((self.eventual_by_shape(&term), self.universal_by_shape(&term)));
        let id = self.terms.push(term.clone());
        self.known.insert(term, id);
        id
    }
    /// Whether it is seen that the formula holds now if it holds later.
    pub(crate) fn is_eventual(&self, term: TermId) -> bool {
        self.suffixes[term].0
    }
    /// Whether it is seen that the formula holds later if it holds now.
    pub(crate) fn is_universal(&self, term: TermId) -> bool {
        self.suffixes[term].1
    }

    fn eventual_by_shape(&self, term: &Term) -> bool {
        match term {
            Term::True | Term::False | Term::Finally(_) => true,
            Term::Literal { .. } | Term::Weak(..) => false,
            Term::And(parts) | Term::Or(parts) => parts.iter().all(|&part| self.is_eventual(part)),
            Term::Next(operand) | Term::Globally(operand) | Term::Until(_, operand) => self.is_eventual(*operand),
            Term::Release(a, b) | Term::Strong(a, b) => self.is_eventual(*a) && self.is_eventual(*b),
        }
    }
    fn universal_by_shape(&self, term: &Term) -> bool {
        match term {
            Term::True | Term::False | Term::Globally(_) => true,
            Term::Literal { .. } | Term::Strong(..) => false,
            Term::And(parts) | Term::Or(parts) => parts.iter().all(|&part| self.is_universal(part)),
            Term::Next(operand) | Term::Finally(operand) | Term::Release(_, operand) => self.is_universal(*operand),
            Term::Until(a, b) | Term::Weak(a, b) => self.is_universal(*a) && self.is_universal(*b),
        }
    }

    /// The conjunction of formulas that a state of the tableau has to fulfil. Equal in meaning to [`Terms::and`], which
    /// must not be used there: `G X F a` implies `F a`, but a state that leaves `F a` to `G X F a` never promises `a` and
    /// puts it off for ever. A duty may be left to another one only if that comes before it in an order in which parts
    /// come before the whole; then the proof that a state's duties are fulfilled goes by induction along that order.
    pub(crate) fn duties(&mut self, mut parts: Vec<TermId>) -> TermId {
        parts.sort_unstable();
        parts.dedup();
        let all = parts.clone();
        parts.retain(|&part| {
            !all.iter().any(|&other| self.duty_order(other) < self.duty_order(part) && self.implies(other, part))
        });
        for (at, &part) in parts.iter().enumerate() {
            let opposite = self.negate(part);
            if parts[..at].iter().any(|&other| self.implies(other, opposite)) {
                return TermId::FALSE;
            }
        }
        match parts.len() {
            0 => TermId::TRUE,
            1 => parts[0],
            _ => self.intern(Term::And(parts)),
        }
    }
    fn duty_order(&self, term: TermId) -> (u32, u32, TermId) {
        let rank = match self.get(term) {
            Term::Finally(_) | Term::Until(..) | Term::Strong(..) => 1,
            Term::Weak(..) | Term::Release(..) => 2,
            _ => 0,
        };
        (self.sizes[term], rank, term)
    }
    pub(crate) fn literal(&mut self, proposition: u32, positive: bool) -> TermId {
        self.intern(Term::Literal { proposition, positive })
    }
    pub(crate) fn next(&mut self, operand: TermId) -> TermId {
        if operand <= TermId::TRUE || (self.is_eventual(operand) && self.is_universal(operand)) {
            return operand;
        }
        self.intern(Term::Next(operand))
    }
    pub(crate) fn until(&mut self, left: TermId, right: TermId) -> TermId {
        match () {
            _ if right <= TermId::TRUE || left == TermId::FALSE || self.implies(left, right) => right,
            _ if self.is_eventual(right) => right,
            _ if left == TermId::TRUE => self.finally(right),
            _ if self.offers_for_ever(left, right) => {
                // `a U (b | G a)` is `a W b`.
                let Term::Or(parts) = self.get(right).clone() else { unreachable!("it was one when asked") };
                let rest = parts.into_iter().filter(|&part| *self.get(part) != Term::Globally(left));
                let rest: Vec<TermId> = rest.collect();
                let rest = self.or(rest);
                self.weak(left, rest)
            }
            _ => self.intern(Term::Until(left, right)),
        }
    }
    pub(crate) fn weak(&mut self, left: TermId, right: TermId) -> TermId {
        match () {
            _ if left == TermId::TRUE || right == TermId::TRUE => TermId::TRUE,
            _ if left == TermId::FALSE || self.implies(left, right) => right,
            _ if right == TermId::FALSE => self.globally(left),
            _ => self.intern(Term::Weak(left, right)),
        }
    }
    pub(crate) fn release(&mut self, left: TermId, right: TermId) -> TermId {
        match () {
            _ if right <= TermId::TRUE || left == TermId::TRUE || self.implies(right, left) => right,
            _ if self.is_universal(right) => right,
            _ if left == TermId::FALSE => self.globally(right),
            _ => self.intern(Term::Release(left, right)),
        }
    }
    pub(crate) fn strong(&mut self, left: TermId, right: TermId) -> TermId {
        match () {
            _ if left == TermId::FALSE || right == TermId::FALSE => TermId::FALSE,
            _ if left == TermId::TRUE || self.implies(right, left) => right,
            _ if right == TermId::TRUE => self.finally(left),
            _ => self.intern(Term::Strong(left, right)),
        }
    }
    /// The conjunction of `parts`, without what others imply; false if two exclude each other.
    pub(crate) fn and(&mut self, parts: impl IntoIterator<Item = TermId>) -> TermId {
        self.join(parts, true)
    }
    /// The disjunction of `parts`, without what implies others; true if two exhaust everything.
    pub(crate) fn or(&mut self, parts: impl IntoIterator<Item = TermId>) -> TermId {
        self.join(parts, false)
    }
    /// The formula that holds exactly where `term` does not.
    pub(crate) fn negate(&mut self, term: TermId) -> TermId {
        if let Some(&known) = self.negations.get(&term) {
            return known;
        }
        let dual = match self.get(term).clone() {
            Term::False => Term::True,
            Term::True => Term::False,
            Term::Literal { proposition, positive } => Term::Literal { proposition, positive: !positive },
            Term::And(parts) => Term::Or(self.negate_all(parts)),
            Term::Or(parts) => Term::And(self.negate_all(parts)),
            Term::Next(operand) => Term::Next(self.negate(operand)),
            Term::Finally(operand) => Term::Globally(self.negate(operand)),
            Term::Globally(operand) => Term::Finally(self.negate(operand)),
            Term::Until(a, b) => Term::Release(self.negate(a), self.negate(b)),
            Term::Release(a, b) => Term::Until(self.negate(a), self.negate(b)),
            Term::Weak(a, b) => Term::Strong(self.negate(a), self.negate(b)),
            Term::Strong(a, b) => Term::Weak(self.negate(a), self.negate(b)),
        };
        let dual = self.intern(dual);
        self.negations.insert(term, dual);
        self.negations.insert(dual, term);
        dual
    }

    fn offers_for_ever(&self, left: TermId, right: TermId) -> bool {
        let for_ever = |&part: &TermId| *self.get(part) == Term::Globally(left);
        matches!(self.get(right), Term::Or(parts) if parts.iter().any(for_ever))
    }
    fn negate_all(&mut self, parts: Vec<TermId>) -> Vec<TermId> {
        let mut parts: Vec<TermId> = parts.into_iter().map(|part| self.negate(part)).collect();
        parts.sort_unstable();
        parts
    }
    fn join(&mut self, parts: impl IntoIterator<Item = TermId>, conjunction: bool) -> TermId {
        let (unit, zero) = if conjunction { (TermId::TRUE, TermId::FALSE) } else { (TermId::FALSE, TermId::TRUE) };
        let mut flat = Vec::new();
        for part in parts {
            match self.get(part) {
                Term::And(inner) if conjunction => flat.extend_from_slice(inner),
                Term::Or(inner) if !conjunction => flat.extend_from_slice(inner),
                _ => flat.push(part),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        if flat.contains(&zero) {
            return zero;
        }
        flat.retain(|&part| part != unit);
        let mut kept: Vec<TermId> = Vec::with_capacity(flat.len());
        for part in flat {
            let stronger = |terms: &mut Self, a, b| if conjunction { terms.implies(a, b) } else { terms.implies(b, a) };
            if kept.iter().any(|&other| stronger(self, other, part)) {
                continue;
            }
            kept.retain(|&other| !stronger(self, part, other));
            let opposite = self.negate(part);
            if kept.iter().any(|&other| stronger(self, other, opposite)) {
                return zero;
            }
            kept.push(part);
        }
        match kept.len() {
            0 => unit,
            1 => kept[0],
            _ if conjunction => self.intern(Term::And(kept)),
            _ => self.intern(Term::Or(kept)),
        }
    }
}
