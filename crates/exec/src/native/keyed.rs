//! A program whose states are keys, as machine code.

use super::call::{Function, Functions};
use super::module::{self, Made};
use super::packing::Packing;
use super::spread::Spread;
use super::writer::shape_of;
use crate::compile::Program;
use crate::records::Records;
use lariat_space::{KeyLister, KeyedSpace, KeyedSteps, State};
use lariat_system::System;
use std::fmt;

/// So many bits may be in each word of a key.
const MOST_BITS: &[u8] = &[64, 12];
/// Code for keys knows where everybody stands, so each action is written for each position: at most so many.
const MOST_COPIES: usize = 400;
/// States of more words are not worth keeping whole for so long.
const MOST_STATE_WORDS: usize = 64;
/// Listing ends when there are so many targets.
const MANY_TARGETS: usize = 1024;

/// The machine code of a program for keys. What it cannot list is left out.
pub(crate) struct KeyedProgram<'p> {
    program: &'p Program,
    spread: Spread,
    packing: Packing,
    functions: Functions,
    all: Function,
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
    /// Code for keys of the bits that vary in these states; `None` if there is none.
    pub(crate) fn learned(program: &'p Program, system: &System, states: &[u64]) -> Option<Self> {
        let spread = Spread::seen(program, system, states, MOST_COPIES)?;
        let packing = Packing::learned(program, &spread, states, MOST_BITS)?;
        Self::make(program, spread, packing)
    }
    fn make(program: &'p Program, spread: Spread, packing: Packing) -> Option<Self> {
        let Made { functions, all, .. } = module::make(program, &spread, Some(&packing)).ok()?;
        Some(Self { program, spread, packing, functions, all })
    }
}

impl<'p> KeyedSpace<'p> for KeyedProgram<'p> {
    fn key_words(&self) -> usize {
        self.packing.key_words()
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
    fn lister(&self) -> Box<dyn KeyLister + '_> {
        let records = Records::new(shape_of(self.program, Some(&self.packing)));
        Box::new(Lister { keyed: self, records })
    }
    fn widened(&self, states: &[u64]) -> Option<Box<dyn KeyedSpace<'p> + 'p>> {
        let packing = self.packing.widened(states)?;
        Some(Box::new(KeyedProgram::make(self.program, self.spread.clone(), packing)?))
    }
}

struct Lister<'l, 'p> {
    keyed: &'l KeyedProgram<'p>,
    records: Records,
}

impl KeyLister for Lister<'_, '_> {
    fn list(&mut self, sources: &[u64], steps: &mut KeyedSteps) {
        let Self { keyed, records } = self;
        let program = keyed.program;
        steps.taken.resize(steps.taken.len().max(program.actions.len()), false);
        for source in sources.chunks_exact(keyed.packing.key_words()) {
            if steps.targets.len() >= MANY_TARGETS {
                break;
            }
            let number = steps.sources as u32;
            steps.sources += 1;
            records.end = 0;
            records.expect(i64::MAX);
            records.chains = true;
            keyed.functions.list(keyed.all, source, 0, 0, records);
            if records.misfit || !records.all_plain || records.rivals && records.chains_may_meet() {
                steps.left_out.push(number);
            } else if records.end == 0 {
                steps.dead_ends.push(number);
            } else {
                take(program, records, steps);
            }
        }
    }
}

/// Takes the steps of a source from the records, all of which are plain.
#[inline]
fn take(program: &Program, records: &Records, steps: &mut KeyedSteps) {
    let shape = records.shape;
    let (rank, is_ranked) = (records.least as u64, program.common_rank.is_none());
    let mut hops_at = 0;
    for record in records.words[..records.end].chunks_exact(shape.width) {
        let hops = record[shape.hops] as usize;
        let then = &records.hops[hops_at..hops_at + hops];
        hops_at += hops;
        if is_ranked && record[shape.rank] != rank {
            continue;
        }
        steps.count += 1;
        steps.taken[record[0] as u32 as usize] = true;
        if hops > 0 {
            steps.long += (1 + hops as u64) / KeyedSteps::LONG;
            then.iter().for_each(|&action| steps.taken[action as usize] = true);
        }
        // A word or two: not worth a call.
        record[shape.state..].iter().for_each(|&word| steps.targets.push(word));
    }
}
