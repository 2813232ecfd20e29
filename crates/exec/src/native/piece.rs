//! Pieces of bytecode become machine code.
//!
//! The meaning of an instruction is written once, in `interpret`; here it is said again in the words of Cranelift, one
//! instruction at a time, and compared by every test. Registers become variables, jumps become blocks.

use super::ranges::Ranges;
use super::writer::{Base, Bound, Writer};
use crate::code::{CellField, Entry, Op};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{Block, InstBuilder, Value};
use std::collections::BTreeMap;

/// Where a piece goes on when it ends.
#[derive(Clone, Copy, Debug)]
enum Ends {
    /// By whether it ends with 0.
    Truth { yes: Block, no: Block },
    /// Here, with a value.
    Value(Block),
}

impl Writer<'_, '_> {
    /// Goes on here if the condition at `entry` holds, or if there is none, else at `no`.
    pub(super) fn require_entry(&mut self, entry: Option<Entry>, no: Block) {
        if let Some(entry) = entry {
            let yes = self.block();
            self.piece(entry, Ends::Truth { yes, no });
            self.b.switch_to_block(yes);
        }
    }
    /// Branches by the condition at `entry`.
    pub(super) fn branch_entry(&mut self, entry: Entry, yes: Block, no: Block) {
        self.piece(entry, Ends::Truth { yes, no });
    }
    /// The value of the expression at `entry`.
    pub(super) fn value(&mut self, entry: Entry) -> Value {
        let end = self.block();
        let value = self.b.append_block_param(end, I64);
        self.piece(entry, Ends::Value(end));
        self.b.switch_to_block(end);
        value
    }

    fn piece(&mut self, entry: Entry, ends: Ends) {
        let program = self.program;
        let ops = program.code.piece(entry);
        let reached = reached(ops, entry);
        let live = || (entry.0..).zip(ops).zip(&reached).filter(|(_, reached)| **reached).map(|(op, _)| op);
        let mut blocks: BTreeMap<u32, Block> = BTreeMap::new();
        for (_, op) in live() {
            if let Some(&mut to) = op.clone().target_mut() {
                blocks.entry(to).or_insert_with(|| self.b.create_block());
            }
        }
        let mut open = true;
        let mut ranges = self.packing.map(|packing| Ranges::new(&program.code, packing));
        for (at, op) in live() {
            let region = |role: u8| match self.roles.get(&role) {
                Some(&Bound::Fixed(position)) => Some(program.code.pool.region(position)),
                _ => None,
            };
            let mut index = None;
            if let Some(ranges) = &mut ranges {
                if blocks.contains_key(&at) {
                    ranges.forget();
                }
                index = ranges.access(op, region).and_then(|access| access.index);
                ranges.step(op, region);
            }
            if let Some(&block) = blocks.get(&at) {
                if open {
                    self.go(block);
                }
                self.b.switch_to_block(block);
            }
            self.index = index;
            open = self.op(*op, &blocks, ends);
        }
    }

    fn end(&mut self, value: Value, ends: Ends) -> bool {
        match ends {
            Ends::Truth { yes, no } => self.branch(value, yes, no),
            Ends::Value(end) => {
                self.b.ins().jump(end, &[value.into()]);
            }
        }
        false
    }

