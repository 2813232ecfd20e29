//! Circuits for the operators of expressions.
//!
//! Textbook circuits: ripple carry, shift and add, restoring division, barrel shifter. Decision diagrams are canonical,
//! so a cleverer circuit for the same function would end in the same diagram. Every result is computed modulo two to
//! the power of its width, which its [`Interval`] makes wide enough.

use crate::BitAlgebra;
use crate::bit_vec::{BitVec, width_of};
use lariat_system::{BinaryOp, HALF_BITS, Half, Interval, UnaryOp, WideOp};

/// The result of `op`. The numbers are those of a valid expression: the result stays in the range expressions are
/// allowed.
pub fn binary<A: BitAlgebra>(
    algebra: &A,
    op: BinaryOp,
    a: &BitVec<A::Bit>,
    b: &BitVec<A::Bit>,
) -> Result<BitVec<A::Bit>, A::Error> {
    let range = Interval::of_binary(op, a.range(), b.range()).expect("validation refuses what may leave the range");
    let width = width_of(range);
    let truth = |bit: Result<A::Bit, A::Error>| Ok(BitVec::of_bit(algebra, bit?));
    let bits = match op {
        BinaryOp::Add => sum(algebra, width, a.bits(), b.bits(), algebra.constant(false))?,
        BinaryOp::Sub => difference(algebra, width, a.bits(), b.bits())?,
        BinaryOp::Mul => multiplied(algebra, width, a.bits(), b.bits())?,
        BinaryOp::Div => {
            let [quotient, _] = divided(algebra, a.bits(), b.bits())?;
            quotient
        }
        BinaryOp::Rem => {
            let [_, remainder] = divided(algebra, a.bits(), b.bits())?;
            remainder
        }
        BinaryOp::BitAnd => {
            (0..width).map(|place| algebra.and(a.bit(place), b.bit(place))).collect::<Result<_, _>>()?
        }
        BinaryOp::BitOr => (0..width).map(|place| algebra.or(a.bit(place), b.bit(place))).collect::<Result<_, _>>()?,
        BinaryOp::BitXor => {
            (0..width).map(|place| algebra.xor(a.bit(place), b.bit(place))).collect::<Result<_, _>>()?
        }
        BinaryOp::Shl => shifted_left(algebra, width, a, b)?,
        BinaryOp::Shr => shifted_right(algebra, width, a, b)?,
        BinaryOp::Eq => return truth(a.equals(algebra, b)),
        BinaryOp::Ne => return truth(algebra.not(&a.equals(algebra, b)?)),
        BinaryOp::Lt => return truth(a.less(algebra, b)),
        BinaryOp::Le => return truth(algebra.not(&b.less(algebra, a)?)),
        BinaryOp::And => return truth(algebra.and_then(a.truth(algebra)?, || b.truth(algebra))),
        BinaryOp::Or => return truth(algebra.or_else(a.truth(algebra)?, || b.truth(algebra))),
    };
    Ok(BitVec::within(range, &bits))
}

/// The result of `op`, of a number as for [`binary`].
pub fn unary<A: BitAlgebra>(algebra: &A, op: UnaryOp, a: &BitVec<A::Bit>) -> Result<BitVec<A::Bit>, A::Error> {
    let range = Interval::of_unary(op, a.range()).expect("validation refuses what may leave the range");
    let bits = match op {
        UnaryOp::Not => return Ok(BitVec::of_bit(algebra, algebra.not(&a.truth(algebra)?)?)),
        UnaryOp::Neg => negated(algebra, width_of(range), a.bits())?,
        UnaryOp::BitNot => complement(algebra, a.bits())?,
    };
    Ok(BitVec::within(range, &bits))
}

/// The number cut to its low `bits` bits, read as two's complement if `signed`.
pub fn wrap<A: BitAlgebra>(algebra: &A, bits: u8, signed: bool, a: &BitVec<A::Bit>) -> BitVec<A::Bit> {
    let range = Interval::of_wrap(bits, signed);
    if range.includes(a.range()) {
        return a.clone();
    }
    let mut low: Vec<A::Bit> = (0..usize::from(bits)).map(|place| a.bit(place).clone()).collect();
    if !signed {
        low.push(algebra.constant(false));
    }
    BitVec::within(range, &low)
}

