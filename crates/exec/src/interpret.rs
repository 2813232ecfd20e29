//! Running code.
//!
//! The machine is the working memory of one thread for one state: registers, the roles in scope, the choices made so
//! far, and how many processes live before and after. Nothing here allocates.

use crate::code::{CellField, Code, Entry, Op};
use lariat_system::{Position, joined};

/// A process bound to a role.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Bound {
    /// Its position.
    pub(crate) position: u32,
    /// The first bit of its region.
    pub(crate) region: u32,
}

/// The working memory of the interpreter.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    regs: [i64; 256],
    roles: [Bound; 256],
    /// The values of the choices; those not yet made are arbitrary.
    pub(crate) choices: Vec<i64>,
    /// How many values of choices may still be tried; at 0 a listing ends before it is complete.
    pub(crate) tries_left: u64,
    /// How many firings may still be listed; where there is no room for one more there are no tries left.
    pub(crate) room_left: u64,
    /// How many processes live in the source state.
    pub(crate) count: u32,
    /// How many processes live in the target state, once updates have run.
    pub(crate) next_count: u32,
    /// The first bit of the region of the process spawned last.
    spawned: u32,
}

impl Machine {
    /// A machine for actions of at most `choices` choices.
    pub(crate) fn new(choices: usize) -> Self {
        Self {
            regs: [0; 256],
            roles: [Bound::default(); 256],
            choices: vec![0; choices],
            tries_left: u64::MAX,
            room_left: u64::MAX,
            count: 0,
            next_count: 0,
            spawned: 0,
        }
    }
    /// Binds a participant.
    pub(crate) fn bind(&mut self, code: &Code, role: u8, position: Position) {
        let position = u32::from(position);
        self.roles[usize::from(role)] = Bound { position, region: code.pool.region(position) };
    }
    /// Runs updates from `source` into `target`. Returns whether there is a next state; there is none if the pool is
    /// full, and then `target` is worthless.
    pub(crate) fn update(&mut self, code: &Code, entry: Entry, source: &[u64], target: &mut [u64]) -> bool {
        target.copy_from_slice(source);
        self.next_count = self.count;
        self.run(code, entry, source, target) != 0
    }
    /// Whether the condition at `entry` holds in `state`.
    pub(crate) fn holds(&mut self, code: &Code, entry: Entry, state: &[u64]) -> bool {
        self.run(code, entry, state, &mut []) != 0
    }
    /// The value of the expression at `entry` in `state`.
    pub(crate) fn value(&mut self, code: &Code, entry: Entry, state: &[u64]) -> i64 {
        self.run(code, entry, state, &mut [])
    }

