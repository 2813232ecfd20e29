//! Which values an expression can have, at most.
//!
//! Used to refuse updates that do not fit their slot, to leave out needless [`Expr::Wrap`]s, and to choose how many bits
//! an expression takes.

use crate::expr::{BinaryOp, Expr, Owner, UnaryOp};
use crate::{Choice, ChoiceId, FrameId, System};
use lariat_base::IdVec;

/// Whole numbers from `lo` to `hi`, both included; never empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval {
    /// The least.
    pub lo: i64,
    /// The greatest.
    pub hi: i64,
}

/// Beyond this an expression is refused. Products of two C `int`s are still inside, and so are their shifts.
const LIMIT: i64 = 1 << 62;

impl Interval {
    /// 0 and 1.
    pub const BOOL: Interval = Interval { lo: 0, hi: 1 };
    /// The values of a C `int`.
    pub const INT: Interval = Interval { lo: i32::MIN as i64, hi: i32::MAX as i64 };

    /// The interval of one value.
    pub fn point(value: i64) -> Self {
        Self { lo: value, hi: value }
    }
    /// Whether `value` is in it.
    pub fn contains(self, value: i64) -> bool {
        self.lo <= value && value <= self.hi
    }
    /// Whether all of `other` is in it.
    pub fn includes(self, other: Interval) -> bool {
        self.lo <= other.lo && other.hi <= self.hi
    }
    /// The smallest interval over both.
    #[must_use]
    pub fn hull(self, other: Interval) -> Self {
        Self { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }
    /// The number of values, at most `u64::MAX`.
    pub fn count(self) -> u64 {
        (self.hi.wrapping_sub(self.lo) as u64).saturating_add(1)
    }
    /// The values of [`Expr::Wrap`] to `bits` bits: 1 to 63, and 64 if `signed`.
    pub fn of_wrap(bits: u8, signed: bool) -> Self {
        if signed {
            Self { lo: i64::MIN >> (64 - bits), hi: i64::MAX >> (64 - bits) }
        } else {
            Self { lo: 0, hi: i64::MAX >> (63 - bits) }
        }
    }

    /// An interval over the results of `op`; `None` if they may leave the range that expressions are allowed.
    pub fn of_binary(op: BinaryOp, a: Interval, b: Interval) -> Option<Self> {
        if op.is_truth() {
            return Some(Self::BOOL);
        }
        let corners = |f: fn(i64, i64) -> Option<i64>| {
            let values = [f(a.lo, b.lo)?, f(a.lo, b.hi)?, f(a.hi, b.lo)?, f(a.hi, b.hi)?];
            let (lo, hi) = (values.into_iter().min()?, values.into_iter().max()?);
            Self { lo, hi }.within_limit()
        };
        let largest = a.lo.unsigned_abs().max(a.hi.unsigned_abs()) as i64;
        match op {
            BinaryOp::Add => corners(i64::checked_add),
            BinaryOp::Sub => corners(i64::checked_sub),
            BinaryOp::Mul => corners(i64::checked_mul),
            // The quotient is never larger than the dividend, and a divisor of 0 gives 0.
            BinaryOp::Div if b.lo >= 0 && a.lo >= 0 => Some(Self { lo: 0, hi: a.hi }),
            BinaryOp::Div => Some(Self { lo: -largest, hi: largest }),
            BinaryOp::Rem => {
                let divisor = b.lo.unsigned_abs().max(b.hi.unsigned_abs()) as i64;
                let bound = largest.min((divisor - 1).max(0));
                Some(Self { lo: if a.lo < 0 { -bound } else { 0 }, hi: if a.hi > 0 { bound } else { 0 } })
            }
            BinaryOp::BitAnd if a.lo >= 0 && b.lo >= 0 => Some(Self { lo: 0, hi: a.hi.min(b.hi) }),
            BinaryOp::BitAnd if a.lo >= 0 => Some(Self { lo: 0, hi: a.hi }),
            BinaryOp::BitAnd if b.lo >= 0 => Some(Self { lo: 0, hi: b.hi }),
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
                let bits = a.signed_bits().max(b.signed_bits());
                let hull = (bits <= 63).then(|| Self::of_wrap(bits, true))?;
                Some(if a.lo >= 0 && b.lo >= 0 { Self { lo: 0, hi: hull.hi } } else { hull })
            }
            BinaryOp::Shl => {
                let (lo, hi) = if b.lo == b.hi { (b.lo & 31, b.lo & 31) } else { (0, 31) };
                let shifted = |value: i64, by: i64| value.checked_mul(1 << by);
                let values = [shifted(a.lo, lo)?, shifted(a.lo, hi)?, shifted(a.hi, lo)?, shifted(a.hi, hi)?];
                let (lo, hi) = (values.into_iter().min()?, values.into_iter().max()?);
                Self { lo, hi }.within_limit()
            }
            BinaryOp::Shr => Some(a.hull(Self::point(0))),
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::And | BinaryOp::Or => {
                unreachable!("truth values are handled above")
            }
        }
    }
    /// An interval over the results of `op`; `None` if they may leave the range that expressions are allowed.
    pub fn of_unary(op: UnaryOp, a: Interval) -> Option<Self> {
        match op {
            UnaryOp::Not => Some(Self::BOOL),
            UnaryOp::Neg => Self { lo: a.hi.checked_neg()?, hi: a.lo.checked_neg()? }.within_limit(),
            UnaryOp::BitNot => Self { lo: !a.hi, hi: !a.lo }.within_limit(),
        }
    }
    /// Itself, if an expression may have these values.
    fn within_limit(self) -> Option<Self> {
        Self { lo: -LIMIT, hi: LIMIT }.includes(self).then_some(self)
    }
    /// What is left of the values of `expr` where the condition holds, if that compares `expr` with a number.
    fn where_holds(self, condition: &Expr, expr: &Expr) -> Self {
        let Expr::Binary(BinaryOp::Le, left, right) = condition else { return self };
        match (&**left, &**right) {
            (compared, Expr::Const(most)) if compared == expr && self.lo <= *most => {
                Self { hi: self.hi.min(*most), ..self }
            }
            (Expr::Const(least), compared) if compared == expr && *least <= self.hi => {
                Self { lo: self.lo.max(*least), ..self }
            }
            _ => self,
        }
    }
    /// How many bits two's complement needs for every value.
    pub fn signed_bits(self) -> u8 {
        let bits = |value: i64| 65 - (if value < 0 { !value } else { value }).leading_zeros() as u8;
        bits(self.lo).max(bits(self.hi))
    }

