//! Fields of bits: read from the source, written to the target.
//!
//! What the interpreter computes with, the writer knows as far as it can: word and shift of a field at a fixed place are
//! constants, an array inside one word is a shift by a computed number, and only the rest computes addresses. Out of
//! bounds a read gives 0 and a write does nothing, and no address outside the state is ever formed.

use super::packing::{Cells, KeyRun};
use super::ranges::Range;
use super::writer::{Base, Bound, Target, Writer, plain};
use crate::code::{CellField, Pool};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I64};
use cranelift_codegen::ir::{InstBuilder, Value};

/// Where a field stands in its word.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shift {
    Known(u32),
    Computed(Value),
}

/// Which word a field is in: known, or an address relative to the first word, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Word {
    Known(u32),
    Computed(Value, u32),
}

impl Writer<'_, '_> {
    /// Where bit `bit` of `base` is.
    pub(super) fn locate(&mut self, base: Base, bit: u32) -> (Word, Shift) {
        match base {
            Base::Bit(begin) => (Word::Known((begin + bit) / 64), Shift::Known((begin + bit) % 64)),
            Base::Moving { offset, .. } if self.pool().region_bits >= 64 => {
                (Word::Computed(offset, bit / 64), Shift::Known(bit % 64))
            }
            Base::Moving { offset, shift } => {
                let shift = self.b.ins().iadd_imm_s(shift, i64::from(bit));
                (Word::Computed(offset, 0), Shift::Computed(shift))
            }
        }
    }

    /// A word of the source.
    pub(super) fn load(&mut self, word: Word) -> Value {
        let source = self.source;
        let (pointer, word) = match word {
            Word::Known(word) => (source.pointer, word),
            Word::Computed(offset, word) => (self.b.ins().iadd(source.pointer, offset), word),
        };
        self.b.ins().load(I64, source.flags, pointer, (word * 8) as i32)
    }

    fn extract(&mut self, word: Value, shift: Shift, mask: u64) -> Value {
        let shifted = match shift {
            Shift::Known(0) => word,
            Shift::Known(shift) => self.b.ins().ushr_imm_u(word, i64::from(shift)),
            // Modulo 64, as everywhere.
            Shift::Computed(shift) => self.b.ins().ushr(word, shift),
        };
        match shift {
            Shift::Known(shift) if mask == u64::MAX >> shift => shifted,
            _ => self.b.ins().band_imm_s(shifted, mask as i64),
        }
    }

    /// The bits of a field of `base`.
    pub(super) fn raw(&mut self, base: Base, bit: u32, mask: u64) -> Value {
        if let Some(packing) = self.packing {
            let bit = bit_in_state(base, bit);
            let (runs, echoes) = (packing.runs(bit, mask, None), packing.echoes_of(bit, mask));
            let known = packing.base_of(bit, mask);
            return self.raw_of_runs(&runs, None, &echoes, known);
        }
        let (word, shift) = self.locate(base, bit);
        let word = self.load(word);
        self.extract(word, shift, mask)
    }

    /// Where a cell of an array is whose index is inside.
    fn locate_cell(&mut self, base: Base, index: Value, field: &CellField) -> (Word, Shift) {
        // Strides are powers of two.
        let step = self.b.ins().ishl_imm_u(index, i64::from(field.stride.trailing_zeros()));
        let one_word = match base {
            Base::Bit(begin) => in_one_word(begin, field),
            // A region below 64 bits never crosses a word.
            Base::Moving { .. } => self.pool().region_bits < 64,
        };
        if one_word {
            let (word, shift) = self.locate(base, field.bit);
            let shift = match shift {
                Shift::Known(0) => step,
                Shift::Known(shift) => self.b.ins().iadd_imm_s(step, i64::from(shift)),
                Shift::Computed(shift) => self.b.ins().iadd(step, shift),
            };
            return (word, Shift::Computed(shift));
        }
        let begin = match base {
            Base::Bit(begin) => begin,
            Base::Moving { .. } => 0,
        };
        let bit = self.b.ins().iadd_imm_s(step, i64::from(begin + field.bit));
        let word = self.b.ins().ushr_imm_u(bit, 6);
        let mut offset = self.b.ins().ishl_imm_u(word, 3);
        if let Base::Moving { offset: region, .. } = base {
            offset = self.b.ins().iadd(offset, region);
        }
        (Word::Computed(offset, 0), Shift::Computed(bit))
    }

    /// Whether a computed number is below `end`, read as unsigned.
    fn below(&mut self, value: Value, end: Value) -> Value {
        self.b.ins().icmp(IntCC::UnsignedLessThan, value, end)
    }

