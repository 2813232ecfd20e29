//! Intervals of values: no result of an operator lies outside.

use lariat_system::{BinaryOp, Interval, UnaryOp, wrap};

/// No value of an expression is larger.
const LIMIT: i64 = 1 << 62;

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
            assert!(Interval { lo: -LIMIT, hi: LIMIT }.includes(result), "{op:?} {a:?}");
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
                assert!(Interval { lo: -LIMIT, hi: LIMIT }.includes(result), "{l:?} {op:?} {r:?}");
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
                let wrapped = wrap(bits, signed, value);
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