/// The bits of the number without sign that has these halves, and a 0 behind them.
pub(crate) fn joined<A: BitAlgebra>(algebra: &A, high: &BitVec<A::Bit>, low: &BitVec<A::Bit>) -> Vec<A::Bit> {
    let half = |value: &BitVec<A::Bit>| (0..HALF_BITS as usize).map(|place| value.bit(place).clone()).collect();
    let mut bits: Vec<A::Bit> = half(low);
    bits.extend::<Vec<A::Bit>>(half(high));
    bits.push(algebra.constant(false));
    bits
}

/// Half of the result of `op` on numbers as [`joined`] makes them.
pub(crate) fn of_wide<A: BitAlgebra>(
    algebra: &A,
    op: WideOp,
    half: Half,
    a: &[A::Bit],
    b: &[A::Bit],
) -> Result<BitVec<A::Bit>, A::Error> {
    let bits = HALF_BITS as usize;
    let whole = match op {
        WideOp::Mul => multiplied(algebra, 2 * bits, a, b)?,
        WideOp::Div => divided(algebra, a, b)?[0].clone(),
        WideOp::Rem => divided(algebra, a, b)?[1].clone(),
    };
    let from = if half == Half::High { bits } else { 0 };
    let mut wanted: Vec<A::Bit> = (from..from + bits).map(|place| at(&whole, place).clone()).collect();
    wanted.push(algebra.constant(false));
    Ok(BitVec::within(Interval::HALF, &wanted))
}

/// The place of a row of bits, in which the last one, the sign, goes on for ever.
fn at<Bit>(bits: &[Bit], place: usize) -> &Bit {
    &bits[place.min(bits.len() - 1)]
}

/// `a + b + carry` modulo `2^width`; both are read as two's complement.
pub(crate) fn sum<A: BitAlgebra>(
    algebra: &A,
    width: usize,
    a: &[A::Bit],
    b: &[A::Bit],
    mut carry: A::Bit,
) -> Result<Vec<A::Bit>, A::Error> {
    let mut bits = Vec::with_capacity(width);
    for place in 0..width {
        let (a, b) = (at(a, place), at(b, place));
        let differ = algebra.xor(a, b)?;
        bits.push(algebra.xor(&differ, &carry)?);
        // Two of three that are known to be alike decide it, without a look at the third: an algebra of supports would not
        // see that it makes no difference.
        if algebra.known(b).is_none() || algebra.known(b) != algebra.known(&carry) {
            carry = algebra.ite(&differ, &carry, a)?;
        }
    }
    Ok(bits)
}

/// `a - b` modulo `2^width`.
fn difference<A: BitAlgebra>(algebra: &A, width: usize, a: &[A::Bit], b: &[A::Bit]) -> Result<Vec<A::Bit>, A::Error> {
    sum(algebra, width, a, &complement(algebra, b)?, algebra.constant(true))
}

fn complement<A: BitAlgebra>(algebra: &A, a: &[A::Bit]) -> Result<Vec<A::Bit>, A::Error> {
    a.iter().map(|bit| algebra.not(bit)).collect()
}

fn negated<A: BitAlgebra>(algebra: &A, width: usize, a: &[A::Bit]) -> Result<Vec<A::Bit>, A::Error> {
    difference(algebra, width, &[algebra.constant(false)], a)
}

/// Where `condition` is true `-a`, elsewhere `a`, modulo `2^width`.
fn negated_if<A: BitAlgebra>(
    algebra: &A,
    width: usize,
    condition: &A::Bit,
    a: &[A::Bit],
) -> Result<Vec<A::Bit>, A::Error> {
    let flipped = a.iter().map(|bit| algebra.xor(condition, bit)).collect::<Result<Vec<_>, _>>()?;
    sum(algebra, width, &flipped, &[algebra.constant(false)], condition.clone())
}