    /// An interval over the values of `expr` in any state; `None` if they may leave the range that expressions are
    /// allowed. `roles` are the frames of the roles in scope. Ids must name what exists.
    pub fn of(
        expr: &Expr,
        system: &System,
        roles: &mut Vec<FrameId>,
        choices: &IdVec<ChoiceId, Choice>,
    ) -> Option<Self> {
        Some(match expr {
            Expr::Const(value) => Self::point(*value).within_limit()?,
            Expr::Choice(choice) => system.range(choices[*choice].ty),
            Expr::Read(place) => {
                let slot = system.slot_of(place, roles);
                let range = system.range(slot.ty);
                let inside = match &place.index {
                    None => true,
                    Some(index) => {
                        Self { lo: 0, hi: slot.cells() as i64 - 1 }.includes(Self::of(index, system, roles, choices)?)
                    }
                };
                let present = match &place.owner {
                    Owner::At(_, _, position) => {
                        Self::of(position, system, roles, choices)?;
                        false
                    }
                    _ => true,
                };
                if inside && present { range } else { range.hull(Self::point(0)) }
            }
            Expr::Position(_) => Self { lo: 0, hi: i64::from(system.pool_size) - 1 }.hull(Self::point(0)),
            Expr::PoolCount => Self { lo: 0, hi: i64::from(system.pool_size) },
            Expr::Lives(_, position) => {
                Self::of(position, system, roles, choices)?;
                Self::BOOL
            }
            Expr::Unary(op, value) => Self::of_unary(*op, Self::of(value, system, roles, choices)?)?,
            Expr::Binary(op, left, right) => {
                let left = Self::of(left, system, roles, choices)?;
                Self::of_binary(*op, left, Self::of(right, system, roles, choices)?)?
            }
            Expr::Ite(parts) => {
                Self::of(&parts[0], system, roles, choices)?;
                let yes = Self::of(&parts[1], system, roles, choices)?.where_holds(&parts[0], &parts[1]);
                yes.hull(Self::of(&parts[2], system, roles, choices)?)
            }
            Expr::Wrap { bits, signed, value } => {
                let inner = Self::of(value, system, roles, choices)?;
                let wrapped = Self::of_wrap(*bits, *signed);
                if wrapped.includes(inner) { inner } else { wrapped }
            }
            Expr::Exists(frame, body) => {
                roles.push(*frame);
                let body = Self::of(body, system, roles, choices);
                roles.pop();
                body?;
                Self::BOOL
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every result of an operator on values of two small intervals lies in the interval computed for it.
    #[test]
    fn results_stay_inside() {
        let bounds = [-9, -4, -1, 0, 1, 3, 8];
        let intervals: Vec<Interval> = bounds
            .iter()
            .flat_map(|&lo| bounds.iter().filter(move |&&hi| lo <= hi).map(move |&hi| Interval { lo, hi }))
            .collect();
        for op in BinaryOp::ALL {
            for &a in &intervals {
                for &b in &intervals {
                    let result = Interval::of_binary(op, a, b).expect("small values stay in range");
                    for x in a.lo..=a.hi {
                        for y in b.lo..=b.hi {
                            let value = op.apply(x, y);
                            assert!(result.contains(value), "{x} {op:?} {y} = {value} is not in {result:?}");
                        }
                    }
                }
            }
        }
    }

    /// The ends of the ranges that matter: of C's `int`, of expressions, and of shift counts.
    const EDGES: [i64; 24] = {
        const INT: i64 = 1 << 31;
        [
            -LIMIT,
            1 - LIMIT,
            -LIMIT / 2,
            -INT - 1,
            -INT,
            1 - INT,
            -64,
            -33,
            -32,
            -31,
            -1,
            0,
            1,
            2,
            31,
            32,
            33,
            63,
            64,
            INT - 1,
            INT,
            INT + 1,
            LIMIT - 1,
            LIMIT,
        ]
    };

    /// At the edges, too, every result lies in its interval, which keeps the limit; computed in 128 bits, nothing wraps
    /// around unseen.
    #[test]
    fn results_at_the_edges_stay_inside() {
        let within = |lo: i64, hi: i64| EDGES.into_iter().filter(move |value| lo <= *value && *value <= hi);
        let intervals: Vec<Interval> =
            EDGES.iter().flat_map(|&lo| within(lo, LIMIT).map(move |hi| Interval { lo, hi })).collect();
        for &a in &intervals {
            for op in [UnaryOp::Not, UnaryOp::Neg, UnaryOp::BitNot] {
                let Some(result) = Interval::of_unary(op, a) else { continue };
                assert!(result.within_limit().is_some(), "{op:?} {a:?}");
                for x in within(a.lo, a.hi) {
                    assert!(result.contains(op.apply(x)), "{op:?} {x} is not in {result:?}");
                }
            }
        }
        let exact = |op: BinaryOp, x: i64, y: i64| match op {
            BinaryOp::Add => i128::from(x) + i128::from(y),
            BinaryOp::Sub => i128::from(x) - i128::from(y),
            BinaryOp::Mul => i128::from(x) * i128::from(y),
            BinaryOp::Shl => i128::from(x) << (y & 31),
            _ => i128::from(op.apply(x, y)),
        };
        // One operand from point to point, the other an interval: all pairs of intervals would be too many.
        for &a in &intervals {
            for point in EDGES {
                for (op, left) in BinaryOp::ALL.into_iter().flat_map(|op| [(op, true), (op, false)]) {
                    let b = Interval::point(point);
                    let (l, r) = if left { (a, b) } else { (b, a) };
                    let Some(result) = Interval::of_binary(op, l, r) else { continue };
                    assert!(result.within_limit().is_some(), "{l:?} {op:?} {r:?}");
                    for (x, y) in within(a.lo, a.hi).map(|x| if left { (x, point) } else { (point, x) }) {
                        let value = exact(op, x, y);
                        assert_eq!(value, i128::from(op.apply(x, y)), "{x} {op:?} {y} wraps around");
                        assert!(
                            i128::from(result.lo) <= value && value <= i128::from(result.hi),
                            "{x} {op:?} {y} = {value} is not in {result:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn the_limit_is_just_that() {
        let point = Interval::point;
        for (op, value, allowed) in [
            (UnaryOp::Neg, LIMIT, true),
            (UnaryOp::Neg, -LIMIT, true),
            (UnaryOp::Neg, i64::MIN, false),
            (UnaryOp::BitNot, LIMIT, false),
            (UnaryOp::BitNot, LIMIT - 1, true),
            (UnaryOp::BitNot, -LIMIT, true),
            (UnaryOp::Not, LIMIT, true),
        ] {
            let expected = if op == UnaryOp::Not { Interval::BOOL } else { point(op.apply(value)) };
            assert_eq!(Interval::of_unary(op, point(value)), allowed.then_some(expected), "{op:?} {value}");
        }
        let int = 1 << 31;
        for (op, a, b, allowed) in [
            (BinaryOp::Add, LIMIT, 0, true),
            (BinaryOp::Add, LIMIT, 1, false),
            (BinaryOp::Add, LIMIT, LIMIT, false),
            (BinaryOp::Sub, -LIMIT, 1, false),
            (BinaryOp::Sub, -LIMIT, -1, true),
            (BinaryOp::Mul, -int, -int, true),
            (BinaryOp::Mul, -int, int, true),
            (BinaryOp::Mul, int, int + 1, false),
            (BinaryOp::Shl, int, 31, true),
            (BinaryOp::Shl, -int, 31, true),
            (BinaryOp::Shl, int + 1, 31, false),
            // Shift counts are taken modulo 32, as the machine does: -1 is 31, -32 and 32 are 0.
            (BinaryOp::Shl, -int, -1, true),
            (BinaryOp::Shl, -int - 1, -1, false),
            (BinaryOp::Shl, LIMIT, -32, true),
            (BinaryOp::Shl, LIMIT, 32, true),
            (BinaryOp::Shl, LIMIT, 33, false),
        ] {
            let expected = allowed.then(|| point(op.apply(a, b)));
            assert_eq!(Interval::of_binary(op, point(a), point(b)), expected, "{a} {op:?} {b}");
        }
    }

    #[test]
    fn wraps_have_the_values_of_their_bits() {
        for bits in [1, 2, 8, 31, 32, 33, 61, 62, 63] {
            for signed in [false, true] {
                let range = Interval::of_wrap(bits, signed);
                assert_eq!(range.count(), 1 << bits, "{bits} {signed}");
                for value in EDGES.into_iter().chain([i64::MIN, i64::MAX, range.lo, range.hi]) {
                    let wrapped = crate::expr::wrap(bits, signed, value);
                    assert!(range.contains(wrapped), "{value} in {bits} bits is {wrapped}");
                    assert!(!range.contains(value) || wrapped == value, "{value} fits {bits} bits");
                }
            }
        }
        assert_eq!(Interval::of_wrap(62, false).hi, LIMIT - 1);
        assert_eq!(Interval::of_wrap(63, true), Interval { lo: -LIMIT, hi: LIMIT - 1 });
    }

    #[test]
    fn signed_bits_are_just_enough() {
        for (lo, hi, bits) in [(0, 0, 1), (-1, 0, 1), (0, 1, 2), (-2, 1, 2), (0, 255, 9), (-128, 127, 8)] {
            assert_eq!(Interval { lo, hi }.signed_bits(), bits, "{lo}..{hi}");
        }
    }
}
