//! Reading keys in C.

use super::Printer;
use super::value::Value;
use crate::packing::Cells;
use lariat_system::{FrameId, Interval, LocalId, Position, SlotId};
use std::fmt::Write as _;

/// A field of a key as expressions see it.
#[derive(Clone, Copy)]
pub(super) struct Field {
    pub(super) cells: Cells,
    /// What it can hold.
    pub(super) range: Interval,
    /// The number by which the card speaks of it.
    pub(super) site: u32,
}

impl Printer<'_> {
    pub(super) fn slot(&self, slot: SlotId) -> Field {
        self.field(
            self.packing.slots[slot],
            self.system.range(self.system.slots[slot].ty),
            crate::ranges::Site::Slot(slot),
        )
    }
    /// The slot of a process that may live at the position.
    pub(super) fn local(&self, position: Position, frame: FrameId, local: LocalId) -> Field {
        let cells = self.packing.positions[usize::from(position)].frames[&frame][local];
        let all = self.system.range(self.system.frames[frame].slots[local].ty);
        self.field(cells, all, crate::ranges::Site::Local(position, frame, local))
    }
    fn field(&self, cells: Cells, all: Interval, site: crate::ranges::Site) -> Field {
        let fits = cells.range();
        let range = Interval { lo: fits.lo.max(all.lo), hi: fits.hi.min(all.hi) };
        Field { cells, range, site: self.sites[&site] }
    }

    /// The bits of a cell of `key`.
    pub(super) fn raw(key: &str, cells: &Cells, cell: u32) -> String {
        let (word, shift) = cells.place(cell);
        let bits = if shift == 0 { format!("{key}.w[{word}]") } else { format!("({key}.w[{word}] >> {shift})") };
        format!("({bits} & {}ull)", cells.mask())
    }

    /// The content of a cell that is there.
    pub(super) fn cell(&self, key: &str, field: &Field, cell: u32) -> Value {
        if field.cells.bits == 0 {
            return Value::number(field.cells.lo);
        }
        let raw = Self::raw(key, &field.cells, cell);
        let lo = field.cells.lo;
        match Interval::INT.includes(field.range) && field.cells.bits <= 31 {
            true if lo == 0 => Value::new(format!("(i32){raw}"), field.range),
            true => Value::new(format!("((i32){raw} + {})", Value::number(lo).text), field.range),
            false => Value::of_wide(&format!("(i64)({raw} + (u64)({}))", Value::number(lo).wide()), field.range),
        }
    }

    /// The content of the cell at an index; 0 outside the array.
    pub(super) fn indexed(&mut self, key: &str, field: &Field, index: &Value) -> Value {
        let len = i64::from(field.cells.len);
        let inside = Interval { lo: 0, hi: len - 1 };
        if let Some(index) = index.as_number() {
            return if inside.contains(index) { self.cell(key, field, index as u32) } else { Value::number(0) };
        }
        let is_inside = inside.includes(index.range);
        let range = if is_inside { field.range } else { field.range.hull(Interval::point(0)) };
        if field.cells.bits == 0 && (is_inside || field.cells.lo == 0) {
            return Value::number(field.cells.lo);
        }
        let name = self.reader(field);
        Value::of_wide(&format!("{name}({key}, {})", index.wide()), range)
    }

    /// The function that reads a cell by its index.
    pub(super) fn reader(&mut self, field: &Field) -> String {
        let Cells { lo, bits, len, word, shift, per_word } = field.cells;
        let name = format!("cell_{}", field.site);
        let mut text = format!("FN i64 {name}(Key k, i64 i)\n{{\n    u64 w = k.w[{word}];\n    u32 shift;\n");
        let _ = writeln!(text, "    if ((u64)i >= {len})\n        return 0;");
        if per_word >= len {
            let _ = writeln!(text, "    shift = (u32)i * {bits} + {shift};");
        } else {
            for (number, first) in (per_word..len).step_by(per_word as usize).enumerate() {
                let _ = writeln!(text, "    if (i >= {first})\n        w = k.w[{}];", word + number + 1);
            }
            let _ = writeln!(text, "    shift = (u32)i % {per_word} * {bits};");
        }
        let _ = writeln!(
            text,
            "    return (i64)((w >> shift & {}ull) + (u64)({}));\n}}",
            field.cells.mask(),
            Value::number(lo).wide()
        );
        self.define(&name, text);
        name
    }

    /// Whether a process of the frame lives at the position.
    pub(super) fn lives(&self, key: &str, position: Position, frame: FrameId) -> Value {
        let Some(packing) = self.packing.positions.get(usize::from(position)) else { return Value::number(0) };
        let Some(code) = packing.kinds.iter().position(|kind| *kind == Some(frame)) else { return Value::number(0) };
        match packing.kinds.len() {
            1 => Value::number(1),
            _ => Value::new(format!("({} == {code}u)", Self::raw(key, &packing.kind, 0)), Interval::BOOL),
        }
    }
    /// Whether a process lives at the position.
    pub(super) fn is_occupied(&self, key: &str, position: usize) -> Value {
        let Some(packing) = self.packing.positions.get(position) else { return Value::number(0) };
        match (packing.kinds.first(), packing.kinds.len()) {
            (Some(None), 1) => Value::number(0),
            (Some(None), _) => Value::new(format!("({} != 0)", Self::raw(key, &packing.kind, 0)), Interval::BOOL),
            _ => Value::number(1),
        }
    }
    /// The number of living processes.
    pub(super) fn count(&self, key: &str) -> Value {
        let occupied = (0..self.packing.positions.len()).map(|position| self.is_occupied(key, position));
        occupied.fold(Value::number(0), |sum, occupied| Value::binary(lariat_system::BinaryOp::Add, &sum, &occupied))
    }
    /// The positions at which a process of the frame may live.
    pub(super) fn homes(&self, frame: FrameId) -> Vec<Position> {
        let homes =
            self.packing.positions.iter().enumerate().filter(|(_, position)| position.frames.contains_key(&frame));
        homes.map(|(position, _)| position as Position).collect()
    }

    /// The function that reads a slot of a process of the frame at a position, or 0.
    pub(super) fn remote_reader(&mut self, frame: FrameId, local: LocalId) -> String {
        let name = format!("remote_{}_{}", frame.0, local.0);
        if self.is_defined(&name) {
            return name;
        }
        let mut text = format!("FN i64 {name}(Key k, i64 position, i64 i)\n{{\n    switch (position) {{\n");
        for position in self.homes(frame) {
            let (lives, field) = (self.lives("k", position, frame), self.local(position, frame, local));
            let value = self.indexed("k", &field, &Value::new("i", super::value::EVERYTHING));
            let _ = writeln!(text, "    case {position}:\n        return {} ? {} : 0;", lives.text, value.wide());
        }
        text.push_str("    }\n    return 0;\n}\n");
        self.define(&name, text);
        name
    }
}
