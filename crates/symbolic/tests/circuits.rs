//! Every circuit against the meaning of its operator.

use lariat_symbolic::{BitVec, Bools, binary, unary, wrap};
use lariat_system::{BinaryOp, Interval, UnaryOp};
use lariat_testkit::Rng;

/// `value` as one of the numbers of `range`.
fn number(range: Interval, value: i64) -> BitVec<bool> {
    BitVec::within(range, BitVec::constant(&Bools, value).bits())
}

fn value(number: &BitVec<bool>) -> i64 {
    let value = number.known(&Bools).expect("plain bits are known");
    assert!(number.range().contains(value), "{value} is not in {:?}", number.range());
    value
}

fn check_binary(op: BinaryOp, (a, x): (Interval, i64), (b, y): (Interval, i64)) {
    let Ok(result) = binary(&Bools, op, &number(a, x), &number(b, y));
    assert_eq!(value(&result), op.apply(x, y), "{x} of {a:?} {op:?} {y} of {b:?}");
}

fn check_unary(op: UnaryOp, range: Interval, x: i64) {
    let Ok(result) = unary(&Bools, op, &number(range, x));
    assert_eq!(value(&result), op.apply(x), "{op:?} {x} of {range:?}");
}

/// What cutting to `bits` bits means, by plain arithmetic.
fn cut(bits: u8, signed: bool, x: i64) -> i64 {
    let modulus = 1_i128 << bits;
    let low = i128::from(x).rem_euclid(modulus);
    (if signed && low >= modulus / 2 { low - modulus } else { low }) as i64
}

fn check_wrap(bits: u8, range: Interval, x: i64) {
    for signed in [false, true] {
        if bits == 63 && !signed {
            continue;
        }
        let result = wrap(&Bools, bits, signed, &number(range, x));
        assert_eq!(value(&result), cut(bits, signed, x), "{x} of {range:?} to {bits} bits, signed: {signed}");
    }
}

const UNARY: [UnaryOp; 3] = [UnaryOp::Not, UnaryOp::Neg, UnaryOp::BitNot];

#[test]
fn small_numbers_all_of_them() {
    let bounds = [-9, -8, -3, -1, 0, 1, 2, 7, 8];
    let pairs = bounds.iter().flat_map(|&lo| bounds.iter().map(move |&hi| Interval { lo, hi }));
    let ranges: Vec<Interval> = pairs.filter(|range| range.lo <= range.hi).collect();
    for &a in &ranges {
        for x in a.lo..=a.hi {
            UNARY.iter().for_each(|&op| check_unary(op, a, x));
            (1..=6).for_each(|bits| check_wrap(bits, a, x));
            for &b in &ranges {
                for y in [b.lo, b.hi, (b.lo + b.hi) / 2] {
                    BinaryOp::ALL.iter().for_each(|&op| check_binary(op, (a, x), (b, y)));
                }
            }
        }
    }
    let all = Interval { lo: -16, hi: 15 };
    for x in all.lo..=all.hi {
        for y in all.lo..=all.hi {
            BinaryOp::ALL.iter().for_each(|&op| check_binary(op, (all, x), (all, y)));
        }
    }
}

/// A range of up to `bits` bits, and a value of it, ends often.
fn random(rng: &mut Rng, bits: usize) -> (Interval, i64) {
    let end = |rng: &mut Rng| {
        let largest = (1 << rng.below(bits + 1)) - 1;
        let magnitude = rng.between(0, largest);
        if rng.chance(50) { -magnitude } else { magnitude }
    };
    let (a, b) = (end(rng), end(rng));
    let range = Interval { lo: a.min(b), hi: a.max(b) };
    let value = match rng.below(4) {
        0 => range.lo,
        1 => range.hi,
        _ => rng.between(range.lo, range.hi),
    };
    (range, value)
}

#[test]
fn large_numbers_at_random() {
    let rng = &mut Rng::new(1);
    let mut checked = [0; BinaryOp::ALL.len()];
    for _ in 0..20_000 {
        let (a, x) = random(rng, 61);
        let (b, y) = random(rng, 61);
        UNARY.iter().for_each(|&op| check_unary(op, a, x));
        check_wrap(1 + rng.below(63) as u8, a, x);
        let at = rng.below(BinaryOp::ALL.len());
        let op = BinaryOp::ALL[at];
        let (b, y) = match op {
            // Otherwise nearly every product and every shift would leave the range.
            BinaryOp::Mul => random(rng, 30),
            BinaryOp::Shl => (Interval::point(y), y),
            _ => (b, y),
        };
        if Interval::of_binary(op, a, b).is_some() {
            check_binary(op, (a, x), (b, y));
            checked[at] += 1;
        }
    }
    assert!(checked.iter().all(|&count| count > 200), "{checked:?}");
}

#[test]
fn numbers_from_offsets_and_back() {
    let rng = &mut Rng::new(2);
    for _ in 0..2_000 {
        let (range, x) = random(rng, 61);
        let bits = 64 - ((range.hi - range.lo) as u64).leading_zeros() as usize;
        let raw: Vec<bool> = (0..bits).map(|place| (x - range.lo) as u64 >> place & 1 == 1).collect();
        let Ok(read) = BitVec::of_offset(&Bools, range, &raw);
        assert_eq!(value(&read), x, "of {range:?}");
        let Ok(written) = read.offset_from(&Bools, range.lo, bits);
        assert_eq!(written, raw, "{x} of {range:?}");
    }
}