    fn get(&mut self, register: u8) -> Value {
        let variable = self.register(register);
        self.b.use_var(variable)
    }
    fn set(&mut self, register: u8, value: Value) -> bool {
        let variable = self.register(register);
        self.b.def_var(variable, value);
        true
    }
    /// Goes to `to` if the condition holds, else goes on here.
    fn go_if(&mut self, condition: Value, to: Block) -> bool {
        let next = self.block();
        self.branch(condition, to, next);
        self.b.switch_to_block(next);
        true
    }
    fn compare(&mut self, code: IntCC, a: u8, b: u8) -> Value {
        let (a, b) = (self.get(a), self.get(b));
        self.b.ins().icmp(code, a, b)
    }
    fn compare_constant(&mut self, code: IntCC, a: u8, value: i32) -> Value {
        let a = self.get(a);
        self.is(code, a, i64::from(value))
    }
    fn base_of(&self, role: u8) -> Base {
        self.base(self.roles[&role])
    }
    fn field(&self, number: u32) -> CellField {
        self.program.code.fields[number as usize]
    }
    fn load_field(&mut self, base: Base, bit: u32, bits: u8, lo: i32) -> Value {
        let raw = self.raw(base, bit, mask_of(bits));
        self.plus(raw, i64::from(lo))
    }
    fn is_field(&mut self, base: Base, bit: u32, bits: u8, raw: u32) -> Value {
        self.has_content(base, bit, mask_of(bits), u64::from(raw))
    }
    /// The content of a cell of the process at a computed position, or 0.
    fn load_at(&mut self, position: u8, index: Value, field: u32) -> Value {
        let field = self.field(field);
        if self.pool().positions == 0 {
            return self.constant(0);
        }
        let position = self.get(position);
        let (lives, bound) = self.process_at(position, field.kind);
        let base = self.base(bound);
        let value = self.load_cell(base, index, &field, None);
        let zero = self.constant(0);
        self.b.ins().select(lives, value, zero)
    }
    fn store_at(&mut self, src: u8, position: u8, index: Value, field: u32) {
        let field = self.field(field);
        if self.pool().positions == 0 {
            return;
        }
        let (position, value) = (self.get(position), self.get(src));
        let after = self.block();
        let (lives, bound) = self.process_at(position, field.kind);
        self.require(lives, after);
        let base = self.base(bound);
        self.store_cell(base, index, &field, None, value);
        self.go_into(after);
    }

