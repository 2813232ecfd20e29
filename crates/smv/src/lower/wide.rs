//! Words of more bits than a value of a system has: two halves, the low one of 32 bits, both without sign.
//!
//! A half of a sum, a comparison, a shift or a selection is an ordinary expression over halves. Products, quotients and
//! remainders are operations of their own ([`lariat_system::WideOp`]); of signed words, those of their magnitudes.

use super::arithmetic::{Low, and, not, or};
use super::{Cx, Lowering};
use crate::term::{Kind, Term, TermNode, VarId};
use crate::tree::{BinaryOp, VarKind};
use crate::types::{Base, Ty};
use lariat_system::{BinaryOp as Op, Expr, HALF_BITS, Half, Interval, Place, WideOp};
use std::collections::HashMap;

/// The value of a variable.
#[derive(Clone, Debug)]
pub(super) enum Given {
    Plain(Low),
    Halves(Halves),
}

/// A wide word.
#[derive(Clone, Debug)]
pub(super) struct Halves {
    pub(super) high: Low,
    pub(super) low: Low,
}

impl Halves {
    pub(super) fn of(mut half: impl FnMut(Half) -> Low) -> Self {
        Self { low: half(Half::Low), high: half(Half::High) }
    }
    pub(super) fn get(&self, half: Half) -> &Low {
        match half {
            Half::Low => &self.low,
            Half::High => &self.high,
        }
    }
    /// In the order of [`Expr::Wide`].
    fn parts(self) -> [Expr; 2] {
        [self.high.expr, self.low.expr]
    }
}

impl Given {
    /// The value of a variable that is no wide word.
    pub(super) fn plain(&self) -> &Low {
        match self {
            Self::Plain(value) => value,
            Self::Halves(_) => unreachable!("a wide word is asked for by halves"),
        }
    }
    /// This half of a wide word.
    pub(super) fn half(&self, half: Half) -> &Low {
        match self {
            Self::Halves(halves) => halves.get(half),
            Self::Plain(_) => unreachable!("only wide words have halves"),
        }
    }
    /// Where it is written, and what.
    pub(super) fn updates(&self, place: Place) -> Vec<(Place, Expr)> {
        match self {
            Self::Plain(value) => vec![(place, value.expr.clone())],
            Self::Halves(halves) => (Half::ALL.into_iter())
                .map(|half| (place.clone().at(cell(half)), halves.get(half).expr.clone()))
                .collect(),
        }
    }
}

/// The cell of a slot that keeps this half.
fn cell(half: Half) -> Expr {
    Expr::Const(if half == Half::Low { 0 } else { 1 })
}

/// How many bits a half has.
pub(super) fn bits_of_half(base: Base, half: Half) -> u32 {
    match half {
        Half::Low => HALF_BITS,
        Half::High => width(base) - HALF_BITS,
    }
}

fn width(base: Base) -> u32 {
    let Base::Word { width, .. } = base else { unreachable!("only words are wide") };
    width
}

fn is_signed(base: Base) -> bool {
    matches!(base, Base::Word { signed: true, .. })
}

fn range_of_bits(bits: u32) -> Interval {
    Interval { lo: 0, hi: (1 << bits) - 1 }
}

/// `value * 2^by`
fn raised(value: Low, by: u32) -> Low {
    if by == 0 { value } else { value.binary(Op::Mul, Low::constant(1 << by)) }
}

/// All of these bits if the condition holds, else none.
fn filled(condition: Expr, from: u32, bits: u32) -> Low {
    raised(Low::truth(condition), from).binary(Op::Mul, Low::constant((1 << bits) - 1))
}

