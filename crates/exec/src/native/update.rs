//! The next state, written into its record.
//!
//! Where every word that an update writes is known, those words are computed in registers and the others copied. Otherwise
//! all are copied first and changed in memory.

use super::call::environment;
use super::fields::{Word, in_one_word};
use super::packing::Packing;
use super::writer::{Bound, Count, Source, Target, Writer, plain};
use crate::code::{CellField, Entry, Op};
use crate::head::Head;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I64, I64X2};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value};
use cranelift_frontend::Variable;
use std::collections::BTreeSet;

/// States up to this length are copied by straight code. Longer copies would take most of the time of the compiler.
const MAX_UNROLLED_WORDS: usize = 32;

/// How an update ends.
#[derive(Clone, Copy, Debug)]
pub(super) enum Outcome {
    /// Always with these flags of a [`Head`].
    Known(u64),
    /// As the variable says.
    Computed,
}

impl Writer<'_, '_> {
    /// Writes the next state into the record, and into `outcome` the flags that say how it ended.
    pub(super) fn update(&mut self, entry: Entry, outcome: Variable) -> Outcome {
        let Some(words) = self.plan(entry) else { return self.update_in_memory(entry, outcome) };
        let changed: Vec<(u32, Variable)> = words.iter().map(|&word| self.word_variable(word)).collect();
        self.target = Target::Words(changed.clone());
        let target = self.next_state();
        self.copy(target, &words);
        let found = self.run_update(entry, outcome, |writer| {
            for (word, variable) in changed {
                let new = writer.b.use_var(variable);
                writer.b.ins().store(plain(), new, target, (word * 8) as i32);
            }
        });
        self.target = Target::None;
        found
    }

    /// The same, with all words in memory. They stay the target.
    pub(super) fn update_in_memory(&mut self, entry: Entry, outcome: Variable) -> Outcome {
        let target = self.next_state();
        self.copy(target, &BTreeSet::new());
        self.target = Target::Memory(target);
        self.run_update(entry, outcome, |_| ())
    }

    /// Updates the source itself, by an action that leaves the pool as it is.
    pub(super) fn update_in_place(&mut self, entry: Entry) {
        let place = self.source;
        let done = self.block();
        match self.plan(entry) {
            Some(words) => {
                let changed: Vec<(u32, Variable)> = words.iter().map(|&word| self.word_variable(word)).collect();
                self.target = Target::Words(changed.clone());
                self.branch_entry(entry, done, done);
                self.b.switch_to_block(done);
                for (word, variable) in changed {
                    let new = self.b.use_var(variable);
                    self.b.ins().store(plain(), new, place.pointer, (word * 8) as i32);
                }
            }
            None => {
                // Right-hand sides read the state before: a copy of it.
                let before = self.b.ins().load(I64, plain(), self.environment, environment::SPARE);
                self.copy(before, &BTreeSet::new());
                self.source = Source { pointer: before, flags: plain() };
                self.target = Target::Memory(place.pointer);
                self.branch_entry(entry, done, done);
                self.b.switch_to_block(done);
                self.source = place;
            }
        }
        self.target = Target::None;
    }

    /// A word of the source in a variable.
    fn word_variable(&mut self, word: u32) -> (u32, Variable) {
        let variable = self.b.declare_var(I64);
        let old = self.load(Word::Known(word));
        self.b.def_var(variable, old);
        (word, variable)
    }

    fn run_update(&mut self, entry: Entry, outcome: Variable, finish: impl FnOnce(&mut Self)) -> Outcome {
        let (done, full, end) = (self.block(), self.block(), self.block());
        let spawns = self.program.code.piece(entry).iter().any(|op| matches!(op, Op::Spawn { .. }));
        self.branch_entry(entry, done, full);
        self.b.switch_to_block(full);
        let no = self.constant(Head::FULL as i64);
        self.b.def_var(outcome, no);
        self.go(end);
        self.b.switch_to_block(done);
        finish(self);
        let (flags, known) = match self.next_count {
            Count::Known(count) => {
                let flags = Head::LEADS_ON | u64::from(count) << Head::COUNT;
                (self.constant(flags as i64), (!spawns).then_some(flags))
            }
            Count::Computed(count) => {
                let count = self.b.ins().ishl_imm_u(count, i64::from(Head::COUNT));
                (self.b.ins().bor_imm_s(count, Head::LEADS_ON as i64), None)
            }
        };
        self.b.def_var(outcome, flags);
        self.go_into(end);
        known.map_or(Outcome::Computed, Outcome::Known)
    }

