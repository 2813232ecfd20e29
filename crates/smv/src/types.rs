//! Types of values, and the values variables can have.
//!
//! Every value is a number: truth values are 0 and 1, symbols are numbers from [`SYMBOLS`] on, which no whole number of
//! the language reaches, and a word is its value under its sign. So an equality of values is one of numbers, whatever they
//! are.

use std::fmt;
use std::sync::Arc;

/// The widest word, as in NuSMV 2.6.
pub const MAX_WIDTH: u32 = 64;

/// The widest word that is one value of a system, whose sums must fit what systems compute with. Wider ones are two halves.
pub const MAX_PLAIN_WIDTH: u32 = 60;

/// The value of the symbol with the number 0.
pub const SYMBOLS: i128 = 1 << 40;

/// No symbol has a greater value.
const MOST_SYMBOLS: i128 = 1 << 62;

/// What kind of values an expression has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Base {
    /// Truth values.
    Bool,
    /// Whole numbers of 32 bits.
    Int,
    /// Symbols of enumerations.
    Symbol,
    /// Symbols and whole numbers.
    Mixed,
    /// Words.
    Word {
        /// Whether the highest bit is the sign.
        signed: bool,
        /// How many bits.
        width: u32,
    },
}

/// The type of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Ty {
    /// Of which values.
    pub base: Base,
    /// Whether it is a set of them.
    pub set: bool,
}

impl Ty {
    /// Truth values.
    pub const BOOL: Ty = Ty { base: Base::Bool, set: false };
    /// Whole numbers.
    pub const INT: Ty = Ty { base: Base::Int, set: false };

    /// Single values.
    pub fn of(base: Base) -> Self {
        Self { base, set: false }
    }
    /// Sets of these values.
    #[must_use]
    pub fn as_set(self) -> Self {
        Self { set: true, ..self }
    }
}

impl Base {
    /// The least and the greatest value; of symbols, of all there may be.
    pub fn bounds(self) -> (i128, i128) {
        match self {
            Self::Bool => (0, 1),
            Self::Int => (i128::from(i32::MIN), i128::from(i32::MAX)),
            Self::Symbol => (SYMBOLS, MOST_SYMBOLS),
            Self::Mixed => (i128::from(i32::MIN), MOST_SYMBOLS),
            Self::Word { signed: false, width } => (0, (1 << width) - 1),
            Self::Word { signed: true, width } => (-(1 << (width - 1)), (1 << (width - 1)) - 1),
        }
    }
    /// The value that is left of `value` in the bits there are.
    pub fn wrap(self, value: i128) -> i128 {
        match self {
            Self::Int => i128::from(value as i32),
            Self::Word { signed, width } => {
                let low = value & ((1 << width) - 1);
                if signed && low >> (width - 1) & 1 == 1 { low - (1 << width) } else { low }
            }
            Self::Bool | Self::Symbol | Self::Mixed => value,
        }
    }
    /// The type that has the values of both, if there is one.
    pub fn join(self, other: Base) -> Option<Base> {
        match (self, other) {
            (one, another) if one == another => Some(one),
            (Self::Symbol | Self::Mixed | Self::Int, Self::Symbol | Self::Mixed | Self::Int) => Some(Self::Mixed),
            _ => None,
        }
    }
    /// Whether values of both can be compared: of symbols and whole numbers only where one side has both.
    pub fn is_comparable(self, other: Base) -> bool {
        let apart = matches!((self, other), (Self::Symbol, Self::Int) | (Self::Int, Self::Symbol));
        !apart && self.join(other).is_some()
    }
    /// Whether values are words that are kept in two halves.
    pub fn is_wide(self) -> bool {
        matches!(self, Self::Word { width, .. } if width > MAX_PLAIN_WIDTH)
    }
    /// Whether values may be symbols.
    pub fn has_symbols(self) -> bool {
        matches!(self, Self::Symbol | Self::Mixed)
    }
}

impl fmt::Display for Base {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool => f.write_str("boolean"),
            Self::Int => f.write_str("integer"),
            Self::Symbol => f.write_str("symbol"),
            Self::Mixed => f.write_str("symbol or integer"),
            Self::Word { signed, width } => write!(f, "{}signed word[{width}]", if *signed { "" } else { "un" }),
        }
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.set { write!(f, "set of {}", self.base) } else { self.base.fmt(f) }
    }
}

/// The values that a variable is declared with.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Domain {
    /// Truth values.
    Bool,
    /// Whole numbers, both ends included.
    Range(i128, i128),
    /// These, in the order of the text.
    List(Arc<[i128]>),
    /// Words.
    Word {
        /// Whether the highest bit is the sign.
        signed: bool,
        /// How many bits.
        width: u32,
    },
}

impl Domain {
    /// The domain of an enumeration; whole numbers without a gap are a range.
    pub fn of_values(values: Vec<i128>) -> Self {
        let (low, high) = (values.iter().min().copied().unwrap_or(0), values.iter().max().copied().unwrap_or(0));
        if high < SYMBOLS && (high - low) as usize + 1 == values.len() {
            return Self::Range(low, high);
        }
        Self::List(values.into())
    }
    /// What kind of values they are.
    pub fn base(&self) -> Base {
        match self {
            Self::Bool => Base::Bool,
            Self::Range(..) => Base::Int,
            Self::Word { signed, width } => Base::Word { signed: *signed, width: *width },
            Self::List(values) => match values.iter().filter(|value| **value >= SYMBOLS).count() {
                0 => Base::Int,
                symbols if symbols == values.len() => Base::Symbol,
                _ => Base::Mixed,
            },
        }
    }
    /// The least and the greatest value.
    pub fn bounds(&self) -> (i128, i128) {
        match self {
            Self::Bool => (0, 1),
            Self::Range(low, high) => (*low, *high),
            Self::List(values) => {
                (values.iter().min().copied().unwrap_or(0), values.iter().max().copied().unwrap_or(0))
            }
            Self::Word { .. } => self.base().bounds(),
        }
    }
    /// How many values there are.
    pub fn count(&self) -> u64 {
        match self {
            Self::List(values) => values.len() as u64,
            _ => {
                let (low, high) = self.bounds();
                u64::try_from(high - low + 1).unwrap_or(u64::MAX)
            }
        }
    }
    /// Whether `value` is one of them.
    pub fn contains(&self, value: i128) -> bool {
        match self {
            Self::List(values) => values.contains(&value),
            _ => {
                let (low, high) = self.bounds();
                (low..=high).contains(&value)
            }
        }
    }
}
