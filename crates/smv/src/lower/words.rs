//! Words: what does not fit is cut off.

use super::arithmetic::Low;
use super::{Cx, Lowering};
use crate::term::Term;
use crate::tree::BinaryOp;
use crate::types::Base;
use lariat_system::{BinaryOp as Op, Expr, UnaryOp};

/// Systems shift by at most so much at once.
const MAX_SHIFT: u32 = 31;

impl Lowering<'_> {
    /// `!w`
    pub(super) fn complement(&self, value: Low, base: Base) -> Low {
        match base {
            Base::Word { signed: false, width } => Low::constant((1 << width) - 1).binary(Op::Sub, value),
            _ => value.unary(UnaryOp::BitNot),
        }
    }

    /// An operator on words that gives a word.
    pub(super) fn word(&self, op: BinaryOp, a: Low, b: Low, left: Base, right: Base, to: Base) -> Low {
        let Base::Word { signed, width } = to else { unreachable!("the result is a word") };
        match op {
            BinaryOp::And => a.binary(Op::BitAnd, b).cut(width, signed),
            BinaryOp::Or => a.binary(Op::BitOr, b).cut(width, signed),
            BinaryOp::Xor => a.binary(Op::BitXor, b).cut(width, signed),
            BinaryOp::Xnor | BinaryOp::Iff => self.complement(a.binary(Op::BitXor, b).cut(width, signed), to),
            BinaryOp::Implies => self.complement(a, to).binary(Op::BitOr, b).cut(width, signed),
            BinaryOp::Add => a.binary(Op::Add, b).cut(width, signed),
            BinaryOp::Sub => a.binary(Op::Sub, b).cut(width, signed),
            BinaryOp::Mul => self.product(a, b, width, signed),
            BinaryOp::Div => a.binary(Op::Div, b).cut(width, signed),
            BinaryOp::Mod => a.binary(Op::Rem, b).cut(width, signed),
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => self.shifted(op == BinaryOp::ShiftLeft, a, b, width, signed),
            BinaryOp::Concat => {
                let (Base::Word { width: high, .. }, Base::Word { width: low, .. }) = (left, right) else {
                    unreachable!("only words are concatenated")
                };
                let above = a.cut(high, false).binary(Op::Mul, Low::constant(1 << low));
                above.binary(Op::Add, b.cut(low, false))
            }
            _ => unreachable!("not an operator that gives a word"),
        }
    }

    /// A product of which only the low bits are wanted, so that halves can be multiplied one by one.
    fn product(&self, a: Low, b: Low, width: u32, signed: bool) -> Low {
        if lariat_system::Interval::of_binary(Op::Mul, a.range, b.range).is_some() {
            return a.binary(Op::Mul, b).cut(width, signed);
        }
        let half = MAX_SHIFT;
        let (a, b) = (a.cut(width, false), b.cut(width, false));
        let low = |value: &Low| value.clone().cut(half, false);
        let above = width - half;
        let high = |value: &Low| self.shift_right(value.clone(), half).cut(above, false);
        let one = low(&a).binary(Op::Mul, high(&b)).cut(above, false);
        let other = high(&a).binary(Op::Mul, low(&b)).cut(above, false);
        let middle = one.binary(Op::Add, other).cut(above, false).binary(Op::Mul, Low::constant(1 << half));
        low(&a).binary(Op::Mul, low(&b)).cut(width, false).binary(Op::Add, middle).cut(width, false).cut(width, signed)
    }

    fn shifted(&self, left: bool, a: Low, by: Low, width: u32, signed: bool) -> Low {
        let at = |amount: u32| match left {
            true => self.shift_left(a.clone(), amount, width, signed),
            false => self.shift_right(a.clone(), amount),
        };
        if let Some(amount) = by.expr.as_const() {
            return at(amount.clamp(0, i64::from(width)) as u32);
        }
        if width <= MAX_SHIFT {
            // The amount is at most the width wherever it counts.
            let op = if left { Op::Shl } else { Op::Shr };
            return a.binary(op, by).cut(width, signed);
        }
        let mut chain = at(width);
        for amount in (0..width).rev() {
            let is_it = by.expr.clone().equals(Expr::Const(i64::from(amount)));
            chain = at(amount).or_else(is_it, chain);
        }
        chain
    }

    fn shift_left(&self, a: Low, amount: u32, width: u32, signed: bool) -> Low {
        if amount >= width {
            return Low::constant(0);
        }
        a.cut(width - amount, false).binary(Op::Mul, Low::constant(1 << amount)).cut(width, signed)
    }

    fn shift_right(&self, a: Low, amount: u32) -> Low {
        let mut shifted = a;
        let mut rest = amount;
        while rest > 0 {
            let now = rest.min(MAX_SHIFT);
            shifted = shifted.binary(Op::Shr, Low::constant(i64::from(now)));
            rest -= now;
        }
        shifted
    }

    /// `w[high : low]`
    pub(super) fn bits(&self, word: Low, high: u32, low: u32) -> Low {
        self.shift_right(word, low).cut(high - low + 1, false)
    }

    /// The sign and the low bits of a signed word, as a narrower one.
    pub(super) fn narrowed(&self, word: &Term, base: Base, cx: Cx<'_>) -> Low {
        let Base::Word { width, .. } = base else { unreachable!("the result is a word") };
        let negative = self.is_negative(word, cx);
        let low = if width == 1 { Low::constant(0) } else { self.slice(word, width - 2, 0, cx) };
        let below = low.clone().binary(Op::Sub, Low::constant(1 << (width - 1)));
        below.or_else(negative, low).cut(width, true)
    }
}