    fn run(&mut self, code: &Code, entry: Entry, source: &[u64], target: &mut [u64]) -> i64 {
        let Self { regs, roles, choices, tries_left: _, room_left: _, count, next_count, spawned } = self;
        let ops = code.ops.as_slice();
        let pool = &code.pool;
        let mut at = entry.0 as usize;
        // The region of the process of the field's kind at a computed position.
        let region_at = |position: i64, field: &CellField| {
            let lives = (0..i64::from(*count)).contains(&position);
            (lives && pool.kind_at(source, position as u32) == field.kind).then(|| pool.region(position as u32))
        };
        macro_rules! reg {
            ($name:expr) => {
                regs[usize::from($name)]
            };
        }
        macro_rules! go_if {
            ($condition:expr, $to:expr) => {
                if $condition {
                    at = $to as usize;
                }
            };
        }
        loop {
            let op = ops[at];
            at += 1;
            match op {
                Op::Const { dst, value } => reg!(dst) = i64::from(value),
                Op::Wide { dst, number } => reg!(dst) = code.wide[number as usize],
                Op::Choice { dst, choice } => reg!(dst) = choices[choice as usize],
                Op::Load { dst, shift, bits, word, lo } => {
                    reg!(dst) = (field_bits(source[word as usize], shift, bits) as i64).wrapping_add(i64::from(lo));
                }
                Op::LoadRole { dst, role, bits, bit, lo } => {
                    let bit = roles[usize::from(role)].region + bit;
                    let raw = field_bits(source[bit as usize / 64], bit as u8, bits);
                    reg!(dst) = (raw as i64).wrapping_add(i64::from(lo));
                }
                Op::LoadCell { dst, index, field } => {
                    reg!(dst) = load_cell(source, 0, reg!(index), &code.fields[field as usize]);
                }
                Op::LoadRoleCell { dst, role, index, field } => {
                    let region = roles[usize::from(role)].region;
                    reg!(dst) = load_cell(source, region, reg!(index), &code.fields[field as usize]);
                }
                Op::LoadAt { dst, position, field } => {
                    let field = &code.fields[field as usize];
                    let region = region_at(reg!(position), field);
                    reg!(dst) = region.map_or(0, |region| load_cell(source, region, 0, field));
                }
                Op::LoadAtCell { dst, position, index, field } => {
                    let field = &code.fields[field as usize];
                    let (region, index) = (region_at(reg!(position), field), reg!(index));
                    reg!(dst) = region.map_or(0, |region| load_cell(source, region, index, field));
                }
                Op::Position { dst, role } => reg!(dst) = i64::from(roles[usize::from(role)].position),
                Op::PoolCount { dst } => reg!(dst) = i64::from(*count),
                Op::Lives { dst, position, kind } => {
                    let position = reg!(position);
                    let lives = (0..i64::from(*count)).contains(&position);
                    reg!(dst) = i64::from(lives && pool.kind_at(source, position as u32) == kind);
                }
                Op::Not { dst, a } => reg!(dst) = i64::from(reg!(a) == 0),
                Op::Neg { dst, a } => reg!(dst) = reg!(a).wrapping_neg(),
                Op::BitNot { dst, a } => reg!(dst) = !reg!(a),
                Op::Add { dst, a, b } => reg!(dst) = reg!(a).wrapping_add(reg!(b)),
                Op::Sub { dst, a, b } => reg!(dst) = reg!(a).wrapping_sub(reg!(b)),
                Op::AddConst { dst, a, value } => reg!(dst) = reg!(a).wrapping_add(i64::from(value)),
                Op::Binary { op, dst, a, b } => reg!(dst) = op.apply(reg!(a), reg!(b)),
                Op::Wrap { dst, a, bits, signed } => reg!(dst) = wrap(bits, signed, reg!(a)),
                Op::Join { dst, high, low } => reg!(dst) = joined(reg!(high), reg!(low)) as i64,
                Op::OfWide { op, half, dst, a, b } => {
                    reg!(dst) = half.of(op.apply(reg!(a) as u64, reg!(b) as u64));
                }
                Op::Jump { to } => at = to as usize,
                Op::IfEq { a, b, to } => go_if!(reg!(a) == reg!(b), to),
                Op::IfNe { a, b, to } => go_if!(reg!(a) != reg!(b), to),
                Op::IfLt { a, b, to } => go_if!(reg!(a) < reg!(b), to),
                Op::IfLe { a, b, to } => go_if!(reg!(a) <= reg!(b), to),
                Op::IfEqConst { a, value, to } => go_if!(reg!(a) == i64::from(value), to),
                Op::IfNeConst { a, value, to } => go_if!(reg!(a) != i64::from(value), to),
                Op::IfLtConst { a, value, to } => go_if!(reg!(a) < i64::from(value), to),
                Op::IfGtConst { a, value, to } => go_if!(reg!(a) > i64::from(value), to),
                Op::IfField { shift, bits, word, raw, to } => {
                    go_if!(field_bits(source[word as usize], shift, bits) == u64::from(raw), to);
                }
                Op::IfNotField { shift, bits, word, raw, to } => {
                    go_if!(field_bits(source[word as usize], shift, bits) != u64::from(raw), to);
                }
                Op::IfRoleField { role, bits, bit, raw, to } => {
                    let bit = roles[usize::from(role)].region + bit;
                    go_if!(field_bits(source[bit as usize / 64], bit as u8, bits) == u64::from(raw), to);
                }
                Op::IfNotRoleField { role, bits, bit, raw, to } => {
                    let bit = roles[usize::from(role)].region + bit;
                    go_if!(field_bits(source[bit as usize / 64], bit as u8, bits) != u64::from(raw), to);
                }
                // One before the first position, modulo 2^32.
                Op::Rewind { role } => roles[usize::from(role)].position = u32::MAX,
                Op::NextLiving { role, kind, to } => {
                    let bound = &mut roles[usize::from(role)];
                    let next = bound.position.wrapping_add(1);
                    match (next..*count).find(|&position| pool.kind_at(source, position) == kind) {
                        Some(position) => *bound = Bound { position, region: pool.region(position) },
                        None => at = to as usize,
                    }
                }
                Op::Store { src, shift, bits, word, lo } => {
                    let raw = reg!(src).wrapping_sub(i64::from(lo)) as u64;
                    store_bits(&mut target[word as usize], shift, mask_of(bits), raw);
                }
                Op::StoreRole { src, role, bits, bit, lo } => {
                    let bit = roles[usize::from(role)].region + bit;
                    let raw = reg!(src).wrapping_sub(i64::from(lo)) as u64;
                    store_bits(&mut target[bit as usize / 64], bit as u8, mask_of(bits), raw);
                }
                Op::StoreConst { shift, bits, word, raw } => {
                    store_bits(&mut target[word as usize], shift, mask_of(bits), u64::from(raw));
                }
                Op::StoreRoleConst { role, bits, bit, raw } => {
                    let bit = roles[usize::from(role)].region + bit;
                    store_bits(&mut target[bit as usize / 64], bit as u8, mask_of(bits), u64::from(raw));
                }
                Op::StoreCell { src, index, field } => {
                    store_cell(target, 0, reg!(index), &code.fields[field as usize], reg!(src));
                }
                Op::StoreRoleCell { src, role, index, field } => {
                    let region = roles[usize::from(role)].region;
                    store_cell(target, region, reg!(index), &code.fields[field as usize], reg!(src));
                }
                Op::StoreAt { src, position, field } => {
                    let field = &code.fields[field as usize];
                    if let Some(region) = region_at(reg!(position), field) {
                        store_cell(target, region, 0, field, reg!(src));
                    }
                }
                Op::StoreAtCell { src, position, index, field } => {
                    let field = &code.fields[field as usize];
                    if let Some(region) = region_at(reg!(position), field) {
                        store_cell(target, region, reg!(index), field, reg!(src));
                    }
                }
                Op::Spawn { frame } => {
                    if *next_count == pool.positions {
                        return 0;
                    }
                    *spawned = pool.region(*next_count);
                    *next_count += 1;
                    // The region is all zero: nobody lives there, and no update can name a cell of it.
                    let (first, shift) = (*spawned as usize / 64, *spawned % 64);
                    for (word, template) in target[first..].iter_mut().zip(&pool.templates[frame as usize]) {
                        *word |= template << shift;
                    }
                }
                Op::StoreSpawned { src, field } => {
                    let field = &code.fields[field as usize];
                    for cell in 0..i64::from(field.cells) {
                        store_cell(target, *spawned, cell, field, reg!(src));
                    }
                }
                Op::Exit => {
                    if *next_count > 0 {
                        *next_count -= 1;
                        clear_region(target, pool.region(*next_count), pool.region_bits);
                    }
                }
                Op::Return { src } => return reg!(src),
                Op::Yes => return 1,
                Op::No => return 0,
            }
        }
    }
}

