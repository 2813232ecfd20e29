//! Places become code: reading and writing cells.
//!
//! A cell that is the same whatever the state, given where its process stands, is found by one instruction; any other is
//! found at run time through a [`CellField`], which knows the bounds of its array and the kind of its process.

use crate::code::{CellField, Op, Reg};
use crate::emit::Emitter;
use crate::fold::{cell_number, constant_index};
use lariat_system::{Expr, Field, FrameId, Owner, Place};

impl Emitter<'_, '_> {
    /// The one cell that the place names whatever the state, with `bit` and `cells` of that cell; `None` if it depends
    /// on the state, or takes no bits.
    pub(crate) fn fixed(&self, place: &Place) -> Option<Field> {
        if matches!(place.owner, Owner::At(..)) {
            return None;
        }
        let field = self.scope.field(place);
        let cell = cell_number(constant_index(place)?, field)?;
        (field.bits > 0).then_some(Field { bit: field.bit_of(cell) as u32, cells: 1, ..field })
    }

    pub(crate) fn cell_field(&mut self, field: Field, frame: Option<FrameId>) -> u32 {
        let mask = if field.bits == 0 { 0 } else { u64::MAX >> (64 - field.bits) };
        let kind = frame.map_or(0, |frame| frame.0 + 1);
        let Field { bit, stride, cells, lo, .. } = field;
        let wanted = CellField { bit, stride, cells, mask, lo, kind };
        let known = self.code.fields.iter().position(|field| *field == wanted);
        known.unwrap_or_else(|| {
            self.code.fields.push(wanted);
            self.code.fields.len() - 1
        }) as u32
    }

    pub(crate) fn read(&mut self, place: &Place, dst: Reg) {
        if let Some(Field { bit, bits, lo, .. }) = self.fixed(place) {
            // A least value that does not fit the instruction is added afterwards.
            let (small, rest) = i32::try_from(lo).map_or((0, lo), |lo| (lo, 0));
            match place.owner {
                Owner::Role(role, _) => {
                    let role = self.role(role);
                    self.emit(Op::LoadRole { dst, role, bits, bit, lo: small });
                }
                _ => self.emit(Op::Load { dst, shift: (bit % 64) as u8, bits, word: bit / 64, lo: small }),
            }
            if rest != 0 {
                let b = self.after(dst);
                self.constant(rest, b);
                self.emit(Op::Add { dst, a: dst, b });
            }
            return;
        }
        let field = self.scope.field(place);
        match &place.owner {
            Owner::Global(_) => {
                self.index(place, dst);
                let field = self.cell_field(field, None);
                self.emit(Op::LoadCell { dst, index: dst, field });
            }
            Owner::Role(role, _) => {
                self.index(place, dst);
                let (role, frame) = (self.role(*role), self.scope.roles[role.index()]);
                let field = self.cell_field(field, Some(frame));
                self.emit(Op::LoadRoleCell { dst, role, index: dst, field });
            }
            Owner::At(frame, _, position) => {
                let field = self.cell_field(field, Some(*frame));
                match &place.index {
                    None => {
                        self.value(position, dst);
                        self.emit(Op::LoadAt { dst, position: dst, field });
                    }
                    Some(index) => {
                        let (position, index) = self.both(position, index, dst);
                        self.emit(Op::LoadAtCell { dst, position, index, field });
                    }
                }
            }
        }
    }

    fn index(&mut self, place: &Place, dst: Reg) {
        match &place.index {
            None => self.constant(0, dst),
            Some(index) => self.value(index, dst),
        }
    }

    pub(crate) fn set(&mut self, place: &Place, value: &Expr) {
        let place = self.scope.fold_place(place);
        let value = self.scope.fold(value);
        let field = self.scope.field(&place);
        // A slot of one value is never written; neither is a cell that is not there.
        if field.bits == 0 || constant_index(&place).is_some_and(|index| cell_number(index, field).is_none()) {
            return;
        }
        if let Some(field) = self.fixed(&place) {
            return self.set_fixed(&place, field, &value);
        }
        self.value(&value, 0);
        match &place.owner {
            Owner::Global(_) => {
                self.index(&place, 1);
                let field = self.cell_field(field, None);
                self.emit(Op::StoreCell { src: 0, index: 1, field });
            }
            Owner::Role(role, _) => {
                self.index(&place, 1);
                let (role, frame) = (self.role(*role), self.scope.roles[role.index()]);
                let field = self.cell_field(field, Some(frame));
                self.emit(Op::StoreRoleCell { src: 0, role, index: 1, field });
            }
            Owner::At(frame, _, position) => {
                let field = self.cell_field(field, Some(*frame));
                match &place.index {
                    None => {
                        self.value(position, 1);
                        self.emit(Op::StoreAt { src: 0, position: 1, field });
                    }
                    Some(index) => {
                        let (position, index) = self.both(position, index, 1);
                        self.emit(Op::StoreAtCell { src: 0, position, index, field });
                    }
                }
            }
        }
    }

    fn set_fixed(&mut self, place: &Place, field: Field, value: &Expr) {
        let Field { bit, bits, lo, .. } = field;
        let (word, shift) = (bit / 64, (bit % 64) as u8);
        let role = match place.owner {
            Owner::Role(role, _) => Some(self.role(role)),
            _ => None,
        };
        let raw = value.as_const().and_then(|value| u32::try_from(value.wrapping_sub(lo)).ok());
        if let Some(raw) = raw {
            return self.emit(match role {
                Some(role) => Op::StoreRoleConst { role, bits, bit, raw },
                None => Op::StoreConst { shift, bits, word, raw },
            });
        }
        self.value(value, 0);
        let (small, rest) = i32::try_from(lo).map_or((0, lo), |lo| (lo, 0));
        if rest != 0 {
            self.constant(rest, 1);
            self.emit(Op::Sub { dst: 0, a: 0, b: 1 });
        }
        self.emit(match role {
            Some(role) => Op::StoreRole { src: 0, role, bits, bit, lo: small },
            None => Op::Store { src: 0, shift, bits, word, lo: small },
        });
    }
}