/// `a * b` modulo `2^width`.
fn multiplied<A: BitAlgebra>(algebra: &A, width: usize, a: &[A::Bit], b: &[A::Bit]) -> Result<Vec<A::Bit>, A::Error> {
    let sign = b.len() - 1;
    let mut total = vec![algebra.constant(false); width];
    for (place, factor) in b.iter().enumerate().take(width) {
        if algebra.known(factor) == Some(false) {
            continue;
        }
        let mut shifted = vec![algebra.constant(false); place];
        for from in 0..width - place {
            shifted.push(algebra.and(factor, at(a, from))?);
        }
        // The sign weighs -2^sign.
        total = if place == sign {
            difference(algebra, width, &total, &shifted)?
        } else {
            sum(algebra, width, &total, &shifted, algebra.constant(false))?
        };
    }
    Ok(total)
}

/// Quotient and remainder, cut towards 0, both 0 where `b` is 0; in two's complement, with as many bits as they need.
fn divided<A: BitAlgebra>(algebra: &A, a: &[A::Bit], b: &[A::Bit]) -> Result<[Vec<A::Bit>; 2], A::Error> {
    let (a_sign, b_sign) = (&a[a.len() - 1], &b[b.len() - 1]);
    // The magnitude of a number of n bits is a natural number of n bits.
    let dividend = negated_if(algebra, a.len(), a_sign, a)?;
    let mut divisor = negated_if(algebra, b.len(), b_sign, b)?;
    divisor.push(algebra.constant(false));
    // Twice the remainder, plus 1, is less than twice the divisor: one more bit, and one for the sign of the difference.
    let width = divisor.len() + 1;
    let mut remainder = vec![algebra.constant(false); width];
    let mut quotient = vec![algebra.constant(false); a.len() + 1];
    for place in (0..a.len()).rev() {
        remainder.insert(0, dividend[place].clone());
        remainder.truncate(width);
        let less = difference(algebra, width, &remainder, &divisor)?;
        let fits = algebra.not(&less[width - 1])?;
        for (bit, less) in remainder.iter_mut().zip(&less) {
            *bit = algebra.ite(&fits, less, bit)?;
        }
        quotient[place] = fits;
    }
    let nothing = algebra.constant(false);
    let divides = b.iter().try_fold(nothing, |any, bit| algebra.or_else(any, || Ok(bit.clone())))?;
    let quotient = negated_if(algebra, quotient.len() + 1, &algebra.xor(a_sign, b_sign)?, &quotient)?;
    let remainder = negated_if(algebra, width, a_sign, &remainder)?;
    let only_if_divides =
        |bits: Vec<A::Bit>| bits.iter().map(|bit| algebra.and(&divides, bit)).collect::<Result<Vec<_>, _>>();
    Ok([only_if_divides(quotient)?, only_if_divides(remainder)?])
}

/// How far each stage of a shifter moves, with the bit that says whether it does.
fn stages<Bit>(by: &BitVec<Bit>) -> impl Iterator<Item = (usize, &Bit)>
where
    Bit: Clone,
{
    (0..5).map(|stage| (1 << stage, by.bit(stage)))
}

/// `a << (by & 31)` modulo `2^width`.
fn shifted_left<A: BitAlgebra>(
    algebra: &A,
    width: usize,
    a: &BitVec<A::Bit>,
    by: &BitVec<A::Bit>,
) -> Result<Vec<A::Bit>, A::Error> {
    let mut bits: Vec<A::Bit> = (0..width).map(|place| a.bit(place).clone()).collect();
    let zero = algebra.constant(false);
    for (distance, moves) in stages(by) {
        if algebra.known(moves) == Some(false) {
            continue;
        }
        for place in (0..width).rev() {
            let from = if place >= distance { &bits[place - distance] } else { &zero };
            bits[place] = algebra.ite(moves, from, &bits[place])?;
        }
    }
    Ok(bits)
}

/// `a >> (by & 31)`, the sign moving in.
fn shifted_right<A: BitAlgebra>(
    algebra: &A,
    width: usize,
    a: &BitVec<A::Bit>,
    by: &BitVec<A::Bit>,
) -> Result<Vec<A::Bit>, A::Error> {
    let mut bits: Vec<A::Bit> = (0..width.max(a.width())).map(|place| a.bit(place).clone()).collect();
    for (distance, moves) in stages(by) {
        if algebra.known(moves) == Some(false) {
            continue;
        }
        for place in 0..bits.len() {
            bits[place] = algebra.ite(moves, at(&bits, place + distance), &bits[place])?;
        }
    }
    Ok(bits)
}
