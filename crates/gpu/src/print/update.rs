//! Writing keys in C. Right-hand sides read the key `k` of the source, `t` becomes the key of the target.

use super::Printer;
use super::expr::Scope;
use super::state::Field;
use super::value::Value;
use lariat_base::Id;
use lariat_system::{Argument, FrameId, Owner, Place, Position, Update};
use std::fmt::Write as _;

impl Printer<'_> {
    /// The statements that write the updates. `None` if they do what is left to the processor.
    pub(super) fn updates(&mut self, updates: &[Update], scope: &Scope) -> Option<String> {
        let mut text = String::new();
        let mut born = 0;
        let exits = updates.contains(&Update::Exit);
        for update in updates {
            match update {
                Update::Set(place, value) => {
                    let value = self.value("k", value, scope);
                    self.set(place, &value, scope, &mut text);
                }
                // The process that ends is the youngest one, and that is the new one then.
                Update::Spawn { .. } if exits => return None,
                Update::Spawn { frame, arguments } => {
                    self.spawn(*frame, arguments, born, scope, &mut text);
                    born += 1;
                }
                Update::Exit => {}
            }
        }
        if exits {
            let (position, _) = *scope.roles.first()?;
            self.vacate(position, &mut text);
        }
        Some(text)
    }

    fn set(&mut self, place: &Place, value: &Value, scope: &Scope, text: &mut String) {
        let index = match &place.index {
            None => Value::number(0),
            Some(index) => self.value("k", index, scope),
        };
        match &place.owner {
            Owner::Global(slot) => {
                let field = self.slot(*slot);
                self.set_cell(&field, &index, value, text);
            }
            Owner::Role(role, local) => {
                let (position, frame) = scope.roles[role.index()];
                let field = self.local(position, frame, *local);
                self.set_cell(&field, &index, value, text);
            }
            Owner::At(frame, local, position) => {
                let position = self.value("k", position, scope);
                let _ = writeln!(
                    text,
                    "{{ i64 home = {}, index = {}, value = {};",
                    position.wide(),
                    index.wide(),
                    value.wide()
                );
                for home in self.homes(*frame) {
                    if !position.range.contains(i64::from(home)) {
                        continue;
                    }
                    let lives = self.lives("k", home, *frame);
                    let field = self.local(home, *frame, *local);
                    let _ = writeln!(text, "if (home == {home} && {}) {{", lives.text);
                    let index = Value { text: "index".to_owned(), range: index.range };
                    self.set_cell(&field, &index, &Value { text: "value".to_owned(), range: value.range }, text);
                    text.push_str("}\n");
                }
                text.push_str("}\n");
            }
        }
    }

    /// Writes a value into the cell at an index, if there is one.
    fn set_cell(&mut self, field: &Field, index: &Value, value: &Value, text: &mut String) {
        let len = i64::from(field.cells.len);
        match index.as_number() {
            Some(index) if (0..len).contains(&index) => self.put(field, index as u32, value, text),
            Some(_) => {}
            None => {
                let name = self.writer(field);
                let _ = writeln!(text, "{name}(c, &t, {}, {});", index.wide(), value.wide());
            }
        }
    }

    /// Writes a value into a cell, and says so if it does not fit.
    pub(super) fn put(&mut self, field: &Field, cell: u32, value: &Value, text: &mut String) {
        let (site, lo, mask) = (field.site, field.cells.lo, field.cells.mask());
        let fits = field.cells.range().includes(value.range);
        if field.cells.bits == 0 {
            if !fits {
                let lo = Value::number(lo);
                let _ =
                    writeln!(text, "{{ i64 v = {}; if (v != {}) misfit(c->a, {site}, v); }}", value.wide(), lo.wide());
            }
            return;
        }
        let (word, shift) = field.cells.place(cell);
        let clear = !(mask << shift);
        if let (true, Some(value)) = (fits, value.as_number()) {
            let bits = (value.wrapping_sub(lo) as u64 & mask) << shift;
            let set = if bits == 0 { String::new() } else { format!(" | {bits:#x}ull") };
            let _ = writeln!(text, "t.w[{word}] = (t.w[{word}] & {clear:#x}ull){set};");
            return;
        }
        let from_lo = if lo == 0 { "v".to_owned() } else { format!("(v - {})", Value::number(lo).wide()) };
        let check = match fits {
            true => String::new(),
            false => format!(" if ((u64){from_lo} > {mask:#x}ull) misfit(c->a, {site}, v);"),
        };
        let _ = writeln!(
            text,
            "{{ i64 v = {};{check} t.w[{word}] = (t.w[{word}] & {clear:#x}ull) | ((u64){from_lo} & {mask:#x}ull) << {shift}; }}",
            value.wide()
        );
    }

    /// The function that writes a cell by its index.
    fn writer(&mut self, field: &Field) -> String {
        let name = format!("put_cell_{}", field.site);
        if self.is_defined(&name) {
            return name;
        }
        let (cells, site) = (field.cells, field.site);
        let lo = Value::number(cells.lo).wide();
        let mut text = format!("FN void {name}(Context *c, Key *t, i64 i, i64 v)\n{{\n");
        let _ = writeln!(text, "    if ((u64)i >= {})\n        return;", cells.len);
        let _ = writeln!(text, "    if ((u64)(v - {lo}) > {:#x}ull)\n        misfit(c->a, {site}, v);", cells.mask());
        if cells.bits == 0 {
            text.push_str("    (void)t;\n");
        } else {
            let mask = cells.mask();
            let put = |word: usize, shift: &str| {
                format!(
                    "t->w[{word}] = (t->w[{word}] & ~({mask:#x}ull << ({shift}))) | ((u64)(v - {lo}) & {mask:#x}ull) << ({shift});"
                )
            };
            if cells.per_word >= cells.len {
                let shift = format!("(u32)i * {} + {}", cells.bits, cells.shift);
                let _ = writeln!(text, "    {}", put(cells.word, &shift));
            } else {
                let _ = writeln!(text, "    switch ((u32)i / {}) {{", cells.per_word);
                let shift = format!("(u32)i % {} * {}", cells.per_word, cells.bits);
                for number in 0..cells.len.div_ceil(cells.per_word) {
                    let put = put(cells.word + number as usize, &shift);
                    let _ = writeln!(text, "    case {number}:\n        {put}\n        break;");
                }
                text.push_str("    }\n");
            }
        }
        text.push_str("}\n");
        self.define_behind(&name, text);
        name
    }

    /// Puts a process at the first free position; `born` others are new with it.
    fn spawn(&mut self, frame: FrameId, arguments: &[Argument], born: usize, scope: &Scope, text: &mut String) {
        let values: Vec<Value> = arguments.iter().map(|argument| self.value("k", &argument.value, scope)).collect();
        text.push_str("{\n");
        for (number, value) in values.iter().enumerate() {
            let _ = writeln!(text, "i64 a{number} = {};", value.wide());
        }
        let count = self.count("k");
        let _ = writeln!(text, "switch ({} + {born}) {{", count.wide());
        for position in 0..self.packing.positions.len() {
            let free = i64::try_from(position.wrapping_sub(born)).is_ok_and(|before| count.range.contains(before));
            if !free || position < born {
                continue;
            }
            let _ = writeln!(text, "case {position}: {{");
            let packing = &self.packing.positions[position];
            let kind = packing.kinds.iter().position(|kind| *kind == Some(frame));
            let Some(code) = kind.filter(|_| packing.kinds.contains(&None)) else {
                let _ = writeln!(text, "misfit_kind(c->a, {position}, {}); break; }}", frame.index() + 1);
                continue;
            };
            let (word, shift) = packing.kind.place(0);
            let _ = writeln!(text, "t.w[{word}] |= {:#x}ull;", (code as u64) << shift);
            for (local, slot) in self.system.frames[frame].slots.entries() {
                let field = self.local(position as Position, frame, local);
                for cell in 0..slot.cells() {
                    let given = arguments.iter().enumerate().rev().find(|(_, argument)| {
                        argument.slot == local && argument.cell.is_none_or(|given| given as usize == cell)
                    });
                    let value = match given {
                        Some((number, _)) => Value { text: format!("a{number}"), range: values[number].range },
                        None => Value::number(slot.initial_of(cell)),
                    };
                    self.put(&field, cell as u32, &value, text);
                }
            }
            text.push_str("break; }\n");
        }
        let _ = writeln!(text, "default: full = 1;\n}}\n}}");
    }

    /// Takes the process at the position, which is the youngest one, out of the pool.
    fn vacate(&mut self, position: Position, text: &mut String) {
        let packing = &self.packing.positions[usize::from(position)];
        if !packing.kinds.contains(&None) {
            let _ = writeln!(text, "misfit_kind(c->a, {position}, 0);");
            return;
        }
        for (word, mask) in packing.mask.iter().enumerate().filter(|(_, mask)| **mask != 0) {
            let _ = writeln!(text, "t.w[{word}] &= {:#x}ull;", !mask);
        }
    }
}