impl Lowering<'_> {
    /// Half of a wide word. It is less than 2 to the power of its bits.
    pub(super) fn half(&self, term: &Term, half: Half, cx: Cx<'_>) -> Low {
        lariat_base::safe_point();
        let base = term.ty.base;
        debug_assert!(base.is_wide());
        let bits = bits_of_half(base, half);
        let again = |part: &Term| self.half(part, half, cx);
        match &term.kind {
            Kind::Const(value) => Low::constant(half.of(pattern(*value, base))),
            Kind::Var(var, next) => self.half_of_variable(*var, *next, half, cx),
            Kind::Not(part) => complement(again(part), bits),
            Kind::Minus(part) => negated(&self.halves(part, cx), half, bits),
            Kind::Binary(op, left, right) => self.half_of_binary(*op, left, right, base, half, cx),
            Kind::Ite(condition, yes, no) => again(yes).or_else(self.truth(condition, cx), again(no)),
            Kind::Case(branches) => self.branches(branches, cx, &again),
            Kind::Select(index, low, items) => self.selected(index, super::plain(*low), items, cx, &again),
            Kind::Bits(part, _, low) => {
                let from = low + if half == Half::Low { 0 } else { HALF_BITS };
                self.slice(part, from + bits - 1, from, cx)
            }
            Kind::Convert(part) => self.extended(part, half, bits, cx),
            Kind::Narrow(part) => match half {
                Half::Low => self.slice(part, HALF_BITS - 1, 0, cx),
                Half::High => {
                    let sign = raised(Low::truth(self.is_negative(part, cx)), bits - 1);
                    match bits {
                        1 => sign,
                        _ => self.slice(part, HALF_BITS + bits - 2, HALF_BITS, cx).binary(Op::Add, sign),
                    }
                }
            },
            Kind::Fits(part, ..) => again(part),
            _ => unreachable!("not a wide word"),
        }
    }

    /// Both halves.
    fn halves(&self, term: &Term, cx: Cx<'_>) -> Halves {
        Halves::of(|half| self.half(term, half, cx))
    }

    pub(super) fn half_of_variable(&self, var: VarId, next: bool, half: Half, cx: Cx<'_>) -> Low {
        let declared = &self.flat.vars[var];
        match cx.given(declared.kind, next) {
            Some(values) => values.get(&var).expect("what a value depends on comes before it").half(half).clone(),
            None => {
                assert!(!next && declared.kind != VarKind::Input, "a state has no next value and no input");
                let range = range_of_bits(bits_of_half(declared.domain.base(), half));
                Low { expr: self.place(var).at(cell(half)).read(), range }
            }
        }
    }

    fn half_of_binary(&self, op: BinaryOp, left: &Term, right: &Term, base: Base, half: Half, cx: Cx<'_>) -> Low {
        let bits = bits_of_half(base, half);
        let (a, b) = (|half| self.half(left, half, cx), |half| self.half(right, half, cx));
        match op {
            BinaryOp::And => a(half).binary(Op::BitAnd, b(half)),
            BinaryOp::Or => a(half).binary(Op::BitOr, b(half)),
            BinaryOp::Xor => a(half).binary(Op::BitXor, b(half)),
            BinaryOp::Xnor | BinaryOp::Iff => complement(a(half).binary(Op::BitXor, b(half)), bits),
            BinaryOp::Implies => complement(a(half), bits).binary(Op::BitOr, b(half)),
            BinaryOp::Add | BinaryOp::Sub => {
                let op = if op == BinaryOp::Add { Op::Add } else { Op::Sub };
                let sum = a(half).binary(op, b(half));
                match half {
                    Half::Low => sum.cut(bits, false),
                    Half::High => {
                        let (a, b) = (a(Half::Low), b(Half::Low));
                        let carry = match op {
                            Op::Add => Expr::binary(Op::Lt, Expr::Const(u32::MAX.into()), a.binary(Op::Add, b).expr),
                            _ => Expr::binary(Op::Lt, a.expr, b.expr),
                        };
                        sum.binary(op, Low::truth(carry)).cut(bits, false)
                    }
                }
            }
            BinaryOp::Mul => operation(WideOp::Mul, half, self.halves(left, cx), self.halves(right, cx), bits),
            BinaryOp::Div | BinaryOp::Mod => {
                let op = if op == BinaryOp::Div { WideOp::Div } else { WideOp::Rem };
                if !is_signed(base) {
                    return operation(op, half, self.halves(left, cx), self.halves(right, cx), bits);
                }
                let (a, b) = (self.magnitude(left, cx), self.magnitude(right, cx));
                let result = Halves::of(|half| operation(op, half, a.clone(), b.clone(), bits_of_half(base, half)));
                let left_negative = self.is_negative(left, cx);
                let negative = match op {
                    WideOp::Rem => left_negative,
                    _ => Expr::binary(Op::Ne, left_negative, self.is_negative(right, cx)),
                };
                negated(&result, half, bits).or_else(negative, result.get(half).clone())
            }
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => {
                self.half_of_shifted(op == BinaryOp::ShiftLeft, left, right, half, cx)
            }
            BinaryOp::Concat => {
                let low_width = width(right.ty.base);
                let from = if half == Half::Low { 0 } else { HALF_BITS };
                let to = from + bits - 1;
                if to < low_width {
                    self.slice(right, to, from, cx)
                } else if from >= low_width {
                    self.slice(left, to - low_width, from - low_width, cx)
                } else {
                    let above = raised(self.slice(left, to - low_width, 0, cx), low_width - from);
                    above.binary(Op::Add, self.slice(right, low_width - 1, from, cx))
                }
            }
            _ => unreachable!("not an operator that gives a word"),
        }
    }

    /// By how much a word is shifted. Where that is more than its width, any number: that is nowhere.
    pub(super) fn amount(&self, by: &Term, cx: Cx<'_>) -> Low {
        if by.ty.base.is_wide() { self.half(by, Half::Low, cx) } else { self.number(by, cx) }
    }

    fn half_of_shifted(&self, left: bool, word: &Term, by: &Term, half: Half, cx: Cx<'_>) -> Low {
        let at = |amount: u32| self.half_of_moved(left, word, amount, half, cx);
        let width = width(word.ty.base);
        let by = self.amount(by, cx);
        if let Some(amount) = by.expr.as_const() {
            return at(amount.clamp(0, i64::from(width)) as u32);
        }
        let mut chain = at(width);
        for amount in (0..width).rev() {
            let is_it = by.expr.clone().equals(Expr::Const(i64::from(amount)));
            chain = at(amount).or_else(is_it, chain);
        }
        chain
    }

    /// Half of a word that is moved by so many places.
    fn half_of_moved(&self, left: bool, word: &Term, amount: u32, half: Half, cx: Cx<'_>) -> Low {
        let (bits, width) = (bits_of_half(word.ty.base, half), width(word.ty.base));
        let from = if half == Half::Low { 0 } else { HALF_BITS };
        if left {
            let to = from + bits - 1;
            if amount > to {
                return Low::constant(0);
            }
            let lowest = from.saturating_sub(amount);
            return raised(self.slice(word, to - amount, lowest, cx), (lowest + amount) - from);
        }
        let sign = || is_signed(word.ty.base).then(|| self.is_negative(word, cx));
        self.padded(word, width, from + amount, bits, sign, cx)
    }

    /// `bits` bits of a word from place `from` on; beyond its `width` there are copies of the sign.
    fn padded(
        &self,
        word: &Term,
        width: u32,
        from: u32,
        bits: u32,
        sign: impl Fn() -> Option<Expr>,
        cx: Cx<'_>,
    ) -> Low {
        let inside = width.saturating_sub(from).min(bits);
        let low = match inside {
            0 => Low::constant(0),
            _ => self.slice(word, from + inside - 1, from, cx),
        };
        match sign() {
            Some(sign) if inside < bits => filled(sign, inside, bits - inside).binary(Op::Add, low),
            _ => low,
        }
    }

    /// Half of a word that is read as one of another sign or width.
    fn extended(&self, part: &Term, half: Half, bits: u32, cx: Cx<'_>) -> Low {
        let from = if half == Half::Low { 0 } else { HALF_BITS };
        let sign = || is_signed(part.ty.base).then(|| self.is_negative(part, cx));
        self.padded(part, width(part.ty.base), from, bits, sign, cx)
    }

    /// Bits of a word from one place down to another, at most as many as a plain value has.
    pub(super) fn slice(&self, word: &Term, high: u32, low: u32, cx: Cx<'_>) -> Low {
        if !word.ty.base.is_wide() {
            return self.bits(self.number(word, cx), high, low);
        }
        let of_half = |half: Half, high: u32, low: u32| self.bits(self.half(word, half, cx), high, low);
        if high < HALF_BITS {
            of_half(Half::Low, high, low)
        } else if low >= HALF_BITS {
            of_half(Half::High, high - HALF_BITS, low - HALF_BITS)
        } else {
            let above = raised(of_half(Half::High, high - HALF_BITS, 0), HALF_BITS - low);
            above.binary(Op::Add, of_half(Half::Low, HALF_BITS - 1, low))
        }
    }

    /// Whether a signed word is negative.
    pub(super) fn is_negative(&self, word: &Term, cx: Cx<'_>) -> Expr {
        if !word.ty.base.is_wide() {
            return Expr::binary(Op::Lt, self.number(word, cx).expr, Expr::Const(0));
        }
        let sign = 1 << (bits_of_half(word.ty.base, Half::High) - 1);
        Expr::binary(Op::Le, Expr::Const(sign), self.half(word, Half::High, cx).expr)
    }

    /// The number that a signed word is, without its sign.
    fn magnitude(&self, word: &Term, cx: Cx<'_>) -> Halves {
        let (value, negative) = (self.halves(word, cx), self.is_negative(word, cx));
        Halves::of(|half| {
            let turned = negated(&value, half, bits_of_half(word.ty.base, half));
            turned.or_else(negative.clone(), value.get(half).clone())
        })
    }

    /// A comparison of wide words.
    pub(super) fn compared(&self, op: BinaryOp, left: &Term, right: &Term, cx: Cx<'_>) -> Expr {
        match op {
            BinaryOp::Eq => {
                let same = |half| self.half(left, half, cx).expr.equals(self.half(right, half, cx).expr);
                and(same(Half::High), same(Half::Low))
            }
            BinaryOp::Ne => not(self.compared(BinaryOp::Eq, left, right, cx)),
            BinaryOp::Gt => self.compared(BinaryOp::Lt, right, left, cx),
            BinaryOp::Ge => self.compared(BinaryOp::Le, right, left, cx),
            _ => {
                // The sign weighs less than all other bits: turned round, it weighs more.
                let bits = bits_of_half(left.ty.base, Half::High);
                let high = |word: &Term| match self.half(word, Half::High, cx) {
                    value if is_signed(left.ty.base) => value.binary(Op::BitXor, Low::constant(1 << (bits - 1))).expr,
                    value => value.expr,
                };
                let (a, b) = (high(left), high(right));
                let low = if op == BinaryOp::Lt { Op::Lt } else { Op::Le };
                let low = Expr::binary(low, self.half(left, Half::Low, cx).expr, self.half(right, Half::Low, cx).expr);
                let same = a.clone().equals(b.clone());
                or(Expr::binary(Op::Lt, a, b), and(same, low))
            }
        }
    }
}

