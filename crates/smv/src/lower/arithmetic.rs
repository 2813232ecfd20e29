//! Expressions of a system with the values they can have, so that nothing leaves its range and no cut is needless.

use lariat_base::safe_point;
use lariat_system::{BinaryOp, Expr, Interval, UnaryOp};

/// An expression and its values.
#[derive(Clone, Debug)]
pub(super) struct Low {
    pub(super) expr: Expr,
    pub(super) range: Interval,
}

impl Low {
    pub(super) fn constant(value: i64) -> Self {
        Self { expr: Expr::Const(value), range: Interval::point(value) }
    }
    pub(super) fn truth(expr: Expr) -> Self {
        Self { range: expr.as_const().map_or(Interval::BOOL, Interval::point), expr }
    }
    /// `self op other`, which must stay within 62 bits.
    pub(super) fn binary(self, op: BinaryOp, other: Low) -> Self {
        let range = Interval::of_binary(op, self.range, other.range).expect("operands were cut to fit");
        Self { expr: Expr::binary(op, self.expr, other.expr), range }.folded()
    }
    pub(super) fn unary(self, op: UnaryOp) -> Self {
        let range = Interval::of_unary(op, self.range).expect("operands were cut to fit");
        Self { expr: Expr::unary(op, self.expr), range }.folded()
    }
    fn folded(self) -> Self {
        safe_point();
        match self.expr.as_const() {
            Some(value) => Self::constant(value),
            None => self,
        }
    }
    /// The low bits.
    pub(super) fn cut(self, bits: u32, signed: bool) -> Self {
        let range = Interval::of_wrap(bits as u8, signed);
        if range.includes(self.range) {
            return self;
        }
        match self.expr.as_const() {
            Some(value) => Self::constant(lariat_system::wrap(bits as u8, signed, value)),
            None => Self { expr: Expr::Wrap { bits: bits as u8, signed, value: Box::new(self.expr) }, range },
        }
    }
    /// Kept in the range. The value is in it already wherever it counts; this makes it so wherever it does not.
    pub(super) fn kept(self, to: Interval) -> Self {
        if to.includes(self.range) {
            return self;
        }
        if let Some(value) = self.expr.as_const() {
            return Self::constant(value.clamp(to.lo, to.hi));
        }
        if self.range.hi < to.lo || to.hi < self.range.lo {
            // No value of it is in the range, so it counts nowhere.
            return Self::constant(self.range.lo.clamp(to.lo, to.hi));
        }
        let size = to.hi - to.lo + 1;
        if to.lo == 0 && size.count_ones() == 1 {
            return self.cut(size.trailing_zeros().max(1), false).clipped(to);
        }
        self.clipped(to)
    }
    fn clipped(self, to: Interval) -> Self {
        let Self { mut expr, mut range } = self;
        if range.hi > to.hi {
            let fits = Expr::binary(BinaryOp::Le, expr.clone(), Expr::Const(to.hi));
            expr = fits.ite(expr, Expr::Const(to.hi));
            range = Interval { lo: range.lo.min(to.hi), hi: to.hi };
        }
        if range.lo < to.lo {
            let fits = Expr::binary(BinaryOp::Le, Expr::Const(to.lo), expr.clone());
            expr = fits.ite(expr, Expr::Const(to.lo));
            range = Interval { lo: to.lo, hi: range.hi.max(to.lo) };
        }
        Self { expr, range }
    }
    /// `if condition then self else other`
    pub(super) fn or_else(self, condition: Expr, other: Low) -> Self {
        match condition.as_const() {
            Some(0) => other,
            Some(_) => self,
            None => {
                let range = self.range.hull(other.range);
                Self { expr: condition.ite(self.expr, other.expr), range }
            }
        }
    }
}

/// Both hold, where both are 0 or 1.
pub(super) fn and(left: Expr, right: Expr) -> Expr {
    match (left.as_const(), right.as_const()) {
        (Some(0), _) | (_, Some(0)) => Expr::FALSE,
        (Some(_), _) => right,
        (_, Some(_)) => left,
        _ => Expr::Binary(BinaryOp::And, Box::new(left), Box::new(right)),
    }
}

/// One of both holds, where both are 0 or 1.
pub(super) fn or(left: Expr, right: Expr) -> Expr {
    match (left.as_const(), right.as_const()) {
        (Some(0), _) => right,
        (_, Some(0)) => left,
        (Some(_), _) | (_, Some(_)) => Expr::TRUE,
        _ => Expr::Binary(BinaryOp::Or, Box::new(left), Box::new(right)),
    }
}

/// It does not hold, where it is 0 or 1.
pub(super) fn not(part: Expr) -> Expr {
    match part {
        Expr::Const(value) => Expr::Const(1 - value),
        Expr::Unary(UnaryOp::Not, inner) => *inner,
        other => Expr::Unary(UnaryOp::Not, Box::new(other)),
    }
}

/// `if condition then yes else no` of truth values.
pub(super) fn choose(condition: Expr, yes: Expr, no: Expr) -> Expr {
    match (yes.as_const(), no.as_const()) {
        (Some(1), Some(0)) => condition,
        (Some(0), Some(1)) => not(condition),
        (Some(1), _) => or(condition, no),
        (Some(0), _) => and(not(condition), no),
        (_, Some(0)) => and(condition, yes),
        (_, Some(1)) => or(not(condition), yes),
        _ => condition.ite(yes, no),
    }
}

/// How many nodes an expression has; counting stops at `limit`.
pub(super) fn size(expr: &Expr, limit: usize) -> usize {
    let (mut count, mut waiting) = (0, vec![expr]);
    while let Some(next) = waiting.pop() {
        count += 1;
        if count >= limit {
            break;
        }
        match next {
            Expr::Unary(_, part) | Expr::Wrap { value: part, .. } => waiting.push(part),
            Expr::Binary(_, left, right) => waiting.extend([&**left, &**right]),
            Expr::Ite(parts) => waiting.extend(parts.iter()),
            _ => {}
        }
    }
    count
}