    /// Where the next state is in the record.
    pub(super) fn next_state(&mut self) -> Value {
        let out = self.b.use_var(self.out);
        self.b.ins().iadd_imm_s(out, (self.shape.state * 8) as i64)
    }

    /// Copies the state, but for some words.
    fn copy(&mut self, target: Value, except: &BTreeSet<u32>) {
        let words = self.packing.map_or(self.program.layout.words, Packing::key_words);
        if words > MAX_UNROLLED_WORDS {
            return self.copy_by_loop(target, words);
        }
        let source = self.state;
        let mut word = 0;
        while word < words {
            let (ty, size) = match (except.contains(&(word as u32)), except.contains(&(word as u32 + 1))) {
                (true, _) => {
                    word += 1;
                    continue;
                }
                (false, false) if word + 1 < words => (I64X2, 2),
                _ => (I64, 1),
            };
            let offset = (word * 8) as i32;
            // Two words are not aligned as a pair.
            let pair = MemFlagsData::new().with_notrap();
            let (from, to) = match size {
                2 if source.flags.readonly() => (pair.with_readonly().with_can_move(), pair),
                2 => (pair, pair),
                _ => (source.flags, plain()),
            };
            let value = self.b.ins().load(ty, from, source.pointer, offset);
            self.b.ins().store(to, value, target, offset);
            word += size;
        }
    }

    fn copy_by_loop(&mut self, target: Value, words: usize) {
        let at = self.b.declare_var(I64);
        let (again, end) = (self.block(), self.block());
        let first = self.constant(0);
        self.b.def_var(at, first);
        self.go_into(again);
        let offset = self.b.use_var(at);
        let from = self.b.ins().iadd(self.state.pointer, offset);
        let to = self.b.ins().iadd(target, offset);
        let value = self.b.ins().load(I64, plain(), from, 0);
        self.b.ins().store(plain(), value, to, 0);
        let next = self.plus(offset, 8);
        self.b.def_var(at, next);
        let more = self.is(IntCC::UnsignedLessThan, next, (words * 8) as i64);
        self.branch(more, again, end);
        self.b.switch_to_block(end);
    }

    /// The words that the update writes, if all of them are known.
    fn plan(&self, entry: Entry) -> Option<BTreeSet<u32>> {
        if let Some(packing) = self.packing {
            return Some((0..packing.key_words() as u32).collect());
        }
        let mut words = BTreeSet::new();
        let pool = self.pool();
        let mut count = self.next_count;
        let mut spawned = None;
        let region = |role: &u8| match self.roles[role] {
            Bound::Fixed(position) => Some(pool.region(position)),
            Bound::Moving { .. } => None,
        };
        let fields = &self.program.code.fields;
        let cell = |begin: u32, field: &CellField| in_one_word(begin, field).then_some((begin + field.bit) / 64);
        let whole = |begin: u32| begin / 64..(begin + pool.region_bits).div_ceil(64);
        for op in self.program.code.piece(entry) {
            match op {
                Op::Store { word, .. } | Op::StoreConst { word, .. } => {
                    words.insert(*word);
                }
                Op::StoreRole { role, bit, .. } | Op::StoreRoleConst { role, bit, .. } => {
                    words.insert((region(role)? + bit) / 64);
                }
                Op::StoreCell { field, .. } => {
                    words.insert(cell(0, &fields[*field as usize])?);
                }
                Op::StoreRoleCell { role, field, .. } => {
                    words.insert(cell(region(role)?, &fields[*field as usize])?);
                }
                Op::StoreAt { .. } | Op::StoreAtCell { .. } => return None,
                Op::Spawn { .. } => {
                    let Count::Known(position) = count else { return None };
                    if position < pool.positions {
                        count = Count::Known(position + 1);
                        spawned = Some(pool.region(position));
                        words.extend(whole(pool.region(position)));
                    }
                }
                Op::StoreSpawned { field, .. } => {
                    words.insert(cell(spawned?, &fields[*field as usize])?);
                }
                Op::Exit => {
                    let Count::Known(position) = count else { return None };
                    if let Some(last) = position.checked_sub(1) {
                        count = Count::Known(last);
                        words.extend(whole(pool.region(last)));
                    }
                }
                _ => {}
            }
        }
        Some(words)
    }
}