    /// The content of a cell, or 0 outside. The index is in the range, if there is one.
    pub(super) fn load_cell(&mut self, base: Base, index: Value, field: &CellField, range: Option<Range>) -> Value {
        let cells = self.constant(i64::from(field.cells));
        let zero = self.constant(0);
        let value = if field.mask == 0 {
            self.constant(field.lo)
        } else if let Some(packing) = self.packing {
            match packing.cells_of(bit_in_state(base, field.bit), field, range) {
                Cells::One(bit) => {
                    let raw = self.raw(Base::Bit(bit), 0, field.mask);
                    return self.plus(raw, field.lo);
                }
                Cells::Outside => return zero,
                Cells::Unknown => {
                    self.always_misfit();
                    return self.constant(0);
                }
                Cells::Some { bit, first, cells } => {
                    let index = self.index_among(index, field, first, cells);
                    // Cells that are found at run time follow none.
                    let (runs, known) = self.cell_runs(bit, field);
                    let raw = self.raw_of_runs(&runs, Some(index), &[], known);
                    self.plus(raw, field.lo)
                }
            }
        } else {
            let inside = self.below(index, cells);
            let index = self.b.ins().select(inside, index, zero);
            let (word, shift) = self.locate_cell(base, index, field);
            let word = self.load(word);
            let raw = self.extract(word, shift, field.mask);
            self.plus(raw, field.lo)
        };
        let inside = self.below(index, cells);
        self.b.ins().select(inside, value, zero)
    }

    /// The number of a cell among these of the array of a field; of one of them where the index is outside of the array. What looks into others of it has no
    /// key.
    fn index_among(&mut self, index: Value, field: &CellField, first: u32, cells: u32) -> Value {
        let (count, zero) = (self.constant(i64::from(cells)), self.constant(0));
        let among = self.plus(index, -i64::from(first));
        if cells < field.cells {
            let found = self.below(among, count);
            let misfit = self.misfit;
            self.require(found, misfit);
            return among;
        }
        let inside = self.below(among, count);
        self.b.ins().select(inside, among, zero)
    }

    pub(super) fn plus(&mut self, value: Value, constant: i64) -> Value {
        if constant == 0 { value } else { self.b.ins().iadd_imm_s(value, constant) }
    }

    /// Writes a cell, or does nothing outside. The index is in the range, if there is one.
    pub(super) fn store_cell(
        &mut self,
        base: Base,
        index: Value,
        field: &CellField,
        range: Option<Range>,
        value: Value,
    ) {
        if field.mask == 0 {
            return;
        }
        let raw = self.plus(value, field.lo.wrapping_neg());
        if let Some(packing) = self.packing {
            match packing.cells_of(bit_in_state(base, field.bit), field, range) {
                Cells::One(bit) => return self.write_key(bit, field.mask, None, raw),
                Cells::Outside => return,
                Cells::Unknown => return self.always_misfit(),
                Cells::Some { bit, first, cells } if cells < field.cells => {
                    let index = self.index_among(index, field, first, cells);
                    return self.write_key(bit, field.mask, Some((index, field)), raw);
                }
                Cells::Some { .. } => {}
            }
        }
        let cells = self.constant(i64::from(field.cells));
        let inside = self.below(index, cells);
        let after = self.block();
        self.require(inside, after);
        if self.packing.is_some() {
            self.write_key(bit_in_state(base, field.bit), field.mask, Some((index, field)), raw);
        } else {
            let (word, shift) = self.locate_cell(base, index, field);
            self.store_bits(word, shift, field.mask, raw);
        }
        self.go_into(after);
    }

    /// Overwrites a field of `base` in the target.
    pub(super) fn write(&mut self, base: Base, bit: u32, mask: u64, raw: Value) {
        if self.packing.is_some() {
            return self.write_key(bit_in_state(base, bit), mask, None, raw);
        }
        let (word, shift) = self.locate(base, bit);
        self.store_bits(word, shift, mask, raw);
    }

    /// Overwrites a field of `base` in the target by a constant.
    pub(super) fn write_constant(&mut self, base: Base, bit: u32, mask: u64, raw: u64) {
        let Some(packing) = self.packing else {
            let (word, shift) = self.locate(base, bit);
            return self.store_constant(word, shift, mask, raw);
        };
        let bit = bit_in_state(base, bit);
        self.write_own(bit, mask, packing.own_of(bit, mask, packing.base_of(bit, mask), raw));
    }

    /// Empties a field of a process that does not live any more, in the target, which is a key.
    pub(super) fn write_dead(&mut self, base: Base, bit: u32, mask: u64) {
        let packing = self.packing.expect("code for keys");
        let bit = bit_in_state(base, bit);
        self.write_own(bit, mask, packing.own_of(bit, mask, packing.dead_base_of(bit, mask), 0));
    }

