//! Expressions of C: a text, and the values that it can have.
//!
//! What is known to be one number is written as that number, and what fits 32 bits is computed in 32 bits, which is what cards are
//! fast at. Ranges are those of the fields of a key: a value that would not fit its field is noticed when it is written.

use lariat_system::{BinaryOp, Interval, UnaryOp};

/// An expression of C.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Value {
    /// The text: of type `i32` if the range fits that, else `i64`.
    pub(super) text: String,
    pub(super) range: Interval,
}

/// Whether values of this range are computed in 32 bits.
fn is_narrow(range: Interval) -> bool {
    Interval::INT.includes(range)
}

impl Value {
    pub(super) fn new(text: impl Into<String>, range: Interval) -> Self {
        if range.lo == range.hi { Self::number(range.lo) } else { Self { text: text.into(), range } }
    }
    pub(super) fn number(value: i64) -> Self {
        let range = Interval::point(value);
        let text = match value {
            _ if !is_narrow(range) && value < 0 => format!("(-(i64){}ull)", value.unsigned_abs()),
            _ if !is_narrow(range) => format!("((i64){value}ull)"),
            _ if value == i64::from(i32::MIN) => "(-2147483647 - 1)".to_owned(),
            0.. => value.to_string(),
            _ => format!("({value})"),
        };
        Self { text, range }
    }
    /// The number, if it can be only one.
    pub(super) fn as_number(&self) -> Option<i64> {
        (self.range.lo == self.range.hi).then_some(self.range.lo)
    }
    /// Whether it holds or not, if that is known.
    pub(super) fn as_truth(&self) -> Option<bool> {
        match self.as_number() {
            Some(value) => Some(value != 0),
            None if !self.range.contains(0) => Some(true),
            None => None,
        }
    }
    /// The text as an `i64`.
    pub(super) fn wide(&self) -> String {
        if is_narrow(self.range) { format!("(i64){}", self.text) } else { self.text.clone() }
    }
    /// A text of type `i64` whose values are in the range.
    pub(super) fn of_wide(text: &str, range: Interval) -> Self {
        if is_narrow(range) {
            Self::new(format!("(i32)({text})"), range)
        } else {
            Self::new(format!("({text})"), range)
        }
    }

    pub(super) fn unary(op: UnaryOp, value: &Self) -> Self {
        if let Some(value) = value.as_number() {
            return Self::number(op.apply(value));
        }
        if op == UnaryOp::Not && value.as_truth() == Some(true) {
            return Self::number(0);
        }
        let range = Interval::of_unary(op, value.range).unwrap_or(EVERYTHING);
        let sign = match op {
            UnaryOp::Not => "!",
            UnaryOp::Neg => "-",
            UnaryOp::BitNot => "~",
        };
        match is_narrow(range) {
            true => Self::new(format!("({sign}{})", value.text), range),
            false => Self::new(format!("({sign}({}))", value.wide()), range),
        }
    }

