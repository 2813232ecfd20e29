//! What an expression can still be when some choices are settled and others are not.
//!
//! Intervals, so that too much may seem possible, and never too little: what cannot be here is not so for any values of the
//! choices that are left.

use super::{Evaluator, Scope, Valuation};
use crate::{BinaryOp, Choice, ChoiceId, Expr, Interval, UnaryOp, wrap};
use lariat_base::{Id, IdVec};

/// The choices that are settled are those in the scope.
pub(super) struct Foresight<'a> {
    pub(super) evaluator: &'a Evaluator<'a>,
    pub(super) choices: &'a IdVec<ChoiceId, Choice>,
    pub(super) state: &'a Valuation,
    pub(super) scope: &'a Scope,
}

impl Foresight<'_> {
    /// Whether the expression is not 0, if that is known already.
    pub(super) fn truth(&self, expr: &Expr) -> Option<bool> {
        let values = self.values(expr)?;
        match values.contains(0) {
            true => (values.lo == values.hi).then_some(false),
            false => Some(true),
        }
    }

    /// An interval over the values that the expression can still have; `None` if nothing is known.
    fn values(&self, expr: &Expr) -> Option<Interval> {
        let settled = self.scope.choices.len();
        match expr {
            Expr::Const(value) => Some(Interval::point(*value)),
            Expr::Choice(choice) => Some(match self.scope.choices.get(choice.index()) {
                Some(value) => Interval::point(*value),
                None => self.evaluator.system.range(self.choices[*choice].ty),
            }),
            Expr::Unary(UnaryOp::Not, value) => Some(known(self.truth(value).map(|truth| !truth))),
            Expr::Unary(op, value) => match self.values(value)? {
                Interval { lo, hi } if lo == hi => Some(Interval::point(op.apply(lo))),
                values => Interval::of_unary(*op, values),
            },
            Expr::Binary(BinaryOp::And, left, right) => Some(known(match (self.truth(left), self.truth(right)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            })),
            Expr::Binary(BinaryOp::Or, left, right) => Some(known(match (self.truth(left), self.truth(right)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            })),
            Expr::Binary(op, left, right) => {
                let (left, right) = (self.values(left)?, self.values(right)?);
                if left.lo == left.hi && right.lo == right.hi {
                    return Some(Interval::point(op.apply(left.lo, right.lo)));
                }
                compared(*op, left, right).or_else(|| Interval::of_binary(*op, left, right))
            }
            Expr::Ite(parts) => match self.truth(&parts[0]) {
                Some(true) => self.values(&parts[1]),
                Some(false) => self.values(&parts[2]),
                None => Some(self.values(&parts[1])?.hull(self.values(&parts[2])?)),
            },
            Expr::Wrap { bits, signed, value } => {
                let all = Interval::of_wrap(*bits, *signed);
                Some(match self.values(value) {
                    Some(Interval { lo, hi }) if lo == hi => Interval::point(wrap(*bits, *signed, lo)),
                    Some(values) if all.includes(values) => values,
                    _ => all,
                })
            }
            Expr::Wide(op, half, parts) => {
                let known = parts.each_ref().map(|part| self.values(part).filter(|values| values.lo == values.hi));
                Some(match known {
                    [Some(a), Some(b), Some(c), Some(d)] => {
                        Interval::point(op.half_of(*half, [a.lo, b.lo, c.lo, d.lo]))
                    }
                    _ => Interval::HALF,
                })
            }
            Expr::Read(_) | Expr::Position(_) | Expr::PoolCount | Expr::Lives(..) | Expr::Exists(..) => {
                let is_known = expr.greatest_choice().is_none_or(|greatest| greatest.index() < settled);
                is_known.then(|| Interval::point(self.evaluator.value(expr, self.state, self.scope)))
            }
        }
    }
}

/// The values of a condition.
fn known(truth: Option<bool>) -> Interval {
    truth.map_or(Interval::BOOL, |truth| Interval::point(i64::from(truth)))
}

/// The result of a comparison, if the intervals decide it.
fn compared(op: BinaryOp, left: Interval, right: Interval) -> Option<Interval> {
    let equal = match left.hi < right.lo || right.hi < left.lo {
        true => Some(false),
        false => (left.lo == left.hi && left == right).then_some(true),
    };
    let truth = match op {
        BinaryOp::Eq => equal,
        BinaryOp::Ne => equal.map(|equal| !equal),
        BinaryOp::Lt if left.hi < right.lo => Some(true),
        BinaryOp::Lt if left.lo >= right.hi => Some(false),
        BinaryOp::Le if left.hi <= right.lo => Some(true),
        BinaryOp::Le if left.lo > right.hi => Some(false),
        _ => None,
    }?;
    Some(known(Some(truth)))
}