    /// Overwrites what is kept of a field, if it fits.
    fn write_own(&mut self, bit: u32, mask: u64, own: Option<u64>) {
        let packing = self.packing.expect("code for keys");
        let Some(raw) = own else { return self.always_misfit() };
        // All that goes into one word at once.
        let runs = packing.runs(bit, mask, None);
        for word in 0..packing.key_words() as u32 {
            let (written, bits) = placed(&runs, word, raw);
            if written != 0 {
                self.store_constant(Word::Known(word), Shift::Known(0), written, bits);
            }
        }
    }

    /// The runs of a cell of an array, at their places in the first cell, which begins at this bit, and what is known of all cells.
    fn cell_runs(&self, bit: u32, field: &CellField) -> (Vec<KeyRun>, u64) {
        let packing = self.packing.expect("code for keys");
        let stride = (field.cells > 1).then_some(u32::from(field.stride));
        (packing.runs(bit, field.mask, stride), packing.base_of(bit, field.mask))
    }

    /// Whether a field of `base` has this content.
    pub(super) fn has_content(&mut self, base: Base, bit: u32, mask: u64, raw: u64) -> Value {
        let Some(packing) = self.packing else {
            let found = self.raw(base, bit, mask);
            return self.is(IntCC::Equal, found, raw as i64);
        };
        // The bits of the key that say so, word by word.
        let bit = bit_in_state(base, bit);
        let own = packing.own_of(bit, mask, packing.base_of(bit, mask), raw).filter(|_| raw & !mask == 0);
        let Some(own) = own else { return self.b.ins().iconst(I8, 0) };
        let runs = packing.runs(bit, mask, None);
        let mut all = None;
        for word in 0..packing.key_words() as u32 {
            let (asked, bits) = placed(&runs, word, own);
            if asked != 0 {
                let found = self.load(Word::Known(word));
                let found = self.b.ins().band_imm_s(found, asked as i64);
                let there = self.is(IntCC::Equal, found, bits as i64);
                all = Some(match all {
                    None => there,
                    Some(all) => self.b.ins().band(all, there),
                });
            }
        }
        all.unwrap_or_else(|| self.b.ins().iconst(I8, 1))
    }

    /// The bits of a field whose runs are these, in the cell `index` if it is an array. Bits follow others of it as `echoes` say.
    fn raw_of_runs(&mut self, runs: &[KeyRun], index: Option<Value>, echoes: &[(u32, u64)], known: u64) -> Value {
        let mut all = None;
        for run in runs {
            let (word, shift) = self.place_of_run(run, index);
            let word = self.load(word);
            let mut bits = self.extract(word, shift, run.mask());
            if run.from > 0 {
                bits = self.b.ins().ishl_imm_u(bits, i64::from(run.from));
            }
            all = Some(match all {
                None => bits,
                Some(all) => self.b.ins().bor(all, bits),
            });
        }
        let Some(own) = all else { return self.constant(known as i64) };
        let all = self.with_echoes(own, own, echoes);
        if known == 0 { all } else { self.b.ins().bxor_imm_s(all, known as i64) }
    }

    /// The bits of a field, but for those that follow bits of `leading`, which are changed where these are 1.
    fn with_echoes(&mut self, bits: Value, leading: Value, echoes: &[(u32, u64)]) -> Value {
        echoes.iter().fold(bits, |bits, &(leader, echo)| {
            // The leader at the upper end, then everywhere.
            let high = self.b.ins().ishl_imm_u(leading, i64::from(63 - leader));
            let all = self.b.ins().sshr_imm_u(high, 63);
            let led = self.b.ins().band_imm_s(all, echo as i64);
            self.b.ins().bxor(bits, led)
        })
    }

    /// Where a run is, in the cell `index` if it is of an array.
    fn place_of_run(&mut self, run: &KeyRun, index: Option<Value>) -> (Word, Shift) {
        let word = Word::Known(run.word);
        let Some(index) = index.filter(|_| run.step > 0) else { return (word, Shift::Known(run.shift)) };
        let further = self.b.ins().imul_imm_s(index, i64::from(run.step));
        (word, Shift::Computed(self.plus(further, i64::from(run.shift))))
    }

    /// Overwrites a field of the target, which is a key. A value that does not fit ends the function.
    fn write_key(&mut self, bit: u32, mask: u64, cell: Option<(Value, &CellField)>, raw: Value) {
        let packing = self.packing.expect("code for keys");
        let stride = cell.and_then(|(_, field)| (field.cells > 1).then_some(u32::from(field.stride)));
        let (base, kept) = (packing.base_of(bit, mask), packing.kept_of(bit, mask));
        let mut raw = self.b.ins().band_imm_s(raw, mask as i64);
        if base != 0 {
            raw = self.b.ins().bxor_imm_s(raw, base as i64);
        }
        if stride.is_none() {
            raw = self.with_echoes(raw, raw, &packing.echoes_of(bit, mask));
        }
        if kept != mask {
            let lost = self.b.ins().band_imm_s(raw, (mask & !kept) as i64);
            let fits = self.is(IntCC::Equal, lost, 0);
            let misfit = self.misfit;
            self.require(fits, misfit);
        }
        for run in packing.runs(bit, mask, stride) {
            let (word, shift) = self.place_of_run(&run, cell.map(|(index, _)| index));
            let bits = if run.from > 0 { self.b.ins().ushr_imm_u(raw, i64::from(run.from)) } else { raw };
            self.store_bits(word, shift, run.mask(), bits);
        }
    }

