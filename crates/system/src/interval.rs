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
    /// The values of 32 bits without sign.
    pub const HALF: Interval = Interval { lo: 0, hi: u32::MAX as i64 };
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
            BinaryOp::Div if !b.contains(0) => corners(i64::checked_div),
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
            Expr::Wide(_, _, parts) => {
                for part in parts.iter() {
                    Self::of(part, system, roles, choices)?;
                }
                Self::HALF
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