/// The low `bits` bits; at least one, at most 64.
fn mask_of(bits: u8) -> u64 {
    u64::MAX >> (64u8.wrapping_sub(bits) & 63)
}

/// `bits` bits of `word` from `shift`, counted modulo 64, on.
fn field_bits(word: u64, shift: u8, bits: u8) -> u64 {
    word >> (shift & 63) & mask_of(bits)
}

fn store_bits(word: &mut u64, shift: u8, mask: u64, raw: u64) {
    let shift = shift & 63;
    *word = *word & !(mask << shift) | (raw & mask) << shift;
}

fn cell_bit(region: u32, index: i64, field: &CellField) -> Option<u32> {
    let inside = (0..i64::from(field.cells)).contains(&index);
    inside.then(|| region + field.bit + index as u32 * u32::from(field.stride))
}

fn load_cell(words: &[u64], region: u32, index: i64, field: &CellField) -> i64 {
    cell_bit(region, index, field).map_or(0, |bit| {
        let raw = words[bit as usize / 64] >> (bit % 64) & field.mask;
        (raw as i64).wrapping_add(field.lo)
    })
}

fn store_cell(words: &mut [u64], region: u32, index: i64, field: &CellField, value: i64) {
    if let Some(bit) = cell_bit(region, index, field) {
        store_bits(&mut words[bit as usize / 64], bit as u8, field.mask, value.wrapping_sub(field.lo) as u64);
    }
}

fn clear_region(words: &mut [u64], region: u32, region_bits: u32) {
    let first = region as usize / 64;
    if region_bits < 64 {
        store_bits(&mut words[first], region as u8, mask_of(region_bits as u8), 0);
    } else {
        words[first..first + region_bits as usize / 64].fill(0);
    }
}

/// The meaning of `Expr::Wrap`.
pub(crate) fn wrap(bits: u8, signed: bool, value: i64) -> i64 {
    let unused = 64 - u32::from(bits);
    if signed { value << unused >> unused } else { ((value as u64) << unused >> unused) as i64 }
}