    /// Writes one instruction; returns whether control goes on behind it.
    fn op(&mut self, op: Op, blocks: &BTreeMap<u32, Block>, ends: Ends) -> bool {
        match op {
            Op::Const { dst, value } => {
                let value = self.constant(i64::from(value));
                self.set(dst, value)
            }
            Op::Wide { dst, number } => {
                let value = self.constant(self.program.code.wide[number as usize]);
                self.set(dst, value)
            }
            Op::Choice { dst, choice } => {
                let value = self.b.use_var(self.choices[choice as usize]);
                self.set(dst, value)
            }
            Op::Load { dst, shift, bits, word, lo } => {
                let value = self.load_field(Base::Bit(word * 64), u32::from(shift), bits, lo);
                self.set(dst, value)
            }
            Op::LoadRole { dst, role, bits, bit, lo } => {
                let value = self.load_field(self.base_of(role), bit, bits, lo);
                self.set(dst, value)
            }
            Op::LoadCell { dst, index, field } => {
                let index = self.get(index);
                let value = self.load_cell(Base::Bit(0), index, &self.field(field), self.index);
                self.set(dst, value)
            }
            Op::LoadRoleCell { dst, role, index, field } => {
                let index = self.get(index);
                let value = self.load_cell(self.base_of(role), index, &self.field(field), self.index);
                self.set(dst, value)
            }
            Op::LoadAt { dst, position, field } => {
                let first = self.constant(0);
                let value = self.load_at(position, first, field);
                self.set(dst, value)
            }
            Op::LoadAtCell { dst, position, index, field } => {
                let index = self.get(index);
                let value = self.load_at(position, index, field);
                self.set(dst, value)
            }
            Op::Position { dst, role } => {
                let position = self.position_of(self.roles[&role]);
                self.set(dst, position)
            }
            Op::PoolCount { dst } => self.set(dst, self.count),
            Op::Lives { dst, position, kind } => {
                let lives = if self.pool().positions == 0 {
                    self.constant(0)
                } else {
                    let position = self.get(position);
                    let (lives, _) = self.process_at(position, kind);
                    self.number(lives)
                };
                self.set(dst, lives)
            }
            Op::Not { dst, a } => {
                let truth = self.compare_constant(IntCC::Equal, a, 0);
                let value = self.number(truth);
                self.set(dst, value)
            }
            Op::Neg { dst, a } => {
                let a = self.get(a);
                let value = self.b.ins().ineg(a);
                self.set(dst, value)
            }
            Op::BitNot { dst, a } => {
                let a = self.get(a);
                let value = self.b.ins().bnot(a);
                self.set(dst, value)
            }
            Op::Add { dst, a, b } => {
                let (a, b) = (self.get(a), self.get(b));
                let value = self.b.ins().iadd(a, b);
                self.set(dst, value)
            }
            Op::Sub { dst, a, b } => {
                let (a, b) = (self.get(a), self.get(b));
                let value = self.b.ins().isub(a, b);
                self.set(dst, value)
            }
            Op::AddConst { dst, a, value } => {
                let a = self.get(a);
                let value = self.plus(a, i64::from(value));
                self.set(dst, value)
            }
            Op::Binary { op, dst, a, b } => {
                let (a, b) = (self.get(a), self.get(b));
                let value = self.binary(op, a, b);
                self.set(dst, value)
            }
            Op::Wrap { dst, a, bits, signed } => {
                let a = self.get(a);
                let unused = 64 - i64::from(bits);
                let high = self.b.ins().ishl_imm_u(a, unused);
                let value =
                    if signed { self.b.ins().sshr_imm_u(high, unused) } else { self.b.ins().ushr_imm_u(high, unused) };
                self.set(dst, value)
            }
            Op::Join { dst, high, low } => {
                let (high, low) = (self.get(high), self.get(low));
                let value = self.joined(high, low);
                self.set(dst, value)
            }
            Op::OfWide { op, half, dst, a, b } => {
                let (a, b) = (self.get(a), self.get(b));
                let value = self.of_wide(op, half, a, b);
                self.set(dst, value)
            }
            Op::Jump { to } => {
                self.go(blocks[&to]);
                false
            }
            Op::IfEq { a, b, to } => {
                let truth = self.compare(IntCC::Equal, a, b);
                self.go_if(truth, blocks[&to])
            }
            Op::IfNe { a, b, to } => {
                let truth = self.compare(IntCC::NotEqual, a, b);
                self.go_if(truth, blocks[&to])
            }
            Op::IfLt { a, b, to } => {
                let truth = self.compare(IntCC::SignedLessThan, a, b);
                self.go_if(truth, blocks[&to])
            }
            Op::IfLe { a, b, to } => {
                let truth = self.compare(IntCC::SignedLessThanOrEqual, a, b);
                self.go_if(truth, blocks[&to])
            }
            Op::IfEqConst { a, value, to } => {
                let truth = self.compare_constant(IntCC::Equal, a, value);
                self.go_if(truth, blocks[&to])
            }
            Op::IfNeConst { a, value, to } => {
                let truth = self.compare_constant(IntCC::NotEqual, a, value);
                self.go_if(truth, blocks[&to])
            }
            Op::IfLtConst { a, value, to } => {
                let truth = self.compare_constant(IntCC::SignedLessThan, a, value);
                self.go_if(truth, blocks[&to])
            }
            Op::IfGtConst { a, value, to } => {
                let truth = self.compare_constant(IntCC::SignedGreaterThan, a, value);
                self.go_if(truth, blocks[&to])
            }
            Op::IfField { shift, bits, word, raw, to } => {
                let truth = self.is_field(Base::Bit(word * 64), u32::from(shift), bits, raw);
                self.go_if(truth, blocks[&to])
            }
            Op::IfNotField { shift, bits, word, raw, to } => {
                let truth = self.is_field(Base::Bit(word * 64), u32::from(shift), bits, raw);
                self.go_unless(truth, blocks[&to])
            }
            Op::IfRoleField { role, bits, bit, raw, to } => {
                let truth = self.is_field(self.base_of(role), bit, bits, raw);
                self.go_if(truth, blocks[&to])
            }
            Op::IfNotRoleField { role, bits, bit, raw, to } => {
                let truth = self.is_field(self.base_of(role), bit, bits, raw);
                self.go_unless(truth, blocks[&to])
            }
            Op::Rewind { role } => {
                let cursor = self.b.declare_var(I64);
                self.cursors.insert(role, cursor);
                let before = self.constant(-1);
                self.b.def_var(cursor, before);
                true
            }
            Op::NextLiving { role, kind, to } => {
                self.next_living(role, kind, blocks[&to]);
                true
            }
            Op::Store { src, shift, bits, word, lo } => {
                let value = self.get(src);
                let raw = self.plus(value, -i64::from(lo));
                self.write(Base::Bit(word * 64), u32::from(shift), mask_of(bits), raw);
                true
            }
            Op::StoreRole { src, role, bits, bit, lo } => {
                let value = self.get(src);
                let raw = self.plus(value, -i64::from(lo));
                self.write(self.base_of(role), bit, mask_of(bits), raw);
                true
            }
            Op::StoreConst { shift, bits, word, raw } => {
                self.write_constant(Base::Bit(word * 64), u32::from(shift), mask_of(bits), u64::from(raw));
                true
            }
            Op::StoreRoleConst { role, bits, bit, raw } => {
                self.write_constant(self.base_of(role), bit, mask_of(bits), u64::from(raw));
                true
            }
            Op::StoreCell { src, index, field } => {
                let (value, index) = (self.get(src), self.get(index));
                self.store_cell(Base::Bit(0), index, &self.field(field), self.index, value);
                true
            }
            Op::StoreRoleCell { src, role, index, field } => {
                let (value, index) = (self.get(src), self.get(index));
                self.store_cell(self.base_of(role), index, &self.field(field), self.index, value);
                true
            }
            Op::StoreAt { src, position, field } => {
                let first = self.constant(0);
                self.store_at(src, position, first, field);
                true
            }
            Op::StoreAtCell { src, position, index, field } => {
                let index = self.get(index);
                self.store_at(src, position, index, field);
                true
            }
            Op::Spawn { frame } => {
                let Ends::Truth { no, .. } = ends else { panic!("only updates spawn, and they end with a truth") };
                self.spawn(frame, no);
                true
            }
            Op::StoreSpawned { src, field } => {
                let value = self.get(src);
                let field = self.field(field);
                let base = self.base(self.spawned.expect("a process was spawned"));
                self.store_all_cells(base, &field, value);
                true
            }
            Op::Exit => {
                self.exit();
                true
            }
            Op::Return { src } => {
                let value = self.get(src);
                self.end(value, ends)
            }
            Op::Yes | Op::No => match ends {
                Ends::Truth { yes, no } => {
                    self.go(if op == Op::Yes { yes } else { no });
                    false
                }
                Ends::Value(_) => {
                    let value = self.constant(i64::from(op == Op::Yes));
                    self.end(value, ends)
                }
            },
        }
    }

    fn go_unless(&mut self, condition: Value, to: Block) -> bool {
        let next = self.block();
        self.branch(condition, next, to);
        self.b.switch_to_block(next);
        true
    }
}

/// Which instructions control can come to. Conditions that are always false leave others behind.
fn reached(ops: &[Op], entry: Entry) -> Vec<bool> {
    let mut reached = vec![false; ops.len()];
    let mut waiting = vec![0];
    while let Some(at) = waiting.pop() {
        if std::mem::replace(&mut reached[at], true) {
            continue;
        }
        let mut op = ops[at];
        if let Some(&mut to) = op.target_mut() {
            waiting.push((to - entry.0) as usize);
        }
        if !matches!(op, Op::Jump { .. } | Op::Yes | Op::No | Op::Return { .. }) {
            waiting.push(at + 1);
        }
    }
    reached
}

/// The low `bits` bits; at least one, at most 64.
pub(super) fn mask_of(bits: u8) -> u64 {
    u64::MAX >> (64 - u32::from(bits))
}
