//! What operators make of sets of values.

use super::vals::{FEW, Vals};
use crate::tree::BinaryOp;
use crate::types::Base;
use crate::value::{Failing, binary_value};

/// At most this many pairs of values are tried one by one.
const MAX_PAIRS: usize = FEW * 8;

/// Values of up to 64 bits can be shifted by so much.
const MOST_SHIFT: i128 = 62;

/// Everything a value of the type can be.
pub(super) fn whole(base: Base) -> Vals {
    let (low, high) = base.bounds();
    Vals::between(low, high)
}

/// The results of an operator that needs both sides, and how it may fail.
pub(super) fn strict(op: BinaryOp, left: Base, to: Base, right: Base, a: &Vals, b: &Vals) -> (Vals, Option<Failing>) {
    if let (Vals::Few(xs), Vals::Few(ys)) = (a, b)
        && xs.len() * ys.len() <= MAX_PAIRS
    {
        let (mut values, mut failing) = (Vec::with_capacity(xs.len() * ys.len()), None);
        for &x in xs {
            for &y in ys {
                match binary_value(op, left, to, right, x, y) {
                    Ok(value) => values.push(value),
                    Err(error) => failing = Some(error),
                }
            }
        }
        return (Vals::of(values), failing);
    }
    let (Some((a_low, a_high)), Some((b_low, b_high))) = (a.bounds(), b.bounds()) else { return (Vals::NONE, None) };
    let corners = |f: fn(i128, i128) -> i128| {
        let all = [f(a_low, b_low), f(a_low, b_high), f(a_high, b_low), f(a_high, b_high)];
        let (low, high) = (all.into_iter().min().unwrap_or(0), all.into_iter().max().unwrap_or(0));
        let (least, most) = to.bounds();
        if low < least || high > most {
            return whole(to);
        }
        Vals::between(low, high)
    };
    let vals = match op {
        BinaryOp::Lt => Vals::truth(a_low < b_high, a_high >= b_low),
        BinaryOp::Le => Vals::truth(a_low <= b_high, a_high > b_low),
        BinaryOp::Gt => Vals::truth(a_high > b_low, a_low <= b_high),
        BinaryOp::Ge => Vals::truth(a_high >= b_low, a_low < b_high),
        BinaryOp::Eq | BinaryOp::Ne => {
            let apart = a_high < b_low || b_high < a_low;
            let holds = if op == BinaryOp::Eq { Vals::truth(!apart, true) } else { Vals::truth(true, !apart) };
            return (holds, None);
        }
        BinaryOp::Add => corners(|x, y| x + y),
        BinaryOp::Sub => corners(|x, y| x - y),
        BinaryOp::Mul => corners(i128::saturating_mul),
        BinaryOp::Div if b_low > 0 || b_high < 0 => corners(|x, y| x / y),
        // By a natural number that is not 0.
        BinaryOp::Div if b_low == 0 => Vals::between(a_low.min(0), a_high.max(0)),
        BinaryOp::Mod if a_low >= 0 => {
            let most = b_low.unsigned_abs().max(b_high.unsigned_abs()).saturating_sub(1) as i128;
            Vals::between(0, most.min(a_high))
        }
        // Of natural numbers no result is larger than all bits together that either has.
        BinaryOp::And if a_low >= 0 && b_low >= 0 => Vals::between(0, a_high.min(b_high)),
        BinaryOp::Or if a_low >= 0 && b_low >= 0 => Vals::between(a_low.max(b_low), all_bits(a_high | b_high)),
        BinaryOp::Xor if a_low >= 0 && b_low >= 0 => Vals::between(0, all_bits(a_high | b_high)),
        BinaryOp::ShiftRight if (0..=MOST_SHIFT).contains(&b_low) && b_high <= MOST_SHIFT => corners(|x, y| x >> y),
        BinaryOp::ShiftLeft if a_low >= 0 && (0..=MOST_SHIFT).contains(&b_low) && b_high <= MOST_SHIFT => {
            corners(|x, y| x << y)
        }
        BinaryOp::Concat if a_low >= 0 && b_low >= 0 => match right {
            Base::Word { width, .. } => Vals::between(a_low << width | b_low, a_high << width | b_high),
            _ => whole(to),
        },
        _ => whole(to),
    };
    let failing = match op {
        BinaryOp::Div | BinaryOp::Mod => b.may_be(0).then_some(Failing::Division),
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight => {
            let width = if let Base::Word { width, .. } = to { i128::from(width) } else { 0 };
            (b_low < 0 || b_high > width).then_some(Failing::Shift)
        }
        _ => None,
    };
    (vals, failing)
}

/// The least number of the form `2^n - 1` that is no smaller.
fn all_bits(most: i128) -> i128 {
    match most {
        0 => 0,
        _ => i128::MAX >> (most.leading_zeros() - 1),
    }
}

/// Where values from the least to the greatest lead, which are `apart`, if a constant is added to each, or to each with its sign turned, and the
/// result is taken modulo the number of values; `None` if it goes past the greatest value.
pub(super) fn shifted(of_least: i128, of_most: i128, apart: i128) -> Option<(i128, i128)> {
    match of_most - of_least {
        up if up == apart => Some((of_least, of_most)),
        down if -down == apart => Some((of_most, of_least)),
        _ => None,
    }
}