    /// What comes here has no key.
    pub(super) fn always_misfit(&mut self) {
        self.go(self.misfit);
        // What follows is not reached, but belongs to some block.
        let unreached = self.block();
        self.b.switch_to_block(unreached);
    }

    /// Overwrites a field of the target.
    pub(super) fn store_bits(&mut self, word: Word, shift: Shift, mask: u64, raw: Value) {
        let raw = self.b.ins().band_imm_s(raw, mask as i64);
        let (raw, kept) = match shift {
            Shift::Known(shift) => {
                let raw = if shift == 0 { raw } else { self.b.ins().ishl_imm_u(raw, i64::from(shift)) };
                (raw, self.constant(!(mask << shift) as i64))
            }
            Shift::Computed(shift) => {
                let mask = self.constant(mask as i64);
                let mask = self.b.ins().ishl(mask, shift);
                (self.b.ins().ishl(raw, shift), self.b.ins().bnot(mask))
            }
        };
        self.change(word, |writer, old| {
            let old = writer.b.ins().band(old, kept);
            writer.b.ins().bor(old, raw)
        });
    }

    /// Overwrites a field of the target by a constant.
    pub(super) fn store_constant(&mut self, word: Word, shift: Shift, mask: u64, raw: u64) {
        let Shift::Known(known) = shift else {
            let raw = self.constant(raw as i64);
            return self.store_bits(word, shift, mask, raw);
        };
        self.change(word, |writer, old| {
            let old = writer.b.ins().band_imm_s(old, !(mask << known) as i64);
            if raw & mask == 0 { old } else { writer.b.ins().bor_imm_s(old, ((raw & mask) << known) as i64) }
        });
    }

    /// Replaces a word of the target.
    pub(super) fn change(&mut self, word: Word, with: impl FnOnce(&mut Self, Value) -> Value) {
        if let (Target::Words(words), Word::Known(word)) = (&self.target, word) {
            let &(_, variable) = words.iter().find(|(known, _)| *known == word).expect("planned by `update`");
            let old = self.b.use_var(variable);
            let new = with(self, old);
            return self.b.def_var(variable, new);
        }
        let Target::Memory(target) = self.target else { panic!("computed words are written in memory") };
        let (pointer, word) = match word {
            Word::Known(word) => (target, word),
            Word::Computed(offset, word) => (self.b.ins().iadd(target, offset), word),
        };
        let old = self.b.ins().load(I64, plain(), pointer, (word * 8) as i32);
        let new = with(self, old);
        self.b.ins().store(plain(), new, pointer, (word * 8) as i32);
    }

    /// Whether a process of the kind lives at a computed position, and it, or if not so, some process.
    pub(super) fn process_at(&mut self, position: Value, kind: u32) -> (Value, Bound) {
        let count = self.count;
        let inside = self.below(position, count);
        let zero = self.constant(0);
        let position = self.b.ins().select(inside, position, zero);
        let bound = self.bind(position);
        let lives = self.is_kind(bound, kind);
        (self.b.ins().band(inside, lives), bound)
    }

    /// Whether a process of the kind stands at the position.
    pub(super) fn is_kind(&mut self, bound: Bound, kind: u32) -> Value {
        let Pool { kind_mask, .. } = *self.pool();
        let base = self.base(bound);
        self.has_content(base, 0, kind_mask, u64::from(kind))
    }
}

/// The places in a word of the key that a field has, and its bits there.
fn placed(runs: &[KeyRun], word: u32, raw: u64) -> (u64, u64) {
    runs.iter().filter(|run| run.word == word).fold((0, 0), |(places, bits), run| {
        (places | run.mask() << run.shift, bits | (raw >> run.from & run.mask()) << run.shift)
    })
}

/// The bit of the state that a field of `base` begins at. Keys have no place for processes that are anywhere.
fn bit_in_state(base: Base, bit: u32) -> u32 {
    match base {
        Base::Bit(begin) => begin + bit,
        Base::Moving { .. } => panic!("code for keys knows where everybody stands"),
    }
}

/// Whether all cells of the field are in one word.
pub(super) fn in_one_word(begin: u32, field: &CellField) -> bool {
    let first = begin + field.bit;
    let last = u64::from(first) + u64::from(field.cells.saturating_sub(1)) * u64::from(field.stride);
    u64::from(first) / 64 == last / 64
}
