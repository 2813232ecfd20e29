//! Which values a term can have, as far as its form says.

use crate::check::Var;
use crate::term::{Kind, Term, VarId};
use crate::tree::BinaryOp;
use crate::types::{Base, Domain, SYMBOLS, Ty};
use lariat_base::IdVec;
use lariat_system::{BinaryOp as Op, Interval, UnaryOp};
use std::collections::BTreeSet;

/// Numbers of a range are listed if there are not more.
const MOST_LISTED: usize = 1000;

/// An interval over the values of a whole number; also where an operation has no value, and a system gives it one. `None` if it may
/// wrap around, or if nothing is known. Parts are looked at as a tree.
pub(super) fn bounds(term: &Term, vars: &IdVec<VarId, Var>) -> Option<Interval> {
    let again = |part: &Term| bounds(part, vars);
    let all = |parts: &mut dyn Iterator<Item = &Term>| {
        let mut hull: Option<Interval> = None;
        for part in parts {
            let values = again(part)?;
            hull = Some(hull.map_or(values, |known| known.hull(values)));
        }
        hull
    };
    let of_base =
        |(low, high): (i128, i128)| Some(Interval { lo: i64::try_from(low).ok()?, hi: i64::try_from(high).ok()? });
    let values = match &term.kind {
        Kind::Const(value) => of_base((*value, *value))?,
        Kind::Var(var, _) => of_base(vars[*var].domain.bounds())?,
        Kind::Ite(_, yes, no) => all(&mut [yes, no].into_iter())?,
        Kind::Case(branches) => all(&mut branches.iter().map(|(_, value)| value))?,
        Kind::Select(_, _, items) => all(&mut items.iter())?,
        Kind::Count(items) => Interval { lo: 0, hi: items.len() as i64 },
        Kind::Fits(_, _, domain) => of_base(domain.bounds())?,
        Kind::Minus(part) => Interval::of_unary(UnaryOp::Neg, again(part)?)?,
        Kind::Abs(part) => {
            let values = again(part)?;
            values.hull(Interval::of_unary(UnaryOp::Neg, values)?)
        }
        Kind::Convert(part) if matches!(part.ty.base, Base::Bool | Base::Word { .. }) => {
            of_base(part.ty.base.bounds())?
        }
        Kind::Binary(op, left, right) => {
            let op = match op {
                BinaryOp::Add => Op::Add,
                BinaryOp::Sub => Op::Sub,
                BinaryOp::Mul => Op::Mul,
                BinaryOp::Div => Op::Div,
                BinaryOp::Mod => Op::Rem,
                _ => return None,
            };
            Interval::of_binary(op, again(left)?, again(right)?)?
        }
        _ => return None,
    };
    (term.ty == Ty::INT && Interval::INT.includes(values)).then_some(values)
}

/// The values that a node of this kind lists, where `lists` has those of its parts, in the order of [`crate::term::TermNode::parts`].
/// Numbers of a range are listed if `with_ranges`.
pub(super) fn listed(
    kind: &Kind,
    with_ranges: bool,
    vars: &IdVec<VarId, Var>,
    lists: &[Option<&BTreeSet<i128>>],
) -> Option<BTreeSet<i128>> {
    let chosen: Vec<usize> = match kind {
        Kind::Const(value) => return Some(BTreeSet::from([*value])),
        Kind::Var(var, _) => {
            return match &*vars[*var].domain {
                Domain::List(values) => Some(values.iter().copied().collect()),
                Domain::Range(low, high) if with_ranges && high - low < MOST_LISTED as i128 => {
                    Some((*low..=*high).collect())
                }
                _ => None,
            };
        }
        Kind::Ite(..) => vec![1, 2],
        Kind::Case(branches) => (0..branches.len()).map(|number| 2 * number + 1).collect(),
        Kind::Select(_, _, items) => (1..=items.len()).collect(),
        Kind::Set(items) => (0..items.len()).collect(),
        Kind::Fits(..) => vec![0],
        _ => return None,
    };
    let mut values = BTreeSet::new();
    for part in chosen {
        values.extend(lists[part]?.iter().copied());
    }
    Some(values)
}

/// Whether one of the values is a symbol.
pub(super) fn has_symbol(values: &BTreeSet<i128>) -> bool {
    values.last().is_some_and(|value| *value >= SYMBOLS)
}
