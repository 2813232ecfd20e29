//! Negation normal form: negations before propositions only, and no `->`, `<->`, `xor`.
//!
//! Every other operator has a dual, so that is a matter of swapping. But `f <-> g` speaks of both parts in both ways, and a
//! nest of `n` of them becomes `2^n` parts: the size is bounded.

use crate::Formula;
use lariat_base::safe_point;
use std::fmt;

/// A formula would become larger than is allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FormulaTooLarge {
    /// How large it may be.
    pub limit: usize,
}

impl fmt::Display for FormulaTooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "with its negations pushed inwards the formula has more than {} operators", self.limit)
    }
}

impl std::error::Error for FormulaTooLarge {}

/// How large a formula may become.
const MAX_NNF_SIZE: usize = 200_000;

impl Formula {
    /// The same in negation normal form.
    pub fn nnf(&self) -> Result<Formula, FormulaTooLarge> {
        self.nnf_within(MAX_NNF_SIZE)
    }

    /// The same in negation normal form, if that takes no more than `limit` operators, propositions and constants.
    pub fn nnf_within(&self, limit: usize) -> Result<Formula, FormulaTooLarge> {
        Pusher { keep_iff: false, left: limit }.push(self, false).ok_or(FormulaTooLarge { limit })
    }

    /// The same with negations before propositions only, and no `->`; `<->` and `xor` stay, between such formulas. At most
    /// twice as large as the formula.
    pub(crate) fn negations_pushed(&self) -> Formula {
        Pusher { keep_iff: true, left: usize::MAX }.push(self, false).expect("there is no limit")
    }
}

struct Pusher {
    /// Whether `<->` and `xor` stay.
    keep_iff: bool,
    /// How many more parts there may be.
    left: usize,
}

impl Pusher {
    /// The formula, or its negation, in normal form; nothing if that is too large.
    fn push(&mut self, formula: &Formula, negated: bool) -> Option<Formula> {
        safe_point();
        self.left = self.left.checked_sub(1)?;
        macro_rules! dual {
            ($yes:ident, $no:ident, $f:expr) => {{
                let f = self.push($f, negated)?;
                if negated { Formula::$no(f) } else { Formula::$yes(f) }
            }};
            ($yes:ident, $no:ident, $f:expr, $g:expr) => {{
                let (f, g) = (self.push($f, negated)?, self.push($g, negated)?);
                if negated { Formula::$no(f, g) } else { Formula::$yes(f, g) }
            }};
        }
        Some(match formula {
            Formula::True => Formula::constant(!negated),
            Formula::False => Formula::constant(negated),
            Formula::Prop(id) if negated => Formula::not(Formula::Prop(*id)),
            Formula::Prop(id) => Formula::Prop(*id),
            Formula::Not(f) => self.push(f, !negated)?,
            Formula::And(parts) | Formula::Or(parts) => {
                let parts = parts.iter().map(|f| self.push(f, negated)).collect::<Option<Vec<_>>>()?;
                let and = matches!(formula, Formula::And(_)) != negated;
                if and { Formula::and(parts) } else { Formula::or(parts) }
            }
            Formula::Implies(f, g) => {
                let (f, g) = (self.push(f, !negated)?, self.push(g, negated)?);
                if negated { Formula::and([f, g]) } else { Formula::or([f, g]) }
            }
            Formula::Iff(f, g) => self.equivalence(f, g, !negated)?,
            Formula::Xor(f, g) => self.equivalence(f, g, negated)?,
            Formula::Next(f) => dual!(next, next, f),
            Formula::Finally(f) => dual!(finally, globally, f),
            Formula::Globally(f) => dual!(globally, finally, f),
            Formula::Until(f, g) => dual!(until, release, f, g),
            Formula::WeakUntil(f, g) => dual!(weak_until, strong_release, f, g),
            Formula::Release(f, g) => dual!(release, until, f, g),
            Formula::StrongRelease(f, g) => dual!(strong_release, weak_until, f, g),
            Formula::Yesterday(f) => dual!(yesterday, weak_yesterday, f),
            Formula::WeakYesterday(f) => dual!(weak_yesterday, yesterday, f),
            Formula::Once(f) => dual!(once, historically, f),
            Formula::Historically(f) => dual!(historically, once, f),
            Formula::Since(f, g) => dual!(since, trigger, f, g),
            Formula::Trigger(f, g) => dual!(trigger, since, f, g),
            Formula::ForSome(f) => dual!(for_some, for_all, f),
            Formula::ForAll(f) => dual!(for_all, for_some, f),
        })
    }

    /// `f <-> g`, or `f xor g` if `iff` is unset.
    fn equivalence(&mut self, f: &Formula, g: &Formula, iff: bool) -> Option<Formula> {
        if self.keep_iff {
            let (f, g) = (self.push(f, false)?, self.push(g, false)?);
            return Some(if iff { Formula::iff(f, g) } else { Formula::xor(f, g) });
        }
        let (yes, same) = (self.push(f, false)?, self.push(g, !iff)?);
        let (no, other) = (self.push(f, true)?, self.push(g, iff)?);
        Some(Formula::or([Formula::and([yes, same]), Formula::and([no, other])]))
    }
}
