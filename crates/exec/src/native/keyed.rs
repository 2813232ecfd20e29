//! A program whose states are keys, as machine code.

use super::call::{Function, Functions};
use super::module::{self, Made};
use super::grouping;
use super::packing::{Packing, Wish};
use super::spread::Spread;
use super::writer::shape_of;
use crate::compile::Program;
use crate::memory::PathMemory;
use crate::path::Walk;
use crate::records::Records;
use crate::walk::{self, Post};
use lariat_base::Id;
use lariat_space::{KeyLister, KeyMoves, KeyedSpace, KeyedSteps, Keys, Outcome, Sink, State, Step, Underway};
use lariat_system::{FrameId, Position, System};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::ControlFlow;

/// So many bits may be in each word of a narrow key, and so many in all when it is learned, the rest being for later. Few in
/// tests, that other keys be met there.
const NARROW: &[u8] = &[64, 12];
const MOST_NARROW_BITS: u32 = if cfg!(debug_assertions) { 24 } else { 57 };
/// The same where keys are learned from few states: more bits will vary.
const MOST_EARLY_BITS: u32 = 50;
/// The same for other keys, which have as many words from the beginning, and so many bits to spare when they are learned. Many in tests, that
/// keys of parts be met there.
const WIDE: &[u8] = &[64; 2];
const SPARE_BITS: u32 = if cfg!(debug_assertions) { 96 } else { 24 };
/// Words that are numbered one by one.
const PARTS: &[u8] = &[64; grouping::MOST_WORDS];
/// Code for keys knows where everybody stands, so each action is written for each position: at most so many.
const MOST_COPIES: usize = 400;
/// States of more words are not worth keeping whole for so long.
const MOST_STATE_WORDS: usize = 64;
/// Listing ends when targets have so many words and are so many.
const MANY_WORDS: usize = 1024;
const MANY_TARGETS: usize = 512;

/// The machine code of a program for keys. What it cannot list is left out.
pub(crate) struct KeyedProgram<'p> {
    program: &'p Program,
    spread: Spread,
    packing: Packing,
    moves: KeyMoves,
    functions: Functions,
    /// Lists what everybody can do.
    all: Function,
    /// By frame and position: lists what that process can do.
    one: BTreeMap<(FrameId, u32), Function>,
}

impl fmt::Debug for KeyedProgram<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyedProgram").field("packing", &self.packing).finish_non_exhaustive()
    }
}

impl<'p> KeyedProgram<'p> {
    /// Whether there may be some, whatever varies.
    pub(crate) fn is_possible(program: &Program) -> bool {
        let is_small = module::ensure_small(program).is_ok() && module::ensure_machine().is_ok();
        let is_small = is_small && program.layout.words <= MOST_STATE_WORDS;
        is_small && program.invariants.is_none()
    }
    /// Code for keys of the bits that vary in these states. What is to be learned for keys of more than a few bits is learned from more
    /// states: that is put off unless there are `enough`.
    pub(crate) fn learned(program: &'p Program, system: &System, states: &[u64], enough: bool) -> Keys<'p> {
        let Some(spread) = Spread::seen(program, system, states, MOST_COPIES) else { return Keys::Never };
        let learned = |most, thrifty, grouped| {
            Packing::learned(program, system, &spread, states, Wish { most, thrifty, grouped })
        };
        let most_bits = if enough { MOST_NARROW_BITS } else { MOST_NARROW_BITS.min(MOST_EARLY_BITS) };
        let narrow = |thrifty| learned(NARROW, thrifty, false).filter(|packing| packing.key_bits() <= most_bits);
        let wide = |thrifty| {
            let packing = learned(WIDE, thrifty, false).filter(|packing| packing.spare_bits() >= SPARE_BITS);
            packing.map(Packing::with_all_words)
        };
        let packing = match narrow(false) {
            None if !enough => return Keys::Later,
            None => {
                let wide = || wide(false).or_else(|| wide(true));
                narrow(true).or_else(wide).or_else(|| learned(PARTS, true, true))
            }
            narrow => narrow,
        };
        let keyed = packing.and_then(|packing| Self::make(program, spread, packing));
        keyed.map_or(Keys::Never, |keyed| Keys::Now(Box::new(keyed)))
    }
    /// The same with keys of one kind, whether these are worth while or not, for tests: narrow, narrow and thrifty, wide, wide and
    /// thrifty, parts.
    pub(crate) fn of_kind(program: &'p Program, system: &System, states: &[u64], kind: usize) -> Option<Self> {
        let (most, thrifty, grouped) = *[
            (NARROW, false, false),
            (NARROW, true, false),
            (WIDE, false, false),
            (WIDE, true, false),
            (PARTS, true, true),
        ]
        .get(kind)?;
        let spread = Spread::seen(program, system, states, MOST_COPIES)?;
        let packing = Packing::learned(program, system, &spread, states, Wish { most, thrifty, grouped })?;
        Self::make(program, spread, if most == WIDE { packing.with_all_words() } else { packing })
    }
    fn make(program: &'p Program, spread: Spread, packing: Packing) -> Option<Self> {
        let Made { functions, all, one, labels: _ } = module::make(program, &spread, Some(&packing)).ok()?;
        let moves = packing.key_moves();
        Some(Self { program, spread, packing, moves, functions, all, one })
    }
}

impl<'p> KeyedSpace<'p> for KeyedProgram<'p> {
    fn key_words(&self) -> usize {
        self.packing.key_words()
    }
    fn is_narrow(&self) -> bool {
        self.packing.is_over(NARROW)
    }
    fn key_bits(&self) -> u32 {
        self.packing.key_bits()
    }
    fn pack(&self, state: &State, keys: &mut Vec<u64>) -> bool {
        let begin = keys.len();
        keys.resize(begin + self.packing.key_words(), 0);
        let fits = self.packing.pack(state, &mut keys[begin..]);
        if !fits {
            keys.truncate(begin);
        }
        fits
    }
    fn unpack(&self, keys: &[u64], states: &mut Vec<u64>) {
        let (key_words, state_words) = (self.packing.key_words(), self.packing.state_words());
        let begin = states.len();
        states.resize(begin + keys.len() / key_words * state_words, 0);
        for (key, state) in keys.chunks_exact(key_words).zip(states[begin..].chunks_exact_mut(state_words)) {
            self.packing.unpack(key, state);
        }
    }
    fn moves(&self) -> &KeyMoves {
        &self.moves
    }
    fn lister(&self) -> Box<dyn KeyLister + '_> {
        Box::new(Lister { keyed: self, memory: self.program.search(shape_of(self.program, Some(&self.packing))) })
    }
    fn widened(&self, states: &[u64]) -> Option<Box<dyn KeyedSpace<'p> + 'p>> {
        let packing = self.packing.widened(states, !self.is_narrow())?;
        Some(Box::new(KeyedProgram::make(self.program, self.spread.clone(), packing)?))
    }
}

