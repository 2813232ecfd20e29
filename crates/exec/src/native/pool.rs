//! Processes that are looked for, come and go.

use super::call::environment;
use super::fields::Shift;
use super::piece::mask_of;
use super::writer::{Base, Bound, Count, Writer, plain};
use crate::code::CellField;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{Block, InstBuilder, Value};

impl Writer<'_, '_> {
    /// Binds the role to the next living process of the kind; if there is none, goes to `none`.
    pub(super) fn next_living(&mut self, role: u8, kind: u32, none: Block) {
        let cursor = self.cursors[&role];
        let (again, look) = (self.block(), self.block());
        self.go_into(again);
        let last = self.b.use_var(cursor);
        let position = self.plus(last, 1);
        self.b.def_var(cursor, position);
        let inside = self.b.ins().icmp(IntCC::SignedLessThan, position, self.count);
        self.branch(inside, look, none);
        self.b.switch_to_block(look);
        let bound = self.bind(position);
        let lives = self.is_kind(bound, kind);
        self.require(lives, again);
        self.roles.insert(role, bound);
    }

    /// Puts a process at the first free position of the target; if there is none, goes to `full`.
    pub(super) fn spawn(&mut self, frame: u32, full: Block) {
        let pool = self.pool();
        let bound = match self.next_count {
            Count::Known(count) if count == pool.positions => {
                self.go(full);
                let unreached = self.block();
                return self.b.switch_to_block(unreached);
            }
            Count::Known(count) => {
                self.next_count = Count::Known(count + 1);
                Bound::Fixed(count)
            }
            Count::Computed(count) => {
                let has_room = self.is(IntCC::UnsignedLessThan, count, i64::from(pool.positions));
                self.require(has_room, full);
                self.next_count = Count::Computed(self.plus(count, 1));
                self.bind(count)
            }
        };
        self.spawned = Some(bound);
        // The region is all zero: nobody lives there, and no update can name a cell of it.
        let base = self.base(bound);
        for (number, &template) in pool.templates[frame as usize].iter().enumerate().filter(|(_, word)| **word != 0) {
            let (word, shift) = self.locate(base, number as u32 * 64);
            let template = self.constant(template as i64);
            let shifted = match shift {
                Shift::Known(shift) => self.b.ins().ishl_imm_u(template, i64::from(shift)),
                Shift::Computed(shift) => self.b.ins().ishl(template, shift),
            };
            self.change(word, |writer, old| writer.b.ins().bor(old, shifted));
        }
    }

    /// Writes every cell of a slot.
    pub(super) fn store_all_cells(&mut self, base: Base, field: &CellField, value: Value) {
        let index = self.b.declare_var(I64);
        let (again, end) = (self.block(), self.block());
        let first = self.constant(0);
        self.b.def_var(index, first);
        self.go_into(again);
        let at = self.b.use_var(index);
        self.store_cell(base, at, field, None, value);
        let next = self.plus(at, 1);
        self.b.def_var(index, next);
        let more = self.is(IntCC::UnsignedLessThan, next, i64::from(field.cells));
        self.branch(more, again, end);
        self.b.switch_to_block(end);
    }

    /// Empties the position of the youngest process of the target.
    pub(super) fn exit(&mut self) {
        let pool = self.pool();
        let after = self.block();
        let bound = match self.next_count {
            Count::Known(0) => return self.go_into(after),
            Count::Known(count) => {
                self.next_count = Count::Known(count - 1);
                Bound::Fixed(count - 1)
            }
            Count::Computed(count) => {
                // An action that exits has an actor, so that somebody lives.
                let last = self.plus(count, -1);
                self.next_count = Count::Computed(last);
                self.bind(last)
            }
        };
        let base = self.base(bound);
        if self.packing.is_some() {
            let bits = pool.region_bits.min(64);
            for number in 0..pool.region_bits / bits {
                self.write_dead(base, number * bits, mask_of(bits as u8));
            }
        } else if pool.region_bits < 64 {
            self.write_constant(base, 0, mask_of(pool.region_bits as u8), 0);
        } else {
            for number in 0..pool.region_bits / 64 {
                let (word, _) = self.locate(base, number * 64);
                self.change(word, |writer, _| writer.constant(0));
            }
        }
        self.go_into(after);
    }

    /// How many processes live in the source, which is a key.
    pub(super) fn count_in_key(&mut self) {
        let pool = self.pool();
        let mut count = self.constant(0);
        for position in (0..pool.positions).filter(|_| pool.kind_mask != 0) {
            let kind = self.raw(Base::Bit(pool.region(position)), 0, pool.kind_mask);
            let lives = self.is(IntCC::NotEqual, kind, 0);
            let lives = self.number(lives);
            count = self.b.ins().iadd(count, lives);
        }
        self.b.ins().store(plain(), count, self.environment, environment::COUNT);
        (self.count, self.next_count) = (count, Count::Computed(count));
    }
}
