//! Numbers of 64 bits without sign, in halves.
//!
//! A value of an expression has at most 62 bits, so that sums of values never overflow. A longer number is two values: its
//! high and its low half of 32 bits. Sums and comparisons of such numbers are ordinary expressions over halves. Products,
//! quotients and remainders would be huge ones, so they are an operation: [`Expr::Wide`](crate::Expr::Wide) is one half of
//! the result.

/// Bits of a half.
pub const HALF_BITS: u32 = 32;

/// An operation on two numbers of 64 bits without sign.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WideOp {
    /// The product, modulo 2^64.
    Mul,
    /// The quotient; 0 if the divisor is 0.
    Div,
    /// The remainder; 0 if the divisor is 0.
    Rem,
}

/// Which half of a number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Half {
    /// The low 32 bits.
    Low,
    /// The high 32 bits.
    High,
}

impl WideOp {
    /// All of them, for tests and tables.
    pub const ALL: [WideOp; 3] = [Self::Mul, Self::Div, Self::Rem];

    /// The meaning.
    pub fn apply(self, a: u64, b: u64) -> u64 {
        match self {
            Self::Mul => a.wrapping_mul(b),
            Self::Div => a.checked_div(b).unwrap_or(0),
            Self::Rem => a.checked_rem(b).unwrap_or(0),
        }
    }
    /// The meaning of [`Expr::Wide`](crate::Expr::Wide): of each operand the high, then the low half. Of an operand only the
    /// low 32 bits count.
    pub fn half_of(self, half: Half, [a_high, a_low, b_high, b_low]: [i64; 4]) -> i64 {
        half.of(self.apply(joined(a_high, a_low), joined(b_high, b_low)))
    }
    /// How it is written: `mul_low`, `div_high`.
    pub fn name(self, half: Half) -> &'static str {
        match (self, half) {
            (Self::Mul, Half::Low) => "mul_low",
            (Self::Mul, Half::High) => "mul_high",
            (Self::Div, Half::Low) => "div_low",
            (Self::Div, Half::High) => "div_high",
            (Self::Rem, Half::Low) => "rem_low",
            (Self::Rem, Half::High) => "rem_high",
        }
    }
}

impl Half {
    /// Both of them, for tests and tables.
    pub const ALL: [Half; 2] = [Self::Low, Self::High];

    /// This half of a number.
    pub fn of(self, value: u64) -> i64 {
        match self {
            Self::Low => (value & u64::from(u32::MAX)) as i64,
            Self::High => (value >> HALF_BITS) as i64,
        }
    }
}

/// The number of these halves, of which the low 32 bits count.
pub fn joined(high: i64, low: i64) -> u64 {
    u64::from(high as u32) << HALF_BITS | u64::from(low as u32)
}
