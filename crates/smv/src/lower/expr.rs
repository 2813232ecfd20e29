//! From terms to expressions of a system.

use super::arithmetic::{Low, and, choose, not, or};
use super::wide::is_wide_word;
use super::{Cx, Lowering, plain};
use crate::term::{Kind, Term, VarId};
use crate::tree::{BinaryOp, VarKind};
use crate::types::{Base, Ty};
use lariat_base::safe_point;
use lariat_system::{BinaryOp as Op, Expr, UnaryOp};
use std::sync::Arc;

/// Longer chains of conditions are split in halves, so that they are no deep expressions.
const LONG: usize = 48;

impl Lowering<'_> {
    /// A condition, as 0 or 1.
    pub(super) fn truth(&self, term: &Term, cx: Cx<'_>) -> Expr {
        debug_assert!(term.ty == Ty::BOOL);
        self.number(term, cx).expr
    }

    /// The value of a variable.
    pub(super) fn variable(&self, var: VarId, next: bool, cx: Cx<'_>) -> Low {
        match cx.given(self.flat.vars[var].kind, next) {
            Some(values) => values.get(&var).expect("what a value depends on comes before it").plain().clone(),
            None => {
                assert!(!next && self.flat.vars[var].kind != VarKind::Input, "a state has no next value and no input");
                let range = self.range_of(&self.flat.vars[var].domain);
                Low { expr: self.place(var).read(), range }
            }
        }
    }

    /// A truth value, a whole number or a word.
    pub(super) fn number(&self, term: &Term, cx: Cx<'_>) -> Low {
        safe_point();
        if let Some(known) = cx.parts.and_then(|parts| parts.get(&Arc::as_ptr(term))) {
            return known.clone();
        }
        let base = term.ty.base;
        match &term.kind {
            Kind::Const(value) => Low::constant(plain(*value)),
            _ if base.has_symbols() => self.decoded(term, cx),
            Kind::Var(var, next) => self.variable(*var, *next, cx),
            Kind::Running(process) => {
                let running = cx.process.expect("who runs is asked of steps");
                Low::constant(i64::from(running == *process))
            }
            Kind::Not(part) if base == Base::Bool => Low::truth(not(self.truth(part, cx))),
            Kind::Not(part) => self.complement(self.number(part, cx), base),
            Kind::Minus(part) => self.in_type(self.number(part, cx).unary(UnaryOp::Neg), base),
            Kind::Binary(op, left, right) => self.binary(*op, left, right, base, cx),
            Kind::Ite(condition, yes, no) => {
                let condition = self.truth(condition, cx);
                if base == Base::Bool {
                    return Low::truth(choose(condition, self.truth(yes, cx), self.truth(no, cx)));
                }
                self.number(yes, cx).or_else(condition, self.number(no, cx))
            }
            Kind::Case(branches) => self.branches(branches, cx, &|value| self.number(value, cx)),
            Kind::Select(index, low, items) => {
                self.selected(index, plain(*low), items, cx, &|item| self.number(item, cx))
            }
            Kind::Bits(part, high, low) if is_wide_word(part.ty) => self.slice(part, *high, *low, cx),
            Kind::Convert(part) if is_wide_word(part.ty) => {
                let Base::Word { signed, width } = base else { unreachable!("wide words become words") };
                self.slice(part, width - 1, 0, cx).cut(width, signed)
            }
            Kind::Bits(part, high, low) => self.bits(self.number(part, cx), *high, *low),
            Kind::Convert(part) => self.in_type(self.number(part, cx), base),
            Kind::Narrow(part) => self.narrowed(part, base, cx),
            Kind::Truth(part) => {
                let part = self.number(part, cx);
                Low::truth(Expr::binary(Op::Ne, part.expr, Expr::Const(0)))
            }
            Kind::Abs(part) => {
                let part = self.number(part, cx);
                let negative = Expr::binary(Op::Lt, part.expr.clone(), Expr::Const(0));
                let turned = part.clone().unary(UnaryOp::Neg);
                self.in_type(turned.or_else(negative, part), base)
            }
            Kind::Count(parts) => {
                let parts: Vec<Low> = parts.iter().map(|part| self.number(part, cx)).collect();
                sum(&parts)
            }
            Kind::In(left, right) => Low::truth(self.subset(left, right, cx)),
            Kind::Fits(part, _, domain) => self.number(part, cx).kept(super::plain_range(domain)),
            Kind::Set(_) | Kind::Range(..) => unreachable!("sets are chosen from"),
        }
    }

    /// Brings a value back into the bits of its type.
    pub(super) fn in_type(&self, value: Low, base: Base) -> Low {
        match base {
            Base::Int => value.cut(32, true),
            Base::Word { signed, width } => value.cut(width, signed),
            Base::Bool | Base::Symbol | Base::Mixed => value,
        }
    }

    fn binary(&self, op: BinaryOp, left: &Term, right: &Term, base: Base, cx: Cx<'_>) -> Low {
        if matches!(op, BinaryOp::Eq | BinaryOp::Ne) && (left.ty.base.has_symbols() || right.ty.base.has_symbols()) {
            let equal = self.equal(left, right, cx);
            return Low::truth(if op == BinaryOp::Eq { equal } else { not(equal) });
        }
        if is_wide_word(left.ty) {
            return Low::truth(self.compared(op, left, right, cx));
        }
        let shifts = matches!(op, BinaryOp::ShiftLeft | BinaryOp::ShiftRight);
        let b = if shifts { self.amount(right, cx) } else { self.number(right, cx) };
        let a = self.number(left, cx);
        if let Base::Word { .. } = left.ty.base
            && !matches!(op, BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge)
        {
            return self.word(op, a, b, left.ty.base, right.ty.base, base);
        }
        let compare = |op: Op, a: Low, b: Low| Low::truth(Expr::binary(op, a.expr, b.expr));
        match op {
            BinaryOp::And => Low::truth(and(a.expr, b.expr)),
            BinaryOp::Or => Low::truth(or(a.expr, b.expr)),
            BinaryOp::Implies => Low::truth(or(not(a.expr), b.expr)),
            BinaryOp::Eq | BinaryOp::Iff | BinaryOp::Xnor if left.ty == Ty::BOOL => {
                Low::truth(equal_truth(a.expr, b.expr))
            }
            BinaryOp::Ne | BinaryOp::Xor if left.ty == Ty::BOOL => Low::truth(not(equal_truth(a.expr, b.expr))),
            BinaryOp::Eq => compare(Op::Eq, a, b),
            BinaryOp::Ne => compare(Op::Ne, a, b),
            BinaryOp::Lt => compare(Op::Lt, a, b),
            BinaryOp::Le => compare(Op::Le, a, b),
            BinaryOp::Gt => compare(Op::Lt, b, a),
            BinaryOp::Ge => compare(Op::Le, b, a),
            BinaryOp::Add => self.in_type(a.binary(Op::Add, b), base),
            BinaryOp::Sub => self.in_type(a.binary(Op::Sub, b), base),
            BinaryOp::Mul => self.in_type(a.binary(Op::Mul, b), base),
            BinaryOp::Div => self.in_type(a.binary(Op::Div, b), base),
            BinaryOp::Mod => self.in_type(a.binary(Op::Rem, b), base),
            BinaryOp::Iff
            | BinaryOp::Xor
            | BinaryOp::Xnor
            | BinaryOp::ShiftLeft
            | BinaryOp::ShiftRight
            | BinaryOp::Concat
            | BinaryOp::Union
            | BinaryOp::In => unreachable!("not an operator on whole numbers"),
        }
    }

    /// The value of the first branch whose condition holds. Where none does, the last one's: that is nowhere.
    pub(super) fn branches(&self, branches: &[(Term, Term)], cx: Cx<'_>, value: &dyn Fn(&Term) -> Low) -> Low {
        if branches.len() > LONG {
            let (first, second) = branches.split_at(branches.len() / 2);
            let reached = Expr::any(first.iter().map(|(when, _)| self.truth(when, cx)));
            return self.branches(first, cx, value).or_else(reached, self.branches(second, cx, value));
        }
        let Some(((_, last), earlier)) = branches.split_last() else { return Low::constant(0) };
        let mut chain = value(last);
        for (when, then) in earlier.iter().rev() {
            chain = value(then).or_else(self.truth(when, cx), chain);
        }
        chain
    }

    /// The item that the index says. Where it says none, one of them: that is nowhere.
    pub(super) fn selected(
        &self,
        index: &Term,
        low: i64,
        items: &[Term],
        cx: Cx<'_>,
        value: &dyn Fn(&Term) -> Low,
    ) -> Low {
        let index = self.number(index, cx);
        self.select_among(&index, low, items, value)
    }

    fn select_among(&self, index: &Low, low: i64, items: &[Term], value: &dyn Fn(&Term) -> Low) -> Low {
        match items {
            [] => Low::constant(0),
            [only] => value(only),
            [first, second] => {
                let is_first = index.expr.clone().equals(Expr::Const(low));
                value(first).or_else(is_first, value(second))
            }
            _ => {
                let (first, second) = items.split_at(items.len() / 2);
                let middle = low + first.len() as i64;
                let below = Expr::binary(Op::Lt, index.expr.clone(), Expr::Const(middle));
                self.select_among(index, low, first, value)
                    .or_else(below, self.select_among(index, middle, second, value))
            }
        }
    }
}

/// Whether two truth values are the same.
fn equal_truth(a: Expr, b: Expr) -> Expr {
    match (a.as_const(), b.as_const()) {
        (Some(0), _) => not(b),
        (Some(_), _) => b,
        (_, Some(0)) => not(a),
        (_, Some(_)) => a,
        _ => Expr::binary(Op::Eq, a, b),
    }
}

fn sum(parts: &[Low]) -> Low {
    match parts {
        [] => Low::constant(0),
        [only] => only.clone(),
        _ => {
            let (first, second) = parts.split_at(parts.len() / 2);
            sum(first).binary(Op::Add, sum(second))
        }
    }
}