    pub(super) fn binary(op: BinaryOp, left: &Self, right: &Self) -> Self {
        if let (Some(a), Some(b)) = (left.as_number(), right.as_number()) {
            return Self::number(op.apply(a, b));
        }
        match (op, left.as_truth(), right.as_truth()) {
            (BinaryOp::And, Some(false), _) | (BinaryOp::And, _, Some(false)) => return Self::number(0),
            (BinaryOp::Or, Some(true), _) | (BinaryOp::Or, _, Some(true)) => return Self::number(1),
            (BinaryOp::And, Some(true), _) | (BinaryOp::Or, Some(false), _) => return right.truth(),
            (BinaryOp::And, _, Some(true)) | (BinaryOp::Or, _, Some(false)) => return left.truth(),
            _ => {}
        }
        let apart = left.range.hi < right.range.lo || right.range.hi < left.range.lo;
        match op {
            BinaryOp::Eq if apart => return Self::number(0),
            BinaryOp::Ne if apart => return Self::number(1),
            BinaryOp::Lt if left.range.hi < right.range.lo => return Self::number(1),
            BinaryOp::Lt if left.range.lo >= right.range.hi => return Self::number(0),
            BinaryOp::Le if left.range.hi <= right.range.lo => return Self::number(1),
            BinaryOp::Le if left.range.lo > right.range.hi => return Self::number(0),
            _ => {}
        }
        let range = Interval::of_binary(op, left.range, right.range).unwrap_or(EVERYTHING);
        let narrow = is_narrow(left.range) && is_narrow(right.range) && is_narrow(range);
        let sign = match op {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitOr => "|",
            BinaryOp::BitXor => "^",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::And => "&&",
            BinaryOp::Or => "||",
            BinaryOp::Div | BinaryOp::Rem => {
                // A divisor that is neither 0 nor -1 needs no care.
                let safe = !right.range.contains(0) && !right.range.contains(-1);
                let sign = if op == BinaryOp::Div { "/" } else { "%" };
                if safe && narrow {
                    return Self::new(format!("({} {sign} {})", left.text, right.text), range);
                }
                let name = if op == BinaryOp::Div { "quotient" } else { "remainder_of" };
                return Self::of_wide(&format!("{name}({}, {})", left.wide(), right.wide()), range);
            }
            BinaryOp::Shl => {
                let by = format!("({} & 31)", right.text);
                return Self::of_wide(&format!("(i64)((u64)({}) << {by})", left.wide()), range);
            }
            BinaryOp::Shr => {
                let by = format!("({} & 31)", right.text);
                return Self::new(format!("({} >> {by})", left.text), range);
            }
        };
        match op {
            BinaryOp::And | BinaryOp::Or => Self::new(format!("({} {sign} {})", left.text, right.text), range),
            _ if narrow => Self::new(format!("({} {sign} {})", left.text, right.text), range),
            // The result of a comparison is an `int` whatever it compares.
            _ if op.is_truth() => Self::new(format!("({} {sign} {})", left.wide(), right.wide()), range),
            _ => Self::of_wide(&format!("{} {sign} {}", left.wide(), right.wide()), range),
        }
    }

    /// 1 if it is not 0.
    pub(super) fn truth(&self) -> Self {
        match self.as_truth() {
            Some(known) => Self::number(i64::from(known)),
            None if Interval::BOOL.includes(self.range) => self.clone(),
            None => Self::new(format!("({} != 0)", self.text), Interval::BOOL),
        }
    }
    pub(super) fn and(&self, other: &Self) -> Self {
        Self::binary(BinaryOp::And, self, other)
    }
    pub(super) fn or(&self, other: &Self) -> Self {
        Self::binary(BinaryOp::Or, self, other)
    }
    pub(super) fn not(&self) -> Self {
        Self::unary(UnaryOp::Not, self)
    }
    pub(super) fn equals(&self, other: &Self) -> Self {
        Self::binary(BinaryOp::Eq, self, other)
    }

    /// `if condition then self else other`.
    pub(super) fn where_holds(self, condition: &Self, other: &Self) -> Self {
        match condition.as_truth() {
            Some(true) => return self,
            Some(false) => return other.clone(),
            None => {}
        }
        let range = self.range.hull(other.range);
        match is_narrow(range) {
            true => Self::new(format!("({} ? {} : {})", condition.text, self.text, other.text), range),
            false => Self::new(format!("({} ? {} : {})", condition.text, self.wide(), other.wide()), range),
        }
    }

    /// The value cut to bits: see [`lariat_system::wrap`].
    pub(super) fn wrapped(&self, bits: u8, signed: bool) -> Self {
        let range = Interval::of_wrap(bits, signed);
        if range.includes(self.range) {
            return self.clone();
        }
        if let Some(value) = self.as_number() {
            return Self::number(lariat_system::wrap(bits, signed, value));
        }
        let text = match signed {
            true => {
                let unused = 64 - u32::from(bits);
                format!("(i64)((u64)({}) << {unused}) >> {unused}", self.wide())
            }
            false => format!("({} & {})", self.wide(), i64::MAX >> (63 - bits)),
        };
        Self::of_wide(&text, range)
    }
}

/// What an expression may be of which nothing else is known.
pub(super) const EVERYTHING: Interval = Interval { lo: i64::MIN, hi: i64::MAX };
