//! Which values registers can have, as far as that is known before code runs.
//!
//! Where states are keys a field that never varies is a constant, and one of a few bits is a small number. So the index of an array may be
//! known, or be one of a few: `q[c].data[len]` has the cells of one channel, whatever the others are. A piece of code is gone through once,
//! from one end to the other; where jumps meet nothing is known.

use super::packing::Packing;
use crate::code::{CellField, Code, Entry, Op, Reg};
use lariat_system::BinaryOp;
use std::collections::{BTreeSet, HashMap};

/// Numbers from one to another, both included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Range {
    pub(super) low: i64,
    pub(super) high: i64,
}

impl Range {
    pub(super) fn only(value: i64) -> Self {
        Self { low: value, high: value }
    }
    /// The one number that it has.
    pub(super) fn single(self) -> Option<i64> {
        (self.low == self.high).then_some(self.low)
    }
    fn plus(self, other: Self) -> Option<Self> {
        Some(Self { low: self.low.checked_add(other.low)?, high: self.high.checked_add(other.high)? })
    }
    fn minus(self, other: Self) -> Option<Self> {
        Some(Self { low: self.low.checked_sub(other.high)?, high: self.high.checked_sub(other.low)? })
    }
    fn times(self, other: Self) -> Option<Self> {
        let (factor, range) = match (self.single(), other.single()) {
            (Some(factor), _) => (factor, other),
            (_, Some(factor)) => (factor, self),
            _ => return None,
        };
        let (one, two) = (range.low.checked_mul(factor)?, range.high.checked_mul(factor)?);
        Some(Self { low: one.min(two), high: one.max(two) })
    }
    /// The content of a field of which the bits are known but for some.
    pub(super) fn of_field(known: u64, varying: u64, lo: i64) -> Option<Self> {
        let (low, high) = (known & !varying, known | varying);
        let in_range = |raw: u64| i64::try_from(raw).ok()?.checked_add(lo);
        Some(Self { low: in_range(low)?, high: in_range(high)? })
    }
}

/// The cell of an array that code reads or writes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    /// Where the array begins in the state.
    pub(super) begin: u32,
    pub(super) field: CellField,
    /// Which cells it may be; `None` if nothing is known.
    pub(super) index: Option<Range>,
}

/// What is known of registers, where states are keys.
pub(super) struct Ranges<'a> {
    code: &'a Code,
    packing: &'a Packing,
    registers: HashMap<Reg, Range>,
}

impl<'a> Ranges<'a> {
    pub(super) fn new(code: &'a Code, packing: &'a Packing) -> Self {
        Self { code, packing, registers: HashMap::new() }
    }
    pub(super) fn get(&self, register: Reg) -> Option<Range> {
        self.registers.get(&register).copied()
    }
    /// Other ways lead here too.
    pub(super) fn forget(&mut self) {
        self.registers.clear();
    }
    /// The array that an instruction looks into, in the processes whose regions `region` tells by role, and the register with the
    /// index.
    pub(super) fn access(&self, op: &Op, region: impl Fn(u8) -> Option<u32>) -> Option<Access> {
        let (begin, index, field) = match *op {
            Op::LoadCell { index, field, .. } | Op::StoreCell { index, field, .. } => (0, index, field),
            Op::LoadRoleCell { role, index, field, .. } | Op::StoreRoleCell { role, index, field, .. } => {
                (region(role)?, index, field)
            }
            _ => return None,
        };
        let field = self.code.fields[field as usize];
        Some(Access { begin: begin + field.bit, field, index: self.get(index) })
    }
    /// Goes on behind an instruction.
    pub(super) fn step(&mut self, op: &Op, region: impl Fn(u8) -> Option<u32>) {
        let wide = |value: i32| Some(Range::only(i64::from(value)));
        let mask = |bits: u8| u64::MAX >> (64 - u32::from(bits));
        let field = |bit: u32, bits: u8, lo: i32| self.packing.range_of(bit, mask(bits), i64::from(lo));
        let two = |a: Reg, b: Reg| Some((self.get(a)?, self.get(b)?));
        let (dst, found) = match *op {
            Op::Const { dst, value } => (dst, wide(value)),
            Op::Wide { dst, number } => (dst, Some(Range::only(self.code.wide[number as usize]))),
            Op::Load { dst, shift, bits, word, lo } => (dst, field(word * 64 + u32::from(shift), bits, lo)),
            Op::LoadRole { dst, role, bits, bit, lo } => {
                (dst, region(role).and_then(|region| field(region + bit, bits, lo)))
            }
            Op::LoadCell { dst, .. } | Op::LoadRoleCell { dst, .. } => {
                let cell = |Access { begin, field, index }: Access| {
                    let cell = index?.single().filter(|cell| (0..i64::from(field.cells)).contains(cell))?;
                    if field.mask == 0 {
                        return Some(Range::only(field.lo));
                    }
                    self.packing.range_of(begin + cell as u32 * u32::from(field.stride), field.mask, field.lo)
                };
                (dst, self.access(op, region).and_then(cell))
            }
            Op::Add { dst, a, b } => (dst, two(a, b).and_then(|(a, b)| a.plus(b))),
            Op::Sub { dst, a, b } => (dst, two(a, b).and_then(|(a, b)| a.minus(b))),
            Op::AddConst { dst, a, value } => (dst, self.get(a).and_then(|a| a.plus(wide(value)?))),
            Op::Binary { op: BinaryOp::Mul, dst, a, b } => (dst, two(a, b).and_then(|(a, b)| a.times(b))),
            Op::Wrap { dst, a, bits, signed } => {
                let most = i64::try_from(mask(bits)).unwrap_or(i64::MAX);
                let fits = |range: &Range| range.low >= 0 && range.high <= most && !(signed && range.high > most / 2);
                (dst, self.get(a).filter(fits))
            }
            Op::Choice { dst, .. }
            | Op::LoadAt { dst, .. }
            | Op::LoadAtCell { dst, .. }
            | Op::Position { dst, .. }
            | Op::PoolCount { dst }
            | Op::Lives { dst, .. }
            | Op::Not { dst, .. }
            | Op::Neg { dst, .. }
            | Op::BitNot { dst, .. }
            | Op::Binary { dst, .. }
            | Op::Join { dst, .. }
            | Op::OfWide { dst, .. } => (dst, None),
            _ => return,
        };
        match found {
            Some(range) => self.registers.insert(dst, range),
            None => self.registers.remove(&dst),
        };
    }
}

/// Which arrays a piece of code looks into.
pub(super) fn accesses(
    code: &Code,
    packing: &Packing,
    entry: Entry,
    region: impl Fn(u8) -> Option<u32> + Copy,
    mut take: impl FnMut(&Op, Access),
) {
    let ops = code.piece(entry);
    let targets: BTreeSet<u32> = ops.iter().filter_map(|op| op.clone().target_mut().copied()).collect();
    let mut ranges = Ranges::new(code, packing);
    for (at, op) in (entry.0..).zip(ops) {
        if targets.contains(&at) {
            ranges.forget();
        }
        if let Some(access) = ranges.access(op, region) {
            take(op, access);
        }
        ranges.step(op, region);
    }
}