/// The bits of a word.
fn pattern(value: i128, base: Base) -> u64 {
    (value & ((1 << width(base)) - 1)) as u64
}

fn complement(value: Low, bits: u32) -> Low {
    Low::constant((1 << bits) - 1).binary(Op::Sub, value)
}

/// Half of the negation of a word: of its complement, plus 1.
fn negated(value: &Halves, half: Half, bits: u32) -> Low {
    let turned = Low::constant(0).binary(Op::Sub, value.get(half).clone());
    match half {
        Half::Low => turned.cut(bits, false),
        Half::High => {
            let borrow = Low::truth(Expr::binary(Op::Ne, value.low.expr.clone(), Expr::Const(0)));
            turned.binary(Op::Sub, borrow).cut(bits, false)
        }
    }
}

fn operation(op: WideOp, half: Half, a: Halves, b: Halves, bits: u32) -> Low {
    let ([a_high, a_low], [b_high, b_low]) = (a.parts(), b.parts());
    let expr = Expr::wide(op, half, [a_high, a_low, b_high, b_low]);
    let range = expr.as_const().map_or(Interval::HALF, Interval::point);
    Low { expr, range }.cut(bits, false)
}

/// About how large the expression of a term is; wide words take several times their own.
#[derive(Default)]
pub(super) struct Sizes(HashMap<*const TermNode, u64>);