/// Listing goes on from state to state where an atomic sequence has got as long as this, or takes as much memory.
const MOST_ACTIONS: u64 = 1 << 20;
const MOST_SCRATCH_BYTES: u64 = 1 << 24;

struct Lister<'l, 'p> {
    keyed: &'l KeyedProgram<'p>,
    memory: PathMemory,
}

impl KeyLister for Lister<'_, '_> {
    fn list(&mut self, sources: &[u64], steps: &mut KeyedSteps) {
        let Self { keyed, memory } = self;
        let program = keyed.program;
        steps.taken.resize(steps.taken.len().max(program.actions.len()), false);
        let mut walked = false;
        let key_words = keyed.packing.key_words();
        let many = MANY_WORDS.max(MANY_TARGETS * key_words);
        for source in sources.chunks_exact(key_words) {
            if steps.targets.len() >= many {
                break;
            }
            let number = steps.sources as u32;
            steps.sources += 1;
            let records = &mut memory.records;
            records.end = 0;
            records.expect(i64::MAX);
            records.chains = true;
            keyed.functions.list(keyed.all, source, 0, 0, records);
            if records.misfit {
                steps.left_out.push(number);
            } else if !records.all_plain || records.rivals && records.chains_may_meet() {
                walked = true;
                keyed.walk(source, number, memory, steps);
            } else if records.end == 0 {
                steps.dead_ends.push(number);
            } else {
                take(program, records, steps);
            }
        }
        if walked {
            // Actions after which nothing new was found are told by nobody else.
            steps.taken.iter_mut().zip(&memory.passed).for_each(|(taken, &passed)| *taken |= passed);
        }
    }
}

impl KeyedProgram<'_> {
    /// Takes the steps of a source, whose records are there, where some are more than plain: along atomic sequences that branch.
    fn walk(&self, source: &[u64], number: u32, memory: &mut PathMemory, steps: &mut KeyedSteps) {
        let program = self.program;
        if program.label_words > 0 {
            // Keys say nothing of labels.
            return steps.left_out.push(number);
        }
        let before = (steps.targets.len(), steps.count, steps.long);
        let end = memory.records.end;
        let lister = HolderLister { keyed: self, misfit: Cell::new(false) };
        let sink = WalkSink { steps: &mut *steps, is_dead_end: true };
        let mut walk = Walk { program, lister: &lister, memory, sink };
        walk.reset();
        let records = &mut walk.memory.records;
        records.end = end;
        if records.rivals && records.chains_may_meet() {
            records.end = 0;
            records.expect(i64::MAX);
            self.functions.list(self.all, source, 0, 0, records);
            lister.misfit.set(records.misfit);
        }
        let followed = walk.follow();
        let is_dead_end = walk.sink.is_dead_end;
        let said = followed.is_continue() && !lister.misfit.get() && memory.cuts.is_empty();
        if !said {
            memory.cuts.clear();
            steps.targets.truncate(before.0);
            (steps.count, steps.long) = (before.1, before.2);
            steps.left_out.push(number);
        } else if is_dead_end {
            steps.dead_ends.push(number);
        }
    }

    /// The function of the process that lives at the position.
    fn function_of(&self, key: &[u64], position: Position) -> Option<Function> {
        let pool = &self.program.code.pool;
        let kind = self.packing.read(key, pool.region(position.into()), pool.kind_mask) as u32;
        let frame = FrameId(kind.checked_sub(1)?);
        self.one.get(&(frame, u32::from(position))).copied()
    }
}

