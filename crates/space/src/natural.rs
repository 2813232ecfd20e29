//! Natural numbers of any size: sets of states are larger than machine words can count.

use std::fmt;
use std::ops::{Add, Shl, ShlAssign, Shr};

/// A natural number. The digits are in base 2^64, least first, without leading zeros.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Natural {
    digits: Vec<u64>,
}

impl Natural {
    /// The value, if it fits.
    pub fn to_u64(&self) -> Option<u64> {
        match self.digits.as_slice() {
            [] => Some(0),
            [digit] => Some(*digit),
            _ => None,
        }
    }
    /// Whether it is 0.
    pub fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    fn of_digits(mut digits: Vec<u64>) -> Self {
        while digits.last() == Some(&0) {
            digits.pop();
        }
        Self { digits }
    }
    /// Divides by a small number in place and gives the remainder.
    fn divide(&mut self, divisor: u64) -> u64 {
        let mut rest = 0_u128;
        for digit in self.digits.iter_mut().rev() {
            let value = rest << 64 | u128::from(*digit);
            *digit = (value / u128::from(divisor)) as u64;
            rest = value % u128::from(divisor);
        }
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
        rest as u64
    }
}

impl From<u64> for Natural {
    fn from(value: u64) -> Self {
        Self::of_digits(vec![value])
    }
}

impl From<u32> for Natural {
    fn from(value: u32) -> Self {
        Self::from(u64::from(value))
    }
}

impl Add for Natural {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let (mut long, short) = if self.digits.len() < other.digits.len() { (other, self) } else { (self, other) };
        let mut carry = false;
        for (place, digit) in long.digits.iter_mut().enumerate() {
            let addend = short.digits.get(place).copied().unwrap_or(0);
            let (sum, first) = digit.overflowing_add(addend);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            (*digit, carry) = (sum, first || second);
        }
        if carry {
            long.digits.push(1);
        }
        long
    }
}

impl Shl<u32> for Natural {
    type Output = Self;
    fn shl(self, places: u32) -> Self {
        let (words, bits) = (places as usize / 64, places % 64);
        let mut digits = vec![0; words];
        let mut carry = 0;
        for digit in self.digits {
            digits.push(digit << bits | carry);
            carry = if bits == 0 { 0 } else { digit >> (64 - bits) };
        }
        digits.push(carry);
        Self::of_digits(digits)
    }
}

impl Shr<u32> for Natural {
    type Output = Self;
    fn shr(self, places: u32) -> Self {
        let (words, bits) = (places as usize / 64, places % 64);
        let rest = self.digits.get(words..).unwrap_or(&[]);
        let above = |place: usize| rest.get(place + 1).copied().unwrap_or(0);
        let digit = |(place, digit): (usize, &u64)| match bits {
            0 => *digit,
            _ => digit >> bits | above(place) << (64 - bits),
        };
        Self::of_digits(rest.iter().enumerate().map(digit).collect())
    }
}

impl ShlAssign<i32> for Natural {
    fn shl_assign(&mut self, places: i32) {
        let places = u32::try_from(places).expect("numbers are shifted to the left by a natural number of places");
        *self = std::mem::take(self) << places;
    }
}

impl fmt::Display for Natural {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// The largest power of ten in a digit.
        const CHUNK: u64 = 10_000_000_000_000_000_000;
        let mut rest = self.clone();
        let mut chunks = vec![rest.divide(CHUNK)];
        while !rest.is_zero() {
            chunks.push(rest.divide(CHUNK));
        }
        let mut text = chunks.pop().unwrap_or(0).to_string();
        for chunk in chunks.into_iter().rev() {
            text.push_str(&format!("{chunk:019}"));
        }
        f.pad_integral(true, "", &text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_is_that_of_wide_integers() {
        let of = |value: u128| Natural::of_digits(vec![value as u64, (value >> 64) as u64]);
        let some = [0, 1, 2, 999, u128::from(u64::MAX), u128::from(u64::MAX) + 1, 10_u128.pow(19), 10_u128.pow(37) + 7];
        for a in some {
            assert_eq!(of(a).to_string(), a.to_string());
            for b in some {
                assert_eq!(of(a) + of(b), of(a + b));
            }
            for places in [0, 1, 4, 63, 64, 65] {
                assert_eq!(of(a) >> places, of(a >> places));
                assert_eq!((of(a) << places) >> places, of(a));
            }
        }
        assert_eq!((Natural::from(1_u32) << 128).to_string(), "340282366920938463463374607431768211456");
        assert_eq!((Natural::from(1_u32) << 64).to_u64(), None);
    }
}