impl Sizes {
    /// The size of a part that has a name: for those it is a part of it is a name from now on.
    pub(super) fn of_named(&mut self, part: &Term) -> u64 {
        let size = self.of(part);
        self.0.insert(std::sync::Arc::as_ptr(part), 1);
        size
    }
    pub(super) fn of(&mut self, term: &Term) -> u64 {
        let key = std::sync::Arc::as_ptr(term);
        if let Some(known) = self.0.get(&key) {
            return *known;
        }
        let parts = term.parts();
        let inside = parts.iter().fold(1u64, |sum, part| sum.saturating_add(self.of(part)));
        let wide = |term: &Term| term.ty.base.is_wide() && !term.ty.set;
        let times = match &term.kind {
            _ if !wide(term) && !parts.iter().any(|part| wide(part)) => 1,
            Kind::Binary(BinaryOp::ShiftLeft | BinaryOp::ShiftRight, _, by) if by.constant().is_none() => 130,
            Kind::Binary(BinaryOp::Div | BinaryOp::Mod, ..) if is_signed(term.ty.base) => 24,
            Kind::Binary(BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod, ..) => 2,
            Kind::Binary(..) | Kind::Minus(_) | Kind::Convert(_) | Kind::Narrow(_) | Kind::Bits(..) => 2,
            _ => 1,
        };
        let size = inside.saturating_mul(times);
        self.0.insert(key, size);
        size
    }
}

/// Whether a term is a single wide word.
pub(super) fn is_wide_word(ty: Ty) -> bool {
    ty.base.is_wide() && !ty.set
}