/// Lists what can happen at transient states that are keys.
struct HolderLister<'l, 'p> {
    keyed: &'l KeyedProgram<'p>,
    /// Whether some step leads to a state without a key. What is listed from then on means nothing.
    misfit: Cell<bool>,
}

impl walk::Lister for HolderLister<'_, '_> {
    fn list(&self, key: &[u64], count: u32, actor: Option<Position>, _: &mut Post, records: &mut Records) {
        let Self { keyed, misfit } = self;
        if misfit.get() || keyed.program.common_rank.is_some_and(|rank| rank > records.least) {
            return;
        }
        let (function, position) = match actor {
            None => (Some(keyed.all), 0),
            Some(actor) => (keyed.function_of(key, actor), u32::from(actor)),
        };
        match function {
            Some(function) => {
                keyed.functions.list(function, key, count, position, records);
                misfit.set(records.misfit);
            }
            // Somebody lives where nobody was seen.
            None => misfit.set(true),
        }
    }
}

/// Takes the steps of one source. It ends at the first thing that keys do not say.
struct WalkSink<'s> {
    steps: &'s mut KeyedSteps,
    is_dead_end: bool,
}

impl WalkSink<'_> {
    fn take(&mut self, actions: impl ExactSizeIterator<Item = usize>, target: &[u64]) {
        self.is_dead_end = false;
        self.steps.count += 1;
        self.steps.long += actions.len() as u64 / KeyedSteps::LONG;
        actions.for_each(|action| self.steps.taken[action] = true);
        self.steps.targets.extend_from_slice(target);
    }
}

impl Sink for WalkSink<'_> {
    type Break = ();

    fn step(&mut self, step: Step<'_>) -> ControlFlow<()> {
        match step.target {
            Outcome::State(target) => {
                self.take(step.via.iter().map(|by| by.action.index()), target);
                ControlFlow::Continue(())
            }
            Outcome::Fault(_) => ControlFlow::Break(()),
        }
    }

    fn underway(&mut self, underway: Underway) -> ControlFlow<()> {
        let is_long = underway.actions > MOST_ACTIONS || underway.scratch_bytes > MOST_SCRATCH_BYTES;
        if is_long { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Takes the steps of a source from the records, all of which are plain.
#[inline]
fn take(program: &Program, records: &Records, steps: &mut KeyedSteps) {
    if program.common_rank.is_none() {
        return take_of_rank(records, steps);
    }
    match records.shape.words() {
        1 => take_rows::<1>(records, steps),
        2 => take_rows::<2>(records, steps),
        3 => take_rows::<3>(records, steps),
        4 => take_rows::<4>(records, steps),
        5 => take_rows::<5>(records, steps),
        6 => take_rows::<6>(records, steps),
        7 => take_rows::<7>(records, steps),
        _ => take_rows::<{ grouping::MOST_WORDS }>(records, steps),
    }
}

/// Does so where all records count, for keys of `K` words.
#[inline]
fn take_rows<const K: usize>(records: &Records, steps: &mut KeyedSteps) {
    let shape = records.shape;
    let rows = records.words[..records.end].chunks_exact(shape.width);
    let (count, begin) = (rows.len(), steps.targets.len());
    steps.count += count as u64;
    steps.targets.resize(begin + count * K, 0);
    let targets = steps.targets[begin..].as_chunks_mut::<K>().0;
    for (row, target) in rows.clone().zip(targets) {
        steps.taken[row[0] as u32 as usize] = true;
        let key = row[shape.state..].first_chunk().expect("keys of so many words");
        *target = *key;
    }
    if records.hops_end > 0 {
        records.hops[..records.hops_end].iter().for_each(|&action| steps.taken[action as usize] = true);
        let long = |row: &[u64]| if row[shape.hops] > 0 { (1 + row[shape.hops]) / KeyedSteps::LONG } else { 0 };
        steps.long += rows.map(long).sum::<u64>();
    }
}

/// The same where only those of the least rank do.
fn take_of_rank(records: &Records, steps: &mut KeyedSteps) {
    let shape = records.shape;
    let mut hops_at = 0;
    for record in records.words[..records.end].chunks_exact(shape.width) {
        let hops = record[shape.hops] as usize;
        let then = &records.hops[hops_at..hops_at + hops];
        hops_at += hops;
        if record[shape.rank] != records.least as u64 {
            continue;
        }
        steps.count += 1;
        steps.taken[record[0] as u32 as usize] = true;
        if hops > 0 {
            steps.long += (1 + hops as u64) / KeyedSteps::LONG;
            then.iter().for_each(|&action| steps.taken[action as usize] = true);
        }
        steps.targets.extend_from_slice(&record[shape.state..]);
    }
}
