//! Whole numbers as rows of bits.
//!
//! A number is held in two's complement, lowest bit first, in as many bits as its [`Interval`] needs. Since the width
//! always suffices, every circuit may compute modulo two to the power of the width of its result.

use crate::BitAlgebra;
use lariat_system::Interval;

/// A number in two's complement, lowest bit first; there is at least one bit, and the last one is the sign.
///
/// Law: wherever the bits mean anything at all, the number lies in `range`, and there are `width_of(range)` bits.
#[derive(Clone, PartialEq, Debug)]
pub struct BitVec<Bit> {
    bits: Vec<Bit>,
    range: Interval,
}

/// How many bits two's complement needs for every value of `range`.
pub fn width_of(range: Interval) -> usize {
    let width = |value: i64| 65 - (value ^ (value >> 63)).leading_zeros() as usize;
    width(range.lo).max(width(range.hi))
}

impl<Bit: Clone> BitVec<Bit> {
    /// The number that is `value` everywhere.
    pub fn constant<A: BitAlgebra<Bit = Bit>>(algebra: &A, value: i64) -> Self {
        let range = Interval::point(value);
        let bits = (0..width_of(range)).map(|bit| algebra.constant(value >> bit & 1 == 1)).collect();
        Self { bits, range }
    }
    /// 1 where `bit` is true, else 0.
    pub fn of_bit<A: BitAlgebra<Bit = Bit>>(algebra: &A, bit: Bit) -> Self {
        Self { bits: vec![bit, algebra.constant(false)], range: Interval::BOOL }
    }
    /// The number in `range` that agrees with `bits`, read as two's complement, modulo two to the power of its width.
    pub fn within(range: Interval, bits: &[Bit]) -> Self {
        Self { bits: (0..width_of(range)).map(|bit| bits[bit.min(bits.len() - 1)].clone()).collect(), range }
    }
    /// The number whose offset from `range.lo` is `raw`, read as a natural number. Where that offset leads out of
    /// `range` the result means nothing.
    pub fn of_offset<A: BitAlgebra<Bit = Bit>>(algebra: &A, range: Interval, raw: &[Bit]) -> Result<Self, A::Error> {
        let mut natural = raw.to_vec();
        natural.push(algebra.constant(false));
        if range.lo == 0 {
            return Ok(Self::within(range, &natural));
        }
        let lo = Self::constant(algebra, range.lo);
        let bits = crate::arithmetic::sum(algebra, width_of(range), &natural, &lo.bits, algebra.constant(false))?;
        Ok(Self { bits, range })
    }
    /// The lowest `bits` bits of the number minus `lo`: the inverse of [`of_offset`](Self::of_offset).
    pub fn offset_from<A: BitAlgebra<Bit = Bit>>(
        &self,
        algebra: &A,
        lo: i64,
        bits: usize,
    ) -> Result<Vec<Bit>, A::Error> {
        let minus_lo = Self::constant(algebra, lo.wrapping_neg());
        crate::arithmetic::sum(algebra, bits, &self.bits, &minus_lo.bits, algebra.constant(false))
    }

    /// The bits, lowest first, the sign last.
    pub fn bits(&self) -> &[Bit] {
        &self.bits
    }
    /// The values it can have.
    pub fn range(&self) -> Interval {
        self.range
    }
    /// The number of bits.
    pub fn width(&self) -> usize {
        self.bits.len()
    }
    /// The value, if it is the same everywhere and known to be.
    pub fn known<A: BitAlgebra<Bit = Bit>>(&self, algebra: &A) -> Option<i64> {
        let mut value = 0;
        for (place, bit) in self.bits.iter().enumerate() {
            let bit = i64::from(algebra.known(bit)?);
            // The sign counts for itself and all higher places.
            value |= if place + 1 == self.bits.len() { (-bit) << place } else { bit << place };
        }
        Some(value)
    }

    /// Where the number is not 0.
    pub fn truth<A: BitAlgebra<Bit = Bit>>(&self, algebra: &A) -> Result<Bit, A::Error> {
        self.bits.iter().try_fold(algebra.constant(false), |any, bit| algebra.or_else(any, || Ok(bit.clone())))
    }
    /// Where both numbers are the same.
    pub fn equals<A: BitAlgebra<Bit = Bit>>(&self, algebra: &A, other: &Self) -> Result<Bit, A::Error> {
        if self.range.hi < other.range.lo || other.range.hi < self.range.lo {
            return Ok(algebra.constant(false));
        }
        (0..self.width().max(other.width())).try_fold(algebra.constant(true), |same, place| {
            algebra.and_then(same, || algebra.not(&algebra.xor(self.bit(place), other.bit(place))?))
        })
    }
    /// Where the number is `value`.
    pub fn is<A: BitAlgebra<Bit = Bit>>(&self, algebra: &A, value: i64) -> Result<Bit, A::Error> {
        self.equals(algebra, &Self::constant(algebra, value))
    }
    /// Where the number is less than `other`.
    pub fn less<A: BitAlgebra<Bit = Bit>>(&self, algebra: &A, other: &Self) -> Result<Bit, A::Error> {
        if self.range.hi < other.range.lo || self.range.lo >= other.range.hi {
            return Ok(algebra.constant(self.range.hi < other.range.lo));
        }
        let sign = self.width().max(other.width()) - 1;
        let mut less = algebra.constant(false);
        for place in 0..=sign {
            // The highest place where they differ decides; at the sign, 1 is the smaller one.
            let (a, b) = (self.bit(place), other.bit(place));
            less = algebra.ite(&algebra.xor(a, b)?, if place == sign { a } else { b }, &less)?;
        }
        Ok(less)
    }
    /// `yes` where `condition` is true, `no` elsewhere.
    pub fn ite<A: BitAlgebra<Bit = Bit>>(
        algebra: &A,
        condition: &Bit,
        yes: &Self,
        no: &Self,
    ) -> Result<Self, A::Error> {
        let range = yes.range.hull(no.range);
        let choose = |place| algebra.ite(condition, yes.bit(place), no.bit(place));
        Ok(Self { bits: (0..width_of(range)).map(choose).collect::<Result<_, _>>()?, range })
    }

    /// The bit at a place; beyond the width the sign goes on.
    pub(crate) fn bit(&self, place: usize) -> &Bit {
        &self.bits[place.min(self.bits.len() - 1)]
    }
}
